"""How the linear PU classifiers are fitted: from X and y to a solved problem, and to what its scores mean."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.design import Design, clean_scores, spread_of
from blindauc.estimate import Estimate
from blindauc.estimators.inputs import (
    check_choice,
    check_number,
    check_prior,
    read_matrix,
    read_outlier_count,
    read_sparsity,
)
from blindauc.estimators.linear import LinearPUModel
from blindauc.estimators.problem import EstimatorProblem
from blindauc.estimators.threshold import threshold_of_half, threshold_of_share
from blindauc.labels import read_labels
from blindauc.objectives import Objective
from blindauc.ranks import Ranked, share_below
from blindauc.scaling import column_scales
from blindauc.screening import leverage_screen
from blindauc.solvers import Progress, Solution, exchange, path, psg
from blindauc.sparsity import L0, SparsitySet
from blindauc.threads import blas_threads_for
from blindauc.trust.judgement import Judgement, among_all_rows, judge_ranks, on_scores
from blindauc.tuning.evaluation import OutOfFold, judged_by_folds
from blindauc.tuning.grid import Candidate


class PULinearClassifier(LinearPUModel):
    """A linear score fitted to positive and unlabelled data."""

    has_intercept: bool
    """Whether the risk has a constant of its own."""

    def __init__(
        self,
        n_features_to_select: Any = None,
        n_outliers: int | float = 0,
        *,
        l2: float = 1e-3,
        shift_l2: float = 1e-3,
        scaling: str = "none",
        loss: Any = "logistic",
        sparsity: str = "l0",
        groups: Any = None,
        outlier_handling: str = "shift",
        leverage_screen: bool = True,
        prior: float | None = None,
        calibrate: bool = True,
        sampling: str = "one_sample",
        threshold: str = "probability",
        pos_label: Any = None,
        solver: str = "exchange",
        max_iter: int = 500,
        tol: float = 1e-6,
        max_swaps: int = 50,
        random_state: Any = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_outliers = n_outliers
        self.l2 = l2
        self.shift_l2 = shift_l2
        self.scaling = scaling
        self.loss = loss
        self.sparsity = sparsity
        self.groups = groups
        self.outlier_handling = outlier_handling
        self.leverage_screen = leverage_screen
        self.prior = prior
        self.calibrate = calibrate
        self.sampling = sampling
        self.threshold = threshold
        self.pos_label = pos_label
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.max_swaps = max_swaps
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_params()
            self._fit(read_data(self, X, y, sample_weight))
        return self

    def _fit(self, data: Data) -> None:
        n_outliers = read_outlier_count(self.n_outliers, int(data.is_positive.sum()))
        prior = self._training_prior(data, n_outliers)
        solution, screened = self._solved(data, n_outliers, prior)
        self._store(solution, data, screened)
        scores = clean_scores(data.X, self.coef_)
        if self.calibrate:
            problem = EstimatorProblem(self, data, prior)
            known = judged_by_folds(problem, self._candidate(data, n_outliers))
            self._judge(data, scores, known, data.labelled_share)
        else:
            self._place_threshold_by_share(data, scores)

    def _solved(self, data: Data, n_outliers: int, prior: float) -> tuple[Solution, Bools]:
        """The solution without rows of leverage, and which these are."""
        names = getattr(self, "feature_names_in_", None)
        features = read_sparsity(self.sparsity, self.groups, self.n_features_to_select, data.X.shape[1], names)
        screened = self._screened(data, n_outliers)
        objective = self._objective(data.subset(~screened), prior)
        self._check_shifts_work(objective, n_outliers)
        outliers = L0(objective.n_positives, n_outliers - int(screened.sum()))
        with blas_threads_for(data.X):
            solution = self._solve(objective, features, outliers)
        self._warn_if_unfinished(solution)
        return solution, screened

    def _objective(self, data: Data, prior: float) -> Objective:
        """The problem that the estimator solves."""
        raise NotImplementedError

    def _training_prior(self, data: Data, n_outliers: int) -> float:
        """The prior in the objective, where that has one."""
        return np.nan

    def _ridges(self, data: Data) -> dict[str, Any]:
        """What the objectives of both have in common."""
        return {
            "l2": self.l2 * column_scales(data.X, data.weight, self.scaling) ** 2,
            "shift_l2": self.shift_l2,
            "trim": self.outlier_handling == "trim",
            "sample_weight": data.weight,
        }

    def _check_params(self) -> None:
        check_number("l2", self.l2, at_least=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1)
        check_number("max_swaps", self.max_swaps, at_least=0)
        check_prior(self.prior)
        check_choice("outlier_handling", self.outlier_handling, ("shift", "trim"))
        check_choice("sampling", self.sampling, ("one_sample", "two_sample"))
        check_choice("threshold", self.threshold, ("probability", "share"))
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be callable or None, not {self.callback!r}.")
        if self.outlier_handling == "shift":
            hint = "" if self.shift_l2 else ' (shift_l2=0 would be trimming: choose outlier_handling="trim")'
            check_number("shift_l2" + hint, self.shift_l2, above=0)

    def _screened(self, data: Data, n_outliers: int) -> Bools:
        """The rows of positives with leverage, as far as `n_outliers` allows."""
        screened = np.zeros(len(data.row), dtype=bool)
        if self.leverage_screen and n_outliers > 0:
            positives = data.subset(data.is_positive)
            screened[data.is_positive] = leverage_screen(positives.X, n_outliers)
        return screened

    def _check_shifts_work(self, objective: Objective, n_outliers: int) -> None:
        if n_outliers and not (objective.trim or objective.risk.shifts_work):
            raise ValueError(
                "With this risk a shift cannot take back an outlier's pull on the weights: choose "
                'outlier_handling="trim", or another risk.'
            )

    def _solve(self, objective: Objective, features: SparsitySet, outliers: SparsitySet) -> Solution:
        if self.has_intercept:
            features = features.with_free_column()
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

    def _store(self, solution: Solution, data: Data, screened: Bools) -> None:
        """Keep the solution for the rows that were not screened."""
        p = data.X.shape[1]
        self.coef_ = solution.coef[:p]
        self.support_ = solution.support[:p]
        self.spread_ = Design(data.X).spread(data.weight / data.weight.sum())
        self.objective_ = solution.value
        self.n_iter_ = solution.n_iter
        fitted_rows, screened_rows = data.row[data.is_positive & ~screened], data.row[screened]
        self.outliers_ = np.union1d(fitted_rows[solution.outliers], screened_rows)
        self.shift_ = np.zeros(len(data.labelled))
        self.shift_[np.searchsorted(data.labelled, fitted_rows)] = solution.shift
        self.shift_[np.searchsorted(data.labelled, screened_rows)] = np.inf

    def _judge(
        self, data: Data, scores: Floats, known: OutOfFold, labelled_share: float, judgement: Judgement | None = None
    ) -> None:
        """Learn what the scores mean from how rows rank by fits that have not seen them, and what was made of that."""
        unlabelled = ~data.is_positive
        unl_scores, unl_weight = scores[unlabelled], data.weight[unlabelled]
        in_sample = share_below(scores, unl_scores, unl_weight)
        judgement = judgement or judge_ranks(as_ranked(data, known.rank, in_sample), self.prior)
        # New rows score as those that a fit has not seen.
        as_if_new = unl_scores + known.lift * spread_of(unl_scores, unl_weight)
        meaning = on_scores(judgement.score_model, as_if_new, unl_weight)
        self.calibration_ = among_all_rows(meaning, labelled_share) if self.sampling == "one_sample" else meaning
        self.prior_, self.contamination_ = judgement.estimate.prior, judgement.estimate.contamination
        is_known = not np.isnan(known.rank).all()
        self.auc_ = judgement.auc if is_known else Estimate(float(judgement.auc), 0.0, 1.0)
        rank = np.where(np.isnan(known.rank), in_sample, known.rank)
        self.labelled_rows_, first = np.unique(data.row[data.is_positive], return_index=True)
        self.suspicion_ = judgement.score_model.suspicion(rank[data.is_positive][first])
        if self.threshold == "probability":
            self.intercept_ = -threshold_of_half(self.calibration_, scores)
        else:
            self.intercept_ = -threshold_of_share(unl_scores, unl_weight, float(self.prior_))

    def _place_threshold_by_share(self, data: Data, scores: Floats) -> None:
        """Without knowing what scores mean: as many as are labelled, or as the prior says of the unlabelled rows."""
        if self.prior is None:
            self.intercept_ = -threshold_of_share(scores, data.weight, data.labelled_share)
        else:
            unlabelled = ~data.is_positive
            self.intercept_ = -threshold_of_share(scores[unlabelled], data.weight[unlabelled], self.prior)

    def _candidate(self, data: Data, n_outliers: int) -> Candidate:
        share = n_outliers / int(data.is_positive.sum())
        return Candidate(self.scaling, self.loss, self.l2, share, self.n_features_to_select)


def as_ranked(data: Data, rank: Floats, in_sample: Floats) -> Ranked:
    """The ranks of the rows that were held out, or of all in the sample if none was.

    Weights that are not whole numbers are no counts, and only their proportions can be meant.
    """
    taken = ~np.isnan(rank)
    if not taken.any():
        taken, rank = np.ones(len(rank), dtype=bool), in_sample
    weight = data.weight if np.all(data.weight == np.round(data.weight)) else data.weight / data.weight.mean()
    pos, unl = taken & data.is_positive, taken & ~data.is_positive
    return Ranked(rank[pos], rank[unl], weight[pos], weight[unl])


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A fit begins from nothing, and one that fails or is interrupted leaves the estimator as it was."""
    before = estimator.__dict__.copy()
    estimator.__dict__ = {name: value for name, value in before.items() if not name.endswith("_")}
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def read_data(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Data:
    """Validated rows of positive weight; the estimator learns its classes and its columns."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: y marks the "
            "labelled positives."
        )
    X = read_matrix(estimator, X, reset=True)
    is_positive, classes = read_labels(y, estimator.pos_label)
    if len(is_positive) != X.shape[0]:
        raise ValueError(f"X and y must have as many rows as each other: X has {X.shape[0]}, y {len(is_positive)}.")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    estimator.n_labelled_, estimator.n_unlabelled_ = _enough(is_positive[weight > 0])
    estimator.classes_ = classes
    everything = Data(X, is_positive, weight, np.arange(len(weight)), np.flatnonzero(is_positive))
    return everything.subset(weight > 0)


def _enough(is_positive: Bools) -> tuple[int, int]:
    """How many rows are labelled and how many are not; an error where they are too few."""
    n_pos, n_unl = int(is_positive.sum()), int((~is_positive).sum())
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
    return n_pos, n_unl
