"""Tables of text: the cells that a slow reading finds, however they are written."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_files import AS_TEXT, assert_parts_are_slices, written

from blindauc.datasets import layouts
from blindauc.datasets.tables import read_table
from blindauc.preprocessing import column_kinds, make_preprocessor

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


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
