"""Gradient boosting of a risk by LightGBM (Ke et al., LightGBM: a highly efficient gradient boosting decision tree,
NeurIPS 2017).

Each round lowers n_pos * risk(a, b), with its exact gradient. The Hessian is replaced by an upper bound that holds
everywhere, a multiple of the weights of the rows. For the blind AUC it is

    sum_ij p_i q_j loss''(a_i - b_j) (d_i - d_j)^2  <=  2 max(loss'') (sum_i p_i d_i^2 + sum_j q_j d_j^2)

The diagonal of the Hessian at the current scores does not rank better and takes as long to compute as the gradient.
(Mean AUC on the KEEL data sets of the shaping half of `benchmarks/families.py`, each with its best settings: .8426 with
the bound, .8419 with the diagonal.) LightGBM measures the size of leaves by their Hessian. With the bound, that size is
in labelled positives: each of them counts 1, and all unlabelled rows together count as much as all labelled positives.
The ridge on leaf values is therefore in units of one labelled positive, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from blindauc import extras
from blindauc._typing import Bools, Floats
from blindauc.risks import Risk, RiskValue
from blindauc.rows.storage import for_c_libraries
from blindauc.scorers import tree_text
from blindauc.scorers.node_risk import NodeRisk
from blindauc.threads import FEW_ENTRIES

_imported = partial(extras.imported, otherwise="Trees need {}: pip install 'blindauc[trees]'.")

LEARNING_RATE = 0.1
"""Convention; LightGBM's default. The numbers of rounds in the search, 15 to 150, go with it."""

MIN_LEAF_WEIGHT = 5.0
"""The minimal weight of a leaf, in labelled positives.

In smaller leaves the number of positives is mostly chance: a leaf with five expected positives has none in one case of
150. The mean AUC over 8 real data sets of the shaping half (16 leaves, l2 = 10, 100 rounds) was .9110, .9122 and .9108
with a minimal weight of 2, 5 and 10.
"""

LEAF_RIDGE = 10.0
"""The default ridge on the values of leaves, in labelled positives: twice `MIN_LEAF_WEIGHT` (convention).

On the KEEL data sets of the shaping half, a ridge of 30 reached the same AUC.
"""

MIN_GROUP_WEIGHT = 10.0
"""The minimal weight of the categories that a split sends to one side, in labelled positives; equal to `LEAF_RIDGE`.

It is also LightGBM's `cat_smooth`, which is added to the weight of each category when categories are sorted by their
mean gradients. LightGBM's default for the categories of one side is 100 rows. LightGBM counts rows by their Hessian, so
that 100 rows may amount to less than one labelled positive, or to all of them. Over five simulated tables (500 to 6,000
rows, 12 to 300 categories, 15 % of the labels wrong, 3 draws each) the mean AUC was .751 with LightGBM's defaults, and
.759, .748 and .710 with a minimal weight of 10, 20 and 40.
"""

LARGEST_INTERCEPT = 20.0
"""The largest absolute value of the intercept (convention). Beyond it, a constant score predicts one class with
certainty."""


def lightgbm() -> Any:
    """The LightGBM module; if it is not installed, an ImportError with the install command."""
    return _imported("lightgbm")


def is_installed() -> bool:
    """Whether LightGBM can be imported; False also if a shared library that it needs is missing."""
    try:
        lightgbm()
    except (ImportError, OSError):
        return False
    return True


def threads_for(X: Any) -> int:
    """The number of threads: 1 if X is small, else 0, OpenMP's own setting, which joblib limits in its processes."""
    return 1 if X.shape[0] * X.shape[1] <= FEW_ENTRIES else 0


def as_lightgbm_takes_it(X: Any) -> Any:
    """X in a format that LightGBM reads without rounding its values."""
    return for_c_libraries(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))


class RowRisk:
    """LightGBM's objective: n_pos * risk of the scores of all rows, in units of the curvature of one labelled positive.

    Parameters
    ----------
    risk : Risk
    is_positive : mask of shape (n,)
    weight : ndarray of shape (n,)
        Numbers of rows; rows of weight zero do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.losses import Logistic
    >>> from blindauc.risks import BlindAUCRisk
    >>> from blindauc.scorers.boosting import RowRisk
    >>> of_rows = RowRisk(BlindAUCRisk(Logistic()), np.array([True, False, False]), np.ones(3))
    >>> gradient, bound = of_rows(np.zeros(3))
    >>> gradient.tolist(), bound.tolist()
    ([-1.0, 0.5, 0.5], [1.0, 0.5, 0.5])
    """

    def __init__(self, risk: Risk, is_positive: Bools, weight: Floats) -> None:
        n_pos, n_unl = float(weight[is_positive].sum()), float(weight[~is_positive].sum())
        self._risk, self._scale = risk, n_pos / _curvature(risk)
        self._intercept = _intercept(risk)
        self._pos = np.flatnonzero(is_positive)
        self._p = weight[is_positive] / n_pos
        # The positives stay among the unlabelled scores, with weight zero: removing them would take as long as a sum.
        self._q = np.where(is_positive, 0.0, weight) / n_unl
        self._bound = self._of_rows(n_pos * self._p, n_pos * self._q)

    def __call__(self, scores: Floats, dataset: Any = None) -> tuple[Any, Any]:
        """The gradient and the diagonal bound of the Hessian, in the form that LightGBM expects of an objective."""
        _, by_pos, by_unl = self._at(NodeRisk(self._risk), scores)
        by_unl *= self._scale  # in place, because copying a million values takes noticeable time
        return self._of_rows(self._scale * by_pos, by_unl), self._bound

    @property
    def n_rows_of_groups(self) -> int:
        """`MIN_GROUP_WEIGHT` in rows, which LightGBM counts by their share of the Hessian."""
        return max(round(MIN_GROUP_WEIGHT * len(self._bound) / float(self._bound.sum())), 1)

    def value(self, scores: Floats) -> float:
        """The objective at the given scores."""
        return self._scale * self._at(self._risk, scores).value

    def _at(self, risk: Risk | NodeRisk, scores: Floats) -> RiskValue:
        scores = scores + self._intercept if self._intercept else scores
        return risk(scores[self._pos], scores, self._p, self._q)

    def _of_rows(self, of_pos: Floats, of_unl: Floats) -> Any:
        values = of_unl.astype(np.float32)  # LightGBM works in single precision
        values[self._pos] = of_pos
        return values


def _curvature(risk: Risk) -> float:
    """An upper bound of the curvature. A loss with a kink has no bound: its slope at zero is used instead.

    The first boosting step with such a loss is then as long as with the logistic loss.
    """
    if isfinite(risk.curvature_scale):
        return risk.curvature_scale
    return float(abs(_at_constant(risk, 0.0).by_unl[0]))


def _intercept(risk: Risk) -> float:
    """The constant score that boosting starts from: the one that minimises the risk; 0 if the risk has no intercept.

    It is 0 for a loss with a kink, where all rows might start on the kink, and for a loss that is not convex, whose
    slope may vanish at the best constant.
    """
    if not (risk.has_intercept and risk.loss.convex and isfinite(risk.curvature_scale)):
        return 0.0
    bounds = (-LARGEST_INTERCEPT, LARGEST_INTERCEPT)
    return float(minimize_scalar(lambda c: _at_constant(risk, c).value, bounds=bounds, method="bounded").x)


def _at_constant(risk: Risk, score: float) -> Any:
    scores, share = np.full(1, score), np.ones(1)
    return risk(scores, scores, share, share)


class Stage(NamedTuple):
    """The number of trees and the scores of all rows after some rounds. A round that finds no split adds no tree."""

    n_rounds: int
    n_trees: int
    scores: Floats


class Grown(NamedTuple):
    """LightGBM's model text after the last round, and the requested stages."""

    text: str
    stages: list[Stage]


@dataclass(frozen=True)
class Boosting:
    """Gradient boosting on fixed rows, which LightGBM bins once for all fits.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p), missing values as NaN
    is_category : mask of shape (p,) or None
        Columns that hold category codes.
    """

    X: Any
    is_category: Bools | None = None

    @cached_property
    def _dataset(self) -> Any:
        categories = [] if self.is_category is None else np.flatnonzero(self.is_category).tolist()
        rows = as_lightgbm_takes_it(self.X)
        return lightgbm().Dataset(rows, params=self.params, categorical_feature=categories, free_raw_data=True)

    @property
    def _can_split(self) -> bool:
        """Whether any column is not constant; LightGBM fails if all are."""
        binned = self._dataset.construct()
        return any(binned.feature_num_bin(column) > 1 for column in range(self.X.shape[1]))

    @property
    def params(self) -> dict[str, Any]:
        return {
            "objective": "none",
            "metric": "none",
            "boost_from_average": False,
            "learning_rate": LEARNING_RATE,
            # One random threshold per column is tried (Geurts, Ernst and Wehenkel, Extremely randomized trees, Mach.
            # Learn. 2006): the best of all thresholds mostly overfits a few labels. On the data sets of the shaping
            # half this gained 3 points of AUC; bagging gained 1, and random columns half a point.
            "extra_trees": True,
            # LightGBM orders bundles of columns by numbers of rows, and thresholds would depend on these. With
            # `force_row_wise`, bundles save no time.
            "enable_bundle": False,
            # Only `MIN_LEAF_WEIGHT` limits the size of leaves; limits on the number of rows are off.
            "min_sum_hessian_in_leaf": MIN_LEAF_WEIGHT,
            "min_data_in_leaf": 0,
            "min_data_in_bin": 1,
            "cat_smooth": MIN_GROUP_WEIGHT,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_row_wise": True,
            "seed": 0,
            "num_threads": threads_for(self.X),
            "verbosity": -1,
        }

    def run(self, of_rows: RowRisk, *, n_leaves: int, l2: float, rounds: Sequence[int]) -> Grown:
        """Boost for max(rounds) rounds, and keep the scores after each of the numbers in `rounds`."""
        if not self._can_split:
            zeros = np.zeros(self.X.shape[0])
            return Grown(tree_text.written([], self.X.shape[1]), [Stage(n, 0, zeros) for n in sorted(set(rounds))])
        params = self.params | {"num_leaves": n_leaves, "lambda_l2": l2, "min_data_per_group": of_rows.n_rows_of_groups}
        booster = lightgbm().Booster(params, self._dataset)
        stages: list[Stage] = []
        for n_rounds in range(1, max(rounds) + 1):
            booster.update(fobj=of_rows)
            if n_rounds in rounds:
                stages.append(Stage(n_rounds, booster.current_iteration(), _training_scores(booster)))
        return Grown(booster.model_to_string(), stages)


def _training_scores(booster: Any) -> Floats:
    """The scores of the training rows, which LightGBM passes to metrics; `predict` would evaluate all trees again."""
    scores: list[Floats] = []

    def keep(now: Floats, dataset: Any) -> tuple[str, float, bool]:
        scores.append(now.copy())
        return "", 0.0, False

    booster.eval_train(keep)
    return scores[0]
