"""What the linear PU classifiers share: from X and y to a solved problem, and from there to predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from blindauc._typing import Bools, Floats
from blindauc.estimators.inputs import (
    check_number,
    check_prior,
    read_matrix,
    read_outlier_count,
    read_sparsity,
)
from blindauc.estimators.labels import read_labels
from blindauc.estimators.threshold import threshold_of_share
from blindauc.objectives import Objective
from blindauc.screening import leverage_screen
from blindauc.solvers import Progress, Solution, exchange, psg
from blindauc.sparsity import L0, SparsitySet


class Data(NamedTuple):
    """Validated training data."""

    X: Any
    is_positive: Bools
    weight: Floats
    classes: Any

    @property
    def positives(self) -> Any:
        return self.X[np.flatnonzero(self.is_positive)]


class PULinearClassifier(ClassifierMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear score fitted to positive and unlabelled data."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled positives and unlabelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
            1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row. Of any
            two values the larger is the positive one.
        sample_weight : array-like of shape (n,), optional
            A pair weighs the product of its two weights.

        Returns
        -------
        self
        """
        with self._all_or_nothing():
            data = self._read(X, y, sample_weight)
            features, n_outliers = self._read_choices(data)
            screened = self._screened(data, n_outliers)
            objective = self._objective(_without(data, screened))
            self._check_shifts_work(objective, n_outliers)
            outliers = L0(objective.n_positives, n_outliers - int(screened.sum()))
            solution = self._solve(objective, features, outliers)
            self._warn_if_unfinished(solution)
            self._store(data, solution, screened)
        return self

    # What the two estimators differ in.

    def _objective(self, data: Data) -> Objective:
        raise NotImplementedError

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails or is interrupted leaves the estimator as it was."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Data:
        check_number("l2", self.l2, at_least=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1)
        check_number("max_swaps", self.max_swaps, at_least=0)
        check_prior(self.prior)
        if self.outlier_handling not in ("shift", "trim"):
            raise ValueError(f'outlier_handling must be "shift" or "trim", not {self.outlier_handling!r}.')
        if self.outlier_handling == "shift":
            hint = "" if self.shift_l2 else ' (shift_l2=0 would be trimming: choose outlier_handling="trim")'
            check_number("shift_l2" + hint, self.shift_l2, above=0)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: y marks the "
                "labelled positives."
            )
        X = read_matrix(self, X, reset=True)
        is_positive, classes = read_labels(y, self.pos_label)
        if len(is_positive) != X.shape[0]:
            raise ValueError(f"X and y must have as many rows as each other: X has {X.shape[0]}, y {len(is_positive)}.")
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        _check_enough(is_positive & (weight > 0), ~is_positive & (weight > 0))
        return Data(X, is_positive, weight, classes)

    def _read_choices(self, data: Data) -> tuple[SparsitySet, int]:
        names = getattr(self, "feature_names_in_", None)
        features = read_sparsity(self.sparsity, self.groups, self.n_features_to_select, data.X.shape[1], names)
        n_pos = int(np.count_nonzero(data.is_positive & (data.weight > 0)))
        return features, read_outlier_count(self.n_outliers, n_pos)

    def _screened(self, data: Data, n_outliers: int) -> Bools:
        """The positives with leverage, as far as `n_outliers` allows."""
        usable = data.weight[data.is_positive] > 0
        if not self.leverage_screen or n_outliers == 0:
            return np.zeros(len(usable), dtype=bool)
        screened = np.zeros(len(usable), dtype=bool)
        screened[usable] = leverage_screen(data.positives[np.flatnonzero(usable)], n_outliers)
        return screened

    def _check_shifts_work(self, objective: Objective, n_outliers: int) -> None:
        if n_outliers and not (objective.trim or objective.risk.shifts_work):
            raise ValueError(
                "With this risk a shift cannot take back an outlier's pull on the weights: choose "
                'outlier_handling="trim", or another risk.'
            )

    def _solve(self, objective: Objective, features: SparsitySet, outliers: SparsitySet) -> Solution:
        if objective.risk.has_intercept:
            features = features.with_free_column()
        limits = {"tol": self.tol, "max_iter": int(self.max_iter), "callback": self._reporter()}
        if self.solver == "exchange":
            return exchange(objective, features, outliers, max_swaps=int(self.max_swaps), **limits)
        if self.solver == "psg":
            rng = check_random_state(self.random_state)
            return psg(objective, features, outliers, random_state=rng, **limits)
        raise ValueError(f'Unknown solver {self.solver!r}: choose "exchange" or "psg".')

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
                f"{type(self).__name__} stopped at max_iter={self.max_iter} with a relative gradient norm of "
                f"{solution.gradient_norm:.1e} (tol={self.tol:.1e}): raise max_iter, l2 or tol, or scale the "
                "columns.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _store(self, data: Data, solution: Solution, screened: Bools) -> None:
        p = data.X.shape[1]
        self.classes_ = data.classes
        self.coef_ = solution.coef[:p]
        self.support_ = solution.support[:p]
        self.shift_ = np.where(screened, np.inf, solution.shift)
        self.outliers_ = np.flatnonzero(data.is_positive)[solution.outliers | screened]
        self.objective_ = solution.value
        self.n_iter_ = solution.n_iter
        self.intercept_ = 0.0
        self.intercept_ = -self._threshold(data)

    def _threshold(self, data: Data) -> float:
        """The score above which rows are predicted positive."""
        scores = self._linear_scores(data.X)
        if self.prior is None:
            share = data.weight[data.is_positive].sum() / data.weight.sum()
            return threshold_of_share(scores, data.weight, share)
        unlabelled = ~data.is_positive
        return threshold_of_share(scores[unlabelled], data.weight[unlabelled], self.prior)

    def _linear_scores(self, X: Any) -> Floats:
        return np.asarray(X @ self.coef_, dtype=np.float64) + self.intercept_

    def decision_function(self, X: Any) -> Floats:
        """The ranking: higher is more likely positive, above zero is predicted positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return self._linear_scores(read_matrix(self, X, reset=False))

    def predict(self, X: Any) -> Any:
        """The class of each row, by a threshold that `prior` places (see the class).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp)]

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _check_enough(positives: Bools, unlabelled: Bools) -> None:
    n_pos, n_unl = int(positives.sum()), int(unlabelled.sum())
    if n_pos < 2:
        raise ValueError(
            f"At least two labelled positives (the positive class) with positive weight are needed, {n_pos} "
            "came: label more rows."
        )
    if n_unl < 1:
        raise ValueError(
            f"All {n_pos} rows are of the positive class: unlabelled rows (label 0, -1, False or missing) are "
            "needed to rank against."
        )


def _without(data: Data, screened: Bools) -> Data:
    """The data with the screened positives at weight zero."""
    if not screened.any():
        return data
    weight = data.weight.copy()
    weight[np.flatnonzero(data.is_positive)[screened]] = 0.0
    return data._replace(weight=weight)
