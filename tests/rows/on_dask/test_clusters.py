"""Clusters are found, used and left as they were, and told of where they cannot be used."""

import socket
import threading

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import pandas as pd
from command_line import run
from distributed import Client
from partitions import N, P, X, Y, in_dask, threads
from threadpoolctl import threadpool_info

import blindauc.rows.dask.cluster
from blindauc import BlindAUCClassifierCV
from blindauc.analysis.options import Options
from blindauc.rows.dask import connect
from blindauc.rows.dask.threads import OneBlasThread

pytestmark = pytest.mark.usefixtures("few_candidates")


def test_without_a_cluster_threads_of_this_process_do_the_work(monkeypatch):
    monkeypatch.setattr(blindauc.rows.dask.cluster, "_present_client", lambda: None)
    with in_dask(100) as rows:
        client = rows._session.client
        assert client.status == "running"
        assert rows.at(np.ones(P)).sum() == pytest.approx(X.sum())
    assert client.status == "closed"


def test_a_cluster_that_cannot_be_used_is_told(client, monkeypatch):
    monkeypatch.setattr(blindauc.rows.dask.cluster, "SECONDS_TO_ANSWER", 0.3)
    for address in ("tcp://127.0.0.1:9", "no address", "tcp://"):
        with pytest.raises(ConnectionError, match="No Dask scheduler answers at"):
            connect(address)
    with threads(0) as cluster, pytest.raises(ConnectionError, match="has no workers: start some with"):
        connect(cluster.scheduler_address)
    monkeypatch.setattr(blindauc.rows.dask.cluster, "__version__", "99.0")
    with pytest.raises(ConnectionError, match=r"3 of 3 processes .* than 99.0, .* has .*: install blindauc 99.0"):
        connect(client.cluster.scheduler_address)


def test_a_web_server_is_no_scheduler():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(ConnectionError, match="No Dask scheduler answers"):
            connect(f"tcp://127.0.0.1:{server.getsockname()[1]}")


def test_a_cluster_is_found_by_its_address(client):
    with connect(client.cluster.scheduler_address) as found, in_dask(100, found) as rows:
        assert rows.n_parts == 4


def test_the_command_line_fits_on_a_cluster_whatever_is_said_of_rows(client, tmp_path, monkeypatch):
    monkeypatch.setattr("blindauc.rows.dask.mapped.ROWS_OF_A_PARTITION", 100)
    settings = {"l2": 1.0, "n_outliers": 0.0, "n_features_to_select": None, "scaling": "standard"}
    monkeypatch.setattr(
        Options, "ranking", lambda *given: BlindAUCClassifierCV(**settings, shape="linear", n_repeats=1)
    )
    table = pd.DataFrame(X, columns=list("abcde")).assign(
        label=np.where(Y, "yes", ""),
        whom=[f"W{k % 90}" for k in range(N)],
        day=pd.date_range("2024-01-01", periods=N),
        found="",
    )
    table.loc[np.flatnonzero(Y)[:6], "found"] = ["right"] * 3 + ["wrong"] * 3
    table.loc[:4, "found"] = "negative"
    table.to_parquet(tmp_path / "rows.parquet")
    said = ["--rows-by", "whom", "--time", "day", "--checked", "found", "--label", "label"]
    for name, where in (("there", ["--cluster", client.scheduler.address]), ("here", ["--memory", "500MB"])):
        done = run("fit", tmp_path / "rows.parquet", *said, *where, "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    for name in ("ranking.csv", "ranking_by_group.csv", "doubtful_labels.csv"):
        ours, theirs = (pd.read_csv(tmp_path / where / name) for where in ("there", "here"))
        pd.testing.assert_frame_equal(ours, theirs)


def test_a_scheduler_that_goes_away_is_told():
    with threads(1) as cluster, Client(cluster, set_as_default=False) as client:
        rows = in_dask(100, client)
        client.close()
        with pytest.raises(ConnectionError, match="was lost during the computation"):
            rows.at(np.ones(P)).sum()


def test_one_thread_of_linear_algebra_until_the_last_has_left():
    def most():
        return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")

    before, limit = most(), OneBlasThread()
    with limit:
        with limit:
            pass
        assert most() == 1
    assert most() == before
