"""How long the steps of an analysis of a table in files take, for the progress bar."""

from __future__ import annotations

SECONDS = {
    "reading": (0.0, 0.1),
    "looking for leaks": (1.0, 0.0),
    "fit": (15.0, 0.1),
    "scores of all rows": (0.0, 0.01),
    "reasons and stability": (1.0, 0.0),
}
"""The seconds of each step, whatever the size of the table, and those for each million cells.

Measured on 30,000 to 1 million rows of 19 columns in Parquet files. Only their ratios matter: the search uses a sample
of the rows, whereas reading and the final fits go through all of them.
"""


def durations(n_cells: int) -> dict[str, float]:
    """The expected seconds of each step for a table of this size.

    Examples
    --------
    >>> from blindauc.analysis.durations import durations
    >>> durations(20_000_000)["reading"], durations(20_000_000)["fit"]
    (2.0, 17.0)
    """
    return {step: fixed + per_million * n_cells / 1e6 for step, (fixed, per_million) in SECONDS.items()}
