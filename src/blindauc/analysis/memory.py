"""How much memory the analysis of a table in files takes, and whether that is allowed."""

from __future__ import annotations

from blindauc.rows.disk.size import LEAST, read_size
from blindauc.theory import enough_unlabelled

SHARE_TO_READ = 3
"""Reading plans its buffers for one third of the memory (convention): scores, the sample and the report need the rest.
"""

LIBRARIES = 250_000_000
"""Bytes that Python and its libraries take (convention)."""

BYTES_A_ROW = 32
"""Bytes per row, for scores and other vectors over all rows. `benchmarks/scale.py --engines disk --rows 2e7 4e7`
measured 25 bytes for each of 20 million more rows; the mask of labels, and the search for the first rows of the
ranking, take the rest."""

BYTES_A_CELL = 12
"""Bytes per cell of the sample, which is stored in single and in double precision."""


def memory_to_read(memory: str) -> int:
    """The bytes that reading may take if the whole analysis may take `memory`."""
    size = read_size(memory) // SHARE_TO_READ
    if size < LEAST:
        raise ValueError(f"memory must be at least {SHARE_TO_READ * LEAST // 10**6}MB, with its unit, not {memory!r}.")
    return size


def check_plan(memory: str | None, n_rows: int, n_labelled: int = 0, n_features: int = 0) -> None:
    """Raise if the analysis of so many rows will take more memory than allowed.

    Parameters
    ----------
    memory : str or None
        How much memory the analysis may take, such as "2GB"; None for any.
    n_rows : int
    n_labelled, n_features : int, optional
        The labelled rows and the encoded columns; 0 before the table is read, when they are not known.

    Examples
    --------
    >>> from blindauc.analysis.memory import check_plan
    >>> check_plan("1GB", 10_000_000)
    >>> check_plan("1GB", 10_000_000, 100_000, 200)
    Traceback (most recent call last):
    ValueError: 10,000,000 rows, with 100,000 labelled rows of 200 numbers and a sample of the others in memory, take \
about 2.0GB, and '1GB' is allowed: allow more with memory=, or pass fewer rows or columns.
    """
    n_sampled = n_labelled + enough_unlabelled(n_labelled) if n_labelled else 0
    planned = LIBRARIES + BYTES_A_ROW * n_rows + BYTES_A_CELL * n_sampled * n_features
    if memory is None or planned <= read_size(memory):
        return
    of_sample = f", with {n_labelled:,} labelled rows of {n_features:,} numbers and a sample of the others in memory,"
    raise ValueError(
        f"{n_rows:,} rows{of_sample if n_labelled else ''} take about {planned / 1e9:.1f}GB, and {memory!r} is "
        "allowed: allow more with memory=, or pass fewer rows or columns."
    )
