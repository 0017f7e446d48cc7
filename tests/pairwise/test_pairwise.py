"""Sums over pairs without the pairs equal the double loop: every loss, at any scale, tied and weighted."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import ANALYTIC, LOSSES, PIECEWISE, SMOOTH, central_difference, knots, numerical_jacobian
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.losses import AnalyticLoss, Loss
from blindauc.pairwise import LARGEST_SCORE, PairwiseCurvature, pairwise_loss, summarize

EPS = np.finfo(float).eps
VANISHED = 1e-290

every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
every_smooth = pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH.keys())
every_analytic = pytest.mark.parametrize("loss", ANALYTIC.values(), ids=ANALYTIC.keys())
every_piecewise = pytest.mark.parametrize("loss", PIECEWISE.values(), ids=PIECEWISE.keys())


@st.composite
def samples(draw, max_size=40):
    """Scores a and b with weights p and q: of any size and scale, tied within and across, some weightless."""
    scale = 10.0 ** draw(st.integers(-8, 8))
    offset = draw(st.sampled_from([0.0, 1e3, -1e8, 1e8]))
    score = st.one_of(st.integers(-4, 4), st.integers(-60, 60), st.floats(-10.0, 10.0, allow_subnormal=False))
    weight = st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(0.01, 10.0))

    def side():
        scores = draw(st.lists(score, min_size=1, max_size=max_size))
        weights = draw(st.lists(weight, min_size=len(scores), max_size=len(scores)))
        if sum(weights) == 0 or draw(st.booleans()):
            weights = [1.0] * len(scores)
        return np.array(scores) * scale + offset, np.array(weights)

    (a, p), (b, q) = side(), side()
    return a, b, p, q


def shares(weights):
    return weights / weights.sum()


def double_loop(loss, a, b, p, q):
    """Value and gradients of the mean over pairs, pair by pair."""
    weight = shares(p)[:, None] * shares(q)
    m = a[:, None] - b
    slopes = weight * loss.derivative(m)
    return (weight * loss.value(m)).sum(), slopes.sum(axis=1), -slopes.sum(axis=0)


def magnitude(loss, order, m):
    """The size of the terms that add up to k(m), against which rounding is to be measured.

    Both analytic kernels of order 2 are below exp(-|m|); that of the sigmoid changes sign within it.
    """
    if not isinstance(loss, AnalyticLoss):
        return sum((np.abs(power(m)) for power in loss.powers_of_order(order)), np.zeros_like(m))
    return np.exp(-np.abs(m)) if order == 2 else np.abs(loss.derivative_of_order(order, m))


def assert_same_positive_sums(found, expected, rtol):
    """Elementwise; numbers next to underflow count as zero."""
    assert_allclose(
        np.where(np.abs(found) < VANISHED, 0.0, found),
        np.where(np.abs(expected) < VANISHED, 0.0, expected),
        rtol=rtol,
        atol=10 * VANISHED,
    )


@every_analytic
@settings(max_examples=80)
@given(sample=samples())
def test_analytic_losses_equal_the_double_loop(loss, sample):
    a, b, p, q = sample
    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    value, by_pos, by_unl = double_loop(loss, *sample)
    assert_same_positive_sums(found.value, value, rtol=1e-12)
    assert_same_positive_sums(found.pos_gradient, by_pos, rtol=1e-12)
    assert_same_positive_sums(found.unl_gradient, by_unl, rtol=1e-12)


class ExactPairs:
    """Bounds of the value and the gradients of a piecewise loss, in rational numbers.

    A margin is a difference of two floating-point numbers, so it is known to a relative rounding; next to a
    knot the search among sorted scores compares `score + knot`, which is known to a rounding of its size.
    The loss and its derivative anywhere in that interval are right.
    """

    def __init__(self, loss, a, b, p, q):
        self.loss = loss
        p, q = ([Fraction(x) for x in weights] for weights in (p, q))
        self.n = len(a) + len(b)
        self.weight = [[x * y / (sum(p) * sum(q)) for y in q] for x in p]
        self.interval = [[self._margin(Fraction(x), Fraction(y)) for y in b] for x in a]

    def _margin(self, x, y):
        m, ends = x - y, [Fraction(knot) for knot in knots(self.loss)]
        unsure = 4 * Fraction(EPS) * (abs(m) + max(map(abs, ends)))
        for knot in ends:
            at_the_knot = 4 * Fraction(EPS) * (abs(x) + abs(y) + abs(knot))
            if abs(m - knot) <= at_the_knot:
                unsure = max(unsure, at_the_knot)
        return m - unsure, m + unsure

    def _at(self, order, m, size=False):
        terms = [Fraction(0)]
        for coef, knot, side, degree in self.loss.powers_of_order(order):
            distance = side * (m - Fraction(knot))
            power = Fraction(distance > 0) if degree == 0 else max(distance, Fraction(0)) ** degree
            terms.append(Fraction(coef) * power)
        return sum(map(abs, terms)) if size else sum(terms)

    def bounds(self, order):
        """Arrays (lower, upper, rounding) of the weighted pairs."""
        result = []
        for weights, intervals in zip(self.weight, self.interval, strict=True):
            row = []
            for weight, (low, high) in zip(weights, intervals, strict=True):
                inside = [Fraction(knot) for knot in knots(self.loss) if low < knot < high]
                values = [self._at(order, m) for m in (low, high, *inside)]
                size = max(self._at(order, m, size=True) for m in (low, high))
                rounding = 4 * Fraction(EPS) * self.n * size
                row.append([weight * x for x in (min(values), max(values), rounding)])
            result.append(row)
        return np.moveaxis(np.array(result, dtype=object), 2, 0)


def assert_between(found, lower, upper, rounding):
    for x, low, high, slack in np.nditer([found, lower, upper, rounding], flags=["refs_ok"]):
        assert low.item() - slack.item() <= Fraction(float(x)) <= high.item() + slack.item()


def assert_exact_to_rounding(loss, a, b, p, q):
    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    exact = ExactPairs(loss, a, b, p, q)
    assert_between(found.value, *(part.sum() for part in exact.bounds(0)))
    lower, upper, rounding = exact.bounds(1)
    assert_between(found.pos_gradient, lower.sum(axis=1), upper.sum(axis=1), rounding.sum(axis=1))
    assert_between(found.unl_gradient, -upper.sum(axis=0), -lower.sum(axis=0), rounding.sum(axis=0))


@every_piecewise
@settings(max_examples=50)
@given(sample=samples(max_size=7))
def test_piecewise_losses_are_exact_to_rounding(loss, sample):
    assert_exact_to_rounding(loss, *sample)


def off_the_knots(seed=0, n_pos=7, n_unl=9):
    """Scores whose margins are 0.05 + multiples of 0.25: no kink of any listed loss is near."""
    rng = np.random.default_rng(seed)
    a, b = 0.25 * rng.integers(-12, 12, n_pos) + 0.1, 0.25 * rng.integers(-12, 12, n_unl) + 0.05
    return a, b, rng.uniform(0.1, 2.0, n_pos), rng.uniform(0.1, 2.0, n_unl)


@every_loss
def test_gradients_are_those_of_the_value(loss):
    a, b, p, q = off_the_knots()

    def value(a, b):
        return pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q).value

    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    assert_allclose(found.pos_gradient, numerical_jacobian(lambda a: value(a, b), a), rtol=1e-9, atol=1e-10)
    assert_allclose(found.unl_gradient, numerical_jacobian(lambda b: value(a, b), b), rtol=1e-9, atol=1e-10)


@every_loss
def test_no_weights_are_equal_weights_and_lists_are_scores(loss):
    a, b, *_ = off_the_knots()
    plain = pairwise_loss(a.tolist(), b.tolist(), loss=loss)
    weighted = pairwise_loss(a, b, loss=loss, pos_weight=np.full(len(a), 3), unl_weight=np.full(len(b), 0.1))
    assert_allclose(plain.value, weighted.value, rtol=1e-13)
    assert_allclose(plain.pos_gradient, weighted.pos_gradient, rtol=1e-13, atol=0)
    assert_allclose(plain.unl_gradient, weighted.unl_gradient, rtol=1e-13, atol=0)


@every_loss
def test_a_weight_is_a_number_of_repetitions(loss):
    a, b, *_ = off_the_knots()
    p, q = np.array([1, 3, 0, 2, 1, 5, 1]), np.array([2, 1, 1, 0, 4, 1, 3, 1, 2])
    weighted = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    repeated = pairwise_loss(np.repeat(a, p), np.repeat(b, q), loss=loss)
    pos_start, unl_start = (np.append(0, np.cumsum(counts)) for counts in (p, q))
    assert_allclose(weighted.value, repeated.value, rtol=1e-13)
    for found, parts, start in [
        (weighted.pos_gradient, repeated.pos_gradient, pos_start),
        (weighted.unl_gradient, repeated.unl_gradient, unl_start),
    ]:
        assert_allclose(found, np.diff(np.append(0, np.cumsum(parts))[start]), rtol=1e-12, atol=1e-14)


@every_loss
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4])
def test_curvature_product_is_that_with_the_dense_hessian(loss, scale):
    """Elementwise, against the sum of the sizes of its terms: they have both signs, so it may cancel."""
    rng = np.random.default_rng(1)
    a, b = scale * rng.normal(size=30), scale * rng.normal(size=40)
    p, q = shares(rng.uniform(0, 1, 30)), shares(rng.uniform(0, 1, 40))
    d_pos, d_unl = rng.normal(size=30), rng.normal(size=40)
    m, weight = a[:, None] - b, p[:, None] * q
    bend, change = weight * loss.curvature(m), d_pos[:, None] - d_unl
    terms = weight * magnitude(loss, 2, m) * (np.abs(d_pos)[:, None] + np.abs(d_unl))
    by_pos, by_unl = PairwiseCurvature(loss, a, b, p, q).product(d_pos, d_unl)
    assert (np.abs(by_pos - (bend * change).sum(axis=1)) <= 1e-12 * terms.sum(axis=1)).all()
    assert (np.abs(by_unl + (bend * change).sum(axis=0)) <= 1e-12 * terms.sum(axis=0)).all()


@every_smooth
def test_curvature_product_is_the_change_of_the_gradients(loss):
    a, b, p, q = off_the_knots()
    p, q = shares(p), shares(q)
    d_pos, d_unl = np.cos(np.arange(len(a))), np.sin(np.arange(len(b)))

    def gradient(t):
        found = pairwise_loss(a + t * d_pos, b + t * d_unl, loss=loss, pos_weight=p, unl_weight=q)
        return np.append(found.pos_gradient, found.unl_gradient)

    product = np.concatenate(PairwiseCurvature(loss, a, b, p, q).product(d_pos, d_unl))
    assert_allclose(product, central_difference(gradient, 0.0), rtol=1e-9, atol=1e-10)


@every_loss
def test_curvature_product_with_nothing_is_nothing(loss):
    a, b, p, q = off_the_knots()
    curvature = PairwiseCurvature(loss, a, b, shares(p), shares(q))
    for result in curvature.product(np.zeros_like(a), np.zeros_like(b)):
        assert_array_equal(result, 0.0)


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
