"""Measurements at irregular times as one row per record: one column per variable and window, grouped by variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.datasets.fetching import Folder
from blindauc.datasets.public import load_physionet2012

PHYSIONET_VARIABLES = (
    *("ALP", "ALT", "AST", "Albumin", "BUN", "Bilirubin", "Cholesterol", "Creatinine", "DiasABP", "FiO2", "GCS"),
    *("Glucose", "HCO3", "HCT", "HR", "K", "Lactate", "MAP", "MechVent", "Mg", "NIDiasABP", "NIMAP", "NISysABP"),
    *("Na", "PaCO2", "PaO2", "Platelets", "RespRate", "SaO2", "SysABP", "Temp", "TroponinI", "TroponinT", "Urine"),
    *("WBC", "Weight", "pH"),
)
"""The 37 time series of the PhysioNet Challenge 2012, without the general descriptors (age, sex, height, ward)."""

N_WINDOWS = 9
"""37 variables in 9 windows make 333 columns (convention)."""

MINUTES = 48 * 60
"""The length of the records: 48 hours."""


@dataclass(frozen=True)
class GroupedCohort:
    """Stays in intensive care, one row each.

    Attributes
    ----------
    X : ndarray of shape (n_stays, 333), NaN where nothing was measured
    columns : the names of the columns, such as "HR window 3"
    groups : ndarray with the variable number of each column
    died : mask of shape (n_stays,), in-hospital death
    """

    X: Floats
    columns: tuple[str, ...]
    groups: Ints
    died: Bools


def binned(
    record: Any,
    variable: Any,
    time: Any,
    value: Any,
    *,
    records: Any,
    variables: Any,
    n_windows: int,
    span: float,
) -> tuple[Floats, tuple[str, ...], Ints]:
    """Average each variable of each record within windows of equal length.

    Measurements of other records or variables, at times outside of [0, `span`], or without a value are ignored.

    Parameters
    ----------
    record, variable, time, value : array-like of shape (n_measurements,)
    records, variables : array-like
        The distinct records and variables to return, in this order.
    n_windows : int
        The number of consecutive windows; the last one includes `span`.
    span : float

    Returns
    -------
    X : ndarray of shape (n_records, n_variables * n_windows)
        All windows of the first variable, then those of the second, ...; NaN if there is no measurement.
    columns : tuple of str
    groups : ndarray
        The variable number of each column.

    Examples
    --------
    >>> from blindauc.features.longitudinal import binned
    >>> X, columns, groups = binned(
    ...     [7, 7, 7, 8], ["HR", "HR", "Temp", "HR"], [1, 2, 40, 48], [80, 90, 37, 70],
    ...     records=[7, 8], variables=["HR", "Temp"], n_windows=2, span=48,
    ... )
    >>> X
    array([[85., nan, nan, 37.],
           [nan, 70., nan, nan]])
    >>> columns[1], groups.tolist()
    ('HR window 2', [0, 0, 1, 1])
    """
    time, value = np.asarray(time, dtype=np.float64), np.asarray(value, dtype=np.float64)
    row, kind = _places(record, records), _places(variable, variables)
    is_used = (row >= 0) & (kind >= 0) & (time >= 0) & (time <= span) & np.isfinite(value)
    window = np.minimum(time[is_used] * n_windows // span, n_windows - 1).astype(np.intp)
    shape = len(records), len(variables), n_windows
    cell = np.ravel_multi_index((row[is_used], kind[is_used], window), shape)
    count = np.bincount(cell, minlength=np.prod(shape))
    total = np.bincount(cell, value[is_used], minlength=np.prod(shape))
    X = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    columns = tuple(f"{name} window {number}" for name in variables for number in range(1, n_windows + 1))
    return X.reshape(len(records), -1), columns, np.repeat(np.arange(len(variables)), n_windows)


def physionet_cohort(part: str = "a", data_folder: Folder | None = None) -> GroupedCohort:
    """The stays of the PhysioNet Challenge 2012: 37 variables in 9 windows of the first 48 hours.

    Negative values stand for an unknown weight or a broken thermometer and count as missing. Artificial ventilation
    is only ever recorded as on; where it is not, it is taken to be off.

    Parameters
    ----------
    part : {"a", "b"}
    data_folder : path, optional

    Returns
    -------
    GroupedCohort
        In the order of the record numbers.

    Examples
    --------
    >>> from blindauc.features.longitudinal import physionet_cohort
    >>> cohort = physionet_cohort("a")  # doctest: +SKIP
    >>> cohort.X.shape, int(cohort.died.sum())  # doctest: +SKIP
    ((4000, 333), 554)
    """
    care = load_physionet2012(part, data_folder)
    table, died = care.measurements, care.died.sort_index()
    X, columns, groups = binned(
        table["RecordID"],
        table["Parameter"],
        table["Time"],
        table["Value"].where(table["Value"] >= 0),
        records=died.index,
        variables=PHYSIONET_VARIABLES,
        n_windows=N_WINDOWS,
        span=MINUTES,
    )
    ventilation = groups == PHYSIONET_VARIABLES.index("MechVent")
    X[:, ventilation] = np.nan_to_num(X[:, ventilation])
    return GroupedCohort(X, columns, groups, died.to_numpy())


def _places(labels: Any, wanted: Any) -> Ints:
    """The index of each label among those wanted; -1 if it is not among them."""
    place_of = {label: place for place, label in enumerate(np.asarray(wanted).tolist())}
    return np.array([place_of.get(label, -1) for label in np.asarray(labels).tolist()], dtype=np.intp)
