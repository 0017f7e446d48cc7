"""Detection of far labels: labelled rows that score below both classes, which no mixture of the classes explains.

If the ratio of labelled to unlabelled density increases with the score, the lowest scores hold fewer labelled rows per
unlabelled row than the scores just above. A zone at the bottom that holds significantly more contains labels from
neither class.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import stats

from blindauc._typing import Floats
from blindauc.prior.samples import Counts

ZONES = (0.003, 0.01, 0.03, 0.1)
"""The sizes of the zones that are tested, as shares of the unlabelled rows (convention)."""

NEIGHBOURS = (9.0, 99.0)
"""A zone is compared with this many times as many unlabelled rows just above it (convention). The small neighbourhood
finds zones with many labels, the large one has the power to find zones with as few as two."""

SIGNIFICANCE = 0.01
"""The level of the test, for labels scattered at random (convention). If the scores rank at all, far fewer false alarms
occur."""


def far_probability(counts: Counts) -> Floats:
    """Return, for each bin, the probability that a labelled score in it is far below both classes.

    With k labelled and m unlabelled rows in the zone, and K and M in the bins just above, it is `1 - (K+1)/M * m / k`
    in the most significant zone and zero elsewhere. It is zero everywhere if no zone is significant.

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
