"""Rows on a device give the numbers of rows in memory, and stay there."""

import numpy as np
import pytest
from device_libraries import drawn, every_library, has_gpu, needs_torch, on_device, tensor
from instances import LOSSES, RISKS
from numpy.testing import assert_allclose

from blindauc.objectives import Objective
from blindauc.pairwise import cells
from blindauc.pairwise.cells import CellSummary
from blindauc.pairwise.sorting import SortedSummary
from blindauc.risks import BlindAUCRisk
from blindauc.rows.device.inputs import is_on_device
from blindauc.rows.device.libraries import Library, Traffic, library_of
from blindauc.rows.device.matrix import DeviceMatrix
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import BlockParts
from blindauc.rows.tasks import Digests, Extremes, LargestSize, Moments, WeightsUpTo
from blindauc.rows.view import PartedView
from blindauc.solvers import exchange
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0


def difference(risk, X, is_positive, weight, there, features, n_outliers=0, **options):
    """Of the coefficients on the device from those in memory, relative to the largest."""
    n_pos = is_positive.sum()
    coefs = []
    for rows in (MemoryRows.of(X, is_positive, weight), PartedView.of(on_device(there, X, is_positive, weight))):
        allowed = features.with_free_column() if risk.has_intercept else features
        objective = Objective(risk, rows, l2=0.1 * rows.scales("standard") ** 2, **options)
        coefs.append(exchange(objective, allowed, L0(n_pos, n_outliers), max_swaps=1).coef)
    return abs(coefs[1] - coefs[0]).max() / abs(coefs[0]).max()


@every_library
@pytest.mark.parametrize("name", RISKS)
def test_coefficients_of_every_loss_and_risk_are_those_in_memory(name, there):
    X, is_positive, weight = drawn(90, 3, 15)
    assert difference(RISKS[name].risk, X, is_positive, weight, there, AllFeatures(3)) <= 1e-8


PROBLEMS = {
    "trimmed outliers, selected columns": ("logistic", L0(5, 2), {"trim": True}),
    "shifted outliers": ("logistic", AllFeatures(5), {"trim": False}),
    "groups": ("logistic", GroupL0(np.array([0, 0, 1, 1, 2]), 1), {"trim": True}),
    "within groups": ("squared_hinge", ExclusiveL0(np.array([0, 0, 1, 1, 2]), 1), {"trim": True}),
    "no outliers": ("sigmoid", L0(5, 3), {}),
}


@every_library
@pytest.mark.parametrize(("dtype", "bar"), [(np.float64, 1e-8), (np.float32, 1e-5)])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_coefficients_of_every_problem_are_those_in_memory(problem, dtype, bar, there):
    loss, features, options = PROBLEMS[problem]
    X, is_positive, weight = drawn(dtype=dtype)
    risk = BlindAUCRisk(LOSSES[loss])
    assert difference(risk, X, is_positive, weight, there, features, 2 * bool(options), **options) <= bar


@pytest.mark.skipif(not has_gpu, reason="there is no CUDA device")
@pytest.mark.parametrize("shape", [(20_000, 3), (9_001, 130), (5, 1000)])
def test_products_of_large_float32_matrices_are_in_float64(shape, monkeypatch):
    """More rows than a program adds up, more columns than it holds, and neither."""
    from blindauc.rows.device import torch as device_torch

    monkeypatch.setattr(device_torch, "MAX_WIDENED", 0)
    rng = np.random.default_rng(0)
    X, coef, residual = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1]), rng.normal(size=shape[0])
    matrix = DeviceMatrix(tensor("cuda")(X))
    assert matrix.library._kernels(matrix.X) is not None
    assert_allclose(matrix.library.to_host(matrix.scores(coef)), X @ coef, rtol=1e-12, atol=1e-12)
    assert_allclose(matrix.adjoint(tensor("cuda")(residual))[:-1], X.T @ residual, rtol=1e-11, atol=1e-11)
    origin, weight = X[0].astype(np.float64), residual**2
    apart = X - origin
    expected = np.stack([weight @ apart, weight @ apart**2])
    assert_allclose(matrix.moments(tensor("cuda")(weight), origin), expected, rtol=1e-11)


@needs_torch
def test_without_kernels_matrices_are_widened(monkeypatch):
    from blindauc.rows.device import torch as device_torch

    monkeypatch.setattr(device_torch, "import_module", None)
    device_torch._triton_kernels.cache_clear()
    with pytest.warns(UserWarning, match="Triton kernels cannot be compiled .* five times as long. Install triton"):
        assert device_torch._triton_kernels() is None
    device_torch._triton_kernels.cache_clear()


@every_library
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [True, False])
def test_what_parts_are_asked_for_is_what_memory_answers(there, dtype, weighted):
    X, is_positive, weight = drawn(dtype=dtype)
    weight = weight if weighted else None
    rows, memory = on_device(there, X, is_positive, weight), BlockParts.of(X, is_positive, weight)
    coef = np.arange(1.0, 6)
    assert rows.n_rows == 150
    assert rows.n_features == 5
    assert_allclose(rows.positives, memory.positives)
    edges = np.sort(np.random.default_rng(1).normal(size=(9, 5)), axis=0)
    edges[4] = np.sort(X[:5, :], axis=0)[2]  # some values are edges
    edges.sort(axis=0)
    for task in (Moments(X[0].astype(float)), WeightsUpTo(edges)):
        assert_allclose(rows.total(task), memory.total(task), rtol=1e-12, atol=1e-12)
    assert (rows.total(Extremes()) == memory.total(Extremes())).all()
    assert (rows.total(Digests(3))[0] == np.concatenate(memory.total(Digests(3)))).all()
    b, c = rows.at(coef, 0.5), memory.at(coef, 0.5)
    assert_allclose(rows.adjoint(b), memory.adjoint(c), rtol=1e-12, atol=1e-12)
    assert rows.total(LargestSize(b.node), max) == pytest.approx(memory.total(LargestSize(c.node), max), rel=1e-13)
    assert_allclose(rows.unlabelled_weights(2.0).sum(), memory.unlabelled_weights(2.0).sum())
    for index in (np.array([3, 70, 149]), rows.positives):
        (taken, of_taken), (known, of_known) = rows.take(index), memory.take(index)
        assert (taken.X == known.X).all()
        assert (of_taken == of_known).all()
        assert_allclose(taken.scores(coef), known.scores(coef), rtol=1e-13)
        assert_allclose(taken.adjoint(of_known), known.adjoint(of_known), rtol=1e-12, atol=1e-12)
        assert_allclose(taken.rows(np.array([2, 0])).scores(coef), known.scores(coef)[[2, 0]], rtol=1e-13)


FUNCTIONS = {
    "exp": lambda x: np.exp(x / 4),
    "log1p": lambda x: np.log1p(np.abs(x)),
    "sqrt": lambda x: np.sqrt(np.maximum(x, 0.25)),
    "power": lambda x: x**2 + np.minimum(x, 1.0) ** 3,
    "divide": lambda x: -x / (1 + x * x) - 2 / (3 + x * x),
    "tanh": lambda x: np.tanh(x / 2),
    "where": lambda x: np.where(x > 0, x, -1.0) + np.where(x <= 0, 1.0, 0.0),
    "in place": lambda x: _in_place(x + 1),
    "like": lambda x: np.zeros_like(x) + 2 * np.ones_like(x),
    "number of NumPy": lambda x: np.float64(3) * x + np.int64(2),
}


def _in_place(x):
    x /= 3
    x *= 2
    return x


@every_library
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numbers_do_the_same_there(name, there):
    X, is_positive, _ = drawn()
    coef = np.arange(1.0, 6)
    function = FUNCTIONS[name]
    rows = on_device(there, X, is_positive)
    found = rows.part.to_host(function(rows.at(coef)).node(rows.part))
    assert found.dtype == np.float64
    assert_allclose(found, function(X @ coef), rtol=1e-13, atol=1e-14)


@every_library
@pytest.mark.parametrize("span", [1.0, 60.0, 1e5])
@pytest.mark.parametrize("loss", LOSSES)
def test_sums_over_pairs_are_those_of_the_host(loss, span, there, monkeypatch):
    monkeypatch.setattr(cells, "MAX_CELLS", 5)
    monkeypatch.setattr(Library, "block_rows", 40)
    rng = np.random.default_rng(0)
    scores, weight, targets = span * rng.normal(size=130), rng.random(130), span * rng.normal(size=70)
    kind = CellSummary if loss in ("logistic", "sigmoid") else SortedSummary
    here, elsewhere = kind.of(scores, weight), kind.of(there(scores), there(weight))
    for order in (0, 1, 2):
        expected = here.sums(LOSSES[loss], order, 1, targets)
        # Where kinks are rounded off, sums of squares cancel: their rounding is what is left.
        bend = abs(LOSSES[loss].curvature(np.linspace(-5, 5, 1001))).max()
        squares = bend * weight.sum() * abs(np.append(scores, targets)).max() ** 2
        tolerance = {"rtol": 1e-10, "atol": 1e-12 * max(abs(expected).max(), 1) + np.finfo(float).eps * squares}
        by_device = here.sums(LOSSES[loss], order, 1, there(targets))
        assert_allclose(elsewhere.sums(LOSSES[loss], order, 1, targets), expected, **tolerance)
        assert is_on_device(by_device)
        assert_allclose(library_of(by_device).to_host(by_device), expected, **tolerance)
    assert elsewhere.total == pytest.approx(here.total, rel=1e-13)


@every_library
@pytest.mark.parametrize("name", ["auc_logistic", "auc_sigmoid", "auc_hinge", "paper_logistic", "nonnegative_sigmoid"])
def test_a_gradient_moves_a_number_for_each_positive_and_few_more(name, there):
    X, is_positive, weight = drawn(4000, 3, 100)
    rows = PartedView.of(on_device(there, X, is_positive, weight))
    objective = Objective(RISKS[name].risk, rows, l2=0.1)
    shift = np.zeros(rows.n_positives)
    objective.gradient(np.full(objective.n_columns, 0.1), shift)  # what is found once
    before = Traffic.n_entries
    objective.gradient(np.full(objective.n_columns, 0.2), shift)
    moved = Traffic.n_entries - before
    assert 100 <= moved < 100 * (3 if name == "auc_hinge" else 1) + 1000
