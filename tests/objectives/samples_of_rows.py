"""Objectives of small random samples, and points at which they are tried."""

import numpy as np
import pytest
from instances import RISKS, make_objective

STEP = 1e-5  # so small that no margin of the samples crosses a kink

every_objective = pytest.mark.parametrize("name", RISKS)


def sample(n_pos=8, n_unl=15, n_features=5, seed=0):
    """A matrix a third of zeros, which of its rows are positive (in no order), and weights."""
    rng = np.random.default_rng(seed)
    n = n_pos + n_unl
    X = rng.normal(size=(n, n_features)) * (rng.uniform(size=(n, n_features)) < 0.67)
    is_positive = rng.permutation(np.arange(n) < n_pos)
    X[is_positive] += 0.3
    return X, is_positive, rng.uniform(0.5, 2.0, n)


def make(name, **options):
    X, is_positive, weight = sample()
    return make_objective(name, X, is_positive, **{"l2": 0.1, "sample_weight": weight} | options)


def point(objective, seed=1, n_shifted=3):
    """A coef and a sparse shift."""
    rng = np.random.default_rng(seed)
    shift = np.zeros(objective.n_positives)
    shift[rng.permutation(len(shift))[:n_shifted]] = rng.normal(size=n_shifted)
    return rng.normal(size=objective.n_columns), shift
