"""Formed pairs share exponentials and logarithms: the numbers are those of each pair by itself."""

import numpy as np
import pytest
from instances import LOSSES
from numpy.testing import assert_allclose
from scipy.special import expit

from blindauc.pairwise.formed import FEWEST_WORTH_SHARING, LARGEST_LEAD, _LogisticPairs, formed

LOGISTIC = LOSSES["logistic"]

every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())

# Halved three times, 96 rows leave none over, 97 one the first time, 103 and 7 one each time.
every_size = pytest.mark.parametrize(("n_pos", "n_unl"), [(40, 96), (40, 97), (41, 103), (2100, 1), (300, 7), (3, 4)])
every_weight = pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])


def scores(n_pos, n_unl, equal, scale=3.0):
    rng = np.random.default_rng(n_pos + n_unl)
    a, b = scale * rng.normal(size=n_pos) + 1, scale * rng.normal(size=n_unl)
    p = rng.dirichlet(np.ones(n_pos))
    q = np.full(n_unl, 1 / n_unl) if equal else rng.dirichlet(np.ones(n_unl))
    return a, b, p, q


@every_loss
@every_size
@every_weight
def test_sums_are_those_of_each_pair_by_itself(loss, n_pos, n_unl, equal):
    a, b, p, q = scores(n_pos, n_unl, equal)
    pairs, margins = formed(loss, a, b), np.subtract.outer(a, b)
    mean, slopes = pairs.mean_and_slopes(p, q)
    assert_allclose(mean, p @ loss.value(margins) @ q, rtol=1e-13)
    assert_allclose(slopes, loss.derivative(margins), rtol=1e-13)
    assert_allclose(pairs.curvatures(), loss.curvature(margins), rtol=1e-13)
    for order in range(3):
        assert_allclose(pairs.row_means(order, q), loss.derivative_of_order(order, margins) @ q, rtol=1e-13)


@every_weight
@pytest.mark.parametrize("gap", [-60.0, -LARGEST_LEAD, 0.0, 30.0, 300.0, 800.0])
@pytest.mark.parametrize("away", [0.0, 1e6])
def test_far_scores_neither_overflow_nor_lose_their_digits(gap, away, equal):
    a, b, p, q = scores(40, 96, equal, scale=0.1)
    # Multiples of 1/64, so that they are exact far away from zero too.
    a, b = (np.round(64 * of) / 64 for of in (a - a.min() + gap + away, b - b.max() + away))
    margins = np.subtract.outer(a, b)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        pairs = _LogisticPairs(a, b)
        mean, slopes = pairs.mean_and_slopes(p, q)
    tiny = 1e-300  # what is below may underflow
    assert_allclose(mean, p @ np.logaddexp(0, -margins) @ q, rtol=1e-12, atol=tiny)
    assert_allclose(slopes, -expit(-margins), rtol=1e-12, atol=tiny)
    assert_allclose(pairs.curvatures(), expit(margins) * expit(-margins), rtol=1e-12, atol=tiny)


@pytest.mark.parametrize("gap", [LARGEST_LEAD + 1, 1000.0, 1e9])
def test_scores_that_would_overflow_are_taken_pair_by_pair(gap):
    a, b, p, q = scores(40, 96, True)
    b = b - b.max() + a.min() + gap
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        mean, slopes = formed(LOGISTIC, a, b).mean_and_slopes(p, q)
    margins = np.subtract.outer(a, b)
    assert_allclose(mean, p @ np.logaddexp(0, -margins) @ q, rtol=1e-13)
    assert_allclose(slopes, -expit(-margins), rtol=1e-13)


def test_work_is_shared_where_there_is_enough_of_it():
    few, enough = np.zeros(FEWEST_WORTH_SHARING - 1), np.zeros(FEWEST_WORTH_SHARING)
    assert not isinstance(formed(LOGISTIC, np.zeros(1), few), _LogisticPairs)
    assert isinstance(formed(LOGISTIC, np.zeros(1), enough), _LogisticPairs)
    assert not isinstance(formed(LOSSES["sigmoid"], np.zeros(1), enough), _LogisticPairs)
