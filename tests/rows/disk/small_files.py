"""A small table for files, and how they are refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from blindauc.rows.disk.parquet import ParquetRows


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(list("xyz"), n), "y": np.arange(n) % 10 == 0})


def refused(path, words, label="y", **options):
    """One line, and nothing left beside the data."""
    before = sorted(path.rglob("*")) if isinstance(path, Path) else None
    with pytest.raises(ValueError, match=words) as error:
        ParquetRows(path, label, **options).prepared()
    assert str(error.value).isprintable()
    if before is not None:
        assert sorted(path.rglob("*")) == before
    return str(error.value)
