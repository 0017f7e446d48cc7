"""The tuned estimators: model averaging over shapes, scalings, regularisation, columns and outliers."""

from __future__ import annotations

from blindauc.estimators.blind_auc import BlindAUCClassifier, BlindAUCProblem
from blindauc.estimators.parameters import parameters
from blindauc.estimators.pu_error import PUErrorClassifier, PUErrorProblem
from blindauc.estimators.tuning import TunedPUClassifier


@parameters()
class BlindAUCClassifierCV(BlindAUCProblem, TunedPUClassifier):
    r"""`BlindAUCClassifier` with hyper-parameters tuned by cross-validation on PU labels.

    Shape, scaling, regularisation strength, number of columns and number of outliers are tuned. All combinations are
    candidates. Out-of-fold, :math:`r_{mi}` is the share of the held-out unlabelled rows that candidate :math:`m` ranks
    below labelled positive :math:`i`. The candidates of a shape are averaged with weights

    .. math:: w_m \propto b_m \Big( \prod_i f(r_{mi}) \Big)^{1/3},

    where :math:`b_m` is the prior probability of the candidate's settings and :math:`f` the density of the ranks: a
    mixture of right labels, which rank high, and wrong ones, which rank low, averaged over its parameters
    (`blindauc.evidence.likelihood`). This is a Gibbs posterior. It needs neither negatives nor the class prior, and
    nothing is trimmed. Candidates that are far behind after the first folds are dropped.

    Shapes, and scores of all columns and of selected ones, are weighted by the same likelihood of the averaged ranks of
    their candidates. The prior odds of a linear score against each other shape are 5:1, those of all columns against
    selected ones 1:1. `shapes_` holds the weights of the shapes, and `bending_` the gain over linear scores.

    The average model ranks. `inclusion_` is the posterior probability that each column belongs in the score, with equal
    prior probabilities of all numbers of columns, and `support_` keeps columns with at least one half. `auc_`,
    `suspicion_` and `held_out_rank_` come from out-of-fold ranks; both the fits and the weights of a fold's models use
    only rows of the other folds.

    Folds depend only on the content of the rows: equal rows share a fold, and the order of the rows does not matter.
    With fewer than 15 distinct positives nothing is tuned, and the candidate that is most likely a priori is fitted. A
    fit of the search uses at most 2,000 positives and five times as many unlabelled rows; the final fits use all rows.

    Parameters
    ----------
    shape : "auto", a shape, or a list of shapes, default="auto"
        "auto" tries all shapes of `BlindAUCClassifier` that support the input: trees only if LightGBM is installed,
        kernels and trees only if `n_features_to_select` is None or "auto", curves and kernels only if X is dense,
        curves and trees only if X is small (up to about 2,000 columns by 4,000 rows), trees alone if X is a table with
        categories, and only linear scores if X is on a device. If rows are not in memory, trees are fitted to the
        sample of them that the search uses (`sampled_rows_`), and all other shapes to all rows.
    n_features_to_select, n_outliers, l2, scaling, gamma, n_leaves, n_rounds : "auto", a value, or a list of values
        As in `BlindAUCClassifier`.
    known_negative_share : "auto", a share, or a list of shares, default="auto"
        As in `BlindAUCClassifier`; "auto" tries that of its "auto", and known negatives as 1 and 3 unlabelled rows.
    loss : a loss, or a list of losses, default="logistic"
    rule : {"average", "best"}, default="average"
        The final model: the weighted average of the candidates, or the one with the largest weight.
    rank_by : {"all", "support"}, default="all"
        Rank with all columns that any averaged candidate uses, or only with those of `support_`. `support_cost_`
        estimates the loss in blind AUC of the latter.
    cv : int, splitter or iterable of (fitted, held out) row numbers, default=5
        An integer respects `fit(groups=...)` and `fit(time=...)`; splitters get the groups, as in scikit-learn.
    n_repeats : int or "auto", default="auto"
        Repeats of the folds, for an integer cv; "auto" is 2 with fewer than 300 labelled positives, else 1.
    grow_unlabelled : bool, default=False
        Use no more unlabelled rows than needed: start with as many as there are positives, and double their number
        until the blind AUC of a fit with default settings no longer changes. `growth_path_` keeps the steps.
    shift_l2, sparsity, groups, outlier_handling, leverage_screen, prior, sampling, threshold, pos_label, max_iter, tol
        As in `BlindAUCClassifier`.
    n_jobs : int or None, default=None
        The number of parallel jobs, as in joblib. A job fits a path of candidates: one for each shape, scaling and
        share of outliers. Inside `joblib.parallel_config("dask")` they run on a cluster.
    random_state : int, RandomState or None, default=None
        Seed of the folds, and of the landmarks of kernels.
    verbose : int, default=0
        Whether to show a progress bar with the remaining time (by rich), or lines with times in a log file. It starts
        with an estimate of the time that the search will take.

    Attributes
    ----------
    shapes_ : dict
        The weight of each shape in the average; shapes with less than 5 % are left out of it.
    bending_ : Estimate or None
        The gain in out-of-fold blind AUC over the average of the linear candidates alone; None if all candidates have
        the same shape.
    inclusion_ : ndarray of shape (p,)
        The posterior probability that each column belongs in the score: the total weight of the candidates that use it,
        among the linear scores and curves if there are any. All numbers of columns are equally probable beforehand,
        so these weights differ from those of the average.
    support_ : mask of shape (p,)
        The median probability model: columns with an inclusion probability of at least one half.
    support_cost_ : Estimate
        The loss in out-of-fold blind AUC if only the columns of `support_` rank.
    outliers_ : ndarray
        Row numbers, in the training X, of labelled positives with leverage, and of those that are left out by
        candidates with at least half of the weight.
    best_params_ : dict
        The settings of the candidate with the largest weight.
    best_estimator_ : BlindAUCClassifier
        That candidate, fitted to all rows and not calibrated. Fitting a clone of it gives the same result.
    best_index_ : int
        The index of that candidate in `cv_results_`.
    best_score_ : float
        The out-of-fold blind AUC of the final model.
    cv_results_ : dict of arrays
        For every candidate its parameters, its blind AUC over `n_splits` splits, the evidence for it in nats, and its
        weight in the average.
    baselines_ : list of Comparison
        Comparisons with a difference of means and an l1 logistic regression on the same folds; `is_as_good` is True if
        no difference could be shown. Both use a column of 0 and 1 for each category of at least 1 % of the rows.
    held_out_rank_ : ndarray of shape (n,)
        Out-of-fold rank: the share of the unlabelled rows of the same fold that score below a row; NaN for rows that
        were never held out. If rows are not in memory, it holds only the sampled rows, whose numbers are in
        `sampled_rows_`.
    growth_path_ : list of GrowthStep, with `grow_unlabelled`
    model_, coef_, effects_, importance_, intercept_, shift_, leverage_, prior_, contamination_, auc_, suspicion_,
    labelled_rows_, calibration_, unlabelled_calibration_, lift_, labels_by_step_, n_iter_, spread_,
    n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_, categories_
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
    >>> data = make_paper_data(n_features=12, n_outliers=7, n_relevant=10, random_state=0)
    >>> model = BlindAUCClassifierCV(shape="linear", scaling="standard", n_repeats=1).fit(data.X, data.y_pu)
    >>> auc = roc_auc_score(data.y_test, model.decision_function(data.X_test))
    >>> bool(model.auc_.low < auc < model.auc_.high)
    True
    >>> set(data.outliers) <= set(model.doubtful_labels())
    True
    """

    _estimator = BlindAUCClassifier


@parameters()
class PUErrorClassifierCV(PUErrorProblem, TunedPUClassifier):
    r"""`PUErrorClassifier` with hyper-parameters tuned by cross-validation on PU labels.

    The search and the weights of the candidates are those of `BlindAUCClassifierCV`,

    .. math:: w_m \propto b_m \Big( \prod_i f(r_{mi}) \Big)^{1/3}:

    they depend on out-of-fold ranks of positives, whatever risk a candidate minimises.

    Parameters
    ----------
    risk : {"paper", "unbiased", "nonnegative"}, default="paper"
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*, which the risk needs. If it is not given, it is estimated
        from the out-of-fold ranks of a blind AUC fit.
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
    >>> data = make_paper_data(n_features=12, n_outliers=7, n_relevant=10, random_state=0)
    >>> model = PUErrorClassifierCV(shape="linear", scaling="standard", prior=20 / 300, n_repeats=1)
    >>> model = model.fit(data.X, data.y_pu)
    >>> set(data.outliers) <= set(model.doubtful_labels())
    True
    """

    _estimator = PUErrorClassifier
