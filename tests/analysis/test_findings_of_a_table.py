"""A small table with known answers through `analyse`: what is ranked, doubted, kept and told."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from patients import N_ROWS, WRONG

from blindauc import BlindAUCClassifierCV
from blindauc.analysis import analyse
from blindauc.analysis.scoring import PROBABILITY
from blindauc.analysis.selection import selection_frequency
from blindauc.preprocessing import feature_groups
from blindauc.report.findings import Findings

pytestmark = pytest.mark.usefixtures("few_candidates")


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
