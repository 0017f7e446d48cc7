r"""How well out-of-fold ranks tell right labels from wrong ones: the evidence for a candidate.

Let r be the share of unlabelled rows that rank below a labelled positive. Right labels rank high and wrong ones low,

    f(r) = (1 - eta) a r^(a - 1) + eta b (1 - r)^(b - 1),    a, b >= 1,

and the evidence is the likelihood of the ranks, averaged over a, b and the share eta of wrong labels, which is believed
to be as in `blindauc.prior`. The mean rank alone would not do: where wrong labels lie together, a score can rank them
high, held out, together with the right ones or at their expense. That raises the mean rank and lowers the AUC. Here a
score that ranks some labels surely low, and the others the higher for it, is the better one.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from blindauc._typing import Floats
from blindauc.prior.posterior import CONTAMINATION_SCALE

N_BINS = 100
"""Ranks are counted by per cent."""

SHARPNESS = np.geomspace(1.0, 40.0, 12)
"""Of right labels, a, and of wrong ones, b: the mean rank of right labels is a / (a + 1), from one half to 0.98."""

WRONG = np.arange(0.0, 0.45, 0.05)
"""Shares of wrong labels. Were they more than 40 %, right ones could not be told from wrong ones."""


def right_densities() -> Floats:
    """The densities of right labels, of shape (n_sharpness, n_bins); those of wrong ones are their mirror images."""
    edges = np.linspace(0.0, 1.0, N_BINS + 1)
    return np.diff(edges[None] ** SHARPNESS[:, None], axis=1) * N_BINS


def _densities() -> tuple[Floats, Floats]:
    """Logarithms of the densities, of shape (n_densities, n_bins), and of the beliefs in them."""
    right = right_densities()
    wrong = right[:, ::-1]
    eta = WRONG[:, None, None, None]
    density = (1 - eta) * right[None, :, None] + eta * wrong[None, None]
    belief = np.broadcast_to(-eta[..., 0] / CONTAMINATION_SCALE, density.shape[:3]).ravel()
    return np.log(density.reshape(-1, N_BINS)), belief - logsumexp(belief)


_LOG_DENSITY, _LOG_BELIEF = _densities()


def log_likelihood(ranks: Floats, weight: Floats) -> Floats:
    """The logarithm of the likelihood of the ranks of each candidate.

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
    """How many rows have each rank, by per cent, of shape (n_candidates, n_bins)."""
    place = np.minimum((ranks * N_BINS).astype(np.intp), N_BINS - 1)
    return np.array([np.bincount(each, weight, N_BINS) for each in place])
