"""Small searches on the paper's data."""

import numpy as np
from instances import THREES

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV
from blindauc.datasets import make_paper_data
from blindauc.losses import BarrierHinge

PAPER = make_paper_data(n_features=9, n_outliers=4, n_relevant=6, n_pos=40, n_negatives=80, random_state=0)

FEW = {
    "cv": 3,
    "n_repeats": 1,
    "shape": "linear",
    "scaling": "none",
    "l2": [10.0, 1000.0],
    "n_outliers": [0, 4],
    "n_features_to_select": [1.0, 0.5, 0.2],
    "prior": 0.2,
}
"""Choices enough for a search to have some of each kind; other shapes are the matter of test_every_shape.py.

Where the prior is given, what scores mean is learnt in less time.
"""


def tuned(Estimator=BlindAUCClassifierCV, X=PAPER.X, y=PAPER.y_pu, sample_weight=None, **params):
    return Estimator(**{**FEW, **params}).fit(X, y, sample_weight)


VARIANTS = {
    "default": (BlindAUCClassifierCV, {}),
    "no prior": (BlindAUCClassifierCV, {"prior": None}),
    "rule best": (BlindAUCClassifierCV, {"rule": "best"}),
    "by support": (BlindAUCClassifierCV, {"rank_by": "support"}),
    "best by support": (BlindAUCClassifierCV, {"rank_by": "support", "rule": "best"}),
    "scalings and losses": (
        BlindAUCClassifierCV,
        {
            "scaling": "auto",
            "loss": ["logistic", BarrierHinge(slope=3.0)],
            "n_outliers": 0,
            "n_features_to_select": [9, 2],
        },
    ),
    "automatic ridges": (BlindAUCClassifierCV, {"l2": "auto", "n_outliers": 0, "n_features_to_select": [9, 3]}),
    "groups": (BlindAUCClassifierCV, {"sparsity": "group_l0", "groups": THREES, "n_features_to_select": "auto"}),
    "exclusive": (BlindAUCClassifierCV, {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": "auto"}),
    "exclusive, all": (
        BlindAUCClassifierCV,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": None},
    ),
    "counts per group": (
        BlindAUCClassifierCV,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": [[3, 3, 3], [2, 1, 1]]},
    ),
    "shifts": (BlindAUCClassifierCV, {"outlier_handling": "shift"}),
    "growing": (BlindAUCClassifierCV, {"grow_unlabelled": True}),
    "one candidate": (BlindAUCClassifierCV, {"l2": 10.0, "n_outliers": 0, "n_features_to_select": None}),
    "repeats": (BlindAUCClassifierCV, {"n_repeats": 2}),
    "PU error": (PUErrorClassifierCV, {}),
    "PU error, best": (PUErrorClassifierCV, {"rule": "best"}),
    "PU error, unbiased": (PUErrorClassifierCV, {"risk": "unbiased", "rank_by": "support"}),
    "PU error, no prior": (PUErrorClassifierCV, {"risk": "nonnegative", "prior": None}),
}


def linear_scorer(model, data):
    return model._scorer(data, ["linear"], [])


NAMES = [f"c{k}" for k in range(9)]


def assert_same(one, other):
    assert one.best_params_ == other.best_params_
    for name in ("mean_test_score", "std_error_test_score", "weight", "n_splits"):
        np.testing.assert_array_equal(one.cv_results_[name], other.cv_results_[name])
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.suspicion_, other.suspicion_)
    assert [repr(each) for each in one.baselines_] == [repr(each) for each in other.baselines_]
