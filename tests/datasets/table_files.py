"""Tables as files of every format."""

import bz2
import csv
import gzip
import io
import lzma
import zipfile

import pytest

from blindauc.datasets.tables import read_table, read_table_in_parts

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


def assert_parts_are_slices(path, n_rows):
    whole = read_table(path)
    parts = list(read_table_in_parts(path, n_rows))
    assert {len(part) for part in parts[:-1]} <= {n_rows}
    assert sum(len(part) for part in parts) == len(whole)
    for number, part in enumerate(parts):
        pd.testing.assert_frame_equal(part, whole.iloc[number * n_rows : (number + 1) * n_rows])
