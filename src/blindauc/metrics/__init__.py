"""Metrics of rankings and classifiers when only some positives are labelled.

Every function takes `y_pu` (labelled positives and unlabelled rows, as in `fit`) where scikit-learn's metrics take the
true labels. `prior` is always the share of positives *among the unlabelled rows*; `blindauc.theory` converts it from
the share among all rows. The estimates describe the population that the unlabelled rows are drawn from.
"""

from blindauc.metrics.auc import pu_auc_score
from blindauc.metrics.bands import Band, pu_precision_recall_band, pu_roc_band
from blindauc.metrics.curves import (
    PUPrecisionRecallCurve,
    PURocCurve,
    pu_average_precision_score,
    pu_precision_recall_curve,
    pu_roc_curve,
)
from blindauc.metrics.displays import PUPrecisionRecallDisplay, PURocDisplay
from blindauc.metrics.labelled import lee_liu_score, pu_f1_score, pu_precision_score, pu_recall_score
from blindauc.metrics.paired import blind_auc_difference
from blindauc.metrics.ranks import blind_auc_score, positive_ranks, trimmed_blind_auc_score
from blindauc.metrics.scorers import (
    PUScorer,
    blind_auc_scorer,
    lee_liu_scorer,
    make_pu_scorer,
    trimmed_blind_auc_scorer,
)

__all__ = [
    "Band",
    "PUPrecisionRecallCurve",
    "PUPrecisionRecallDisplay",
    "PURocCurve",
    "PURocDisplay",
    "PUScorer",
    "blind_auc_difference",
    "blind_auc_score",
    "blind_auc_scorer",
    "lee_liu_score",
    "lee_liu_scorer",
    "make_pu_scorer",
    "positive_ranks",
    "pu_auc_score",
    "pu_average_precision_score",
    "pu_f1_score",
    "pu_precision_recall_band",
    "pu_precision_recall_curve",
    "pu_precision_score",
    "pu_recall_score",
    "pu_roc_band",
    "pu_roc_curve",
    "trimmed_blind_auc_score",
    "trimmed_blind_auc_scorer",
]
