"""Expected numbers of positives, or of wrong labels, among the first k rows of a list, as entries of `Findings`."""

from __future__ import annotations

import pandas as pd

from blindauc._typing import Floats
from blindauc.analysis.auditing import WRONG_SO_FAR
from blindauc.analysis.pipeline import Steps
from blindauc.estimators.capacity import found_among
from blindauc.report.findings import Expected
from blindauc.trust.ranks import has_evidence

EVERY = 50
"""Every k up to this one is reported (convention)."""

GROWTH = 1.1
"""Factor between one reported k and the next beyond `EVERY` (convention)."""


def grid(n_rows: int, wanted: int | None = None) -> list[int]:
    """The values of k to report: 1 to `n_rows`, denser where small, and including `wanted`.

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
    """Expected positives among the first k unlabelled training rows; empty if the fit had too few labels.

    Parameters
    ----------
    steps : Steps
    unlabelled_scores : ndarray
        From `decision_function`.
    capacity : int or None
        A value of k to include.
    """
    if not has_evidence(steps.ranking.calibration_):
        return []
    numbers = grid(len(unlabelled_scores), capacity)
    found = found_among(steps.ranking, unlabelled_scores - steps.ranking.intercept_, numbers, training=True)
    return [Expected(k, float(each), each.low, each.high) for k, each in zip(numbers, found, strict=True)]


def expected_wrong_labels(doubtful: pd.DataFrame) -> list[Expected]:
    """Expected wrong labels among the first k rows of the table from `audit`; empty if they were not estimated."""
    if doubtful[list(WRONG_SO_FAR)].isna().any(axis=None):
        return []
    so_far = doubtful[list(WRONG_SO_FAR)].to_numpy().tolist()
    return [Expected(k, *so_far[k - 1]) for k in grid(len(doubtful))]
