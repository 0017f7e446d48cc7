"""Estimators of the class prior, by name."""

from __future__ import annotations

from typing import Any, Protocol

from blindauc.prior.best_bin import best_bin_prior
from blindauc.prior.result import PriorEstimate
from blindauc.prior.score_model import fit_score_model


class PriorEstimator(Protocol):
    """The signature of an estimator of the class prior."""

    def __call__(
        self,
        pos_scores: Any,
        unl_scores: Any,
        *,
        pos_weight: Any = None,
        unl_weight: Any = None,
        confidence: float = 0.95,
    ) -> PriorEstimate:
        """Return the prior and the contamination with their intervals."""


def mixture_prior(
    pos_scores: Any, unl_scores: Any, *, pos_weight: Any = None, unl_weight: Any = None, confidence: float = 0.95
) -> PriorEstimate:
    """Estimate class prior and contamination by model averaging over two-class mixtures of the ranks.

    Of the posterior over (shape, prior, contamination), the estimate of the prior is the median, and that of the
    contamination the mean. The intervals come from the profile likelihood: they contain every value with which some
    mixture fits the ranks nearly as well as the best one. `fit_score_model` also returns probabilities. Often several
    values fit equally well, for example if the classes overlap even at the highest scores, or if a low-scoring label
    may be either wrong or an unusual positive. The intervals are then wide.

    Parameters
    ----------
    pos_scores, unl_scores : array-like of shape (n,)
        Scores of labelled and unlabelled rows, higher for positives, out of fold.
    pos_weight, unl_weight : array-like of shape (n,), optional
        A weight of 2 equals a row given twice.
    confidence : float, default=0.95

    Returns
    -------
    PriorEstimate

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior import mixture_prior
    >>> rng = np.random.default_rng(0)
    >>> unlabelled = np.r_[rng.normal(3, 1, 300), rng.normal(0, 1, 700)]
    >>> found = mixture_prior(rng.normal(3, 1, 300), unlabelled)
    >>> found.prior.low < 0.3 < found.prior.high, found.contamination.high < 0.1
    (True, True)
    """
    return fit_score_model(
        pos_scores, unl_scores, pos_weight=pos_weight, unl_weight=unl_weight, confidence=confidence
    ).estimate


PRIOR_ESTIMATORS: dict[str, PriorEstimator] = {"mixture": mixture_prior, "best_bin": best_bin_prior}
"""The values of `method` in `estimate_prior`."""


def estimate_prior(
    pos_scores: Any,
    unl_scores: Any,
    *,
    method: str = "mixture",
    pos_weight: Any = None,
    unl_weight: Any = None,
    confidence: float = 0.95,
) -> PriorEstimate:
    """Estimate the class prior of the unlabelled rows from one score per row.

    Parameters
    ----------
    pos_scores, unl_scores : array-like of shape (n,)
        Scores of labelled and unlabelled rows, higher for positives, out of fold.
    method : {"mixture", "best_bin"}, default="mixture"
        A key of `PRIOR_ESTIMATORS`.
    pos_weight, unl_weight : array-like of shape (n,), optional
        A weight of 2 equals a row given twice.
    confidence : float, default=0.95

    Returns
    -------
    PriorEstimate

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior import estimate_prior
    >>> unlabelled = np.r_[np.arange(700.0), np.linspace(1000, 2000, 300)]
    >>> round(estimate_prior(np.linspace(1000, 2000, 500), unlabelled, method="best_bin").prior, 2)
    0.3
    """
    if method not in PRIOR_ESTIMATORS:
        raise ValueError(f"method must be one of {sorted(PRIOR_ESTIMATORS)}, not {method!r}.")
    return PRIOR_ESTIMATORS[method](
        pos_scores, unl_scores, pos_weight=pos_weight, unl_weight=unl_weight, confidence=confidence
    )
