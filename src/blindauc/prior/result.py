"""The result of an estimator of the class prior, and whether it is precise enough to be reported as one number."""

from __future__ import annotations

from dataclasses import dataclass

from blindauc.estimate import Estimate

MOST_RATIO = 3.0
"""A prior is reported as one number only if the ratio of the ends of its interval is at most this (convention).

A count of positives computed from the geometric mean of the ends is then wrong by a factor of at most sqrt(3) = 1.7: a
list with 100 expected positives contains between 60 and 170.
"""

MOST_WIDTH = 0.2
"""The largest width of that interval (convention). The ratio alone does not suffice: the ends 0.4 and 0.9 have a ratio
of only 2.3, yet differ by half of all rows."""


def is_identified(prior: Estimate) -> bool:
    """Whether the data, or the user, determine the class prior well enough to report it as one number.

    The same answer holds for probabilities and counts, which depend on the prior. It is True if the prior was given, or
    if its interval is narrow: the high end is at most 3 times the low end, and the width is at most 0.2.

    Parameters
    ----------
    prior : Estimate

    Returns
    -------
    bool

    Examples
    --------
    >>> from blindauc import Estimate
    >>> from blindauc.prior import is_identified
    >>> is_identified(Estimate(0.3, 0.25, 0.36)), is_identified(Estimate(0.1, 0.001, 0.4))
    (True, False)
    >>> is_identified(Estimate(0.05, 0.05, 0.05))  # it was given
    True
    """
    return prior.high <= MOST_RATIO * prior.low and prior.high - prior.low <= MOST_WIDTH


@dataclass(frozen=True)
class PriorEstimate:
    """The class prior of the unlabelled rows and the share of wrong labels among the labelled ones.

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
