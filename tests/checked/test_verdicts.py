"""What verdicts say of the labels nobody has checked, and which rows to check next."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from checked_rows import PLAIN, checks_of, drawn, some_data
from scipy.special import softmax

from blindauc import BlindAUCClassifier, expected_found
from blindauc.choice.belief import Belief
from blindauc.choice.search import Search
from blindauc.choice.verdicts import log_probability
from blindauc.estimators.checking import gains
from blindauc.evidence.likelihood import N_BINS, SHARPNESS
from blindauc.prior.posterior import Mixtures
from blindauc.prior.samples import Counts
from blindauc.prior.score_model import explain_scores
from blindauc.prior.shapes import shape_library
from blindauc.scorers import Spec


@pytest.mark.parametrize(("k", "for_"), [(0, "labels"), (2.5, "ranking"), (True, "labels"), (3, "both")])
def test_questions_that_make_no_sense(k, for_):
    data = drawn()
    model = BlindAUCClassifier().fit(data.X, data.y_pu)
    with pytest.raises(ValueError, match=r"^(k|for_) must be"):
        model.next_to_check(k, for_=for_)


def test_what_to_check_for_the_ranking_has_unlabelled_rows_too():
    found, share = [], []
    for seed in range(3):
        data = drawn(seed, n_unlabelled=600)
        rows = BlindAUCClassifier().fit(data.X, data.y_pu).next_to_check(200, for_="ranking")
        assert len(np.unique(rows)) == len(rows)
        is_labelled = data.y_pu[rows] == 1
        assert is_labelled.any()
        assert not is_labelled.all()
        is_other = data.y_true != data.y_pu
        found.append(is_other[rows[:20]].mean())
        share.append(is_other.mean())
    # 0.38 and 0.20: twenty rows of a single draw may say otherwise.
    assert np.mean(found) > np.mean(share)


def test_the_gain_of_a_check_is_what_the_formula_says():
    class RankModel:
        def suspicion(self, rank):
            return 0.5 * (1 - np.asarray(rank))

        def probability(self, rank):
            return 0.8 * np.asarray(rank)

    data = some_data(4, n_pos=6, n_confirmed=1)
    rank = np.linspace(0.1, 0.9, len(data.row))
    unchecked = np.flatnonzero(data.is_positive & ~data.is_confirmed)
    outliers, used = unchecked[:2], unchecked[2:]
    found = gains(data, rank, RankModel(), data.row[outliers])
    expected = np.zeros(len(rank))
    for row in np.flatnonzero(data.is_unlabelled):
        expected[row] = 0.8 * rank[row] * (1 - rank[row]) ** 2
    for row in used:
        expected[row] = 2 * sum(0.5 * (1 - rank[k]) ** 2 for k in used) * 0.5 * (1 - rank[row]) ** 2
    for row in outliers:
        pulls = {k: (1 - 0.5 * (1 - rank[k])) * (1 - rank[k]) for k in outliers}
        expected[row] = 2 * sum(pulls.values()) * pulls[row]
    np.testing.assert_allclose(found, expected)


def test_expected_found_counts_no_row_that_was_checked():
    data = drawn(n_unlabelled=600)
    checked = checks_of(data, np.arange(100, 400))
    model = BlindAUCClassifier(prior=0.2).fit(data.X, data.y_pu, checked=checked)
    with pytest.raises(ValueError, match="from 1 to 300"):
        expected_found(model, data.X, 400, training=True)


def slow_log_probability(ranks, verdict, share):
    """The sum over both sharpnesses, label by label."""
    bins = np.minimum(np.floor(ranks * N_BINS), N_BINS - 1)
    seen, told = [], []
    for a, b in product(SHARPNESS, SHARPNESS):
        right = N_BINS * (((bins + 1) / N_BINS) ** a - (bins / N_BINS) ** a)
        wrong = N_BINS * ((1 - bins / N_BINS) ** b - (1 - (bins + 1) / N_BINS) ** b)
        label = (1 - share) * right + share * wrong
        seen.append(np.prod(label))
        wrong_share = share * wrong / label
        told.append(np.prod(np.where(verdict == 0, 1.0, np.where(verdict == 1, 1 - wrong_share, wrong_share))))
    return np.log(np.average(told, weights=seen))


@pytest.mark.parametrize("seed", range(3))
def test_the_probability_of_verdicts_against_a_loop(seed):
    rng = np.random.default_rng(seed)
    ranks, verdict = np.append(rng.beta(5, 1, 20), rng.uniform(size=5)), rng.integers(-1, 2, 25)
    shares = np.array([0.05, 0.1, 0.4])
    expected = [slow_log_probability(ranks, verdict, share) for share in shares]
    np.testing.assert_allclose(log_probability(ranks, np.ones(25), verdict, shares), expected)
    twice = log_probability(np.tile(ranks, 2), np.ones(50), np.tile(verdict, 2), shares)
    np.testing.assert_allclose(log_probability(ranks, np.full(25, 2.0), verdict, shares), twice)


def test_verdicts_change_the_belief_in_shares_of_outliers():
    data = some_data(0, n_pos=30, n_unl=50, n_negative=10, n_confirmed=20)
    data = data._replace(weight=np.ones(90), labelled=data.row[data.is_positive | data.is_known_negative])
    rng = np.random.default_rng(0)
    pos_ranks, negative_ranks = rng.beta(4, 1, 30), rng.beta(1, 2, 10)
    specs = [Spec("standard", "logistic", 1.0, share, None) for share in (0.0, 0.5)]
    alike = [np.tile(ranks, (2, 1)) for ranks in (pos_ranks, negative_ranks)]
    search = Search(
        data, specs, Belief.of_one_branch(np.log([0.7, 0.3])), alike[0], [], [], [], negative_ranks=alike[1]
    )
    # Ten labels of forty were found wrong; the second candidate leaves out five of the ten that nobody has checked.
    ranks, verdict = np.append(pos_ranks, negative_ranks), data.verdict[data.is_positive]
    told = log_probability(ranks, np.ones(40), np.append(verdict, np.full(10, -1)), np.array([0.25, 0.375]))
    assert abs(told[0] - told[1]) > 0.5
    np.testing.assert_allclose(search.weights, softmax(np.log([0.7, 0.3]) + told))
    # A split's own rows have no say in the weights of its average.
    held_out = np.zeros(90, dtype=bool)
    held_out[np.flatnonzero(data.is_known_negative)[:4]] = True
    other = replace(search, negative_ranks=np.where(held_out[data.is_known_negative], 1.0, alike[1]))
    np.testing.assert_array_equal(search.weights_without(held_out), other.weights_without(held_out))
    assert (search.weights != other.weights).all()


def test_labels_that_were_checked_are_compared_with_what_their_ranks_say():
    data = drawn(seed=2, kind="far")
    labelled = np.flatnonzero(data.y_pu == 1)
    checked = np.full(len(data.y_pu), np.nan)
    checked[labelled[::2]] = data.y_true[labelled[::2]]
    model = BlindAUCClassifier(**PLAIN).fit(data.X, data.y_pu, checked=checked)
    assert model.wrong_expected_.low <= (checked == 0).sum() <= model.wrong_expected_.high <= 30
    assert not hasattr(BlindAUCClassifier(**PLAIN).fit(data.X, data.y_pu), "wrong_expected_")


def test_what_was_found_tells_how_many_of_the_others_are_wrong():
    """Thirty low labels that were confirmed leave fewer wrong ones than thirty that were not looked at."""
    rng = np.random.default_rng(0)
    labelled = np.append(rng.normal(1.5, 1, 80), rng.normal(0, 1, 20))
    unlabelled = np.append(rng.normal(0, 1, 400), rng.normal(1.5, 1, 100))
    lowest, verdict = np.argsort(labelled)[:30], np.zeros(100, dtype=int)
    unknown = explain_scores(labelled, unlabelled, prior=0.2).model.estimate.contamination
    verdict[lowest] = 1
    confirmed = explain_scores(labelled, unlabelled, prior=0.2, pos_verdict=verdict).model.estimate.contamination
    verdict[lowest] = np.where(lowest < 80, 1, -1)
    true = explain_scores(labelled, unlabelled, prior=0.2, pos_verdict=verdict).model.estimate.contamination
    assert confirmed < true
    assert confirmed < unknown
    assert abs(true - 0.2) < abs(unknown - 0.2)
    assert true.high - true.low < unknown.high - unknown.low
    assert true.low < 0.2 < true.high


def test_the_likelihood_of_verdicts_is_that_of_a_loop():
    counts = Counts(np.array([3.0, 4.0, 8.0]), np.array([20.0, 10.0, 5.0]))
    right, wrong = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 0.0])
    grids = np.array([0.1, 0.3]), np.array([0.05, 0.2])
    plain = Mixtures(counts, *grids, shape_library())
    told = Mixtures(replace(counts, right=right, wrong=wrong), *grids, shape_library())
    added = told.log_likelihood() - plain.log_likelihood()
    for e, p, shape in ((0, 0, 0), (1, 0, 7), (1, 1, 40)):
        f0, f1 = plain._classes(np.array([e]), np.array([p]), np.array([shape]))[:, 0]
        eta, expected = grids[1][e], 0.0
        for b in range(3):
            is_wrong = eta * f0[b] / (eta * f0[b] + (1 - eta) * f1[b])
            expected += right[b] * np.log(1 - is_wrong) + wrong[b] * np.log(is_wrong)
        np.testing.assert_allclose(added[e, p, shape], expected, rtol=1e-3)
