"""Where scores stand among others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats, Ints


@dataclass(frozen=True)
class Ranked:
    """Ranks and weights of labelled positives and of unlabelled rows, by models that have not seen them.

    `pos_verdict` says what was found where labels were checked; None where none was.
    """

    pos: Floats
    unl: Floats
    pos_weight: Floats
    unl_weight: Floats
    pos_verdict: Ints | None = None


def share_below(targets: Floats, scores: Floats, weight: Floats) -> Floats:
    """The share of the weight whose score is below each target; equal scores count one half.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.ranks import share_below
    >>> share_below(np.array([0.5, 2.0]), np.array([1.0, 2.0, 0.0, 0.0]), np.ones(4)).tolist()
    [0.5, 0.875]
    """
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    below = np.append(0.0, np.cumsum(weight[order]))
    left, right = np.searchsorted(ordered, targets, "left"), np.searchsorted(ordered, targets, "right")
    return (below[left] + below[right]) / (2 * below[-1])
