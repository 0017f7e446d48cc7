"""Files that are no tables get one line, and no copy of them is left."""

import csv
import gzip
import lzma
import math
import subprocess
import sys
import tempfile

import pytest
from places import DATA
from table_files import AS_TEXT, PATIENTS, written, zipped

from blindauc.datasets.tables import TableError, read_table, read_table_in_parts

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

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
