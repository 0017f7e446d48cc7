"""Excel: sheets as tables, by the library and by commands."""

import datetime
import json
import zipfile

import pytest
from command_line import FIT, run

from blindauc import read_table
from blindauc.datasets.tables import TableError, read_table_in_parts

pytestmark = pytest.mark.usefixtures("few_candidates")

pd = pytest.importorskip("pandas")
openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def written(tmp_path):
    """A workbook of these sheets, each a list of rows."""

    def write(*rows, name="table.xlsx", **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, cells in ({"Sheet1": rows} | sheets if rows else sheets).items():
            sheet = book.create_sheet(title)
            for row in cells:
                sheet.append(row)
        book.save(tmp_path / name)
        return tmp_path / name

    return write


ROWS = (["id", "age", "weight", "seen", "smoker", "note"], ["007", 41, 70.5, datetime.datetime(2024, 3, 1), True, "é"])
MORE = (["012", None, 1, None, False, None], ["013", 58, 0.25, datetime.datetime(2024, 3, 2), None, "<5"])


def test_cells_have_their_types(written):
    frame = read_table(written(*ROWS, *MORE))
    assert list(frame) == ROWS[0]
    assert frame["id"].tolist() == ["007", "012", "013"]
    assert frame["age"].dtype == "Int64"
    assert frame["age"].isna().tolist() == [False, True, False]
    assert frame["weight"].tolist() == [70.5, 1.0, 0.25]
    assert frame["seen"].dtype.kind == "M"
    assert frame["seen"].isna().tolist() == [False, True, False]
    assert frame["smoker"].dtype == "boolean"
    assert frame["note"].fillna("missing").tolist() == ["é", "missing", "<5"]


def test_cells_that_do_not_agree_are_text_as_in_a_csv_file(written):
    rows = [["lab", "when"], [41, datetime.datetime(2024, 3, 1)], [7.5, "soon"], ["<5", datetime.time(9, 30)], [8.0, 1]]
    frame = read_table(written(*rows))
    assert frame["lab"].tolist() == ["41", "7.5", "<5", "8"]
    assert frame["when"].tolist() == ["2024-03-01", "soon", "09:30:00", "1"]


def test_errors_of_a_spreadsheet_count_as_missing_among_numbers(written):
    from blindauc.preprocessing import column_kinds

    frame = read_table(written(["ratio"], *([k / 7] for k in range(30)), ["#DIV/0!"], ["#REF!"], ["#N/A"]))
    assert column_kinds(frame)["ratio"].kind == "numeric"


def test_blank_rows_and_columns_are_left_out(written):
    frame = read_table(
        written([], [None, None], ["a", None, "b", None, None], [], [1, None, 2, None, " "], [None], [3])
    )
    assert frame.fillna(0).to_dict("list") == {"a": [1, 3], "b": [2, 0]}


def test_a_column_with_values_and_no_name_is_called_by_its_number(written):
    assert list(read_table(written(["a", None, "c"], [1, 2, 3]))) == ["a", "column 2", "c"]


def test_a_sheet_is_chosen_by_name_or_number(written):
    path = written(Notes=[["text"], ["hello"]], **{"2024": [["a"], [24]], "2023": [["a"], [23]]})
    assert list(read_table(path)) == ["text"]
    assert read_table(path, sheet="2024")["a"].tolist() == [24]
    assert read_table(path, sheet=3)["a"].tolist() == [23]
    assert read_table(path, sheet="3")["a"].tolist() == [23]
    for wrong in ("2022", "0", "4", "notes", -1):
        with pytest.raises(TableError, match=rf"has no sheet '{wrong}': its sheets are 'Notes', '2024', '2023'"):
            read_table(path, sheet=wrong)


def test_the_names_may_be_further_down(written, tmp_path):
    path = written(["Patients of 2024"], [], ["a", "b", "c"], [1, 2, 3], name="titled.xlsx")
    with pytest.raises(TableError, match=r"has 1 name, 'Patients of 2024', for 3 columns: .*header_row"):
        read_table(path)
    assert read_table(path, header_row=3).to_dict("list") == {"a": [1], "b": [2], "c": [3]}
    with pytest.raises(TableError, match=r"has 4 rows, and none with column names at row 9 \(header_row\)"):
        read_table(path, header_row=9)
    with pytest.raises(TableError, match=r"at row 2 \(header_row\)"):
        read_table(path, header_row=2)
    text = tmp_path / "titled.csv"
    text.write_text('Patients of 2024\n"two\nlines"\na,b\n1,2\n3,4\n', encoding="utf-8")
    assert read_table(text, header_row=3).to_dict("list") == {"a": [1, 3], "b": [2, 4]}
    with pytest.raises(TableError, match="header_row"):
        read_table(text, header_row=9)


@pytest.mark.parametrize("options", [{"sheet": 1}, {"header_row": 0}, {"header_row": -1}])
def test_places_that_a_file_of_text_does_not_have(options, tmp_path):
    (tmp_path / "table.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(TableError, match=next(iter(options))):
        read_table(tmp_path / "table.csv", **options)


def test_a_parquet_file_has_no_row_of_names(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "table.parquet")
    with pytest.raises(TableError, match="header_row"):
        read_table(tmp_path / "table.parquet", header_row=1)


def test_parts_are_slices(written):
    path = written(["a", "b"], *([k, f"text {k}"] for k in range(10)))
    whole = read_table(path)
    parts = list(read_table_in_parts(path, 4))
    assert [len(part) for part in parts] == [4, 4, 2]
    pd.testing.assert_frame_equal(pd.concat(parts), whole)


BAD = {
    "empty": (lambda path: path.write_bytes(b""), "damaged, truncated or not a workbook"),
    "text": (lambda path: path.write_bytes(b"a,b\n1,2\n"), "damaged, truncated or not a workbook"),
    "old": (
        lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "has a password or comes from Excel before 2007",
    ),
    "cut short": (lambda path: path.write_bytes(workbook_bytes(path)[:-200]), "damaged"),
    "another archive": (lambda path: archive(path), "damaged"),
    "no cells": (lambda path: openpyxl.Workbook().save(path), "has an empty sheet"),
    "no rows": (lambda path: pd.DataFrame({"a": []}).to_excel(path, index=False), "no rows"),
    "names twice": (
        lambda path: pd.DataFrame([[1, 2]], columns=["a", "a"]).to_excel(path, index=False),
        "same name, 'a'",
    ),
}


def workbook_bytes(path):
    pd.DataFrame({"a": range(50)}).to_excel(path, index=False)
    return path.read_bytes()


def archive(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "hello")


@pytest.mark.parametrize("name", BAD)
def test_a_bad_workbook_gets_one_line(name, tmp_path):
    make, line = BAD[name]
    path = tmp_path / "table.xlsx"
    make(path)
    with pytest.raises(TableError, match=line) as told:
        read_table(path)
    assert str(told.value).startswith(str(path))
    assert str(told.value).isprintable()


def test_fit_score_and_audit_take_a_sheet(written, tmp_path):
    rows = [[f"P{k}", 30 + 7 * k % 41, "yes" if k % 20 == 0 else None] for k in range(60)]
    path = written(Notes=[["hello"]], Patients=[["Patients"], [], ["id", "age", "infection"], *rows])
    place = ("--sheet", "Patients", "--header-row", "3")
    fit = run(*FIT, path, *place, "--label", "infection", "--id", "id", "--out", tmp_path / "out")
    assert fit.exit_code == 0, fit.output
    assert run("score", tmp_path / "out", path, *place, "--out", tmp_path / "scores.xlsx").exit_code == 0
    assert read_table(tmp_path / "scores.xlsx")["row"].tolist() == list(range(1, 61))
    assert run("audit", tmp_path / "out", path, *place).exit_code == 0
    again = run("fit", "--config", tmp_path / "out" / "run.json", "--out", tmp_path / "again")
    assert again.exit_code == 0, again.output


def test_audit_knows_the_sheet_of_the_fit_and_takes_another_for_new_rows(written, tmp_path):
    names, out = ["id", "age", "infection"], tmp_path / "out"
    rows = [[f"P{k}", 30 + 7 * k % 41, "yes" if k % 20 == 0 else None] for k in range(60)]
    more = [[f"Q{k}", 50 + k % 7, "yes" if k % 3 == 0 else None] for k in range(30)]
    path = written(Notes=[["hello"]], Patients=[names, *rows], Later=[names, *more])
    fit = run(*FIT, path, "--sheet", "Patients", "--label", "infection", "--id", "id", "--out", out)
    assert fit.exit_code == 0, fit.output
    assert run("audit", out, path).stdout == run("audit", out, path, "--sheet", "Patients").stdout
    later = run("audit", out, path, "--sheet", "Later", "--json")
    assert later.exit_code == 0, later.output
    assert json.loads(later.stdout)[0]["id"].startswith("Q")
