"""What is tried: for each shape every combination of the settings that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.choice.belief import LIKELY_RIDGE, log_belief, log_belief_in_multiples
from blindauc.data import Data
from blindauc.rows.scaling import column_scales
from blindauc.scorers.boosting import LEAF_RIDGE
from blindauc.scorers.contract import Scorer
from blindauc.scorers.spec import Spec

RIDGE_DECADES = (3, 1, -1, -3, -6, -9)
"""Ridges of straight lines, as powers of ten in units of the data's own curvature.

Closer together where most data want them; ill-conditioned columns (Hill-Valley) want one near the last.
"""

BENT_RIDGE_DECADES = RIDGE_DECADES[:4]
"""Ridges of curves and kernels: weaker ones would follow every row."""

OUTLIER_SHARES = (0.0, 0.1, 0.2, 0.3)
"""Shares of the labelled positives that a fit leaves out. What lies between is reached by averaging."""

GAMMAS = (0.1, 0.3, 1.0)
"""Widths of kernels, in units of one over the mean squared difference of standardised columns."""

N_LEAVES, N_ROUNDS = (2, 8), (15, 50, 150)
"""Sizes and numbers of trees: of 4 leaves they lie in between, and 16 reach the same (keel sets for shaping)."""

MULTIPLES = (1.0, 3.0)
"""As how many unlabelled rows a known negative weighs, besides rows as they came (`Data.weighing`).

A row weighs best by what it tells over its noise. To tell where negatives are, an unlabelled row has the part 1 - prior
of what a known negative drawn at random has, and about the same noise. That makes 1 / (1 - prior): 3 where two thirds
of the unlabelled rows are positive.
"""

COLUMN_RATIO, FEW_COLUMNS = 1.5, 12
"""Numbers of columns fall by this factor, and from a dozen on one by one, where each column makes a difference.

A factor of 1.25 all the way costs a fifth more time and reaches the same AUC.
"""

SAME_SCALES = 0.05
"""Scalings whose ratio varies by less, in logarithms, make the same ridge and are tried once."""


@dataclass(frozen=True)
class Choices:
    """The values of each setting that are tried.

    Parameters
    ----------
    shapes, scalings, losses, outlier_shares, gammas, n_leaves, n_rounds, known_negative_shares : sequences
    ridges : sequence of float, or None to place them relative to the data's curvature
    column_counts : sequence of the numbers of columns, or groups, of shapes that select them
    """

    shapes: Sequence[str]
    scalings: Sequence[str]
    losses: Sequence[Any]
    ridges: Sequence[float] | None
    outlier_shares: Sequence[float]
    column_counts: Sequence[Any]
    gammas: Sequence[float] = GAMMAS
    n_leaves: Sequence[int] = N_LEAVES
    n_rounds: Sequence[int] = N_ROUNDS
    known_negative_shares: Sequence[float | None] = (None,)


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
        """The candidate to take where nothing can be compared: all columns, no outliers, the likeliest ridge.

        It is of the first shape, the plainest.
        """
        is_first = [spec.shape == self.specs[0].shape for spec in self.specs]
        return self.specs[int(np.where(is_first, self.log_belief, -np.inf).argmax())]


def space_of(scorer: Scorer, data: Data, choices: Choices) -> Space:
    """Every combination, with the belief in each among those of its shape."""
    every = [_space_of_shape(shape, scorer, data, choices) for shape in choices.shapes]
    specs = [spec for space in every for spec in space.specs]
    return Space(specs, np.concatenate([space.log_belief for space in every]))


def _space_of_shape(shape: str, scorer: Scorer, data: Data, choices: Choices) -> Space:
    placed = list(SHAPES[shape](scorer, data, choices))
    specs, decades = [spec for spec, _ in placed], np.array([decade for _, decade in placed])
    is_unscaled = np.array([spec.scaling == "none" for spec in specs])
    shares = np.array([spec.n_outliers for spec in specs])
    return Space(specs, log_belief(decades, is_unscaled, shares) + log_belief_in_multiples(_multiples(specs, data)))


def _multiples(specs: Sequence[Spec], data: Data) -> Floats:
    """As how many unlabelled rows a known negative weighs in each spec; none where rows weigh as they came."""
    natural = data.known_negative_share
    if natural in (0, 1):
        return np.zeros(len(specs))
    shares = np.array([spec.known_negative_share or 0.0 for spec in specs])
    return shares / (1 - shares) / (natural / (1 - natural))


Placed = Iterator[tuple[Spec, float]]
"""Specs with the power of ten of their ridges in units of the data's curvature."""


def _linear(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    for scaling, loss in product(distinct_scalings(data, choices.scalings), choices.losses):
        first = Spec(scaling, loss, 1.0, 0.0, None)
        yield from _ridged(first, scorer, data, choices, RIDGE_DECADES, choices.column_counts)


def _curves(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    for loss in choices.losses:
        first = Spec("standard", loss, 1.0, 0.0, None, "curves")
        yield from _ridged(first, scorer, data, choices, BENT_RIDGE_DECADES, choices.column_counts)


def _kernel(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    for loss, gamma in product(choices.losses, choices.gammas):
        first = Spec("standard", loss, 1.0, 0.0, None, "kernel", gamma)
        yield from _ridged(first, scorer, data, choices, BENT_RIDGE_DECADES, [None])


def _ridged(
    first: Spec, scorer: Scorer, data: Data, choices: Choices, decades: Sequence[int], counts: Sequence[Any]
) -> Placed:
    """All ridges, shares of outliers and numbers of columns of one objective."""
    unit = scorer.ridge_unit(data, first)
    ridges = [unit * 10.0**decade for decade in decades] if choices.ridges is None else choices.ridges
    for l2, share, known, count in product(ridges, choices.outlier_shares, choices.known_negative_shares, counts):
        spec = Spec(first.scaling, first.loss, l2, share, count, first.shape, first.gamma, known_negative_share=known)
        yield spec, float(np.log10(l2 / unit))


def _trees(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    ridges = [LEAF_RIDGE] if choices.ridges is None else choices.ridges
    of_trees = product(choices.n_leaves, choices.n_rounds)
    for loss, l2, share, (leaves, rounds), known in product(
        choices.losses, ridges, choices.outlier_shares, list(of_trees), choices.known_negative_shares
    ):
        spec = Spec(
            "standard", loss, l2, share, None, "trees", n_leaves=leaves, n_rounds=rounds, known_negative_share=known
        )
        yield spec, LIKELY_RIDGE


SHAPES: dict[str, Callable[[Scorer, Data, Choices], Placed]] = {
    "linear": _linear,
    "curves": _curves,
    "kernel": _kernel,
    "trees": _trees,
}
"""What a score may look like, and the candidates of each."""


def share_of_multiple(data: Data, multiple: float) -> float:
    """The share of known negatives in the weight of all rows that are not positive, each as so many unlabelled rows."""
    share = data.known_negative_share
    return multiple * share / (1 - share + multiple * share)


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
