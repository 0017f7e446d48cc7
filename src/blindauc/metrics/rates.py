"""Recall, false positive rate and precision, from the shares of labelled and unlabelled rows predicted positive.

The labelled rows hold a share `contamination` of negatives and the unlabelled ones a share `prior` of positives, so

    labelled_share   = (1 - contamination) * recall + contamination * false_positive_rate
    unlabelled_share = prior * recall + (1 - prior) * false_positive_rate

which is solved for both rates. Sampling error can move a solution out of [0, 1]; callers clip it.
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats
from blindauc.theory import blind_auc_slope


def recall_of(labelled: Floats, unlabelled: Floats, prior: float, contamination: float) -> Floats:
    """The share of positives predicted positive, not clipped."""
    return ((1 - prior) * labelled - contamination * unlabelled) / blind_auc_slope(prior, contamination)


def false_positive_rate_of(labelled: Floats, unlabelled: Floats, prior: float, contamination: float) -> Floats:
    """The share of negatives predicted positive, not clipped."""
    return ((1 - contamination) * unlabelled - prior * labelled) / blind_auc_slope(prior, contamination)


def precision_of(recall: Floats, unlabelled: Floats, prior: float) -> Floats:
    """The share of positives among the unlabelled rows predicted positive, at most 1; 1 where there are none."""
    found = prior * recall
    # A ratio above 1 is clipped, and 0 / 0 is 1 by convention.
    return np.divide(found, unlabelled, out=np.ones_like(found), where=unlabelled > found)
