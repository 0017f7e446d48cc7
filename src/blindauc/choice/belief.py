"""What is believed of a candidate before any row is held out: one prior over settings.

A few positives cannot tell hundreds of candidates apart. Ridges about a decade above the data's own curvature are the
likeliest, and no other is ruled out: a standard Cauchy distribution over decades gives a ridge ten decades away a
hundredth of the belief, which a few labelled rows overcome where ill-conditioned columns want it. Columns mostly want
to be brought to a common scale, now and then their units carry meaning. The share of wrong labels is believed to be
what `blindauc.prior` believes of it: exponential, so that many are less likely than few. Losses and numbers of columns
are equally likely: no belief in one of them earned its place in `benchmarks/choice.py`.
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.prior.posterior import CONTAMINATION_SCALE

LIKELY_RIDGE = 1.0
"""The likeliest power of ten of the ridge, in units of the data's own curvature.

Set by replays of `benchmarks/choice.py` on seed 100; its ablation table halves and doubles it.
"""

UNSCALED = 0.1
"""How likely columns as they are given are to be right, compared to columns on a common scale; measured likewise."""


BENT = 0.1
"""How likely a shape that bends is to be right, compared to straight lines.

It takes strong evidence (10:1; Jeffreys, Theory of Probability, 1961) to give up a score that can be read. Where
bending pays, labels bring far more.
"""


def log_belief_in_multiples(multiples: Floats) -> Floats:
    """The logarithm of the belief in known negatives that weigh as so many unlabelled rows, up to a constant.

    Labels found wrong are no random sample of negatives: who checks by suspicion finds those that rank lowest, and they
    pull the score to where it points already. After 50 checks in order of suspicion (families of
    `benchmarks/checked.py`, plain fits, seeds 200 to 202) the AUC was higher by .0003 (standard error .0001) with a
    multiple of 0 than with 1, and lower by .0006 (.0002) with 2, .0010 (.0004) with 3 and .0019 (.0007) with 5 (seed
    200).

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief_in_multiples
    >>> np.exp(log_belief_in_multiples(np.array([0.0, 1.0, 3.0]))).round(2).tolist()
    [1.0, 0.5, 0.25]
    """
    return -np.log1p(multiples)


def log_belief_in_shape(shape: str) -> float:
    """The logarithm of the belief in a shape, up to a constant."""
    return 0.0 if shape == "linear" else float(np.log(BENT))


def likeliest_ridge(ridge_unit: float) -> float:
    """The ridge to take where nothing was tried."""
    return float(ridge_unit * 10.0**LIKELY_RIDGE)


def log_belief(decades: Floats, is_unscaled: Bools, outlier_shares: Floats) -> Floats:
    """The logarithm of the belief in each candidate, up to a constant.

    Parameters
    ----------
    decades : array of shape (n_candidates,)
        The power of ten of each ridge in units of the data's own curvature.
    is_unscaled : mask of shape (n_candidates,)
        Whether the ridge sees the columns as they are given.
    outlier_shares : array of shape (n_candidates,)
        The share of the labelled positives that each leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief
    >>> decades, shares = np.array([1.0, 2.0, -8.0, 1.0, 1.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.1])
    >>> np.exp(log_belief(decades, np.arange(5) == 3, shares)).round(3).tolist()
    [1.0, 0.5, 0.012, 0.1, 0.513]
    """
    of_ridge = -np.log1p((decades - LIKELY_RIDGE) ** 2)
    return of_ridge + np.where(is_unscaled, np.log(UNSCALED), 0.0) - outlier_shares / CONTAMINATION_SCALE
