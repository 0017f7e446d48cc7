"""Conversion between the share of positives among all rows and among the unlabelled rows."""

from __future__ import annotations

import math
from collections.abc import Callable

from blindauc.estimate import Estimate
from blindauc.theory.checks import check_counts, check_share


def prior_among_unlabelled(overall_prior: float, *, label_frequency: float) -> float:
    r"""The share of positives among the unlabelled rows, when one sample was drawn and partly labelled.

    .. math:: \pi_{unl} = \frac{\pi - \pi c}{1 - \pi c}

    Parameters
    ----------
    overall_prior : float in [0, 1) or Estimate
        The share :math:`\pi` of positives among all rows.
    label_frequency : float in [0, 1)
        The share c of the positives that are labelled.

    Returns
    -------
    float
        An `Estimate` when the overall prior is one.

    See Also
    --------
    prior_among_unlabelled_from_counts : when the number of labelled rows is known instead.
    overall_prior : the inverse.

    Examples
    --------
    >>> from blindauc.theory import prior_among_unlabelled
    >>> round(prior_among_unlabelled(0.4, label_frequency=0.5), 6)
    0.25
    """
    check_share("label_frequency", label_frequency, "share of the positives that are labelled")

    def convert(prior: float) -> float:
        check_share("overall_prior", prior, "share of positives among all rows")
        return prior * (1 - label_frequency) / (1 - prior * label_frequency)

    return _carry_interval(convert, overall_prior)


def overall_prior(unlabelled_prior: float, *, label_frequency: float) -> float:
    r"""The share of positives among all rows, when one sample was drawn and partly labelled.

    .. math:: \pi = \frac{\pi_{unl}}{1 - c (1 - \pi_{unl})}

    Parameters
    ----------
    unlabelled_prior : float in [0, 1) or Estimate
        The share of positives among the unlabelled rows.
    label_frequency : float in [0, 1)
        The share c of the positives that are labelled.

    Returns
    -------
    float
        An `Estimate` when the prior among the unlabelled rows is one.

    Examples
    --------
    >>> from blindauc.theory import overall_prior
    >>> round(overall_prior(0.25, label_frequency=0.5), 6)
    0.4
    """
    check_share("label_frequency", label_frequency, "share of the positives that are labelled")

    def convert(prior: float) -> float:
        check_share("unlabelled_prior", prior, "share of positives among the unlabelled rows")
        return prior / (1 - label_frequency * (1 - prior))

    return _carry_interval(convert, unlabelled_prior)


def prior_among_unlabelled_from_counts(
    overall_prior: float, *, n_pos: float, n_unl: float, contamination: float = 0.0
) -> float:
    r"""The share of positives among the unlabelled rows of one sample, from how many of its rows are labelled.

    .. math:: \pi_{unl} = \frac{\pi (n_{pos} + n_{unl}) - (1 - \eta) n_{pos}}{n_{unl}}

    Parameters
    ----------
    overall_prior : float in [0, 1) or Estimate
        The share :math:`\pi` of positives among all rows.
    n_pos, n_unl : float
        How many rows are labelled positive, and how many are unlabelled.
    contamination : float in [0, 1), default=0
        The share :math:`\eta` of negatives among the labelled positives.

    Returns
    -------
    float
        An `Estimate` when the overall prior is one, with its ends kept within [0, 1].

    Examples
    --------
    >>> from blindauc.theory import prior_among_unlabelled_from_counts
    >>> round(prior_among_unlabelled_from_counts(0.4, n_pos=200, n_unl=800), 6)
    0.25
    """
    check_counts(n_pos, n_unl)
    check_share("contamination", contamination, "share of negatives among the labelled positives")
    check_share("overall_prior", overall_prior, "share of positives among all rows")
    labelled = (1 - contamination) * n_pos

    def convert(prior: float) -> float:
        return (prior * (n_pos + n_unl) - labelled) / n_unl

    # A tolerance: by rounding, "all positives are labelled" must not raise an error.
    if not -1e-9 <= convert(overall_prior) <= 1 + 1e-9:
        raise ValueError(
            f"An overall prior of {overall_prior:g} is impossible with {labelled:g} labelled positives among "
            f"{n_pos + n_unl:g} rows: it lies between {labelled / (n_pos + n_unl):.3g} (no unlabelled row is positive) "
            f"and {(labelled + n_unl) / (n_pos + n_unl):.3g} (all of them are). If the labelled positives were "
            "collected separately from the unlabelled rows (two samples), the overall prior needs no conversion."
        )
    return _carry_interval(lambda prior: min(max(convert(prior), 0.0), 1.0), overall_prior)


def overall_prior_from_counts(
    unlabelled_prior: float, *, n_pos: float, n_unl: float, contamination: float = 0.0
) -> float:
    r"""The share of positives among all rows of one sample, from the share among its unlabelled rows.

    .. math:: \pi = \frac{\pi_{unl} n_{unl} + (1 - \eta) n_{pos}}{n_{pos} + n_{unl}}

    Parameters
    ----------
    unlabelled_prior : float in [0, 1) or Estimate
        The share of positives among the unlabelled rows.
    n_pos, n_unl : float
        How many rows are labelled positive, and how many are unlabelled.
    contamination : float in [0, 1), default=0
        The share :math:`\eta` of negatives among the labelled positives.

    Returns
    -------
    float
        An `Estimate` when the prior among the unlabelled rows is one.

    Examples
    --------
    >>> from blindauc.theory import overall_prior_from_counts
    >>> round(overall_prior_from_counts(0.25, n_pos=200, n_unl=800), 6)
    0.4
    """
    check_counts(n_pos, n_unl)
    check_share("contamination", contamination, "share of negatives among the labelled positives")
    check_share("unlabelled_prior", unlabelled_prior, "share of positives among the unlabelled rows")
    labelled = (1 - contamination) * n_pos
    return _carry_interval(lambda prior: (prior * n_unl + labelled) / (n_pos + n_unl), unlabelled_prior)


def _carry_interval(convert: Callable[[float], float], prior: float) -> float:
    """An increasing function of a number, or of an estimate and both ends of its interval."""
    if isinstance(prior, Estimate):
        low, high = (convert(min(max(end, 0.0), math.nextafter(1.0, 0.0))) for end in (prior.low, prior.high))
        return Estimate(convert(float(prior)), low, high, prior.confidence)
    return convert(prior)
