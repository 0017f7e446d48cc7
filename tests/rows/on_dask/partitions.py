"""Rows in memory and the same rows as Dask keeps them."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import LocalCluster

from blindauc.losses import get_loss
from blindauc.objectives import Objective
from blindauc.risks import BlindAUCRisk
from blindauc.rows.dask import DaskRows
from blindauc.solvers import exchange
from blindauc.sparsity import L0

N, P, N_POS = 384, 5, 40


def data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, P)), np.zeros(N, dtype=int)
    # No positive among the first 64 rows: some partitions have none.
    y[rng.choice(np.arange(64, N), N_POS, replace=False)] = 1
    X[y == 1, :3] += 1
    X[np.flatnonzero(y)[:4]] -= 2
    return X, y, rng.integers(1, 4, N).astype(float)


X, Y, WEIGHT = data()


def objective_of(rows, loss="logistic"):
    return Objective(BlindAUCRisk(get_loss(loss)), rows, l2=0.1 * rows.scales("standard") ** 2, trim=True)


def fitted(rows, n_outliers=0):
    """The coefficients of all columns, with or without outliers."""
    return exchange(objective_of(rows), L0(P, P), L0(rows.n_positives, n_outliers), max_swaps=0).coef


def in_dask(chunks, client=None, kind=DaskRows):
    return kind.of(da.from_array(X, chunks=(chunks, P)), Y, da.from_array(WEIGHT, chunks=100), client=client)


def threads(n_workers):
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")


def frame(**columns):
    table = pd.DataFrame(X, columns=list("abcde")).assign(**columns)
    return dd.from_pandas(table, npartitions=5, sort=False)


ARRAY = da.from_array(X, chunks=(100, P))
