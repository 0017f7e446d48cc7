"""BAUC, BAUC-O and BAUC-OF: the blind AUC maximised, with outliers and features found in the same fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from blindauc.data import Data
from blindauc.estimators.base import PUClassifier
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.losses import get_loss
from blindauc.risks import BlindAUCRisk, Risk


def blind_auc_risk(loss: Any) -> Risk:
    """The mean of a loss over all pairs."""
    return BlindAUCRisk(get_loss(loss))


class BlindAUCProblem(PUParameters):
    """What makes a fit or a search one of the blind AUC."""

    has_intercept: ClassVar[bool] = False

    def _risk(self, data: Data) -> Callable[[Any], Risk]:
        return blind_auc_risk


@parameters()
class BlindAUCClassifier(BlindAUCProblem, PUClassifier):
    r"""Ranking from labelled positives and unlabelled rows that maximises the blind AUC.

    For a linear score, minimises

    .. math::

        \frac{1}{n_+ n} \sum_{i,j} \ell(w^\top x_i + \varepsilon_i - w^\top u_j)
        + \frac{\mathtt{shift\_l2}}{2} \|\varepsilon\|^2 + \frac{\mathtt{l2}}{2} \|w\|^2

    over weights :math:`w` with at most `n_features_to_select` nonzeros and shifts :math:`\varepsilon` with at most
    `n_outliers`, for labelled positives :math:`x_i` and unlabelled rows :math:`u_j`. The pairs are never formed:
    a fit of all columns without outliers costs what a linear model of the rows costs, and a search for columns and
    outliers is a sequence of such fits. No class prior is needed.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns (`sparsity="l0"`), groups (`"group_l0"`) or columns of each group (`"exclusive_l0"`; also
        one number per group) may have a weight; a float is a share of them; None selects all.
    n_outliers : int or float, default=0
        How many labelled positives (or which share of them) are left out of the fit: first those with leverage
        (`leverage_screen`), which are left out in any case, then those whose scores say so.
    shape : {"linear", "curves", "kernel", "trees"}, default="linear"
        What the score looks like. "curves" is a sum of natural cubic splines, one for each column, which are selected
        by columns. "kernel" is a Gaussian kernel by Nystroem's method; it keeps up to 200 training rows as landmarks,
        and uses all columns. "trees" is gradient boosting by LightGBM (`pip install 'blindauc[trees]'`), which takes
        missing values as they are. Only linear scores have `coef_`; all have `effects_` and `reasons`.
    gamma : float, default=0.3
        Width of a kernel: it falls as `exp(-gamma * d)` with the mean squared difference d of standardised columns.
    n_leaves, n_rounds : int, default=8 and 50
        Size and number of trees.
    l2 : float or "auto", default="auto"
        Ridge on the weights. "auto" is ten times the ridge that bends the objective as much as the data do, the
        likeliest one before anything was tried; `l2_` is its value. Of trees it is a ridge on the values of leaves, and
        "auto" is 10.
    scaling : {"standard", "none", "robust"}, default="standard"
        The columns that the ridge sees: divided by their standard deviations, as they are given, or divided by their
        interquartile ranges. `coef_` is for the columns as given in any case. Shapes that bend scale by themselves.
    loss : {"logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"} or Loss, default="logistic"
        Of the margin by which a positive outranks an unlabelled row.
    known_negative_share : float or "auto", default="auto"
        The share g of rows known to be negative (`fit(checked=...)`) in the weight of all rows that are not positive:
        the objective is (1 - g) that of positives against unlabelled rows plus g that against known negatives. By
        "auto" unlabelled rows that were found negative weigh as they did, and labels that were found wrong are in
        neither: who checks by suspicion finds the negatives that rank lowest, no random sample of them.
    sparsity : {"l0", "group_l0", "exclusive_l0"}, default="l0"
        What `n_features_to_select` counts.
    groups : array-like or list of lists, default=None
        A partition of the columns: one id per column, or lists of column indices, or lists of column names.
    outlier_handling : {"trim", "shift"}, default="trim"
        "trim" takes an outlier out of the mean; "shift" gives it a shift of its own, as in the paper. Scores that bend
        are trimmed: curves and kernels leave out whom a linear score leaves out, trees those that rank lowest by fits
        that have not seen them.
    shift_l2 : float, default=1e-3
        Ridge on the shifts.
    leverage_screen : bool, default=True
        Set apart, before the fit, labelled rows that lie further out than labelled and unlabelled rows usually go: they
        would tilt the weights to their own side. They are among `outliers_`, and their labels are taken to be wrong.
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*; estimated when it is not given. The ranking does not
        depend on it, probabilities and classes do.
    calibrate : bool, default=True
        Learn from five rougher fits, each to four fifths of the rows, what the scores mean: probabilities, prior,
        suspicion, AUC. Probabilities are calibrated where `prior` is given, or where the data tell it
        (`blindauc.prior.is_told`); otherwise `predict_proba_interval` says how far they may be off. Without, `predict`
        takes as many training rows for positive as are labelled (or `prior` of the unlabelled ones), and there is no
        `predict_proba`.
    sampling : {"one_sample", "two_sample"}, default="one_sample"
        The population that `predict_proba` and `predict` speak of. "one_sample": all training rows were drawn from it
        together, and some of its positives got their label. "two_sample": the unlabelled rows alone are a sample of it.
    threshold : {"probability", "share"}, default="probability"
        `predict` takes for positive what has a probability above one half, or the highest scores, so many that their
        share among the unlabelled training rows is the prior. Where the classes overlap and positives are rare, no
        probability may be above one half.
    pos_label : object, default=None
        The label of positives; the larger of the two by default. scikit-learn's scorers take the larger label for
        positive whatever is said here, those of `blindauc.metrics` do not.
    solver : {"exchange", "path", "psg"}, default="exchange"
        "exchange" is deterministic and never raises the objective; "path" comes down to the ridge and the features
        without a search, in a fraction of the time, and often ranks new rows as well; "psg" is the paper's projected
        stochastic gradient.
    max_iter : int, default=500
        Newton steps of one fit on a support ("exchange", "path"), or epochs ("psg").
    tol : float, default=1e-4
        Norm of the gradient at the end relative to that at zero ("exchange", "path"), or the least relative decrease of
        the objective by an epoch that counts as progress ("psg").
    max_swaps : int, default=50
        Exchanges of features, and of outliers, that "exchange" tries before it takes a support to be the best. Each
        is a fit on a support, and they are most of the time of a search: 5 is several times faster and mostly as
        good, 0 does without.
    random_state : int, RandomState or None, default=None
        Draws the batches of "psg", and the landmarks of a kernel.
    verbose : int, default=0
        Whether to print a line per stage.
    callback : callable or None, default=None
        Called with a `Progress` after each stage.

    Attributes
    ----------
    coef_ : ndarray of shape (p,), of a linear score
    model_ : the score
    effects_ : list of Effect, with `calibrate`
        For each column what it adds to the score as a function of its value, with a 95 % band.
    importance_ : ndarray of shape (p,), with `calibrate`
        By how much the blind AUC of held-out rows falls when a column is permuted among them.
    intercept_ : float
        Minus the threshold of `predict`.
    support_ : mask of shape (p,), the selected columns
    spread_ : ndarray of shape (p,)
        The columns' standard deviations: weights can be compared as `coef_ * spread_`.
    shift_ : ndarray of shape (n_pos,)
        Per labelled positive, in the order of the rows; zero for those in good standing, infinite for those taken
        out of the mean.
    outliers_ : ndarray
        Row numbers, in the training X, of the labelled positives that were left out.
    leverage_ : ndarray of shape (n_pos,)
        For each of `labelled_rows_` that was set apart for its leverage, in how many columns it is unlike the other
        rows; 0 for all others.
    l2_ : float
        The ridge on the weights.
    prior_, contamination_ : Estimate
        The share of positives among the unlabelled rows and of wrong labels among the positives, with intervals; of
        those that nobody has checked.
    auc_ : Estimate
        The AUC that the ranking has on true labels, by rows held out of the fit and the two shares above. With fewer
        than 15 distinct positives nothing is known of it, and its interval is 0 to 1, as are those of the shares.
    suspicion_, labelled_rows_ : ndarray of shape (n_pos,)
        The probability that each labelled positive (of positive weight) is mislabelled, and its row in the training X.
    confirmed_rows_, known_negative_rows_ : ndarray, where something was checked
        Row numbers, in the training X, of the rows that are known to be positive, and negative.
    auc_checked_ : Estimate, with at least 10 known negatives
        The AUC of positives against these, by rows held out of the fit; it needs no prior. They are no random sample of
        negatives: labels found wrong in the order of suspicion rank lower than most negatives, and unlabelled rows that
        were checked from the top of the ranking rank higher.
    wrong_expected_ : Estimate, where labels were checked
        How many of these labels are wrong by their out-of-fold ranks alone. Compare with how many were found: that is
        how well `suspicion_` is calibrated.
    check_for_ranking_ : ndarray
        The first of the rows that `next_to_check(k, for_="ranking")` names.
    calibration_, unlabelled_calibration_ : ScoreModel
        What the scores mean, for rows of the population (`sampling`) and for rows that are known to be unlabelled.
    lift_ : float
        By how much the unlabelled rows of the fit score lower than new rows like them.
    labels_by_step_ : ndarray of shape (n_steps,)
        How many of the labelled rows are in each step of `calibration_`, but for those with leverage.
    objective_ : float
        The minimum that was reached.
    n_iter_ : int
        Steps of the solver.
    n_labelled_, n_unlabelled_ : int
        Rows of positive weight.
    classes_ : ndarray of shape (2,), the positive class last
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    See Also
    --------
    PUErrorClassifier : minimises a classification error instead, and needs the prior to fit.

    References
    ----------
    K. Ren, H. Yang, Y. Zhao, M. Xue, H. Miao, S. Huang and J. Liu, A robust AUC maximization framework with
    simultaneous outlier detection and feature selection for positive-unlabeled classification.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from blindauc import BlindAUCClassifier
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=60, n_outliers=7, random_state=0)
    >>> model = BlindAUCClassifier(n_features_to_select=40, n_outliers=7, scaling="none").fit(data.X, data.y_pu)
    >>> sorted(model.outliers_) == sorted(data.outliers)
    True
    >>> int(model.support_.sum())
    40
    >>> bool(roc_auc_score(data.y_test, model.decision_function(data.X_test)) > 0.84)
    True
    """
