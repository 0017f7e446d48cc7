"""Scores and labels for tests of metrics."""

import numpy as np
import pytest

from blindauc.datasets import make_paper_data


def draw(seed, n_pos=12, n_unl=30, n_values=9):
    """Labels, scores with many ties, predictions and small whole weights; all in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_unl]))
    scores = rng.integers(0, n_values, len(y)) + 2.0 * y
    return y, scores, (scores > n_values / 2).astype(int), rng.integers(1, 4, len(y))


def simulate(seed, n_pos=200, n_unl=2000, prior=0.3, contamination=0.0, distance=1.8):
    """Labels, scores and true labels, two samples."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_unl])
    y_true = rng.uniform(size=len(y)) < np.where(y == 1, 1 - contamination, prior)
    return y, rng.normal(size=len(y)) + distance * y_true, y_true


seeds = pytest.mark.parametrize("seed", range(10))

data = make_paper_data(n_features=10, n_relevant=10, n_outliers=0, random_state=0)
