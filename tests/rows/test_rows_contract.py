"""Every engine keeps the same promises: a new one is tested by being listed."""

from dataclasses import replace
from functools import partial
from itertools import product

import array_api_strict as strict
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.estimators.parted import sample_of
from blindauc.losses import get_loss
from blindauc.objectives import Objective
from blindauc.risks import BlindAUCRisk, NonnegativePURisk, PUErrorRisk
from blindauc.rows import sampling
from blindauc.rows.contract import Grouped
from blindauc.rows.device.engine import DeviceRows
from blindauc.rows.digests import row_digests
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import BlockParts, DerivedParts
from blindauc.rows.scaling import SCALINGS
from blindauc.rows.storage import dense
from blindauc.rows.tasks import Digests, Values
from blindauc.rows.view import PartedView
from blindauc.solvers import exchange, path
from blindauc.sparsity import L0, GroupL0

RNG = np.random.default_rng(0)
N, P = 400, 6
IS_POSITIVE = np.isin(np.arange(N), RNG.choice(N, 40, replace=False))
X = RNG.normal(size=(N, P)) + 1.2 * (IS_POSITIVE[:, None] & (np.arange(P) < 3))
X[np.flatnonzero(IS_POSITIVE)[:5]] -= 3.0
X[:, 5] = np.round(X[:, 5])
WEIGHT = RNG.integers(0, 4, N).astype(float)


def as_it_is(X):
    return X


def on_device(values):
    """Where NumPy cannot look; `device/` has other libraries."""
    return strict.asarray(values, device=strict.Device("device1"))


def in_dask(X, is_positive, weight):
    """Partitions in threads of this process; `on_dask/` has clusters of several workers."""
    pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")
    import dask.array as da

    from blindauc.rows.dask import DaskRows

    return DaskRows.of(da.from_array(X, chunks=(61, P)), is_positive.astype(int), weight)


ENGINES = {
    "one block": partial(BlockParts.of, block_rows=N),
    "blocks": partial(BlockParts.of, block_rows=61),
    "a row each": partial(BlockParts.of, block_rows=1),
    "sparse blocks": lambda X, *labels: BlockParts.of(sp.csr_matrix(X), *labels, block_rows=61),
    "device": lambda *arrays: DeviceRows(*map(on_device, arrays)),
    "dask": in_dask,
    "derived columns": lambda X, *labels: DerivedParts(BlockParts.of(X, *labels, block_rows=61), as_it_is, P),
}
"""Names of engines, and what makes rows from X, a mask of positives and weights."""


@pytest.fixture(params=ENGINES, scope="module")
def engine(request):
    rows = ENGINES[request.param](X, IS_POSITIVE, WEIGHT)
    yield rows
    if hasattr(rows, "close"):
        rows.close()


@pytest.fixture
def view(engine):
    return PartedView.of(engine)


KEPT = WEIGHT > 0
MEMORY = MemoryRows.of(X[KEPT], IS_POSITIVE[KEPT], WEIGHT[KEPT])
COEF = RNG.normal(size=P)
_HAS_WEIGHT_OR_IS_UNLABELLED = KEPT | ~IS_POSITIVE
WITH_ROWS_OF_NO_WEIGHT = MemoryRows.of(*(each[_HAS_WEIGHT_OR_IS_UNLABELLED] for each in (X, IS_POSITIVE, WEIGHT)))
"""Rows in memory with the unlabelled rows without weight that parts keep, so that samples have the same places."""


def values(deferred):
    return np.concatenate(deferred.rows.total(Values(deferred.node)))


def test_scores_are_those_of_the_matrix(engine, view):
    a, b = view.scores(COEF)
    assert_allclose(a, X[IS_POSITIVE & KEPT] @ COEF, rtol=1e-12)
    assert_allclose(values(b), X @ COEF, rtol=1e-12)
    assert len(b) == engine.n_rows == N


def test_arithmetic_with_scores_is_that_of_arrays(view):
    _, b = view.scores(COEF)
    array = X @ COEF
    found = np.where(b > 0, np.exp(-np.abs(b)), 1 - b) / (1 + b**2) + np.ones_like(b)
    assert_allclose(values(found), np.where(array > 0, np.exp(-np.abs(array)), 1 - array) / (1 + array**2) + 1)
    assert_allclose(view.unl_share @ b, np.average(array, weights=np.where(IS_POSITIVE, 0, WEIGHT)))
    assert_allclose(np.zeros_like(b).sum(), 0.0)
    with pytest.raises(TypeError):
        np.sort(b)


def test_adjoint_is_that_of_the_matrix(view):
    by_pos = np.arange(view.n_positives) - 7.0
    _, b = view.scores(COEF)
    residual = np.zeros(N)
    residual[IS_POSITIVE & KEPT] = by_pos
    expected = X.T @ (residual + np.where(IS_POSITIVE, 0, WEIGHT) * (X @ COEF) / MEMORY.unl_weight.sum())
    assert_allclose(view.adjoint(by_pos, view.unl_share * b), expected)


def test_a_column_of_ones_and_some_columns(view):
    index = np.array([1, 4, P])
    rows, memory = (each.with_ones().columns(index) for each in (view, MEMORY))
    coef = np.array([1.0, -2.0, 0.5])
    for found, expected in zip(rows.scores(coef)[0], memory.scores(coef)[0], strict=True):
        assert_allclose(found, expected)
    assert_allclose(rows.spread, memory.spread)
    assert_allclose(rows.pos_mean, memory.pos_mean)
    assert_allclose(rows.unl_mean, memory.unl_mean, atol=1e-14)
    if not sp.issparse(rows.pos_matrix.X):  # of sparse columns the mean stands for the median
        assert_allclose(rows.pos_median(), memory.pos_median())
    by_pos = np.ones(view.n_positives)
    assert_allclose(rows.adjoint(by_pos, rows.unl_share), memory.adjoint(by_pos, memory.unl_share))


@pytest.mark.parametrize("scaling", SCALINGS)
def test_moments_and_quantiles(view, scaling):
    assert_allclose(view.scales(scaling), MEMORY.scales(scaling), rtol=1e-12)
    assert_allclose(view.unl_spread(COEF), MEMORY.unl_spread(COEF), rtol=1e-12)


def test_a_constant_score_has_a_spread_of_one(view):
    assert view.unl_spread(np.zeros(P)) == 1.0


def test_rows_are_taken_by_their_numbers(engine, view):
    index = np.array([0, 3, 61, 62, 200, N - 1])
    taken, weight = engine.take(index)
    assert_array_equal(taken.dense(), X[index])
    assert_array_equal(weight, WEIGHT[index])
    places = np.array([0, 10, 359])
    assert_array_equal(view.numbers_of_unlabelled(places), np.flatnonzero(~IS_POSITIVE)[places])
    few = view.subset(np.array([2, 5]), places)
    assert_array_equal(few.dense()[0], X[np.flatnonzero(IS_POSITIVE & KEPT)[[2, 5]]])
    assert_array_equal(few.dense()[1], X[np.flatnonzero(~IS_POSITIVE)[places]])


def test_a_sample_is_the_same_wherever_the_rows_are(view):
    in_blocks = PartedView.of(ENGINES["blocks"](X, IS_POSITIVE, WEIGHT))
    sample, expected = sample_of(view, 100), sample_of(in_blocks, 100)
    assert_array_equal(sample.row, expected.row)
    assert_array_equal(dense(sample.X), X[sample.row])
    assert_array_equal(sample.weight, WEIGHT[sample.row])
    assert_array_equal(sample.is_positive, IS_POSITIVE[sample.row])
    assert set(np.flatnonzero(IS_POSITIVE & KEPT)) <= set(sample.row)
    assert sample.is_unlabelled.sum() <= 100


def test_digests_are_those_of_the_matrix(engine):
    assert_array_equal(np.concatenate(engine.total(Digests(3))), row_digests(X, 3))


def test_positives_without_weight_and_those_left_out_are_not_looked_at(view):
    assert view.n_positives == (IS_POSITIVE & KEPT).sum()
    left_out = np.arange(view.n_positives) < 5
    kept = view.without(left_out)
    numbers = np.flatnonzero(IS_POSITIVE & KEPT)[5:]
    assert_allclose(kept.scores(COEF)[0], X[numbers] @ COEF)
    without = np.setdiff1d(np.flatnonzero(KEPT), np.flatnonzero(IS_POSITIVE & KEPT)[:5])
    expected = MemoryRows.of(X[without], IS_POSITIVE[without], WEIGHT[without])
    assert_allclose(kept.spread, expected.spread, rtol=1e-12)


def test_scores_out_of_range_are_seen(view):
    for size, expected in ((1.0, True), (1e14, True), (1e17, False), (np.nan, False)):
        coef = size * COEF
        assert view.are_within(coef, *view.scores(coef), 1e15) == expected


def blind_auc(loss):
    return BlindAUCRisk(get_loss(loss))


PROBLEMS = {
    "trimmed, selected": (blind_auc("logistic"), True, L0(P, 3)),
    "shifted": (blind_auc("logistic"), False, L0(P, P)),
    "groups": (blind_auc("squared_hinge"), True, GroupL0(np.array([0, 0, 1, 1, 2, 2]), 2)),
    "sigmoid": (blind_auc("sigmoid"), True, L0(P, 4)),
    "hinge": (blind_auc("hinge"), True, L0(P, P)),
    "PU error, paper": (PUErrorRisk.paper(get_loss("logistic"), 0.2), True, L0(P, 3).with_free_column()),
    "PU error, unbiased": (PUErrorRisk.unbiased(get_loss("logistic"), 0.2), True, L0(P, P).with_free_column()),
    "PU error, nonnegative": (NonnegativePURisk.of(get_loss("logistic"), 0.2), True, L0(P, P).with_free_column()),
}


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", ["blocks", "sparse blocks"])
def test_coefficients_are_those_of_rows_in_memory(name, problem):
    risk, trim, features = PROBLEMS[problem]
    ends = []
    for rows in (MEMORY, PartedView.of(ENGINES[name](X, IS_POSITIVE, WEIGHT))):
        objective = Objective(risk, rows, l2=0.1 * rows.scales("standard") ** 2, shift_l2=1e-2, trim=trim)
        ends.append(exchange(objective, features, L0(rows.n_positives, 4), max_swaps=3))
    expected, found = ends
    assert_array_equal(found.outliers, expected.outliers)
    assert_allclose(found.coef, expected.coef, rtol=0, atol=1e-10 * np.abs(expected.coef).max())


def test_the_same_where_a_hessian_sees_a_sample_of_the_rows():
    rng = np.random.default_rng(1)
    is_positive = np.arange(9000) < 300
    X = rng.normal(size=(9000, 5)) + is_positive[:, None]
    sources = MemoryRows.of(X, is_positive), PartedView.of(BlockParts.of(X, is_positive, block_rows=1000))
    objectives = (Objective(blind_auc("logistic"), rows, l2=0.01, trim=True) for rows in sources)
    expected, found = (exchange(objective, L0(5, 5), L0(300, 20)) for objective in objectives)
    assert_allclose(found.coef, expected.coef, rtol=1e-10)


@pytest.mark.parametrize("index", [None, [1, 4], [0, 2, P]])
def test_products_of_rows_with_each_other_and_sums_by_group(view, index):
    """Of all columns, of some, and with a column of ones."""
    rows, memory = view, MEMORY
    if index is not None:
        rows, memory = (each.with_ones().columns(np.array(index)) for each in (view, MEMORY))
    (a, b), (_, there) = MEMORY.scores(COEF), view.scores(COEF)
    by_unl = MEMORY.unl_share * b
    found, expected = rows.gram(a, view.unl_share * there, centred=False), memory.gram(a, by_unl, centred=False)
    assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    dense = np.vstack(memory.dense())
    assert_allclose(expected, dense.T @ (np.append(a, by_unl)[:, None] * dense), atol=1e-9)
    share, of_pos = MEMORY.shares(a < np.inf), np.arange(len(a)) % 3.0
    found = rows.sums_by_group(Grouped(of_pos, share), Grouped(np.floor(np.abs(there) % 3), view.unl_share), 3)
    expected = memory.sums_by_group(Grouped(of_pos, share), Grouped(np.floor(np.abs(b) % 3), MEMORY.unl_share), 3)
    for ours, theirs in zip(found, expected, strict=True):
        # About another point: what the groups weigh times the way from one to the other is between.
        assert_allclose(ours[:, -1], theirs[:, -1], rtol=1e-12)
        apart = ours[:, :-1] - theirs[:, :-1]
        assert_allclose(apart, ours[:, -1:] * (apart.sum(axis=0) / ours[:, -1].sum()), atol=1e-12)
    assert_allclose(rows.pos_rows(np.array([2, 5]), centred=False), memory.pos_rows(np.array([2, 5]), centred=False))


def few_are_many(monkeypatch):
    """As if hundreds of rows were millions, so that a sample is solved first."""
    for name, value in {"FEW": 100, "LEAST": 60, "SHRINK": 4, "WORTHWHILE": 3}.items():
        monkeypatch.setattr(sampling, name, value)


def test_a_sample_is_the_same_of_every_engine(view, monkeypatch):
    few_are_many(monkeypatch)
    found, expected = view.sample, WITH_ROWS_OF_NO_WEIGHT.sample
    assert found.n_positives == view.n_positives
    assert found.n_unlabelled == 90
    assert found.sample is None
    assert_allclose(found.spread, found.columns(np.arange(P)).spread)
    _, b = found.scores(COEF)
    scores = b if isinstance(b, np.ndarray) else values(b)[values(found.unl_share) > 0]
    there = expected.scores(COEF)[1]
    assert np.isin(np.round(scores, 8), np.round(there, 8)).all()


def test_few_rows_and_rows_of_which_most_are_positive_have_no_sample(view, monkeypatch):
    assert view.sample is None
    assert MEMORY.sample is None
    few_are_many(monkeypatch)
    assert sampling.sampled(1000, 400, P) is None
    assert len(sampling.sampled(10, 400, P)) == 100
    assert (np.diff(sampling.sampled(10, 4001, P)) > 0).all()


SAMPLED_PROBLEMS = {
    "plain": (L0(P, P), 0, True),
    "trimmed": (L0(P, 3), 5, True),
    "shifted": (L0(P, P), 3, False),
}


def sampled_fits():
    """Of blocks every problem by every solver, of other engines one of them; the remaining ones take long."""
    for name, solver, problem in product(ENGINES, (exchange, path), SAMPLED_PROBLEMS):
        is_quick = name == "blocks" or (name != "a row each" and (solver, problem) == (path, "trimmed"))
        yield pytest.param(name, solver, problem, marks=() if is_quick else pytest.mark.slow)


@pytest.mark.parametrize(("engine", "solver", "problem"), [*sampled_fits()], indirect=["engine"], scope="module")
def test_a_fit_that_begins_on_a_sample_is_that_of_rows_in_memory(view, solver, problem, monkeypatch):
    few_are_many(monkeypatch)
    monkeypatch.setattr("blindauc.objectives.restricted.MAX_EXACT_PAIRS", 1000)  # so that no Hessian is exact
    features, n_outliers, trim = SAMPLED_PROBLEMS[problem]
    ends = []
    for rows in (view, WITH_ROWS_OF_NO_WEIGHT):
        objective = Objective(BlindAUCRisk(get_loss("logistic")), rows, l2=0.1, trim=trim)
        assert objective.sample is not None
        ends.append(solver(objective, features, L0(view.n_positives, n_outliers)))
    assert ends[0].converged
    assert_allclose(ends[0].coef, ends[1].coef, rtol=1e-10, atol=1e-12)
    assert_array_equal(ends[0].outliers, ends[1].outliers)


@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=pytest.mark.slow if name == "a row each" else ()) for name in ENGINES],
    indirect=True,
    scope="module",
)
def test_a_fit_without_choices_does_not_depend_on_the_sample(view, monkeypatch):
    objective = Objective(BlindAUCRisk(get_loss("logistic")), view, l2=0.1)
    nothing = L0(P, P), L0(view.n_positives, 0)
    expected = exchange(objective, *nothing, tol=1e-9)
    few_are_many(monkeypatch)
    found = exchange(Objective(objective.risk, replace(view), l2=0.1), *nothing, tol=1e-9)
    assert_allclose(found.coef, expected.coef, rtol=1e-7)
    assert found.values == (found.value,)


def test_a_value_and_its_gradient_are_one_pass(monkeypatch):
    rows = BlockParts.of(X, IS_POSITIVE, WEIGHT, block_rows=61)
    for loss in ("logistic", "squared_hinge"):
        objective = Objective(BlindAUCRisk(get_loss(loss)), PartedView.of(rows), l2=0.1)
        nobody = np.zeros(objective.n_positives)
        objective.gradient(COEF, nobody)  # what is found once
        before = rows.n_visits
        objective.gradient(COEF / 2, nobody)
        assert rows.n_visits == before + 1
