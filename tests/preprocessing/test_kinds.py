"""Kinds of columns guessed from values, and what would need guessing is refused."""

import datetime
import math

import numpy as np
import pytest
from mixed_tables import FAULTS, KINDS, N

from blindauc.preprocessing import ColumnKind, column_kinds, make_preprocessor

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case):
    expected, values = KINDS[case]
    [kind] = column_kinds(pd.DataFrame({"the column": values})).values()
    assert kind.kind == expected
    assert kind.reason.startswith("'the column' ")
    assert kind.is_used == (expected not in ("constant", "identifier", "text"))


@pytest.mark.parametrize("case", FAULTS)
def test_what_would_need_guessing_is_refused(case):
    values, words = FAULTS[case]
    frame = pd.DataFrame({"fine": np.arange(len(values)) % 7, "the column": values})
    for judge in (column_kinds, make_preprocessor):
        with pytest.raises(ValueError, match=words) as error:
            judge(frame)
        assert str(error.value).endswith("or leave such columns out with frame.drop(columns=...).")
        assert str(error.value).isprintable()  # so it is one line
    assert column_kinds(frame[["fine"]])


def test_all_faults_are_told_at_once():
    frame = pd.DataFrame({f"empty {i}": [None] * N for i in range(7)} | {"fine": [1, 2] * 30, "x": [1, math.inf] * 30})
    with pytest.raises(ValueError, match="7 columns without") as error:
        column_kinds(frame)
    assert str(error.value) == (
        "The table has 7 columns without a value in any row, 'empty 0', 'empty 1', 'empty 2', 'empty 3', 'empty 4' and "
        "2 more: fill in values, or leave such columns out with frame.drop(columns=...). The table has a column with "
        "infinite numbers, 'x' in 30 rows, the first of them data row 2: leave these cells blank, or leave such "
        "columns out with frame.drop(columns=...)."
    )


def test_who_gives_the_kind_takes_the_blame():
    frame = pd.DataFrame(
        {
            "day": ["03/04/2021", "05/06/2021"] * 1500,
            "zip": [f"Z{i % 1400}" for i in range(3000)],
            "x": [1, math.inf] * 1500,
            "empty": None,
        }
    )
    kinds = {"day": "date", "zip": "categorical", "x": "numeric", "empty": "constant"}
    X = make_preprocessor(frame, kinds=kinds).set_output(transform="pandas").fit_transform(frame)
    april, june = (datetime.date(2021, month, day) - datetime.date(1970, 1, 1) for month, day in ((4, 3), (6, 5)))
    assert X["day"].tolist()[:2] == [april.days, june.days]
    assert X["x missing"].tolist()[:2] == [0, 1]
    assert X.columns.tolist() == ["x", "x missing", "day", "zip rare"]


def test_reasons_are_words():
    frame = pd.DataFrame({"case": [f"P{i}" for i in range(49)] + ["P0"], "day": ["31/12/2020", "01/02/2020"] * 25})
    assert column_kinds(frame) == {
        "case": ColumnKind("identifier", "'case' differs in 98 % of the rows: looks like an identifier"),
        "day": ColumnKind("date", "'day' holds dates such as 31/12/2020, read as day/month/year"),
    }


@pytest.mark.parametrize("span", [1_000, 10_000, 100_000])
def test_measured_whole_numbers_are_no_identifiers(span):
    rng = np.random.default_rng(span)
    for n in (50, 300, 2000):
        frame = pd.DataFrame({f"{i}": rng.integers(0, span, n) for i in range(20)})
        assert {kind.kind for kind in column_kinds(frame).values()} == {"numeric"}
