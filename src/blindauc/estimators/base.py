"""The fit of PU classifiers: validate, screen for leverage, solve, calibrate."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from blindauc._typing import Bools, Floats
from blindauc.choice.belief import likeliest_ridge
from blindauc.data import Data
from blindauc.estimate import TOO_FEW
from blindauc.estimators.door import opened, read_rows
from blindauc.estimators.explaining import reference_rows
from blindauc.estimators.inputs import check_number, check_share, check_whole
from blindauc.estimators.meaning import meaning_of
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.estimators.reading import ScreenedRows
from blindauc.estimators.shapes import check_shapes
from blindauc.estimators.threshold import threshold_of_share
from blindauc.evidence.out_of_fold import out_of_fold_of
from blindauc.objectives import Objective
from blindauc.scorers import LinearModel, LinearScorer, Model
from blindauc.scorers.boosting import LEAF_RIDGE
from blindauc.scorers.derived import DerivedModel, DerivedScorer, of_derived
from blindauc.scorers.linear import outlier_set
from blindauc.scorers.mixed import MixedScorer
from blindauc.scorers.spec import Spec
from blindauc.scorers.trees import TreeScorer
from blindauc.solvers import Progress, Solution, exchange, path, psg
from blindauc.sparsity import SparsitySet
from blindauc.threads import blas_threads_for
from blindauc.trust.ranks import has_evidence


@parameters()
class PUClassifier(PUParameters):
    """Base class of the classifiers with fixed hyper-parameters."""

    n_features_to_select: Any = field(default=None, kw_only=False)
    n_outliers: int | float = field(default=0, kw_only=False)
    shape: str = "linear"
    gamma: float = 0.3
    n_leaves: int = 8
    n_rounds: int = 50
    l2: float | str = "auto"
    scaling: str = "standard"
    loss: Any = "logistic"
    known_negative_share: float | str = "auto"
    calibrate: bool = True
    solver: str = "exchange"
    max_swaps: int = 50
    callback: Any = None

    def _fit_to(self, X: Any, y: Any, sample_weight: Any, **known: Any) -> None:
        with opened(self, X, y, sample_weight) as parts:
            rows = read_rows(self, parts, X, y, sample_weight, **known)
            check_shapes([self.shape], self, rows)
            self._fit(rows)

    def _fit(self, rows: ScreenedRows) -> None:
        data = rows.data
        scorer = self._scorer(data, [self.shape], [self.gamma])
        with blas_threads_for(data.rows):
            spec = self._spec(scorer, rows, rows.n_left(self.n_outliers))
            spec = self._sparing_confirmed(scorer, data, spec)
            fit = self._fitted(scorer, rows.fitted, spec)
        self.model_, self.support_ = fit.model, fit.support
        self.spread_ = rows.spread
        self._store_outliers(rows, fit.outliers, fit.shift)
        self.l2_, self.objective_, self.n_iter_ = spec.l2, fit.value, fit.n_iter
        scores = data.scored_by(self.model_)
        reference = reference_rows(rows.explained_by)
        self._store_usual(reference)
        if not self.calibrate:
            self._place_threshold_by_share(rows, scores)
            return
        ranks, folds = out_of_fold_of(scorer, data, spec)
        meaning = meaning_of(
            data, scores, ranks, self.prior, self.sampling, rows.labelled_share, self.outliers_
        ).with_leverage(rows.leverage_rows)
        self._store_meaning(meaning, data, scores, self.threshold)
        if not has_evidence(self.calibration_):
            warnings.warn(f"AUC, prior and probabilities of this fit {TOO_FEW}.", UserWarning, stacklevel=4)
        self._store_explanation(reference, data, folds)

    def _spec(self, scorer: MixedScorer, rows: ScreenedRows, n_outliers: int) -> Spec:
        """The parameters as a Spec, the form in which a search holds its candidates."""
        counts = self.n_features_to_select
        of_shape: dict[str, dict[str, Any]] = {
            "kernel": {"gamma": self.gamma},
            "trees": {"n_leaves": self.n_leaves, "n_rounds": self.n_rounds},
        }
        spec = Spec(
            self.scaling,
            self.loss,
            1.0,
            n_outliers / max(rows.data.n_unconfirmed, 1),
            tuple(counts) if np.ndim(counts) else counts,
            self.shape,
            **of_shape.get(self.shape, {}),
            known_negative_share=self._known_negative_share(rows.data),
        )
        if self.l2 != "auto":
            return replace(spec, l2=float(self.l2))
        is_trees = self.shape == "trees"
        return replace(spec, l2=LEAF_RIDGE if is_trees else likeliest_ridge(scorer, rows.fitted, spec))

    def _known_negative_share(self, data: Data) -> float | None:
        if self.known_negative_share == "auto" or not data.is_known_negative.any():
            return None
        return float(self.known_negative_share)

    def _sparing_confirmed(self, scorer: MixedScorer, data: Data, spec: Spec) -> Spec:
        """The settings with fewer outliers: confirmed labels count towards `n_outliers`, but are not left out.

        Otherwise a fit would leave out another label in place of each confirmed one, often one without suspicion.
        """
        n_left = round(spec.n_outliers * data.n_unconfirmed)
        if n_left == 0 or data.is_unconfirmed.all():
            return spec
        as_if = self._fitted(scorer, data.unconfirmed(), replace(spec, n_outliers=n_left / len(data.is_unconfirmed)))
        return replace(spec, n_outliers=int((as_if.outliers & data.is_unconfirmed).sum()) / data.n_unconfirmed)

    def _fitted(self, scorer: MixedScorer, data: Any, spec: Spec) -> _Fit:
        of_shape: Any = scorer.of_family[spec.family]
        if self.shape == "linear":
            return self._straight(of_shape, data, spec)
        return self._grown(of_shape, data, spec) if self.shape == "trees" else self._bent(of_shape, data, spec)

    def _straight(self, scorer: LinearScorer, data: Any, spec: Spec) -> _Fit:
        """Fit a linear score with the chosen solver."""
        end, p = self._solution(scorer, data, spec), data.rows.n_features
        return _Fit(LinearModel(end.coef[:p]), end.support[:p], end.outliers, end.shift, end.value, end.n_iter)

    def _bent(self, scorer: DerivedScorer, data: Any, spec: Spec) -> _Fit:
        """Fit a score that is linear in derived columns with the chosen solver."""
        left_out = scorer.left_out(data, spec)
        derived = scorer.derived(data.without(left_out))
        end, n_derived = self._solution(scorer.linear, derived, of_derived(spec)), derived.rows.n_features
        model, allowed = (
            DerivedModel(scorer.basis, each[:n_derived]) for each in (end.coef, end.support.astype(np.float64))
        )
        return _Fit(model, allowed.columns, left_out, np.where(left_out, np.inf, 0.0), end.value, end.n_iter)

    def _solution(self, linear: LinearScorer, data: Any, spec: Spec) -> Solution:
        objective = linear.objective(data, spec.scaling, spec.loss, spec.known_negative_share).with_ridge(spec.l2)
        outliers = outlier_set(data, spec.n_outliers)
        check_shifts_work(linear, spec.loss, outliers.n_units)
        features = linear.features(spec.n_features_to_select)
        solution = self._solve(objective, features, outliers)
        self._warn_if_unfinished(solution)
        return solution

    def _grown(self, scorer: TreeScorer, rows: Any, spec: Spec) -> _Fit:
        """Fit trees by gradient boosting."""
        data = scorer.in_memory(rows)
        models = scorer.path(data, [spec])
        model, (outliers,) = models.average(np.ones(1)), models.outliers
        scores = data.scored_by(model)
        weighed = data.weighing(spec.known_negative_share)
        weight = weighed.weight.copy()
        weight[np.flatnonzero(data.is_positive)[outliers]] = 0.0
        pos, unl = data.is_positive, ~data.is_positive
        value = (
            scorer.risk(spec.loss)
            .with_known_negatives(weighed.known_negative_share)(
                scores[pos], scores[unl], weight[pos] / weight[pos].sum(), weight[unl] / weight[unl].sum()
            )
            .value
        )
        return _Fit(model, model.columns, outliers, np.where(outliers, np.inf, 0.0), value, int(self.n_rounds))

    def _check_params(self) -> None:
        super()._check_params()
        if self.l2 != "auto":
            check_number("l2", self.l2, at_least=0)
        check_number("max_swaps", self.max_swaps, at_least=0)
        check_number("gamma", self.gamma, above=0)
        if self.known_negative_share != "auto":
            check_share("known_negative_share", self.known_negative_share)
        check_whole("n_leaves", self.n_leaves, at_least=2)
        check_whole("n_rounds", self.n_rounds, at_least=1)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be callable or None, not {self.callback!r}.")

    def _solve(self, objective: Objective, features: Any, outliers: SparsitySet) -> Solution:
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": int(self.max_iter), "callback": self._reporter()}
        if self.solver == "exchange":
            return exchange(objective, features, outliers, max_swaps=int(self.max_swaps), **limits)
        if self.solver == "path":
            return path(objective, features, outliers, **limits)
        if self.solver == "psg":
            rng = check_random_state(self.random_state)
            return psg(objective, features, outliers, random_state=rng, **limits)
        raise ValueError(f'Unknown solver {self.solver!r}: choose "exchange", "path" or "psg".')

    def _reporter(self) -> Callable[[Progress], None]:
        def report(progress: Progress) -> None:
            if self.verbose:
                print(f"[{type(self).__name__}] {progress}", flush=True)
            if self.callback is not None:
                self.callback(progress)

        return report

    def _warn_if_unfinished(self, solution: Solution) -> None:
        if not solution.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge: after {solution.n_iter} steps the gradient is "
                f"{solution.gradient_norm:.1e} of that at zero. Raise max_iter (now {self.max_iter}), l2 or tol "
                f"(now {self.tol:g}), or scale the columns.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _place_threshold_by_share(self, rows: ScreenedRows, scores: Floats) -> None:
        """Place the threshold without calibration.

        With a prior, it predicts that share of the unlabelled rows positive; otherwise as many rows as are labelled.
        """
        if self.prior is None:
            self.intercept_ = -threshold_of_share(scores, rows.standing_for, rows.labelled_share)
        else:
            unlabelled = rows.data.is_unlabelled
            self.intercept_ = -threshold_of_share(scores[unlabelled], rows.data.weight[unlabelled], self.prior)


class _Fit(NamedTuple):
    """The result of a fit."""

    model: Model
    support: Bools
    outliers: Bools
    shift: Floats
    value: float
    n_iter: int


def check_shifts_work(linear: LinearScorer, loss: Any, n_outliers: int) -> None:
    """Raise an error if outliers are to be shifted, but the risk does not depend on shifts."""
    if n_outliers and not (linear.trim or linear.risk(loss).shifts_work):
        raise ValueError(
            "With this risk a shift does not reduce an outlier's influence on the weights: choose "
            'outlier_handling="trim", or another risk.'
        )
