"""A bend is found and told: effects, climbs, signs, shares of shapes, and whether it was worth it."""

import html
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from bent_table import ALL, BENT, analysed, encoded

from blindauc import BlindAUCClassifier, report
from blindauc.analysis.effects import interaction_findings
from blindauc.analysis.pipeline import Steps
from blindauc.analysis.selection import selection_frequency
from blindauc.analysis.summary_sheet import summary_table
from blindauc.cli.summary import summary
from blindauc.estimators.notebook import found as shown_in_a_notebook
from blindauc.explain import Effect, Interaction
from blindauc.preprocessing import make_preprocessor
from blindauc.report.bending import bending_sentence
from blindauc.report.findings import Findings

pytest.importorskip("lightgbm")
pytest.importorskip("skops.io")


@pytest.mark.parametrize("shape", BENT)
def test_a_bend_is_found_and_told(shape):
    analysis = analysed(shape)
    first = analysis.features.iloc[0]
    assert (first["column"], first["direction"]) == ("fluid", "raises or lowers")
    assert first["bends"] > 0.8
    strongest = analysis.findings.effects[0]
    middle = np.interp(0.0, strongest.values, strongest.contribution)
    assert middle < min(strongest.contribution[0], strongest.contribution[-1]) - 1
    if shape != "trees":  # of which there are too few here to be sure
        assert re.fullmatch(r"The score is lowest where fluid is (near|between) .*", strongest.words)
    assert analysis.findings.features[0].bends == first["bends"]
    assert analysis.ranking["reason"][analysis.ranking["reason"] != ""].iloc[0].startswith("fluid ")


@pytest.mark.parametrize("shape", BENT)
def test_effects_are_those_of_the_strongest_columns(shape):
    analysis = analysed(shape)
    ranking, names = analysis.model[-1], analysis.model[0].get_feature_names_out().tolist()
    sizes = [ranking.effects_[names.index(curve.column)].size for curve in analysis.findings.effects]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == sum(effect.size > 0 for effect in ranking.effects_)
    unit = {curve.column: (curve.unit, curve.source) for curve in analysis.findings.effects}
    assert unit["fluid"] == ("", "fluid")
    assert unit.get("seen", ("days", "seen")) == ("days", "seen")
    assert all(each == ("yes", "ward") for name, each in unit.items() if name.startswith("ward="))
    for curve in analysis.findings.effects:
        assert len(curve.values) == len(curve.contribution) == len(curve.low) == len(curve.high) == len(curve.share)
    assert sum(analysis.findings.effects[0].share) == pytest.approx(1)


def test_a_curve_is_what_changing_the_column_does_to_the_scores():
    analysis = analysed("curves")
    model, (X, _) = analysis.model[-1], encoded(analysis)
    curve = analysis.findings.effects[0]
    place = analysis.model[0].get_feature_names_out().tolist().index(curve.column)
    scores = []
    for value in curve.values:
        changed = X[:1].copy()
        changed[0, place] = value
        scores.append(model.decision_function(changed)[0])
    assert np.diff(curve.contribution) == pytest.approx(np.diff(scores))


def test_a_climb_is_that_of_the_curve():
    analysis = analysed("curves")
    scores = analysis.ranking["score"][~analysis.ranking["labelled"]].to_numpy()
    effects = dict(zip(analysis.model[0].get_feature_names_out(), analysis.model[-1].effects_, strict=True))
    for _, row in analysis.features.iterrows():
        effect = effects[row["column"]]
        start = 0.0 if row["unit"] == "yes" else effect.values[np.cumsum(effect.share) >= 0.5][0]
        moved = np.median(scores) + effect.at(start + row["step"]) - effect.at(start)
        slow = np.mean([(score < moved) + (score == moved) / 2 for score in scores]) - 0.5
        assert row["climb"] == pytest.approx(slow)
        assert abs(row["weight"]) == effect.size


def test_the_sign_of_a_weight_is_that_of_most_rows():
    values, share = np.array([0.0, 1.0, 2.0, 1e6]), np.array([0.4, 0.3, 0.29, 0.01])
    falls_but_far_out = np.array([1.0, 0.0, -1.0, 5.0])
    effect = Effect(values, falls_but_far_out, falls_but_far_out, falls_but_far_out, share, 2.0)
    assert effect.weight == -2.0
    flat = np.zeros(4)
    assert Effect(values, flat, flat, flat, share, 0.0).weight == 0.0


def test_whether_bending_was_worth_it_is_told_everywhere(tmp_path):
    analysis = analysed(*ALL)
    ranking, findings = analysis.model[-1], analysis.findings
    assert findings.bending.low > 0
    assert findings.shapes == pytest.approx(ranking.shapes_)
    assert Findings.from_json(findings.to_json()) == findings
    sentence = bending_sentence(findings.shapes, findings.bending)
    assert sentence in ranking.summary().splitlines()
    assert sentence in html.unescape(shown_in_a_notebook(ranking))
    assert sentence in summary(findings, tmp_path).splitlines()
    line = summary_table(findings, most_rows=1000).set_index("what").loc["gain in blind AUC over a linear score"]
    assert (line["value"], line["low"], line["high"], line["note"]) == (*findings.bending, sentence)
    assert "strongest columns: x0 \u00b1" in ranking.summary()
    report.write(findings, tmp_path / "report.html")
    assert "What the columns do" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_linear_score_says_nothing_of_bending(tmp_path):
    analysis = analysed("linear")
    assert analysis.findings.bending is None
    assert analysis.findings.interactions == []
    assert (analysis.features["bends"] == 0).all()
    assert "carry" not in analysis.model[-1].summary()
    assert "carry" not in summary(analysis.findings, tmp_path)


@pytest.mark.parametrize("shape", ["kernel", "trees"])
def test_what_selects_no_columns_says_so(shape, tmp_path):
    analysis = analysed(shape)
    lines = summary(analysis.findings, tmp_path)
    assert "columns used" in lines
    assert "they select none" in lines or "it selects none" in lines
    assert "columns selected" not in lines
    assert "columns used" in analysis.model[-1].summary()
    assert analysis.features["frequency"].isna().all()
    assert analysis.model[-1].groups is None  # there is nothing to select together


def test_pairs_of_one_source_are_not_told():
    frame = pd.DataFrame({"ward": ["A", "B", "C"] * 3, "age": [1.0, 2.0, 4.0] * 3})
    preprocessor = make_preprocessor(frame).fit(frame)
    names = preprocessor.get_feature_names_out().tolist()
    assert names == ["age", "ward=A", "ward=B", "ward=C"]
    pairs = [Interaction((1, 2), 0.5), Interaction((0, 2), 0.2), Interaction((0, 3), 0.1)]
    told_pairs = interaction_findings(Steps(preprocessor, SimpleNamespace(interactions_=pairs)))
    assert [(pair.first, pair.second, pair.size) for pair in told_pairs] == [
        ("age", "ward=B", 0.2),
        ("age", "ward=C", 0.1),
    ]


def test_what_was_tried_is_told_of_the_leading_shape():
    names = {shape: [tried.name for tried in analysed(shape).findings.tuning] for shape in BENT}
    assert names["curves"] == ["l2", "n_features_to_select", "n_outliers"]
    assert names["kernel"] == ["l2", "n_outliers"]
    assert names["trees"] == ["n_outliers", "n_rounds"]
    kernel = analysed("kernel")
    results, best = kernel.model[-1].cv_results_, kernel.model[-1].best_params_
    ridges = {params["l2"] for params in results["params"] if params["gamma"] == best["gamma"]}
    assert kernel.findings.tuning[0].values == sorted(ridges)


def test_frequencies_are_those_of_shapes_that_select(monkeypatch):
    def candidate(shape, scaling, weight):
        return {"shape": shape, "scaling": scaling, "l2": weight}, weight

    tried = [
        candidate("linear", "none", 0.1),
        candidate("linear", "none", 0.2),
        candidate("curves", "standard", 0.3),
        candidate("kernel", "standard", 0.4),
        candidate("linear", "standard", 0.0),
    ]
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) < 20
    ranking = SimpleNamespace(
        groups=None,
        support_=np.array([True, False, False]),
        best_estimator_=BlindAUCClassifier(shape="kernel"),
        cv_results_={"params": [params for params, _ in tried], "weight": np.array([weight for _, weight in tried])},
    )
    asked = []

    def recorded(selector, *_, **options):
        asked.append((selector.shape, selector.l2, selector.n_features_to_select, options["n_resamples"]))
        return SimpleNamespace(group_frequency=np.full(3, float(len(asked))))

    monkeypatch.setattr("blindauc.analysis.selection.stability_selection", recorded)
    frequency = selection_frequency(ranking, X, y, np.arange(3))
    assert asked == [("linear", 0.2, 1, 10), ("curves", 0.3, 1, 10)]
    assert frequency == pytest.approx(np.full(3, (0.3 * 1 + 0.3 * 2) / 0.6))
    ranking.cv_results_["weight"] = np.array([0.0, 0.0, 0.0, 1.0, 0.0])
    assert selection_frequency(ranking, X, y, np.arange(3)) is None
