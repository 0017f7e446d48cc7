"""A fitted linear score: ranking, classes, probabilities, doubtful labels, selected columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Bools, Floats, Ints
from blindauc.design import Design
from blindauc.estimators.inputs import read_matrix
from blindauc.prior import flag


def _is_calibrated(model: Any) -> bool:
    # Before the fit it is not known whether the fit will calibrate, so the parameter has to say.
    if hasattr(model, "calibration_") or getattr(model, "calibrate", True):
        return True
    raise AttributeError("With calibrate=False there are no probabilities: set it to True and fit again.")


class LinearPUModel(ClassifierMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """What can be asked of a linear score once it is fitted."""

    coef_: Floats
    intercept_: float
    support_: Bools
    classes_: Any
    calibration_: Any
    suspicion_: Floats
    labelled_rows_: Ints

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
