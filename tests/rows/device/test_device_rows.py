"""Rows on a device give the numbers of rows in memory, and stay there.

`array_api_strict` stands for a device in `make test`: its arrays refuse what is not in the standard, and those on its
"device1" refuse to become NumPy's by themselves. `make test-torch` runs the same on tensors.
"""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
import sklearn
from instances import LOSSES, RISKS
from numpy.testing import assert_allclose

from blindauc import BlindAUCClassifier
from blindauc.objectives import Objective
from blindauc.pairwise import cells
from blindauc.pairwise.cells import CellSummary
from blindauc.pairwise.sorting import SortedSummary
from blindauc.risks import BlindAUCRisk
from blindauc.rows.device.engine import DevicePart, DeviceRows
from blindauc.rows.device.inputs import is_on_device, rows_on_device
from blindauc.rows.device.libraries import Library, Traffic, library_of
from blindauc.rows.device.matrix import DeviceMatrix
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import BlockParts, Part
from blindauc.rows.tasks import Digests, Extremes, LargestSize, Moments, WeightsUpTo
from blindauc.rows.view import PartedView
from blindauc.solvers import exchange
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0

xp = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed: make install")

has_torch = find_spec("torch") is not None
if has_torch:
    import torch
has_gpu = has_torch and torch.cuda.is_available()


def strict(values):
    return xp.asarray(values, device=xp.Device("device1"))


def tensor(device):
    return lambda values: torch.as_tensor(values, device=device)


LIBRARIES = {
    "array_api_strict": pytest.param(strict, id="array_api_strict"),
    "torch": pytest.param(
        tensor("cpu"), id="torch", marks=pytest.mark.skipif(not has_torch, reason="needs torch: make test-torch")
    ),
    "cuda": pytest.param(
        tensor("cuda"), id="cuda", marks=pytest.mark.skipif(not has_gpu, reason="there is no CUDA device")
    ),
}
every_library = pytest.mark.parametrize("there", LIBRARIES.values())
needs_torch = pytest.mark.skipif(not has_torch, reason="needs torch: make test-torch")


def drawn(n=150, p=5, n_pos=25, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X, is_positive = rng.normal(size=(n, p)), np.arange(n) % (n // n_pos) == 2
    X[is_positive, :2] += 1
    X[np.flatnonzero(is_positive)[:2]] -= 3
    return X.astype(dtype), is_positive, rng.integers(1, 4, n).astype(float)


def on_device(there, X, is_positive, weight=None):
    return DeviceRows(there(X), there(is_positive), None if weight is None else there(weight))


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


@pytest.fixture
def dispatched(monkeypatch):
    """scikit-learn as users of devices configure it."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield


@every_library
@pytest.mark.usefixtures("dispatched")
def test_labels_and_weights_may_be_on_either_side(there):
    X, is_positive, weight = drawn()
    expected = MemoryRows.of(X, is_positive, weight)
    unlabelled = np.where(is_positive, 1.0, np.nan)
    for y in (is_positive, is_positive.astype(int), unlabelled, np.where(is_positive, 3, -1)):
        for labels, weights in ((y, weight), (there(y), there(weight)), (there(y)[:, None], weight.tolist())):
            rows = rows_on_device(there(X), labels, weights)
            assert (rows.positives == expected.pos).all()
            assert (rows.part.to_host(rows.part.weight) == weight).all()
            assert rows.classes[1] == y.max() if y is not unlabelled else rows.classes.tolist() == [0, 1]
    reversed_ = rows_on_device(there(X), there(is_positive.astype(int)), pos_label=0)
    assert len(reversed_.positives) == 150 - len(expected.pos)


@every_library
@pytest.mark.usefixtures("dispatched")
def test_whole_numbers_become_floats_and_floats_stay(there):
    X, is_positive, _ = drawn()
    for dtype, kept in ((np.int32, np.float64), (np.bool_, np.float64), (np.float32, np.float32)):
        rows = rows_on_device(there((3 * X).astype(dtype)), is_positive)
        assert rows.part.to_host(rows.part.X).dtype == kept


def _with(value):
    X = drawn()[0]
    X[7, 3] = value
    return X


WRONG = {
    "NaN": (lambda there: {"X": there(_with(np.nan))}, "X contains NaN: impute"),
    "infinity": (lambda there: {"X": there(_with(-np.inf))}, "X contains infinity"),
    "large": (lambda there: {"X": there(_with(1e120))}, "up to 1.0e[+]120, too large to square: rescale"),
    "complex": (lambda there: {"X": there(_with(1.0) + 0j)}, "complex128.* convert it to float32"),
    "vector": (lambda there: {"X": there(_with(1.0)[:, 0])}, r"must be a matrix .* shape is \(150,\)"),
    "short y": (lambda there: {"y": there(drawn()[1][:-1])}, "X has 150, y 149"),
    "short y here": (lambda there: {"y": drawn()[1][:-1]}, "X has 150, y 149"),
    "no y": (lambda there: {"y": None}, "y marks the labelled positives"),
    "many labels": (lambda there: {"y": there(np.arange(150) % 3)}, "Only binary classification"),
    "very many labels": (lambda there: {"y": there(np.arange(150))}, "y holds 150 different values: two were"),
    "no positives": (lambda there: {"y": there(np.zeros(150))}, "no positive class"),
    "wide y": (lambda there: {"y": there(np.zeros((150, 2)))}, "y must hold one number for each row"),
    "y elsewhere": (lambda there: {"y": xp.asarray(drawn()[1])}, "y is on .* and X on .*: move it there"),
    "negative weight": (lambda there: {"sample_weight": there(drawn()[2] - 2)}, "Negative values .* least is -1"),
    "weight NaN": (lambda there: {"sample_weight": there(np.full(150, np.nan))}, "sample_weight contains NaN"),
    "short weight": (lambda there: {"sample_weight": np.ones(3)}, "X has 150, sample_weight 3"),
}


@every_library
@pytest.mark.parametrize("what", WRONG)
@pytest.mark.usefixtures("dispatched")
def test_bad_input_is_told_of(what, there, monkeypatch):
    monkeypatch.setattr("blindauc.rows.device.inputs.MAX_LABELS", 100)
    make, message = WRONG[what]
    X, is_positive, weight = drawn()
    arguments = {"X": there(X), "y": there(is_positive), "sample_weight": there(weight)} | make(there)
    with pytest.raises(ValueError, match=message):
        rows_on_device(**arguments)


@needs_torch
@pytest.mark.usefixtures("dispatched")
def test_half_precision_sparse_tensors_and_graphs():
    X, is_positive, _ = drawn()
    X = torch.as_tensor(X)
    for half in (torch.float16, torch.bfloat16):
        with pytest.raises(ValueError, match=r"float16, which loses digits .* convert it to float32"):
            rows_on_device(X.to(half), is_positive)
    with pytest.raises(ValueError, match=r"X is sparse .* pass X.to_dense"):
        rows_on_device(X.to_sparse(), is_positive)
    rows = rows_on_device(X.requires_grad_(), is_positive)
    assert not rows.part.X.requires_grad


def test_without_dispatch_the_error_says_how_to_allow_it():
    X, is_positive, _ = drawn()
    with pytest.raises(ValueError, match=r"array_api_strict.* SCIPY_ARRAY_API=1 .*set_config.array_api_dispatch=True"):
        rows_on_device(strict(X), is_positive)
    assert is_on_device(strict(X))
    assert not any(map(is_on_device, (X, X.tolist(), np.float64(1), None)))


@pytest.mark.usefixtures("dispatched")
def test_only_linear_scores_are_fitted_on_a_device():
    X, is_positive, _ = drawn()
    for shape in ("curves", "kernel", "trees"):
        with pytest.raises(ValueError, match=rf'shape="{shape}" is not computed on a device: pass X as a NumPy array'):
            BlindAUCClassifier(shape=shape).fit(strict(X), is_positive)


def test_a_device_without_room_says_what_takes_it(monkeypatch):
    class NoRoom(Exception):
        pass

    def full(part):
        raise NoRoom

    X, is_positive, _ = drawn()
    monkeypatch.setattr(Library, "out_of_memory", (NoRoom,))
    for dtype, remedy in ((np.float64, "Pass X as float32, or with fewer columns"), (np.float32, "Pass X with fewer")):
        rows = on_device(strict, X.astype(dtype), is_positive)
        with pytest.raises(MemoryError, match=rf"ran out of memory: X of 150 x 5 .* {remedy}.* on disk"):
            rows.results(full)


def test_recorded_functions_work_as_scikit_learn_wants_scipy():
    """With SCIPY_ARRAY_API, functions of scipy.special take arrays alone."""
    code = (
        "import array_api_strict as xp, numpy as np\n"
        "from blindauc.losses import LOSSES\n"
        "from blindauc.rows.device.engine import DeviceRows\n"
        "X = np.linspace(-800, 800, 9)[:, None]\n"
        "rows = DeviceRows(xp.asarray(X, device=xp.Device('device1')), xp.asarray(X[:, 0] > 0))\n"
        "scores = rows.at(np.ones(1))\n"
        "for name in LOSSES:\n"
        "    for order in (0, 1, 2):\n"
        "        found = LOSSES[name].derivative_of_order(order, scores).node(rows.part)\n"
        "        expected = LOSSES[name].derivative_of_order(order, X[:, 0])\n"
        "        assert np.allclose(rows.part.to_host(found), expected, rtol=1e-13, atol=1e-300), (name, order)\n"
    )
    environment = {"SCIPY_ARRAY_API": "1", "PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=environment)


def test_a_part_on_a_device_has_the_methods_of_a_part():
    assert {name for name in vars(Part) if not name.startswith("_")} <= set(dir(DevicePart))
