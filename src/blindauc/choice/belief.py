"""The prior over settings: how probable a candidate is before any evidence.

The code calls it belief, because "prior" means the class prior everywhere else. A few positives cannot distinguish
hundreds of candidates, and the belief decides where the evidence does not.

- Ridges: a standard Cauchy distribution over powers of ten, with its mode one decade above the data's own curvature.
  Its tails are heavy: a ridge ten decades away has a hundredth of the density. If ill-conditioned columns need such a
  ridge, the evidence of a few labelled rows is enough to select it.
- Scaling: most data sets are ranked better with columns on a common scale; sometimes the original units carry meaning.
- Share of wrong labels: exponential, as in `blindauc.prior`.
- Losses and numbers of columns: uniform. No other distribution was better in `benchmarks/choice.py`.
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.prior.posterior import CONTAMINATION_SCALE

LIKELY_RIDGE = 1.0
"""The most probable power of ten of the ridge, in units of the data's own curvature.

Set by replays of `benchmarks/choice.py` on seed 100; its ablation table halves and doubles it.
"""

UNSCALED_ODDS = 0.1
"""Prior odds of unscaled columns against columns on a common scale; set by the same replays."""

NONLINEAR_ODDS = 0.2
"""Prior odds of each nonlinear shape against the linear one.

A linear score is easy to read, and substantial evidence should be needed to replace it (Jeffreys, Theory of
Probability, 1961). If the data are nonlinear, the labels give far more evidence than that. The value hardly matters:
over 24 draws of seed 110 (`benchmarks/choice.py`), odds of 0.05, 0.1, 0.2, 0.33 and 1 reach a mean test AUC of 87.89,
87.94, 87.99, 87.97 and 87.86.
"""


def log_belief_in_multiples(multiples: Floats) -> Floats:
    """Log belief in each multiple, the weight of a known negative relative to an unlabelled row, up to a constant.

    Larger multiples are less probable, because labels found wrong are not a random sample of the negatives. Checking by
    suspicion finds those that rank lowest, and upweighting them reinforces the current score. After 50 checks in
    order of suspicion (families of `benchmarks/checked.py`, plain fits, seeds 200 to 205) the AUC was lower by .0001
    (standard error .0001) with a multiple of 1 than with 0, by .0002 (.0002) with 2 and by .0004 (.0003) with 4. With
    all labels checked, the wrong ones are a random sample, and it was higher by .0000 with 1 and .0001 with 2.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief_in_multiples
    >>> np.exp(log_belief_in_multiples(np.array([0.0, 1.0, 3.0]))).round(2).tolist()
    [1.0, 0.5, 0.25]
    """
    return -np.log1p(multiples)


def log_belief_in_shape(shape: str) -> float:
    """Log belief in a shape, up to a constant."""
    return 0.0 if shape == "linear" else float(np.log(NONLINEAR_ODDS))


def likeliest_ridge(ridge_unit: float) -> float:
    """The most probable ridge, for fits without a search."""
    return float(ridge_unit * 10.0**LIKELY_RIDGE)


def log_belief(decades: Floats, is_unscaled: Bools, outlier_shares: Floats) -> Floats:
    """Log belief in each candidate, among those of its shape and up to a constant.

    Parameters
    ----------
    decades : array of shape (n_candidates,)
        The power of ten of each ridge in units of the data's own curvature.
    is_unscaled : mask of shape (n_candidates,)
        Whether the ridge applies to unscaled columns.
    outlier_shares : array of shape (n_candidates,)
        The share of the labelled positives that each candidate leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief
    >>> decades, shares = np.array([1.0, 2.0, -8.0, 1.0, 1.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.1])
    >>> np.exp(log_belief(decades, np.arange(5) == 3, shares)).round(3).tolist()
    [1.0, 0.5, 0.012, 0.1, 0.513]
    """
    of_ridge = -np.log1p((decades - LIKELY_RIDGE) ** 2)
    return of_ridge + np.where(is_unscaled, np.log(UNSCALED_ODDS), 0.0) - outlier_shares / CONTAMINATION_SCALE
