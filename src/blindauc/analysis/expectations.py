"""How many of the first rows of a list are positive, or wrongly labelled, as `Findings` hold it."""

from __future__ import annotations

import pandas as pd

from blindauc._typing import Floats
from blindauc.analysis.auditing import WRONG_SO_FAR
from blindauc.analysis.pipeline import Steps
from blindauc.estimators.capacity import found_among
from blindauc.report.findings import Expected
from blindauc.trust.judgement import is_judged

EVERY = 50
"""Up to here every number of rows is told, and beyond it one that is larger by `GROWTH` each time."""

GROWTH = 1.1


def grid(n_rows: int, wanted: int | None = None) -> list[int]:
    """Numbers of rows from 1 to all, close together where they are small, and one that is wanted.

    Examples
    --------
    >>> from blindauc.analysis.expectations import grid
    >>> grid(3), grid(1000, 200)[48:54], grid(1000)[-1], 200 in grid(1000, 200)
    ([1, 2, 3], [49, 50, 55, 61, 67, 74], 1000, True)
    """
    numbers = list(range(1, min(n_rows, EVERY) + 1))
    while numbers[-1] * GROWTH < n_rows:
        numbers.append(round(numbers[-1] * GROWTH))
    return sorted({*numbers, n_rows, *([] if wanted is None else [wanted])})


def expected_positives(steps: Steps, unlabelled_scores: Floats, capacity: int | None) -> list[Expected]:
    """Positives among the first unlabelled rows of the fit; nothing where nothing is known.

    Parameters
    ----------
    steps : Steps
    unlabelled_scores : ndarray
        As `decision_function` gives them.
    capacity : int or None
        A number of rows to be among those told.
    """
    if not is_judged(steps.ranking.calibration_):
        return []
    numbers = grid(len(unlabelled_scores), capacity)
    found = found_among(steps.ranking, unlabelled_scores - steps.ranking.intercept_, numbers, training=True)
    return [Expected(k, float(each), each.low, each.high) for k, each in zip(numbers, found, strict=True)]


def expected_wrong_labels(doubtful: pd.DataFrame) -> list[Expected]:
    """Wrong labels among the first of a table of doubtful ones; nothing where nothing is known."""
    if doubtful[list(WRONG_SO_FAR)].isna().any(axis=None):
        return []
    so_far = doubtful[list(WRONG_SO_FAR)].to_numpy().tolist()
    return [Expected(k, *so_far[k - 1]) for k in grid(len(doubtful))]
