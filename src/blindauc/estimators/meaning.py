"""What the scores of a fit mean: probabilities, prior, contamination, AUC and the suspicion of each label."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.data import Data
from blindauc.estimate import MIN_JUDGED, Estimate
from blindauc.estimators.checking import LabelChecks, auc_checked, gains
from blindauc.evidence.clusters import design_effect
from blindauc.evidence.out_of_fold import OutOfFold
from blindauc.prior import ScoreModel
from blindauc.ranks import Ranked, share_below
from blindauc.rows.digests import row_digests
from blindauc.rows.matrix import spread_of
from blindauc.trust.judgement import among_all_rows, is_judged, judge_ranks, on_scores, without_evidence


@dataclass(frozen=True)
class Meaning:
    """What out-of-fold ranks say about a fit.

    Attributes
    ----------
    calibration : ScoreModel of the scores, for rows of the population
    unlabelled : the same for unlabelled rows
    lift : float, by how much unlabelled rows that the fit has seen score too low
    prior, contamination, auc : Estimate
    labelled_rows : row numbers of the labelled positives in the user's X
    suspicion : ndarray, the probability that each of these labels is wrong
    labels_by_step : ndarray, how many of these labels are in each step of the calibration, but for those with leverage
        and those that were checked
    auc_checked : Estimate of the AUC of positives against known negatives; None where these are too few
    wrong_expected : Estimate of how many of the labels that were checked are wrong, by their ranks alone; None where
        none was checked, or nothing is known
    gain : ndarray, for each fitted row how much checking it promises (`checking.py`)
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
        """The same with labelled rows that neither fitted nor voted: their labels are taken to be wrong."""
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
    known: OutOfFold,
    prior: float | None,
    sampling: str,
    labelled_share: float,
    outliers: Ints,
) -> Meaning:
    """Learn from out-of-fold ranks what the scores of the rows that were fitted mean.

    Where nothing was held out, ranks within the sample have to do. There, and where fewer than `MIN_JUDGED` distinct
    positives were held out, nothing is known of the AUC, the probabilities and the labels.

    The mixture is one of all labels as they came, those that were checked among them: who checks by suspicion checks by
    rank, and without those labels the others would not be a sample that the mixture can explain. What was found is part
    of its likelihood. How many of the checked labels were to be expected wrong is told by ranks alone.
    """
    unlabelled = data.is_unlabelled
    unl_scores, unl_weight = scores[unlabelled], data.weight[unlabelled]
    rank = known.rank if known.is_known else share_below(scores, unl_scores, unl_weight)
    ranked = as_ranked(data, rank)
    judgement = judge_ranks(ranked, prior)
    if not known.is_known or _n_distinct(data, known.rank) < MIN_JUDGED:
        judgement = without_evidence(judgement, prior)
    of_ranks = judgement.score_model
    # New rows score as those that a fit has not seen.
    lift = known.lift * spread_of(unl_scores, unl_weight)
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
        judgement.auc,
        labelled_rows,
        labels.settled(suspicion),
        by_step,
        auc_checked(data, rank, of_ranks),
        _wrong_expected(ranked, prior, pos_rank[first][~labels.is_unchecked]) if is_judged(of_ranks) else None,
        gains(data, rank, of_ranks, outliers),
    )


def _wrong_expected(ranked: Ranked, prior: float | None, checked: Floats) -> Estimate | None:
    """How many labels of these ranks are wrong as far as ranks tell, whatever was found; None where there are none."""
    if len(checked) == 0:
        return None
    of_ranks = judge_ranks(replace(ranked, pos_verdict=None), prior).score_model
    (wrong,) = of_ranks.expected_wrong(of_ranks.count(checked), [len(checked)])
    return wrong


def _n_distinct(data: Data, rank: Floats) -> int:
    """How many different labelled positives have a rank."""
    judged = data.subset(data.is_labelled & ~np.isnan(rank))
    return len(np.unique(row_digests(judged.X, 0)))


def as_ranked(data: Data, rank: Floats) -> Ranked:
    """The ranks of the rows whose rank is known.

    Weights that are not whole numbers are no counts, and only their proportions can be meant. Rows of a group count as
    many as they are worth by how alike they rank.
    """
    taken = ~np.isnan(rank)
    pos, unl, counts = taken & data.is_labelled, taken & data.is_unlabelled, data.counts
    if data.group is not None:
        counts = counts.copy()
        for kind in (pos, unl):
            counts[kind] /= design_effect(rank[kind], data.group[kind])
    verdict = None if data.verdict is None or not data.verdict[pos].any() else data.verdict[pos]
    return Ranked(rank[pos], rank[unl], counts[pos], counts[unl], verdict)
