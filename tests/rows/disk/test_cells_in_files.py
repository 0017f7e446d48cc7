"""Cells of tables in files: bad numbers and dates, names, texts in many dialects, and odd types."""

import datetime
import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_files import refused, table

from blindauc.preprocessing import column_kinds, make_preprocessor
from blindauc.rows.disk.parquet import ParquetRows
from blindauc.rows.disk.size import Budget


def with_one_bad(n, bad_row, bad):
    values = [f"{number:.3f}" for number in np.random.default_rng(0).normal(size=n)]
    values[bad_row] = bad
    return pd.DataFrame({"lab": values, "x": np.arange(n) % 5, "y": np.arange(n) % 10 == 0})


@pytest.mark.parametrize("limit", [1000, 50_000], ids=["many", "few"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_one_bad_number_is_told_with_its_row(tmp_path, monkeypatch, ending, limit):
    monkeypatch.setattr(Budget, "n_distinct", limit)
    monkeypatch.setattr(Budget, "n_batch", 700)
    frame = with_one_bad(9000, 7612, "12.5x")
    for part, rows in enumerate(np.array_split(np.arange(9000), 3)):
        path = tmp_path / f"{part}.{ending}"
        (frame.iloc[rows].to_csv(path, index=False) if ending == "csv" else frame.iloc[rows].to_parquet(path))
    told = refused(tmp_path, "a column of numbers that cannot all be read, 'lab' with '12.5x' in data row 1613 of ")
    assert str(tmp_path / f"2.{ending}") in told
    assert told.endswith("correct these cells or leave them blank, or leave such columns out with drop=[...].")
    frame["lab"] = frame["lab"].replace("12.5x", "NA")
    for part, rows in enumerate(np.array_split(np.arange(9000), 3)):
        path = tmp_path / f"{part}.{ending}"
        (frame.iloc[rows].to_csv(path, index=False) if ending == "csv" else frame.iloc[rows].to_parquet(path))
    rows = ParquetRows(tmp_path, "y").prepared()
    assert rows.feature_names == ["lab", "x", "lab missing"]
    expected = pd.to_numeric(frame["lab"], errors="coerce")
    np.testing.assert_array_equal(rows.X[:, 0], expected.fillna(expected.median()).astype(np.float32))


def test_one_bad_date_is_told_with_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr(Budget, "n_distinct", 1000)
    monkeypatch.setattr(Budget, "n_batch", 700)
    first = datetime.datetime(2020, 1, 1)
    days = [f"{first + datetime.timedelta(seconds=311 * k):%d.%m.%Y %H:%M:%S}" for k in range(5000)]
    frame = pd.DataFrame({"day": days, "x": np.arange(5000) % 5, "y": np.arange(5000) % 10 == 0})
    frame.to_parquet(tmp_path / "a.parquet")
    rows = ParquetRows(tmp_path, "y").prepared()
    assert rows.kinds["day"].kind == "date"
    seconds = 311 * np.arange(5000) / 86_400 + (first - datetime.datetime(1970, 1, 1)).days
    np.testing.assert_array_equal(rows.X[:, 1], seconds.astype(np.float32))
    assert rows.columns["day"].centre == pytest.approx(np.median(seconds), abs=1e-9)
    frame.loc[4321, "day"] = "31.02.2020 00:00:00"
    frame.to_parquet(tmp_path / "a.parquet")
    refused(tmp_path, r"'day' with '31\.02\.2020 00:00:00' in data row 4322 of .*a\.parquet: write every date as")


def test_timestamps_that_nearly_all_differ_are_dates(tmp_path, monkeypatch):
    monkeypatch.setattr(Budget, "n_distinct", 1000)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(311 * np.arange(5000), unit="s")
    frame = pd.DataFrame({"when": when, "x": np.arange(5000) % 5, "y": np.arange(5000) % 10 == 0})
    frame.loc[::7, "when"] = pd.NaT
    frame.to_parquet(tmp_path / "a.parquet")
    rows = ParquetRows(tmp_path, "y").prepared()
    assert rows.kinds["when"] == column_kinds(frame[["when"]])["when"]
    days = (frame["when"] - pd.Timestamp(0)) / pd.Timedelta(days=1)
    np.testing.assert_array_equal(rows.X[:, 1], days.fillna(days.median()).astype(np.float32))


def test_names_and_free_text_are_set_aside_however_many(tmp_path, monkeypatch):
    monkeypatch.setattr(Budget, "n_distinct", 1000)
    monkeypatch.setattr(Budget, "n_batch", 700)
    n = 9000
    frame = pd.DataFrame(
        {
            "case": [f"P{k}" for k in range(n)],
            "note": [f"seen on day {k}" for k in range(n)],
            "number": np.arange(n) + 10**7,
            "visit": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n), unit="min"),
            "x": np.arange(n) % 5,
            "y": np.arange(n) % 10 == 0,
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")
    kinds = {name: kind.kind for name, kind in ParquetRows(tmp_path, "y").prepared().kinds.items()}
    assert kinds == {"case": "identifier", "note": "text", "number": "identifier", "visit": "date", "x": "numeric"}
    frame["case"] = [f"P{k % 3000}" for k in range(n)]
    frame.to_parquet(tmp_path / "a.parquet")
    refused(tmp_path, "a column of more than 1,000 categories, 'case' with")


def test_numbers_that_float32_cannot_hold_are_told(tmp_path):
    frame = table().assign(large=np.arange(300) % 7 * 1e38)
    frame.to_parquet(tmp_path / "a.parquet")
    refused(tmp_path, r"'large': scale them, or leave such columns out with drop=\[\.\.\.\]")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("limit", [100, 50_000], ids=["many", "few"])
def test_who_says_the_kind_is_believed(tmp_path, monkeypatch, ending, limit):
    monkeypatch.setattr(Budget, "n_distinct", limit)
    monkeypatch.setattr(Budget, "n_batch", 70)
    n = 400
    days = [f"{1 + k % 12:02d}/{1 + k // 12 % 12:02d}/{2000 + k % 20}" for k in range(n)]
    frame = pd.DataFrame({"grade": np.arange(n) % 5, "row": np.arange(n), "day": days, "y": np.arange(n) % 10 == 0})
    frame.to_csv(tmp_path / "a.csv", index=False) if ending == "csv" else frame.to_parquet(tmp_path / "a.parquet")
    kinds = {"grade": "categorical", "row": "numeric", "day": "date"}
    rows = ParquetRows(tmp_path, "y", kinds=kinds).prepared()
    X = frame.drop(columns="y")
    referee = make_preprocessor(X, kinds=kinds).fit(X)
    assert rows.feature_names == referee.get_feature_names_out().tolist()
    np.testing.assert_array_equal(rows.X, referee.transform(X).astype(np.float32))
    np.testing.assert_array_equal(rows.preprocessor.transform(X), referee.transform(X))
    assert rows.kinds["row"].reason == "'row' is numeric, as asked"
    refused(tmp_path, "cannot be told apart, 'day' with", drop=["row"])
    refused(tmp_path, "'day' with '01/01/2000' in data row 1 of", kinds={"day": "numeric"}, drop=["row"])
    refused(tmp_path, "'row' with '0' in data row 1 of", kinds={"row": "date"}, drop=["day"])


def test_text_in_many_dialects(tmp_path):
    frame = pd.DataFrame({"größe": np.arange(60) / 4, "b": ["x", "y"] * 30, "y": [1, 0, 0] * 20})
    expected = None
    writers = {
        "plain.csv": lambda path: frame.to_csv(path, index=False),
        "semicolons.csv": lambda path: frame.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252"),
        "tabs.tsv": lambda path: frame.to_csv(path, index=False, sep="\t", encoding="utf-16"),
        "packed.csv.gz": lambda path: path.write_bytes(gzip.compress(frame.to_csv(index=False).encode())),
    }
    for name, write in writers.items():
        write(tmp_path / name)
        rows = ParquetRows(tmp_path / name, "y").prepared()
        expected = rows.X if expected is None else expected
        np.testing.assert_array_equal(rows.X, expected)
        assert rows.feature_names == ["größe", "b=x", "b=y"]
        assert rows.classes.tolist() == [0, 1]


def test_text_with_only_names_is_an_empty_part(tmp_path):
    table().to_csv(tmp_path / "b.csv", index=False)
    (tmp_path / "a.csv").write_text("a,b,y\n")
    rows = ParquetRows(tmp_path, "y").prepared()
    assert rows.part_rows == (0, 300)
    assert rows.place(0) == (tmp_path / "b.csv", 1)


def test_wrong_text_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n1,2,0\n1,2\n" * 40)
    refused(tmp_path, r"a\.csv has 2 cells in row 3")
    path.write_text("")
    refused(tmp_path, r"a\.csv is empty")
    path.write_text("a,a,y\n1,2,0\n")
    refused(tmp_path, r"a\.csv has several columns of the same name, 'a'")
    path.write_text("a,b,y\n")
    refused(tmp_path, "has no rows, and no other file has any")
    path.write_text("a,b,\n1,2,\n3,4,\n")
    refused(tmp_path, "has no column 'y'")


def test_columns_without_name_and_value_are_left_out(tmp_path):
    (tmp_path / "a.csv").write_text("a,y,,\n" + "1,0,,\n2,1,,7\n" * 30)
    rows = ParquetRows(tmp_path, "y").prepared()
    assert rows.feature_names == ["a", "column 4", "column 4 missing"]


def test_nested_and_odd_types_are_read_as_text(tmp_path):
    n = 60
    arrays = {
        "list": pa.array([[k % 2] for k in range(n)]),
        "decimal": pa.array([None if k % 7 == 0 else k / 4 for k in range(n)]).cast(pa.decimal128(30, 2)),
        "time": pa.array([datetime.time(k % 3) for k in range(n)]),
        "a.b": pa.array(np.arange(n) % 4),
        "a": pa.array(np.arange(n) % 5),
        "view": pa.array(["x", "y"] * (n // 2), pa.large_string()),
        "y": pa.array([k % 10 == 0 for k in range(n)]),
    }
    pq.write_table(pa.table(arrays), tmp_path / "a.parquet")
    rows = ParquetRows(tmp_path, "y").prepared()
    frame = pq.read_table(tmp_path / "a.parquet").to_pandas()
    kinds = {name: kind.kind for name, kind in rows.kinds.items()}
    assert kinds["decimal"] == kinds["a"] == kinds["a.b"] == "numeric"
    assert kinds["list"] == kinds["time"] == kinds["view"] == "categorical"
    np.testing.assert_array_equal(rows.preprocessor.transform(frame).astype(np.float32), rows.X)
