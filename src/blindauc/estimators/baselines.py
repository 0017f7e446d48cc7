"""Baselines with the interface of the other estimators: two SVMs and a difference of means."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC, OneClassSVM
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Floats
from blindauc.choice.baselines import difference_of_means
from blindauc.data import Data
from blindauc.estimators.inputs import check_choice, check_number, read_matrix
from blindauc.estimators.reading import all_or_nothing, read_data
from blindauc.rows.matrix import Matrix


class PUBaseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the baselines: they predict positive where the score is above zero."""

    pos_label: Any
    classes_: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to labelled positives and unlabelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
            1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_params()
            self._fit(read_data(self, X, y))
        return self

    def _check_params(self) -> None:
        """Raise an error for invalid parameters."""

    def _fit(self, data: Data) -> None:
        raise NotImplementedError

    def decision_function(self, X: Any) -> Floats:
        """The ranking: higher is more likely positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return self._scores(read_matrix(self, X, reset=False))

    def _scores(self, X: Any) -> Floats:
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """The class of each row: positive where the decision function is above zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        is_positive = self.decision_function(X) > 0
        return self.classes_[is_positive.astype(np.intp)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class BiasedSVM(PUBaseline):
    r"""A support vector machine with a larger penalty for labelled positives than for unlabelled rows.

    .. math:: \min_f \tfrac12 |f|^2 + C \Big( w \sum_i \xi_i + \sum_j \xi_j \Big)

    with the hinge losses :math:`\xi_i` of the positives, :math:`\xi_j` of the unlabelled rows taken for negatives,
    and :math:`w` = `pos_weight` (Liu et al., Building text classifiers using positive and unlabeled examples, 2003).

    Parameters
    ----------
    C : float, default=1.0
        The penalty of an unlabelled row, as in `sklearn.svm.SVC`.
    pos_weight : float or "balanced", default="balanced"
        The penalty of a labelled positive, in units of `C`; "balanced" gives both classes the same total weight.
    kernel : {"linear", "rbf", "poly", "sigmoid"}, default="linear"
    gamma : {"scale", "auto"} or float, default="scale"
    max_iter : int, default=-1
        The most iterations of the solver; -1 for no limit.
    pos_label : default=None
        The positive class; the larger of the two by default.

    Attributes
    ----------
    svm_ : sklearn.svm.SVC
    n_iter_ : int
    n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from blindauc import BiasedSVM
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=40, n_outliers=0, random_state=0)
    >>> model = BiasedSVM(C=1e-4).fit(data.X, data.y_pu)
    >>> bool(roc_auc_score(data.y_test, model.decision_function(data.X_test)) > 0.8)
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        pos_weight: Any = "balanced",
        kernel: str = "linear",
        gamma: Any = "scale",
        max_iter: int = -1,
        pos_label: Any = None,
    ) -> None:
        self.C = C
        self.pos_weight = pos_weight
        self.kernel = kernel
        self.gamma = gamma
        self.max_iter = max_iter
        self.pos_label = pos_label

    def _check_params(self) -> None:
        check_number("C", self.C, above=0)
        if self.pos_weight != "balanced":
            check_number("pos_weight", self.pos_weight, above=0)

    def _fit(self, data: Data) -> None:
        # Classes as numbers: model files do not keep booleans as keys of a dict.
        class_weight = "balanced" if self.pos_weight == "balanced" else {1: self.pos_weight, 0: 1.0}
        svm = SVC(C=self.C, kernel=self.kernel, gamma=self.gamma, class_weight=class_weight, max_iter=self.max_iter)
        self.svm_ = svm.fit(data.X, data.is_positive)
        self.n_iter_ = int(self.svm_.n_iter_.max())

    def _scores(self, X: Any) -> Floats:
        return self.svm_.decision_function(X)


class OneClassRanker(PUBaseline):
    r"""A one-class support vector machine on the labelled positives; it does not use the unlabelled rows.

    It finds a small region that holds all but a share :math:`\nu` of the positives (Schölkopf et al., Estimating the
    support of a high-dimensional distribution, 2001):

    .. math:: \min_{f, \rho} \tfrac12 |f|^2 - \rho + \frac{1}{\nu n} \sum_i \max(0, \rho - f(x_i)).

    Parameters
    ----------
    nu : float, default=0.1
        The share of positives that may be left outside.
    kernel : {"linear", "rbf", "poly", "sigmoid"}, default="rbf"
    gamma : {"scale", "auto"} or float, default="scale"
    pos_label : default=None
        The positive class; the larger of the two by default.

    Attributes
    ----------
    svm_ : sklearn.svm.OneClassSVM
    n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from blindauc import OneClassRanker
    >>> X, y = [[0.0, 1.0], [0.1, 0.9], [0.2, 1.0], [5.0, 5.0]], [1, 1, 1, 0]
    >>> scores = OneClassRanker(nu=0.5).fit(X, y).decision_function(X)
    >>> int(scores.argmin())
    3
    """

    def __init__(self, nu: float = 0.1, *, kernel: str = "rbf", gamma: Any = "scale", pos_label: Any = None) -> None:
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.pos_label = pos_label

    def _check_params(self) -> None:
        check_number("nu", self.nu, above=0)
        if self.nu > 1:
            raise ValueError(f"nu is a share of the positives: above 0 and at most 1, not {self.nu!r}.")

    def _fit(self, data: Data) -> None:
        svm = OneClassSVM(nu=self.nu, kernel=self.kernel, gamma=self.gamma)
        self.svm_ = svm.fit(data.subset(data.is_positive).X)

    def _scores(self, X: Any) -> Floats:
        return self.svm_.decision_function(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a one-class SVM does not use the unlabelled rows
        return tags


class DifferenceOfMeans(PUBaseline):
    r"""A linear score along the difference between the means of labelled positives and unlabelled rows.

    .. math:: f(x) = \Big(x - \frac{m_+ + m}{2}\Big)^\top D^{-1} (m_+ - m)

    with the columns' variances on the diagonal of :math:`D` if `scaling` is "standard", and :math:`D = I` if "none".

    Parameters
    ----------
    scaling : {"standard", "none"}, default="standard"
    pos_label : default=None
        The positive class; the larger of the two by default.

    Attributes
    ----------
    coef_ : ndarray of shape (p,)
    intercept_ : float
        Such that the score is zero half-way between the two means.
    n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from blindauc import DifferenceOfMeans
    >>> model = DifferenceOfMeans(scaling="none").fit([[0.0, 0.0], [2.0, 0.0], [4.0, 1.0], [4.0, 1.0]], [0, 0, 1, 1])
    >>> model.coef_
    array([3., 1.])
    """

    def __init__(self, scaling: str = "standard", *, pos_label: Any = None) -> None:
        self.scaling = scaling
        self.pos_label = pos_label

    def _check_params(self) -> None:
        check_choice("scaling", self.scaling, ("standard", "none"))

    def _fit(self, data: Data) -> None:
        plain, standard = difference_of_means(data)
        self.coef_ = plain if self.scaling == "none" else standard
        scores = Matrix(data.X).scores(self.coef_)
        self.intercept_ = -float(scores[data.is_positive].mean() + scores[~data.is_positive].mean()) / 2

    def _scores(self, X: Any) -> Floats:
        return Matrix(X).scores(self.coef_) + self.intercept_
