"""Where to cut a ranking so that a given share of it is predicted positive."""

import numpy as np

from blindauc._typing import Floats


def threshold_of_share(scores: Floats, weight: Floats, share: float) -> float:
    """The middle of the gap below the highest scores that make up `share` of the weight.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.estimators.threshold import threshold_of_share
    >>> threshold_of_share(np.array([4.0, 1.0, 2.0, 3.0]), np.ones(4), share=0.5)
    2.5
    """
    levels, level = np.unique(-scores[weight > 0], return_inverse=True)
    above = np.cumsum(np.bincount(level, weight[weight > 0]))
    last = int(np.searchsorted(above, share * above[-1] * (1 - 1e-12)))
    if last + 1 >= len(levels):
        return float(-levels[-1] - max(1.0, abs(levels[-1])))
    return float(-(levels[last] + levels[last + 1]) / 2)
