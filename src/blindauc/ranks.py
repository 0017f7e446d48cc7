"""Ranks of scores among the scores of unlabelled rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats, Ints


@dataclass(frozen=True)
class Ranked:
    """Out-of-fold ranks and weights of the labelled positives and of the unlabelled rows.

    `pos_verdict` holds the results of checked labels; None if no label was checked.
    """

    pos: Floats
    unl: Floats
    pos_weight: Floats
    unl_weight: Floats
    pos_verdict: Ints | None = None


def share_below(targets: Floats, scores: Floats, weight: Floats) -> Floats:
    """The weighted share of the scores below each target; ties count one half.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.ranks import share_below
    >>> share_below(np.array([0.5, 2.0]), np.array([1.0, 2.0, 0.0, 0.0]), np.ones(4)).tolist()
    [0.5, 0.875]
    """
    order = np.argsort(scores)
    ordered = scores[order]
    below = np.append(0.0, np.cumsum(weight[order]))
    # Sorted targets are found in a third of the time: each next to the last one.
    place = np.argsort(targets)
    wanted = targets[place]
    left, right = ordered.searchsorted(wanted, "left"), ordered.searchsorted(wanted, "right")
    result = np.empty(len(targets))
    result[place] = (below[left] + below[right]) / (2 * below[-1])
    return result
