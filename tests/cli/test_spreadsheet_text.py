"""CSV as spreadsheets in Europe write it, and as they want to read it: encodings, commas, digits, trailing cells."""

import codecs

import numpy as np
import pytest
from command_line import FIT, run

from blindauc import read_table
from blindauc.analysis import write_csv
from blindauc.datasets import layouts
from blindauc.datasets.tables import Notation, TableError, notation_of, read_table_in_parts

pytestmark = pytest.mark.usefixtures("few_candidates")

pd = pytest.importorskip("pandas")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


@pytest.fixture
def read(path):
    def reading(content):
        path.write_bytes(content)
        return read_table(path)

    return reading


# --- in: letters ------------------------------------------------------------------------------------------------------


def test_windows_1252_is_read(read):
    frame = read("Größe;Straße;Preis\r\n1,75;Köln „Süd“;5 €\r\n1,80;Bern…;7 €\r\n".encode("cp1252"))
    assert list(frame) == ["Größe", "Straße", "Preis"]
    assert frame["Größe"].tolist() == [1.75, 1.8]
    assert frame["Straße"].tolist() == ["Köln „Süd“", "Bern…"]
    assert frame["Preis"].tolist() == ["5 €", "7 €"]


def test_letters_that_are_not_utf_8_may_come_late(path, monkeypatch):
    monkeypatch.setattr("blindauc.datasets.encodings.PIECE", 64)
    path.write_bytes(b"a,b\n" + b"1,x\n" * 500 + "2,é\n".encode("cp1252"))
    parts = list(read_table_in_parts(path, 100))
    assert parts[-1]["b"].iloc[-1] == "é"
    path.write_text("a,b\n" + "1,é\n" * 500, encoding="utf-8")  # pieces may end within a letter
    assert set(read_table(path)["b"]) == {"é"}


def test_one_pair_of_letters_that_looks_like_utf_8_is_no_matter(read):
    assert read("a,b\n1,«CAFÉ»\n2,déjà vu\n".encode("cp1252"))["b"].tolist() == ["«CAFÉ»", "déjà vu"]


def test_a_damaged_letter_does_not_turn_the_others_into_two(read):
    with pytest.raises(TableError, match=r"neither in UTF-8 nor in Windows-1252 \(see row 4"):
        read("a,b\n1,Müller\n2,Größe\n".encode() + b"3,\xe9\n")


# --- in: numbers ------------------------------------------------------------------------------------------------------


def test_thousands_and_decimal_commas(read):
    frame = read(b"a;b;c;d;e\n12.345,67;1.234;70,5;01.02.2020;1.234\n-1.234.567,8;999;81,25;03.02.2020;NA\n")
    assert frame["a"].tolist() == [12345.67, -1234567.8]
    assert frame["b"].tolist() == [1234, 999]
    assert frame["c"].tolist() == [70.5, 81.25]
    assert frame["d"].tolist() == ["01.02.2020", "03.02.2020"]
    assert frame["e"].tolist() == ["1234", "NA"]


def test_points_stay_decimal_points_where_some_cell_shows_that_they_are(read):
    frame = read(b"a;b;c\n12.345;70.5;1,5\n1.234;0.125;2,5\n")
    assert frame["a"].tolist() == [12.345, 1.234]
    assert frame["b"].tolist() == [70.5, 0.125]
    assert frame["c"].tolist() == [1.5, 2.5]


def test_points_stay_decimal_points_where_no_cell_has_a_comma(read):
    assert read(b"a;b\n12.345;x\n1.234;y\n")["a"].tolist() == [12.345, 1.234]


def test_tabs_with_decimal_commas(read):
    assert read(b"a\tb\n1,5\tx\n12.345,25\ty\n")["a"].tolist() == [1.5, 12345.25]
    assert read(b"a\tb\n1,234\tx\n5,678\ty\n")["a"].tolist() == ["1,234", "5,678"]  # perhaps English thousands


def test_the_same_in_parts_however_the_file_is_cut(path, monkeypatch):
    monkeypatch.setattr(layouts, "BLOCK", 64)
    path.write_text("a;b\n" + "".join(f"{k}.000,5;{k}.250\n" for k in range(1, 300)), encoding="utf-8")
    whole = read_table(path)
    assert whole["b"].tolist() == [1000 * k + 250 for k in range(1, 300)]
    pd.testing.assert_frame_equal(pd.concat(list(read_table_in_parts(path, 7))), whole)


# --- in: what spreadsheets add ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"a;b;;\n1;2;;\n3;4;;\n",
        b"a;b\n1;2;;\n3;4;;\n",
        b";a;b\n;1;2\n;3;4\n",
        b"a;b\n1;2\n3;4\n;\n;\n",
        b"a;b;;\r\n1;2;;\r\n;;;\r\n3;4;;\r\n;;;\r\n",
        b"a;b;;\r\n1;2;;\r\n;\r\n3;4;;\r\n;;;;;;\r\n",
        b"\xef\xbb\xbfa;b;\n1;2;\n3;4;\n",
    ],
)
def test_blank_columns_and_rows_are_left_out(content, read):
    assert read(content).to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_columns_without_a_name_stay_where_they_have_a_value(read):
    frame = read(b"a,,\n" + b"1,,\n" * 60 + b"1,x,\n")
    assert list(frame) == ["a", "column 2"]


def test_blank_cells_in_quotes_are_rows_where_there_is_one_column(read):
    assert read(b'a\nx\n""\n""\n')["a"].isna().tolist() == [False, True, True]


def test_a_row_with_more_values_than_names_is_told(read):
    with pytest.raises(TableError, match="has 3 cells in row 3"):
        read(b"a;b\n1;2\n3;4;5\n")


# --- out --------------------------------------------------------------------------------------------------------------


def test_notation_of_a_file(path, tmp_path):
    for content, expected in {
        b"a;b\n1,5;2\n": Notation(";", ","),
        b"a;b\n1;2\n": Notation(";", ","),
        b"a;b\n1.5;2\n": Notation(";", "."),
        b"a,b\n1.5,2\n": Notation(",", "."),
        b"a\tb\n1,5\t2\n": Notation("\t", ","),
        b"a\tb\n1\t2\n": Notation("\t", "."),
    }.items():
        path.write_bytes(content)
        assert notation_of(path) == expected
    pd.DataFrame({"a": [1.5]}).to_parquet(tmp_path / "table.parquet")
    assert notation_of(tmp_path / "table.parquet") == Notation(",", ".")


FRAME = pd.DataFrame({"id": ["A;1", "é"], "score": [2 / 3, -1.5], "n": [1, 2]})


@pytest.mark.parametrize("notation", [Notation(), Notation(";", ","), Notation(";", "."), Notation("\t", ",")])
@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz"])
def test_what_is_written_is_read_back(name, notation, tmp_path):
    write_csv(FRAME, tmp_path / name, notation)
    frame = read_table(tmp_path / name)
    assert frame["id"].tolist() == FRAME["id"].tolist()
    assert frame["score"].tolist() == [0.666667, -1.5]
    assert frame["n"].tolist() == [1, 2]


def test_separators_fit_the_ending_and_the_input(tmp_path):
    headers = {
        ("out.csv", Notation(";", ",")): '"id";"score";"n"',
        ("out.csv", Notation("\t", ",")): '"id";"score";"n"',
        ("out.csv", Notation("\t", ".")): '"id","score","n"',
        ("out.tsv", Notation(";", ",")): '"id"\t"score"\t"n"',
        ("from.tsv.csv", Notation(",", ".")): '"id","score","n"',
    }
    for (name, notation), header in headers.items():
        write_csv(FRAME, tmp_path / name, notation)
        assert (tmp_path / name).read_text(encoding="utf-8-sig").splitlines()[0] == header


def test_a_byte_order_mark_comes_first_and_only_once(path):
    write_csv([FRAME, FRAME], path)
    content = path.read_bytes()
    assert content.startswith(codecs.BOM_UTF8)
    assert content.count(codecs.BOM_UTF8) == 1
    assert list(pd.read_csv(path)) == ["id", "score", "n"]


def test_digits_are_sensible_and_those_of_the_user_are_kept(path):
    numbers = [2 / 3, 1e-7 / 3, 70.53, 1234567.25, 0.1 + 0.2, 1e9 / 7, np.nan, 12345678901.0, -0.0]
    write_csv(pd.DataFrame({"a": numbers}), path)
    lines = path.read_text(encoding="utf-8-sig").splitlines()[1:]
    assert lines == [
        "0.666667",
        "3.33333e-08",
        "70.53",
        "1234567.25",
        "0.3",
        "142857143.0",
        '""',
        "12345678901.0",
        "-0.0",
    ]


def test_a_fit_answers_in_the_notation_of_its_table(tmp_path):
    rows = [f"P{k};{30 + 7 * k % 41},5;{'ja' if k % 20 == 0 else ''};" for k in range(60)]
    table = tmp_path / "Patienten.csv"
    table.write_bytes("\r\n".join(["Fall;Größe;Infektion;", *rows, ";;;"]).encode("cp1252"))
    fit = run(*FIT, table, "--label", "Infektion", "--positive", "ja", "--id", "Fall", "--out", tmp_path / "out")
    assert fit.exit_code == 0, fit.output
    assert "60 rows" in fit.stdout
    first = (tmp_path / "out" / "ranking.csv").read_text(encoding="utf-8-sig").splitlines()
    assert first[0].startswith('"id";"row";')
    assert read_table(tmp_path / "out" / "ranking.csv")["score"].dtype == float
    assert run("score", tmp_path / "out", table, "--id", "Fall", "--out", tmp_path / "scores.csv").exit_code == 0
    assert notation_of(tmp_path / "scores.csv") == Notation(";", ",")
