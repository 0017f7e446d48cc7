"""Tables of every format are the same in parts as whole, with the types that all rows allow."""

import datetime

import numpy as np
import pytest
from table_files import assert_parts_are_slices, written

from blindauc.datasets import layouts
from blindauc.datasets.tables import TableError, read_table, read_table_in_parts
from blindauc.preprocessing import make_preprocessor

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

N = 100
MIXED = pd.DataFrame(
    {
        "whole": range(N),
        "missing once": pd.array([*range(N - 1), None], dtype="Int64"),
        "missing at first": pd.array([None] * (N - 1) + [7], dtype="Int64"),
        "a decimal at last": [*range(N - 1), 0.5],
        "a word at last": [*map(str, range(N - 1)), "NA"],
        "zeros at last": [*map(str, range(N - 1)), "007"],
        "long at last": [*map(str, range(N - 1)), "1" * 20],
        "true": ["True", "False"] * (N // 2),
        "all missing": [None] * N,
    }
)
TYPED = MIXED.assign(
    large=[2**60 + i for i in range(N)],
    answer=pd.array([True, None] * (N // 2), dtype="boolean"),
    level=pd.Categorical(["low", "high", None, "low"] * (N // 4), categories=["low", "middle", "high"], ordered=True),
    moment=pd.date_range("2020-01-01", periods=N, tz="Asia/Tokyo"),
    day=[datetime.date(2020, 1, 1), None] * (N // 2),
)


def write_stream(frame, path):
    table = pa.Table.from_pandas(frame)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=30)


WRITERS = {
    "table.csv": lambda path: MIXED.to_csv(path, index=False),
    "table.csv.gz": lambda path: MIXED.to_csv(path, index=False),
    "table.tsv.xz": lambda path: MIXED.to_csv(path, index=False, sep="\t"),
    "table.parquet": lambda path: TYPED.to_parquet(path, row_group_size=30),
    "table.feather": lambda path: TYPED.to_feather(path, chunksize=30),
    "table.arrow": lambda path: write_stream(TYPED, path),
}


@pytest.mark.parametrize("n_rows", [7, 30, 31, 100, 1000])
@pytest.mark.parametrize("name", WRITERS)
def test_parts_are_slices_of_the_whole(name, n_rows, tmp_path, monkeypatch):
    # So that a small file, too, comes in several blocks.
    monkeypatch.setattr(layouts, "BLOCK", 700)
    WRITERS[name](tmp_path / name)
    assert_parts_are_slices(tmp_path / name, n_rows)


@pytest.mark.parametrize("name", ["table.parquet", "table.feather", "table.arrow"])
def test_types_are_kept(name, tmp_path):
    WRITERS[name](tmp_path / name)
    frame = read_table(tmp_path / name)
    assert list(frame) == list(TYPED)
    assert frame["whole"].dtype == "Int64"
    assert frame["large"].tolist() == TYPED["large"].tolist()
    pd.testing.assert_series_equal(frame["level"], TYPED["level"])
    assert frame["day"][0] == datetime.date(2020, 1, 1)
    assert (frame["moment"] == TYPED["moment"]).all()


def test_text_gives_the_types_that_all_its_rows_allow(tmp_path):
    WRITERS["table.csv"](tmp_path / "table.csv")
    (first, *_) = read_table_in_parts(tmp_path / "table.csv", 10)
    text = first.select_dtypes("str").columns
    assert set(text) == {"a word at last", "zeros at last", "long at last", "true"}
    assert first["a decimal at last"].dtype == float
    assert set(first.select_dtypes("Int64").columns) == set(first.columns) - set(text) - {"a decimal at last"}


def test_an_index_is_a_column(tmp_path):
    MIXED.set_index("a word at last").to_parquet(tmp_path / "table.parquet")
    assert "a word at last" in read_table(tmp_path / "table.parquet").columns


def test_parts_are_preprocessed_as_the_whole(tmp_path):
    WRITERS["table.csv"](tmp_path / "table.csv")
    whole = read_table(tmp_path / "table.csv").drop(columns="all missing")
    preprocessor = make_preprocessor(whole).fit(whole)
    parts = [preprocessor.transform(part) for part in read_table_in_parts(tmp_path / "table.csv", 7)]
    np.testing.assert_array_equal(np.vstack(parts), preprocessor.transform(whole))


def test_bad_types(tmp_path):
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    nothing = pa.table({})
    no_rows = pa.table({"a": pa.array([], pa.int64())})
    for table, line in ((twice, "several columns"), (nothing, "no columns"), (no_rows, "no rows")):
        with pa.OSFile(str(tmp_path / "table.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        with pytest.raises(TableError, match=line):
            read_table(tmp_path / "table.arrow")


def test_what_is_wrong_late_is_told_first(tmp_path):
    path = written(tmp_path, "table.csv", b"a,b\n" + b"1,2\n" * 5000 + b"3\n")
    with pytest.raises(TableError, match="has 1 cells in row 5002"):
        next(read_table_in_parts(path, 10))
    path = written(tmp_path, "table.csv", b"a,b\n" + b"1,2\n" * 5000 + b"3,\x81\n")
    with pytest.raises(TableError, match=r"neither in UTF-8 .*\(see row 5002"):
        next(read_table_in_parts(path, 10))
