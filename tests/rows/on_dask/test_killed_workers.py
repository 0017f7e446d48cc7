"""Workers that are killed cost time and not a digit; partitions that kill them all are told."""

import os
import signal
import threading
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from operator import add

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import dask.array as da
import joblib
import pandas as pd
from command_line import run, told
from distributed import Client, LocalCluster
from partitions import P, X, Y, fitted, in_dask

from blindauc import BlindAUCClassifierCV
from blindauc.rows.dask import DaskRows
from blindauc.rows.view import PartedView

pytestmark = pytest.mark.usefixtures("few_candidates")


@contextmanager
def two_workers():
    """Two worker processes, which can be killed."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    with two_workers() as client:
        yield client


class KillingRows(DaskRows):
    """Rows that lose a worker during some of the visits."""

    n_visits = 0
    kills: tuple = ()

    def total(self, task, combine=add):
        self.n_visits += 1
        if self.n_visits in self.kills:
            nannies = [nanny for nanny in self._session.client.cluster.workers.values() if nanny.pid]
            pid = nannies[self.n_visits % len(nannies)].pid
            threading.Timer(0.005, os.kill, (pid, signal.SIGKILL)).start()
        return super().total(task, combine)


def test_killed_workers_cost_time_and_not_a_digit(processes):
    rows = in_dask(100, processes, KillingRows)
    expected = fitted(PartedView.of(rows))
    n_visits, rows.n_visits = rows.n_visits, 0
    moments = np.random.default_rng(0).choice(np.arange(2, n_visits - 2), 2, replace=False)
    rows.kills = tuple(moments.tolist())
    assert (fitted(PartedView.of(rows)) == expected).all()
    rows.close()


PARTITIONS_KILL = "make partitions smaller or give workers more memory"


@pytest.fixture
def mortal(monkeypatch):
    """A cluster of its own for each test. A partition that has killed a worker is not tried again."""
    # To restart workers of which one is just coming back waits for it in vain for two minutes.
    with two_workers() as client:
        monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
        yield client


def test_partitions_that_kill_every_worker_are_told(mortal):
    with in_dask(200, mortal) as rows, pytest.raises(BrokenExecutor, match=PARTITIONS_KILL):
        rows.total(lambda part: os._exit(1))


def test_partitions_that_kill_every_worker_before_they_are_rows_are_told(mortal):
    # Their sizes are unknown, so that they are computed to find the rows of y.
    unknown = {"chunks": ((np.nan,) * 4, (P,)), "meta": np.zeros((0, P))}
    killing = da.from_array(X, chunks=(100, -1)).map_blocks(lambda block: os._exit(1), **unknown)
    with pytest.raises(BrokenExecutor, match=PARTITIONS_KILL):
        DaskRows.of(killing, da.from_array(Y, chunks=150), client=mortal)


def test_partitions_that_kill_every_worker_end_a_command_in_one_line(mortal, tmp_path, monkeypatch):
    monkeypatch.setattr("blindauc.rows.dask.engine.run_task", lambda packed, part: os._exit(1))
    data = tmp_path / "rows.parquet"
    pd.DataFrame(X).add_prefix("column ").assign(label=Y).to_parquet(data)
    cluster = mortal.scheduler.address
    done = run("fit", data, "--label", "label", "--cluster", cluster, "--json", "--out", tmp_path / "no")
    told(
        done, "Several Dask workers died at the same rows, probably for lack of memory: start workers with more memory"
    )


def few():
    return X[100:300, :3], Y[100:300]


def test_a_search_in_memory_runs_its_folds_on_dask(processes):
    X, y = few()
    search = BlindAUCClassifierCV(n_jobs=2, shape="linear")
    alone = BlindAUCClassifierCV(shape="linear").fit(X, y)
    with processes.as_current(), joblib.parallel_config("dask", client=processes):
        search.fit(X, y)
    assert (search.coef_ == alone.coef_).all()
    assert (search.decision_function(X) == alone.decision_function(X)).all()
