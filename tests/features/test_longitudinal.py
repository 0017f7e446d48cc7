"""Windows against the obvious loop; the intensive care cohort as its description says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import DATA

from blindauc.datasets import load_physionet2012
from blindauc.features.longitudinal import PHYSIONET_VARIABLES, binned, physionet_cohort


def binned_slowly(record, variable, time, value, records, variables, n_windows, span):
    X = np.full((len(records), len(variables) * n_windows), np.nan)
    for i, wanted_record in enumerate(records):
        for v, wanted in enumerate(variables):
            for w in range(n_windows):
                start, end = w * span / n_windows, (w + 1) * span / n_windows
                values = [
                    x
                    for r, k, t, x in zip(record, variable, time, value, strict=True)
                    if r == wanted_record and k == wanted and not np.isnan(x)
                    if start <= t < end or t == end == span
                ]
                if values:
                    X[i, v * n_windows + w] = np.mean(values)
    return X


measurement = st.tuples(
    st.sampled_from([11, 5, 7, 99]),
    st.sampled_from(["HR", "Temp", "pH", "Age"]),
    st.integers(-4, 50).map(lambda quarters: quarters / 4),
    st.one_of(st.just(np.nan), st.floats(-100, 100)),
)


@given(rows=st.lists(measurement, max_size=60), n_windows=st.sampled_from([1, 2, 3, 4, 6, 12]))
def test_as_the_slow_loop(rows, n_windows):
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    wanted = {"records": [7, 5, 11, 8], "variables": ["pH", "HR", "Temp"]}
    X, names, groups = binned(*columns, **wanted, n_windows=n_windows, span=12)
    slow = binned_slowly(*columns, **wanted, n_windows=n_windows, span=12)
    np.testing.assert_allclose(X, slow, atol=1e-12)
    assert len(names) == len(groups) == X.shape[1]


def test_names_and_groups():
    _, columns, groups = binned([], [], [], [], records=[1], variables=["HR", "pH"], n_windows=3, span=48)
    assert columns == tuple(f"{name} window {w}" for name in ("HR", "pH") for w in (1, 2, 3))
    assert groups.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_physionet_cohort():
    cohort = physionet_cohort("a", DATA)
    assert cohort.X.shape == (4000, 333)
    assert len(set(cohort.columns)) == 333
    assert np.bincount(cohort.groups).tolist() == [9] * 37
    assert cohort.died.sum() == 554
    assert np.nanmin(cohort.X) >= 0
    ventilation = cohort.X[:, cohort.groups == PHYSIONET_VARIABLES.index("MechVent")]
    assert set(np.unique(ventilation)) == {0.0, 1.0}

    care = load_physionet2012("a", DATA)
    assert set(PHYSIONET_VARIABLES) == set(care.measurements["Parameter"].unique()) - {
        "RecordID",
        "Age",
        "Gender",
        "Height",
        "ICUType",
    }
    rng = np.random.default_rng(0)
    numbers = np.sort(care.died.index.to_numpy())
    np.testing.assert_array_equal(cohort.died, care.died[numbers])
    rows = rng.choice(4000, 3, replace=False)
    variables = ["HR", "Temp", "Weight", "Urine"]
    some = care.measurements
    some = some[some["RecordID"].isin(numbers[rows]) & some["Parameter"].isin(variables)]
    some = some[some["Value"] >= 0]
    columns = (some[name].tolist() for name in ("RecordID", "Parameter", "Time", "Value"))
    slow = binned_slowly(*columns, numbers[rows], variables, 9, 48 * 60)
    places = [cohort.columns.index(f"{name} window {w}") for name in variables for w in range(1, 10)]
    np.testing.assert_allclose(cohort.X[np.ix_(rows, places)], slow)
