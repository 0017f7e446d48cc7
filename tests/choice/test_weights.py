"""Weights of candidates by evidence and belief, against a slow loop."""

import numpy as np
import pytest
from candidates import slow_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from referee import evidence_of

from blindauc.choice.belief import Belief
from blindauc.choice.weights import POWER, evidence_for, gibbs_weights
from blindauc.evidence.likelihood import log_likelihood

RANKS = np.random.default_rng(0).beta(3, 1, size=(6, 30))
LOG_BELIEF = np.random.default_rng(1).normal(size=6)
WEIGHT = np.random.default_rng(2).uniform(0.5, 2, 30)
BELIEF, EQUAL = Belief.of_one_branch(LOG_BELIEF), Belief.of_one_branch(np.zeros(4))


@pytest.mark.parametrize("weight", [np.ones(30), WEIGHT, 3 * np.ones(30)])
@pytest.mark.parametrize("n_unknown", [0, 7])
def test_weights_against_a_slow_loop(weight, n_unknown):
    ranks = np.where(np.arange(30) < n_unknown, np.nan, RANKS)
    expected = slow_weights(LOG_BELIEF, ranks, weight)
    np.testing.assert_allclose(gibbs_weights(BELIEF, ranks, weight), expected)
    np.testing.assert_allclose(evidence_for(ranks, weight), [evidence_of(r, weight) for r in ranks])


def test_some_positives_stand_for_all():
    kept = np.arange(30) % 3 == 0
    found = gibbs_weights(BELIEF, RANKS, WEIGHT, kept)
    factor = WEIGHT.sum() / WEIGHT[kept].sum()
    np.testing.assert_allclose(found, slow_weights(LOG_BELIEF, RANKS[:, kept], factor * WEIGHT[kept]))
    np.testing.assert_allclose(
        gibbs_weights(BELIEF, RANKS, WEIGHT, np.ones(30, bool)), gibbs_weights(BELIEF, RANKS, WEIGHT)
    )
    # Where none is kept, the belief alone decides.
    nobody = gibbs_weights(BELIEF, RANKS, WEIGHT, np.zeros(30, bool))
    np.testing.assert_allclose(nobody, np.exp(LOG_BELIEF) / np.exp(LOG_BELIEF).sum())


SHARES = st.floats(0, 1)
MANY = settings(max_examples=50, deadline=None)


@MANY
@given(arrays(float, (4, 8), elements=SHARES), arrays(float, 8, elements=st.floats(0.1, 9)))
def test_more_evidence_and_equal_belief_never_weighs_less(ranks, weight):
    weights, evidence = gibbs_weights(EQUAL, ranks, weight), [evidence_of(r, weight) for r in ranks]
    # Sums that are equal but for the order of their terms are equal but for rounding.
    assert (np.diff(weights[np.argsort(evidence)]) >= -1e-12).all()


@MANY
@given(arrays(float, (4, 8), elements=SHARES), st.permutations(range(8)), st.permutations(range(4)))
def test_the_order_of_positives_and_of_candidates_does_not_matter(ranks, positives, candidates):
    belief, weight = Belief(np.arange(4.0), np.array([0, 1, 0, 1]), np.log([0.3, 0.7]), np.ones(2)), np.arange(1.0, 9.0)
    weights = gibbs_weights(belief, ranks, weight)
    np.testing.assert_allclose(gibbs_weights(belief, ranks[:, positives], weight[positives]), weights)
    np.testing.assert_allclose(
        gibbs_weights(belief.only(np.array(candidates)), ranks[candidates], weight), weights[candidates]
    )


def test_wrong_labels_ranked_low_are_worth_more_than_all_ranked_alike():
    apart, together = np.repeat([0.95, 0.05], [35, 15]), np.full(50, 0.68)
    np.testing.assert_allclose(apart.mean(), together.mean())
    weights = gibbs_weights(EQUAL.only(np.arange(2)), np.array([apart, together]), np.ones(50))
    assert weights[0] > 0.99


def test_branches_weigh_by_the_likelihood_of_their_averaged_ranks():
    branch, log_between = [0, 2, 0, 3, 2, 0], np.array([-0.3, 5.0, 0.2, -1.0])  # no candidate is left of branch 1
    logs, expected = [], np.zeros(6)
    places = {each: [k for k in range(6) if branch[k] == each] for each in sorted(set(branch))}
    for each, at in places.items():
        log_weights = [LOG_BELIEF[k] + evidence_of(RANKS[k], WEIGHT) for k in at]
        expected[at] = np.exp(log_weights) / np.exp(log_weights).sum()
        averaged = expected[at] @ RANKS[at]
        logs.append(log_between[each] + POWER * log_likelihood(averaged[None], WEIGHT)[0])
    for at, log in zip(places.values(), logs, strict=True):
        expected[at] *= np.exp(log) / np.exp(logs).sum()
    belief = Belief(LOG_BELIEF, np.array(branch), log_between, np.ones(4))
    np.testing.assert_allclose(gibbs_weights(belief, RANKS, WEIGHT), expected)


def test_a_branch_gains_nothing_by_having_many_candidates():
    one_and_many = np.vstack([RANKS[0], *[RANKS[1]] * 20])
    belief = Belief(np.zeros(21), np.arange(21).clip(max=1), np.zeros(2), np.ones(2))
    weights = gibbs_weights(belief, one_and_many, WEIGHT)
    two = gibbs_weights(belief.only(np.arange(2)), RANKS[:2], WEIGHT)
    np.testing.assert_allclose([weights[0], weights[1:].sum()], two)


def test_the_ranks_by_a_screening_fit_are_evidence_too():
    screening = np.random.default_rng(5).random(RANKS.shape)
    screening[0] = np.nan  # a candidate without a screening fit
    evidence = [evidence_of(r, WEIGHT) + evidence_of(s, WEIGHT) for r, s in zip(RANKS[1:], screening[1:], strict=True)]
    evidence = np.append(evidence_of(RANKS[0], WEIGHT), evidence)
    expected = np.exp(LOG_BELIEF + evidence - np.max(LOG_BELIEF + evidence))
    found = gibbs_weights(BELIEF, RANKS, WEIGHT, screening=screening)
    np.testing.assert_allclose(found, expected / expected.sum())
    # The same for all candidates of a shape changes nothing.
    same = np.tile(screening[1], (len(RANKS), 1))
    np.testing.assert_allclose(
        gibbs_weights(BELIEF, RANKS, WEIGHT, screening=same), gibbs_weights(BELIEF, RANKS, WEIGHT)
    )
