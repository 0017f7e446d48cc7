"""What is tried: every combination of scaling, loss, ridge, number of columns and share of outliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.choice.belief import log_belief
from blindauc.data import Data
from blindauc.scaling import column_scales
from blindauc.scorers.contract import Scorer
from blindauc.scorers.spec import Spec

RIDGE_DECADES = (3, 1, -1, -3, -6, -9)
"""Ridges, as powers of ten in units of the data's own curvature.

Closer together where most data want them; ill-conditioned columns (Hill-Valley) want one near the last.
"""

OUTLIER_SHARES = (0.0, 0.1, 0.2, 0.3)
"""Shares of the labelled positives that a fit leaves out. What lies between is reached by averaging."""

COLUMN_RATIO, FEW_COLUMNS = 1.5, 12
"""Numbers of columns fall by this factor, and from a dozen on one by one, where each column makes a difference.

A factor of 1.25 all the way costs a fifth more time and reaches the same AUC.
"""

SAME_SCALES = 0.05
"""Scalings whose ratio varies by less, in logarithms, make the same ridge and are tried once."""


@dataclass(frozen=True)
class Space:
    """Candidates and what is believed of them.

    Parameters
    ----------
    specs : the candidates
    log_belief : ndarray of shape (n_candidates,)
    """

    specs: Sequence[Spec]
    log_belief: Floats

    @property
    def likeliest(self) -> Spec:
        """The candidate to take where nothing can be compared: all columns, no outliers, the likeliest ridge."""
        return self.specs[int(self.log_belief.argmax())]


def space_of(
    scorer: Scorer,
    data: Data,
    *,
    scalings: Sequence[str],
    losses: Sequence[Any],
    ridges: Sequence[float] | None,
    outlier_shares: Sequence[float],
    column_counts: Sequence[Any],
) -> Space:
    """Every combination; `ridges` None places them relative to the data's curvature."""
    specs, decades = [], []
    for scaling, loss in product(distinct_scalings(data, scalings), losses):
        unit = scorer.ridge_unit(data, scaling, loss)
        placed = [unit * 10.0**decade for decade in RIDGE_DECADES] if ridges is None else ridges
        some = [Spec(scaling, loss, *rest) for rest in product(placed, outlier_shares, column_counts)]
        specs += some
        decades += [np.log10(spec.l2 / unit) for spec in some]
    is_unscaled = np.array([spec.scaling == "none" for spec in specs])
    shares = np.array([spec.n_outliers for spec in specs])
    return Space(specs, log_belief(np.array(decades), is_unscaled, shares))


def distinct_scalings(data: Data, scalings: Sequence[str]) -> list[str]:
    """The scalings that make a difference, in their order."""
    scales: dict[str, Floats] = {}
    for name in scalings:
        new = np.log(column_scales(data.X, data.weight, name))
        if all(np.std(new - old) > SAME_SCALES for old in scales.values()):
            scales[name] = new
    return list(scales)


def column_counts(n_units: int) -> list[int]:
    """Numbers of columns or groups from all down to one: a fixed share of the one before, then one less.

    Examples
    --------
    >>> from blindauc.choice.space import column_counts
    >>> column_counts(20)
    [20, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    """
    counts = [n_units]
    while counts[-1] > 1:
        one_less, a_share = counts[-1] - 1, int(np.ceil(counts[-1] / COLUMN_RATIO))
        counts.append(one_less if one_less < FEW_COLUMNS else max(a_share, FEW_COLUMNS))
    return counts
