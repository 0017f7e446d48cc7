"""Excel: results as a workbook that holds no formula, and the same values in LibreOffice."""

import csv
import datetime
import shutil
import subprocess
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from command_line import FIT, run

from blindauc import read_table
from blindauc.analysis import workbook, write_workbook
from blindauc.datasets import make_patients

pytestmark = pytest.mark.usefixtures("few_candidates")

pd = pytest.importorskip("pandas")
openpyxl = pytest.importorskip("openpyxl")

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "#REF!",
    "'=1",
    "007",
    "1,5",
    "two\nlines",
    "é",
]


def test_nothing_in_a_workbook_is_a_formula(tmp_path):
    frame = pd.DataFrame({"=name": HOSTILE, "@n": range(len(HOSTILE))})
    write_workbook({"Ranking": frame}, tmp_path / "table.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx")["Ranking"]
    header, *rows = sheet.iter_rows()
    assert [cell.value for cell in header] == ["=name", "@n"]
    assert [row[0].value for row in rows] == HOSTILE
    assert {cell.data_type for cell in [*header, *(row[0] for row in rows)]} == {"s"}
    with zipfile.ZipFile(tmp_path / "table.xlsx") as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
        assert b'quotePrefix="1"' in archive.read("xl/styles.xml")
    assert read_table(tmp_path / "table.xlsx")["=name"].tolist() == HOSTILE


def test_a_workbook_has_formats_a_header_that_stays_and_filters(tmp_path):
    frame = pd.DataFrame(
        {
            "row": [1, 2],
            "score": [2 / 3, 1234.5],
            "weight": [70.5, 81.25],
            "seen": pd.to_datetime(["2024-03-01", None]),
            "ok": [True, False],
            "gap": pd.array([None, 3], dtype="Int64"),
            "reason": ["x" * 500, None],
        }
    )
    write_workbook({"Ranking": frame}, tmp_path / "table.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx")["Ranking"]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:G3")
    assert sheet["A1"].font.bold
    formats = [cell.number_format for cell in sheet[2]]
    assert formats == ["General", "0.000", "General", "yyyy-mm-dd", "General", "General", "General"]
    expected = [1, 0.666667, 70.5, datetime.datetime(2024, 3, 1), True, None, "x" * 500]
    assert [cell.value for cell in sheet[2]] == expected
    widths = [sheet.column_dimensions[letter].width for letter in "AG"]
    assert widths == [workbook.NARROWEST, workbook.WIDEST]


def test_what_excel_does_not_know_is_written_so_that_it_does(tmp_path):
    moment = pd.Timestamp("2024-03-01 10:00", tz="Asia/Tokyo")
    frame = pd.DataFrame({"a": ["a\x01b", None], "b": [np.inf, np.nan], "c": [moment, pd.NaT], "d": [("x",), b"y"]})
    write_workbook({"Sheet": frame}, tmp_path / "table.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx")["Sheet"]
    first = ["a?b", "inf", datetime.datetime(2024, 3, 1, 10), "('x',)"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)] == [first, [None, None, None, "b'y'"]]


def test_a_table_that_is_too_long_for_excel(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 5)
    parts = [pd.DataFrame({"a": range(3)})] * 2
    with pytest.raises(ValueError, match=r"table.xlsx cannot hold all rows: a sheet of Excel has room for 5.*csv"):
        write_workbook({"Sheet": parts}, tmp_path / "table.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The folder of a fit to patients, some of whom have names that try something."""
    place = tmp_path_factory.mktemp("results")
    table = make_patients(200, random_state=0).table.drop(columns=[f"lab_{number}" for number in range(1, 11)])
    table["patient"] = [*HOSTILE[:5], *table["patient"][5:]]
    table = table.rename(columns={"temperature": "=temperature"})
    table.to_csv(place / "patients.csv", index=False)
    fit = run(*FIT, place / "patients.csv", "--label", "infection", "--id", "patient", "--out", place / "out")
    assert fit.exit_code == 0, fit.output
    return place / "out"


SHEETS = {"Ranking": "ranking.csv", "Labels": "doubtful_labels.csv", "Columns": "features.csv"}


def without_apostrophe(name):
    return name[1:] if isinstance(name, str) and name.startswith("'") else name


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_workbook_holds_what_the_files_hold(sheet, results):
    from_workbook, from_text = read_table(results / "results.xlsx", sheet=sheet), read_table(results / SHEETS[sheet])
    assert list(from_workbook) == list(from_text)
    for name in from_text:
        if pd.api.types.is_numeric_dtype(from_text[name]):
            np.testing.assert_array_equal(
                from_workbook[name].to_numpy(dtype=float, na_value=np.nan),
                from_text[name].to_numpy(dtype=float, na_value=np.nan),
            )
        else:
            read = from_workbook[name].astype(str).tolist()
            assert read == from_text[name].astype(str).map(without_apostrophe).tolist()


def test_the_summary_says_what_was_found(results):
    summary = read_table(results / "results.xlsx", sheet="Summary").set_index("what")
    assert summary.loc["rows", "value"] == "200"
    assert float(summary.loc["AUC", "low"]) < float(summary.loc["AUC", "high"])
    assert "numbered from 1" in summary.loc["table", "note"]
    assert len(summary.loc["SHA-256 of the table", "value"]) == 64


def test_no_cell_of_the_workbook_is_a_formula(results):
    book = openpyxl.load_workbook(results / "results.xlsx")
    assert book.sheetnames == ["Ranking", "Labels", "Columns", "Summary"]
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds
    assert all(sheet.freeze_panes == "A2" and sheet.auto_filter.ref for sheet in book)


def test_a_ranking_that_is_too_long_is_cut_and_says_so(results, tmp_path, monkeypatch):
    from blindauc.analysis import analyse, write_results

    table = make_patients(120, random_state=0).table
    analysis = analyse(
        table, "infection", id="patient", drop=[f"lab_{number}" for number in range(1, 11)], shape="linear"
    )
    monkeypatch.setattr(workbook, "MOST_ROWS", 100)
    write_results(replace(analysis, groups=pd.DataFrame({"group": ["A"]})), tmp_path / "results.xlsx")
    assert read_table(tmp_path / "results.xlsx", sheet="Groups")["group"].tolist() == ["A"]
    ranking = read_table(tmp_path / "results.xlsx", sheet="Ranking")
    assert ranking["id"].tolist() == analysis.ranking["id"].tolist()[:100]
    summary = read_table(tmp_path / "results.xlsx", sheet="Summary").set_index("what")
    assert summary.loc["rows", "note"] == "The sheet Ranking holds the first 100."


SOFFICE = shutil.which("soffice")
EVERY_SHEET_AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
"""Commas, quotes, UTF-8, from the first row on, values as they are and not as they are shown, all sheets."""


@pytest.mark.skipif(SOFFICE is None, reason="needs LibreOffice: apt-get install libreoffice-calc")
def test_libreoffice_reads_the_same_values(results, tmp_path):
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [SOFFICE, profile, "--headless", "--convert-to", EVERY_SHEET_AS_CSV, "--outdir", tmp_path]
    subprocess.run([*command, results / "results.xlsx"], check=True, capture_output=True, timeout=120)
    book = openpyxl.load_workbook(results / "results.xlsx")
    for sheet in book:
        with (tmp_path / f"results-{sheet.title}.csv").open(encoding="utf-8", newline="") as stream:
            converted = list(csv.reader(stream))
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        assert len(converted) == len(rows)
        for there, here in zip(converted, rows, strict=True):
            assert [as_in(cell, text) for cell, text in zip(here, there, strict=True)] == here


def as_in(cell, text):
    """What a text says, if it is to be of the type of a cell."""
    if cell is None:
        return text or None
    if isinstance(cell, bool):
        return {"TRUE": True, "FALSE": False}[text]
    return type(cell)(text)
