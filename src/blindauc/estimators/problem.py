"""An estimator's problem, as tuning and calibration ask for it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from blindauc._typing import Bools
from blindauc.data import Data
from blindauc.estimators.inputs import read_sparsity
from blindauc.objectives import BlindAUCObjective, Objective
from blindauc.sparsity import SparsitySet


@dataclass(frozen=True)
class EstimatorProblem:
    """The objective and the sets of an estimator, for some of its rows and any scaling, loss and counts."""

    estimator: Any
    data: Data
    prior: float

    @property
    def n_columns(self) -> int:
        return int(self.data.X.shape[1]) + self._has_intercept

    def of(self, data: Data) -> Self:
        return replace(self, data=data)

    def objective(self, data: Data, scaling: str, loss: Any) -> Objective:
        varied = copy(self.estimator)
        varied.scaling, varied.loss, varied.l2 = scaling, loss, 1.0
        return self._objective_of(varied, data)

    def _objective_of(self, estimator: Any, data: Data) -> Objective:
        return estimator._objective(data, self.prior)

    def features(self, n_features_to_select: Any) -> SparsitySet:
        e = self.estimator
        names = getattr(e, "feature_names_in_", None)
        features = read_sparsity(e.sparsity, e.groups, n_features_to_select, self.data.X.shape[1], names)
        return features.with_free_column() if self._has_intercept else features

    @property
    def _has_intercept(self) -> bool:
        return self.estimator.has_intercept

    def screened(self, data: Data, n_outliers: int) -> Bools:
        return self.estimator._screened(data, n_outliers)


@dataclass(frozen=True)
class BlindProblem(EstimatorProblem):
    """The same rows, ridges and sets with the blind AUC for an objective, which needs no prior."""

    prior: float = np.nan

    def _objective_of(self, estimator: Any, data: Data) -> Objective:
        return BlindAUCObjective(data.X, data.is_positive, **estimator._ridges(data))

    @property
    def _has_intercept(self) -> bool:
        return False
