"""Rows with wrong labels of which some were checked, for all tests of checked labels."""

import numpy as np

from blindauc.data import Data
from blindauc.datasets import make_correlated_data

PLAIN = {"n_outliers": 0.1}


def drawn(seed=0, n_pos=60, n_unlabelled=200, kind="ordinary"):
    return make_correlated_data(
        0.2, outliers=kind, n_features=6, n_relevant=4, n_pos=n_pos, n_unlabelled=n_unlabelled, random_state=seed
    )


def some_data(seed, n_pos=5, n_unl=6, n_negative=3, n_confirmed=2, p=3):
    """Positives, unlabelled rows and known negatives of random weights, in any order."""
    rng = np.random.default_rng(seed)
    verdict = np.repeat([1, 0, 0, -1], [n_confirmed, n_pos - n_confirmed, n_unl, n_negative])
    is_positive = np.arange(len(verdict)) < n_pos
    order = rng.permutation(len(verdict))
    X, weight = rng.normal(size=(len(verdict), p)), rng.uniform(0.5, 2, len(verdict))
    rows = np.arange(len(verdict))
    is_positive, verdict = is_positive[order], verdict[order]
    return Data(X, is_positive, weight, rows, rows[is_positive], verdict=verdict)


def checks_of(data, rows):
    checked = np.full(len(data.y_pu), np.nan)
    checked[rows] = data.y_true[rows]
    return checked
