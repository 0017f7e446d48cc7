"""The libraries whose arrays may be on a device, where they are installed, and rows for them."""

from importlib.util import find_spec

import numpy as np
import pytest

from blindauc.rows.device.engine import DeviceRows

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
