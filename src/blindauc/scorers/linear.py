"""Linear models, fitted along a path: from strong to weak ridges, and from all columns to few.

There is one objective for each scaling, loss and weight of known negatives. Fits are approximate (`solvers.path`) and
warm-started: a fit with all columns from the fit with the next stronger ridge, a fit with fewer columns from the fit
with the next larger number of columns. Each share of outliers has its own path. With outliers the objective has several
local minima, and the path starts from a robust direction so that it ends in a good one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.objectives import Objective
from blindauc.risks import Risk
from blindauc.rows.matrix import clean_scores
from blindauc.rows.storage import weighted
from blindauc.scorers.projection import Projection
from blindauc.scorers.spec import Spec
from blindauc.solvers import feature_path, robust_start, tightened
from blindauc.solvers.fits import Fit
from blindauc.solvers.levels import refined
from blindauc.solvers.path import ROUGH, rough_fitter
from blindauc.sparsity import L0, L0Among, SparsitySet
from blindauc.threads import blas_threads_for

DECADE = 10.0
"""A fit is warm-started from a ridge at most this many times as strong (convention): from a more distant start, an
approximate fit may end far from the minimum."""

DIRECT = 1e-3
"""The weakest ridge, in ridge units, that is fitted directly instead of through ridges a decade apart.

Only convex objectives without outliers are fitted directly. They have one minimum, and a direct fit takes half the
time. Its tolerance is the ridge over the ridge unit, because directions in which the curvature of the data is as weak
as the ridge must converge, too. Over six designs of 40 to 400 columns with a ridge of 0.004 units, out-of-fold ranks
differed on average by 0.012 from those of exact fits (by 0.017 with ridges a decade apart). For weaker ridges,
intermediate ridges are safer.
"""


@dataclass(frozen=True)
class LinearModel:
    """The score X @ coef."""

    coef: Floats

    def scores(self, X: Any) -> Floats:
        return clean_scores(X, self.coef)

    @property
    def columns(self) -> Bools:
        return self.coef != 0

    def blended(self, others: Sequence[LinearModel], share: Floats) -> LinearModel:
        return LinearModel(share @ np.array([self.coef, *(each.coef for each in others)]))

    def restricted(self, columns: Bools, data: Data) -> LinearModel:
        return self if columns[self.columns].all() else LinearModel(Projection(data)(self.coef, columns))

    def probe(self, X: Floats) -> LinearProbe:
        return LinearProbe(X, self.coef)

    def contributions(self, X: Any) -> Floats:
        return weighted(X, self.coef)

    @property
    def base(self) -> float:
        return 0.0


class LinearProbe:
    """Scores of fixed rows by a linear model. A changed value adds its difference times the column's coefficient."""

    def __init__(self, X: Floats, coef: Floats) -> None:
        self._X, self._coef = X, coef
        self.scores: Floats = X @ coef

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        return self.scores + (values - self._X[:, columns]) @ self._coef[columns]

    def interaction(self, j: int, k: int, values: Floats) -> Floats:
        return np.zeros_like(self.scores)


@dataclass(frozen=True)
class LinearModels:
    """Linear models, one for each row of `coef`.

    Parameters
    ----------
    coef : sparse array of shape (n_models, p)
    outliers : mask of shape (n_models, n_pos)
    """

    coef: Any
    outliers: Bools
    screening: ClassVar[None] = None

    def __len__(self) -> int:
        return int(self.coef.shape[0])

    def scores(self, X: Any) -> Floats:
        return clean_scores(X, self.coef.T.toarray())

    @property
    def columns(self) -> Bools:
        return (self.coef != 0).toarray()

    def inclusion(self, weight: Floats) -> Floats:
        return (self.coef != 0).astype(np.float64).T @ weight

    def subset(self, index: Ints) -> LinearModels:
        return LinearModels(self.coef[index], self.outliers[index])

    def joined(self, others: Sequence[LinearModels]) -> LinearModels:
        every = [self, *others]
        return LinearModels(
            sp.vstack([each.coef for each in every], format="csr"), np.vstack([e.outliers for e in every])
        )

    def average(self, weight: Floats) -> LinearModel:
        """The averaged model, which is linear as well."""
        return LinearModel(self.coef.T @ weight)


@dataclass(frozen=True)
class LinearScorer:
    """Linear models that minimise a risk with a ridge penalty.

    Parameters
    ----------
    risk : callable that returns the risk of a loss
    features : callable that returns the set of allowed supports for a value of `n_features_to_select`
    shift_l2 : float, the ridge on the shifts of outliers
    trim : bool, whether outliers are trimmed from the risk instead of shifted
    """

    risk: Callable[[Any], Risk]
    features: Callable[[Any], SparsitySet]
    shift_l2: float
    trim: bool

    def objective(self, data: Any, scaling: str, loss: Any, known_negative_share: float | None = None) -> Objective:
        """The objective of these rows, with a ridge of 1 on the scaled columns."""
        weighed = data.weighing(known_negative_share)
        risk = self.risk(loss).with_known_negatives(weighed.known_negative_share)
        # X is not scaled: a ridge on scaled columns equals a ridge of scale^2 on the coefficients of unscaled ones.
        # The scales are computed without labels that were found wrong, which may lie far from all other rows.
        ridge = data.weighing(None).rows.scales(scaling) ** 2
        return Objective(risk, weighed.rows, l2=ridge, shift_l2=self.shift_l2, trim=self.trim)

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        """The ridge whose curvature equals that of the loss on the scaled columns."""
        return self.objective(data, spec.scaling, spec.loss).ridge_unit

    def n_coefficients(self, data: Data, spec: Spec) -> int:
        return data.n_features

    def path(self, data: Data, specs: Sequence[Spec]) -> LinearModels:
        """Fit every spec to the rows, each warm-started from the fit of its neighbour."""
        fits: dict[Spec, UnitFit] = {}
        unit = _Unit(data)
        with blas_threads_for(data.rows):
            for kind, of_kind in grouped(specs, lambda spec: (spec.scaling, spec.loss, spec.known_negative_share)):
                objective = self.objective(data, *kind)
                for share, some in grouped(of_kind, lambda spec: spec.n_outliers):
                    path = self._fits(objective, outlier_set(data, share), some)
                    fits.update((spec, unit(fit)) for spec, fit in path)
        coef, outliers = zip(*(fits[spec] for spec in specs), strict=True)
        return LinearModels(sp.vstack(coef, format="csr"), np.array(outliers))

    def _fits(self, objective: Objective, outliers: SparsitySet, specs: Iterable[Spec]) -> Iterator[tuple[Spec, Fit]]:
        """A fit of each spec. If there are many rows, the path is that of a sample, refined on all rows."""
        if objective.sample is None:
            yield from self._from_strong_to_weak(objective, outliers, specs)
            return
        for spec, fit in self._fits(objective.sample, outliers, specs):
            yield spec, refined(rough_fitter(objective.with_ridge(spec.l2)), outliers, fit)

    def _from_strong_to_weak(
        self, objective: Objective, outliers: SparsitySet, specs: Iterable[Spec]
    ) -> Iterator[tuple[Spec, Fit]]:
        """A fit of each spec, from the strongest ridge to the weakest."""
        all_columns = self.features(None)
        # A convex objective without outliers has one minimum: start at zero, the solution for a strong ridge.
        start, ridge = np.zeros(objective.n_columns), DECADE * objective.ridge_unit
        if objective.is_convex and not outliers.is_nothing:
            start, ridge = robust_start(objective, outliers), objective.ridge_unit
        for l2, some in sorted(grouped(specs, lambda spec: spec.l2), reverse=True, key=lambda pair: pair[0]):
            at = objective.with_ridge(l2)
            if not objective.is_convex:  # the fit of another ridge may be a poor start
                start = robust_start(at, outliers)
            between, tol = _ridges_between(ridge, l2) if objective.is_convex else np.zeros(0), ROUGH
            if len(between) and outliers.is_nothing and l2 >= DIRECT * objective.ridge_unit:
                between, tol = between[:0], min(ROUGH, l2 / objective.ridge_unit)
            for stronger in between:
                (fit,) = feature_path(objective.with_ridge(stronger), [all_columns], outliers, start)
                start = fit.coef
            # One sequence of shrinking feature sets passes through all wanted numbers of columns.
            by_size = sorted(some, key=_n_selected, reverse=True)
            wanted = [self.features(spec.n_features_to_select) for spec in by_size]
            ladder, places = tightened(wanted[0].loosened(np.inf), wanted)
            fits = list(feature_path(at, ladder, outliers, start, tol=tol))
            yield from zip(by_size, (fits[place] for place in places), strict=True)
            start, ridge = fits[0].coef, l2


def grouped(specs: Iterable[Spec], key: Callable[[Spec], Any]) -> list[tuple[Any, list[Spec]]]:
    """Specs grouped by a key, in the order in which the keys first occur."""
    groups: dict[Any, list[Spec]] = {}
    for spec in specs:
        groups.setdefault(key(spec), []).append(spec)
    return list(groups.items())


def _n_selected(spec: Spec) -> float:
    count = spec.n_features_to_select
    return np.inf if count is None else float(np.sum(count))


def outlier_set(data: Any, share: float) -> SparsitySet:
    """The allowed sets of outliers: up to a share of the positives that are not confirmed."""
    unconfirmed = data.is_unconfirmed
    n_pos, n_unconfirmed = len(unconfirmed), int(unconfirmed.sum())
    max_outliers = min(round(share * n_unconfirmed), n_pos - 1)
    return L0(n_pos, max_outliers) if n_unconfirmed == n_pos else L0Among(unconfirmed, max_outliers)


def _ridges_between(first: float, last: float) -> Floats:
    """Ridges between two others, at most a decade apart.

    They span nine decades if the last ridge is zero, and at most 16 decades otherwise: rounding errors hide the effect
    of weaker ridges.
    """
    last = max(last, first * DECADE**-16) if last else first * DECADE**-9
    n_steps = int(np.ceil(round(np.log(first / last) / np.log(DECADE), 6)))
    return np.geomspace(first, last, n_steps + 1)[1:-1] if n_steps > 1 else np.zeros(0)


class UnitFit(NamedTuple):
    """Coefficients, as a sparse row, scaled to unlabelled scores with a standard deviation of 1, and the outliers."""

    coef: Any
    outliers: Bools


class _Unit:
    """Scales fits to unlabelled scores with a standard deviation of 1, so that models can be averaged."""

    def __init__(self, data: Any) -> None:
        self._rows = data.weighing(None).rows

    def __call__(self, fit: Fit) -> UnitFit:
        coef = fit.coef[: self._rows.n_features]
        return UnitFit(sp.csr_array((coef / self._rows.unl_spread(coef))[None]), fit.outliers)
