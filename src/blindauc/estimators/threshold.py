"""Where to cut a ranking so that a given share of it is predicted positive."""

import numpy as np

from blindauc._typing import Floats


def threshold_of_share(scores: Floats, weight: Floats, share: float) -> float:
    """The middle of the gap below the highest scores that make up `share` of the weight.

    Equal scores stay on one side: the one that comes nearer to the share.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.estimators.threshold import threshold_of_share
    >>> threshold_of_share(np.array([4.0, 1.0, 2.0, 3.0]), np.ones(4), share=0.5)
    2.5
    """
    negated, level = np.unique(-scores, return_inverse=True)
    levels = -negated
    # What is predicted positive if the first 0, 1, 2, ... levels are; rounding must not decide between two.
    above = np.append(0.0, np.cumsum(np.bincount(level, weight))) / weight.sum()
    n_above = int(np.argmin(np.round(np.abs(above - share), 12)))
    beyond = 1.0 + np.abs(levels[[0, -1]])
    edges = np.concatenate([[levels[0] + beyond[0]], levels, [levels[-1] - beyond[1]]])
    return float((edges[n_above] + edges[n_above + 1]) / 2)
