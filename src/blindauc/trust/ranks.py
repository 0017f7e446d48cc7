"""AUC, class prior, contamination and suspicion, estimated from out-of-fold ranks.

Ranks are used instead of scores because the models of different folds may have different scales. Each row is ranked
among the unlabelled rows of its own fold, and ranks of all folds can be pooled.
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
"""The AUC of a random ranking."""

MOST_PRIOR = 0.99
"""The largest prior used to compute an AUC (convention). At a prior of 1 there is no negative, and no AUC."""


@dataclass(frozen=True)
class RankAssessment:
    """Assessment of a model and its labels by out-of-fold ranks.

    Attributes
    ----------
    estimate : PriorEstimate
        The class prior of the unlabelled rows and the share of wrong labels among the labelled positives.
    suspicion : ndarray of shape (n_pos,)
        The probability that each labelled positive is mislabelled.
    auc : Estimate
        The AUC of the ranking on true labels.
    score_model : ScoreModel
        The calibration, as a function of the rank.
    """

    estimate: PriorEstimate
    suspicion: Floats
    auc: Estimate
    score_model: ScoreModel


def assess_ranks(ranked: Ranked, prior: float | None = None) -> RankAssessment:
    """Fit the two-class mixture model of `blindauc.prior` to out-of-fold ranks.

    Parameters
    ----------
    ranked : Ranked
    prior : float, optional
        The class prior of the unlabelled rows, if known.

    Returns
    -------
    RankAssessment
    """
    found = explain_scores(
        ranked.pos,
        ranked.unl,
        pos_weight=ranked.pos_weight,
        unl_weight=ranked.unl_weight,
        prior=prior,
        pos_verdict=ranked.pos_verdict,
    )
    auc = found.auc if _is_better_than_chance(ranked, found) else _maybe_worse_than_chance(ranked, found)
    return RankAssessment(found.model.estimate, found.model.suspicion(ranked.pos), auc, found.model)


def _is_better_than_chance(ranked: Ranked, found: Explanation) -> bool:
    """Whether the ranking is significantly better than chance, so that the AUC of the mixture model can be used.

    No mixture of the model has an AUC below 0.5. If the labelled rows mostly rank in the lower half, either most labels
    or the ranking are wrong, and the model cannot distinguish these cases. Therefore the mean rank of the labelled rows
    must exceed one half significantly: by the two-sided Mann-Whitney test at a level of 5 %. Labels far below both
    classes are left out of the test. If they are half of the labels or more, they are kept: the ranking may then be
    reversed, because most labels are assumed to be right.
    """
    not_far = ranked.pos_weight * (1 - found.model.far(ranked.pos))
    kept = not_far if not_far.sum() > ranked.pos_weight.sum() / 2 else ranked.pos_weight
    half_width = NormalDist().inv_cdf(0.975) * np.sqrt((1 / kept.sum() + 1 / ranked.unl_weight.sum()) / 12)
    return found.auc.low > CHANCE and float(np.average(ranked.pos, weights=kept)) - half_width > CHANCE


def _maybe_worse_than_chance(ranked: Ranked, found: Explanation) -> Estimate:
    """The AUC, with its interval extended down to the value of Theorem 1 of the paper, which assumes no wrong label."""
    if min(np.count_nonzero(ranked.pos_weight), np.count_nonzero(ranked.unl_weight)) < 2:
        return Estimate(CHANCE, 0.0, 1.0)
    with warnings.catch_warnings():
        # If the AUC is negative, `pu_auc_score` warns that the prior is wrong. Here the ranking may be wrong instead.
        warnings.simplefilter("ignore", UserWarning)
        auc = pu_auc_score(
            np.repeat([1, 0], [len(ranked.pos), len(ranked.unl)]),
            np.append(ranked.pos, ranked.unl),
            sample_weight=np.append(ranked.pos_weight, ranked.unl_weight),
            prior=usable_prior(found.model.estimate.prior),
        )
    value, low = min(found.auc, auc), min(found.auc.low, auc.low)
    extended = _clipped(Estimate(float(value), low, found.auc.high), 0.0, 1.0)
    # If the interval is all of [0, 1], 0.5 is reported: the estimate may be clipped to 0 or 1, which would mislead.
    return extended if extended.low > 0 or extended.high < 1 else Estimate(CHANCE, 0.0, 1.0)


def usable_prior(prior: Estimate) -> Estimate:
    """The prior, clipped to at most `MOST_PRIOR`, so that the AUC is defined."""
    return _clipped(prior, 0.0, MOST_PRIOR)


def residual_contamination(contamination: Estimate) -> Estimate:
    """The contamination that remains after labels were weighted by `1 - suspicion`.

    The estimate is zero, because the weights remove the expected number of wrong labels. They may remove too many or
    too few: the interval is as wide as that of the contamination.
    """
    half = (contamination.high - contamination.low) / 2
    return Estimate(0.0, -half, half, contamination.confidence)


def _clipped(estimate: Estimate, least: float, most: float) -> Estimate:
    value, low, high = (min(max(number, least), most) for number in (float(estimate), estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.confidence)


def without_evidence(assessment: RankAssessment, prior: float | None) -> RankAssessment:
    """The assessment with uninformative intervals from 0 to 1, used if too few rows were held out.

    A given prior keeps its interval.
    """
    model, found = assessment.score_model, assessment.estimate
    class_prior = found.prior if prior is not None else _uninformative(found.prior)
    estimate = replace(found, prior=class_prior, contamination=_uninformative(found.contamination))
    nothing = nothing_known(len(model.probabilities), model.plausible.confidence)
    model = replace(model, estimate=estimate, plausible=nothing)
    return replace(assessment, estimate=estimate, auc=Estimate(CHANCE, 0.0, 1.0), score_model=model)


def _uninformative(share: Estimate) -> Estimate:
    """The same estimate with the interval from 0 to 1."""
    return Estimate(float(share), 0.0, 1.0, share.confidence)


def has_evidence(model: ScoreModel) -> bool:
    """Whether the model was fitted to the ranks of enough out-of-fold rows for its estimates to be reported."""
    return not model.plausible.says_nothing


def on_scores(model: ScoreModel, unl_scores: Floats, unl_weight: Floats) -> ScoreModel:
    """Convert a model of ranks to a model of scores, by the quantiles of the unlabelled scores.

    Each step ends halfway between two neighbouring scores, so that rounding errors never move a row to another step.
    """
    levels, place = np.unique(unl_scores, return_inverse=True)
    ranks = share_below(levels, levels, np.bincount(place, unl_weight).astype(np.float64))
    margin = 1e-6 * (levels[-1] - levels[0] + 1e-300)
    gaps = np.concatenate([[levels[0] - margin], (levels[:-1] + levels[1:]) / 2, [levels[-1] + margin]])
    return replace(model, edges=gaps[np.searchsorted(ranks, model.edges, side="right")])


def among_all_rows(model: ScoreModel, labelled_share: float) -> ScoreModel:
    """The model with the probabilities for a population of labelled and unlabelled rows.

    Densities are relative to that of the unlabelled rows. If `clean` is the density of correctly labelled rows,
    `probability` the share of positives among the unlabelled rows and c = `labelled_share`, the probability is

        (c clean + (1 - c) probability) / (c clean / (1 - suspicion) + 1 - c).
    """
    prior, contamination = float(model.estimate.prior), float(model.estimate.contamination)
    if prior == 0:
        return model
    clean = (1 - contamination) * model.probabilities / prior
    labelled = clean / np.maximum(1 - model.suspicions, 1e-9)
    positive = labelled_share * clean + (1 - labelled_share) * model.probabilities
    all_rows = labelled_share * labelled + (1 - labelled_share)
    probabilities = np.maximum.accumulate(np.clip(positive / all_rows, 0.0, 1.0))
    return replace(model, probabilities=probabilities, labelled_share=labelled_share)
