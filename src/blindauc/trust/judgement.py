"""What out-of-fold ranks say: how many positives are hidden, which labels to doubt, how good the ranking is.

Ranks, not scores: each row is ranked among the unlabelled rows of its own fold, so that folds whose models have
different scales can be put together.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from blindauc._typing import Floats
from blindauc.estimate import Estimate
from blindauc.metrics import pu_auc_score
from blindauc.prior import Explanation, PriorEstimate, ScoreModel, explain_scores, nothing_known
from blindauc.ranks import Ranked, share_below

CHANCE = 0.5

MOST_PRIOR = 0.99
"""Where all unlabelled rows are positive there is no AUC."""


@dataclass(frozen=True)
class Judgement:
    """What the ranks of a model say about it and about its data.

    Attributes
    ----------
    estimate : PriorEstimate, the share of positives among the unlabelled rows and of wrong labels among the positives
    suspicion : ndarray of shape (n_pos,), the probability of each labelled positive to be mislabelled
    auc : Estimate of the AUC that the ranking has on true labels
    score_model : ScoreModel of the ranks
    """

    estimate: PriorEstimate
    suspicion: Floats
    auc: Estimate
    score_model: ScoreModel


def judge_ranks(ranked: Ranked, prior: float | None = None) -> Judgement:
    """Explain the ranks as a mixture, given the prior or not."""
    found = explain_scores(
        ranked.pos,
        ranked.unl,
        pos_weight=ranked.pos_weight,
        unl_weight=ranked.unl_weight,
        prior=prior,
        pos_verdict=ranked.pos_verdict,
    )
    auc = found.auc if _is_better_than_chance(ranked, found.auc) else _maybe_worse_than_chance(ranked, found)
    return Judgement(found.model.estimate, found.model.suspicion(ranked.pos), auc, found.model)


def _is_better_than_chance(ranked: Ranked, auc: Estimate) -> bool:
    """Whether mixtures, none of which ranks worse than chance, may speak for the ranking.

    Labels that mostly rank in the lower half are wrong, most of them, or the ranking is. The mean rank must be above
    one half by more than chance: by two standard errors of Mann and Whitney's test.
    """
    n_pos, n_unl = ranked.pos_weight.sum(), ranked.unl_weight.sum()
    reach = NormalDist().inv_cdf(0.975) * np.sqrt((1 / n_pos + 1 / n_unl) / 12)
    return auc.low > CHANCE and float(np.average(ranked.pos, weights=ranked.pos_weight)) - reach > CHANCE


def _maybe_worse_than_chance(ranked: Ranked, found: Explanation) -> Estimate:
    """Extend the interval downwards, to where Theorem 1 has it if no label is wrong."""
    if min(np.count_nonzero(ranked.pos_weight), np.count_nonzero(ranked.unl_weight)) < 2:
        return Estimate(CHANCE, 0.0, 1.0)
    with warnings.catch_warnings():
        # An AUC that comes out below zero is no sign of a wrong prior here.
        warnings.simplefilter("ignore", UserWarning)
        auc = pu_auc_score(
            np.repeat([1, 0], [len(ranked.pos), len(ranked.unl)]),
            np.append(ranked.pos, ranked.unl),
            sample_weight=np.append(ranked.pos_weight, ranked.unl_weight),
            prior=usable_prior(found.model.estimate.prior),
        )
    value, low = min(found.auc, auc), min(found.auc.low, auc.low)
    worst = _clipped(Estimate(float(value), low, found.auc.high), 0.0, 1.0)
    # Where any AUC may be, no number but the middle is to be told: the one found may be 0 or 1.
    return worst if worst.low > 0 or worst.high < 1 else Estimate(CHANCE, 0.0, 1.0)


def usable_prior(prior: Estimate) -> Estimate:
    """The prior, short of where there is no AUC."""
    return _clipped(prior, 0.0, MOST_PRIOR)


def left_over(contamination: Estimate) -> Estimate:
    """What doubt may have left in, or taken out too much: none, as unsure as the contamination is."""
    half = (contamination.high - contamination.low) / 2
    return Estimate(0.0, -half, half, contamination.confidence)


def _clipped(estimate: Estimate, least: float, most: float) -> Estimate:
    value, low, high = (min(max(number, least), most) for number in (float(estimate), estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.confidence)


def without_evidence(judgement: Judgement, prior: float | None) -> Judgement:
    """The judgement with intervals that say nothing, but for a prior that was given: too few rows were held out."""
    model, found = judgement.score_model, judgement.estimate
    told = found.prior if prior is not None else _anything(found.prior)
    estimate = replace(found, prior=told, contamination=_anything(found.contamination))
    nothing = nothing_known(len(model.probabilities), model.plausible.confidence)
    model = replace(model, estimate=estimate, plausible=nothing)
    return replace(judgement, estimate=estimate, auc=Estimate(CHANCE, 0.0, 1.0), score_model=model)


def _anything(share: Estimate) -> Estimate:
    """The same number with an interval that leaves nothing out."""
    return Estimate(float(share), 0.0, 1.0, share.confidence)


def is_judged(model: ScoreModel) -> bool:
    """Whether the model was learnt from enough rows that were held out."""
    return not model.plausible.says_nothing


def on_scores(model: ScoreModel, unl_scores: Floats, unl_weight: Floats) -> ScoreModel:
    """The model of ranks as a model of scores, by those of the unlabelled rows.

    Steps end half way between two scores: none depends on the last digit of a row's own.
    """
    levels, place = np.unique(unl_scores, return_inverse=True)
    ranks = share_below(levels, levels, np.bincount(place, unl_weight).astype(np.float64))
    margin = 1e-6 * (levels[-1] - levels[0] + 1e-300)
    gaps = np.concatenate([[levels[0] - margin], (levels[:-1] + levels[1:]) / 2, [levels[-1] + margin]])
    return replace(model, edges=gaps[np.searchsorted(ranks, model.edges, side="right")])


def among_all_rows(model: ScoreModel, labelled_share: float) -> ScoreModel:
    """The model with the probabilities of rows drawn like labelled and unlabelled ones together.

    With densities in units of that of the unlabelled rows, `clean` the share of labelled rows that are positive there
    and `probability` that of unlabelled ones,

        (c clean + (1 - c) probability) / (c clean / (1 - suspicion) + 1 - c),    c = labelled_share.
    """
    prior, contamination = float(model.estimate.prior), float(model.estimate.contamination)
    if prior == 0:
        return model
    clean = (1 - contamination) * model.probabilities / prior
    labelled = clean / np.maximum(1 - model.suspicions, 1e-9)
    positive = labelled_share * clean + (1 - labelled_share) * model.probabilities
    everything = labelled_share * labelled + (1 - labelled_share)
    probabilities = np.maximum.accumulate(np.clip(positive / everything, 0.0, 1.0))
    return replace(model, probabilities=probabilities, labelled_share=labelled_share)
