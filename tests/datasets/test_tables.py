"""Tables from every format: the cells that a slow reading finds, the same in parts as whole, one line for bad files."""

import bz2
import csv
import datetime
import gzip
import io
import lzma
import math
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import DATA

from blindauc.datasets import layouts
from blindauc.datasets.tables import TableError, read_table, read_table_in_parts
from blindauc.preprocessing import column_kinds, make_preprocessor

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

PATIENTS = b'id,age,weight,race,note\n007,41,70.5,A,"quick, ""brown"" fox"\n012,,.5,,\n013,58,1e-05,None,"two\nlines"\n'


def zipped(**members):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return archive.getvalue()


def zstandard(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.fixture
def read(tmp_path):
    return lambda content, name="table.csv": read_table(written(tmp_path, name, content))


def assert_are_patients(frame):
    assert frame["id"].tolist() == ["007", "012", "013"]
    assert frame["age"].dtype == "Int64"
    assert frame["age"].isna().tolist() == [False, True, False]
    assert frame["age"].dropna().tolist() == [41, 58]
    assert frame["weight"].tolist() == [70.5, 0.5, 1e-05]
    assert frame["race"].fillna("missing").tolist() == ["A", "missing", "None"]
    assert frame["note"].fillna("missing").tolist() == ['quick, "brown" fox', "missing", "two\nlines"]
    assert frame.index.tolist() == [0, 1, 2]


def tabs(content):
    rows = csv.reader(io.StringIO(content.decode()))
    text = io.StringIO()
    csv.writer(text, delimiter="\t").writerows(rows)
    return text.getvalue().encode()


AS_TEXT = {
    "patients.csv": PATIENTS,
    "PATIENTS.CSV": PATIENTS,
    "bom.csv": b"\xef\xbb\xbf" + PATIENTS,
    "blank lines.csv": b"\n\r\n" + PATIENTS.replace(b"\n0", b"\n\n0") + b"\n\n",
    "tabs.csv": tabs(PATIENTS),
    "patients.tsv": tabs(PATIENTS),
    "patients.tab": tabs(PATIENTS),
    "patients.txt": tabs(PATIENTS),
    "unicode.txt": tabs(PATIENTS).decode().encode("utf-16"),
    "unicode.csv.gz": gzip.compress(PATIENTS.decode().encode("utf-16")),
    "spaces.csv": PATIENTS.replace(b"id,age,weight", b" id , age,weight "),
    "patients.csv.gz": gzip.compress(PATIENTS),
    "PATIENTS.CSV.GZ": gzip.compress(PATIENTS),
    "patients.tsv.bz2": bz2.compress(tabs(PATIENTS)),
    "patients.csv.xz": lzma.compress(PATIENTS),
    "patients.csv.zst": zstandard(PATIENTS),
    "patients.zip": zipped(**{"export/patients.csv": PATIENTS}),
    "patients.csv.zip": zipped(**{"patients.tsv": tabs(PATIENTS), "__MACOSX/._patients.tsv": b"\0"}),
}


@pytest.mark.parametrize("name", AS_TEXT)
def test_text_however_it_is_written(name, read):
    assert_are_patients(read(AS_TEXT[name], name))


@pytest.mark.parametrize("ends", [b"\r\n", b"\r"])
def test_line_ends(ends, read):
    frame = read(b"a,b\n1,x\n2,y\n".replace(b"\n", ends))
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_semicolons_and_decimal_commas(read):
    frame = read(b"a;b;c;d\n1,5;-2,25e-3;1,5;x,y\n2;3,0;NA;1.234,5\n")
    assert frame["a"].tolist() == [1.5, 2.0]
    assert frame["b"].tolist() == [-0.00225, 3.0]
    assert frame["c"].tolist() == ["1.5", "NA"]
    assert frame["d"].tolist() == ["x,y", "1234.5"]


def test_the_separator_is_the_one_that_fits_the_rows(read):
    assert list(read(b"a,b;c\n1,2;3\n")) == ["a", "b;c"]
    assert list(read(b"name, first;age\nx, y;1\nz;2\nw;3\n")) == ["name, first", "age"]
    assert list(read(b"alone\n1\n2\n")) == ["alone"]
    assert list(read(b"a\tb\n1;2\t3,4\n")) == ["a", "b"]


def test_columns_without_a_name(read):
    assert list(read(b",a,\n1,2,3\n")) == ["column 1", "a", "column 3"]


WORDS = ["NA", "?", "None", "nan", "inf", "-", "True", "yes", "007", "+5", " 5", "1_000", "0x1F", "1,5", "²"]


@pytest.mark.parametrize("word", [*WORDS, "1" * 16, "-", "1e", ".", "1.5.2", "Infinity"])
def test_words_stay_the_words_that_they_are(word, read):
    frame = read(f'a,b\n1,"{word}"\n2,5\n'.encode())
    assert frame["a"].tolist() == [1, 2]
    assert frame["b"].tolist() == [word, "5"]


def test_the_preprocessor_judges_what_is_missing(read):
    frame = read(b"age,race,seen\n41,A,03.04.2020\nNA,None,?\n58,,13.04.2020\n")
    assert {name: kind.kind for name, kind in column_kinds(frame).items()} == {
        "age": "numeric",
        "race": "categorical",
        "seen": "date",
    }
    numbers = make_preprocessor(frame).set_output(transform="pandas").fit_transform(frame)
    assert numbers["age"].tolist() == [41, 49.5, 58]
    assert numbers["race=None"].tolist() == [0, 1, 0]
    assert numbers["race missing"].tolist() == [0, 0, 1]
    assert numbers["seen missing"].tolist() == [0, 1, 0]


def slow_column(cells):
    """As numbers if all that are not blank are, else as text; None where blank."""
    present = [cell for cell in cells if cell]
    if all(cell.lstrip("-").isdecimal() and cell.isascii() and str(int(cell)) == cell for cell in present):
        return [int(cell) if cell else None for cell in cells]
    try:
        return [float(cell) if cell else None for cell in cells]
    except ValueError:
        return [cell or None for cell in cells]


def cells_of(column):
    return [None if pd.isna(cell) else cell for cell in column.tolist()]


# Numbers that Python reads and that stay text here have tests of their own.
numbers = st.integers(-(10**14), 10**14).map(str) | st.floats(-1e14, 1e14).map(repr) | st.just("")
texts = st.text(st.characters(exclude_categories=["Cs", "Nd"], exclude_characters="\0\ufeff"), max_size=8)
columns = st.integers(1, 6).flatmap(
    lambda n_rows: st.lists(
        st.sampled_from([numbers, texts, numbers | texts]).flatmap(
            lambda cells: st.lists(cells, min_size=n_rows, max_size=n_rows)
        ),
        min_size=2,
        max_size=4,
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=columns, separator=st.sampled_from(",\t"), n_rows=st.integers(1, 4))
def test_cells_are_those_of_a_slow_reading(columns, separator, n_rows, tmp_path):
    columns = [column for column in columns if not {cell.casefold() for cell in column} & {"nan", "inf", "infinity"}]
    names = ["row", *(f"column {i}" for i in range(len(columns)))]
    rows = [[str(i), *cells] for i, cells in enumerate(zip(*columns, strict=True))] or [["0"]]
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    path = written(tmp_path, "table.csv", text.getvalue().encode())
    frame = read_table(path)
    assert list(frame) == names
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        assert cells_of(frame[name]) == slow_column(cells)
    assert_parts_are_slices(path, n_rows)


def assert_parts_are_slices(path, n_rows):
    whole = read_table(path)
    parts = list(read_table_in_parts(path, n_rows))
    assert {len(part) for part in parts[:-1]} <= {n_rows}
    assert sum(len(part) for part in parts) == len(whole)
    for number, part in enumerate(parts):
        pd.testing.assert_frame_equal(part, whole.iloc[number * n_rows : (number + 1) * n_rows])


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


def test_long_rows(read, monkeypatch):
    monkeypatch.setattr(layouts, "BLOCK", 64)
    names = [f"column {i}" for i in range(500)]
    frame = read("\n".join([",".join(names), *[",".join(["0.25"] * 500)] * 3]).encode())
    assert frame.shape == (3, 500)
    assert (frame == 0.25).all(axis=None)


def test_a_long_file_of_letters_with_several_bytes(read, monkeypatch):
    # The head may end within a letter, within a line and within quotes.
    for size in range(40, 60):
        monkeypatch.setattr(layouts, "HEAD", size)
        frame = read('name,note\nÄöü,"日本\n語"\nÄöü,"日本\n語"\nÄöü,"日本\n語"\n'.encode())
        assert frame["note"].tolist() == ["日本\n語"] * 3


BAD = {
    "empty": ("table.csv", b"", "is empty"),
    "blank": ("table.csv", b"\n  \n", "is empty"),
    "nothing but a BOM": ("table.csv", b"\xef\xbb\xbf", "is empty"),
    "empty, compressed": ("table.csv.gz", gzip.compress(b""), "is empty"),
    "header only": ("table.csv", b"a,b\n", "no rows"),
    "header only, no line end": ("table.csv", b"a,b", "no rows"),
    "header and blank lines": ("table.tsv", b"a\tb\n\n\n", "no rows"),
    "names that come twice": ("table.csv", b"a,b,a\n1,2,3\n", "several columns of the same name, 'a': rename them"),
    "names that come twice without spaces": ("table.csv", b"a, a\n1,2\n", "'a': rename them"),
    "few cells": ("table.csv", b"a,b\n1,2\n3\n", "has 1 cells in row 3, '3', but 2 columns"),
    "many cells": ("table.csv", b"a,b\n1,2\n3,4,5\n", "has 3 cells in row 3, '3,4,5', but 2 columns"),
    "an open quote": ("table.csv", b'a,b\n1,2\n"3,4\n5,6\n', "in row 3.*correct that row, with quotes"),
    "an open quote over much": ("table.csv", b'a,b\n"' + b"1,2\n" * 50000, "in row 2"),
    "letters of no Western page": ("table.csv", b"a,b\n1,\x81\n", "neither in UTF-8 nor .*row 2.*save it as CSV UTF-8"),
    "a damaged letter": ("table.csv", "a,b\n1,é\n2,é\n".encode() + b"3,\xe9\n", "neither in UTF-8 nor .*row 4"),
    "binary": ("table.csv", b"PAR1\x15\x04\x00\x00", "holds binary data, but"),
    "a spreadsheet as CSV": ("table.csv", zipped(a=b"hello" * 100), "binary|UTF-8"),
    "an old spreadsheet": ("table.xls", b"PK", "ends in '.xls', but .* read from .csv, .*save it as .xlsx or CSV"),
    "a free spreadsheet": ("table.ods", b"PK", "ends in '.ods', but .* read from .csv, .*save it as .xlsx or CSV"),
    "no ending": ("table", b"a,b\n1,2\n", "has no file name extension"),
    "a compression of what": ("table.gz", gzip.compress(PATIENTS), "ends in '.gz'"),
    "compressed Parquet": ("table.parquet.gz", gzip.compress(PATIENTS), "ends in '.parquet.gz'"),
    "a zip of something else": ("table.zip", zipped(**{"a.pdf": b""}), "ends in '.pdf.zip'"),
    "a zip of two": ("table.zip", zipped(**{"a.csv": PATIENTS, "b.csv": PATIENTS}), "holds 2 files, but one was"),
    "a zip of none": ("table.zip", zipped(), "holds 0 files"),
    "text as gzip": ("table.csv.gz", PATIENTS, "damaged, truncated or not in the format of its"),
    "text as bzip2": ("table.csv.bz2", PATIENTS, "damaged"),
    "text as xz": ("table.csv.xz", PATIENTS, "damaged"),
    "text as zstandard": ("table.csv.zst", PATIENTS, "damaged"),
    "text as zip": ("table.zip", PATIENTS, "damaged"),
    "gzip cut short": ("table.csv.gz", gzip.compress(PATIENTS * 500)[:-40], "damaged"),
    "xz cut short": ("table.csv.xz", lzma.compress(PATIENTS)[:-40], "damaged"),
    "zip cut short": ("table.zip", zipped(**{"a.csv": PATIENTS})[:-40], "damaged"),
    "text as Parquet": ("table.parquet", PATIENTS, "damaged"),
    "text as Arrow": ("table.arrow", PATIENTS, "damaged"),
    "empty Parquet": ("table.parquet", b"", "damaged"),
    "empty Feather": ("table.feather", b"", "damaged"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_line(name, tmp_path):
    file, content, line = BAD[name]
    path = written(tmp_path, file, content)
    for read in (read_table, lambda path: list(read_table_in_parts(path))):
        with pytest.raises(TableError, match=line) as told:
            read(path)
        assert str(told.value).startswith(str(path))
        assert str(told.value).isprintable()  # so it is one line


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


def test_a_missing_file_and_a_folder(tmp_path):
    for read in (read_table, read_table_in_parts):
        with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.csv: check"):
            read(tmp_path / "none.csv")
        with pytest.raises(TableError, match="is a folder"):
            read(str(tmp_path))


def test_parts_have_rows(tmp_path):
    with pytest.raises(ValueError, match="n_rows must be at least 1, not 0"):
        read_table_in_parts(written(tmp_path, "table.csv", PATIENTS), 0)


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_without_the_extra_one_line_names_it(module, tmp_path, monkeypatch):
    path = written(tmp_path, "table.csv", PATIENTS)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=rf"^Reading tables needs {module}: pip install 'blindauc\[cli\]'\.$"):
        read_table(path)


@pytest.mark.parametrize("name", ["patients.csv.xz", "patients.zip", "unicode.txt"])
def test_no_copy_is_left(name, tmp_path, monkeypatch):
    path = written(tmp_path, name, AS_TEXT[name])
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    parts = read_table_in_parts(path, 1)
    next(parts)
    assert len(list((tmp_path / "copies").iterdir())) == 1
    parts.close()
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_process_may_end_amid_a_file(tmp_path):
    # With Arrow's threads still reading, that must not crash.
    path = written(tmp_path, "table.csv.xz", lzma.compress(b"a,b\n" + b"0.123456789,x\n" * 500_000, preset=0))
    code = f"from blindauc.datasets.tables import *; next(read_table_in_parts({str(path)!r}, 10)); raise SystemExit(7)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (7, b"")


def test_diabetes_130():
    path = DATA / "diabetes130" / "diabetic_data.csv.xz"
    if not path.exists():
        pytest.skip("shared/data/diabetes130 is not here")
    frame = read_table(path)
    assert frame.shape == (101_766, 50)
    with lzma.open(path, "rt", newline="") as stream:
        for number, row in zip(range(0, 101_766, 5000), list(csv.DictReader(stream))[::5000], strict=True):
            assert {name: str(cell) for name, cell in frame.iloc[number].items()} == row
    assert not math.isnan(frame["encounter_id"].iloc[0])
