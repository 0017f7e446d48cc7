"""Estimates of the class prior, the contamination, calibrated probabilities and suspicion, from one score per row."""

from typing import TYPE_CHECKING

from blindauc._renamed import renamed
from blindauc.prior.best_bin import best_bin_prior
from blindauc.prior.estimators import PRIOR_ESTIMATORS, PriorEstimator, estimate_prior, mixture_prior
from blindauc.prior.flagging import expected_fdr, flag
from blindauc.prior.plausible import Plausible, nothing_known
from blindauc.prior.result import PriorEstimate, is_identified
from blindauc.prior.score_model import Explanation, ScoreModel, explain_scores, fit_score_model

__all__ = [
    "PRIOR_ESTIMATORS",
    "Explanation",
    "Plausible",
    "PriorEstimate",
    "PriorEstimator",
    "ScoreModel",
    "best_bin_prior",
    "estimate_prior",
    "expected_fdr",
    "explain_scores",
    "fit_score_model",
    "flag",
    "is_identified",
    "mixture_prior",
    "nothing_known",
]

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept every name
    __getattr__ = renamed(__name__, {"is_told": "is_identified"})
