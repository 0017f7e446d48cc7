"""The estimators that choose shape, scaling, ridge, columns and outliers by themselves, from PU labels alone."""

from __future__ import annotations

from blindauc.estimators.blind_auc import BlindAUCClassifier, BlindAUCProblem
from blindauc.estimators.parameters import parameters
from blindauc.estimators.pu_error import PUErrorClassifier, PUErrorProblem
from blindauc.estimators.tuning import TunedPUClassifier


@parameters()
class BlindAUCClassifierCV(BlindAUCProblem, TunedPUClassifier):
    r"""`BlindAUCClassifier` with shape, scaling, ridge, columns and outliers chosen from the PU labels alone.

    All combinations are candidates. Each is fitted to the rows outside a fold and ranks those inside it: :math:`r_{mi}`
    is the share of the held-out unlabelled rows that candidate :math:`m` ranks below labelled positive :math:`i`. The
    candidates of a shape are averaged with weights

    .. math:: w_m \propto b_m \exp\Big( \sum_i (2 r_{mi} - 1) \Big),

    where :math:`b_m` is the belief in the candidate's ridge before anything was held out: a Gibbs posterior in which
    every labelled row counts one nat of the blind AUC's Gini coefficient. No negative and no prior is needed, and
    nothing is trimmed: a wrong label ranks low under every good candidate and lowers them all alike. Candidates that
    are hopeless after the first folds are not fitted to the others.

    A score that bends may learn where wrong labels lie and rank them high. So scores that bend, and shapes, are weighed
    by the likelihood of their ranks under a mixture of right labels, which rank high, and wrong ones, which rank low
    (`blindauc.choice.likelihood`), and it takes decisive evidence to leave straight lines. `shapes_` holds the weights
    of the shapes, and `bending_` says what bending brings.

    The average ranks; `inclusion_` says how likely it is that each column belongs in the score, and `support_` keeps
    those with a probability of at least one half. `auc_`, `suspicion_` and `held_out_rank_` come from out-of-fold
    ranks, by models fitted to the other folds' rows and weighed by the other folds' positives.

    Folds depend on what rows hold: equal rows share one, and the order of the rows does not matter. With fewer than 15
    distinct positives nothing is chosen, and the likeliest candidate is fitted. A fit of the search sees at most 2,000
    positives and five times as many unlabelled rows; the choice is fitted to all.

    Parameters
    ----------
    shape : "auto", a shape, or a list of shapes to choose from, default="auto"
        "auto" is all of `BlindAUCClassifier`'s shapes that can do what is asked for: trees where LightGBM is installed,
        kernels and trees unless columns are to be selected, none but straight lines where X is sparse, neither curves
        nor trees where 4,000 rows would have more than about 2,000 columns, and straight lines alone where rows are not
        in memory.
    n_features_to_select, n_outliers, l2, scaling, gamma, n_leaves, n_rounds : "auto", a value, or a list of values
        As in `BlindAUCClassifier`.
    known_negative_share : "auto", a share, or a list of shares, default="auto"
        As in `BlindAUCClassifier`; "auto" tries that of its "auto", and known negatives as 1 and 3
        unlabelled rows.
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
        Paths of fits side by side, one for each shape, scaling and share of outliers, by joblib: inside
        `joblib.parallel_config("dask")` they run on a cluster.
    random_state : int, RandomState or None, default=None
        Draws other folds, and other landmarks of kernels.
    verbose : int, default=0
        Whether to show one progress bar with the time left (by rich), or lines with times in a log file. It begins with
        about how long the search will take.

    Attributes
    ----------
    shapes_ : dict
        The weight of each shape in the average; one with less than 5 % has no part in it.
    bending_ : Estimate or None
        By how much the out-of-fold blind AUC of the average is above that of its linear candidates alone; None where
        all candidates have one shape.
    inclusion_ : ndarray of shape (p,)
        The posterior probability that each column belongs in the score: the weight of the candidates that use it, among
        the linear scores and curves where there are any.
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
        The share of unlabelled rows held out with a row that rank below it; NaN where it was never held out. Of rows
        that are not in memory, those of the sample that the search saw, whose numbers are in `sampled_rows_`.
    growth_path_ : list of GrowthStep, with `grow_unlabelled`
    model_, coef_, effects_, importance_, intercept_, shift_, leverage_, prior_, contamination_, auc_, suspicion_,
    labelled_rows_, calibration_, unlabelled_calibration_, lift_, labels_by_step_, n_iter_, spread_,
    n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_
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
    >>> model = BlindAUCClassifierCV(shape=["linear", "curves"], n_repeats=1).fit(data.X, data.y_pu)
    >>> auc = roc_auc_score(data.y_test, model.decision_function(data.X_test))
    >>> bool(model.auc_.low < auc < model.auc_.high)
    True
    >>> set(data.outliers) <= set(model.doubtful_labels())
    True
    """

    _estimator = BlindAUCClassifier


@parameters()
class PUErrorClassifierCV(PUErrorProblem, TunedPUClassifier):
    r"""`PUErrorClassifier` with shape, scaling, ridge, columns and outliers chosen from the PU labels alone.

    The search and the weights are those of `BlindAUCClassifierCV`,

    .. math:: w_m \propto b_m \exp\Big( \sum_i (2 r_{mi} - 1) \Big):

    what counts is how held-out positives rank, whatever risk the weights minimise.

    Parameters
    ----------
    risk : {"paper", "unbiased", "nonnegative"}, default="paper"
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*. The risk needs it: when it is not given, it is estimated
        by the ranks of a plain fit of the blind AUC.
    shape, n_features_to_select, n_outliers, l2, scaling, gamma, n_leaves, n_rounds, loss, rule, rank_by, cv, n_repeats
    known_negative_share, grow_unlabelled, shift_l2, sparsity, groups, outlier_handling, leverage_screen, sampling
    threshold, pos_label, max_iter, tol, n_jobs, random_state, verbose
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
    >>> model = PUErrorClassifierCV(shape="linear", prior=20 / 300, n_repeats=1).fit(data.X, data.y_pu)
    >>> set(data.outliers) <= set(model.doubtful_labels())
    True
    """

    _estimator = PUErrorClassifier
