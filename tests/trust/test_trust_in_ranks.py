"""What ranks say about a model and its data."""

from dataclasses import replace

import numpy as np
import pytest

import blindauc.prior
import blindauc.trust
from blindauc import Estimate
from blindauc.prior import Plausible, PriorEstimate, ScoreModel, fit_score_model
from blindauc.ranks import Ranked, share_below
from blindauc.trust import assess_ranks
from blindauc.trust.ranks import among_all_rows, on_scores


def normal_scores(seed, n_pos=200, n_unl=800, prior=0.3, contamination=0.1, distance=2.5):
    rng = np.random.default_rng(seed)
    wrong, hidden = rng.random(n_pos) < contamination, rng.random(n_unl) < prior
    return rng.normal(np.where(wrong, 0.0, distance)), rng.normal(np.where(hidden, distance, 0.0)), wrong, hidden


def ranked(pos, unl, pos_weight=None, unl_weight=None):
    pos_weight = np.ones(len(pos)) if pos_weight is None else pos_weight
    unl_weight = np.ones(len(unl)) if unl_weight is None else unl_weight
    return Ranked(share_below(pos, unl, unl_weight), share_below(unl, unl, unl_weight), pos_weight, unl_weight)


RANKED = {
    "clean": ranked(*normal_scores(0, contamination=0.0)[:2]),
    "contaminated": ranked(*normal_scores(1, contamination=0.3)[:2]),
    "no signal": ranked(*normal_scores(2, distance=0.0)[:2]),
    "wrong way round": ranked(*normal_scores(3, distance=-2.0)[:2]),
    "apart": ranked(np.arange(20.0) + 100, np.arange(50.0)),
    "all below": ranked(np.arange(20.0) - 100, np.arange(50.0)),
    "weights": ranked(*normal_scores(4)[:2], np.linspace(0.1, 3, 200), np.linspace(2, 0.5, 800)),
    "all equal": ranked(np.ones(10), np.ones(20)),
    "two and two": ranked(np.array([1.0, 2.0]), np.array([0.0, 1.5])),
    "two and one": ranked(np.array([1.0, 2.0]), np.array([0.0])),
    "one and one": ranked(np.array([1.0]), np.array([0.0])),
}


@pytest.mark.parametrize("prior", [None, 0.2, 0.9])
@pytest.mark.parametrize("case", RANKED)
def test_a_judgement_stays_in_its_bounds(case, prior):
    judgement = assess_ranks(RANKED[case], prior)
    assert judgement.suspicion.shape == RANKED[case].pos.shape
    assert ((judgement.suspicion >= 0) & (judgement.suspicion <= 1)).all()
    assert 0 <= judgement.auc.low <= judgement.auc <= judgement.auc.high <= 1
    # The lower a positive ranks, the more it is doubted.
    assert (np.diff(judgement.suspicion[np.argsort(RANKED[case].pos, kind="stable")]) <= 0).all()
    if prior is not None:
        assert judgement.estimate.prior == judgement.estimate.prior.low == judgement.estimate.prior.high == prior


def test_the_truth_is_inside_the_intervals():
    """Of 20 samples at least 17 for each number: with 19 expected, fewer come by chance once in 60 times."""
    held = np.zeros(3)
    for seed in range(20):
        pos, unl, _, hidden = normal_scores(seed)
        auc = (unl[hidden][:, None] > unl[~hidden]).mean()
        judgement = assess_ranks(ranked(pos, unl))
        intervals = judgement.auc, judgement.estimate.prior, judgement.estimate.contamination
        held += [found.low <= true <= found.high for found, true in zip(intervals, (auc, 0.3, 0.1), strict=True)]
    assert (held >= 17).all()


def test_weights_equal_repetition_but_for_the_interval():
    pos, unl, *_ = normal_scores(0, 60, 150)
    rng = np.random.default_rng(0)
    w_pos, w_unl = rng.integers(1, 4, 60), rng.integers(1, 4, 150)
    weighted = assess_ranks(ranked(pos, unl, w_pos.astype(float), w_unl.astype(float)))
    repeated = assess_ranks(ranked(pos.repeat(w_pos), unl.repeat(w_unl)))
    np.testing.assert_allclose(weighted.suspicion.repeat(w_pos), repeated.suspicion, atol=1e-9)
    assert weighted.auc == pytest.approx(repeated.auc, abs=1e-9)
    assert weighted.estimate.prior == pytest.approx(repeated.estimate.prior, abs=1e-9)


# --- from ranks to scores, and to another population ---


@pytest.mark.parametrize("distance", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("kind", ["continuous", "tied", "weighted"])
def test_on_scores_means_the_same_at_the_unlabelled_scores(distance, kind):
    pos, unl, *_ = normal_scores(0, distance=distance)
    weight = np.linspace(0.5, 2, len(unl)) if kind == "weighted" else np.ones(len(unl))
    if kind == "tied":
        pos, unl = np.round(pos), np.round(unl)
    ranks = ranked(pos, unl, unl_weight=weight)
    model = assess_ranks(ranks).score_model
    meaning = on_scores(model, unl, weight)
    np.testing.assert_array_equal(meaning.probability(unl), model.probability(ranks.unl))
    assert (np.diff(meaning.edges) >= 0).all()
    grid = np.linspace(-10, 10, 500)
    assert (np.diff(meaning.probability(grid)) >= 0).all()


def test_on_scores_where_positives_rank_below_every_unlabelled_row():
    unl = np.arange(100.0)
    ranks = ranked(np.r_[np.full(5, -50.0), np.linspace(60.5, 98.5, 30)], unl)
    model = assess_ranks(ranks).score_model
    np.testing.assert_array_equal(on_scores(model, unl, np.ones(100)).probability(unl), model.probability(ranks.unl))


@pytest.mark.parametrize("labelled_share", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("contamination", [0.0, 0.2])
@pytest.mark.parametrize("prior", [0.1, 0.6])
def test_among_all_rows_is_the_rule_of_bayes(prior, contamination, labelled_share):
    """Four scores with known densities in either class: count positives among rows drawn of both kinds."""
    f0, f1 = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.05, 0.15, 0.3, 0.5])
    labelled = (1 - contamination) * f1 + contamination * f0
    unlabelled = prior * f1 + (1 - prior) * f0
    certain = [Estimate(share, share, share) for share in (prior, contamination)]
    model = ScoreModel(
        PriorEstimate(*certain, "known"),
        np.array([0.5, 1.5, 2.5]),
        probabilities=prior * f1 / unlabelled,
        suspicions=contamination * f0 / labelled,
        plausible=Plausible(
            np.array([prior]), np.array([contamination]), np.log(f1 / f0)[None], np.zeros(1), np.zeros(4), 0.95
        ),
    )
    positive = labelled_share * (1 - contamination) * f1 + (1 - labelled_share) * prior * f1
    everything = labelled_share * labelled + (1 - labelled_share) * unlabelled
    scores, of_all = [0.0, 1.0, 2.0, 3.0], among_all_rows(model, labelled_share)
    for one, share in ((model, prior * f1 / unlabelled), (of_all, positive / everything)):
        np.testing.assert_allclose(one.probability(scores), share, rtol=1e-12)
        # By the one mixture there is, the interval is the probability.
        np.testing.assert_allclose(one.probability_interval(scores), [share, share], rtol=1e-12)


def test_among_all_rows_at_the_ends():
    model = fit_score_model(*normal_scores(0)[:2])
    np.testing.assert_allclose(among_all_rows(model, 0.0).probabilities, model.probabilities)
    nobody = replace(model, estimate=replace(model.estimate, prior=Estimate(0.0, 0.0, 0.0)))
    assert among_all_rows(nobody, 0.3) is nobody
    doubted = replace(model, suspicions=np.ones_like(model.suspicions))
    probabilities = among_all_rows(doubted, 0.3).probabilities
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


# --- the bound on false selections ---


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        (blindauc.prior, "is_told", "is_identified"),
        (blindauc.trust, "Judgement", "RankAssessment"),
        (blindauc.trust, "judge_ranks", "assess_ranks"),
    ],
)
def test_old_names_work_and_warn(module, old, new):
    with pytest.warns(FutureWarning, match=rf"{old} is deprecated: use blindauc\..*\.{new}\."):
        assert getattr(module, old) is getattr(module, new)


def test_names_that_never_were_are_missing():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        blindauc.trust.nothing  # noqa: B018
