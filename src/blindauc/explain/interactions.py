r"""Interactions of pairs of columns, by superset importance.

(Liu and Owen, Estimating mean dimensionality of analysis of variance decompositions, JASA 2006.)

The superset importance of columns j and k is the variance of all ANOVA components of the score that involve both,

    size[j, k] = mean of (f(x) - f(x_j -> x'_j) - f(x_k -> x'_k) + f(x_jk -> x'_jk))^2 / 4

over random pairs of rows x, x'. It is zero for additive scores. The total effect of a column, the mean of
(f(x) - f(x_j -> x'_j))^2 / 2 (Jansen, Analysis of variance designs for model output, Comput. Phys. Commun. 1999), is an
upper bound of all its interactions. Therefore only pairs of columns with large total effects are evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.rows.matrix import Matrix
from blindauc.scorers.contract import Model

MOST_COLUMNS = 12
"""The largest number of columns whose pairs are evaluated (convention): 66 pairs."""

ROUNDING = 1e-12
"""Mean squares below this share of the scores' mean square are rounding errors. Scores are rounded to 40 binary digits
(`clean_scores`); the relative error is about 1e-12, and its square far smaller."""


@dataclass(frozen=True)
class Interaction:
    """An interaction of two columns.

    Attributes
    ----------
    columns : (int, int)
        The column numbers, in increasing order.
    size : float
        The superset importance, as a share of the variance of the score.
    """

    columns: tuple[int, int]
    size: float


def interactions_of(
    model: Model, X: Any, columns: Sequence[int] | None = None, n_pairs: int = 10, random_state: int = 0
) -> list[Interaction]:
    """The pairs of columns that interact most, strongest first.

    The score is evaluated for each column that the model uses, and for each pair of the twelve strongest.
    Replacing values of one column by those of other rows breaks its dependence on the other columns. If columns are
    dependent, an interaction may come from combinations of values that do not occur in the rows.

    Parameters
    ----------
    model : Model
    X : ndarray or sparse matrix of shape (n, p)
        A few hundred rows. A sparse matrix is converted to a dense array.
    columns : sequence of int, optional
        Columns whose pairs are considered; by default all that the model uses.
    n_pairs : int, default=10
        The most pairs to return.
    random_state : int, default=0
        Seed of the random pairing of rows.

    Returns
    -------
    list of Interaction
        Empty if the score is additive.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain import interactions_of
    >>> from blindauc.scorers import LinearModel
    >>> interactions_of(LinearModel(np.array([1.0, 2.0])), np.random.default_rng(0).normal(size=(100, 2)))
    []
    """
    rows = Matrix(X).dense()
    probe = model.probe(rows)
    others = rows[_partners(len(rows), random_state)]
    usable = (
        np.flatnonzero(model.columns) if columns is None else np.intersect1d(columns, np.flatnonzero(model.columns))
    )
    total = {j: _mean_square(probe.scores - probe.replaced([j], others[:, [j]])) / 2 for j in usable.tolist()}
    strongest = sorted(sorted(total, key=lambda j: -total[j])[:MOST_COLUMNS])
    sizes = {
        (j, k): _mean_square(probe.interaction(j, k, others[:, [j, k]])) / 4 for j, k in combinations(strongest, 2)
    }
    negligible, variance = ROUNDING * _mean_square(probe.scores), float(np.var(probe.scores))
    found = [Interaction(pair, size / variance) for pair, size in sizes.items() if size > negligible]
    return sorted(found, key=lambda interaction: -interaction.size)[:n_pairs]


def _mean_square(values: Floats) -> float:
    return float(np.mean(values**2))


def _partners(n: int, seed: int) -> Ints:
    """A random derangement: each row is the partner of exactly one other row."""
    order = np.random.default_rng(seed).permutation(n)
    partners = np.empty(n, dtype=np.intp)
    partners[order] = np.roll(order, 1)
    return partners
