"""What is likely before anything was tried.

A few positives can not tell hundreds of candidates apart. Most data want a ridge one or two decades above their own
curvature, and columns brought to a common scale. That all columns matter is as likely as not, less likely where a few
stand out one by one, and more where all say about as much. Where held-out rows clearly say otherwise, they are
believed: nothing is ruled out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.tuning.grid import Candidate

LIKELY_RIDGE, RIDGE_SPREAD = 1.5, 1.5
"""Mean and standard deviation of the ridge's power of ten, in units of the data's own curvature."""

SURPRISE = 0.01
"""How likely any ridge is, however far from that, compared to the likeliest."""

UNSCALED = 0.5
"""How likely columns mean what they say on the scales they came in, compared to any other scaling."""


@dataclass(frozen=True)
class Belief:
    """How likely each candidate is to be right, up to a factor.

    Parameters
    ----------
    ridge_unit : the ridge as strong as the data, for a scaling and a loss
    everything : the number of features that is all of them; None where it may not be chosen
    n_fewer : how many other numbers may be chosen
    evenness : by how many standard deviations columns differ more evenly than by chance
    """

    ridge_unit: Callable[[str, Any], float]
    everything: Any
    n_fewer: int
    evenness: float

    def __call__(self, candidates: Sequence[Candidate]) -> Floats:
        decades = np.log10([candidate.l2 / self.ridge_unit(*candidate.kind) for candidate in candidates])
        of_ridge = np.exp(-(((decades - LIKELY_RIDGE) / RIDGE_SPREAD) ** 2) / 2) + SURPRISE
        return of_ridge * np.array([self._of_scaling(each) * self._of_features(each) for each in candidates])

    def _of_scaling(self, candidate: Candidate) -> float:
        return UNSCALED if candidate.scaling == "none" else 1.0

    def _of_features(self, candidate: Candidate) -> float:
        """All features are as likely as all other numbers together, or exp(evenness) times that."""
        is_all = candidate.n_features_to_select == self.everything
        return max(self.n_fewer, 1) * float(np.exp(self.evenness)) if is_all else 1.0
