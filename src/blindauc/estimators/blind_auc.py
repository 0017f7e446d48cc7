"""BAUC, BAUC-O and BAUC-OF of the paper: blind AUC maximisation with outlier detection and feature selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from blindauc.data import Data
from blindauc.estimators.base import PUClassifier
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.losses import get_loss
from blindauc.risks import BlindAUCRisk, Risk


def blind_auc_risk(loss: Any) -> Risk:
    """The risk of the blind AUC: the mean of a loss over all pairs."""
    return BlindAUCRisk(get_loss(loss))


class BlindAUCProblem(PUParameters):
    """Mix-in of the estimators that maximise the blind AUC."""

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
    `n_outliers` nonzeros, for labelled positives :math:`x_i` and unlabelled rows :math:`u_j`. The pairs are never
    formed: a fit with all columns and no outliers costs about as much as an ordinary linear model, and the selection of
    columns and outliers is a sequence of such fits. No class prior is needed.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The most columns (`sparsity="l0"`), groups (`"group_l0"`) or columns of each group (`"exclusive_l0"`; also
        one number per group) with nonzero weights. A float is a share of them; None selects all.
    n_outliers : int or float, default=0
        The number (or share) of labelled positives to leave out of the fit. Those with leverage (`leverage_screen`) are
        always left out and count first; the others are chosen by their scores. With `checked`, labels found wrong
        count, and so do those that would be left out but were confirmed: no other label is left out in their place.
    shape : {"linear", "curves", "kernel", "trees"}, default="linear"
        The form of the score. "curves" is a sum of natural cubic splines, one per column; selection keeps or drops
        whole columns. "kernel" is a Gaussian kernel by Nystroem's method; it stores up to 200 training rows as
        landmarks, and uses all columns. "trees" is gradient boosting by LightGBM (`pip install 'blindauc[trees]'`),
        which accepts missing values and the categories of tables (`category` of pandas, Categorical and Enum of
        polars). Of rows that are not in memory, trees are fitted to the labelled positives and a sample of the others,
        at least 4.8 times as many. Only linear scores have `coef_`; all have `effects_` and `reasons`.
    gamma : float, default=0.3
        Parameter of the kernel `exp(-gamma * d)`, with d the mean squared difference of standardised columns.
    n_leaves, n_rounds : int, default=8 and 50
        Size and number of trees.
    l2 : float or "auto", default="auto"
        Regularisation strength of the weights (ridge). "auto" is the most likely value a priori: the ridge whose
        curvature equals that of the data term, times 10 p / n_pos, with p columns (for curves and kernels, derived
        columns) and n_pos labelled positives. `l2_` is its value. For trees it regularises the values of leaves, and
        "auto" is 10.
    scaling : {"standard", "none", "robust", "variance"}, default="standard"
        The scale of the columns in the ridge penalty: divided by their standard deviations, unchanged, divided by their
        interquartile ranges, or multiplied by their standard deviations. The last one prefers the columns that vary
        most, more so than unchanged columns do. `coef_` always refers to the columns as given. Other shapes than
        "linear" have their own scaling.
    loss : {"logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"} or Loss, default="logistic"
        Loss of the margin by which a positive outranks an unlabelled row.
    known_negative_share : float or "auto", default="auto"
        The weight g of known negatives (`fit(checked=...)`) in the objective: (1 - g) times that of positives against
        unlabelled rows, plus g times that of positives against known negatives. With "auto", unlabelled rows that were
        found negative keep the weight of one row, and labels that were found wrong are left out: checks in the order of
        suspicion find the lowest-ranked negatives, which are not a random sample. Whatever the weight, the scales of
        the columns (`scaling`) are those of the other rows.
    sparsity : {"l0", "group_l0", "exclusive_l0"}, default="l0"
        What `n_features_to_select` counts.
    groups : array-like or list of lists, default=None
        A partition of the columns: one id per column, or lists of column indices, or lists of column names.
    outlier_handling : {"trim", "shift"}, default="trim"
        "trim" removes outliers from the mean; "shift" gives each outlier its own shift, as in the paper. Other shapes
        than "linear" always trim: curves and kernels remove the outliers of a linear score, trees the positives with
        the lowest out-of-fold ranks.
    shift_l2 : float, default=1e-3
        Ridge penalty of the shifts.
    leverage_screen : bool, default=True
        Before the fit, set aside labelled rows with leverage: rows so far from all others that they would tilt the
        weights towards themselves. They are among `outliers_`, and their labels are taken to be wrong.
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*; estimated if it is not given. Probabilities and classes
        depend on it, the ranking does not.
    calibrate : bool, default=True
        Estimate probabilities, prior, suspicion and AUC from out-of-fold ranks, by five fits to four fifths of the rows
        each. Probabilities are calibrated if `prior` is given or identified by the data
        (`blindauc.prior.is_identified`); otherwise `predict_proba_interval` gives their range. With False there is no
        `predict_proba`, and `predict` predicts as many training rows positive as are labelled (or a share `prior` of
        the unlabelled ones).
    sampling : {"one_sample", "two_sample"}, default="one_sample"
        The population that `predict_proba` and `predict` refer to. "one_sample": all training rows are one sample of
        it, and some of its positives were labelled. "two_sample": only the unlabelled rows are a sample of it.
    threshold : {"probability", "share"}, default="probability"
        `predict` predicts positive if the probability is above one half, or for the highest scores, such that their
        share among the unlabelled training rows is the prior. If the classes overlap and positives are rare, no
        probability may exceed one half.
    pos_label : object, default=None
        The label of positives; the larger of the two by default. scikit-learn's scorers ignore it and take the larger
        label as positive; those of `blindauc.metrics` respect it.
    solver : {"exchange", "path", "psg"}, default="exchange"
        "exchange" is deterministic and never increases the objective. "path" reduces ridge and features step by step
        without a search; it takes a fraction of the time and often ranks new rows as well. "psg" is the projected
        stochastic gradient method of the paper.
    max_iter : int, default=500
        The most Newton steps of one fit on a support ("exchange", "path"), or epochs ("psg").
    tol : float, default=1e-4
        Stopping tolerance: the norm of the gradient relative to that at zero ("exchange", "path"), or the relative
        decrease of the objective in an epoch ("psg").
    max_swaps : int, default=50
        The most exchanges of features, and of outliers, that "exchange" tries before it accepts a support. Each is a
        fit on a support, and they take most of the time of a search: 5 is several times faster and mostly as good,
        0 tries none.
    random_state : int, RandomState or None, default=None
        Seed of the batches of "psg", and of the landmarks of a kernel.
    verbose : int, default=0
        Whether to print a line per stage.
    callback : callable or None, default=None
        Called with a `Progress` after each stage.

    Attributes
    ----------
    coef_ : ndarray of shape (p,), of a linear score
    model_ : the score
    effects_ : list of Effect, with `calibrate`
        For each column, its contribution to the score as a function of its value, with a 95 % band; for a category, the
        contribution of each level, by its name.
    importance_ : ndarray of shape (p,), with `calibrate`
        Permutation importance: the decrease of the out-of-fold blind AUC when a column is permuted.
    intercept_ : float
        Minus the threshold of `predict`.
    support_ : mask of shape (p,), the selected columns
    spread_ : ndarray of shape (p,)
        The standard deviations of the columns, NaN for categories: compare weights as `coef_ * spread_`.
    shift_ : ndarray of shape (n_pos,)
        The shift of each labelled positive, in the order of the rows; zero if it is not an outlier, infinite if it was
        trimmed.
    outliers_ : ndarray
        Row numbers, in the training X, of the labelled positives that were left out.
    leverage_ : ndarray of shape (n_pos,)
        For each of `labelled_rows_` that was set aside for its leverage, the number of columns in which it is unlike
        the other rows; 0 for all others.
    l2_ : float
        The regularisation strength.
    prior_, contamination_ : Estimate
        The share of positives among the unlabelled rows, and of wrong labels among the labelled positives, with
        intervals. Rows that were checked do not count.
    auc_ : Estimate
        The AUC of the ranking on true labels, from out-of-fold ranks and the two shares above. With fewer than 15
        distinct positives it cannot be estimated, and `fit` warns: its interval is 0 to 1, as are those of the shares.
    suspicion_, labelled_rows_ : ndarray of shape (n_pos,)
        The probability that each labelled positive (of positive weight) is mislabelled, and its row in the training X.
    confirmed_rows_, known_negative_rows_ : ndarray, with `checked`
        Row numbers, in the training X, of the rows that are known to be positive, and negative.
    auc_checked_ : Estimate, with at least 10 known negatives
        The out-of-fold AUC of positives against known negatives; it needs no prior. Known negatives are not a random
        sample of negatives: labels found wrong in the order of suspicion rank lower than most negatives, and unlabelled
        rows checked from the top of the ranking rank higher.
    wrong_expected_ : Estimate, where labels were checked
        The expected number of wrong labels among those checked, by their out-of-fold ranks alone. Comparing it with the
        number found shows how well `suspicion_` is calibrated.
    check_for_ranking_ : ndarray
        The first of the rows that `next_to_check(k, for_="ranking")` names.
    calibration_, unlabelled_calibration_ : ScoreModel
        Calibration of the scores, for rows of the population (`sampling`) and for rows known to be unlabelled.
    lift_ : float
        By how much unlabelled rows of the fit score lower than new unlabelled rows.
    labels_by_step_ : ndarray of shape (n_steps,)
        The number of labelled rows in each step of `calibration_`, except those with leverage.
    objective_ : float
        The value of the objective at the end.
    n_iter_ : int
        The number of iterations of the solver.
    n_labelled_, n_unlabelled_ : int
        The number of rows of positive weight.
    classes_ : ndarray of shape (2,), the positive class last
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    categories_ : Categories, where X is a table with categories
        The `columns` that are categories, and the `levels` of each; others count as missing.

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
