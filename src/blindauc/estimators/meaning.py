"""Calibration of a fit: probabilities, prior, contamination, AUC and the suspicion of each label."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.data import Data
from blindauc.estimate import MIN_POSITIVES, Estimate
from blindauc.estimators.checking import LabelChecks, auc_checked, gains
from blindauc.evidence.clusters import design_effect
from blindauc.evidence.folds import n_distinct
from blindauc.evidence.out_of_fold import OutOfFold
from blindauc.prior import ScoreModel
from blindauc.ranks import Ranked, share_below
from blindauc.rows.matrix import spread_of
from blindauc.trust.ranks import among_all_rows, assess_ranks, has_evidence, on_scores, without_evidence


@dataclass(frozen=True)
class Meaning:
    """The calibration of a fit by out-of-fold ranks.

    Attributes
    ----------
    calibration : ScoreModel
        Calibration of the scores, for rows of the population.
    unlabelled : ScoreModel
        The same for unlabelled rows.
    lift : float
        By how much unlabelled rows of the fit score lower than new unlabelled rows.
    prior, contamination, auc : Estimate
    labelled_rows : ndarray
        Row numbers of the labelled positives in the user's X.
    suspicion : ndarray
        The probability that each of these labels is wrong.
    labels_by_step : ndarray
        The number of these labels in each step of the calibration, except those with leverage and those checked.
    auc_checked : Estimate or None
        The AUC of positives against known negatives; None if these are too few.
    wrong_expected : Estimate or None
        The expected number of wrong labels among those checked, by their ranks alone; None if no label was checked.
    gain : ndarray
        For each row of the fit, the expected gain of checking it (`checking.py`).
    """

    calibration: ScoreModel
    unlabelled: ScoreModel
    lift: float
    prior: Estimate
    contamination: Estimate
    auc: Estimate
    labelled_rows: Ints
    suspicion: Floats
    labels_by_step: Ints
    auc_checked: Estimate | None
    wrong_expected: Estimate | None
    gain: Floats

    def with_leverage(self, rows: Ints) -> Meaning:
        """Add the labelled rows that were set aside for their leverage; their labels are taken to be wrong."""
        if len(rows) == 0:
            return self
        every = np.append(self.labelled_rows, rows)
        suspicion, order = np.append(self.suspicion, np.ones(len(rows))), np.argsort(every)
        n_unchecked = int(self.labels_by_step.sum())
        left = n_unchecked / (n_unchecked + len(rows))
        was = self.contamination
        low, value, high = (1 - left * (1 - share) for share in (was.low, float(was), was.high))
        contamination = Estimate(value, low, high, was.confidence)
        return replace(self, contamination=contamination, labelled_rows=every[order], suspicion=suspicion[order])


def meaning_of(
    data: Data,
    scores: Floats,
    ranks: OutOfFold,
    prior: float | None,
    sampling: str,
    labelled_share: float,
    outliers: Ints,
) -> Meaning:
    """Calibrate the scores of a fit by out-of-fold ranks.

    If no rows were held out, in-sample ranks take their place. In that case, and with fewer than `MIN_POSITIVES`
    distinct held-out positives, the AUC, the probabilities and the suspicion get uninformative intervals.

    The mixture model is fitted to all original labels, including those that were checked. Labels are checked in the
    order of suspicion, hence by rank: without the checked ones, the others would be a biased sample of the ranks. The
    results of the checks are part of its likelihood. The expected number of wrong labels among those checked comes from
    ranks alone.
    """
    unlabelled = data.is_unlabelled
    unl_scores, unl_weight = scores[unlabelled], data.weight[unlabelled]
    rank = ranks.rank if ranks.is_known else share_below(scores, unl_scores, unl_weight)
    ranked = as_ranked(data, rank)
    assessment = assess_ranks(ranked, prior)
    if not ranks.is_known or _n_distinct(data, ranks.rank) < MIN_POSITIVES:
        assessment = without_evidence(assessment, prior)
    of_ranks = assessment.score_model
    # New rows score like held-out rows, higher than the unlabelled rows of the fit.
    lift = ranks.lift * spread_of(unl_scores, unl_weight)
    of_unlabelled = on_scores(of_ranks, unl_scores + lift, unl_weight)
    labelled = data.is_labelled
    pos_rank = rank[labelled]
    never = np.isnan(pos_rank)
    pos_rank[never] = share_below(scores[labelled][never], unl_scores, unl_weight)
    labelled_rows, first = np.unique(data.row[labelled], return_index=True)
    labels = LabelChecks.of(data, labelled, first)
    suspicion = of_ranks.suspicion(pos_rank[first])
    by_step = of_ranks.count(pos_rank[first][labels.is_unchecked])
    return Meaning(
        among_all_rows(of_unlabelled, labelled_share) if sampling == "one_sample" else of_unlabelled,
        of_unlabelled,
        lift,
        of_ranks.estimate.prior,
        labels.contamination(of_ranks, by_step),
        assessment.auc,
        labelled_rows,
        labels.settled(suspicion),
        by_step,
        auc_checked(data, rank, of_ranks),
        _wrong_expected(ranked, prior, pos_rank[first][~labels.is_unchecked]) if has_evidence(of_ranks) else None,
        gains(data, rank, of_ranks, outliers),
    )


def _wrong_expected(ranked: Ranked, prior: float | None, checked: Floats) -> Estimate | None:
    """The expected number of wrong labels by these ranks, without the checks; None if there are no labels."""
    if len(checked) == 0:
        return None
    of_ranks = assess_ranks(replace(ranked, pos_verdict=None), prior).score_model
    (wrong,) = of_ranks.expected_wrong(of_ranks.count(checked), [len(checked)])
    return wrong


def _n_distinct(data: Data, rank: Floats) -> int:
    """The number of distinct labelled positives with a rank."""
    ranked = data.subset(data.is_labelled & ~np.isnan(rank))
    return n_distinct(ranked.digests())


def as_ranked(data: Data, rank: Floats) -> Ranked:
    """The ranks of the rows that have one, with weights in units of independent rows.

    Whole weights are counts; of other weights only the proportions count. The weights of grouped rows are divided by
    the design effect.
    """
    taken = ~np.isnan(rank)
    pos, unl, counts = taken & data.is_labelled, taken & data.is_unlabelled, data.counts
    if data.group is not None:
        counts = counts.copy()
        for kind in (pos, unl):
            counts[kind] /= design_effect(rank[kind], data.group[kind])
    verdict = None if data.verdict is None or not data.verdict[pos].any() else data.verdict[pos]
    return Ranked(rank[pos], rank[unl], counts[pos], counts[unl], verdict)
