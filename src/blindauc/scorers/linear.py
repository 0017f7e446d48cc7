"""Linear scores: one objective for each scaling and loss, fitted down the ridges and from all columns to few.

Fits are rough (`solvers.path`) and start from their neighbours': with all columns from the fit of the next stronger
ridge, with fewer columns from the fit of the next larger number. Every number of outliers has a path of its own, which
starts from a robust direction, so that it stays on the side where it started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from blindauc.solvers.path import rough_fitter
from blindauc.sparsity import L0, L0Among, SparsitySet
from blindauc.threads import blas_threads_for

DECADE = 10.0
"""A fit starts from that of a ridge at most this much stronger: from further off, a rough fit may end anywhere."""


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
    """A weighted sum of columns: a change of one adds what it changes by, times its weight."""

    def __init__(self, X: Floats, coef: Floats) -> None:
        self._X, self._coef = X, coef
        self.scores: Floats = X @ coef

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        return self.scores + (values - self._X[:, columns]) @ self._coef[columns]


@dataclass(frozen=True)
class LinearModels:
    """Linear scores, one for each row of `coef`.

    Parameters
    ----------
    coef : sparse array of shape (n_models, p)
    outliers : mask of shape (n_models, n_pos)
    """

    coef: Any
    outliers: Bools

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
        """The averaged score, which is linear, too."""
        return LinearModel(self.coef.T @ weight)


@dataclass(frozen=True)
class LinearScorer:
    """Linear scores that minimise a risk with ridges.

    Parameters
    ----------
    risk : the risk of a loss
    features : the allowed supports of an `n_features_to_select`
    shift_l2 : float
    trim : whether outliers are taken out of the mean instead of shifted
    """

    risk: Callable[[Any], Risk]
    features: Callable[[Any], SparsitySet]
    shift_l2: float
    trim: bool

    def objective(self, data: Any, scaling: str, loss: Any, known_negative_share: float | None = None) -> Objective:
        """The objective of some rows, with a ridge of one on the scaled columns."""
        weighed = data.weighing(known_negative_share)
        risk = self.risk(loss).with_known_negatives(weighed.known_negative_share)
        ridge = data.rows.scales(scaling) ** 2
        return Objective(risk, weighed.rows, l2=ridge, shift_l2=self.shift_l2, trim=self.trim)

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        """The ridge that weighs as much as the curvature of the loss on the scaled columns."""
        return self.objective(data, spec.scaling, spec.loss).ridge_unit

    def path(self, data: Data, specs: Sequence[Spec]) -> LinearModels:
        """Fit every spec to the rows, each from its neighbour's fit."""
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
        """A fit of each spec; of many rows, the path is that of a sample, and all rows see where it ends."""
        if objective.sample is None:
            yield from self._down_the_ridges(objective, outliers, specs)
            return
        for spec, fit in self._fits(objective.sample, outliers, specs):
            yield spec, refined(rough_fitter(objective.with_ridge(spec.l2)), outliers, fit)

    def _down_the_ridges(
        self, objective: Objective, outliers: SparsitySet, specs: Iterable[Spec]
    ) -> Iterator[tuple[Spec, Fit]]:
        everything = self.features(None)
        # Without outliers the first fit has one minimum, and starts from nothing where the ridge is strong.
        start, ridge = np.zeros(objective.n_columns), DECADE * objective.ridge_unit
        if objective.is_convex and not outliers.is_nothing:
            start, ridge = robust_start(objective, outliers), objective.ridge_unit
        for l2, some in sorted(grouped(specs, lambda spec: spec.l2), reverse=True, key=lambda pair: pair[0]):
            at = objective.with_ridge(l2)
            if not objective.is_convex:
                start = robust_start(at, outliers)
            for between in _ridges_between(ridge, l2) if objective.is_convex else ():
                (fit,) = feature_path(objective.with_ridge(between), [everything], outliers, start)
                start = fit.coef
            by_size = sorted(some, key=_n_selected, reverse=True)
            wanted = [self.features(spec.n_features_to_select) for spec in by_size]
            ladder, places = tightened(wanted[0].loosened(np.inf), wanted)
            fits = list(feature_path(at, ladder, outliers, start))
            yield from zip(by_size, (fits[place] for place in places), strict=True)
            start, ridge = fits[0].coef, l2


def grouped(specs: Iterable[Spec], key: Callable[[Spec], Any]) -> list[tuple[Any, list[Spec]]]:
    """Specs by a key, keys in the order in which they come first."""
    groups: dict[Any, list[Spec]] = {}
    for spec in specs:
        groups.setdefault(key(spec), []).append(spec)
    return list(groups.items())


def _n_selected(spec: Spec) -> float:
    count = spec.n_features_to_select
    return np.inf if count is None else float(np.sum(count))


def outlier_set(data: Any, share: float) -> SparsitySet:
    """The sets of positives that may be outliers: up to a share of those that nobody has checked."""
    doubtable = data.is_doubtable
    n_pos, n_doubtable = len(doubtable), int(doubtable.sum())
    n_most = min(round(share * n_doubtable), n_pos - 1)
    return L0(n_pos, n_most) if n_doubtable == n_pos else L0Among(doubtable, n_most)


def _ridges_between(first: float, last: float) -> Floats:
    """Ridges from one down to another, both left out, a decade apart at most; to none at all, nine decades."""
    last = last or first * DECADE**-9
    n_steps = int(np.ceil(round(np.log(first / last) / np.log(DECADE), 6)))
    return np.geomspace(first, last, n_steps + 1)[1:-1] if n_steps > 1 else np.zeros(0)


class UnitFit(NamedTuple):
    """Weights, as a sparse row, with which the unlabelled scores have a standard deviation of one, and the outliers."""

    coef: Any
    outliers: Bools


class _Unit:
    """Brings fits to unlabelled scores with a standard deviation of one."""

    def __init__(self, data: Any) -> None:
        self._rows = data.rows

    def __call__(self, fit: Fit) -> UnitFit:
        coef = fit.coef[: self._rows.n_features]
        return UnitFit(sp.csr_array((coef / self._rows.unl_spread(coef))[None]), fit.outliers)
