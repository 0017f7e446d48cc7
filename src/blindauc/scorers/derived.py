"""Scores that are linear in derived columns: curves and kernels, by the same objective and solvers as straight lines.

A score that bends can bend towards wrong labels, and its own objective likes that. A straight line cannot, so that the
labelled positives that a fit leaves out are those that a straight line leaves out.

The derived columns depend on X alone, never on labels, and are made once for all folds: what is out of fold stays so.
They come on the scale that a ridge should see, so that the fits do not scale them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.rows.matrix import without_last_digits
from blindauc.rows.storage import by_rows
from blindauc.rows.view import PartedView
from blindauc.scorers.contract import Probe
from blindauc.scorers.linear import LinearModels, LinearScorer, grouped
from blindauc.scorers.spec import Spec

MAX_DERIVED = 2**27
"""Entries of derived columns that are kept, a gigabyte; more are made anew in blocks of rows, as often as needed."""

AS_IT_IS = "none"
"""The scaling of derived columns."""

BLOCK_ROWS = 8192
"""Rows whose derived columns are made at a time where only their scores are wanted."""


class Basis(Protocol):
    """What makes derived columns, and knows what a score that is linear in them does with the columns of X."""

    @property
    def n_derived(self) -> int:
        """How many derived columns there are."""

    def __call__(self, X: Any) -> Floats:
        """The derived columns, of shape (n, n_derived)."""

    def columns(self, coef: Floats) -> Bools:
        """The columns of X that scores with these weights use: of shape (n_models, p) for (n_models, n_derived)."""

    def restricted(self, coef: Floats, columns: Bools, data: Data) -> DerivedModel:
        """The model nearest to one with these weights that uses only some of the columns."""

    def probe(self, X: Floats, coef: Floats) -> Probe: ...

    def contributions(self, X: Floats, coef: Floats) -> Floats: ...

    def base(self, coef: Floats) -> float: ...


class LazyColumns:
    """Derived columns that are made when rows of them are asked for, as far as `Matrix` looks at a matrix."""

    dtype = np.dtype(np.float64)

    def __init__(self, basis: Any, X: Any, kept: Ints | None = None) -> None:
        self._basis, self._X = basis, X
        self._kept = np.arange(basis.n_derived) if kept is None else kept
        self.shape = (X.shape[0], len(self._kept))

    def __getitem__(self, index: Any) -> Any:
        """Some rows, made; or all rows of some columns, `[:, columns]`, not made yet."""
        if isinstance(index, tuple):
            return LazyColumns(self._basis, self._X, self._kept[index[1]])
        if isinstance(index, int):
            return self[index : index + 1][0]
        return self._basis(self._X[index])[:, self._kept]

    def astype(self, dtype: Any) -> Floats:
        return self[:].astype(dtype)


@dataclass(frozen=True)
class LazyMatrix:
    """From a matrix to its derived columns, made when they are asked for; can be sent to where the rows are."""

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
        return np.concatenate([self.basis.contributions(block, self.coef) for block in _blocks(X)])

    @property
    def base(self) -> float:
        return self.basis.base(self.coef)


@dataclass(frozen=True)
class DerivedModels:
    """Scores that are linear in the same derived columns."""

    basis: Any
    linear: LinearModels

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
        return replace(self, linear=self.linear.subset(index))

    def joined(self, others: Sequence[DerivedModels]) -> DerivedModels:
        return replace(self, linear=self.linear.joined([each.linear for each in others]))

    def average(self, weight: Floats) -> DerivedModel:
        return DerivedModel(self.basis, self.linear.average(weight).coef)


@dataclass(frozen=True)
class DerivedScorer:
    """Linear scores of derived columns.

    Parameters
    ----------
    basis : Basis
    linear : LinearScorer of the derived columns
    straight : LinearScorer of the columns as they are
    """

    basis: Any
    linear: LinearScorer
    straight: LinearScorer

    def derived(self, data: Any) -> Any:
        """The same rows with the derived columns."""
        if isinstance(data, PartedView):
            return data.mapped(LazyMatrix(self.basis), self.basis.n_derived)
        is_kept = data.X.shape[0] * self.basis.n_derived <= MAX_DERIVED
        return data._replace(X=self.basis(data.X) if is_kept else LazyColumns(self.basis, data.X))

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        return self.linear.ridge_unit(self.derived(data), as_it_is(spec))

    def path(self, data: Data, specs: Sequence[Spec]) -> DerivedModels:
        parts = {}
        for key, some in grouped(specs, lambda spec: (spec.loss, spec.n_outliers, spec.known_negative_share)):
            left_out = self.left_out(data, some[0])
            linear = self.linear.path(self.derived(data.without(left_out)), [as_it_is(spec) for spec in some])
            parts[key] = some, replace(linear, outliers=np.tile(left_out, (len(some), 1)))
        place = {spec: k for k, spec in enumerate(spec for some, _ in parts.values() for spec in some)}
        first, *others = [linear for _, linear in parts.values()]
        return DerivedModels(self.basis, first.joined(others).subset(np.array([place[spec] for spec in specs])))

    def left_out(self, data: Data, spec: Spec) -> Bools:
        """The labelled positives that a linear score of the columns as they are leaves out, of shape (n_pos,)."""
        if spec.n_outliers == 0:
            return np.zeros(data.rows.n_positives, dtype=bool)
        straight = Spec(
            "standard", spec.loss, 1.0, spec.n_outliers, None, known_negative_share=spec.known_negative_share
        )
        fit = self.straight.path(data, [replace(straight, l2=self.straight.ridge_unit(data, straight))])
        return fit.outliers[0]


def as_it_is(spec: Spec) -> Spec:
    """The spec of derived columns, from which outliers were left out."""
    return replace(spec, scaling=AS_IT_IS, n_outliers=0.0)


def _scores(basis: Any, X: Any, coef: Floats) -> Floats:
    """basis(X) @ coef, with all rows rounded alike, whichever block they are in."""
    return without_last_digits(np.concatenate([basis(block) @ coef for block in _blocks(X)]))


def _blocks(X: Any) -> Any:
    """Rows a few at a time: derived columns are many, and need not all be there at once."""
    rows = by_rows(X)
    return (rows[start : start + BLOCK_ROWS] for start in range(0, max(X.shape[0], 1), BLOCK_ROWS))
