"""Rows whose positives are found by scores that bend only, and parameters of quick fits of every shape."""

import numpy as np
import pytest

from blindauc.choice.space import SHAPES

pytest.importorskip("lightgbm")

SHAPE_NAMES = list(SHAPES)
BENT = [shape for shape in SHAPE_NAMES if shape != "linear"]
SOME = {"gamma": 1.0, "n_leaves": 4, "n_rounds": 20}
"""Parameters of the shapes, each of which uses its own."""

every_shape = pytest.mark.parametrize("shape", SHAPE_NAMES)


def bent_rows(n_labelled=60, n_unlabelled=200, seed=0):
    """Positives have a large or a small first column; of four others one has two values, and one is constant."""
    rng = np.random.default_rng(seed)
    is_positive = np.r_[np.ones(n_labelled, dtype=bool), rng.random(n_unlabelled) < 0.2]
    X = rng.normal(size=(len(is_positive), 5))
    X[is_positive, 0] = rng.choice([-2.5, 2.5], is_positive.sum()) + 0.5 * rng.normal(size=is_positive.sum())
    X[:, 3], X[:, 4] = rng.integers(0, 2, len(X)), 3.0
    return X, is_positive, np.arange(len(X)) < n_labelled


X, TRUTH, Y = bent_rows()
NEW, NEW_TRUTH, _ = bent_rows(0, 1000, seed=1)

FEW = {
    "cv": 2,
    "n_repeats": 1,
    "l2": [0.01, 10.0],
    "n_outliers": [0, 0.1],
    "gamma": 1.0,
    "n_leaves": 4,
    "n_rounds": [10, 20],
    "scaling": "standard",
    "prior": 0.2,
}
