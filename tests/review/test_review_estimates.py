"""What decisions say of the labels that nobody has checked."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, binom

from blindauc.review.estimates import Prospect, share_interval

pytestmark = pytest.mark.usefixtures("few_candidates")


def test_the_share_is_the_exact_interval_of_clopper_and_pearson():
    for n_found, n in ((0, 1), (1, 1), (3, 10), (31, 40), (0, 200)):
        share = share_interval(n_found, n)
        # At its ends, what was found lies just within a tail of 2.5 %.
        if n_found:
            assert binom.sf(n_found - 1, n, share.low) == pytest.approx(0.025)
            assert share.low == pytest.approx(beta.ppf(0.025, n_found, n - n_found + 1))
        if n_found < n:
            assert binom.cdf(n_found, n, share.high) == pytest.approx(0.025)


def test_before_any_check_the_rest_is_what_the_run_expects():
    rng = np.random.default_rng(0)
    chances = np.sort(rng.beta(0.5, 3, 200))[::-1]
    known = Prospect(tuple(chances), low=15.0, high=50.0).after({})
    assert known.share is None
    assert known.rest.value == pytest.approx(chances.sum(), rel=0.1)
    # Somewhat wider: chance is added to what was not known.
    assert 8 <= known.rest.low <= 16
    assert 48 <= known.rest.high <= 62


@pytest.mark.parametrize(("doubt_of_slope", "most"), [(0.5, 0.985), (0.0, 1.0)], ids=["as believed", "sure enough"])
def test_the_interval_of_the_rest_holds_what_it_should(doubt_of_slope, most):
    """Of runs that are off as is believed beforehand, 95 % of the intervals hold the number among the rest.

    Runs that are never too sure are doubted more than they deserve: their intervals may hold it more often.
    """
    rng = np.random.default_rng(1)
    chances = np.sort(rng.beta(0.6, 2.5, 150))[::-1]
    logits = np.log(chances / (1 - chances))

    def truly(slope, shift):
        return 1 / (1 + np.exp(-slope * logits - shift))

    low, high = (truly(1, shift).sum() for shift in (-1.96 * 0.7, 1.96 * 0.7))
    prospect = Prospect(tuple(chances), low, high)
    held, width = 0, []
    for _ in range(300):
        slope = 2 ** rng.normal(0, doubt_of_slope)
        same_sum = brentq(lambda shift, slope=slope: truly(slope, shift).sum() - chances.sum(), -8, 8)
        is_wrong = rng.random(150) < truly(slope, same_sum + rng.normal(0, 0.7))
        known = prospect.after({place: bool(is_wrong[place]) for place in range(40)})
        held += known.rest.low <= is_wrong[40:].sum() <= known.rest.high
        width.append(known.rest.high - known.rest.low)
    assert 0.92 <= held / 300 <= most
    before = prospect.after({}).rest
    assert np.mean(width) < 0.8 * (before.high - before.low)


def test_right_labels_among_the_surest_do_not_speak_against_all_others():
    """A run that is too sure of the first labels may well be right about the others."""
    prospect = Prospect((0.99,) * 20 + (0.2,) * 100, low=20.0, high=60.0)
    known = prospect.after({place: place % 4 > 0 for place in range(12)})
    assert known.n_found == 9
    # Six of the eight like those that were checked, and of the hundred others something like the twenty of the run.
    assert known.rest.low <= 14
    assert 14 <= known.rest.value <= 32


def test_more_wrong_labels_than_expected_mean_more_among_the_rest():
    prospect = Prospect((0.5,) * 60, low=15.0, high=45.0)
    many, few = (prospect.after(dict.fromkeys(range(20), found)).rest for found in (True, False))
    assert many.value > 30 > few.value
    assert prospect.after(dict.fromkeys(range(60), True)).rest.k == 0


def test_a_run_that_is_sure_can_be_wrong_and_one_that_cannot_tell_says_nothing():
    sure = Prospect((1.0, 1.0, 0.0, 0.0), low=2.0, high=2.0).after({0: False, 2: True})
    assert sure.expected == 1.0
    assert 0 <= sure.rest.low <= sure.rest.value <= sure.rest.high <= 2
    silent = Prospect((), 0.0, 0.0).after({0: True, 1: False})
    assert (silent.n_found, silent.expected, silent.rest) == (1, None, None)
