"""New tables scored and audited, in parts as whole, and cells that cannot be read."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from patients import WRONG, patients

from blindauc import load, save
from blindauc.analysis import audit, score_table, scored_parts, unused_columns
from blindauc.analysis import scoring as scoring_module
from blindauc.analysis.auditing import WRONG_SO_FAR
from blindauc.analysis.cells import check_cells
from blindauc.analysis.pipeline import Steps
from blindauc.analysis.scoring import PROBABILITY
from blindauc.analysis.spreadsheets import write_csv
from blindauc.preprocessing import feature_groups, make_preprocessor
from blindauc.scorers import LinearModel

pytestmark = pytest.mark.usefixtures("few_candidates")


# --- scoring ----------------------------------------------------------------------------------------------------------


def test_scores_do_not_depend_on_the_order_or_on_further_columns(table, found):
    scores = score_table(found.model, table)
    assert scores["score"].to_numpy() == pytest.approx(found.model.decision_function(table))
    low, high = found.model[-1].predict_proba_interval(found.model[0].transform(table))
    assert scores["probability_low"].to_numpy() == pytest.approx(low)
    assert scores["probability_high"].to_numpy() == pytest.approx(high)
    turned = table[table.columns[::-1]].assign(more=1)
    pd.testing.assert_frame_equal(score_table(found.model, turned), scores)
    assert unused_columns(found.model, turned) == ["infected", "remark", "site", "patient", "more"]


def test_missing_columns_are_named_with_what_they_may_be_called(table, found):
    renamed = table.rename(columns={"crp day 1": "CRP day 1"}).drop(columns="ward")
    message = r"lacks 2 of the 5 columns that the model needs, 'crp day 1' \(perhaps 'CRP day 1'\), 'ward': add"
    with pytest.raises(ValueError, match=message):
        score_table(found.model, renamed)
    with pytest.raises(ValueError, match="lacks 5 of the 5"):
        score_table(found.model, table[["patient"]])


CELLS = pd.DataFrame(
    {"age": [41, 57, None, 38], "day": ["31/12/2020", "03/04/2021"] * 2, "smokes": ["yes", "no", "?", ""], "ward": "A"}
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"age": ["41", "NA", "", "1e3"], "day": ["2021-02-28", "?", None, "1/2/2021"], "smokes": [1, 0, None, 1]},
            None,
        ),
        ({"ward": [None, "B", "inf", 7]}, None),
        ({"age": [1, 2, np.inf, -np.inf]}, "'inf' in data row 13 of 'age' is not a number. Correct"),
        ({"age": ["1", "2", "3,5", "-inf"]}, "'3,5' in data row 13 of 'age' is not a number. Correct"),
        (
            {"day": ["2021-02-30", "", "", "soon"]},
            r"'2021-02-30' in data row 11 of 'day' is not a date \(day/month/year\)\.",
        ),
        ({"day": pd.to_datetime(["2021-02-28"] * 4)}, None),
        (
            {"smokes": ["yes", "no", "no", "sometimes"]},
            "'sometimes' in data row 14 of 'smokes' is not yes or no. Correct",
        ),
        (
            {"age": "old", "smokes": "x" * 99},
            f"'old' in data row 11 of 'age' is not a number, '{'x' * 60}' in data row 11",
        ),
    ],
)
def test_cells_that_cannot_be_read_are_not_taken_for_missing(change, message):
    preprocessor = make_preprocessor(CELLS).fit(CELLS)
    steps = Steps(preprocessor, SimpleNamespace(model_=LinearModel(np.ones(len(feature_groups(preprocessor))))))
    new, places = CELLS.assign(**change).set_axis(list("abcd")), np.arange(10, 14)
    if message is None:
        check_cells(steps, new, places)
        return
    with pytest.raises(ValueError, match=message) as error:
        check_cells(steps, new, places)
    assert str(error.value).isprintable()  # so it is one line


def test_the_row_of_such_a_cell_is_that_of_the_whole_table(table, found, tmp_path, monkeypatch):
    bad = table.copy()
    place = np.flatnonzero(bad["infected"].notna())[20]
    bad.loc[place, "crp day 1"] = np.inf
    words = f"'inf' in data row {place + 1} of 'crp day 1'"
    with pytest.raises(ValueError, match=words):
        score_table(found.model, bad)
    with pytest.raises(ValueError, match=words):
        audit(found.model, bad, "infected")
    bad.to_csv(tmp_path / "bad.csv", index=False)
    monkeypatch.setattr(scoring_module, "ROWS_OF_A_PART", 23)
    with pytest.raises(ValueError, match=words):
        write_csv(scored_parts(found.model, tmp_path / "bad.csv"), tmp_path / "scores.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_another_kind_of_model_is_refused(table, found):
    with pytest.raises(ValueError, match="not a BlindAUCClassifierCV: fit one to a table"):
        score_table(found.model[-1], table)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_scoring_in_parts_is_scoring_at_once(table, found, tmp_path, monkeypatch, ending):
    path = tmp_path / f"patients.{ending}"
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)
    monkeypatch.setattr(scoring_module, "ROWS_OF_A_PART", 23)
    parts = list(scored_parts(found.model, path, id="patient"))
    assert [len(part) for part in parts] == [23] * 8 + [16]
    whole = pd.concat(parts, ignore_index=True)
    assert whole.columns.tolist() == ["id", "row", "score", *PROBABILITY, "rank"]
    ranked = found.ranking.sort_values("row", ignore_index=True)[["id", "row", "rank"]]
    expected = pd.concat([ranked, score_table(found.model, table)], axis=1)[whole.columns]
    pd.testing.assert_frame_equal(whole, expected, check_dtype=False)


def test_a_model_comes_back_from_its_file(table, found, tmp_path):
    save(found.model, tmp_path / "model.skops")
    model = load(tmp_path / "model.skops")
    pd.testing.assert_frame_equal(score_table(model, table), score_table(found.model, table))
    again = audit(model, table, "infected", id="patient", training=True)
    pd.testing.assert_frame_equal(again, found.doubtful)


# --- auditing ---------------------------------------------------------------------------------------------------------


def test_the_training_table_is_audited_out_of_fold(table, found):
    pd.testing.assert_frame_equal(audit(found.model, table, "infected", id="patient", training=True), found.doubtful)
    with pytest.raises(ValueError, match="not the table that the model was fitted to"):
        audit(found.model, table[::-1].reset_index(drop=True), "infected", training=True)
    with pytest.raises(ValueError, match="not the table that the model was fitted to"):
        audit(found.model, table[:-1], "infected", training=True)


def test_what_a_model_ranks_by_is_no_label(table, found):
    with pytest.raises(ValueError, match="The model uses 'fever' as a feature"):
        audit(found.model, table, "fever")


def test_a_new_table_is_audited_by_its_scores(found):
    new = patients(seed=1)
    doubted = audit(found.model, new, "infected")
    assert doubted.columns.tolist() == ["row", "suspicion", "false_alarms", *WRONG_SO_FAR, "reason"]
    assert set(new["patient"].iloc[doubted["row"][:4] - 1]) == WRONG
    ranking = found.model[-1]
    scores = found.model.decision_function(new) - ranking.intercept_
    assert doubted["suspicion"].tolist() == ranking.calibration_.suspicion(scores[doubted["row"] - 1]).tolist()
