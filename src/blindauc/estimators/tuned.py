"""Estimators that choose scaling, ridge, features and outliers by themselves, from PU labels alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from blindauc._typing import Floats
from blindauc.data import Data
from blindauc.design import clean_scores
from blindauc.estimators.base import PULinearClassifier, all_or_nothing, as_ranked, read_data
from blindauc.estimators.blind_auc import BlindAUCClassifier
from blindauc.estimators.inputs import check_choice, check_number, check_whole, read_outlier_count
from blindauc.estimators.linear import LinearPUModel
from blindauc.estimators.problem import EstimatorProblem
from blindauc.estimators.pu_error import PUErrorClassifier
from blindauc.estimators.space import read_space
from blindauc.prior import flag
from blindauc.trust.judgement import judge_ranks
from blindauc.tuning.averaging import Average
from blindauc.tuning.baselines import compare
from blindauc.tuning.choice import RULES, best, importances
from blindauc.tuning.criterion import HeldOut
from blindauc.tuning.evaluation import OutOfFold, judged, judged_by_folds
from blindauc.tuning.folds import Split, fold_splits, splits_of
from blindauc.tuning.greedy import greedy_search
from blindauc.tuning.grid import Grid
from blindauc.tuning.growth import grown
from blindauc.tuning.progress import progress_bars
from blindauc.tuning.results import cv_results
from blindauc.tuning.search import Judge, Report, Space, Stage, ridge_stage, staged_search

ENOUGH_JUDGED = 300
"""Held-out positives, counted once for each repeat, at which more repeats of the folds bring little."""

MAX_REPEATS = 2

MIN_JUDGED = 15
"""With fewer distinct positives to judge by, what candidates differ by is noise, and none is chosen."""


class TunedPUClassifier(LinearPUModel):
    """A linear PU classifier whose choices are made by cross-validation on PU labels."""

    _estimator: type[PULinearClassifier]

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_outliers: Any = "auto",
        l2: Any = "auto",
        scaling: Any = "auto",
        loss: Any = "logistic",
        search: str = "staged",
        rule: str = "average",
        cv: Any = 5,
        n_repeats: Any = "auto",
        trim: float = 0.15,
        grow_unlabelled: bool = False,
        shift_l2: float = 1e-3,
        sparsity: str = "l0",
        groups: Any = None,
        outlier_handling: str = "trim",
        leverage_screen: bool = True,
        prior: float | None = None,
        sampling: str = "one_sample",
        threshold: str = "probability",
        pos_label: Any = None,
        max_iter: int = 500,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_outliers = n_outliers
        self.l2 = l2
        self.scaling = scaling
        self.loss = loss
        self.search = search
        self.rule = rule
        self.cv = cv
        self.n_repeats = n_repeats
        self.trim = trim
        self.grow_unlabelled = grow_unlabelled
        self.shift_l2 = shift_l2
        self.sparsity = sparsity
        self.groups = groups
        self.outlier_handling = outlier_handling
        self.leverage_screen = leverage_screen
        self.prior = prior
        self.sampling = sampling
        self.threshold = threshold
        self.pos_label = pos_label
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    _PASSED_ON: tuple[str, ...] = (
        "shift_l2",
        "sparsity",
        "groups",
        "outlier_handling",
        "leverage_screen",
        "prior",
        "sampling",
        "threshold",
        "pos_label",
        "max_iter",
        "tol",
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose by cross-validation on the PU labels, then fit the choice to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
            1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
        sample_weight : array-like of shape (n,), optional
            Whole numbers are counts of rows, others are weights.

        Returns
        -------
        self
        """
        with all_or_nothing(self), progress_bars(bool(self.verbose)) as report:
            self._check_params()
            data = read_data(self, X, y, sample_weight).counted()
            labelled_share = data.labelled_share
            problem = self._problem(data)
            space = read_space(self, problem)
            self._check_shifts_work(problem, space)
            if self.grow_unlabelled:
                data, self.growth_path_ = grown(problem, space.plainest)
                problem = problem.of(data)
            splits, n_first = self._splits(data, _num_samples(X))
            stages = self._searched(problem, space, splits, n_first, report) if splits else []
            average, weights = self._chosen(stages, problem, space, splits)
            rank = self._fit_chosen(problem, average, average.out_of_fold(splits, weights), labelled_share)
            self.held_out_rank_ = np.full(_num_samples(X), np.nan)
            self.held_out_rank_[data.row] = rank
            self._compare(data, splits, rank[data.is_positive])
        return self

    def _check_shifts_work(self, problem: EstimatorProblem, space: Space) -> None:
        objective = problem.objective(problem.data, space.scaling[0], space.loss[0])
        problem.estimator._check_shifts_work(objective, int(space.n_outliers[-1] > 0))

    def _check_params(self) -> None:
        check_choice("rule", self.rule, tuple(RULES))
        check_choice("search", self.search, ("staged", "greedy"))
        check_number("trim", self.trim, at_least=0)
        if self.trim >= 1:
            raise ValueError(f"trim is the share of held-out positives to leave out: below 1, not {self.trim!r}.")
        if self.n_repeats != "auto":
            check_whole("n_repeats", self.n_repeats, at_least=1)
        if isinstance(self.cv, Real):
            check_whole("cv", self.cv, at_least=2)
        self._made()._check_params()

    def _made(self, **choices: Any) -> PULinearClassifier:
        """The estimator that is tuned, with some choices made."""
        passed_on = {name: getattr(self, name) for name in self._PASSED_ON}
        return self._estimator(**passed_on, solver="path", **choices)

    def _like_me(self, **choices: Any) -> PULinearClassifier:
        """The estimator that is tuned, knowing the columns and the classes."""
        made = self._made(**choices)
        for name in ("n_features_in_", "feature_names_in_", "classes_", "n_labelled_", "n_unlabelled_"):
            if hasattr(self, name):
                setattr(made, name, getattr(self, name))
        return made

    def _problem(self, data: Data) -> EstimatorProblem:
        estimator = self._like_me()
        return EstimatorProblem(estimator, data, estimator._training_prior(data, 0))

    def _splits(self, data: Data, n_rows: int) -> tuple[list[Split], int]:
        """All splits to judge by, and how many of them make up the first repeat; none where positives are too few."""
        if not isinstance(self.cv, Integral):
            splits = splits_of(self.cv, data, n_rows)
            return splits, len(splits)
        n_repeats = self.n_repeats
        if n_repeats == "auto":
            n_repeats = min(ceil(ENOUGH_JUDGED / int(data.is_positive.sum())), MAX_REPEATS)
        first = int(check_random_state(self.random_state).randint(2**31)) if self.random_state is not None else 0
        repeats = [fold_splits(data, int(self.cv), first + k, min_pos=MIN_JUDGED) for k in range(int(n_repeats))]
        return [split for repeat in repeats for split in repeat], len(repeats[0])

    def _searched(
        self, problem: EstimatorProblem, space: Space, splits: Sequence[Split], n_first: int, report: Report
    ) -> list[Stage]:
        judge = Judge(problem, self.trim, self.n_jobs, report)
        if self.search == "staged":
            return staged_search(space, judge, splits, n_first)
        first = ridge_stage(space, judge, splits[:n_first])
        return [first, greedy_search(problem, space, first.candidates[best(first.candidates, first.held_out)])]

    def _chosen(
        self, stages: Sequence[Stage], problem: EstimatorProblem, space: Space, splits: Sequence[Split]
    ) -> tuple[Average, Sequence[Any]]:
        """What is taken, and its candidates' weights on each split; the search is stored."""
        if not stages:
            average, index = Average(problem, [space.plainest], np.ones(1)), 0
        elif stages[-1].n_splits:
            last = stages[-1]
            importance = importances(
                last.candidates, last.held_out, space.belief(last.candidates), self.rule, space.n_outliers[0]
            )
            average = Average(problem, last.candidates, importance)
            average = average.with_enough_features(splits, last.weights, self.trim)
            index = int(average.share.argmax())
        else:
            # A greedy walk ends at its choice.
            average, index = Average(problem, stages[-1].candidates[-1:], np.ones(1)), len(stages[-1].candidates) - 1
        self.cv_results_ = cv_results(stages)
        self.best_index_ = sum(len(stage.candidates) for stage in stages[:-1]) + index
        if stages and stages[-1].weights:
            return average, stages[-1].weights
        return average, [judged(problem, split, Grid.of(average.typical), True).weights for split in splits]

    def _fit_chosen(
        self, problem: EstimatorProblem, average: Average, known: OutOfFold, labelled_share: float
    ) -> Floats:
        """Fit what was chosen to all rows and learn what its scores mean; how held-out rows rank."""
        data = problem.data
        if np.isnan(known.rank).all():
            known = judged_by_folds(problem, average.typical)
        judgement = None
        if not np.isnan(known.rank).all():
            judgement = judge_ranks(as_ranked(data, known.rank, known.rank), self.prior)
            if self._chooses_outliers_of_an_average:
                average = average.with_outliers(float(flag(judgement.suspicion).mean()))
        self.best_params_ = average.typical.params
        estimator = self._like_me(**self.best_params_)
        if average.is_one_fit:
            n_outliers = read_outlier_count(estimator.n_outliers, int(data.is_positive.sum()))
            solution, screened = estimator._solved(data, n_outliers, problem.prior)
        else:
            solution, screened = average.fit()
        estimator._store(solution, data, screened)
        estimator._judge(data, clean_scores(data.X, estimator.coef_), known, labelled_share, judgement)
        for name, value in vars(estimator).items():
            if name.endswith("_"):
                setattr(self, name, value)
        self.best_estimator_ = estimator
        return known.rank

    @property
    def _chooses_outliers_of_an_average(self) -> bool:
        return self.search == "staged" and self.rule == "average" and isinstance(self.n_outliers, str)

    def _compare(self, data: Data, splits: Sequence[Split], pos_rank: Floats) -> None:
        """Score what was chosen by the positives that were held out, and compare it with the baselines."""
        held_out = ~np.isnan(pos_rank)
        weight = data.weight[data.is_positive]
        judged_by = HeldOut(pos_rank[None, held_out], weight[held_out], self.trim)
        self.best_score_ = float(judged_by.scores()[0]) if splits else np.nan
        self.baselines_ = compare(data, splits, self.trim, pos_rank, self.n_jobs) if splits else []

    def summary(self) -> str:
        """What was chosen and how good it is, in a few lines of plain text.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        chosen, n_doubtful = self.best_params_, len(self.doubtful_labels())
        lines = [
            f"{int(self.support_.sum())} of {self.n_features_in_} columns, {len(self.outliers_)} of "
            f"{len(self.labelled_rows_)} labelled positives left out, l2 {chosen['l2']:g}, scaling {chosen['scaling']}",
            f"AUC {self.auc_}",
            f"positives among the unlabelled rows {self.prior_}",
            f"wrong labels among the positives {self.contamination_}",
            f"{n_doubtful} labels to doubt, of which one in five may be right",
        ]
        if not self.baselines_:
            lines.append("too few positives to choose anything: this is a plain fit")
        lines += [f"{each.name} is as good: consider it" for each in self.baselines_ if each.is_as_good]
        return "\n".join(lines)


class BlindAUCClassifierCV(TunedPUClassifier):
    r"""`BlindAUCClassifier` with scaling, ridge, features and outliers chosen from the PU labels alone.

    Candidates are compared by the *trimmed blind AUC* of held-out positives,

    .. math:: \frac{1}{1 - t} \int_t^1 r_{(u)} \, du,

    the mean of their ranks :math:`r` among the held-out unlabelled rows without the share :math:`t` = `trim` of the
    lowest, since a model that ranks a mislabelled positive low is right. No negative and no prior is needed.

    The search has three stages: scalings, losses and 14 decades of ridges with all features; then features at all of
    these that may be right, and outliers with them; then, by more folds, what is not clearly worse. Fits are rough and
    begin from their neighbours'. Folds depend on what rows hold: equal rows share one, and the order of the rows does
    not matter. By default all candidates are averaged, each as far as it may be right by what was held out and by what
    is likely: a ridge one or two decades above the data's own curvature, columns brought to a common scale, and few of
    them where few stand out one by one. Under a weak ridge, a fit of all features is the average of fits to draws of
    the unlabelled rows. Outlier handling is chosen only where it is better than none by one and a half standard errors.
    With fewer than 15 distinct positives nothing is chosen, and the plainest candidate is fitted. A fit of the search
    sees at most 2,000 positives and five times as many unlabelled rows; the choice is fitted to all.

    Parameters
    ----------
    n_features_to_select, n_outliers, l2, scaling : "auto", a value, or a list of values to choose from
        As in `BlindAUCClassifier`.
    loss : a loss, or a list of losses to choose from, default="logistic"
    search : {"staged", "greedy"}, default="staged"
        "greedy" is the paper's recipe: from few features and no outliers, more of either as long as the training
        rows are ranked better. It needs few fits, and overfits.
    rule : {"average", "best", "one_standard_error"}, default="average"
        What is taken: the average of the weights of all candidates with the fewest outliers that may do, each as far as
        it may be the best, projected on as many features as they have on average, or more where it is not sure that
        the rest can be spared; where they have outliers and `n_outliers="auto"`, with as many of them as held-out ranks
        doubt labels, if these are more, or less than half as many; the candidate with the highest score; or, of those
        within a standard error of it, the one with the fewest features.
    cv : int, splitter or iterable of (fitted, held out) row numbers, default=5
        Pass splits where rows belong together, such as `list(GroupKFold().split(X, y, patients))`.
    n_repeats : int or "auto", default="auto"
        Repeats of the folds, for an integer cv; as many as it takes to judge by 300 positives, at most 2.
    trim : float, default=0.15
    grow_unlabelled : bool, default=False
        Use only as many unlabelled rows as it takes: double them, from as many as there are positives, until the blind
        AUC of a plain fit settles. `growth_path_` keeps the steps.
    shift_l2, sparsity, groups, leverage_screen, prior, sampling, threshold, pos_label, max_iter, tol
        As in `BlindAUCClassifier`.
    outlier_handling : {"trim", "shift"}, default="trim"
    n_jobs : int or None, default=None
        Folds side by side, by joblib: inside `joblib.parallel_config("dask")` they run on a cluster.
    random_state : int, RandomState or None, default=None
        Draws other folds.
    verbose : int, default=0
        Whether to show progress bars, with the time left (needs rich).

    Attributes
    ----------
    best_params_ : dict
        What was chosen; of an average, its middle.
    best_score_ : float
        The trimmed blind AUC of what was chosen.
    best_index_ : int
        The place of the choice in `cv_results_`; of an average, that of its most important part.
    best_estimator_ : BlindAUCClassifier
    cv_results_ : dict of arrays, every candidate that was judged
    baselines_ : list of Comparison
        A difference of means and an l1 logistic regression, judged by the same folds; `is_as_good` says where the
        search brought nothing sure.
    held_out_rank_ : ndarray of shape (n,)
        The share of unlabelled rows held out with a row that rank below it; NaN where it was never held out.
    growth_path_ : list of GrowthStep, with `grow_unlabelled`
    coef_, intercept_, support_, shift_, outliers_, prior_, contamination_, auc_, suspicion_, labelled_rows_,
    calibration_, objective_, n_iter_, spread_, n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_
        As in `BlindAUCClassifier`; rows are held out by the folds of the search, which were also chosen by, so that
        `auc_` is a little on the bright side. Of an average, `n_iter_` is the number of candidates in it.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from blindauc import BlindAUCClassifierCV
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=20, n_outliers=7, n_relevant=15, random_state=0)
    >>> model = BlindAUCClassifierCV(n_repeats=1).fit(data.X, data.y_pu)
    >>> auc = roc_auc_score(data.y_test, model.decision_function(data.X_test))
    >>> bool(model.auc_.low < auc < model.auc_.high)
    True
    >>> set(data.outliers) <= set(model.doubtful_labels())
    True
    """

    _estimator = BlindAUCClassifier


class PUErrorClassifierCV(TunedPUClassifier):
    r"""`PUErrorClassifier` with scaling, ridge, features and outliers chosen from the PU labels alone.

    The search and the criterion are those of `BlindAUCClassifierCV`,

    .. math:: \frac{1}{1 - t} \int_t^1 r_{(u)} \, du:

    what is compared is how held-out positives rank, whatever risk the weights minimise.

    Parameters
    ----------
    risk : {"paper", "unbiased", "nonnegative"}, default="paper"
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*. The risk needs it: when it is not given, it is estimated
        by the ranks of a plain fit of the blind AUC.
    n_features_to_select, n_outliers, l2, scaling, loss, search, rule, cv, n_repeats, trim, grow_unlabelled
    shift_l2, sparsity, groups, outlier_handling, leverage_screen, sampling, threshold, pos_label, max_iter, tol
    n_jobs, random_state, verbose
        As in `BlindAUCClassifierCV`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, baselines_, held_out_rank_ and those of
    `PUErrorClassifier`
        As in `BlindAUCClassifierCV`.

    Examples
    --------
    >>> from blindauc import PUErrorClassifierCV
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=20, n_outliers=7, n_relevant=15, random_state=0)
    >>> model = PUErrorClassifierCV(prior=20 / 300, n_repeats=1).fit(data.X, data.y_pu)
    >>> set(data.outliers) <= set(model.doubtful_labels())
    True
    """

    _estimator = PUErrorClassifier
    _PASSED_ON = (*TunedPUClassifier._PASSED_ON, "risk")

    def __init__(
        self,
        *,
        risk: str = "paper",
        prior: float | None = None,
        n_features_to_select: Any = "auto",
        n_outliers: Any = "auto",
        l2: Any = "auto",
        scaling: Any = "auto",
        loss: Any = "logistic",
        search: str = "staged",
        rule: str = "average",
        cv: Any = 5,
        n_repeats: Any = "auto",
        trim: float = 0.15,
        grow_unlabelled: bool = False,
        shift_l2: float = 1e-3,
        sparsity: str = "l0",
        groups: Any = None,
        outlier_handling: str = "trim",
        leverage_screen: bool = True,
        sampling: str = "one_sample",
        threshold: str = "probability",
        pos_label: Any = None,
        max_iter: int = 500,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_features_to_select=n_features_to_select,
            n_outliers=n_outliers,
            l2=l2,
            scaling=scaling,
            loss=loss,
            search=search,
            rule=rule,
            cv=cv,
            n_repeats=n_repeats,
            trim=trim,
            grow_unlabelled=grow_unlabelled,
            shift_l2=shift_l2,
            sparsity=sparsity,
            groups=groups,
            outlier_handling=outlier_handling,
            leverage_screen=leverage_screen,
            prior=prior,
            sampling=sampling,
            threshold=threshold,
            pos_label=pos_label,
            max_iter=max_iter,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.risk = risk
