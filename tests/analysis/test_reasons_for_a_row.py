"""Reasons for the score of a row: pulls that add up, in words."""

import numpy as np
import pandas as pd
import pytest

from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import NEGLIGIBLE, NO_REASON, pulls, reasons, rounded
from blindauc.preprocessing import feature_groups, group_names, make_preprocessor

pytestmark = pytest.mark.usefixtures("few_candidates")


def labelled_rows(table, found):
    labelled = table[table["infected"].notna()]
    return steps_of(found.model), labelled, found.model[0].transform(labelled)


def test_pulls_add_up_what_comes_from_a_column(table, found):
    steps, _, X = labelled_rows(table, found)
    source, coef = feature_groups(steps.preprocessor), steps.ranking.coef_
    slow = np.zeros((len(X), source.max() + 1))
    for i in range(len(X)):
        for j in range(X.shape[1]):
            slow[i, source[j]] += coef[j] * X[i, j]
    slow -= np.median(slow, axis=0)
    assert pulls(steps, X) == pytest.approx(slow)


def test_reasons_name_the_strongest_pulls_in_words(table, found):
    steps, labelled, X = labelled_rows(table, found)
    names, pull = group_names(steps.preprocessor), pulls(steps, X)
    for row, text in enumerate(reasons(steps, labelled, X)):
        strongest = sorted(range(len(names)), key=lambda s: pull[row, s])[:3]
        worth = [s for s in strongest if pull[row, s] < 0 and pull[row, s] <= NEGLIGIBLE * pull[row, strongest[0]]]
        expected = []
        for s in worth:
            column, prefix = labelled[names[s]], "" if expected else "labelled rows: "
            cell = column.iloc[row]
            if column.dtype.kind == "f":
                usual = f"typically {rounded(column.median())}"
                value = "missing" if np.isnan(cell) else rounded(cell)
            else:
                mode = column.mode()[0]
                share = (column == mode).mean()
                usual = (
                    f"mostly {mode}"
                    if share > 0.5 and cell != mode
                    else f"{100 * (column == cell).mean():.0f} % the same"
                )
                value = cell
            expected.append(f"{names[s]} {value} ({prefix}{usual})")
        assert text == ("; ".join(expected) or NO_REASON)


class Weights:
    """A linear score, of which reasons are asked."""

    def __init__(self, coef):
        self._coef = np.array(coef)

    def reasons(self, X):
        return np.column_stack([X * self._coef, np.zeros(len(X))])


def test_reasons_speak_of_dates_and_of_what_is_missing():
    frame = pd.DataFrame(
        {
            "seen": ["2020-01-01", "2020-03-01", "2020-03-02", None],
            "lab": [1.0, np.nan, np.nan, np.nan],
            "smokes": ["yes", "yes", "yes", None],
        }
    )
    preprocessor = make_preprocessor(frame).fit(frame)
    assert group_names(preprocessor) == ["lab", "smokes", "seen"]
    names = preprocessor.get_feature_names_out().tolist()
    coef = dict.fromkeys(names, 0.0) | {"seen": 1.0, "lab missing": 2.0, "smokes missing": -100.0}
    steps = Steps(preprocessor, Weights([coef[name] for name in names]))
    said = reasons(steps, frame, preprocessor.transform(frame))
    assert said[0] == "seen 2020-01-01 (labelled rows: typically 2020-03-01)"
    assert said[3] == "smokes missing (labelled rows: mostly yes)"
    assert said[2] == NO_REASON
    only_lab = Steps(preprocessor, Weights([float(name == "lab missing") for name in names]))
    assert reasons(only_lab, frame, preprocessor.transform(frame))[0] == "lab 1 (labelled rows: mostly missing)"


def test_a_usual_category_that_still_pulls_down_is_told_by_its_share():
    frame = pd.DataFrame({"ward": ["A", "A", "B", "C", "D"]})
    preprocessor = make_preprocessor(frame).fit(frame)
    steps = Steps(preprocessor, Weights([-1.0, 0.0, 1.0, 2.0]))
    assert reasons(steps, frame, preprocessor.transform(frame))[0] == "ward A (labelled rows: 40 % the same)"
