"""Labels that rank far too low are found and flagged, clean ones are left alone."""

from __future__ import annotations

import numpy as np
import pytest
from prior_samples import gamma_sample, samples
from scipy import stats

from blindauc.prior import expected_fdr, fit_score_model, flag
from blindauc.prior.far import far_probability
from blindauc.prior.samples import Counts, count

# --- its parts ---


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
