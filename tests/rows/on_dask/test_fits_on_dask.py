"""Fits to Dask collections have the numbers of rows in memory, whoever works them out."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import dask.array as da
from distributed import Client, SchedulerPlugin
from partitions import N_POS, WEIGHT, N, P, X, Y, fitted, frame, in_dask, objective_of, threads

from blindauc import BlindAUCClassifier
from blindauc.rows.dask import DaskRows
from blindauc.rows.dask.blocks import WorkersPart
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import BlockParts, Part
from blindauc.rows.view import PartedView

pytestmark = pytest.mark.usefixtures("few_candidates")

SIXTY_FOUR = (0, *(6,) * 31, 0, *(6,) * 31, 12)

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


def test_sparse_blocks_stay_sparse(client):
    sparse = da.from_array(X, chunks=(100, P)).map_blocks(sp.csr_matrix)
    with DaskRows.of(sparse, Y) as rows:
        assert sp.issparse(rows.take(rows.positives)[0].X)
        np.testing.assert_allclose(rows.at(np.ones(P)).sum(), X.sum())


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


@pytest.mark.parametrize("shape", ["curves", "kernel", "trees"])
def test_scores_that_bend_are_those_of_blocks(client, shape):
    settings = {"shape": shape, "calibrate": False, "n_rounds": 5}
    expected = BlindAUCClassifier(**settings).fit(BlockParts.of(X, Y == 1, block_rows=100))
    table = da.from_array(X, chunks=(60, P))
    found = BlindAUCClassifier(**settings).fit(table, Y)
    scores = expected.decision_function(X)
    np.testing.assert_allclose(found.decision_function(table).compute(), scores, rtol=1e-8, atol=1e-8)


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
