"""Tables of decisions: words of spreadsheets, and what is wrong with them."""

import pandas as pd
import pytest

from blindauc.review.decisions import read_decision
from blindauc.review.exchange import Names, read_decisions

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.mark.parametrize(
    ("word", "label", "meant"),
    [
        ("RIGHT ", "positive", "right"),
        ("w", "positive", "wrong"),
        ("negative", "positive", "wrong"),
        ("Cannot  tell", "unlabelled", "cannot tell"),
        ("?", "positive", "cannot tell"),
        ("right", "unlabelled", "positive"),
        ("disagreement", "positive", None),
        ("2", "positive", None),
    ],
)
def test_words_of_spreadsheets(word, label, meant):
    assert read_decision(word, label) == meant


NAMES = Names(["P1", "P2", "=P3", "P4"], frozenset({1, 2, 3}))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"row": [1], "verdict": ["right"]}, "^The table has no column 'decision': add it with"),
        ({"patient": ["P1", "P2", None], "decision": ["right"] * 3}, "'id' or 'row': perhaps 'patient' is the id"),
        ({"ward": ["a", "b"], "decision": ["right"] * 2}, "^The table has no column 'id' or 'row': add one of them"),
        ({"patient": ["P4"]}, "no column 'decision', and none called 'id' or 'row': add it with .* perhaps 'patient'"),
        ({"row": [1, 2], "decision": ["right", "perhaps"]}, "Data row 2 says 'perhaps'"),
        ({"row": [1, 9], "decision": ["right", "right"]}, "Data row 2 names row '9', but the rows go from 1 to 4"),
        ({"row": [0], "decision": ["right"]}, "the rows go from 1 to 4"),
        ({"id": ["P9"], "decision": ["right"]}, "no row has that name"),
        ({"id": ["P1", "P1"], "decision": ["right", "wrong"]}, "Data rows 1 and 2 both decide on row 1"),
        ({"id": ["P1"], "row": [2], "decision": ["right"]}, "row 1, but also row 2"),
        ({"id": [None], "decision": ["right"]}, "neither id nor row"),
        ({"row": [1, 2], "decision": [None, " "]}, "blank in every row"),
        ({"row": [1], "decision": ["right"], "note": ["x" * 3000]}, "Data row 1: A note"),
    ],
)
def test_what_is_wrong_with_a_table_of_decisions(cells, words):
    with pytest.raises(ValueError, match=words):
        read_decisions(pd.DataFrame(cells), NAMES, "Ada")


def test_decisions_of_a_table():
    table = pd.DataFrame(
        {"id": ["P1", "'=P3", "P4", "P2"], "decision": ["Wrong", "right", "wrong", None], "note": ["why", None, "", ""]}
    )
    read = read_decisions(table, NAMES, "Ada")
    assert [(each.row, each.label, each.decision, each.note) for each in read] == [
        (1, "positive", "wrong", "why"),
        (3, "positive", "right", ""),
        (4, "unlabelled", "negative", ""),
    ]
