"""Sums over pairs of many, spread out and largest scores; and what cannot be summed is named."""

import numpy as np
import pytest
from double_loops import (
    VANISHED,
    assert_exact_to_rounding,
    assert_same_positive_sums,
    double_loop,
    every_analytic,
    every_loss,
    every_piecewise,
    magnitude,
    shares,
)
from numpy.testing import assert_allclose

from blindauc.losses import Loss
from blindauc.pairwise import LARGEST_SCORE, pairwise_loss, summarize

# Ranges on either side of 1024, beyond which analytic losses go through sorted chunks of 16384 scores.
SPANS = [1.0, 50.0, 900.0, 3e3, 1e7]
every_span = pytest.mark.parametrize("span", SPANS)


def spread_out(span, n_pos, n_unl, seed=2):
    """Scores over a range, half of them close together in its middle."""
    rng = np.random.default_rng(seed)

    def side(n):
        wide, narrow = rng.uniform(0, span, n - n // 2), span / 2 + rng.normal(0, 3, n // 2)
        return rng.permutation(np.concatenate([wide, narrow]))

    return side(n_pos), side(n_unl), rng.uniform(0, 2, n_pos), rng.uniform(0, 2, n_unl)


@every_loss
@every_span
def test_summaries_of_batches_add_up_to_that_of_the_whole(loss, span):
    a, b, p, q = spread_out(span, 60, 90)
    whole = summarize(b, q, loss=loss)
    batches = [summarize(b[part], q[part], loss=loss) for part in (slice(7), slice(7, 50), slice(50, None))]
    added = batches[0] + batches[1] + batches[2]
    positives = summarize(a, p, loss=loss)
    m, weight = a[:, None] - b, p[:, None] * q
    assert_allclose(added.total, q.sum(), rtol=1e-13)
    rounding = 1e-12 * (weight * magnitude(loss, 0, m)).sum()
    assert_allclose(positives.pair_sum(loss, added), positives.pair_sum(loss, whole), rtol=1e-13)
    assert_allclose(positives.pair_sum(loss, added), (weight * loss.value(m)).sum(), rtol=0, atol=rounding)
    for order in range(3):
        for sign in (1, -1):
            size = magnitude(loss, order, sign * m) @ q
            expected = loss.derivative_of_order(order, sign * m) @ q
            for summary in (whole, added):
                found = summary.sums(loss, order, sign, a)
                assert (np.abs(found - expected) <= 1e-12 * size + VANISHED).all()


@every_analytic
@pytest.mark.parametrize("far", [-700.0, -150.0, -45.0, 145.0, 250.0, 700.0])
def test_scores_far_from_a_row_of_others_see_them_all(loss, far):
    """Each of 50 cells in a row holds a score, the far ones e times less of the sum each."""
    row = np.arange(0.0, 100.0, 2.0) + 0.3
    ones = np.ones(len(row))
    for a, b in [(np.array([far]), row), (row, np.array([far]))]:
        found = pairwise_loss(a, b, loss=loss)
        value, by_pos, by_unl = double_loop(loss, a, b, ones[: len(a)], ones[: len(b)])
        assert_same_positive_sums(found.value, value, rtol=1e-12)
        assert_same_positive_sums(found.pos_gradient, by_pos, rtol=1e-12)
        assert_same_positive_sums(found.unl_gradient, by_unl, rtol=1e-12)


@every_loss
@pytest.mark.parametrize("span", [900.0, 3e3, 1e7])
def test_many_scores_equal_the_double_loop(loss, span):
    """40,000 scores: three blocks, and three sorted chunks where the range is wide."""
    a, b, p, q = spread_out(span, 10, 40_000)
    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    value, by_pos, by_unl = double_loop(loss, a, b, p, q)
    m, weight = a[:, None] - b, shares(p)[:, None] * shares(q)
    size = weight * magnitude(loss, 1, m)
    assert_allclose(found.value, value, rtol=0, atol=1e-12 * (weight * magnitude(loss, 0, m)).sum())
    assert (np.abs(found.pos_gradient - by_pos) <= 1e-12 * size.sum(axis=1) + VANISHED).all()
    assert (np.abs(found.unl_gradient - by_unl) <= 1e-12 * size.sum(axis=0) + VANISHED).all()


# Beside one another, across zero, with scores of ordinary size between, and at 2^49, where the steps are 1/8.
LARGE_SCORES = {
    "one pair": ([LARGEST_SCORE], [LARGEST_SCORE]),
    "opposite": ([LARGEST_SCORE, -LARGEST_SCORE], [-LARGEST_SCORE, LARGEST_SCORE]),
    "neighbours": (
        LARGEST_SCORE - np.array([0.0, 0.125, 1.0, 7.25, 90.0]),
        LARGEST_SCORE - np.array([0.0, 0.25, 2.5, 41.0, 1e6]),
    ),
    "negative neighbours": (
        -LARGEST_SCORE + np.array([0.0, 0.125, 1.0, 7.25, 90.0]),
        -LARGEST_SCORE + np.array([0.0, 0.25, 2.5, 41.0, 1e6]),
    ),
    "all sizes": (
        [-LARGEST_SCORE, -3.7, 0.0, 2.2, 1e6, LARGEST_SCORE],
        [LARGEST_SCORE - 2.125, 12.25, -0.3, 1e6 + 1.1, -LARGEST_SCORE + 0.5],
    ),
    "around 2^49": (2.0**49 + np.arange(-3.0, 4.0), 2.0**49 + np.array([-0.5625, -20.0, 0.125, 5.0])),
}
every_large = pytest.mark.parametrize("scores", LARGE_SCORES.values(), ids=LARGE_SCORES.keys())


def with_weights(scores):
    a, b = (np.asarray(side, dtype=float) for side in scores)
    return a, b, 1.0 + np.arange(len(a)) % 3, 1.0 + np.arange(len(b)) % 2


@every_analytic
@every_large
def test_analytic_sums_of_the_largest_scores_equal_the_double_loop(loss, scores):
    a, b, p, q = with_weights(scores)
    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    value, by_pos, by_unl = double_loop(loss, a, b, p, q)
    assert_same_positive_sums(found.value, value, rtol=1e-12)
    assert_same_positive_sums(found.pos_gradient, by_pos, rtol=1e-12)
    assert_same_positive_sums(found.unl_gradient, by_unl, rtol=1e-12)


@every_piecewise
@every_large
def test_piecewise_sums_of_the_largest_scores_are_exact_to_rounding(loss, scores):
    assert_exact_to_rounding(loss, *with_weights(scores))


@every_loss
@pytest.mark.parametrize("score", [np.nextafter(LARGEST_SCORE, np.inf), -1.001 * LARGEST_SCORE, 1e17, -1e290])
def test_larger_scores_are_refused_with_a_remedy(loss, score):
    for sides in [([0.0, score], [0.0]), ([0.0], [score, 0.0])]:
        with pytest.raises(ValueError, match=r"at most 1e\+15 in size.*rescale"):
            pairwise_loss(*sides, loss=loss)
    with pytest.raises(ValueError, match=r"at most 1e\+15 in size.*rescale"):
        summarize([score], loss=loss)


BAD_SCORES = {
    "empty": ([], "at least one score"),
    "two-dimensional": ([[1.0, 2.0]], r"vector.*shape is \(1, 2\)"),
    "a number": (1.0, r"vector.*shape is \(\)"),
    "nan": ([1.0, np.nan], "finite"),
    "infinite": ([1.0, np.inf], "finite"),
    "minus infinity": ([-np.inf, 1.0], "finite"),
}
BAD_WEIGHTS = {
    "too few": ([1.0], r"one weight per score.*\(1,\).*\(2,\)"),
    "two-dimensional": ([[1.0, 1.0]], r"one weight per score.*\(1, 2\).*\(2,\)"),
    "negative": ([2.0, -1.0], "non-negative"),
    "all zero": ([0.0, 0.0], "positive sum"),
    "nan": ([1.0, np.nan], "finite"),
    "infinite": ([1.0, np.inf], "finite"),
}


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES.values(), ids=BAD_SCORES.keys())
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_bad_scores_are_named(scores, message, loss):
    with pytest.raises(ValueError, match=f"pos_scores.*{message}"):
        pairwise_loss(scores, [0.0], loss=loss)
    with pytest.raises(ValueError, match=f"unl_scores.*{message}"):
        pairwise_loss([0.0], scores, loss=loss)
    with pytest.raises(ValueError, match=f"scores.*{message}"):
        summarize(scores, loss=loss)


@pytest.mark.parametrize(("weight", "message"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS.keys())
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_bad_weights_are_named(weight, message, loss):
    scores = [0.0, 1.0]
    with pytest.raises(ValueError, match=f"pos_weight.*{message}"):
        pairwise_loss(scores, scores, loss=loss, pos_weight=weight)
    with pytest.raises(ValueError, match=f"unl_weight.*{message}"):
        pairwise_loss(scores, scores, loss=loss, unl_weight=weight)
    with pytest.raises(ValueError, match=f"weight.*{message}"):
        summarize(scores, weight, loss=loss)


def test_an_unknown_loss_is_named():
    with pytest.raises(ValueError, match=r"'ramp'.*'logistic'"):
        pairwise_loss([0.0], [1.0], loss="ramp")
    with pytest.raises(ValueError, match=r"'ramp'.*'logistic'"):
        summarize([0.0], loss="ramp")


class Foreign(Loss):
    """A loss that says nothing of how to be summed."""

    convex = True

    def value(self, m):
        return m

    derivative = curvature = value


def test_a_loss_that_cannot_be_summed_over_pairs_is_refused():
    with pytest.raises(TypeError, match="AnalyticLoss or a PiecewiseLoss"):
        pairwise_loss([0.0], [1.0], loss=Foreign())


def test_summaries_of_different_kinds_do_not_mix():
    analytic, piecewise = summarize([1.0, 2.0]), summarize([1.0, 2.0], loss="hinge")
    with pytest.raises(TypeError, match="unsupported operand"):
        analytic + piecewise
    with pytest.raises(TypeError, match="unsupported operand"):
        piecewise + analytic
    with pytest.raises(TypeError, match="not for Hinge"):
        analytic.pair_sum("hinge", analytic)
    with pytest.raises(TypeError, match="not for Sigmoid"):
        piecewise.sums("sigmoid", 1, 1, np.zeros(2))
