"""Promises of everything that works on one score for each row."""

from __future__ import annotations

import pickle
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import optimize, stats

from blindauc.prior import (
    PRIOR_ESTIMATORS,
    best_bin_prior,
    estimate_prior,
    expected_fdr,
    explain_scores,
    fit_score_model,
    flag,
    mixture_prior,
)
from blindauc.prior.far import far_probability
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
from blindauc.prior.samples import Counts, count
from blindauc.prior.shapes import SEPARATIONS, SPREADS, shape_library

METHODS = sorted(PRIOR_ESTIMATORS)


def samples(seed=0, n_lab=200, n_unl=800, prior=0.3, contamination=0.0, distance=2.5):
    rng = np.random.default_rng(seed)
    labelled = rng.normal(np.where(rng.random(n_lab) < contamination, 0.0, distance))
    unlabelled = rng.normal(np.where(rng.random(n_unl) < prior, distance, 0.0))
    return labelled, unlabelled


def apart(n_unl_pos, n_unl_neg, n_lab=300):
    """Positives on (10, 11), negatives on (0, 1), evenly spaced."""
    middle = lambda n: (np.arange(n) + 0.5) / n  # noqa: E731
    return 10 + middle(n_lab), np.concatenate([10 + middle(n_unl_pos), middle(n_unl_neg)])


SMALL = {
    "two and one": ([1.0, 2.0], [0.0]),
    "one and one": ([0.0], [0.0]),
    "wrong way round": ([0.0, 0.1], [1.0, 2.0]),
    "five and ten": (np.arange(5.0) + 7, np.arange(10.0)),
    "all equal": (np.ones(30), np.ones(100)),
    "two values": (np.array([0.0] * 3 + [1.0] * 20), np.array([0.0] * 70 + [1.0] * 30)),
    "one unlabelled": (np.arange(50.0), [25.0]),
    "one labelled": ([40.0], np.arange(50.0)),
    "huge range": ([1e300, -1e300, 0.0], [1e-300, -1e300, 5.0]),
}


# --- the prior ---


@pytest.mark.parametrize("n_pos", [50, 300, 700])
@pytest.mark.parametrize("method", METHODS)
def test_classes_far_apart_give_the_count(method, n_pos):
    found = estimate_prior(*apart(n_pos, 1000 - n_pos), method=method)
    assert found.method == method
    assert abs(found.prior - n_pos / 1000) < 0.02
    assert found.prior.low < n_pos / 1000 < found.prior.high
    assert found.prior.high - found.prior.low < 0.2
    assert found.contamination.low == 0
    assert found.contamination.high < 0.05


def test_best_bin_is_exact_where_classes_are_apart():
    assert best_bin_prior(*apart(300, 700)).prior == pytest.approx(0.3, abs=1e-12)


def test_best_bin_against_the_double_loop():
    labelled, unlabelled = samples(n_lab=60, n_unl=150)
    widths = np.sqrt(np.log(4 / 0.05) / 2 / 60) + np.sqrt(np.log(4 / 0.05) / 2 / 150)
    cuts = [(np.mean(unlabelled >= c), np.mean(labelled >= c)) for c in labelled]
    best = min(cuts, key=lambda q: (q[0] + widths) / q[1])
    assert best_bin_prior(labelled, unlabelled).prior == pytest.approx(best[0] / best[1])


@pytest.mark.parametrize("every", [5, 10])
def test_wrong_labels_are_counted_where_classes_are_apart(every):
    labelled, unlabelled = apart(300, 700)
    labelled[::every] -= 10
    found = mixture_prior(labelled, unlabelled)
    assert abs(found.contamination - 1 / every) < 0.03
    assert found.contamination.low < 1 / every < found.contamination.high
    assert abs(found.prior - 0.3) < 0.03


def test_the_interval_holds_the_prior_and_is_wide_where_classes_overlap():
    for prior in (0.1, 0.5):
        near = [mixture_prior(*samples(seed, prior=prior, distance=0.7)).prior for seed in range(3)]
        far = [mixture_prior(*samples(seed, prior=prior, distance=3.0)).prior for seed in range(3)]
        assert sum(found.low <= prior <= found.high for found in near + far) >= 5
        assert np.mean([abs(found - prior) for found in far]) < 0.05
        assert np.mean([f.high - f.low for f in near]) > 1.5 * np.mean([f.high - f.low for f in far])


def test_contamination_does_not_raise_the_prior():
    errors = [mixture_prior(*samples(seed, contamination=0.1, distance=3.0)).prior - 0.3 for seed in range(4)]
    assert np.mean(np.abs(errors)) < 0.06


def test_many_more_unlabelled_than_labelled_and_the_other_way_round():
    for n_lab, n_unl, prior in ((50, 50_000, 0.02), (5000, 50, 0.3)):
        found = mixture_prior(*samples(0, n_lab, n_unl, prior, distance=3.0)).prior
        assert found.low <= prior <= found.high


def test_a_higher_confidence_gives_a_wider_interval():
    labelled, unlabelled = samples()
    for method in METHODS:
        narrow, wide = (estimate_prior(labelled, unlabelled, method=method, confidence=c).prior for c in (0.5, 0.99))
        assert wide.low < narrow.low <= narrow == wide <= narrow.high < wide.high
        assert wide.confidence == 0.99


# --- promises of every estimator ---


@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize("method", METHODS)
def test_small_and_tied_samples_have_an_answer(method, case):
    found = estimate_prior(*SMALL[case], method=method)
    for number in (found.prior, found.contamination):
        assert 0 <= number.low <= number <= number.high <= 1


@pytest.mark.parametrize("method", METHODS)
def test_only_ranks_matter(method):
    labelled, unlabelled = samples()
    assert estimate_prior(labelled, unlabelled, method=method) == estimate_prior(
        np.exp(3 * labelled) - 7, np.exp(3 * unlabelled) - 7, method=method
    )


@pytest.mark.parametrize("method", METHODS)
def test_weights_equal_repetition(method):
    labelled, unlabelled = samples(n_lab=80, n_unl=200)
    rng = np.random.default_rng(1)
    pos_weight, unl_weight = rng.integers(0, 4, len(labelled)), rng.integers(0, 3, len(unlabelled))
    weighted = estimate_prior(labelled, unlabelled, method=method, pos_weight=pos_weight, unl_weight=unl_weight)
    repeated = estimate_prior(np.repeat(labelled, pos_weight), np.repeat(unlabelled, unl_weight), method=method)
    assert weighted == repeated


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_does_not_matter_and_answers_repeat(method):
    labelled, unlabelled = samples()
    first = estimate_prior(labelled, unlabelled, method=method)
    assert first == estimate_prior(labelled, unlabelled, method=method)
    assert first == estimate_prior(labelled[::-1], unlabelled[::-1], method=method)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pos_scores": [1.0, np.nan]}, "pos_scores holds NaN"),
        ({"unl_scores": [1.0, np.inf]}, "unl_scores holds NaN or infinity"),
        ({"pos_scores": []}, "pos_scores is empty"),
        ({"unl_scores": np.ones((3, 2))}, "unl_scores must be one-dimensional"),
        ({"pos_weight": [1.0]}, "pos_weight has 1 entries for 2 scores"),
        ({"unl_weight": [1.0, -1.0, 1.0]}, "unl_weight must be non-negative"),
        ({"unl_weight": [0.0, 0.0, 0.0]}, "unl_weight must be non-negative"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0.0}, "confidence"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_bad_input_is_named(method, change, words):
    arguments = {"pos_scores": [1.0, 2.0], "unl_scores": [0.0, 1.0, 2.0], **change}
    with pytest.raises(ValueError, match=words):
        estimate_prior(**arguments, method=method)


def test_an_unknown_method_is_named():
    with pytest.raises(ValueError, match=r"best_bin.*mixture.*not 'magic'"):
        estimate_prior([1.0], [0.0], method="magic")


# --- the score model ---


@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize(
    "given", [{}, {"prior": 0.4}, {"prior": 0.0, "contamination": 0.2}, {"prior": 1.0, "contamination": 1.0}]
)
def test_curves_are_monotone_probabilities_that_average_to_the_prior(case, given):
    labelled, unlabelled = (np.asarray(scores) for scores in SMALL[case])
    model = fit_score_model(labelled, unlabelled, **given)
    check_curves(model, labelled, unlabelled)
    if "prior" in given:
        assert model.estimate.prior == model.estimate.prior.low == model.estimate.prior.high == given["prior"]


@pytest.mark.parametrize("contamination", [0.0, 0.15])
@pytest.mark.parametrize("distance", [0.0, 1.0, 3.0])
def test_curves_of_larger_samples(distance, contamination):
    labelled, unlabelled = samples(distance=distance, contamination=contamination)
    check_curves(fit_score_model(labelled, unlabelled), labelled, unlabelled)


def check_curves(model, labelled, unlabelled):
    ordered = np.sort(np.concatenate([labelled, unlabelled, [-1e301, 1e301]]))
    probability, suspicion = model.probability(ordered), model.suspicion(ordered)
    for curve in (probability, suspicion):
        assert ((curve >= 0) & (curve <= 1)).all()
    assert (np.diff(probability) >= 0).all()
    assert (np.diff(suspicion) <= 0).all()
    assert model.probability(unlabelled).mean() == pytest.approx(model.estimate.prior, abs=1e-9)


def test_given_numbers_are_respected():
    labelled, unlabelled = samples(contamination=0.1)
    model = fit_score_model(labelled, unlabelled, prior=0.25, contamination=0.1)
    assert (model.estimate.prior, model.estimate.contamination) == (0.25, pytest.approx(0.1))
    assert model.probability(unlabelled).mean() == pytest.approx(0.25, abs=1e-9)
    assert model.suspicion(labelled).mean() == pytest.approx(0.1, abs=0.03)
    assert not fit_score_model(labelled, unlabelled, contamination=0.0).suspicion(labelled).any()


@pytest.mark.parametrize("contamination", [0.0, 0.05, 0.12])
def test_a_given_contamination_is_respected_where_far_ones_are_found(contamination):
    labelled, unlabelled = samples()
    labelled[:20] = -20 - np.arange(20)
    model = fit_score_model(labelled, unlabelled, contamination=contamination)
    found = model.estimate.contamination
    assert found == found.low == found.high == contamination
    assert model.suspicion(labelled).mean() == pytest.approx(contamination, abs=0.06)


def test_weights_below_one_are_a_small_sample():
    labelled, unlabelled = samples(n_lab=30, n_unl=60)
    model = fit_score_model(labelled, unlabelled, pos_weight=np.full(30, 1 / 60), unl_weight=np.full(60, 1 / 600))
    assert 0 < model.estimate.prior < 1
    check_curves(model, labelled, unlabelled)


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.3
    unlabelled = rng.normal(np.where(truth, 2.5, 0.0))
    probability = fit_score_model(rng.normal(2.5, 1, 1000), unlabelled, prior=0.3).probability(unlabelled)
    for low, high in pairwise((0.0, 0.05, 0.3, 0.7, 0.95, 1.0)):
        inside = (probability >= low) & (probability <= high)
        assert abs(probability[inside].mean() - truth[inside].mean()) < 0.08


def test_the_model_follows_an_increasing_transform():
    labelled, unlabelled = samples(contamination=0.1)
    model = fit_score_model(labelled, unlabelled)
    moved = fit_score_model(np.sinh(labelled), np.sinh(unlabelled))
    new = np.linspace(-4, 6, 101)
    np.testing.assert_array_equal(model.probability(new), moved.probability(np.sinh(new)))
    np.testing.assert_array_equal(model.suspicion(new), moved.suspicion(np.sinh(new)))


def test_the_model_is_small_and_survives_pickling():
    model = fit_score_model(*samples(n_lab=3000, n_unl=9000))
    assert len(model.edges) < 100
    assert len(model.probabilities) == len(model.suspicions) == len(model.edges) + 1
    again = pickle.loads(pickle.dumps(model))
    assert again.estimate == model.estimate
    np.testing.assert_array_equal(again.suspicion([0.0, 1.0]), model.suspicion([0.0, 1.0]))


@pytest.mark.parametrize(
    ("given", "words"), [({"prior": 1.5}, "prior is a share"), ({"contamination": -0.1}, "contamination is a share")]
)
def test_a_given_share_is_checked(given, words):
    with pytest.raises(ValueError, match=words):
        fit_score_model([1.0], [0.0], **given)


def test_scores_to_judge_are_checked():
    with pytest.raises(ValueError, match="scores holds NaN"):
        fit_score_model([1.0], [0.0]).probability([np.nan])


# --- the AUC ---


def test_the_explanation_holds_the_score_model():
    labelled, unlabelled = samples(contamination=0.1)
    model, found = fit_score_model(labelled, unlabelled, prior=0.3), explain_scores(labelled, unlabelled, prior=0.3)
    assert found.model.estimate == model.estimate
    np.testing.assert_array_equal(found.model.suspicions, model.suspicions)


@pytest.mark.parametrize("case", SMALL)
def test_small_and_tied_samples_have_an_auc(case):
    for prior in (None, 0.0, 0.4, 1.0):
        auc = explain_scores(*SMALL[case], prior=prior).auc
        assert 0.5 <= auc.low <= auc <= auc.high <= 1


def test_the_auc_depends_on_ranks_alone_and_weights_repeat_rows():
    labelled, unlabelled = samples(n_lab=80, n_unl=200)
    auc = explain_scores(labelled, unlabelled).auc
    for other in (explain_scores(labelled[::-1], unlabelled[::-1]), explain_scores(labelled**3, unlabelled**3)):
        assert (auc, auc.low, auc.high) == (other.auc, other.auc.low, other.auc.high)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    weighted = explain_scores(labelled, unlabelled, pos_weight=weight).auc
    repeated = explain_scores(np.repeat(labelled, weight), unlabelled).auc
    assert (weighted, weighted.low, weighted.high) == (repeated, repeated.low, repeated.high)


def test_the_auc_is_surer_with_confidence_rows_and_prior():
    labelled, unlabelled = samples()
    narrow, wide = (explain_scores(labelled, unlabelled, confidence=c).auc for c in (0.5, 0.99))
    assert wide.low < narrow.low <= narrow == wide <= narrow.high < wide.high
    widths = [
        np.mean([auc.high - auc.low for auc in (explain_scores(*samples(s, *n), **given).auc for s in range(4))])
        for n, given in (((100, 400), {}), ((400, 1600), {}), ((400, 1600), {"prior": 0.3}))
    ]
    assert widths[0] > 1.3 * widths[1] > 1.3 * 1.1 * widths[2]


def gamma_sample(seed, kind, n_lab=120, n_unl=1200, prior=0.2, share=0.1):
    """Scores of a distribution by which no constant was set, with an AUC of 0.87; wrong labels come first."""
    rng = np.random.default_rng(seed)
    n_wrong = 0 if kind == "clean" else rng.binomial(n_lab, share)
    unlabelled = rng.gamma(3, np.where(rng.random(n_unl) < prior, 2.6, 1.0))
    wrong = rng.gamma(3, 1.0, n_wrong) if kind == "ordinary" else -rng.random(n_wrong)
    return np.concatenate([wrong, rng.gamma(3, 2.6, n_lab - n_wrong)]), unlabelled, n_wrong


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("kind", ["clean", "ordinary", "far"])
def test_intervals_hold_the_truth_of_a_new_distribution(kind, given):
    """Of 60 draws at least 52: with 57 expected, fewer come by chance once in 100 times."""
    prior, contamination = 0.2, 0.0 if kind == "clean" else 0.1
    # Of two gamma variables of shape 3 the ratio has an F distribution.
    auc = stats.f(6, 6).cdf(2.6)
    held = np.zeros(3)
    for seed in range(60):
        labelled, unlabelled, _ = gamma_sample(seed, kind)
        found = explain_scores(labelled, unlabelled, prior=prior if given else None)
        numbers = found.auc, found.model.estimate.prior, found.model.estimate.contamination
        held += [n.low <= true <= n.high for n, true in zip(numbers, (auc, prior, contamination), strict=True)]
    assert (held >= 52).all()


# --- its parts ---


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


def test_far_ones_are_found_and_nothing_else():
    rng = np.random.default_rng(0)
    labelled, unlabelled = samples()
    _, clean = count(labelled, unlabelled)
    assert not far_probability(clean).any()
    values, counts = count(np.concatenate([labelled, rng.normal(-30, 1, 20)]), unlabelled)
    probability = far_probability(counts)
    assert probability[values < -20].min() > 0.8
    assert not probability[values > 0].any()


def spread_far_labels(rng, n_pos=300, n_unl=3000, share=0.3):
    """Normal classes; far labels mostly below all rows, some of them among the lowest hundredths."""
    n_far = int(share * n_pos)
    unlabelled = rng.normal(np.where(rng.random(n_unl) < 0.2, 2.0, 0.0))
    depth = rng.choice([0.0, 0.005, 0.02], n_far, p=[0.7, 0.2, 0.1])
    far = np.quantile(unlabelled, depth) + rng.normal(0, 0.01, n_far) - (depth == 0)
    return np.concatenate([far, rng.normal(2.0, 1.0, n_pos - n_far)]), unlabelled, n_far


def slow_far_probability(labelled, unlabelled):
    """The same rule on plain scores, zone after zone, for unlabelled scores without ties."""
    ordered, floor, zones = np.sort(unlabelled), -np.inf, []
    n = len(ordered)

    def number(scores, low, high):
        return sum(low < score <= high for score in scores)

    while True:
        found = []
        for share in (0.003, 0.01, 0.03, 0.1):
            for times in (9, 99):
                end = max(1, int(np.ceil(np.round(share * n, 9))))
                ceiling = ordered[end - 1]
                k, m = number(labelled, floor, ceiling), number(ordered, floor, ceiling)
                top = ordered[min(n, end + times * m) - 1] if end + times * m <= n else np.inf
                k_next, m_next = number(labelled, ceiling, top), number(ordered, ceiling, top)
                if k and m and m_next:
                    chance = stats.binomtest(k, k + k_next, m / (m + m_next), alternative="greater").pvalue
                    found.append((chance, ceiling, k / m, (k_next + 1) / m_next))
        if not found or (not zones and min(found)[0] >= 0.01 / 8):
            break
        zones.append((floor, *min(found, key=lambda each: each[0])[1:]))
        floor = zones[-1][1]

    def chance_of(score):
        at_most = [
            max(0.0, 1 - min(above for _, _, _, above in zones[i:]) / inside)
            for i, (_, ceiling, inside, _) in enumerate(zones)
            if score <= ceiling
        ]
        return max(at_most, default=0.0)

    return [chance_of(score) for score in labelled]


@pytest.mark.parametrize("seed", range(12))
def test_far_probabilities_are_those_of_a_slow_version(seed):
    rng = np.random.default_rng(seed)
    share = rng.choice([0.0, 0.1, 0.3])
    labelled, unlabelled, _ = spread_far_labels(rng, int(rng.integers(40, 200)), int(rng.integers(300, 900)), share)
    values, counts = count(labelled, unlabelled)
    found = far_probability(counts)[np.searchsorted(values, labelled)]
    np.testing.assert_allclose(found, slow_far_probability(labelled, unlabelled), atol=1e-12)


def test_far_labels_among_the_lowest_rows_do_not_count_as_ordinary_ones():
    """As ordinary wrong labels they would imply many more among higher scores: a contamination of 0.4, not 0.3."""
    for seed in range(4):
        labelled, unlabelled, n_far = spread_far_labels(np.random.default_rng(seed))
        model = fit_score_model(labelled, unlabelled)
        assert abs(model.estimate.contamination - 0.3) < 0.05
        flagged = flag(model.suspicion(labelled))
        assert flagged[:n_far].mean() > 0.85
        assert flagged[n_far:].sum() <= 0.1 * flagged.sum()


def test_far_alarms_are_rare_where_labels_are_random():
    rng = np.random.default_rng(0)
    alarms = [far_probability(Counts(rng.poisson(0.2, 500) * 1.0, np.ones(500))).any() for _ in range(200)]
    assert np.mean(alarms) < 0.03


# --- suspicion and flags ---


def test_far_labels_are_flagged():
    for seed in range(3):
        labelled, unlabelled = samples(seed)
        labelled[:20] = -20 - np.arange(20)
        model = fit_score_model(labelled, unlabelled)
        flagged = flag(model.suspicion(labelled))
        assert flagged[:20].all()
        assert flagged[20:].mean() < 0.03
        assert model.estimate.contamination.low < 0.1 < model.estimate.contamination.high


@pytest.mark.parametrize("share", [0.05, 0.15, 0.3])
def test_far_labels_of_a_new_distribution_are_flagged(share):
    """Nearly all of them; the share of false alarms is at most 0.3 on average, where 0.2 are asked for."""
    n_found, n_far, false_shares = 0, 0, []
    for seed in range(10):
        labelled, unlabelled, n_wrong = gamma_sample(seed, "far", share=share)
        flagged = flag(fit_score_model(labelled, unlabelled).suspicion(labelled))
        n_found, n_far = n_found + flagged[:n_wrong].sum(), n_far + n_wrong
        false_shares.append(flagged[n_wrong:].sum() / max(1, flagged.sum()))
    assert n_found >= 0.95 * n_far
    assert np.mean(false_shares) <= 0.3


def test_ordinary_wrong_labels_that_can_be_told_are_flagged():
    """With 300 labels and an AUC of 0.95, some of the tenth that is wrong; most of those flagged are."""
    n_found, shares = 0, []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        labelled = np.concatenate([rng.normal(0, 1, 30), rng.normal(2.33, 1, 270)])
        unlabelled = samples(seed, n_unl=3000, prior=0.2, distance=2.33)[1]
        flagged = flag(fit_score_model(labelled, unlabelled).suspicion(labelled))
        n_found += flagged[:30].sum()
        shares.append(flagged[30:].sum() / max(1, flagged.sum()))
    assert n_found >= 0.1 * 6 * 30
    assert np.mean(shares) <= 0.3


def test_clean_labels_are_left_alone():
    shares = []
    for seed in range(5):
        labelled, unlabelled = samples(seed, distance=2.0)
        shares.append(flag(fit_score_model(labelled, unlabelled).suspicion(labelled)).mean())
    assert np.mean(shares) < 0.02


def test_flagged_labels_are_mostly_wrong():
    shares, n_flagged = [], 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        wrong = rng.normal(0, 1, 40)
        labelled = np.concatenate([wrong, rng.normal(3, 1, 260)])
        flagged = flag(fit_score_model(labelled, samples(seed, n_unl=2000, distance=3.0)[1]).suspicion(labelled))
        shares.append(flagged[40:].sum() / max(1, flagged.sum()))
        n_flagged += flagged.sum()
    assert np.mean(shares) < 0.3
    assert n_flagged > 0


@pytest.mark.parametrize("min_suspicion", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("max_fdr", [0.0, 0.1, 0.2, 0.5, 1.0])
def test_flag_is_the_largest_admissible_prefix(max_fdr, min_suspicion):
    rng = np.random.default_rng(0)
    for _ in range(50):
        suspicion = rng.integers(0, 11, rng.integers(1, 15)) / 10
        mask = flag(suspicion, max_fdr, min_suspicion=min_suspicion)
        best = np.zeros(len(suspicion), dtype=bool)
        for threshold in sorted(set(suspicion[suspicion >= min_suspicion]), reverse=True):
            if np.mean(1 - suspicion[suspicion >= threshold]) <= max_fdr + 1e-9:
                best = suspicion >= threshold
        np.testing.assert_array_equal(mask, best)


def test_expected_fdr_by_hand():
    np.testing.assert_allclose(expected_fdr([0.5, 1.0, 0.5, 0.0]), [1 / 3, 0.0, 1 / 3, 0.5])
    assert len(expected_fdr([])) == len(flag([])) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.5, 1.5],), "every entry"),
        (([0.5, np.nan],), "every entry"),
        (([[0.5]],), "one-dimensional"),
        (([0.5], 1.2), "max_fdr"),
    ],
)
def test_flag_checks_its_input(arguments, words):
    with pytest.raises(ValueError, match=words):
        flag(*arguments)
