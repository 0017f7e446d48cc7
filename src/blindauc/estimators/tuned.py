"""Estimators that choose scaling, ridge, columns and outliers by themselves, from PU labels alone."""

from __future__ import annotations

from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from blindauc.choice.average import Average, averaged
from blindauc.choice.baselines import compare
from blindauc.choice.growth import grown
from blindauc.choice.progress import fold_report
from blindauc.choice.results import cv_results
from blindauc.choice.search import RULES, Search, race, without_search
from blindauc.choice.space import Space
from blindauc.data import Data
from blindauc.design import clean_scores
from blindauc.estimate import MIN_JUDGED
from blindauc.estimators.base import PULinearClassifier, check_shifts_work
from blindauc.estimators.blind_auc import BlindAUCClassifier, BlindAUCProblem
from blindauc.estimators.inputs import check_choice, check_whole
from blindauc.estimators.meaning import meaning_of
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.estimators.pu_error import PUErrorClassifier, PUErrorProblem
from blindauc.estimators.reading import Sifted, all_or_nothing, read_data, sifted
from blindauc.estimators.space import read_space
from blindauc.estimators.summary import summary_of
from blindauc.evidence.folds import Split, fold_splits, splits_of
from blindauc.evidence.out_of_fold import mean_estimate
from blindauc.progress import At, steps
from blindauc.scorers import LinearScorer, Spec

REPEATED_BELOW = 300
"""With fewer labelled positives the folds are repeated once: a row of the ablation table says what that brings."""


SHARES = {"search": 85.0, "average of candidates": 8.0, "calibration": 3.0, "simpler methods": 4.0}
"""What takes which share of the time: measured on the demo and on a table of 20,000 rows and 60 columns."""


@parameters()
class TunedPUClassifier(PUParameters):
    """A linear PU classifier whose choices are made by cross-validation on PU labels."""

    n_features_to_select: Any = "auto"
    n_outliers: Any = "auto"
    l2: Any = "auto"
    scaling: Any = "auto"
    loss: Any = "logistic"
    rule: str = "average"
    rank_by: str = "all"
    cv: Any = 5
    n_repeats: Any = "auto"
    grow_unlabelled: bool = False
    n_jobs: int | None = None

    _estimator: ClassVar[type[PULinearClassifier]]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None) -> Self:
        """Choose by cross-validation on the PU labels, then fit the choice to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
            1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
        sample_weight : array-like of shape (n,), optional
            Whole numbers are counts of rows, others are weights.
        groups : array-like of shape (n,), optional
            Whom each row belongs to, such as a patient: rows of one group are held out together.
        time : array-like of shape (n,), optional
            When each row was, as numbers or dates: rows are then judged by fits to earlier ones.

        Returns
        -------
        self
        """
        with all_or_nothing(self), steps(SHARES, is_shown=bool(self.verbose)) as at:
            self._check_params()
            at("search")
            everyone = read_data(self, X, y, sample_weight, groups=groups, time=time)
            rows = sifted(everyone, self.leverage_screen).counted()
            scorer = self._scorer(rows.data)
            space = read_space(self, scorer, rows)
            _check_outliers_can_be_shifted(scorer, rows.data, space)
            labelled_share = rows.data.labelled_share
            if self.grow_unlabelled:
                data, self.growth_path_ = grown(scorer, rows.data, space.likeliest)
                rows = replace(rows, data=data)
            search = self._searched(scorer, rows.data, space, _num_samples(X), at)
            self._store_search(search, rows)
            at("average of candidates")
            self.best_estimator_ = self._like(self.best_params_).fit(X, y, sample_weight)
            average = averaged(scorer, search, self.rank_by == "support")
            at("calibration")
            self._store_average(rows, average, labelled_share)
            at("simpler methods")
            self._store_comparisons(search, average, _num_samples(X))
        return self

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("rule", self.rule, tuple(RULES))
        check_choice("rank_by", self.rank_by, ("all", "support"))
        if self.n_repeats != "auto":
            check_whole("n_repeats", self.n_repeats, at_least=1)
        if isinstance(self.cv, Real):
            check_whole("cv", self.cv, at_least=2)

    def _like(self, choices: dict[str, Any]) -> PULinearClassifier:
        """The estimator that is tuned, with the choices made and nothing calibrated."""
        shared = {each.name: getattr(self, each.name) for each in fields(self._estimator) if hasattr(self, each.name)}
        return self._estimator(**shared | choices | {"solver": "path", "calibrate": False, "verbose": 0})

    def _searched(self, scorer: LinearScorer, data: Data, space: Space, n_rows: int, at: At) -> Search:
        splits = self._splits(data, n_rows)
        if not splits:
            return without_search(data, space.likeliest)
        report = fold_report(at, "search", len(splits))
        return race(
            scorer, data, space.specs, space.log_belief, splits, rule=self.rule, n_jobs=self.n_jobs, report=report
        )

    def _splits(self, data: Data, n_rows: int) -> list[Split]:
        """All splits to judge by; none where positives are too few."""
        if not isinstance(self.cv, Integral):
            if data.time is not None:
                raise ValueError("cv and time both say which rows are held out: pass a number of folds, or no time.")
            return splits_of(self.cv, data, n_rows)
        n_repeats = self.n_repeats
        if n_repeats == "auto":
            n_repeats = 2 if data.is_positive.sum() < REPEATED_BELOW else 1
        # There is one past and one future: a repeat would be the same again.
        n_repeats = 1 if data.time is not None else n_repeats
        first = int(check_random_state(self.random_state).randint(2**31)) if self.random_state is not None else 0
        repeats = [fold_splits(data, int(self.cv), first + k, min_pos=MIN_JUDGED) for k in range(int(n_repeats))]
        return [split for repeat in repeats for split in repeat]

    def _store_search(self, search: Search, rows: Sifted) -> None:
        def params_of(spec: Spec) -> dict[str, Any]:
            return spec.params | {"n_outliers": rows.total_share(spec.n_outliers)}

        self.cv_results_ = cv_results(search, params_of) if search.tried else {}
        self.best_index_ = [each.spec for each in search.tried].index(search.leader) if search.tried else 0
        self.best_params_ = params_of(search.leader)

    def _store_average(self, rows: Sifted, average: Average, labelled_share: float) -> None:
        data = rows.data
        self.coef_, self.support_ = average.model.coef, average.support
        self.inclusion_, self.support_cost_ = average.inclusion, average.support_cost
        self.spread_ = self.best_estimator_.spread_
        # A row of weight two is two rows to the search: one of them left out is the row left out.
        row = data.row[data.is_positive]
        left_out = np.isin(row, row[average.left_out])
        self._store_outliers(rows, left_out, np.where(left_out, np.inf, 0.0))
        self.n_iter_ = self.best_estimator_.n_iter_
        scores = clean_scores(data.X, self.coef_)
        meaning = meaning_of(data, scores, average.known, self.prior, self.sampling, labelled_share).with_leverage(
            rows.leverage_rows
        )
        self._store_meaning(meaning, data, scores, self.threshold)

    def _store_comparisons(self, search: Search, average: Average, n_rows: int) -> None:
        """Keep the out-of-fold ranks, their mean, and how baselines compare."""
        data, rank = search.data, average.known.mean_rank
        self.held_out_rank_ = np.full(n_rows, np.nan)
        self.held_out_rank_[data.row] = average.known.rank
        if not search.splits:
            self.best_score_, self.baselines_ = np.nan, []
            return
        held_out = data.is_positive & ~np.isnan(rank)
        self.best_score_ = float(mean_estimate(rank[held_out], data.weight[held_out]))
        self.baselines_ = compare(data, search.splits, rank[data.is_positive], self.n_jobs)

    def summary(self) -> str:
        """What was chosen and how good it is, in a few lines of plain text.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return summary_of(self)


def _check_outliers_can_be_shifted(scorer: LinearScorer, data: Data, space: Space) -> None:
    spec = space.specs[0]
    most = max(each.n_outliers for each in space.specs)
    check_shifts_work(scorer.objective(data, *spec.kind), int(most > 0))


@parameters()
class BlindAUCClassifierCV(BlindAUCProblem, TunedPUClassifier):
    r"""`BlindAUCClassifier` with scaling, ridge, columns and outliers chosen from the PU labels alone.

    All combinations are candidates. Each is fitted to the rows outside a fold and ranks those inside it: :math:`r_{mi}`
    is the share of the held-out unlabelled rows that candidate :math:`m` ranks below labelled positive :math:`i`. The
    candidates are averaged with weights

    .. math:: w_m \propto b_m \exp\Big( \sum_i (2 r_{mi} - 1) \Big),

    where :math:`b_m` is the belief in the candidate's ridge before anything was held out: a Gibbs posterior in which
    every labelled row counts one nat of the blind AUC's Gini coefficient. No negative and no prior is needed, and
    nothing is trimmed: a wrong label ranks low under every good candidate and lowers them all alike. Candidates that
    are hopeless after the first folds are not fitted to the others.

    The average ranks; `inclusion_` says how likely it is that each column belongs in the score, and `support_` keeps
    those with a probability of at least one half. `auc_`, `suspicion_` and `held_out_rank_` come from out-of-fold
    ranks, by models fitted to the other folds' rows and weighed by the other folds' positives.

    Folds depend on what rows hold: equal rows share one, and the order of the rows does not matter. With fewer than 15
    distinct positives nothing is chosen, and the likeliest candidate is fitted. A fit of the search sees at most 2,000
    positives and five times as many unlabelled rows; the choice is fitted to all.

    Parameters
    ----------
    n_features_to_select, n_outliers, l2, scaling : "auto", a value, or a list of values to choose from
        As in `BlindAUCClassifier`.
    loss : a loss, or a list of losses to choose from, default="logistic"
    rule : {"average", "best"}, default="average"
        What is taken: the average of all candidates, or the one with the largest weight.
    rank_by : {"all", "support"}, default="all"
        Rank by all columns that any averaged candidate uses, or by those of `support_` alone. `support_cost_` estimates
        what the second costs.
    cv : int, splitter or iterable of (fitted, held out) row numbers, default=5
        A number of folds heeds `fit(groups=...)` and `fit(time=...)`; splitters get the groups, as in scikit-learn.
    n_repeats : int or "auto", default="auto"
        Repeats of the folds, for an integer cv; 2 with fewer than 300 labelled positives, else 1.
    grow_unlabelled : bool, default=False
        Use only as many unlabelled rows as it takes: double them, from as many as there are positives, until the blind
        AUC of a plain fit settles. `growth_path_` keeps the steps.
    shift_l2, sparsity, groups, outlier_handling, leverage_screen, prior, sampling, threshold, pos_label, max_iter, tol
        As in `BlindAUCClassifier`.
    n_jobs : int or None, default=None
        Paths of fits side by side, one for each scaling and share of outliers, by joblib: inside
        `joblib.parallel_config("dask")` they run on a cluster.
    random_state : int, RandomState or None, default=None
        Draws other folds.
    verbose : int, default=0
        Whether to show one progress bar with the time left (by rich), or lines with times in a log file.

    Attributes
    ----------
    inclusion_ : ndarray of shape (p,)
        The posterior probability that each column belongs in the score: the weight of the candidates that use it.
    support_ : mask of shape (p,)
        The median probability model: columns with an inclusion probability of at least one half.
    support_cost_ : Estimate
        By how much the out-of-fold blind AUC falls when only the supported columns rank.
    outliers_ : ndarray
        Row numbers, in the training X, of labelled positives with leverage, and of those that candidates with at least
        half of the weight leave out.
    best_params_ : dict
        The settings of the candidate with the largest weight.
    best_estimator_ : BlindAUCClassifier
        That candidate, fitted to all rows and not calibrated; a clone of it, fitted again, is the same.
    best_index_ : int
        Its place in `cv_results_`.
    best_score_ : float
        The out-of-fold blind AUC of what was taken.
    cv_results_ : dict of arrays
        Every candidate: its parameters, its blind AUC by `n_splits` splits, and its weight in the average.
    baselines_ : list of Comparison
        A difference of means and an l1 logistic regression, judged by the same folds; `is_as_good` says where no
        difference could be shown.
    held_out_rank_ : ndarray of shape (n,)
        The share of unlabelled rows held out with a row that rank below it; NaN where it was never held out.
    growth_path_ : list of GrowthStep, with `grow_unlabelled`
    coef_, intercept_, shift_, leverage_, prior_, contamination_, auc_, suspicion_, labelled_rows_, calibration_,
    unlabelled_calibration_, lift_, labels_by_step_, n_iter_, spread_, n_labelled_, n_unlabelled_, classes_,
    n_features_in_, feature_names_in_
        As in `BlindAUCClassifier`; `n_iter_` is that of `best_estimator_`.

    References
    ----------
    O. Catoni, PAC-Bayesian supervised classification, IMS Lecture Notes 56, 2007.
    M. M. Barbieri and J. O. Berger, Optimal predictive model selection, Annals of Statistics 2004.

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


@parameters()
class PUErrorClassifierCV(PUErrorProblem, TunedPUClassifier):
    r"""`PUErrorClassifier` with scaling, ridge, columns and outliers chosen from the PU labels alone.

    The search and the weights are those of `BlindAUCClassifierCV`,

    .. math:: w_m \propto b_m \exp\Big( \sum_i (2 r_{mi} - 1) \Big):

    what counts is how held-out positives rank, whatever risk the weights minimise.

    Parameters
    ----------
    risk : {"paper", "unbiased", "nonnegative"}, default="paper"
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*. The risk needs it: when it is not given, it is estimated
        by the ranks of a plain fit of the blind AUC.
    n_features_to_select, n_outliers, l2, scaling, loss, rule, rank_by, cv, n_repeats, grow_unlabelled
    shift_l2, sparsity, groups, outlier_handling, leverage_screen, sampling, threshold, pos_label, max_iter, tol
    n_jobs, random_state, verbose
        As in `BlindAUCClassifierCV`.

    Attributes
    ----------
    inclusion_, support_, support_cost_, best_params_, best_score_, best_index_, best_estimator_, cv_results_,
    baselines_, held_out_rank_ and those of `PUErrorClassifier`
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
