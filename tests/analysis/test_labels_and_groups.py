"""What the values of a label column mean, and which columns go together."""

import numpy as np
import pandas as pd
import pytest

from blindauc.analysis import read_labels_of
from blindauc.analysis.grouping import column_groups, sparsity_of
from blindauc.analysis.labels import find_labels, notes_on_labels
from blindauc.cli.wording import as_options
from blindauc.preprocessing import make_preprocessor

pytestmark = pytest.mark.usefixtures("few_candidates")


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "positive", "meant"),
    [
        ([1, 0, 1, 0], None, "1"),
        ([1.0, np.nan, 1.0, np.nan], None, "1"),
        ([True, False, True, False], None, "True"),
        (["Yes", "no", "yes", "NO"], None, "yes"),
        (["septic", "", "septic", "  "], None, "septic"),
        (["septic", "NA", "septic", None], None, "septic"),
        (["+", "-", "+", "-"], None, "+"),
        (["positive", "unlabelled", "Positive", "unlabelled"], None, "Positive"),
        (["1", "-1", "1", "-1"], None, "1"),
        (["deep", "none", "deep", "superficial"], "deep", "deep"),
        (["a", "b", "A", "c"], "A", "A"),
        ([2, 1, 2, 3], "2", "2"),
        ([2.0, 1.0, 2.0, None], "2.0", "2"),
        (["na", "b", "na", "b"], "na", "na"),
    ],
)
def test_labels_by_value(cells, positive, meant):
    labels = read_labels_of(pd.DataFrame({"y": cells}), "y", positive)
    assert labels.is_positive.tolist() == [True, False, True, False]
    assert labels.positive == meant


@pytest.mark.parametrize(
    ("column", "cells", "positive", "message"),
    [
        ("Infectd", ["yes", ""], None, "no column 'Infectd' for the labels: did you mean 'infected'?"),
        ("zzz", ["yes", ""], None, "no column 'zzz' for the labels: its columns are 'infected'"),
        ("infected", ["yes", "yes"], None, "holds 'yes' in every row"),
        ("infected", ["yes", "yes"], "yes", "holds 'yes' in every row"),
        ("infected", ["", None], None, "blank in every row"),
        ("infected", ["", None], "yes", "its values are all blank"),
        ("infected", ["no", ""], None, "holds only 'no'"),
        ("infected", ["deep", "none so far", "other"], None, "3 different values .*positive="),
        ("infected", ["deep", "superficial"], None, "'deep' and 'superficial'.*positive="),
        ("infected", [1, 2], None, "'1' and '2'.*positive="),
        ("infected", ["yes", "true"], None, "'yes' and 'true'.*positive="),
        ("infected", ["yes", ""], "deep", "does not hold 'deep' in any row: its values are 'yes'"),
        ("infected", ["yes", "no", "no"], None, "At least two rows labelled 'yes'.*there is 1:"),
    ],
)
def test_labels_that_make_no_sense_are_told_in_one_line(column, cells, positive, message):
    with pytest.raises(ValueError, match=message) as error:
        read_labels_of(pd.DataFrame({"infected": cells}), column, positive)
    assert "\n" not in str(error.value)


def test_several_values_can_mean_positive_and_the_others_are_counted():
    cells = ["SSI", "no", "pneumonia", "suspected", "No", "NA", None, "", "ssi"]
    labels = read_labels_of(pd.DataFrame({"y": cells}), "y", ["SSI", "pneumonia", "ssi"])
    assert np.flatnonzero(labels.is_positive).tolist() == [0, 2, 8]
    assert labels.positive == "ssi or pneumonia"
    assert labels.others == {"no": 1, "suspected": 1, "No": 1}
    [note] = notes_on_labels(labels)
    told = (
        "Taken as unlabelled: no (1 row), suspected (1 row), No (1 row); if rows were verified as negative, pass them"
    )
    assert note == f"{told} with checked=."
    assert as_options(note) == f"{told} with --checked."
    assert notes_on_labels(read_labels_of(pd.DataFrame({"y": ["yes", "", "yes", "NA"]}), "y")) == []
    with pytest.raises(ValueError, match="does not hold 'SI' in any row"):
        read_labels_of(pd.DataFrame({"y": cells}), "y", ["pneumonia", "SI"])


def test_a_table_to_audit_may_hold_labelled_rows_only():
    assert find_labels(pd.DataFrame({"y": ["yes"]}), "y").is_positive.tolist() == [True]


# --- groups -----------------------------------------------------------------------------------------------------------


def test_groups_by_pattern_and_by_name():
    names = ["crp day 1", "crp day 2", "temp day 1", "crp", "age"]
    by_pattern = column_groups(names, r"^(\w+) day \d$")
    assert by_pattern == {"crp day 1": "crp", "crp day 2": "crp", "temp day 1": "temp"}
    assert column_groups(names, {"crp": "blood", "age": "person"}) == {"crp": "blood", "age": "person"}
    assert column_groups(names, None) == {}


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("(", "not a valid regular expression"),
        ("day", "one group in parentheses.*has 0"),
        ("(a)(b)", "has 2"),
        ("(zzz)", "No column matches"),
        ({"crpp": "blood"}, "'crpp', not among the columns: correct or remove them, for 'crpp' perhaps 'crp'"),
    ],
)
def test_groups_that_make_no_sense(groups, message):
    with pytest.raises(ValueError, match=message):
        column_groups(["crp", "age"], groups)


def test_columns_of_a_group_are_selected_together():
    frame = pd.DataFrame({"a 1": [1, 2, 3], "a 2": [3, 1, 2], "a": [2, 9, 4], "b": ["x", "y", "z"]})
    preprocessor = make_preprocessor(frame).fit(frame)
    parameters = sparsity_of(preprocessor, {"a 1": "a", "a 2": "a"})
    # The column called as the group is, stands alone.
    assert parameters["groups"].tolist() == [0, 0, 1, 2, 2, 2]
    assert parameters["sparsity"] == "group_l0"


def test_where_all_stand_alone_there_are_no_groups():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [3, 1, 2]})
    assert sparsity_of(make_preprocessor(frame).fit(frame), {}) == {}
