"""The screen for positives with leverage: silent on clean positives, loud on planted ones, dense or sparse."""

import numpy as np
import pytest
import scipy.sparse as sp

from blindauc.screening import leverage_screen

DRAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "scaled columns": lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-6, 7, shape[1]),
    "skewed": lambda rng, shape: rng.exponential(size=shape),
    "binary": lambda rng, shape: (rng.uniform(size=shape) < 0.2).astype(float),
    "uniform": lambda rng, shape: rng.uniform(size=shape),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("p", [1, 5, 50, 300])
def test_clean_positives_are_left_alone(name, p):
    rng = np.random.default_rng(0)
    flagged = [leverage_screen(DRAWS[name](rng, (60, p)), limit=20).sum() for _ in range(20)]
    assert np.mean(flagged) <= 0.05  # one positive in twenty sets of 60


@pytest.mark.parametrize("name", ["normal", "scaled columns", "uniform"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_planted_positives_are_found_and_the_limit_holds(name, store):
    X = DRAWS[name](np.random.default_rng(1), (60, 100))
    X[:5] += 8 * X.std(axis=0)
    X = store(X)
    np.testing.assert_array_equal(np.flatnonzero(leverage_screen(X, limit=10)), np.arange(5))
    assert leverage_screen(X, limit=3).sum() == 3
    assert leverage_screen(X, limit=0).sum() == 0


def test_one_corrupted_value_is_enough():
    X = np.random.default_rng(2).normal(size=(60, 20))
    X[7, 3] = 1e6
    assert np.flatnonzero(leverage_screen(X, limit=5)).tolist() == [7]


def test_constant_positives_are_not_extreme():
    assert not leverage_screen(np.ones((10, 4)), limit=5).any()
    assert not leverage_screen(sp.csr_matrix((10, 4)), limit=5).any()
