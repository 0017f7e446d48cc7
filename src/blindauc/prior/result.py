"""What an estimator of the prior answers."""

from __future__ import annotations

from dataclasses import dataclass

from blindauc.estimate import Estimate


@dataclass(frozen=True)
class PriorEstimate:
    """The share of positives among the unlabelled rows and that of wrong labels among the labelled ones.

    Parameters
    ----------
    prior : Estimate
        Share of positives among the *unlabelled* rows, not among all.
    contamination : Estimate
        Share of the labelled positives that are not positive.
    method : str
        Name of the estimator.

    Examples
    --------
    >>> from blindauc import Estimate
    >>> from blindauc.prior import PriorEstimate
    >>> found = PriorEstimate(Estimate(0.3, 0.25, 0.36), Estimate(0.02, 0.0, 0.08), "mixture")
    >>> print(found.prior)
    0.300 (95 % interval 0.250 to 0.360)
    """

    prior: Estimate
    contamination: Estimate
    method: str
