"""Labelled positives that score below the negatives: a spike at the low end that no mixture of the classes explains.

Where the ratio labelled / unlabelled increases with the score, the lowest scores hold fewer labelled per unlabelled
row than those next above. A zone at the bottom that holds significantly more shows labels from neither class.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import stats

from blindauc._typing import Floats
from blindauc.prior.samples import Counts

ZONES = (0.003, 0.01, 0.03, 0.1)
"""Shares of the unlabelled rows that a zone at the bottom may hold."""

NEIGHBOURS = (9.0, 99.0)
"""A zone is compared with so many times as many unlabelled rows next above it: with few to find many labels, with many
to find two."""

SIGNIFICANCE = 0.01
"""Chance of a false alarm where labels are scattered at random; it is far smaller where the scores rank at all."""


def far_probability(counts: Counts) -> Floats:
    """Return for each bin the probability that a labelled score in it is far below both classes.

    With k labelled and m unlabelled in the zone, and K and M in the bins next above, it is `1 - (K+1)/M * m / k`
    in the most significant zone and zero above it, and zero everywhere if no zone is significant.

    Parameters
    ----------
    counts : Counts
        One bin for each distinct score.

    Returns
    -------
    ndarray of shape (n_bins,)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior.samples import count
    >>> from blindauc.prior.far import far_probability
    >>> _, counts = count(np.r_[np.full(8, -50.0), np.full(50, 60.0)], np.arange(100.0))
    >>> far_probability(counts)[[0, 1, 2, -1]].round(2).tolist()
    [0.99, 0.99, 0.0, 0.0]
    """
    labelled, unlabelled = np.cumsum(counts.labelled), np.cumsum(counts.unlabelled)
    best, probability = SIGNIFICANCE / (len(ZONES) * len(NEIGHBOURS)), np.zeros(len(labelled))
    for share, neighbours in product(ZONES, NEIGHBOURS):
        zone_end = min(int(np.searchsorted(unlabelled, max(1.0, share * unlabelled[-1]))), len(unlabelled) - 1)
        n_inside, n_zone = labelled[zone_end], unlabelled[zone_end]
        next_end = min(int(np.searchsorted(unlabelled, (1 + neighbours) * n_zone)), len(labelled) - 1)
        n_next, n_beside = labelled[next_end] - n_inside, unlabelled[next_end] - n_zone
        if n_inside == 0 or n_beside == 0:
            continue
        chance = stats.binom.sf(n_inside - 1, np.ceil(n_inside + n_next), n_zone / (n_zone + n_beside))
        if chance < best:
            best = chance
            probability[:] = 0.0
            probability[: zone_end + 1] = max(0.0, 1 - (n_next + 1) / n_beside * n_zone / n_inside)
    return probability
