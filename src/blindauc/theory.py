"""Theorems 1 and 2 of the paper as functions, and the two meanings of "the prior".

Everywhere in blindauc `prior` is the share of positives *among the unlabelled rows*. How it relates to the share
among all rows depends on how the data came about:

- **Two samples** (case-control): the unlabelled rows are a sample of the population and the labelled positives
  were collected beside them. The prior among the unlabelled rows is the overall prior: nothing to convert.
- **One sample**: one sample was drawn and some of its positives got labels. The unlabelled rows are what is left,
  so they are poorer in positives than the population. Convert with `prior_among_unlabelled`, or
  `prior_among_unlabelled_from_counts` when you know how many rows are labelled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real

from blindauc.estimate import Estimate


def blind_auc_slope(prior: float, contamination: float = 0.0) -> float:
    """How much of the AUC's distance from 1/2 is left in the blind AUC: `1 - contamination - prior`.

    Parameters
    ----------
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.

    Returns
    -------
    float in (0, 1]

    Examples
    --------
    >>> from blindauc.theory import blind_auc_slope
    >>> blind_auc_slope(0.25, contamination=0.25)
    0.5
    """
    _check_share("prior", prior, "share of positives among the unlabelled rows")
    _check_share("contamination", contamination, "share of negatives among the labelled positives")
    slope = 1 - float(contamination) - float(prior)
    if slope <= 0:
        raise ValueError(
            f"contamination + prior must be below 1, but {contamination:g} + {prior:g} came: the labelled rows "
            "would be no richer in positives than the unlabelled ones, and no ranking could be told from its reverse."
        )
    return slope


def auc_from_blind_auc(blind_auc: float, prior: float, contamination: float = 0.0) -> float:
    r"""Theorem 1: the AUC of positives against negatives, from that of labelled against unlabelled rows.

    .. math:: AUC = \frac12 + \frac{BAUC - 1/2}{1 - \eta - \pi}

    With contamination :math:`\eta = 0` this is the paper's :math:`(BAUC - \pi/2) / (1 - \pi)`. The constant 1/2 is
    right when ties count one half.

    Parameters
    ----------
    blind_auc : float
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.

    Returns
    -------
    float
        Outside of [0, 1] where no ranking has such a blind AUC: then the prior or the contamination is too large,
        or chance is at work.

    See Also
    --------
    blindauc.metrics.pu_auc_score : the same from data, with an interval.

    Examples
    --------
    >>> from blindauc.theory import auc_from_blind_auc
    >>> round(auc_from_blind_auc(0.78, prior=0.3), 6)
    0.9
    >>> round(auc_from_blind_auc(0.7, prior=0.3, contamination=0.2), 6)
    0.9
    """
    return 0.5 + (blind_auc - 0.5) / blind_auc_slope(prior, contamination)


def blind_auc_from_auc(auc: float, prior: float, contamination: float = 0.0) -> float:
    r"""Theorem 1 the other way: the blind AUC to expect of a ranking with a given AUC.

    .. math:: BAUC = \frac12 + (1 - \eta - \pi) (AUC - \frac12)

    Parameters
    ----------
    auc : float
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.

    Returns
    -------
    float

    Examples
    --------
    >>> from blindauc.theory import blind_auc_from_auc
    >>> round(blind_auc_from_auc(0.9, prior=0.3), 6)
    0.78
    """
    return 0.5 + blind_auc_slope(prior, contamination) * (auc - 0.5)


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
    overall_prior : the other way.

    Examples
    --------
    >>> from blindauc.theory import prior_among_unlabelled
    >>> round(prior_among_unlabelled(0.4, label_frequency=0.5), 6)
    0.25
    """
    _check_share("label_frequency", label_frequency, "share of the positives that are labelled")

    def convert(prior: float) -> float:
        _check_share("overall_prior", prior, "share of positives among all rows")
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
    _check_share("label_frequency", label_frequency, "share of the positives that are labelled")

    def convert(prior: float) -> float:
        _check_share("unlabelled_prior", prior, "share of positives among the unlabelled rows")
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
    _check_counts(n_pos, n_unl)
    _check_share("contamination", contamination, "share of negatives among the labelled positives")
    _check_share("overall_prior", overall_prior, "share of positives among all rows")
    labelled = (1 - contamination) * n_pos

    def convert(prior: float) -> float:
        return (prior * (n_pos + n_unl) - labelled) / n_unl

    # Rounding must not turn "all positives are labelled" into an error.
    if not -1e-9 <= convert(overall_prior) <= 1 + 1e-9:
        raise ValueError(
            f"An overall prior of {overall_prior:g} cannot be with {labelled:g} labelled positives among "
            f"{n_pos + n_unl:g} rows: it lies between {labelled / (n_pos + n_unl):.3g} (no positive left unlabelled) "
            f"and {(labelled + n_unl) / (n_pos + n_unl):.3g} (nothing else left). If the labelled positives were "
            "collected beside the unlabelled rows (two samples), the overall prior needs no conversion."
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
    _check_counts(n_pos, n_unl)
    _check_share("contamination", contamination, "share of negatives among the labelled positives")
    _check_share("unlabelled_prior", unlabelled_prior, "share of positives among the unlabelled rows")
    labelled = (1 - contamination) * n_pos
    return _carry_interval(lambda prior: (prior * n_unl + labelled) / (n_pos + n_unl), unlabelled_prior)


def phi_l0(n: int, *, n_features: int, n_nonzero: int, delta: float = 0.05) -> float:
    r"""Complexity of at most s of p nonzero weights on n rows: :math:`s \log(p n / s) + \log(1/\delta)`.

    Parameters
    ----------
    n : int
    n_features, n_nonzero : int
        p and s.
    delta : float in (0, 1), default=0.05
        The probability that Theorem 2 fails.

    Returns
    -------
    float
        Infinite with fewer rows than free weights: the theorem bounds nothing there.

    Examples
    --------
    >>> from blindauc.theory import phi_l0
    >>> phi_l0(500, n_features=200, n_nonzero=10) < phi_l0(500, n_features=200, n_nonzero=40)
    True
    """
    return _phi(n, n_nonzero, n_nonzero * math.log(n_features), delta)


def phi_group_l0(n: int, *, group_sizes: Sequence[int], n_groups: int, delta: float = 0.05) -> float:
    r"""Complexity of at most s nonzero groups on n rows.

    .. math:: s g \log\frac{n}{s g} + s \log |\mathcal G| + \log\frac1\delta, \quad g = \max_G |G|

    Parameters
    ----------
    n : int
    group_sizes : sequence of int
        The number of columns of each group.
    n_groups : int
        How many groups s may be nonzero.
    delta : float in (0, 1), default=0.05
        The probability that Theorem 2 fails.

    Returns
    -------
    float
        Infinite with fewer rows than free weights: the theorem bounds nothing there.

    Examples
    --------
    >>> from blindauc.theory import phi_group_l0, phi_l0
    >>> phi_group_l0(500, group_sizes=[5] * 40, n_groups=2) < phi_l0(500, n_features=200, n_nonzero=10)
    True
    """
    return _phi(n, n_groups * max(group_sizes), n_groups * math.log(len(group_sizes)), delta)


def phi_exclusive_l0(
    n: int, *, group_sizes: Sequence[int], n_per_group: int | Sequence[int], delta: float = 0.05
) -> float:
    r"""Complexity of at most :math:`s_G` nonzero weights inside every group, on n rows.

    .. math:: S \log\frac{n}{S} + |\mathcal G| \max_G s_G \log |G| + \log\frac1\delta, \quad S = \sum_G s_G

    Parameters
    ----------
    n : int
    group_sizes : sequence of int
        The number of columns of each group.
    n_per_group : int or sequence of int
        How many weights of each group may be nonzero.
    delta : float in (0, 1), default=0.05
        The probability that Theorem 2 fails.

    Returns
    -------
    float
        Infinite with fewer rows than free weights: the theorem bounds nothing there.

    Examples
    --------
    >>> from blindauc.theory import phi_exclusive_l0, phi_l0
    >>> phi_exclusive_l0(500, group_sizes=[20] * 10, n_per_group=1) < phi_l0(500, n_features=200, n_nonzero=10)
    True
    """
    allowed = [n_per_group] * len(group_sizes) if isinstance(n_per_group, int) else list(n_per_group)
    choices = max(s * math.log(size) for s, size in zip(allowed, group_sizes, strict=True))
    return _phi(n, sum(allowed), len(group_sizes) * choices, delta)


def auc_error_shape(phi: Callable[[int], float], *, n_pos: int, n_unl: int, prior: float) -> float:
    r"""Theorem 2: how the error of the estimated AUC moves with the numbers of rows and the hypothesis set.

    .. math:: \frac{1}{1 - \pi} \left(\sqrt{\phi(n_{unl}) / n_{unl}} + \sqrt{\phi(n_{pos}) / n_{pos}}\right)

    This is a shape, not a certificate: the theorem holds up to a constant that it does not give, so the ratio of two
    values says something and a single one does not. For the error of a given ranking, see the interval of
    `blindauc.metrics.pu_auc_score`.

    Parameters
    ----------
    phi : callable
        The complexity of the hypothesis set as a function of the number of rows; see `phi_l0`, `phi_group_l0` and
        `phi_exclusive_l0`.
    n_pos, n_unl : int
        How many rows are labelled positive, and how many are unlabelled.
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from functools import partial
    >>> from blindauc.theory import auc_error_shape, phi_l0
    >>> phi = partial(phi_l0, n_features=200, n_nonzero=10)
    >>> now = auc_error_shape(phi, n_pos=100, n_unl=500, prior=0.1)
    >>> round(auc_error_shape(phi, n_pos=200, n_unl=500, prior=0.1) / now, 2)
    0.82
    >>> round(auc_error_shape(phi, n_pos=100, n_unl=1000, prior=0.1) / now, 2)
    0.91
    """
    _check_counts(n_pos, n_unl)
    slope = blind_auc_slope(prior)
    return (math.sqrt(phi(n_unl) / n_unl) + math.sqrt(phi(n_pos) / n_pos)) / slope


def enough_unlabelled(n_pos: int, *, excess: float = 0.1) -> int:
    r"""How many unlabelled rows are enough for `n_pos` labelled positives.

    The variance of a blind AUC is a sum of one term per sample, so that with rows of equal spread its standard error
    is :math:`\sqrt{1 + n_{pos} / n_{unl}}` times what infinitely many unlabelled rows would leave. The smallest
    `n_unl` that keeps this below `1 + excess` is returned. The default is 4.8 times `n_pos`: that is the paper's
    finding of Figure 1, where beyond about 5 times `n_pos` the AUC hardly moves.

    Parameters
    ----------
    n_pos : int
    excess : float, default=0.1
        How much larger the standard error may be than with infinitely many unlabelled rows.

    Returns
    -------
    int

    Examples
    --------
    >>> from blindauc.theory import enough_unlabelled
    >>> enough_unlabelled(100)
    477
    >>> enough_unlabelled(100, excess=0.02)
    2476
    """
    if not excess > 0:
        raise ValueError(f"excess must be positive, not {excess!r}: only infinitely many rows add nothing.")
    if not n_pos >= 1:
        raise ValueError(f"n_pos must be at least 1, not {n_pos!r}.")
    return math.ceil(n_pos / ((1 + excess) ** 2 - 1))


def _phi(n: int, free_weights: int, log_choices: float, delta: float) -> float:
    """`free_weights` on n rows, after a choice of which of them are free."""
    check_chance("delta", delta)
    if free_weights < 1:
        raise ValueError("The hypothesis set must allow at least one nonzero weight.")
    if n < free_weights:
        return math.inf
    return free_weights * math.log(n / free_weights) + log_choices - math.log(delta)


def _carry_interval(convert: Callable[[float], float], prior: float) -> float:
    """An increasing function of a number, or of an estimate and both ends of its interval."""
    if isinstance(prior, Estimate):
        low, high = (convert(min(max(end, 0.0), math.nextafter(1.0, 0.0))) for end in (prior.low, prior.high))
        return Estimate(convert(float(prior)), low, high, prior.confidence)
    return convert(prior)


def check_chance(name: str, value: float) -> None:
    """Raise where a confidence, or the chance that something fails, is not strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {value!r}.")


def _check_share(name: str, value: float, meaning: str) -> None:
    # Also rejects NaN: comparisons with it are false.
    if not (isinstance(value, Real) and 0 <= value < 1):
        raise ValueError(f"{name} is the {meaning}: it must lie in [0, 1), not {value!r}.")


def _check_counts(n_pos: float, n_unl: float) -> None:
    if not (n_pos > 0 and n_unl > 0):
        raise ValueError(f"n_pos and n_unl are numbers of rows and must be positive, not {n_pos!r} and {n_unl!r}.")
