"""Rows of Dask collections: the numbers of rows in memory, whoever works them out and whoever dies over it."""

import os
import pickle
import signal
import socket
import threading
from concurrent.futures import BrokenExecutor
from operator import add

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import dask.array as da
import dask.dataframe as dd
import joblib
import pandas as pd
from command_line import run, told
from distributed import Client, LocalCluster, SchedulerPlugin
from threadpoolctl import threadpool_info

import blindauc.rows.dask.cluster
from blindauc import BlindAUCClassifier, BlindAUCClassifierCV
from blindauc.analysis.options import Options
from blindauc.labels import read_labels
from blindauc.losses import get_loss
from blindauc.objectives import Objective
from blindauc.risks import BlindAUCRisk
from blindauc.rows.dask import DaskRows, connect, scores_of
from blindauc.rows.dask.blocks import WorkersPart
from blindauc.rows.dask.threads import OneBlasThread
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import BlockParts, Part
from blindauc.rows.view import PartedView
from blindauc.solvers import exchange
from blindauc.sparsity import L0

pytestmark = pytest.mark.usefixtures("few_candidates")

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
SIXTY_FOUR = (0, *(6,) * 31, 0, *(6,) * 31, 12)


def objective_of(rows, loss="logistic"):
    return Objective(BlindAUCRisk(get_loss(loss)), rows, l2=0.1 * rows.scales("standard") ** 2, trim=True)


def fitted(rows, n_outliers=0):
    """The coefficients of all columns, with or without outliers."""
    return exchange(objective_of(rows), L0(P, P), L0(rows.n_positives, n_outliers), max_swaps=0).coef


def in_dask(chunks, client=None, kind=DaskRows):
    return kind.of(da.from_array(X, chunks=(chunks, P)), Y, da.from_array(WEIGHT, chunks=100), client=client)


def threads(n_workers):
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")


@pytest.fixture(scope="module")
def client():
    """Two workers in threads of this process, which start at once."""
    with threads(2) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """Two workers that can be killed."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


CHUNKS = {"1": (N,), "7": 60, "64 and empty ones": SIXTY_FOUR}


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
def test_coefficients_are_those_of_rows_in_memory(client, chunks):
    expected = fitted(MemoryRows.of(X, Y == 1, WEIGHT))
    with in_dask(chunks) as rows:
        np.testing.assert_allclose(fitted(PartedView.of(rows)), expected, rtol=1e-10)


@pytest.mark.parametrize("loss", ["logistic", "sigmoid", "hinge", "squared_hinge", "barrier_hinge"])
def test_gradients_are_those_of_rows_in_memory(client, loss):
    coef, shift = np.linspace(-1, 1, P), np.zeros(N_POS)
    expected = objective_of(MemoryRows.of(X, Y == 1, WEIGHT), loss).gradient(coef, shift)
    with in_dask(60) as rows:
        found = objective_of(PartedView.of(rows), loss).gradient(coef, shift)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)


def test_outliers_are_those_of_rows_in_memory(client):
    expected = fitted(MemoryRows.of(X, Y == 1, WEIGHT), n_outliers=4)
    with in_dask(200) as rows:
        np.testing.assert_allclose(fitted(PartedView.of(rows), n_outliers=4), expected, rtol=1e-10)


def test_any_number_of_workers_gives_the_same_last_digit():
    found = []
    for n_workers in (1, 2, 4):
        with threads(n_workers) as cluster, Client(cluster, set_as_default=False) as client:
            found.append(fitted(PartedView.of(in_dask(100, client))))
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


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
def mortal(processes, monkeypatch):
    """Workers, none of them still dead of another test. A partition that has killed one is not tried again."""
    processes.restart()
    monkeypatch.setattr(processes.cluster.scheduler, "allowed_failures", 0)
    return processes


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


def frame(**columns):
    table = pd.DataFrame(X, columns=list("abcde")).assign(**columns)
    return dd.from_pandas(table, npartitions=5, sort=False)


def test_a_frame_holds_labels_and_weights_of_its_own(client):
    answers = np.where(Y == 1, "yes", "no")
    with DaskRows.of_frame(frame(ill=answers, w=WEIGHT), "ill", "w") as rows, in_dask(77) as same:
        assert rows.feature_names == tuple("abcde")
        assert rows.classes.tolist() == ["no", "yes"]
        assert (rows.positives == same.positives).all()
        ours, theirs = fitted(PartedView.of(rows)), fitted(PartedView.of(same))
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_a_frame_may_have_its_labels_beside_it(client):
    labels = frame(ill=Y)["ill"]
    with DaskRows.of(frame(), labels) as rows:
        assert (rows.positives == np.flatnonzero(Y)).all()


LABELS = {
    "whole numbers": Y,
    "small whole numbers": Y.astype(np.int8),
    "minus one": 2 * Y - 1,
    "truth": Y == 1,
    "missing in whole partitions": np.where(Y == 1, 1.0, np.nan),
    "text": np.where(Y == 1, "yes", "no"),
    "text that is missing": np.where(Y == 1, "yes", None),
    "objects": Y.astype(object),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_labels_are_decided_over_all_partitions(client, y):
    expected = read_labels(y)
    with DaskRows.of(da.from_array(X, chunks=(64, P)), y) as rows:
        assert (rows.positives == np.flatnonzero(expected.is_positive)).all()
        assert rows.classes.tolist() == expected.classes.tolist()
        assert rows.classes.dtype == expected.classes.dtype


def test_pos_label_names_the_smaller_one(client):
    with DaskRows.of(da.from_array(X, chunks=(64, P)), Y, pos_label=0) as rows:
        assert (rows.positives == np.flatnonzero(Y == 0)).all()


def test_sizes_that_nobody_knows_are_found_out(client):
    everything = da.from_array(np.column_stack([X, Y]), chunks=(100, P + 1))
    some = everything[everything[:, 0] > -0.5]
    known = X[:, 0] > -0.5
    for y in (some[:, -1], Y[known], da.from_array(Y[known], chunks=50)):
        with DaskRows.of(some[:, :P], y) as rows:
            assert (rows.positives == np.flatnonzero(Y[known])).all()
            np.testing.assert_array_equal(rows.take(np.array([0, 150]))[0].X, X[known][[0, 150]])


def test_sparse_blocks_stay_sparse(client):
    sparse = da.from_array(X, chunks=(100, P)).map_blocks(sp.csr_matrix)
    with DaskRows.of(sparse, Y) as rows:
        assert sp.issparse(rows.take(rows.positives)[0].X)
        np.testing.assert_allclose(rows.at(np.ones(P)).sum(), X.sum())


def test_without_a_cluster_threads_of_this_process_do_the_work(monkeypatch):
    monkeypatch.setattr(blindauc.rows.dask.cluster, "_present_client", lambda: None)
    with in_dask(100) as rows:
        client = rows._session.client
        assert client.status == "running"
        assert rows.at(np.ones(P)).sum() == pytest.approx(X.sum())
    assert client.status == "closed"


def spoilt(row, column, value, dtype=float):
    bad = X.astype(dtype)
    bad[row, column] = value
    return da.from_array(bad, chunks=(100, P))


ARRAY = da.from_array(X, chunks=(100, P))
BAD = {
    "nan": (spoilt(250, 1, np.nan), Y, "Input X contains NaN: fit blindauc.make_preprocessor .* partition 2, counted"),
    "infinity": (spoilt(0, 1, np.inf), Y, "Input X contains infinity .* partition 0"),
    "too large": (spoilt(399 - 20, 1, 1e120), Y, r"X has values up to 1.0e\+120, too large .* partition 3"),
    "float16": (ARRAY.astype(np.float16), Y, "X is float16"),
    "text": (frame(f="a"), frame(ill=Y)["ill"], "1 column that is not numeric, 'f'"),
    "short y": (ARRAY, Y[:-1], "X and y must have as many rows as each other: X has 384, y 383"),
    "table as y": (ARRAY, np.column_stack([Y, Y]), "y should be a 1d array"),
    "no positive": (ARRAY, 0 * Y, "y has no positive class: every label is 0 or missing"),
    "no label": (ARRAY, np.full(N, np.nan), "NaN in every row, so there is no positive class"),
    "three labels": (ARRAY, np.arange(N) // 200 + Y, "Only binary classification is supported"),
    "text and numbers": (ARRAY, np.where(np.arange(N) < 150, "yes", Y.astype(object)), "y mixes text with other"),
    "blocks of columns": (ARRAY.rechunk((100, 2)), Y, r"3 blocks of columns, .*: use X.rechunk\(\{1: -1\}\)"),
    "one dimension": (ARRAY[:, 0], Y, "X must have two dimensions"),
    "no rows": (ARRAY[:0], Y[:0], "X has no rows"),
    "partitions of another number": (frame(), Y, r'y has 1 partitions and X has 5: .*fit\(frame, "label"\)'),
    "partitions of other sizes": (
        frame(),
        frame(ill=Y)["ill"].repartition(npartitions=2).repartition(npartitions=5),
        r'X and y must have as many rows .*as in fit\(frame, "ill"\)\. Found in partition 0',
    ),
}


@pytest.mark.parametrize(("X", "y", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_told_in_one_line(client, X, y, message):
    with pytest.raises(ValueError, match=message) as told:
        DaskRows.of(X, y)
    assert "\n" not in str(told.value)


def test_bad_weights_and_columns_are_told(client):
    with pytest.raises(ValueError, match=r"Negative values in data passed to `sample_weight`.* partition 1"):
        DaskRows.of(ARRAY, Y, np.where(np.arange(N) == 120, -1.0, 1.0))
    with pytest.raises(ValueError, match="The frame has no column 'ill': its columns are"):
        DaskRows.of_frame(frame(), "ill")
    with pytest.raises(TypeError, match="X must be a Dask array or a Dask data frame, not ndarray"):
        DaskRows.of(X, Y)
    with pytest.raises(TypeError, match="frame must be a Dask data frame, not Array"):
        DaskRows.of_frame(ARRAY, "ill")


def test_a_partition_with_other_columns_is_told(client):
    def narrower(block, block_info):
        return block[:, : P - (block_info[0]["chunk-location"][0] == 2)]

    with pytest.raises(ValueError, match="the columns of the first, 5, but partition 2, counted from 0, has 4"):
        DaskRows.of(ARRAY.map_blocks(narrower, meta=ARRAY._meta), Y)


def test_arrays_that_came_at_odd_addresses_give_the_same_last_digit():
    packed = np.zeros(X.nbytes + 1, dtype=np.uint8)
    odd = packed[1:].view(np.float64).reshape(X.shape)
    odd[:] = X
    assert not odd.flags.aligned
    part, same = (WorkersPart(each, Y == 1, WEIGHT, 0) for each in (odd, np.asfortranarray(X)))
    moved = pickle.loads(pickle.dumps(part))
    expected = Part(X, Y == 1).scores(np.linspace(-1, 1, P), 0.0)
    for each in (part, same, moved):
        assert (each.scores(np.linspace(-1, 1, P), 0.0) == expected).all()
        assert each.X.flags.aligned


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


@pytest.mark.parametrize("shape", ["curves", "kernel", "trees"])
def test_scores_that_bend_are_those_of_blocks(client, shape):
    settings = {"shape": shape, "calibrate": False, "n_rounds": 5}
    expected = BlindAUCClassifier(**settings).fit(BlockParts.of(X, Y == 1, block_rows=100))
    table = da.from_array(X, chunks=(60, P))
    found = BlindAUCClassifier(**settings).fit(table, Y)
    scores = expected.decision_function(X)
    np.testing.assert_allclose(found.decision_function(table).compute(), scores, rtol=1e-8, atol=1e-8)


def test_a_scheduler_that_goes_away_is_told():
    with threads(1) as cluster, Client(cluster, set_as_default=False) as client:
        rows = in_dask(100, client)
        client.close()
        with pytest.raises(ConnectionError, match="was lost during the computation"):
            rows.at(np.ones(P)).sum()


class Counted(SchedulerPlugin):
    """How many tasks have been worked out."""

    n_tasks = 0

    def transition(self, key, start, finish, *args, **kwargs):
        self.n_tasks += start == "processing" and finish == "memory"


def test_a_gradient_takes_at_most_three_tasks_for_each_partition(client):
    with in_dask(SIXTY_FOUR) as rows:
        objective, shift = objective_of(PartedView.of(rows)), np.zeros(N_POS)
        objective.gradient(np.zeros(P), shift)  # what is found out once
        counted, scheduler = Counted(), client.cluster.scheduler
        scheduler.add_plugin(counted, name="counted")
        objective.gradient(np.ones(P), shift)
        scheduler.remove_plugin("counted")
        assert rows.n_parts <= counted.n_tasks <= 3 * rows.n_parts


class Linear:
    """A model that can be sent."""

    def decision_function(self, X):
        return X @ np.arange(1.0, P + 1)

    def predict_proba(self, X):
        half = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - half, half])

    def predict(self, X):
        return np.where(self.decision_function(X) > 0, "yes", "no ")


@pytest.mark.parametrize("method", ["decision_function", "predict_proba", "predict"])
@pytest.mark.parametrize("table", [da.from_array(X, chunks=((100, 0, 284), P)), frame()], ids=["array", "frame"])
def test_scores_of_a_collection_are_a_collection(client, table, method):
    function = getattr(Linear(), method)
    lazy = scores_of(function, table)
    assert isinstance(lazy, da.Array)
    expected = function(X)
    assert (lazy.dtype, lazy.ndim) == (expected.dtype, expected.ndim)
    computed = lazy.compute()
    assert computed.shape == expected.shape
    if method == "predict":
        assert (computed == expected).all()
    else:
        np.testing.assert_allclose(computed, expected, rtol=1e-12)


def test_names_of_frames_are_checked_as_those_of_pandas(client):
    whole = frame(ill=Y, w=WEIGHT)
    model = BlindAUCClassifier(calibrate=False).fit(whole, "ill", "w")
    table = pd.DataFrame(X, columns=list("abcde"))
    expected = model.decision_function(table)
    for same in (whole, frame(), whole.drop(columns="w"), ARRAY):
        if same is ARRAY:
            with pytest.warns(UserWarning, match="X does not have valid feature names"):
                scores = model.decision_function(same)
        else:
            scores = model.decision_function(same)
        np.testing.assert_allclose(scores.compute(), expected, rtol=1e-12)
    for other in (list("cabde"), list("abcd"), ["a", "b", "c", "d", "z"]):
        with pytest.raises(ValueError, match="eature names") as theirs:
            model.decision_function(table.rename(columns={"e": "z"} if "z" in other else {})[other])
        for method in (model.decision_function, model.predict):
            with pytest.raises(ValueError, match="eature names") as ours:
                method(frame().rename(columns={"e": "z"} if "z" in other else {})[other])
            assert str(ours.value) == str(theirs.value)
    with pytest.warns(UserWarning, match="valid feature names"), pytest.raises(ValueError, match="X has 4 features"):
        model.predict(ARRAY[:, :4])
    with (
        DaskRows.of_frame(frame(ill=Y)[[*"cabde", "ill"]], "ill") as rows,
        pytest.raises(ValueError, match="in the same order"),
    ):
        model.decision_function(rows)


def test_partitions_whose_columns_are_not_those_of_the_frame_are_not_scored(client):
    turned = frame().map_partitions(lambda part: part[list("edcba")], meta=frame()._meta, enforce_metadata=False)
    with pytest.raises(ValueError, match=r"columns of the frame, \['a', .* but one has \['e'"):
        scores_of(Linear().decision_function, turned).compute()


def test_names_that_are_not_text_are_no_names(client):
    table = pd.DataFrame(X)
    model = BlindAUCClassifier(calibrate=False).fit(
        dd.from_pandas(table, npartitions=2), dd.from_pandas(pd.Series(Y), 2)
    )
    assert not hasattr(model, "feature_names_in_")
    model.predict(dd.from_pandas(table, npartitions=2))


def test_forgotten_labels_are_told(client):
    with pytest.raises(ValueError, match=r'y is missing: pass the name of their column, as in fit\(frame, "label"\)'):
        BlindAUCClassifier().fit(frame())
    with pytest.raises(ValueError, match="y is missing: pass them as y"):
        BlindAUCClassifier().fit(ARRAY)


def test_one_thread_of_linear_algebra_until_the_last_has_left():
    def most():
        return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")

    before, limit = most(), OneBlasThread()
    with limit:
        with limit:
            pass
        assert most() == 1
    assert most() == before
