"""How many positives are among the first rows, by the mixtures that a prior leaves open: against loops and draws."""

from dataclasses import replace

import numpy as np
import pytest

from blindauc import Estimate
from blindauc.prior import Plausible, is_identified, nothing_known
from blindauc.prior.expected import among_first, expected_numbers
from blindauc.prior.plausible import onto_limit, outermost

pytestmark = pytest.mark.usefixtures("few_candidates")


# --- when the prior is told -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "is_enough"),
    [
        (0.2, 0.2, True),
        (0.02, 0.06, True),
        (0.02, 0.07, False),
        (0.0, 0.05, False),
        (0.3, 0.5, True),
        (0.3, 0.6, False),
    ],
)
def test_a_prior_is_told_where_its_interval_is_narrow(low, high, is_enough):
    assert is_identified(Estimate((low + high) / 2, low, high)) == is_enough


# --- mixtures ---------------------------------------------------------------------------------------------------------


def some_mixtures(n=30, n_steps=6, seed=0):
    rng = np.random.default_rng(seed)
    log_ratio = np.sort(rng.normal(0, 2, (n, n_steps)), axis=1)
    root = np.append(0.0, rng.uniform(0, 2.5, n - 1))
    return Plausible(rng.uniform(0.1, 0.6, n), rng.uniform(0, 0.3, n), log_ratio, root, np.zeros(n_steps), 0.95)


def test_shares_are_those_of_drawn_rows():
    """Count kinds among the rows of one step, by the definition of a mixture."""
    mixtures, f1, f0 = some_mixtures(n=1, n_steps=1), 0.3, 0.1
    mixtures = replace(mixtures, log_ratio=np.log([[f1 / f0]]), far=np.array([0.2]))
    prior, eta = mixtures.prior[0], mixtures.contamination[0]
    assert mixtures.positive_shares()[0, 0] == pytest.approx(prior * f1 / (prior * f1 + (1 - prior) * f0))
    ordinary = eta * f0 / (eta * f0 + (1 - eta) * f1)
    assert mixtures.wrong_shares()[0, 0] == pytest.approx(0.2 + 0.8 * ordinary)


def test_those_kept_give_the_same_ends_as_all():
    rng = np.random.default_rng(1)
    labelled, unlabelled = rng.integers(1, 30, (2, 6)).astype(float)
    every = onto_limit(some_mixtures())
    kept = outermost(every, labelled, unlabelled)
    assert len(kept.root) < len(every.root)
    for shares in (lambda mixtures: mixtures.positive_shares(), lambda mixtures: 1 - mixtures.wrong_shares()):
        np.testing.assert_array_equal(shares(kept).min(axis=0)[-1:], shares(every).min(axis=0)[-1:])
    np.testing.assert_array_equal(kept.positive_shares().max(axis=0), every.positive_shares().max(axis=0))
    above_every, above_kept = (each.positive_shares() @ unlabelled for each in (every, kept))
    assert (above_kept.min(), above_kept.max()) == (above_every.min(), above_every.max())


def test_mixtures_beyond_the_limit_are_moved_onto_it():
    every, moved = some_mixtures(), onto_limit(some_mixtures())
    inside = every.root <= every.limit
    assert inside.any()
    assert not inside.all()
    np.testing.assert_allclose(moved.log_ratio[inside], every.log_ratio[inside], rtol=1e-12)
    np.testing.assert_allclose(moved.root[~inside], every.limit)
    way = every.limit / every.root[~inside]
    np.testing.assert_allclose(moved.prior[~inside], every.prior[0] + way * (every.prior[~inside] - every.prior[0]))


def test_with_one_mixture_the_interval_is_that_of_a_sum_of_coins():
    one = replace(some_mixtures(n=1), root=np.zeros(1))
    counts = np.full((1, 6), 50)
    (found,) = expected_numbers(counts, one.positive_shares()[0], one.positive_shares(), one)
    share = np.repeat(one.positive_shares()[0], 50)
    drawn = (np.random.default_rng(0).random((20_000, 300)) < share).sum(axis=1)
    assert float(found) == pytest.approx(share.sum())
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert abs(found.low - low) <= 2
    assert abs(found.high - high) <= 2


def test_among_first_counts_rows_step_by_step():
    counts, k = np.array([3, 0, 4, 2]), [1, 3, 5, 9]
    steps = np.repeat(np.arange(4), counts)
    slow = [np.bincount(steps[:each], minlength=4).tolist() for each in k]
    assert among_first(counts, k).tolist() == slow


def test_where_nothing_is_known_anything_may_be():
    nothing = nothing_known(3, 0.95)
    counts, half = np.array([[5, 0, 2]]), np.full(3, 0.5)
    for shares in (nothing.positive_shares(), nothing.wrong_shares()):
        (found,) = expected_numbers(counts, half, shares, nothing)
        assert (found.low, found.high) == (0, 7)
