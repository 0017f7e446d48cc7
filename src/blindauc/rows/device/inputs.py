"""Validation of arrays on a device that users pass to `fit`.

As in scikit-learn, arrays of other libraries than NumPy are processed where they are only if
`sklearn.set_config(array_api_dispatch=True)` was called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config

from blindauc.labels import Labels, read_labels
from blindauc.rows.device.engine import DeviceRows, explaining_out_of_memory
from blindauc.rows.device.libraries import Array, Library, library_of
from blindauc.rows.numbers import LARGEST

MAX_LABELS = 1000
"""The most distinct labels that are copied to the host (convention); two are expected."""


def is_on_device(X: Any) -> bool:
    """Whether X is an array of another library than NumPy: those of the array API standard have a `device`."""
    return (
        not isinstance(X, np.ndarray | np.generic)
        and hasattr(X, "device")
        and hasattr(X, "dtype")
        and hasattr(X, "shape")
    )


def rows_on_device(X: Any, y: Any, sample_weight: Any = None, *, pos_label: Any = None) -> DeviceRows:
    """Validated rows on the device of X.

    Parameters
    ----------
    X : array of shape (n, p), of torch, CuPy or another library with the array API standard
        Arrays of float64 and float32 are not copied; whole numbers become float64.
    y : array of shape (n,), on the device or on the host
        1, True or `pos_label` for labelled positives; 0, -1, False or NaN for unlabelled rows.
    sample_weight : array of shape (n,), on the device or on the host, optional
    pos_label : int, float, bool or str, optional
        The label of positives; by default the larger of the two.

    Returns
    -------
    DeviceRows
        With `classes`.
    """
    if not get_config()["array_api_dispatch"]:
        raise ValueError(
            f"X is an array of {type(X).__module__.partition('.')[0]}, and scikit-learn is not configured to use such "
            "arrays: set the environment variable SCIPY_ARRAY_API=1 before Python starts, and call "
            "sklearn.set_config(array_api_dispatch=True); or pass a NumPy array."
        )
    library = library_of(X)
    X = library.plain(X)
    with explaining_out_of_memory(X):
        X = _checked_matrix(X, library)
        is_positive, classes = _labels(y, X.shape[0], library, pos_label)
        rows = DeviceRows(X, is_positive, _checked_weight(sample_weight, X.shape[0], library))
    rows.classes = classes
    return rows


def _checked_matrix(X: Array, library: Library) -> Array:
    if len(X.shape) != 2 or 0 in X.shape:
        raise ValueError(
            f"X must be a matrix with at least one row and one column, but its shape is {tuple(X.shape)}: reshape it "
            "with X.reshape(-1, 1) if it is one column."
        )
    xp = library.xp
    if not library.is_dense(X):
        raise ValueError("X is sparse and on a device, which is not supported: pass X.to_dense(), or a SciPy matrix.")
    if xp.isdtype(X.dtype, ("bool", "integral")):
        return library.floats(X)
    if X.dtype not in (xp.float32, xp.float64):
        raise ValueError(f"X is {X.dtype}, which loses digits in sums or is not a real number: convert it to float32.")
    low, high = library.extremes(X)
    _refuse("X", low, high)
    largest = max(-low, high)
    if largest > LARGEST:
        raise ValueError(
            f"X has values up to {largest:.1e}, too large to square: rescale the columns to below "
            f"{LARGEST:.0e}, for example with StandardScaler or by choosing other units."
        )
    return X


def _refuse(name: str, low: float, high: float) -> None:
    """Raise if the extremes of an array show that some value is not finite. With a NaN, both are NaN."""
    if np.isnan(low) or np.isnan(high):
        raise ValueError(f"Input {name} contains NaN: impute missing values, or drop these rows.")
    if np.isinf(low) or np.isinf(high):
        raise ValueError(f"Input {name} contains infinity: replace it, or drop these rows.")


def _labels(y: Any, n_rows: int, library: Library, pos_label: Any) -> Labels:
    """Mask of the positive rows, on the device, and the classes."""
    if y is None:
        raise ValueError("y was expected and is None: y marks the labelled positives.")
    if not is_on_device(y):
        is_positive, classes = read_labels(y, pos_label)
        _check_length("y", len(is_positive), n_rows)
        return Labels(library.asarray(is_positive), classes)
    y = _vector("y", y, n_rows, library)
    xp = library.xp
    is_missing = xp.isnan(y) if xp.isdtype(y.dtype, "real floating") else None
    given = y if is_missing is None else y[~is_missing]
    values = xp.unique_values(given)
    if values.shape[0] > MAX_LABELS:
        raise ValueError(
            f"y holds {values.shape[0]} different values: two were expected, one for labelled positives and one (or "
            "missing) for unlabelled rows. Recode it as `y == positive`."
        )
    # Only the distinct labels are copied to the host, and read as if they were y.
    different = library.to_host(values)
    if values.shape[0] < n_rows and is_missing is not None:
        different = np.append(different, np.nan) if given.shape[0] < n_rows else different
    is_positive, classes = read_labels(different, pos_label)
    return Labels(y == different[is_positive][0].item(), classes)


def _checked_weight(weight: Any, n_rows: int, library: Library) -> Array | None:
    if weight is None:
        return None
    if not is_on_device(weight):
        values = np.asarray(weight, dtype=np.float64)
        weight = library.asarray(np.full(n_rows, values) if values.ndim == 0 else values)
    weight = library.floats(_vector("sample_weight", weight, n_rows, library))
    low, high = library.extremes(weight)
    _refuse("sample_weight", low, high)
    if low < 0:
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: the least is {low:g}, at least 0 is needed."
        )
    return weight


def _vector(name: str, array: Array, n_rows: int, library: Library) -> Array:
    own = library_of(array)
    if own is not library:
        raise ValueError(f"{name} is on {own.device} and X on {library.device}: move it there, or pass a NumPy array.")
    array = library.plain(array)
    if len(array.shape) == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if len(array.shape) != 1:
        raise ValueError(
            f"{name} must hold one number for each row: expected shape ({n_rows},), got {tuple(array.shape)}."
        )
    _check_length(name, array.shape[0], n_rows)
    return array


def _check_length(name: str, n: int, n_rows: int) -> None:
    if n != n_rows:
        raise ValueError(f"X and {name} must have as many rows as each other: X has {n_rows}, {name} {n}.")
