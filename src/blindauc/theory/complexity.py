"""Theorem 2: how the error of an estimated AUC depends on the numbers of rows and on the hypothesis set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from blindauc.theory.blind_auc import blind_auc_slope
from blindauc.theory.checks import check_chance, check_counts


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
        Infinite with fewer rows than free weights, where the theorem gives no bound.

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
        Infinite with fewer rows than free weights, where the theorem gives no bound.

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
        Infinite with fewer rows than free weights, where the theorem gives no bound.

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
    r"""Theorem 2: how the error of the estimated AUC depends on the numbers of rows and the hypothesis set.

    .. math:: \frac{1}{1 - \pi} \left(\sqrt{\phi(n_{unl}) / n_{unl}} + \sqrt{\phi(n_{pos}) / n_{pos}}\right)

    This is a rate, not a bound: the theorem holds up to an unknown constant, so only ratios of two values are
    meaningful. For the error of a given ranking, see the interval of `blindauc.metrics.pu_auc_score`.

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
    check_counts(n_pos, n_unl)
    slope = blind_auc_slope(prior)
    return (math.sqrt(phi(n_unl) / n_unl) + math.sqrt(phi(n_pos) / n_pos)) / slope


def enough_unlabelled(n_pos: int, *, excess: float = 0.1) -> int:
    r"""How many unlabelled rows are enough for `n_pos` labelled positives.

    The variance of a blind AUC is a sum of one term per sample, so that with rows of equal spread its standard error
    is :math:`\sqrt{1 + n_{pos} / n_{unl}}` times what infinitely many unlabelled rows would leave. The smallest
    `n_unl` that keeps this below `1 + excess` is returned. The default is 4.8 times `n_pos`: that is the paper's
    finding of Figure 1, where beyond about 5 times `n_pos` the AUC hardly changes.

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
