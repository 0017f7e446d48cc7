r"""How checked labels update the belief in the share of outliers that a candidate assumes.

A candidate assumes a share eta of wrong labels: those that were found wrong, and those that it leaves out. By the
densities of `likelihood.py`, a label of rank r is then wrong with probability

    s(r) = eta b (1 - r)^(b - 1) / f(r).

The belief in eta is multiplied by the probability of all verdicts: the product of s(r) over labels found wrong and of
1 - s(r) over confirmed labels, averaged over a and b by the likelihood of the ranks of all labels. If labels of low
rank are confirmed, candidates that leave out many labels lose weight.

Labels need not be checked at random. A person who checks labels in the order of ranks selects by r, and s depends on r:
the selection is ignorable (Rubin, Inference and missing data, Biometrika 1976). The ranks are those of the average of
all candidates; `weights.py` measures how well each candidate ranks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from blindauc._typing import Bools, Floats, Ints
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE
from blindauc.data import Data
from blindauc.evidence.likelihood import counts_by_rank, right_densities
from blindauc.scorers.spec import Spec

LEAST = 1e-12
"""Shares of wrong labels are clipped this far from 0 and 1, where some verdicts have probability zero (convention)."""


def belief_by_verdicts(data: Data, specs: Sequence[Spec], ranks: Floats, used: Bools | None = None) -> Floats:
    """Log probability of the verdicts under the share of wrong labels that each candidate assumes.

    Parameters
    ----------
    data : Data
    specs : the candidates
    ranks : array of shape (n_rows,)
        Out-of-fold ranks of the rows; NaN for rows without one.
    used : mask of shape (n_rows,), optional
        Rows whose ranks and verdicts are used; all by default.
    """
    labels = data.is_labelled & ~np.isnan(ranks)
    labels &= True if used is None else used
    if data.verdict is None or not data.verdict[labels].any():
        return np.zeros(len(specs))
    shares, place = np.unique(assumed_shares(data, specs), return_inverse=True)
    return log_probability(ranks[labels], data.counts[labels], data.verdict[labels], shares)[place.ravel()]


def assumed_shares(data: Data, specs: Sequence[Spec]) -> Floats:
    """The share of wrong labels that each candidate assumes: those found wrong, and those that it leaves out."""
    weight, labelled = data.counts, data.is_labelled
    found, unconfirmed = labelled & data.is_known_negative, labelled & data.is_positive & ~data.is_confirmed
    left_out = np.array([spec.n_outliers for spec in specs])
    return (weight[found].sum() + left_out * weight[unconfirmed].sum()) / weight[labelled].sum()


def log_probability(ranks: Floats, weight: Floats, verdict: Ints, wrong_shares: Floats) -> Floats:
    """Log probability of the verdicts, given the ranks, for each share of wrong labels.

    Parameters
    ----------
    ranks : array of shape (n_labels,)
    weight : array of shape (n_labels,), numbers of rows
    verdict : array of shape (n_labels,), as in `checked.py`
    wrong_shares : array of shape (n_shares,)

    Examples
    --------
    Of a hundred labels, the thirty of lowest rank were checked and found right, so large shares are improbable:

    >>> import numpy as np
    >>> from blindauc.choice.verdicts import log_probability
    >>> ranks, verdict = np.linspace(0.2, 1, 100), np.repeat([1, 0], [30, 70])
    >>> log_probability(ranks, np.ones(100), verdict, np.array([0.01, 0.1, 0.2])).round(1).tolist()
    [-0.4, -4.9, -9.4]
    """
    every, confirmed, found = (
        counts_by_rank(ranks[None], weight * some)[0]
        for some in (np.ones(len(verdict)), verdict == FOUND_POSITIVE, verdict == FOUND_NEGATIVE)
    )
    eta, right = np.clip(wrong_shares, LEAST, 1 - LEAST)[:, None, None, None], np.log(right_densities())
    # Arrays of shape (n_shares, n_sharpness, n_sharpness, n_bins): over eta, a, b and the rank.
    of_right, of_wrong = np.log1p(-eta) + right[:, None], np.log(eta) + right[:, ::-1]
    of_label = np.logaddexp(of_right, of_wrong)
    by_ranks = of_label @ every
    by_verdicts = (of_right - of_label) @ confirmed + (of_wrong - of_label) @ found
    # The mean of the probability of the verdicts over a and b, weighted by the likelihood of the ranks.
    return logsumexp(by_ranks + by_verdicts, axis=(1, 2)) - logsumexp(by_ranks, axis=(1, 2))
