"""Models that are linear in derived columns (curves and kernels), with the objective and solvers of linear models.

A nonlinear model can fit wrong labels, and doing so lowers its objective. A linear model mostly cannot. The screening
fit, a linear fit with the same share of outliers, therefore decides which labelled positives are left out. To be robust
it leaves out a fixed share, however few labels are wrong. Those that are more likely right by their ranks are restored:
one step of reweighting, as after least trimmed squares (Rousseeuw and Leroy, Robust Regression and Outlier Detection,
1987, section 1.2).

The basis of the derived columns depends on X only, never on labels. It is therefore the same for all folds, and
out-of-fold scores remain out of fold. The derived columns already have the scale that the ridge assumes, and the fits
do not scale them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data, as_counts
from blindauc.evidence.likelihood import wrong_probability
from blindauc.ranks import share_below
from blindauc.rows.matrix import without_last_digits
from blindauc.rows.storage import by_rows
from blindauc.rows.view import PartedView
from blindauc.scorers.contract import Probe
from blindauc.scorers.linear import LinearModels, LinearScorer, grouped
from blindauc.scorers.spec import Spec

MAX_DERIVED = 2**27
"""Derived columns with at most this many entries (a gigabyte) are kept in memory (convention). Larger ones are computed
in blocks of rows whenever they are needed."""

BLOCK_ROWS = 8192
"""Rows per block when contributions are computed (convention)."""

RANKED_ROWS = 2**15
"""At most this many unlabelled rows are used to rank labelled positives (convention): the error of a rank is at most
0.003, a third of a bin of `blindauc.evidence.likelihood`."""

BLOCK_ENTRIES = 2**16
"""Entries per block when the functions of a basis are computed: 512 kB, which stay in a core's cache (convention)."""


class Basis(Protocol):
    """A map from X to derived columns, with the explanations of scores that are linear in them.

    Derived columns are linear combinations, functions(X) @ mix - offset, of functions that are faster to compute. A
    product of derived columns and coefficients needs the functions only, because mix @ coef is computed first.
    """

    @property
    def n_derived(self) -> int:
        """The number of derived columns."""

    def functions(self, X: Any) -> Floats:
        """The functions, of shape (n, n_functions)."""

    @property
    def mix(self) -> Any:
        """The coefficients of the combinations, an array or a sparse matrix of shape (n_functions, n_derived)."""

    @property
    def offset(self) -> Floats:
        """The constants subtracted from the derived columns, of shape (n_derived,)."""

    def __call__(self, X: Any) -> Floats:
        """The derived columns, of shape (n, n_derived)."""

    def columns(self, coef: Floats) -> Bools:
        """The columns of X that each model uses, of shape (n_models, p), for `coef` of shape (n_models, n_derived)."""

    def restricted(self, coef: Floats, columns: Bools, data: Data) -> DerivedModel:
        """A model of these columns only, with scores as near as possible to basis(X) @ coef."""

    def probe(self, X: Floats, coef: Floats) -> Probe: ...

    def contributions(self, X: Floats, coef: Floats) -> Floats: ...

    def base(self, coef: Floats) -> float: ...


class LazyColumns:
    """Derived columns that are computed when they are needed.

    They have the part of the array interface that `Matrix` uses.
    """

    dtype = np.dtype(np.float64)

    def __init__(self, basis: Any, X: Any, kept: Ints | None = None) -> None:
        self._basis, self._X = basis, X
        self._kept = np.arange(basis.n_derived) if kept is None else kept
        self.shape = (X.shape[0], len(self._kept))

    def __matmul__(self, coef: Floats) -> Floats:
        every = np.zeros(self._basis.n_derived)
        every[self._kept] = coef
        return _products(self._basis, self._X, every)

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def adjoint(self, residual: Floats) -> Floats:
        """The transposed columns times a residual."""
        basis = self._basis
        sums = sum(basis.functions(self._X[rows]).T @ residual[rows] for rows in _blocks(basis, self._X))
        return (basis.mix.T @ sums - basis.offset * residual.sum())[self._kept]

    def min(self, axis: int) -> Floats:
        return np.min([self[rows].min(axis=axis) for rows in _blocks(self._basis, self._X)], axis=0)

    def max(self, axis: int) -> Floats:
        return np.max([self[rows].max(axis=axis) for rows in _blocks(self._basis, self._X)], axis=0)

    def __getitem__(self, index: Any) -> Any:
        """`[rows]` computes these rows; `[:, columns]` is a lazy subset of the columns."""
        if isinstance(index, tuple):
            return LazyColumns(self._basis, self._X, self._kept[index[1]])
        if isinstance(index, int):
            return self[index : index + 1][0]
        return self._basis(self._X[index])[:, self._kept]

    def astype(self, dtype: Any) -> Floats:
        return self[:].astype(dtype)


@dataclass(frozen=True)
class Transposed:
    """The transpose of derived columns, to be multiplied by a residual."""

    columns: LazyColumns

    def __matmul__(self, residual: Floats) -> Floats:
        return self.columns.adjoint(residual)


@dataclass(frozen=True)
class LazyMatrix:
    """Maps a matrix to its lazy derived columns. It can be pickled and sent to the workers that hold the rows."""

    basis: Any

    def __call__(self, X: Any) -> LazyColumns:
        return LazyColumns(self.basis, X)


@dataclass(frozen=True)
class DerivedModel:
    """The score basis(X) @ coef."""

    basis: Any
    coef: Floats

    def scores(self, X: Any) -> Floats:
        return _scores(self.basis, X, self.coef)

    @property
    def columns(self) -> Bools:
        return self.basis.columns(self.coef[None])[0]

    def blended(self, others: Sequence[DerivedModel], share: Floats) -> DerivedModel:
        return replace(self, coef=share @ np.array([self.coef, *(each.coef for each in others)]))

    def restricted(self, columns: Bools, data: Data) -> DerivedModel:
        return self if columns[self.columns].all() else self.basis.restricted(self.coef, columns, data)

    def probe(self, X: Floats) -> Probe:
        return self.basis.probe(X, self.coef)

    def contributions(self, X: Any) -> Floats:
        rows = by_rows(X)
        starts = range(0, max(X.shape[0], 1), BLOCK_ROWS)
        return np.concatenate([self.basis.contributions(rows[k : k + BLOCK_ROWS], self.coef) for k in starts])

    @property
    def base(self) -> float:
        return self.basis.base(self.coef)


@dataclass(frozen=True)
class DerivedModels:
    """Models that are linear in the same derived columns.

    Parameters
    ----------
    basis : Basis
    linear : LinearModels of the derived columns
    screening : LinearModels of the columns of X, for each model the screening fit that chose its outliers
    """

    basis: Any
    linear: LinearModels
    screening: LinearModels

    def __len__(self) -> int:
        return len(self.linear)

    def scores(self, X: Any) -> Floats:
        return _scores(self.basis, X, self.linear.coef.T.toarray())

    @property
    def columns(self) -> Bools:
        return self.basis.columns(self.linear.coef.toarray())

    @property
    def outliers(self) -> Bools:
        return self.linear.outliers

    def inclusion(self, weight: Floats) -> Floats:
        return weight @ self.columns

    def subset(self, index: Ints) -> DerivedModels:
        return DerivedModels(self.basis, self.linear.subset(index), self.screening.subset(index))

    def joined(self, others: Sequence[DerivedModels]) -> DerivedModels:
        linear = self.linear.joined([each.linear for each in others])
        return DerivedModels(self.basis, linear, self.screening.joined([each.screening for each in others]))

    def average(self, weight: Floats) -> DerivedModel:
        return DerivedModel(self.basis, self.linear.average(weight).coef)


@dataclass(frozen=True)
class DerivedScorer:
    """Models that are linear in derived columns.

    Parameters
    ----------
    basis : Basis
    linear : LinearScorer of the derived columns
    straight : LinearScorer of the columns of X, for the screening fits
    """

    basis: Any
    linear: LinearScorer
    straight: LinearScorer

    def derived(self, data: Any) -> Any:
        """The same rows with the derived columns in place of X."""
        if isinstance(data, PartedView):
            return data.mapped(LazyMatrix(self.basis), self.basis.n_derived)
        is_kept = data.X.shape[0] * self.basis.n_derived <= MAX_DERIVED
        return data._replace(X=self.basis(data.X) if is_kept else LazyColumns(self.basis, data.X))

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        return self.linear.ridge_unit(self.derived(data), of_derived(spec))

    def n_coefficients(self, data: Data, spec: Spec) -> int:
        return int(self.basis.n_derived)

    def path(self, data: Data, specs: Sequence[Spec]) -> DerivedModels:
        parts, order = [], []
        for _, some in grouped(specs, lambda spec: (spec.loss, spec.n_outliers, spec.known_negative_share)):
            screening = self.screening(data, some[0])
            left_out = likely_wrong(data.rows, screening)
            linear = self.linear.path(self.derived(data.without(left_out)), [of_derived(spec) for spec in some])
            models = replace(linear, outliers=np.tile(left_out, (len(some), 1)))
            parts.append(DerivedModels(self.basis, models, screening.subset(np.zeros(len(some), dtype=np.intp))))
            order += some
        # The models are in the order of the groups: return them in the order of `specs`.
        place = {spec: k for k, spec in enumerate(order)}
        return parts[0].joined(parts[1:]).subset(np.array([place[spec] for spec in specs]))

    def left_out(self, data: Data, spec: Spec) -> Bools:
        """The labelled positives that a fit leaves out, of shape (n_pos,)."""
        if spec.n_outliers == 0:
            return np.zeros(data.rows.n_positives, dtype=bool)
        return likely_wrong(data.rows, self.screening(data, spec))

    def screening(self, data: Data, spec: Spec) -> LinearModels:
        """The linear fit to X that decides which positives may be left out, with the same share."""
        straight = Spec(
            "standard", spec.loss, 1.0, spec.n_outliers, None, known_negative_share=spec.known_negative_share
        )
        return self.straight.path(data, [replace(straight, l2=self.straight.ridge_unit(data, straight))])


def likely_wrong(rows: Any, screening: LinearModels) -> Bools:
    """The labelled positives that the first screening fit leaves out and that are more likely wrong than right.

    The probability is that of `blindauc.evidence.likelihood`, by the ranks of all labelled positives.
    """
    left_out = screening.outliers[0]
    if not left_out.any():
        return left_out
    some = np.arange(0, rows.n_unlabelled, -(-rows.n_unlabelled // RANKED_ROWS))
    few = rows.subset(np.arange(rows.n_positives), some)
    of_positives, of_unlabelled = few.scores(screening.coef[[0]].toarray()[0])
    ranks = share_below(of_positives, of_unlabelled, few.unl_weight)
    return left_out & (wrong_probability(ranks, as_counts(rows.pos_weight)) > 0.5)


def of_derived(spec: Spec) -> Spec:
    """The spec of the linear fit to derived columns: no scaling, and no outliers, because they are removed before."""
    return replace(spec, scaling="none", n_outliers=0.0)


def _scores(basis: Any, X: Any, coef: Floats) -> Floats:
    """basis(X) @ coef, rounded so that the score of a row does not depend on its block."""
    return without_last_digits(_products(basis, by_rows(X), coef))


def _products(basis: Any, X: Any, coef: Floats) -> Floats:
    """basis(X) @ coef; `coef` may be a matrix with one column per model."""
    of_functions, constant = basis.mix @ coef, basis.offset @ coef
    blocks = [basis.functions(X[rows]) @ of_functions for rows in _blocks(basis, X)]
    products: Floats = np.concatenate(blocks) - constant
    return products


def _blocks(basis: Any, X: Any) -> Any:
    """Blocks of rows, so that the functions of all rows are never in memory at once."""
    n_rows = max(1, BLOCK_ENTRIES // max(1, basis.mix.shape[0]))
    return (slice(start, start + n_rows) for start in range(0, max(X.shape[0], 1), n_rows))
