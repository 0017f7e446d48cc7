"""Class prior, contamination, calibrated probabilities and suspicion, from one score for each row."""

from blindauc.prior.best_bin import best_bin_prior
from blindauc.prior.estimators import PRIOR_ESTIMATORS, PriorEstimator, estimate_prior, mixture_prior
from blindauc.prior.flagging import expected_fdr, flag
from blindauc.prior.result import PriorEstimate
from blindauc.prior.score_model import Explanation, ScoreModel, explain_scores, fit_score_model

__all__ = [
    "PRIOR_ESTIMATORS",
    "Explanation",
    "PriorEstimate",
    "PriorEstimator",
    "ScoreModel",
    "best_bin_prior",
    "estimate_prior",
    "expected_fdr",
    "explain_scores",
    "fit_score_model",
    "flag",
    "mixture_prior",
]
