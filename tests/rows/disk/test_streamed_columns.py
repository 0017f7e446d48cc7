"""Columns counted row by row are those of a table in memory: kinds, reasons, fills and categories."""

import datetime
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mixed_tables import FAULTS, KINDS, mixed_frame

from blindauc.datasets.tables import read_table
from blindauc.preprocessing import column_kinds, feature_groups, group_names, make_preprocessor
from blindauc.preprocessing.dates import DATE_FORMATS, date_format_of
from blindauc.preprocessing.streamed import StreamedColumn, _last_day, streamed_preprocessor
from blindauc.rows.disk.cells import numbers_in_column
from blindauc.rows.disk.medians import MedianSearch, RowSample
from blindauc.rows.disk.numbers import Distinct, NumberColumn, hashes_of_numbers
from blindauc.rows.disk.parquet import ParquetRows
from blindauc.rows.disk.size import Budget


def same_kinds(streamed, in_memory):
    return [(name, each.kind, each.reason) for name, each in streamed.items()] == [
        (name, each.kind, each.reason) for name, each in in_memory.items()
    ]


def wide_frame(rng, n):
    frame = mixed_frame(rng, n).astype(dict.fromkeys(("race", "age", "smokes", "day", "code"), "string"))
    frame["visit"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**8, n), unit="s")
    frame.loc[5, "visit"] = None
    frame["stay"] = pd.to_timedelta(rng.integers(0, 10**6, n), unit="s")
    frame["birth"] = [datetime.date(1950, 1, 1) + datetime.timedelta(int(days)) for days in rng.integers(0, 20_000, n)]
    frame["flag"] = rng.random(n) < 0.5
    frame["ward"] = pd.Categorical(rng.choice(list("xyz"), n))
    frame["count"] = pd.array(rng.integers(0, 3, n), dtype="Int64")
    frame.loc[7, "count"] = pd.NA
    frame["case"] = np.arange(n)
    frame["short"] = rng.normal(size=n).astype(np.float16)
    frame["same"] = 3
    frame["note"] = [f"written on row {i}" for i in range(n)]
    frame["amount"] = [None if i % 7 == 0 else f"{i / 8}" for i in range(n)]
    return frame


def write_parts(folder, frame, ending, cuts):
    starts = [0, *cuts, len(frame)]
    for part, (start, end) in enumerate(pairwise(starts)):
        path, rows = folder / f"{part:02d}.{ending}", frame.iloc[start:end]
        rows.to_csv(path, index=False) if ending == "csv" else rows.to_parquet(path)


def in_memory(folder):
    paths = sorted(folder.glob("*.*"))
    frames = [pd.read_parquet(path) if path.suffix == ".parquet" else read_table(path) for path in paths]
    return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)


SMALL = {"n_batch": 97, "n_sampled": 50, "n_near_median": 40}


@pytest.mark.parametrize(("seed", "budget"), [(0, {}), (1, SMALL)], ids=["plenty", "small"])
@pytest.mark.parametrize(("ending", "cuts"), [("parquet", [100, 100, 700]), ("csv", [400]), ("csv", [])])
def test_the_same_as_in_memory(tmp_path, monkeypatch, seed, ending, cuts, budget):
    for name, value in budget.items():
        monkeypatch.setattr(Budget, name, value)
    rng = np.random.default_rng(seed)
    frame = wide_frame(rng, 1203)
    if ending == "csv":
        frame["plain"] = rng.integers(0, 2, len(frame))
    write_parts(tmp_path, frame.assign(y=rng.random(len(frame)) < 0.1), ending, cuts)
    rows = ParquetRows(tmp_path, "y", cache=tmp_path / "cache").prepared()
    table = in_memory(tmp_path)
    X = table.drop(columns="y")
    assert same_kinds(rows.kinds, column_kinds(X))
    referee = make_preprocessor(X).fit(X)
    new = mixed_frame(rng, 200, categories=["a", "new"], odd=[np.inf]).reindex(columns=X.columns)
    for other in (X, new):
        np.testing.assert_array_equal(rows.preprocessor.transform(other), referee.transform(other))
    np.testing.assert_array_equal(rows.X, referee.transform(X).astype(np.float32))
    assert rows.X.dtype == np.float32
    assert rows.X.flags.c_contiguous
    assert not rows.X.flags.writeable
    assert rows.feature_names == referee.get_feature_names_out().tolist()
    assert rows.preprocessor.feature_names_in_.tolist() == referee.feature_names_in_.tolist()
    np.testing.assert_array_equal(feature_groups(rows.preprocessor), feature_groups(referee))
    assert group_names(rows.preprocessor) == group_names(referee)
    np.testing.assert_array_equal(rows.is_positive, table["y"].astype(str).str.lower() == "true")


def as_parquet(path, values):
    pd.DataFrame(
        {"fine": np.arange(len(values)) % 7, "the column": values, "y": np.arange(len(values)) % 2}
    ).to_parquet(path)


@pytest.mark.parametrize("case", KINDS)
def test_every_kind_is_found(tmp_path, case):
    _, values = KINDS[case]
    try:
        as_parquet(tmp_path / "a.parquet", values)
    except (pa.ArrowException, OverflowError):
        pytest.skip("Parquet cannot hold such a column")
    table = pd.read_parquet(tmp_path / "a.parquet").drop(columns="y")
    assert same_kinds(ParquetRows(tmp_path, "y").prepared().kinds, column_kinds(table))


@pytest.mark.parametrize("case", FAULTS)
def test_every_fault_is_told_with_its_file(tmp_path, case):
    values, _ = FAULTS[case]
    if isinstance(values, pd.Categorical):
        values = values.rename_categories(str)  # Parquet knows no other categories than texts
    try:
        as_parquet(tmp_path / "a.parquet", values)
    except (pa.ArrowException, OverflowError):
        pytest.skip("Parquet cannot hold such a column")
    with pytest.raises(ValueError, match="leave such columns out") as expected:
        column_kinds(pd.read_parquet(tmp_path / "a.parquet").drop(columns="y"))
    with pytest.raises(ValueError, match="leave such columns out") as error:
        ParquetRows(tmp_path, "y").prepared()
    told = (
        str(error.value).replace(f" of {tmp_path / 'a.parquet'}", "").replace("drop=[...]", "frame.drop(columns=...)")
    )
    assert told == str(expected.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet"]


@pytest.mark.parametrize("date_format", DATE_FORMATS)
def test_the_small_table_has_dates_of_the_format(date_format):
    assert date_format_of([_last_day(date_format)]) == date_format


@pytest.mark.parametrize(("n_common", "n_rare"), [(100, 0), (0, 400), (1, 999), (50, 1), (1, 0)])
def test_common_and_rare_categories(n_common, n_rare):
    common = (
        {f"c{k}": 100_000 // n_common for k in range(n_common)}
        if not n_rare
        else {f"c{k}": 2000 for k in range(n_common)}
    )
    rare = {f"r{k}": 90 for k in range(n_rare)}
    n_rows = sum(common.values()) + sum(rare.values())
    columns = {"x": StreamedColumn("categorical", "", counts=rare | common)}
    columns["all rare"] = StreamedColumn("categorical", "", counts={f"q{k}": n_rows // 200 for k in range(200)})
    names = streamed_preprocessor(columns, n_rows).get_feature_names_out().tolist()
    assert names == [f"x={text}" for text in sorted(common)] + ["x rare"] * bool(n_rare) + ["all rare rare"]


def test_nothing_to_use_is_told():
    with pytest.raises(ValueError, match=r"No column of the table can be used \('a' is 1 in every row\)"):
        streamed_preprocessor({"a": StreamedColumn("constant", "'a' is 1 in every row")}, 5)


NUMBERS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
    "few": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "same": lambda rng, n: np.ones(n),
    "steps": lambda rng, n: np.sort(rng.integers(0, 9, n)).astype(float),
    "two": lambda rng, n: np.repeat([0.0, 1.0], [n // 2, n - n // 2]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_medians_are_exact_wherever_the_search_begins(case):
    rng = np.random.default_rng(0)
    for _ in range(100):
        numbers = NUMBERS[case](rng, int(rng.integers(1, 400)))
        search = MedianSearch.around(rng.choice(numbers, rng.integers(1, 30)), int(rng.integers(4, 20)))
        if rng.random() < 0.3:
            search = MedianSearch(*np.sort(rng.normal(size=2)).tolist(), 8)
        while True:
            for part in np.array_split(numbers, 7):
                search.see(part)
            if search.result() is not None:
                break
            search = search.elsewhere()
        assert search.result() == np.median(numbers)


def test_a_sample_does_not_depend_on_the_cuts():
    table = pa.table({"x": np.arange(5000.0)})
    samples = []
    for n_batch in (5000, 700, 33):
        sample = RowSample(100, {"x": lambda cells: cells})
        for start in range(0, 5000, n_batch):
            sample.see(table.slice(start, n_batch).combine_chunks().to_batches()[0], start)
        samples.append(sample)
    cells = [np.sort(sample.cells("x").to_numpy()) for sample in samples]
    assert 100 <= len(cells[-1]) <= 200
    assert set(cells[-1]) <= set(range(5000))
    np.testing.assert_array_equal(cells[1], cells[2])


def test_different_values_are_counted_and_then_estimated():
    rng = np.random.default_rng(0)
    for n_distinct, error in ((900, 0.0), (1000, 0.0), (50_000, 0.1)):
        distinct = Distinct(1000)
        for numbers in np.array_split(rng.permutation(np.tile(np.arange(float(n_distinct)), 3)), 9):
            distinct.add(hashes_of_numbers(numbers), numbers)
        assert abs(distinct.count / n_distinct - 1) <= error


def test_facts_of_numbers_do_not_depend_on_the_cuts():
    numbers = np.array([3.0, np.nan, 7.0, np.inf, 3.0, -0.0, 0.0, 1e200])
    facts = []
    for n_parts in (1, 3, 8):
        column, row = NumberColumn(100), 0
        for part in np.array_split(numbers, n_parts):
            column.see(part, row)
            row += len(part)
        facts.append(column.facts(lambda row: row + 1))
    assert facts[0] == facts[1] == facts[2]
    assert (facts[0].n_present, facts[0].n_distinct, facts[0].n_infinite, facts[0].first_infinite) == (5, 3, 2, 4)


def test_arrow_reads_numbers_as_pandas_does():
    texts = [
        "1",
        "-2.5",
        "1e3",
        ".5",
        "5.",
        "007",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1e999",
        "9" * 30,
        "0.1",
        None,
        "1e-400",
    ]
    texts += ["x", "", " 7 ", "NA", "1_000", "0x10", "+4", "1,5", "1d3", "--1"]
    for text in texts:
        expected = pd.to_numeric(pd.Series([None if text is None else text.strip()], dtype=object), errors="coerce")
        found = numbers_in_column(pa.array([text], pa.string()))
        np.testing.assert_array_equal(found, expected.to_numpy(dtype=float), err_msg=repr(text))
