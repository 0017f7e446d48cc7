"""How the linear PU classifiers are fitted: validate, set leverage apart, solve, learn what the scores mean."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from blindauc._typing import Floats
from blindauc.choice.belief import likeliest_ridge
from blindauc.data import Data
from blindauc.design import clean_scores
from blindauc.estimators.inputs import check_number
from blindauc.estimators.meaning import meaning_of
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.estimators.reading import Sifted, all_or_nothing, read_data, sifted
from blindauc.estimators.threshold import threshold_of_share
from blindauc.evidence.out_of_fold import out_of_fold_of
from blindauc.objectives import Objective
from blindauc.scorers import LinearScorer
from blindauc.scorers.spec import Spec
from blindauc.solvers import Progress, Solution, exchange, path, psg
from blindauc.sparsity import L0
from blindauc.threads import blas_threads_for


@parameters()
class PULinearClassifier(PUParameters):
    """A linear score fitted to positive and unlabelled data."""

    n_features_to_select: Any = field(default=None, kw_only=False)
    n_outliers: int | float = field(default=0, kw_only=False)
    l2: float | str = "auto"
    scaling: str = "standard"
    loss: Any = "logistic"
    calibrate: bool = True
    solver: str = "exchange"
    max_swaps: int = 50
    callback: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None) -> Self:
        """Fit to labelled positives and unlabelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
            1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row. Of any
            two values the larger is the positive one.
        sample_weight : array-like of shape (n,), optional
            A pair weighs the product of its two weights. To the calibration, whole numbers are counts of rows and
            others only proportions.
        groups : array-like of shape (n,), optional
            Whom each row belongs to, such as a patient. To the calibration rows of one group are held out together;
            the weights do not depend on it.
        time : array-like of shape (n,), optional
            When each row was, as numbers or dates. The calibration judges rows by fits to earlier ones; the weights
            do not depend on it.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_params()
            data = read_data(self, X, y, sample_weight, groups=groups, time=time)
            self._fit(sifted(data, self.leverage_screen))
        return self

    def _fit(self, rows: Sifted) -> None:
        data = rows.data
        scorer = self._scorer(data)
        objective = scorer.objective(data, self.scaling, self.loss)
        spec = self._spec(objective, rows.n_left(self.n_outliers))
        with blas_threads_for(data.X):
            solution = self._solved(objective.with_ridge(spec.l2), scorer, spec)
        n_columns = data.X.shape[1]
        self.coef_, self.support_ = solution.coef[:n_columns], solution.support[:n_columns]
        self.spread_ = objective.column_spread[:n_columns]
        self._store_outliers(rows, solution.outliers, solution.shift)
        self.l2_, self.objective_, self.n_iter_ = spec.l2, solution.value, solution.n_iter
        scores = clean_scores(data.X, self.coef_)
        if not self.calibrate:
            self._place_threshold_by_share(data, scores)
            return
        known = out_of_fold_of(scorer, data, spec)
        meaning = meaning_of(data, scores, known, self.prior, self.sampling, data.labelled_share).with_leverage(
            rows.leverage_rows
        )
        self._store_meaning(meaning, data, scores, self.threshold)

    def _spec(self, objective: Objective, n_outliers: int) -> Spec:
        """The parameters as one candidate of a search would have them."""
        l2 = likeliest_ridge(objective.ridge_unit) if isinstance(self.l2, str) else self.l2
        share = n_outliers / objective.n_positives
        counts = self.n_features_to_select
        return Spec(self.scaling, self.loss, float(l2), share, tuple(counts) if np.ndim(counts) else counts)

    def _solved(self, objective: Objective, scorer: LinearScorer, spec: Spec) -> Solution:
        n_outliers = round(spec.n_outliers * objective.n_positives)
        check_shifts_work(objective, n_outliers)
        features = scorer.features(spec.n_features_to_select)
        solution = self._solve(objective, features, L0(objective.n_positives, n_outliers))
        self._warn_if_unfinished(solution)
        return solution

    def _check_params(self) -> None:
        super()._check_params()
        if self.l2 != "auto":
            check_number("l2", self.l2, at_least=0)
        check_number("max_swaps", self.max_swaps, at_least=0)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be callable or None, not {self.callback!r}.")

    def _solve(self, objective: Objective, features: Any, outliers: L0) -> Solution:
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

    def _place_threshold_by_share(self, data: Data, scores: Floats) -> None:
        """Without calibration: as many as are labelled, or as the prior says of the unlabelled rows."""
        if self.prior is None:
            self.intercept_ = -threshold_of_share(scores, data.weight, data.labelled_share)
        else:
            unlabelled = ~data.is_positive
            self.intercept_ = -threshold_of_share(scores[unlabelled], data.weight[unlabelled], self.prior)


def check_shifts_work(objective: Objective, n_outliers: int) -> None:
    """Raise where outliers are to be shifted and a shift would change nothing."""
    if n_outliers and not (objective.trim or objective.risk.shifts_work):
        raise ValueError(
            "With this risk a shift cannot take back an outlier's pull on the weights: choose "
            'outlier_handling="trim", or another risk.'
        )
