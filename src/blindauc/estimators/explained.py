"""Explanations of a fitted score: coefficients, effects, interactions and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Floats
from blindauc.data import Data
from blindauc.estimators.explaining import explained
from blindauc.estimators.inputs import read_matrix
from blindauc.evidence.out_of_fold import Fold
from blindauc.explain import Effect, Interaction
from blindauc.explain.effects import NO_CATEGORIES, packed, unpacked
from blindauc.scorers import LinearModel, Model

EFFECTS = "effects_"


OF_CALIBRATION = frozenset(
    {
        "auc_",
        "calibration_",
        "check_for_ranking_",
        "contamination_",
        "doubtful_labels",
        EFFECTS,
        "expected_wrong",
        "importance_",
        "interactions",
        "interactions_",
        "labels_by_step_",
        "lift_",
        "next_to_check",
        "predict_proba",
        "predict_proba_interval",
        "prior_",
        "suspicion_",
        "unlabelled_calibration_",
    }
)
"""The attributes and methods that an estimator with calibrate=False does not have."""


def is_calibrated(model: Any) -> bool:
    """Whether a model was, or will be, calibrated."""
    # Before the fit, the parameter says whether the fit will calibrate.
    return "calibration_" in vars(model) or bool(getattr(model, "calibrate", True))


class ExplainedScore(BaseEstimator):  # type: ignore[misc]
    """Base class with the explanations of a fitted score."""

    shape: Any
    model_: Model
    intercept_: float
    effects_: list[Effect]
    importance_: Floats
    interactions_: list[Interaction]
    usual_: Floats

    def __getattr__(self, name: str) -> Any:
        """Called for missing attributes: the error says if an attribute needs calibration."""
        if name in OF_CALIBRATION and not is_calibrated(self):
            raise AttributeError(f"{name} needs calibrate=True: set it, and fit again.", name=name, obj=self)
        return object.__getattribute__(self, name)  # raises the error of the attribute

    @property
    def coef_(self) -> Floats:
        """The weight of each column, for a linear score."""
        check_is_fitted(self)
        if not isinstance(self.model_, LinearModel):
            raise AttributeError('A non-linear score has no coefficients: see effects_, or choose shape="linear".')
        return self.model_.coef

    def _store_usual(self, reference: Floats) -> None:
        """Store the mean contribution of each column over unlabelled rows, the baseline of `reasons`."""
        self.usual_ = self.model_.contributions(reference).mean(axis=0)

    def _store_explanation(self, reference: Floats, data: Data, folds: Sequence[Fold]) -> None:
        categories = getattr(self, "categories_", None)
        levels = NO_CATEGORIES if categories is None else categories.by_column
        found = explained(self.model_, reference, data, folds, levels)
        self.effects_, self.importance_, self.interactions_ = found.effects, found.importance, found.interactions

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def interactions(self, n_pairs: int = 10) -> list[Interaction]:
        """The strongest interactions of pairs of columns, in decreasing order.

        Parameters
        ----------
        n_pairs : int, default=10

        Returns
        -------
        list of Interaction
            With the two `columns` and the `size`, the share of the variance of the scores due to the interaction. Empty
            for additive scores.
        """
        check_is_fitted(self)
        return self.interactions_[:n_pairs]

    def reasons(self, X: Any) -> Floats:
        """The contribution of each column to the score of each row, relative to the mean over unlabelled rows.

        Exact for linear scores and curves; Shapley values for trees (Lundberg et al., Nat. Mach. Intell. 2020), and
        integrated gradients for kernels (Sundararajan, Taly and Yan, ICML 2017).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n, p + 1)
            One column per column of X, and a last, constant one with the mean score of unlabelled rows. Rows sum to
            `decision_function`.

        Examples
        --------
        >>> import numpy as np
        >>> from blindauc import BlindAUCClassifier
        >>> from blindauc.datasets import make_paper_data
        >>> data = make_paper_data(n_features=20, n_relevant=15, n_outliers=0, random_state=0)
        >>> model = BlindAUCClassifier(shape="curves").fit(data.X, data.y_pu)
        >>> reasons = model.reasons(data.X_test)
        >>> bool(np.allclose(reasons.sum(axis=1), model.decision_function(data.X_test)))
        True
        """
        check_is_fitted(self)
        parts = self.model_.contributions(read_matrix(self, X, reset=False)) - self.usual_
        base = self.usual_.sum() + self.model_.base + self.intercept_
        return np.column_stack([parts, np.full(len(parts), base)])

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state | {EFFECTS: packed(state[EFFECTS])} if EFFECTS in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state | {EFFECTS: unpacked(state[EFFECTS])} if EFFECTS in state else state)
