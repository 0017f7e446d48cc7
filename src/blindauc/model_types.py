"""The types that model files may hold, and how skops stores those of them that it would not keep as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BSpline
from sklearn.compose import make_column_selector
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from blindauc._typing import Floats
from blindauc.choice.baselines import Comparison
from blindauc.choice.growth import GrowthStep
from blindauc.estimate import Estimate
from blindauc.estimators import (
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    DifferenceOfMeans,
    OneClassRanker,
    PUErrorClassifier,
    PUErrorClassifierCV,
)
from blindauc.explain import Interaction
from blindauc.losses import BarrierHinge, Hinge, Logistic, Sigmoid, SquaredHinge
from blindauc.preprocessing.preprocessor import name_of_category, name_of_number
from blindauc.preprocessing.values import read_booleans, read_categories, read_dates, read_numbers
from blindauc.prior.plausible import Plausible
from blindauc.prior.result import PriorEstimate
from blindauc.prior.score_model import ScoreModel
from blindauc.rows.categories import Categories
from blindauc.scorers.curves import Curves
from blindauc.scorers.derived import DerivedModel
from blindauc.scorers.forest import TreeModel
from blindauc.scorers.kernel import Kernel
from blindauc.scorers.linear import LinearModel
from blindauc.scorers.mixed import MixedModel


def spline(knots: Floats, coef: Floats, degree: int, extrapolate: bool | str) -> BSpline:
    """A spline of scikit-learn's SplineTransformer.

    Files refer to this function instead of scipy's class: its constructor validates what a file holds, before compiled
    code reads it.
    """
    return BSpline(knots, coef, degree, extrapolate)


KNOWN_TYPES = tuple(
    f"{known.__module__}.{known.__name__}"
    for known in (
        # models,
        BiasedSVM,
        BlindAUCClassifier,
        BlindAUCClassifierCV,
        DifferenceOfMeans,
        OneClassRanker,
        PUErrorClassifier,
        PUErrorClassifierCV,
        # what they learn,
        Categories,
        Comparison,
        Curves,
        DerivedModel,
        Estimate,
        GrowthStep,
        Interaction,
        Kernel,
        LinearModel,
        MixedModel,
        Plausible,
        PriorEstimate,
        ScoreModel,
        TreeModel,
        # what they are given,
        BarrierHinge,
        Hinge,
        Logistic,
        Sigmoid,
        SquaredHinge,
        GroupKFold,
        KFold,
        ShuffleSplit,
        StratifiedGroupKFold,
        StratifiedKFold,
        StratifiedShuffleSplit,
        # what preprocessors call,
        name_of_category,
        name_of_number,
        read_booleans,
        read_categories,
        read_dates,
        read_numbers,
        np.dtype,
        # and steps of scikit-learn before them
        make_column_selector,
        np.number,
        np.integer,
        np.floating,
        object,
        spline,
    )
)
"""Types that a file may hold beside those that skops trusts (numbers, text, containers, arrays, scikit-learn)."""


def register_states(utils: Any) -> None:
    """Tell skops (its module `skops.io._utils`) how to store estimates and splines.

    An Estimate is a float, and skops would save nothing but its value. A spline holds a function that is not to be
    loaded. skops has no public way to register another state. Loading needs no registration: this loader calls what
    is named with the saved arguments.
    """

    def called(function: Any, arguments: tuple[Any, ...], context: Any) -> dict[str, Any]:
        return {
            "__class__": function.__name__,
            "__module__": function.__module__,
            "__loader__": "ConstructorFromReduceNode",
            "content": utils.get_state(arguments, context),
        }

    @utils._get_state.register(Estimate)  # type: ignore[untyped-decorator]
    def state_of_estimate(estimate: Estimate, context: Any) -> dict[str, Any]:
        return called(Estimate, estimate.__getnewargs__(), context)

    @utils._get_state.register(BSpline)  # type: ignore[untyped-decorator]
    def state_of_spline(of: BSpline, context: Any) -> dict[str, Any]:
        return called(spline, (of.t, of.c, of.k, of.extrapolate), context)
