r"""A mixture of right and wrong labels for ranks. Its likelihood of out-of-fold ranks is the evidence for a candidate.

Let r be the share of unlabelled rows that rank below a labelled positive. Right labels rank high and wrong ones low:

    f(r) = (1 - eta) a r^(a - 1) + eta b (1 - r)^(b - 1),    a, b >= 1

The evidence is the likelihood of the ranks, averaged over a and b (uniformly on a logarithmic grid) and over the share
eta of wrong labels (exponential, as in `blindauc.prior`). The mean rank, which is the blind AUC, is not enough: if
wrong labels form a cluster, a score can rank them high even out of fold, together with the right labels or at their
expense. That raises the mean rank and lowers the AUC on true labels. The likelihood prefers a score that ranks some
labels clearly low and the others higher.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from blindauc._typing import Floats, Ints
from blindauc.prior.posterior import CONTAMINATION_SCALE

N_BINS = 100
"""Ranks are binned to one per cent (convention), so that a likelihood is one product of counts and log densities."""

SHARPNESS = np.geomspace(1.0, 40.0, 12)
"""The grid of a and b (convention). The mean rank of right labels is a / (a + 1): from 0.5, chance, to 0.98."""

WRONG_SHARES = np.arange(0.0, 0.45, 0.05)
"""The grid of eta (convention). With more than 40 % wrong labels, right and wrong ones cannot be distinguished."""


def right_densities() -> Floats:
    """The densities of right labels, of shape (n_sharpness, n_bins); those of wrong labels are their mirror images."""
    # The mean over each bin, from the distribution function r^a: if `a` is large, the density varies within a bin.
    edges = np.linspace(0.0, 1.0, N_BINS + 1)
    return np.diff(edges[None] ** SHARPNESS[:, None], axis=1) * N_BINS


def _mixtures() -> tuple[Floats, Floats, Floats]:
    """Log densities of the mixtures, the share of wrong labels in them, and the log of their prior probabilities.

    The first two have the shape (n_mixtures, n_bins).
    """
    right = right_densities()
    wrong = right[:, ::-1]
    # Axes: eta, a, b and the bin.
    eta = WRONG_SHARES[:, None, None, None]
    density = (1 - eta) * right[:, None] + eta * wrong
    belief = np.broadcast_to(-eta[..., 0] / CONTAMINATION_SCALE, density.shape[:3]).ravel()
    wrong_share = (eta * wrong / density).reshape(-1, N_BINS)
    return np.log(density.reshape(-1, N_BINS)), wrong_share, belief - logsumexp(belief)


_LOG_DENSITY, _WRONG_SHARE, _LOG_BELIEF = _mixtures()


def log_likelihood(ranks: Floats, weight: Floats) -> Floats:
    """The log-likelihood of the ranks of each candidate.

    Parameters
    ----------
    ranks : array of shape (n_candidates, n_pos)
    weight : array of shape (n_pos,), numbers of rows

    Examples
    --------
    Ten wrong labels among fifty, ranked low or ranked with the others; the mean rank is the same:

    >>> import numpy as np
    >>> from blindauc.evidence.likelihood import log_likelihood
    >>> apart = np.r_[np.full(40, 0.95), np.full(10, 0.05)]
    >>> together = np.full(50, apart.mean())
    >>> log_likelihood(np.array([apart, together]), np.ones(50)).round().tolist()
    [74.0, 26.0]
    """
    return logsumexp(counts_by_rank(ranks, weight) @ _LOG_DENSITY.T + _LOG_BELIEF, axis=1)


def wrong_probability(ranks: Floats, weight: Floats) -> Floats:
    """The probability that each label is wrong, averaged over the mixtures by their likelihood; it falls with the rank.

    Parameters
    ----------
    ranks : array of shape (n_pos,)
    weight : array of shape (n_pos,), numbers of rows

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.evidence.likelihood import wrong_probability
    >>> ranks = np.r_[np.full(10, 0.01), np.linspace(0.3, 1, 50)]
    >>> wrong_probability(ranks, np.ones(60))[[0, 10, -1]].round(2).tolist()
    [0.99, 0.0, 0.0]
    """
    log_posterior = _LOG_DENSITY @ counts_by_rank(ranks[None], weight)[0] + _LOG_BELIEF
    of_bin = np.exp(log_posterior - logsumexp(log_posterior)) @ _WRONG_SHARE
    falling: Floats = np.minimum.accumulate(of_bin)
    return falling[_bin_of(ranks)]


def counts_by_rank(ranks: Floats, weight: Floats) -> Floats:
    """The total weight in each bin of ranks, of shape (n_candidates, n_bins)."""
    return np.array([np.bincount(each, weight, N_BINS) for each in _bin_of(ranks)]).reshape(-1, N_BINS)


def _bin_of(ranks: Floats) -> Ints:
    return np.minimum((ranks * N_BINS).astype(np.intp), N_BINS - 1)
