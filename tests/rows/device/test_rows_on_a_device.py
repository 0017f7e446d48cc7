"""Labels, types and options of rows on a device: what is taken from either side, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest
import sklearn
from device_libraries import drawn, every_library, has_torch, needs_torch, on_device, strict, xp

from blindauc import BlindAUCClassifier
from blindauc.rows.device.engine import DevicePart
from blindauc.rows.device.inputs import is_on_device, rows_on_device
from blindauc.rows.device.libraries import Library
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import Part

if has_torch:
    import torch


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
