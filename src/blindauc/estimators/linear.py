"""A fitted linear score: ranking, classes, probabilities, doubtful labels, selected columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.design import Design
from blindauc.estimate import Estimate
from blindauc.estimators.inputs import read_matrix
from blindauc.estimators.meaning import Meaning
from blindauc.estimators.reading import Sifted
from blindauc.estimators.threshold import threshold_of_half, threshold_of_share
from blindauc.labels import read_labels
from blindauc.metrics import blind_auc_score
from blindauc.prior import flag


def _is_calibrated(model: Any) -> bool:
    # Before the fit it is not known whether the fit will calibrate, so the parameter has to say.
    if hasattr(model, "calibration_") or getattr(model, "calibrate", True):
        return True
    raise AttributeError("With calibrate=False there are no probabilities: set it to True and fit again.")


class LinearPUModel(ClassifierMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """What can be asked of a linear score once it is fitted."""

    has_intercept: ClassVar[bool]
    """Whether the risk has a constant of its own."""

    coef_: Floats
    intercept_: float
    support_: Bools
    classes_: Any
    calibration_: Any
    suspicion_: Floats
    labelled_rows_: Ints
    leverage_: Ints
    prior_: Estimate

    def decision_function(self, X: Any) -> Floats:
        """The ranking: higher is more likely positive, above zero is predicted positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._scores(X) + self.intercept_

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return Design(read_matrix(self, X, reset=False)).scores(self.coef_)

    def predict(self, X: Any) -> Any:
        """The class of each row: positive where the decision function is above zero (`threshold` says where that is).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        is_positive = self.decision_function(X) > 0
        return self.classes_[is_positive.astype(np.intp)]

    @available_if(_is_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of being unlabelled-like and of being positive, for rows of the population (`sampling`).

        Calibrated by the ranks of rows held out of the fit. They never fall as the decision function grows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n, 2), rows summing to one
        """
        scores = self._scores(X)
        positive = self.calibration_.probability(scores)
        return np.column_stack([1 - positive, positive])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The blind AUC: the chance that a labelled positive scores above an unlabelled row.

        With the share :math:`\\pi` of positives among the unlabelled rows and correct labels, it is
        :math:`\\pi / 2 + (1 - \\pi) AUC`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
        y : array-like of shape (n,)
            PU labels, as in `fit`.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        scores = self.decision_function(X)
        is_positive = read_labels(y, self.classes_[1]).is_positive
        return float(blind_auc_score(is_positive, scores, sample_weight=sample_weight))

    @available_if(_is_calibrated)  # type: ignore[untyped-decorator]
    def doubtful_labels(self, max_fdr: float = 0.2) -> Ints:
        """Row numbers, in the training X, of the labelled positives to doubt, the most doubtful first.

        As many as there can be while the expected share of false alarms among them is at most `max_fdr`. All of
        `suspicion_` takes part, whether a positive was an outlier of the fit or not.

        Parameters
        ----------
        max_fdr : float, default=0.2

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        flagged = np.flatnonzero(flag(self.suspicion_, max_fdr))
        return self.labelled_rows_[flagged[np.argsort(-self.suspicion_[flagged], kind="stable")]]

    def _store_outliers(self, rows: Sifted, left_out: Bools, shift: Floats) -> None:
        """Keep which labelled positives were left out: by their scores, and for their leverage."""
        data = rows.data
        fitted_rows = data.row[data.is_positive]
        self.outliers_ = np.union1d(fitted_rows[left_out], rows.leverage_rows)
        self.shift_ = np.zeros(len(data.labelled))
        self.shift_[np.searchsorted(data.labelled, fitted_rows)] = shift
        self.shift_[np.searchsorted(data.labelled, rows.leverage_rows)] = np.inf
        self.labelled_rows_ = np.union1d(fitted_rows, rows.leverage_rows)
        self.leverage_ = np.zeros(len(self.labelled_rows_), dtype=np.intp)
        self.leverage_[np.searchsorted(self.labelled_rows_, rows.leverage_rows)] = rows.n_columns

    def _store_meaning(self, meaning: Meaning, data: Data, scores: Floats, threshold: str) -> None:
        self.calibration_, self.auc_ = meaning.calibration, meaning.auc
        self.prior_, self.contamination_ = meaning.prior, meaning.contamination
        self.suspicion_ = meaning.suspicion
        unlabelled = ~data.is_positive
        if threshold == "probability":
            self.intercept_ = -threshold_of_half(self.calibration_, scores)
        else:
            self.intercept_ = -threshold_of_share(scores[unlabelled], data.weight[unlabelled], float(self.prior_))

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def _html_repr(self) -> str:
        """What notebooks show: scikit-learn's diagram, and once there is something, what was found."""
        diagram: str = super()._html_repr()
        if not hasattr(self, "spread_"):
            return diagram
        from blindauc.estimators.notebook import found

        return found(self) + diagram

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
