"""A small table with known answers through `analyse`, and each step of it against a slow, obvious version."""

import csv
import hashlib
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from blindauc import BlindAUCClassifierCV, load, save
from blindauc.analysis import analyse, audit, provenance, read_labels_of, score_table, scored_parts, unused_columns
from blindauc.analysis import scoring as scoring_module
from blindauc.analysis.auditing import WRONG_SO_FAR
from blindauc.analysis.cells import check_cells
from blindauc.analysis.grouping import column_groups, sparsity_of
from blindauc.analysis.labels import find_labels, notes_on_labels
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import NEGLIGIBLE, NO_REASON, distances, pulls, reasons, rounded
from blindauc.analysis.scoring import PROBABILITY
from blindauc.analysis.selection import selection_frequency
from blindauc.analysis.spreadsheets import write_csv
from blindauc.cli.wording import as_options
from blindauc.preprocessing import feature_groups, group_names, make_preprocessor
from blindauc.report.findings import Findings
from blindauc.scorers import LinearModel

pytestmark = pytest.mark.usefixtures("few_candidates")

N_ROWS = 200
WRONG = {f"=P{i}" for i in range(N_ROWS - 4, N_ROWS)}


def patients(n=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    is_ill = np.arange(n) < n // 3
    is_labelled = (np.arange(n) < n // 6) | (np.arange(n) >= n - 4)  # the last four are wrong
    table = pd.DataFrame(
        {
            "patient": [f"=P{i}" for i in range(n)],
            "crp day 1": np.round(rng.gamma(2, 10, n) + 60 * is_ill, 1),
            "crp day 2": np.round(rng.gamma(2, 10, n) + 60 * is_ill, 1),
            "fever": np.where(rng.random(n) < np.where(is_ill, 0.9, 0.1), "yes", "no"),
            "ward": rng.choice(["A", "B", "C"], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(20, 90, n)),
            "site": "Bonn",
            "remark": "nothing",
            "infected": np.where(is_labelled, "yes", None),
        }
    )
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.fixture(scope="module")
def table():
    return patients()


@pytest.fixture(scope="module")
def found(table):
    return analyse(
        table, "infected", id="patient", drop=["remark"], groups="(.*) day", name="<b>patients</b>", shape="linear"
    )


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


# --- the whole --------------------------------------------------------------------------------------------------------


def test_a_ranking_of_all_rows(table, found):
    ranking = found.ranking
    assert ranking.columns.tolist() == ["id", "row", "rank", "score", *PROBABILITY, "labelled", "reason"]
    assert sorted(ranking["row"]) == list(range(1, N_ROWS + 1))
    assert ranking["score"].is_monotonic_decreasing
    assert ranking["probability_low"].is_monotonic_decreasing
    assert ranking["probability_high"].is_monotonic_decreasing
    # By the definition of a rank.
    assert ranking["rank"].tolist() == [1 + int((ranking["score"] > score).sum()) for score in ranking["score"]]
    by_row = ranking.sort_values("row")
    assert by_row["id"].tolist() == table["patient"].tolist()
    assert by_row["labelled"].tolist() == table["infected"].notna().tolist()


def test_wrong_labels_are_the_most_doubtful(found):
    assert set(found.doubtful["id"][:4]) == WRONG
    assert "crp day" in found.doubtful["reason"][0]
    assert "labelled rows: typically" in found.doubtful["reason"][0]


def test_false_alarms_are_the_right_labels_so_far(found):
    suspicion = found.doubtful["suspicion"].to_numpy()
    assert (np.diff(suspicion) <= 0).all()
    slow = [np.mean([1 - other for other in suspicion if other >= one]) for one in suspicion]
    assert found.doubtful["false_alarms"].to_numpy() == pytest.approx(slow)


def test_weights_are_those_of_columns_of_unit_spread_over_the_unlabelled_rows(table, found):
    features = found.features
    assert features["source"][0].startswith("crp day")
    assert features["direction"][0] == "raises"
    model = found.model
    X = pd.DataFrame(model[0].transform(table), columns=model[0].get_feature_names_out())
    unlabelled = X[table["infected"].isna()]
    for _, row in features.iterrows():
        place = X.columns.get_loc(row["column"])
        assert row["weight"] == pytest.approx(model[-1].coef_[place] * unlabelled[row["column"]].std(ddof=0))
        assert row["inclusion"] == model[-1].inclusion_[place]
        assert row["selected"] == model[-1].support_[place]
    assert features.loc[features["selected"], "inclusion"].min() >= 0.5 > features["inclusion"].min()
    assert features.loc[features["source"] == "crp day 1", "frequency"].between(0.9, 1).all()


def test_columns_that_were_not_used_have_a_reason(found):
    asked = found.findings.asked
    assert asked.set_aside["remark"] == "left out, as asked"
    assert asked.set_aside["patient"] == "names the rows"
    assert asked.set_aside["site"] == "'site' is 'Bonn' in every row"
    assert (asked.n_rows, asked.n_labelled, asked.n_columns) == (N_ROWS, N_ROWS // 6 + 4, 5)
    assert asked.data == "<b>patients</b>"


def test_findings_agree_with_each_other(found):
    findings = found.findings
    assert Findings.from_json(findings.to_json()) == findings
    # The curve weighs labels by their suspicion, the AUC averages over all mixtures that explain the ranks.
    assert findings.auc.low <= np.trapezoid(findings.roc.y, findings.roc.x) <= findings.auc.high
    curve = findings.roc
    assert all(low <= y <= high for low, y, high in zip(curve.low, curve.y, curve.high, strict=True))
    assert sum(findings.ranks.labelled) == pytest.approx(1)
    assert sum(findings.ranks.unlabelled) == pytest.approx(1)
    assert max(findings.ranks.unlabelled) < 0.1
    assert findings.ranks.labelled[-1] > 0.1
    assert [each.name for each in findings.tuning] == ["l2", "n_features_to_select", "n_outliers"]
    assert len(findings.baselines) == 2
    assert findings.n_doubtful == len(found.model[-1].doubtful_labels())
    assert [doubt.name for doubt in findings.doubts] == found.doubtful["id"].tolist()
    assert [feature.column for feature in findings.features] == found.features["column"].tolist()


def test_tuning_shows_the_best_of_each_value(found):
    results, chosen = found.model[-1].cv_results_, found.model[-1].best_params_
    shown = next(each for each in found.findings.tuning if each.name == "n_outliers")
    for value, score in zip(shown.values, shown.scores, strict=True):
        # Of those that were judged by the most splits.
        _, slow = max(
            (n_splits, score)
            for params, n_splits, score in zip(
                results["params"], results["n_splits"], results["mean_test_score"], strict=True
            )
            if params["n_outliers"] == value and params["scaling"] == chosen["scaling"]
        )
        assert score == slow
    for each in found.findings.tuning:
        assert each.chosen in each.values
        assert each.chosen == chosen[each.name]


@pytest.fixture(scope="module")
def tiny():
    return pd.DataFrame({"x": np.arange(12.0), "y": ["yes"] * 2 + [""] * 10, "z": np.arange(12.0) % 5})


def test_too_few_labels_for_folds_still_give_findings(tiny):
    found = analyse(tiny, "y", shape="linear")
    findings = Findings.from_json(found.findings.to_json())
    assert findings.tuning == findings.baselines == []
    assert set(findings.roc.low) == {0.0}
    assert set(findings.roc.high) == {1.0}
    assert {feature.frequency for feature in findings.features} == {None}
    assert found.ranking.columns[0] == "row"
    assert findings.doubts[0].name == str(findings.doubts[0].row)


def test_the_index_of_a_table_does_not_matter(tiny):
    found, again = analyse(tiny, "y", shape="linear"), analyse(tiny.set_axis(np.repeat(7, 12)), "y", shape="linear")
    pd.testing.assert_frame_equal(again.ranking, found.ranking)
    pd.testing.assert_frame_equal(again.doubtful, found.doubtful)


STAGES = ["deep", None, "superficial", "none so far"] * (N_ROWS // 4)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"drop": ["remrk"]}, "no column 'remrk' for drop=: did you mean 'remark'?"),
        ({}, {"id": "name"}, "no column 'name' for the names of the rows"),
        ({}, {"id": "ward"}, "a different value in every row"),
        ({}, {"id": "infected"}, "'infected' holds the labels and cannot be named with id= as well"),
        ({}, {"drop": ["infected"]}, "'infected' holds the labels and cannot be named with drop= as well"),
        ({}, {"groups": {"infected": "a"}}, "'infected' holds the labels and cannot be named with groups= as well"),
        ({"patient": None}, {"id": "patient"}, "'patient' should name every row.*data row 1"),
        (
            {"copy": lambda frame: frame["infected"]},
            {},
            "'copy' repeats the labels in every row.*drop=.*allow_leaks=",
        ),
        ({"copy": lambda frame: frame["infected"].fillna("no")}, {}, "'copy' repeats the labels"),
        ({"copy": lambda frame: frame["infected"].isna()}, {}, "'copy' repeats the labels"),
        (
            {"infected": STAGES, "copy": lambda frame: frame["infected"].str.upper(), "again": STAGES},
            {"positive": "deep"},
            "'copy' repeats the labels in every row, 'again' repeats",
        ),
        ({}, {"groups": "(zzz)"}, "No column matches"),
        ({}, {"groups": "(infected)"}, "No column matches"),
        ({"empty": None}, {}, "a column without a value in any row, 'empty'"),
        ({"ratio": np.inf}, {}, "a column with infinite numbers, 'ratio' in 200 rows"),
        ({"day": ["03/04/2021", "05/06/2021"] * 100}, {}, "day and month cannot be told apart, 'day'"),
    ],
)
def test_what_makes_no_sense_is_told_before_anything_is_fitted(table, monkeypatch, change, options, message):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *_: pytest.fail("this was fitted"))
    with pytest.raises(ValueError, match=message) as error:
        analyse(table.assign(**change), "infected", **options, shape="linear")
    assert "\n" not in str(error.value)


def test_without_columns_nothing_can_be_learnt():
    with pytest.raises(ValueError, match="No column is left"):
        analyse(pd.DataFrame({"y": ["yes", "yes", ""]}), "y", shape="linear")


# --- rows with leverage -----------------------------------------------------------------------------------------------

MISREAD = 3
"""Among the labelled rows: one whose label is right."""


@pytest.fixture(scope="module")
def misread(table):
    """The table with one labelled row whose measurements are in another unit, and its place."""
    place = np.flatnonzero(table["infected"].notna())[MISREAD]
    changed = table.copy()
    changed.loc[place, ["crp day 1", "crp day 2"]] = 90_000.0
    return changed, place


@pytest.fixture(scope="module")
def found_apart(misread):
    return analyse(misread[0], "infected", id="patient", drop=["remark"], groups="(.*) day", shape="linear")


def test_a_row_with_leverage_is_the_most_doubtful_and_says_why(misread, found_apart):
    ranking, first = found_apart.model[-1], found_apart.doubtful.iloc[0]
    assert np.flatnonzero(ranking.leverage_).tolist() == [MISREAD]
    assert (first["row"], first["suspicion"], first["false_alarms"]) == (misread[1] + 1, 1.0, 0.0)
    n_columns = ranking.leverage_[MISREAD]
    words = r"crp day \d 90000 \(labelled rows: typically [\d.]+\); crp day \d 90000 \(typically [\d.]+\)"
    assert re.fullmatch(f"unlike all other rows, unusual in {n_columns} columns: {words}", first["reason"])
    assert not found_apart.doubtful["reason"][1:].str.contains("unlike").any()
    assert misread[1] == ranking.doubtful_labels()[0]
    assert found_apart.findings.doubts[0].reason == first["reason"]


def test_a_row_with_leverage_is_audited_as_it_was_fitted(misread, found_apart, tmp_path):
    save(found_apart.model, tmp_path / "model.skops")
    again = audit(load(tmp_path / "model.skops"), misread[0], "infected", id="patient", training=True)
    pd.testing.assert_frame_equal(again, found_apart.doubtful)


def test_a_row_with_leverage_leaves_the_rest_as_it_was(misread, found, found_apart):
    ranking, findings = found_apart.model[-1], found_apart.findings
    assert np.flatnonzero(np.isnan(ranking.held_out_rank_)).tolist() == [misread[1]]
    assert Findings.from_json(findings.to_json()) == findings
    # The curve weighs labels by their suspicion, the AUC averages over all mixtures that explain the ranks.
    assert findings.auc.low <= np.trapezoid(findings.roc.y, findings.roc.x) <= findings.auc.high
    assert sum(findings.ranks.labelled) == pytest.approx(1)
    assert set(found_apart.doubtful["id"][1:5]) == WRONG
    # In units of the other rows' spread: its own values would make these weights a thousand times as large.
    strongest = found.features.set_index("column")["weight"].iloc[:2]
    weights = found_apart.features.set_index("column")["weight"][strongest.index]
    assert (weights / weights.iloc[0]).to_numpy() == pytest.approx(strongest / strongest.iloc[0], rel=0.3)


def test_the_columns_of_a_row_with_leverage_are_those_in_which_it_is_furthest_out(misread, found_apart):
    steps = steps_of(found_apart.model)
    labelled = misread[0][misread[0]["infected"].notna()]
    X = steps.preprocessor.transform(labelled)
    source = feature_groups(steps.preprocessor)
    deviation = np.abs(X - np.median(X, axis=0)) / steps.ranking.spread_
    slow = [[max(row[source == s]) for s in range(source.max() + 1)] for row in deviation]
    assert distances(steps, X) == pytest.approx(np.array(slow))
    alone = reasons(steps, labelled, X, np.where(np.arange(len(X)) == MISREAD, 1, 0))
    assert alone[MISREAD].startswith("unlike all other rows, unusual in 1 column: crp day")
    assert NO_REASON in alone


# --- how often columns would be selected ------------------------------------------------------------------------------


def test_frequencies_are_those_of_the_scalings_in_the_average(table, found, monkeypatch):
    ranking, asked = found.model[-1], []
    source = feature_groups(found.model[0])

    def recorded(selector, X, y, *, n_resamples, groups, random_state):
        asked.append((selector, n_resamples))
        return SimpleNamespace(group_frequency=np.full(source.max() + 1, float(len(asked))))

    monkeypatch.setattr("blindauc.analysis.selection.stability_selection", recorded)
    monkeypatch.setattr("blindauc.analysis.selection.N_HALVES", 20)
    X, y = found.model[0].transform(table), table["infected"].notna().to_numpy()
    frequency = selection_frequency(ranking, X, y, source)
    weight_of = pd.Series(ranking.cv_results_["weight"]).groupby(ranking.cv_results_["param_scaling"]).sum()
    scalings = [selector.scaling for selector, _ in asked]
    assert sorted(scalings) == sorted(weight_of[weight_of > 0].index)
    assert frequency == pytest.approx(sum(weight_of[name] * (k + 1) for k, name in enumerate(scalings)))
    for selector, n_resamples in asked:
        of_scaling = ranking.cv_results_["param_scaling"] == selector.scaling
        leading = np.argmax(np.where(of_scaling, ranking.cv_results_["weight"], -1))
        assert selector.l2 == ranking.cv_results_["params"][leading]["l2"]
        assert n_resamples == 20 // len(asked)
        assert selector.n_features_to_select == len(np.unique(ranking.groups[ranking.support_]))


# --- held-out ranks ---------------------------------------------------------------------------------------------------


def test_every_row_of_any_weight_has_a_held_out_rank():
    rng = np.random.default_rng(0)
    y = np.arange(60) < 20
    X, weight = rng.normal(size=(60, 2)) + y[:, None], rng.integers(0, 3, 60)
    model = BlindAUCClassifierCV(shape="linear", n_repeats=1, l2=1.0, scaling="none").fit(X, y, sample_weight=weight)
    assert np.array_equal(np.isnan(model.held_out_rank_), weight == 0)
    there = (weight > 0) & ~y
    assert np.average(model.held_out_rank_[there], weights=weight[there]) == pytest.approx(0.5)
    assert model.held_out_rank_[y & (weight > 0)].mean() > 0.6


# --- reasons ----------------------------------------------------------------------------------------------------------


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


# --- files ------------------------------------------------------------------------------------------------------------

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "a=1",
    "a\nb",
    'a"b,c',
    "ü",
    "",
]


def test_nothing_in_a_file_is_a_formula(tmp_path):
    frame = pd.DataFrame({"=name": HOSTILE, "score": -np.arange(13.0), "n": pd.array([-1, None] * 6 + [3], "Int64")})
    frame["kind"] = frame["=name"].astype("category")
    frame["mixed"] = pd.Series([-1, "-1", None] * 4 + [0.5], dtype=object)
    write_csv(frame, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["'=name", "score", "n", "kind", "mixed"]
    expected = ["'" * (place < 8) + cell for place, cell in enumerate(HOSTILE)]
    assert [row[0] for row in rows] == [row[3] for row in rows] == expected
    assert [float(row[1]) for row in rows] == frame["score"].tolist()
    assert [row[2] for row in rows] == ["-1", ""] * 6 + ["3"]
    assert [row[4] for row in rows] == ["-1", "'-1", ""] * 4 + ["0.5"]


def test_parts_are_written_as_one_table(tmp_path):
    frame = pd.DataFrame({"a": range(7), "b": list("abcdefg")})
    write_csv(frame, tmp_path / "whole.csv")
    write_csv((frame[i : i + 3] for i in (0, 3, 6)), tmp_path / "parts.csv")
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()


def test_two_columns_may_look_alike_once_harmless(tmp_path):
    write_csv(pd.DataFrame([[1, 2]], columns=["=a", "'=a"]), tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text(encoding="utf-8-sig") == '"\'=a","\'=a"\n1,2\n'


def test_an_interrupted_file_is_not_there(tmp_path):
    def interrupted():
        yield pd.DataFrame({"a": [1]})
        raise KeyboardInterrupt

    (tmp_path / "table.csv").write_text("as before")
    with pytest.raises(KeyboardInterrupt):
        write_csv(interrupted(), tmp_path / "table.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "as before"


def test_provenance_holds_what_json_can(tmp_path):
    (tmp_path / "data.csv").write_bytes(b"a,b\n1,2\n")
    origin = provenance({"data": tmp_path, "drop": ("a",), "n": np.int64(3)}, {"data": tmp_path / "data.csv"}, seed=7)
    assert json.loads(json.dumps(origin)) == origin
    assert origin["arguments"] == {"data": str(tmp_path), "drop": ["a"], "n": 3}
    assert origin["data_sha256"] == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert origin["seed"] == 7
    assert origin["date"].endswith("+00:00")
    assert set(origin["versions"]) >= {"blindauc", "python", "numpy", "scikit-learn"}
