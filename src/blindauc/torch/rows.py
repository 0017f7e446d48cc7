"""Validation of a batch: one score, one label and optionally one weight per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from blindauc.pairwise import LARGEST_SCORE


@dataclass(frozen=True)
class Rows:
    """Checked rows on one device.

    Attributes
    ----------
    scores : Tensor of shape (n,), float64, without a graph
    is_positive : Tensor of shape (n,), bool
    weight : Tensor of shape (n,), float64, or None for ones
    """

    scores: Tensor
    is_positive: Tensor
    weight: Tensor | None

    def side(self, chosen: Tensor) -> tuple[Tensor, Tensor | None]:
        """Scores and weights of some rows."""
        return self.scores[chosen], None if self.weight is None else self.weight[chosen]

    def times(self, factor: Tensor) -> Rows:
        """The rows with each weight multiplied by a factor."""
        weight = factor if self.weight is None else self.weight * factor
        return Rows(self.scores, self.is_positive, weight)


def read_rows(scores: Any, labels: Any, weight: Any = None) -> Rows:
    """Validate a batch, with a single synchronisation of the device for all checks."""
    values = _as_vector("scores", scores, None)
    if not scores.is_floating_point():
        raise ValueError(f"scores must be floating-point numbers, not {scores.dtype}: convert them with .float().")
    marks = _as_vector("labels", labels, values)
    weights = None if weight is None else _as_vector("weight", weight, values).to(torch.float64)
    values = values.to(torch.float64)
    is_positive = marks if marks.dtype == torch.bool else marks == 1
    n_strange = _count_strange(marks, is_positive)
    lightest, heaviest = values.new_zeros(2) if weights is None else weights.aminmax()
    facts = torch.stack([*values.aminmax(), n_strange, lightest, heaviest])
    low, high, n_strange, lightest, heaviest = facts.tolist()
    # Comparisons with NaN are false.
    if not (low >= -LARGEST_SCORE and high <= LARGEST_SCORE):
        raise ValueError(
            f"scores must be finite and at most {LARGEST_SCORE:.0e} in size, but they reach from {low:g} to {high:g}: "
            "lower the learning rate, or rescale."
        )
    if n_strange:
        raise ValueError(
            f"labels must be 1 or True for labelled positives and 0, -1, False or NaN for unlabelled rows, but "
            f"{n_strange:.0f} of {len(values)} are neither: recode them as `labels == positive`."
        )
    if not (lightest >= 0 and heaviest < torch.inf):
        raise ValueError(f"weight must be non-negative and finite, but it reaches from {lightest:g} to {heaviest:g}.")
    return Rows(values, is_positive, weights)


def _count_strange(labels: Tensor, is_positive: Tensor) -> Tensor:
    """The number of labels that are neither positive nor one of the codes for unlabelled."""
    if labels.dtype == torch.bool:
        return labels.new_zeros((), dtype=torch.float64)
    return (~(is_positive | (labels == 0) | (labels == -1) | (labels != labels))).sum()


def _as_vector(name: str, tensor: Any, scores: Tensor | None) -> Tensor:
    """The tensor detached and of shape (n,); also from shape (n, 1), which a linear layer returns."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} must be a torch tensor, not {type(tensor).__name__}: convert it with torch.as_tensor.")
    vector = tensor.detach()
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1 or len(vector) == 0:
        raise ValueError(
            f"{name} must hold one number for each row, at least one: expected shape (n,) or (n, 1), "
            f"got {tuple(tensor.shape)}."
        )
    if scores is not None and len(vector) != len(scores):
        raise ValueError(f"{name} must hold one number for each score: expected {len(scores)}, got {len(vector)}.")
    if scores is not None and vector.device != scores.device:
        raise ValueError(
            f"{name} is on {vector.device} and scores on {scores.device}: move it with {name}.to(scores.device)."
        )
    return vector
