r"""The likelihood of out-of-fold ranks under a mixture of right and wrong labels: the evidence for a candidate.

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

from blindauc._typing import Floats
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


def _densities() -> tuple[Floats, Floats]:
    """Log densities of the mixtures, of shape (n_mixtures, n_bins), and the log of their prior probabilities."""
    right = right_densities()
    wrong = right[:, ::-1]
    # Axes: eta, a, b and the bin.
    eta = WRONG_SHARES[:, None, None, None]
    density = (1 - eta) * right[None, :, None] + eta * wrong[None, None]
    belief = np.broadcast_to(-eta[..., 0] / CONTAMINATION_SCALE, density.shape[:3]).ravel()
    return np.log(density.reshape(-1, N_BINS)), belief - logsumexp(belief)


_LOG_DENSITY, _LOG_BELIEF = _densities()


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
    >>> from blindauc.choice.likelihood import log_likelihood
    >>> apart = np.r_[np.full(40, 0.95), np.full(10, 0.05)]
    >>> together = np.full(50, apart.mean())
    >>> log_likelihood(np.array([apart, together]), np.ones(50)).round().tolist()
    [74.0, 26.0]
    """
    return logsumexp(counts_by_rank(ranks, weight) @ _LOG_DENSITY.T + _LOG_BELIEF, axis=1)


def counts_by_rank(ranks: Floats, weight: Floats) -> Floats:
    """The total weight in each bin of ranks, of shape (n_candidates, n_bins)."""
    place = np.minimum((ranks * N_BINS).astype(np.intp), N_BINS - 1)
    return np.array([np.bincount(each, weight, N_BINS) for each in place]).reshape(-1, N_BINS)
