"""What an estimator of the prior answers."""

from __future__ import annotations

from dataclasses import dataclass

from blindauc.estimate import Estimate

MOST_RATIO = 3.0
"""A prior that is told is known to a factor of 3, so that a number of positives in the middle of its interval is off by
a factor of 1.7 at most: a list of 100 expected positives holds 60 to 170 (convention)."""

MOST_WIDTH = 0.2
"""And to 0.2: from 0.4 to 0.9 is a factor of 2.3, and half of all rows (convention)."""


def is_identified(prior: Estimate) -> bool:
    """Whether a prior is known well enough to state it, and what depends on it, as one number.

    It is where it was given, and where its interval is narrow: its high end at most 3 times its low end, and its width
    at most 0.2.

    Parameters
    ----------
    prior : Estimate

    Examples
    --------
    >>> from blindauc import Estimate
    >>> from blindauc.prior import is_identified
    >>> is_identified(Estimate(0.3, 0.25, 0.36)), is_identified(Estimate(0.1, 0.001, 0.4)), is_identified(Estimate(0.05, 0.05, 0.05))
    (True, False, True)
    """
    return prior.high <= MOST_RATIO * prior.low and prior.high - prior.low <= MOST_WIDTH


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
