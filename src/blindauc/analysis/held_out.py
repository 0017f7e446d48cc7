"""Out-of-fold ranks by row number. If the table was read in parts, only a sample of its rows has one."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.analysis.pipeline import Steps


def is_of_sample(steps: Steps) -> bool:
    """Whether the out-of-fold ranks are those of some rows only, because the table was read in parts."""
    return hasattr(steps.ranking, "sampled_rows_")


def held_out_ranks(steps: Steps, number: Ints) -> Floats:
    """The out-of-fold ranks of training rows, by their numbers from 0; NaN for rows without one."""
    ranks = steps.ranking.held_out_rank_
    return spread(ranks, steps.ranking.sampled_rows_, number) if is_of_sample(steps) else ranks[number]


def spread(values: Floats, rows: Ints, number: Ints) -> Floats:
    """The values that belong to `rows`, for the rows `number`; NaN for those that are not among `rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.analysis.held_out import spread
    >>> spread(np.array([0.1, 0.2]), np.array([7, 3]), np.array([3, 4, 7])).tolist()
    [0.2, nan, 0.1]
    """
    found = np.full(len(number), np.nan)
    _, of_values, of_number = np.intersect1d(rows, number, return_indices=True)
    found[of_number] = values[of_values]
    return found


def as_if_fitted_to(ranking: Any, numbers: Ints) -> Any:
    """A copy of a ranking of a table read in parts, as if fitted to the rows `numbers` (ascending) in memory."""
    result = copy(ranking)
    result.held_out_rank_ = spread(ranking.held_out_rank_, ranking.sampled_rows_, numbers)
    del result.sampled_rows_  # only rankings of tables read in parts have it
    for name in ("labelled_rows_", "outliers_", "confirmed_rows_", "known_negative_rows_"):
        if hasattr(ranking, name):
            setattr(result, name, np.searchsorted(numbers, getattr(ranking, name)))
    return result
