"""Parts of the posterior: shapes, masses of classes, likelihoods and mixtures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from prior_samples import samples
from scipy import optimize, stats

from blindauc.prior.posterior import (
    COARSENING,
    CONTAMINATION_SCALE,
    STRAY_SHARE,
    Mixtures,
    contamination_grid,
    fixed,
    likely,
    posterior,
    prior_grid,
)
from blindauc.prior.samples import count
from blindauc.prior.shapes import SEPARATIONS, SPREADS, shape_library


def test_shapes_are_pairs_of_distributions_with_increasing_ratio():
    library = shape_library()
    for side in (library.negative, library.positive):
        np.testing.assert_allclose(side[:, [0, -1]], np.tile([0.0, 1.0], (len(side), 1)), atol=1e-12)
        assert (np.diff(side) >= -1e-15).all()
    positive, negative = np.diff(library.positive), np.diff(library.negative)
    assert (np.diff(positive / (positive + negative)) > -1e-6).all()
    for belief in (library.pure, library.short_tailed):
        assert np.exp(belief).sum() == pytest.approx(1)


def test_every_kind_of_shape_has_the_same_aucs():
    """The AUC of a shape by summing over the pairs of its 300 points, against what the library says."""
    library = shape_library()
    positive, negative = np.diff(library.positive), np.diff(library.negative)
    below = np.cumsum(negative, axis=1) - negative / 2
    np.testing.assert_allclose((positive * below).sum(axis=1), library.auc, atol=0.002)
    by_kind = library.auc.reshape(-1, len(SEPARATIONS))
    np.testing.assert_array_equal(by_kind, np.tile(by_kind[0], (len(by_kind), 1)))
    np.testing.assert_allclose(by_kind[0, :-1], stats.norm.cdf(SEPARATIONS / np.sqrt(2))[:-1])


def test_every_auc_is_believed_alike():
    library = shape_library()
    for belief in (library.pure, library.short_tailed):
        by_auc = np.exp(belief).reshape(-1, len(SEPARATIONS)).sum(axis=0)
        np.testing.assert_allclose(by_auc, 1 / len(SEPARATIONS))


def test_only_shapes_with_a_longer_low_tail_than_the_normal_one_are_believed_less():
    library = shape_library()
    change = (library.short_tailed - library.pure).reshape(-1, len(SEPARATIONS))
    normal, t3 = change[SPREADS.index(1.0)], change[len(SPREADS)]
    # None gains on the normal pair of its AUC.
    assert (change <= normal + 1e-12).all()
    assert (t3 < normal - 0.5)[5:-2].all()


@pytest.mark.parametrize("share", [0.05, 0.4, 0.9])
def test_class_masses_against_a_search_for_every_edge(share):
    """Where A f1 + (1 - A) f0 reaches the cumulated pool, found by bisection along each shape."""
    _, counts = count(*samples())
    merged, _ = counts.merged(15)
    pooled = merged.labelled + merged.unlabelled
    labelled_share = merged.labelled.sum() / pooled.sum()
    prior = (share - labelled_share) / (1 - labelled_share) if share > labelled_share else 0.0
    library = shape_library()
    mixtures = Mixtures(merged, np.array([prior]), np.array([0.0]), library)
    share = labelled_share + (1 - labelled_share) * prior
    points = np.arange(library.positive.shape[1])
    for k in range(0, len(library.auc), 23):
        at = [np.interp(x, points, share * library.positive[k] + (1 - share) * library.negative[k]) for x in (0, 299)]
        assert at == pytest.approx([0, 1])
        places = [
            optimize.brentq(
                lambda x, edge=edge, k=k: (
                    share * np.interp(x, points, library.positive[k])
                    + (1 - share) * np.interp(x, points, library.negative[k])
                    - edge
                ),
                0,
                299,
                xtol=1e-12,
            )
            for edge in np.cumsum(pooled)[:-1] / pooled.sum()
        ]
        for table, side in zip(mixtures._table[:, 0, k], (library.negative, library.positive), strict=True):
            parts = np.diff(np.concatenate([[0.0], np.interp(places, points, side[k]), [1.0]]))
            expected = (1 - STRAY_SHARE) * parts + STRAY_SHARE * pooled / pooled.sum()
            np.testing.assert_allclose(table, expected, atol=1e-9)


def test_log_likelihood_against_a_loop_over_the_bins():
    _, counts = count(*samples(contamination=0.1))
    merged, _ = counts.merged(12)
    prior, contamination = np.array([0.1, 0.3, 0.6]), np.array([0.0, 0.12])
    mixtures = Mixtures(merged, prior, contamination, shape_library())
    found = mixtures.log_likelihood()
    n_lab, n_unl = merged.labelled.sum(), merged.unlabelled.sum()
    for (e, eta), (p, pi), k in product(enumerate(contamination), enumerate(prior), range(0, found.shape[2], 17)):
        node, fraction = mixtures._node[e, p], mixtures._fraction[e, p]
        f0, f1 = (1 - fraction) * mixtures._table[:, node, k] + fraction * mixtures._table[:, node + 1, k]
        expected = 0.0
        for b in range(len(f0)):
            f_lab, f_unl = eta * f0[b] + (1 - eta) * f1[b], (1 - pi) * f0[b] + pi * f1[b]
            f_pool = (n_lab * f_lab + n_unl * f_unl) / (n_lab + n_unl)
            expected += merged.labelled[b] * np.log(f_lab / f_pool) + merged.unlabelled[b] * np.log(f_unl / f_pool)
        assert found[e, p, k] == pytest.approx(expected, rel=1e-4, abs=1e-2)


def test_mixtures_reproduce_the_pool():
    _, counts = count(*samples())
    merged, _ = counts.merged(20)
    prior, contamination = np.array([0.2, 0.5]), np.array([0.0, 0.1])
    mixtures = Mixtures(merged, prior, contamination, shape_library())
    f0, f1 = mixtures._table[:, mixtures._node[1, 0]]
    f0_next, f1_next = mixtures._table[:, mixtures._node[1, 0] + 1]
    fraction = mixtures._fraction[1, 0]
    f0, f1 = (1 - fraction) * f0 + fraction * f0_next, (1 - fraction) * f1 + fraction * f1_next
    n_lab, n_unl = merged.labelled.sum(), merged.unlabelled.sum()
    pool = n_lab * (0.9 * f1 + 0.1 * f0) + n_unl * (0.2 * f1 + 0.8 * f0)
    np.testing.assert_allclose(pool, np.tile(merged.labelled + merged.unlabelled, (len(pool), 1)), rtol=0.02, atol=0.1)


def test_fixed_numbers_stay_and_grids_sum_to_one():
    _, counts = count(*samples())
    belief = posterior(counts.merged(20)[0], fixed(0.3), fixed(0.1), confidence=0.9)
    assert belief.prior == belief.prior.low == belief.prior.high == 0.3
    assert belief.contamination == belief.contamination.low == belief.contamination.high == 0.1
    for grid in (prior_grid(), contamination_grid()):
        assert np.exp(grid.log_weight).sum() == pytest.approx(1)
        quantiles = [grid.quantile(np.exp(grid.log_weight), level) for level in np.linspace(0, 1, 21)]
        assert quantiles == sorted(quantiles)
        assert quantiles[-1] == pytest.approx(grid.high[-1])


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_likely_values_are_those_of_the_normal_interval(confidence):
    x = np.linspace(-5, 5, 41)
    reach = stats.norm.ppf((1 + confidence) / 2)
    # Off the grid the best value is unknown, and the interval at most a step too long.
    for centre, error in ((0.0, 1e-12), (0.125, 0.05)):
        found = likely(x, -((x - centre) ** 2) / 2, confidence)
        np.testing.assert_allclose(found, [centre - reach, centre + reach], atol=error)


def test_likely_values_reach_the_ends_and_span_what_lies_between():
    x = np.arange(6.0)
    assert likely(x, np.zeros(6), 0.95) == (0.0, 5.0)
    assert likely(np.array([0.3]), np.array([-7.0]), 0.95) == (0.3, 0.3)
    low, high = likely(x, np.array([0.0, -50.0, -50.0, -50.0, -1.0, -50.0]), 0.95)
    assert low == 0.0
    assert 4 < high < 5


@pytest.mark.parametrize("contamination", [0.0, 0.1])
def test_intervals_hold_what_some_mixture_explains_nearly_as_well_as_the_best(contamination):
    """By looking at one mixture after the other."""
    _, counts = count(*samples(n_lab=60, n_unl=200, contamination=contamination))
    merged, _ = counts.merged(15)
    pi, eta, library = prior_grid(), contamination_grid(), shape_library()
    found = posterior(merged, pi, eta, confidence=0.9)
    pairs = 1 / (1 / 60 + 1 / 200)
    explained = Mixtures(merged, pi.values, eta.values, library).log_likelihood() / (1 + pairs / COARSENING)
    explained += library.pure - eta.values[:, None, None] / CONTAMINATION_SCALE
    least = explained.max() - stats.chi2(1).ppf(0.9) / 2
    for number, values, axis in (
        (found.contamination, eta.values, 0),
        (found.prior, pi.values, 1),
        (found.auc, library.auc, 2),
    ):
        held = {values[place] for place in np.argwhere(explained >= least)[:, axis]}
        assert number.low <= min(held)
        assert max(held) <= number.high
        # No further than to the next value that is not held.
        assert not [v for v in set(values) - held if number.low < v < min(held) or max(held) < v < number.high]


def test_merged_counts_keep_their_sums_and_order():
    _, counts = count(*samples())
    merged, index = counts.merged(30)
    assert 15 < len(merged.labelled) <= 31
    assert (np.diff(index) >= 0).all()
    np.testing.assert_allclose(merged.labelled, np.bincount(index, counts.labelled))
    assert merged.unlabelled.sum() == counts.unlabelled.sum()
