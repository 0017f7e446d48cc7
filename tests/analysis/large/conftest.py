"""A table of rows in parts, and a folder that holds it."""

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import IS_POSITIVE, P, X


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    some = np.sort(np.concatenate([np.flatnonzero(IS_POSITIVE)[:40], np.flatnonzero(~IS_POSITIVE)[:460]]))
    frame = pd.DataFrame(X[some], columns=[f"lab {k}" for k in range(P)]).round(3)
    frame.insert(0, "patient", [f"P{k}" for k in range(500)])
    frame.loc[rng.random(500) < 0.1, "lab 4"] = np.nan
    frame["ward"] = rng.choice(["north", "south", "east"], 500)
    frame["infection"] = np.where(IS_POSITIVE[some], "yes", "")
    return frame


@pytest.fixture
def folder(table, tmp_path):
    path = tmp_path / "rows"
    path.mkdir()
    table[:200].to_parquet(path / "a.parquet")
    table[200:].to_parquet(path / "b.parquet")
    return path
