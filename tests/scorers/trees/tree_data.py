"""Rows that trees find positives of, and settings of trees."""

import numpy as np
from instances import RISKS_OF_LOSS, as_data

from blindauc.scorers.spec import Spec
from blindauc.scorers.trees import TreeScorer


def make_rows(n_rows=400, n_columns=5, seed=0, missing=0.1):
    """Positives where two columns have the same sign; the last column is constant, some values are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    is_positive = (X[:, 0] * X[:, 1] > 0) & (rng.random(n_rows) < 0.4)
    X[rng.random(n_rows) < missing, 0] = np.nan
    X[:, -1] = 1.0
    return as_data(X, is_positive)


DATA = make_rows()

SCORER = TreeScorer(RISKS_OF_LOSS["blind AUC"])


def spec_of(n_leaves=4, n_rounds=10, l2=1.0, n_outliers=0.0, loss="logistic"):
    return Spec("none", loss, l2, n_outliers, None, "trees", n_leaves=n_leaves, n_rounds=n_rounds)


SPECS = [
    spec_of(n_leaves, n_rounds, l2, share)
    for n_leaves, l2, share in ((2, 1.0, 0.0), (4, 10.0, 0.2), (4, 1.0, 0.0))
    for n_rounds in (20, 5)
]
