"""Gradient boosting of a risk by LightGBM (Ke et al., LightGBM: a highly efficient gradient boosting decision tree,
NeurIPS 2017).

Rounds lower n_pos * risk(a, b) with its exact gradient and, in the place of its Hessian, a multiple of the rows'
weights that bounds it everywhere: for the blind AUC

    sum_ij p_i q_j loss''(a_i - b_j) (d_i - d_j)^2  <=  2 max(loss'') (sum_i p_i d_i^2 + sum_j q_j d_j^2)

The Hessian at the present scores brought no better rankings (keel sets of `benchmarks/families.py` for shaping: mean
AUC .8426 by the bound, .8419 by the Hessian, at the best settings of each) and costs as much as the gradient once more.
With the bound, LightGBM, which counts rows by their Hessian, counts labelled positives: one weighs one, all unlabelled
rows together weigh as much as all labelled positives, and a ridge on leaf values is in units of one labelled positive.
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
"""By convention. 15 to 150 rounds of it reach from what only ranks to what starts to memorise."""

MIN_LEAF_WEIGHT = 5.0
"""The least weight of a leaf, in labelled positives; unlabelled rows count by how many positives are as many.

By a leaf of fewer, chance decides: one in 150 has none where five are expected. The mean AUC of 8 real sets for shaping
(16 leaves, l2 = 10, 100 rounds) was .9110, .9122 and .9108 with a least weight of 2, 5 and 10.
"""

LEAF_RIDGE = 10.0
"""The ridge on the values of leaves to take where nothing else is said, in labelled positives: twice the least weight.

On the keel sets for shaping, 30 did as well.
"""

MIN_GROUP_WEIGHT = 10.0
"""The least weight of the categories that a split takes to a side together, in labelled positives: as the ridge.

As many are added to the weight of each when they are put in the order of their mean gradients. LightGBM asks for 100
rows, which may be less than one labelled positive or all that there are, since it counts rows by their Hessian. Over
five simulated tables (500 to 6,000 rows, 12 to 300 categories, 15 % of the labels wrong, 3 draws each) the mean AUC was
.751 by LightGBM's defaults, and .759, .748 and .710 with a least weight of 10, 20 and 40.
"""

LARGEST_INTERCEPT = 20.0
"""Constant scores beyond are certainty of one class."""


def lightgbm() -> Any:
    """The module; one line says how to get it where it is not installed."""
    return _imported("lightgbm")


def is_installed() -> bool:
    """Whether LightGBM can be used; not where a library that it needs is missing."""
    try:
        lightgbm()
    except (ImportError, OSError):
        return False
    return True


def threads_for(X: Any) -> int:
    """One thread where X is small; else as many as OpenMP may use, which joblib sets in its processes."""
    return 1 if X.shape[0] * X.shape[1] <= FEW_ENTRIES else 0


def as_lightgbm_takes_it(X: Any) -> Any:
    """X as one of the types that LightGBM reads without rounding."""
    return for_c_libraries(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))


class RowRisk:
    """n_pos * risk as a function of the scores of all rows, in units of the curvature of one labelled positive.

    Parameters
    ----------
    risk : Risk
    is_positive : mask of shape (n,)
    weight : ndarray of shape (n,)
        Numbers of rows; rows of weight zero have no part in it.

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
        # All rows stand for the unlabelled ones, the others without weight: to pick some out takes as long as a sum.
        self._q = np.where(is_positive, 0.0, weight) / n_unl
        self._bound = self._of_rows(n_pos * self._p, n_pos * self._q)

    def __call__(self, scores: Floats, dataset: Any = None) -> tuple[Any, Any]:
        """The gradient, and the bound of the Hessian by a diagonal, as LightGBM asks for them."""
        _, by_pos, by_unl = self._at(NodeRisk(self._risk), scores)
        by_unl *= self._scale  # in place: at a million rows every copy counts
        return self._of_rows(self._scale * by_pos, by_unl), self._bound

    @property
    def n_rows_of_groups(self) -> int:
        """`MIN_GROUP_WEIGHT` in rows, as LightGBM counts these: by their share of the Hessian."""
        return max(round(MIN_GROUP_WEIGHT * len(self._bound) / float(self._bound.sum())), 1)

    def value(self, scores: Floats) -> float:
        """What the scores cost."""
        return self._scale * self._at(self._risk, scores).value

    def _at(self, risk: Risk | NodeRisk, scores: Floats) -> RiskValue:
        scores = scores + self._intercept if self._intercept else scores
        return risk(scores[self._pos], scores, self._p, self._q)

    def _of_rows(self, of_pos: Floats, of_unl: Floats) -> Any:
        values = of_unl.astype(np.float32)  # LightGBM works in single precision
        values[self._pos] = of_pos
        return values


def _curvature(risk: Risk) -> float:
    """A bound of the curvature; with a kink there is none, and the slope at zero has to do.

    The first step is then as long as that of the logistic loss.
    """
    if isfinite(risk.curvature_scale):
        return risk.curvature_scale
    return float(abs(_at_constant(risk, 0.0).by_unl[0]))


def _intercept(risk: Risk) -> float:
    """The constant that boosting starts from: the best one, where it matters.

    Not with a kink, on which all rows would come to lie, nor without convexity, where the loss is flat far out.
    """
    if not (risk.has_intercept and risk.loss.convex and isfinite(risk.curvature_scale)):
        return 0.0
    bounds = (-LARGEST_INTERCEPT, LARGEST_INTERCEPT)
    return float(minimize_scalar(lambda c: _at_constant(risk, c).value, bounds=bounds, method="bounded").x)


def _at_constant(risk: Risk, score: float) -> Any:
    same, everything = np.full(1, score), np.ones(1)
    return risk(same, same, everything, everything)


class Stage(NamedTuple):
    """After some rounds, the number of trees and the scores of all rows. A round that finds no split adds no tree."""

    n_rounds: int
    n_trees: int
    scores: Floats


class Grown(NamedTuple):
    """LightGBM's text after the last round, and the stages on the way."""

    text: str
    stages: list[Stage]


@dataclass(frozen=True)
class Boosting:
    """Boosting of some rows, which LightGBM bins once for all fits.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p), missing values as NaN
    is_category : mask of shape (p,) or None
        Columns that hold numbers of categories.
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
        """Whether any column is more than a constant; else LightGBM gives up."""
        binned = self._dataset.construct()
        return any(binned.feature_num_bin(column) > 1 for column in range(self.X.shape[1]))

    @property
    def params(self) -> dict[str, Any]:
        return {
            "objective": "none",
            "metric": "none",
            "boost_from_average": False,
            "learning_rate": LEARNING_RATE,
            # Of each column one threshold, drawn at random, is looked at (Geurts, Ernst and Wehenkel, Extremely
            # randomized trees, Mach. Learn. 2006): the best of all thresholds is mostly that of a few labels. On the
            # sets for shaping this brought 3 points of AUC, bagging 1, random columns half a point.
            "extra_trees": True,
            # Else the thresholds would hang on the number of rows, by which LightGBM puts bundles in order. Rows are
            # binned one by one, so that bundles would save nothing.
            "enable_bundle": False,
            # Rows are counted by `MIN_LEAF_WEIGHT`, and bins hold whatever they hold.
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
        """Boost, and look at the scores after some numbers of rounds."""
        if not self._can_split:
            nothing = np.zeros(self.X.shape[0])
            return Grown(tree_text.written([], self.X.shape[1]), [Stage(n, 0, nothing) for n in sorted(set(rounds))])
        params = self.params | {"num_leaves": n_leaves, "lambda_l2": l2, "min_data_per_group": of_rows.n_rows_of_groups}
        booster = lightgbm().Booster(params, self._dataset)
        stages: list[Stage] = []
        for n_rounds in range(1, max(rounds) + 1):
            booster.update(fobj=of_rows)
            if n_rounds in rounds:
                stages.append(Stage(n_rounds, booster.current_iteration(), _training_scores(booster)))
        return Grown(booster.model_to_string(), stages)


def _training_scores(booster: Any) -> Floats:
    """The scores of all rows as they are, without walking down the trees again."""
    scores: list[Floats] = []

    def keep(now: Floats, dataset: Any) -> tuple[str, float, bool]:
        scores.append(now.copy())
        return "", 0.0, False

    booster.eval_train(keep)
    return scores[0]
