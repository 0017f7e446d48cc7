"""What the scores of a fit mean: probabilities, prior, contamination, AUC and the suspicion of each label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.data import Data
from blindauc.design import spread_of
from blindauc.estimate import Estimate
from blindauc.evidence.out_of_fold import OutOfFold
from blindauc.prior import ScoreModel
from blindauc.ranks import Ranked, share_below
from blindauc.trust.judgement import among_all_rows, judge_ranks, on_scores


@dataclass(frozen=True)
class Meaning:
    """What out-of-fold ranks say about a fit.

    Attributes
    ----------
    calibration : ScoreModel of the scores
    prior, contamination, auc : Estimate
    labelled_rows : row numbers of the labelled positives in the user's X
    suspicion : ndarray, the probability that each of these labels is wrong
    """

    calibration: ScoreModel
    prior: Estimate
    contamination: Estimate
    auc: Estimate
    labelled_rows: Ints
    suspicion: Floats

    def with_leverage(self, rows: Ints) -> Meaning:
        """The same with labelled rows that neither fitted nor voted: their labels are taken to be wrong."""
        if len(rows) == 0:
            return self
        every = np.append(self.labelled_rows, rows)
        suspicion, order = np.append(self.suspicion, np.ones(len(rows))), np.argsort(every)
        left = len(self.labelled_rows) / len(every)
        was = self.contamination
        low, value, high = (1 - left * (1 - share) for share in (was.low, float(was), was.high))
        contamination = Estimate(value, low, high, was.confidence)
        return Meaning(self.calibration, self.prior, contamination, self.auc, every[order], suspicion[order])


def meaning_of(
    data: Data, scores: Floats, known: OutOfFold, prior: float | None, sampling: str, labelled_share: float
) -> Meaning:
    """Learn from out-of-fold ranks what the scores of the rows that were fitted mean.

    Where nothing was held out, ranks within the sample have to do, and nothing is known of the AUC.
    """
    unlabelled = ~data.is_positive
    unl_scores, unl_weight = scores[unlabelled], data.weight[unlabelled]
    rank = known.rank if known.is_known else share_below(scores, unl_scores, unl_weight)
    judgement = judge_ranks(as_ranked(data, rank), prior)
    # New rows score as those that a fit has not seen.
    as_if_new = unl_scores + known.lift * spread_of(unl_scores, unl_weight)
    of_unlabelled = on_scores(judgement.score_model, as_if_new, unl_weight)
    pos_rank = rank[data.is_positive]
    never = np.isnan(pos_rank)
    pos_rank[never] = share_below(scores[data.is_positive][never], unl_scores, unl_weight)
    labelled_rows, first = np.unique(data.row[data.is_positive], return_index=True)
    return Meaning(
        among_all_rows(of_unlabelled, labelled_share) if sampling == "one_sample" else of_unlabelled,
        judgement.estimate.prior,
        judgement.estimate.contamination,
        judgement.auc if known.is_known else Estimate(float(judgement.auc), 0.0, 1.0),
        labelled_rows,
        judgement.score_model.suspicion(pos_rank[first]),
    )


def as_ranked(data: Data, rank: Floats) -> Ranked:
    """The ranks of the rows whose rank is known.

    Weights that are not whole numbers are no counts, and only their proportions can be meant.
    """
    taken = ~np.isnan(rank)
    pos, unl, counts = taken & data.is_positive, taken & ~data.is_positive, data.counts
    return Ranked(rank[pos], rank[unl], counts[pos], counts[unl])
