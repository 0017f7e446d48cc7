"""The candidates of a search: for each shape, every combination of its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.choice.belief import Belief, likeliest_decade, log_belief, log_belief_in_branches, log_belief_in_multiples
from blindauc.data import Data
from blindauc.rows.scaling import UNIT_FREE
from blindauc.scorers.boosting import LEAF_RIDGE
from blindauc.scorers.contract import Scorer
from blindauc.scorers.spec import Spec

SCALINGS_TRIED = ("standard", "none", "variance")
"""Scalings of linear scores. The typical contribution of a column to the score, before the data are seen, is the same
for all columns, proportional to their standard deviations, or proportional to their variances."""

RIDGE_DECADES = (3, 1, -1, -3, -6, -9)
"""Ridges of the linear shape, as powers of ten in units of the data's own curvature.

They are closer together in the range that most data sets need. Ill-conditioned columns (the Hill-Valley data) need a
ridge near the last one. The ablation table of `docs/concepts/how-tuning-works.md` shows what fewer ridges cost.
"""

NONLINEAR_RIDGE_DECADES = RIDGE_DECADES[:4]
"""Ridges of curves and kernels (chosen by us): weaker ridges would overfit."""

OUTLIER_SHARES = (0.0, 0.1, 0.2, 0.3)
"""Shares of the labelled positives that a fit leaves out (convention). Averaging interpolates between them."""

GAMMAS = (0.1, 0.3, 1.0)
"""Kernel coefficients: factors of the mean squared difference of the standardised columns (convention)."""

N_LEAVES, N_ROUNDS = (2, 8), (15, 50, 150)
"""Leaves per tree, and numbers of trees. Measured on the KEEL data sets of the shaping half (`benchmarks/families.py`):
the AUC with 4 leaves lies between those with 2 and 8, and 16 leaves reach the same AUC as 8."""

MULTIPLES = (1.0, 3.0)
"""Weights of a known negative, relative to an unlabelled row. The given weights (`Data.weighing`) are candidates, too.

The optimal weight of a row is its signal over its noise variance. For the location of the negatives, an unlabelled row
has 1 - prior times the signal of a known negative drawn at random, and about the same noise. The optimum is therefore
1 / (1 - prior): 3 if two thirds of the unlabelled rows are positive.
"""

COLUMN_RATIO, FEW_COLUMNS = 1.5, 12
"""Numbers of columns fall by this factor down to this number, and then by one, because there each column matters.

Measured: a factor of 1.25 throughout takes a fifth more time and reaches the same AUC.
"""

SAME_SCALES = 0.05
"""Two scalings count as the same, and only one is tried, if their log-ratio has at most this standard deviation
(convention)."""


@dataclass(frozen=True)
class Choices:
    """The values of each setting that are searched.

    Parameters
    ----------
    shapes, scalings, losses, outlier_shares, gammas, n_leaves, n_rounds, known_negative_shares : sequences
    ridges : sequence of float, or None to place them relative to the data's curvature
    column_counts : sequence of numbers of columns, or of groups, for shapes that select columns
    all_columns : the column count that stands for all columns; None always does
    """

    shapes: Sequence[str]
    scalings: Sequence[str]
    losses: Sequence[Any]
    ridges: Sequence[float] | None
    outlier_shares: Sequence[float]
    column_counts: Sequence[Any]
    all_columns: Any = None
    gammas: Sequence[float] = GAMMAS
    n_leaves: Sequence[int] = N_LEAVES
    n_rounds: Sequence[int] = N_ROUNDS
    known_negative_shares: Sequence[float | None] = (None,)


@dataclass(frozen=True)
class Space:
    """The candidates and the prior over them.

    Parameters
    ----------
    specs : the candidates
    belief : Belief
    """

    specs: Sequence[Spec]
    belief: Belief

    @property
    def likeliest(self) -> Spec:
        """The most probable candidate of the first shape: all columns, no outliers and the most probable ridge.

        It is used if there are too few positives for a search.
        """
        is_first = [spec.shape == self.specs[0].shape for spec in self.specs]
        return self.specs[int(np.where(is_first, self.belief.log_within, -np.inf).argmax())]


def space_of(scorer: Scorer, data: Data, choices: Choices) -> Space:
    """Every combination of the choices, with the belief in each."""
    placed = [each for shape in choices.shapes for each in SHAPES[shape](scorer, data, choices)]
    specs, apart = [spec for spec, _ in placed], np.array([decades for _, decades in placed])
    in_units = np.array([spec.scaling not in UNIT_FREE for spec in specs])
    shares = np.array([spec.n_outliers for spec in specs])
    within = log_belief(apart, in_units, shares) + log_belief_in_multiples(_multiples(specs, data))
    every = [(spec.shape, spec.n_features_to_select not in (None, choices.all_columns)) for spec in specs]
    branches = list(dict.fromkeys(every))
    branch = np.array([branches.index(each) for each in every])
    counts = {(at, spec.n_features_to_select) for at, spec in zip(branch.tolist(), specs, strict=True)}
    n_counts = np.bincount([at for at, _ in counts])
    return Space(specs, Belief(within, branch, log_belief_in_branches(branches), n_counts))


def _multiples(specs: Sequence[Spec], data: Data) -> Floats:
    """The weight of a known negative in each spec, relative to an unlabelled row; 0 if it keeps the given weights."""
    given = data.known_negative_share
    if given in (0, 1):
        return np.zeros(len(specs))
    shares = np.array([spec.known_negative_share or 0.0 for spec in specs])
    return shares / (1 - shares) / (given / (1 - given))


Placed = Iterator[tuple[Spec, float]]
"""Specs, each with the powers of ten between its ridge and the most probable one."""


def _linear(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    for scaling, loss in product(distinct_scalings(data, choices.scalings), choices.losses):
        first = Spec(scaling, loss, 1.0, 0.0, None)
        yield from _ridged(first, scorer, data, choices, RIDGE_DECADES, choices.column_counts)


def _curves(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    for loss in choices.losses:
        first = Spec("standard", loss, 1.0, 0.0, None, "curves")
        yield from _ridged(first, scorer, data, choices, NONLINEAR_RIDGE_DECADES, choices.column_counts)


def _kernel(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    for loss, gamma in product(choices.losses, choices.gammas):
        first = Spec("standard", loss, 1.0, 0.0, None, "kernel", gamma)
        yield from _ridged(first, scorer, data, choices, NONLINEAR_RIDGE_DECADES, [None])


def _ridged(
    first: Spec, scorer: Scorer, data: Data, choices: Choices, decades: Sequence[int], counts: Sequence[Any]
) -> Placed:
    """Specs with every ridge, share of outliers, weight of known negatives and number of columns, for one objective."""
    unit, likely = scorer.ridge_unit(data, first), likeliest_decade(scorer, data, first)
    ridges = [unit * 10.0**decade for decade in decades] if choices.ridges is None else choices.ridges
    for l2, share, negative, count in product(ridges, choices.outlier_shares, choices.known_negative_shares, counts):
        spec = Spec(
            first.scaling, first.loss, l2, share, count, first.shape, first.gamma, known_negative_share=negative
        )
        yield spec, float(np.log10(l2 / unit)) - likely


def _trees(scorer: Scorer, data: Data, choices: Choices) -> Placed:
    ridges = [LEAF_RIDGE] if choices.ridges is None else choices.ridges
    tree_sizes = product(choices.n_leaves, choices.n_rounds)
    for loss, l2, share, (leaves, rounds), negative in product(
        choices.losses, ridges, choices.outlier_shares, list(tree_sizes), choices.known_negative_shares
    ):
        spec = Spec(
            "standard", loss, l2, share, None, "trees", n_leaves=leaves, n_rounds=rounds, known_negative_share=negative
        )
        # All ridges on leaf values, the default one or those of the user, have the same prior probability.
        yield spec, 0.0


SHAPES: dict[str, Callable[[Scorer, Data, Choices], Placed]] = {
    "linear": _linear,
    "curves": _curves,
    "kernel": _kernel,
    "trees": _trees,
}
"""The generator of the candidates of each shape."""


def share_of_multiple(data: Data, multiple: float) -> float:
    """The share of known negatives in the weight of all non-positive rows, if each counts as `multiple` rows."""
    share = data.known_negative_share
    return multiple * share / (1 - share + multiple * share)


def distinct_scalings(data: Data, scalings: Sequence[str]) -> list[str]:
    """The scalings, in their order, without those that equal an earlier one up to a factor."""
    scales: dict[str, Floats] = {}
    for name in scalings:
        new = np.log(data.scales(name))
        if all(np.std(new - old) > SAME_SCALES for old in scales.values()):
            scales[name] = new
    return list(scales)


def column_counts(n_units: int) -> list[int]:
    """Numbers of columns or groups from all down to one: first divided by `COLUMN_RATIO`, then one by one.

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
