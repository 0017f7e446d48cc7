"""Scores that bend, above the estimators: tables, findings, files, commands and what is said of them."""

import html
import json
import pickle
import re
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from command_line import run, told
from forging import forged, members_of
from test_model_files import assert_same

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, load, report, save
from blindauc.analysis import analyse, audit, compare, monitor, score_table, scored_parts
from blindauc.analysis import reasons as reasons_module
from blindauc.analysis import scoring as scoring_module
from blindauc.analysis.effects import interaction_findings
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import pulls, reasons_to_check
from blindauc.analysis.selection import selection_frequency
from blindauc.analysis.summary_sheet import summary_table
from blindauc.cli.summary import summary
from blindauc.estimators.notebook import found as shown_in_a_notebook
from blindauc.explain import Effect, Interaction, bends
from blindauc.model_files import ModelFileError
from blindauc.preprocessing import feature_groups, group_names, make_preprocessor
from blindauc.report.bending import bending_sentence
from blindauc.report.findings import Findings
from blindauc.scorers import LinearModel
from blindauc.scorers.curves import curves_of
from blindauc.scorers.forest import TreeModel

pytest.importorskip("lightgbm")
pytest.importorskip("skops.io")

N = 160
BENT = ("curves", "kernel", "trees")
ALL = ("linear", *BENT)


def patients(seed=0):
    """Much fluid is as bad as little, which no straight line can say."""
    rng = np.random.default_rng(seed)
    fluid = rng.normal(size=N)
    table = pd.DataFrame(
        {
            "fluid": fluid.round(2),
            "age": rng.integers(20, 90, N),
            "ward": rng.choice(["A", "B", "C"], N),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D"),
        }
    )
    return table.assign(infected=np.where((np.abs(fluid) > 1.1) & (rng.random(N) < 0.6), "yes", ""))


TABLE = patients()


FEW = {
    "choice.space.RIDGE_DECADES": (1, -1),
    "choice.space.NONLINEAR_RIDGE_DECADES": (1, -1),
    "estimators.space.OUTLIER_SHARES": (0.0, 0.1),
    "estimators.space.N_LEAVES": (4,),
    "estimators.space.N_ROUNDS": (5, 20),
    "estimators.tuning.REPEATED_BELOW": 0,
}


@pytest.fixture(scope="module", autouse=True)
def few_candidates():
    """So that searches are quick."""
    with pytest.MonkeyPatch.context() as patch:
        for name, values in FEW.items():
            patch.setattr(f"blindauc.{name}", values)
        yield


@cache
def analysed(*shapes):
    return analyse(TABLE, "infected", shape=list(shapes))


def encoded(analysis):
    X = analysis.model[0].transform(TABLE)
    return X, X[(TABLE["infected"] == "").to_numpy()]


# --- what is found ----------------------------------------------------------------------------------------------------


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


# --- reasons ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", BENT)
def test_pulls_add_up_to_the_scores(shape):
    analysis = analysed(shape)
    steps, (X, _) = steps_of(analysis.model), encoded(analysis)
    source, parts = feature_groups(steps.preprocessor), steps.ranking.reasons(X)
    slow = np.zeros((len(X), source.max() + 1))
    for i in range(len(X)):
        for j in range(X.shape[1]):
            slow[i, source[j]] += parts[i, j]
    assert slow.sum(axis=1) + parts[:, -1] == pytest.approx(steps.ranking.decision_function(X))
    assert pulls(steps, X) == pytest.approx(slow - np.median(slow, axis=0))


def test_reasons_are_asked_for_few_rows_only(monkeypatch):
    n, asked = 3000, []
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"crp": rng.normal(50, 10, n).round(1), "age": rng.normal(60, 10, n).round(1)})
    frame.loc[2998:, "crp"] = [98.0, 99.0]
    preprocessor = make_preprocessor(frame).fit(frame)

    class Counting:
        def reasons(self, X):
            asked.append(len(X))
            return np.column_stack([X * [1.0, 0.0], np.zeros(len(X))])

    steps, X, rows = Steps(preprocessor, Counting()), preprocessor.transform(frame), np.array([2999, 2998])
    assert group_names(preprocessor) == ["crp", "age"]
    said = reasons_to_check(steps, frame, X, np.ones(n, dtype=bool), rows)
    typical = f"{frame['crp'].median():.3g}"
    assert said == [f"crp {value} (unlabelled rows: typically {typical})" for value in (99, 98)]
    assert sum(asked) == len(rows) + reasons_module.COMPARED_ROWS
    monkeypatch.setattr(reasons_module, "BLOCK_ROWS", 100)
    assert reasons_to_check(steps, frame, X, np.ones(n, dtype=bool), rows) == said
    assert max(asked[2:]) == 100


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shapes", [*((shape,) for shape in BENT), ALL], ids="+".join)
def test_a_model_of_any_shape_comes_back_as_it_was(shapes, tmp_path):
    model = analysed(*shapes).model
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(vars(loaded[-1]), vars(model[-1]))
    pd.testing.assert_frame_equal(score_table(loaded, TABLE), score_table(model, TABLE))
    X, _ = encoded(analysed(*shapes))
    np.testing.assert_array_equal(loaded[-1].reasons(X), model[-1].reasons(X))
    assert loaded[-1].interactions() == model[-1].interactions()


@pytest.mark.parametrize("shape", ["kernel", "trees"])
def test_scoring_in_parts_is_scoring_at_once(shape, tmp_path, monkeypatch):
    model = analysed(shape).model
    TABLE.to_csv(tmp_path / "patients.csv", index=False)
    monkeypatch.setattr(scoring_module, "ROWS_OF_A_PART", 23)
    parts = list(scored_parts(model, tmp_path / "patients.csv"))
    assert [len(part) for part in parts] == [23] * 6 + [22]
    whole = pd.concat(parts, ignore_index=True)
    # Scores have 40 binary digits.
    assert whole["score"].to_numpy() == pytest.approx(score_table(model, TABLE)["score"].to_numpy(), abs=1e-11)
    assert whole["rank"].tolist() == analysed(shape).ranking.sort_values("row")["rank"].tolist()


@pytest.mark.parametrize("shape", ["linear", "curves"])
def test_files_of_many_columns_have_few_members(shape, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 60)), np.arange(80) < 30
    model = BlindAUCClassifier(shape=shape, solver="path", n_features_to_select=5).fit(X, y)
    save(model, tmp_path / "model.skops")
    assert len(members_of((tmp_path / "model.skops").read_bytes())) < 60
    assert_same(load(tmp_path / "model.skops").effects_, model.effects_)


def test_curves_are_the_same_after_packing():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50), np.ones(50), rng.integers(0, 2, 50), rng.integers(0, 4, 50)])
    curves = curves_of(X, np.ones(50))
    again = pickle.loads(pickle.dumps(curves))
    assert_same(again.of_column, curves.of_column)
    np.testing.assert_array_equal(again(X), curves(X))


def tampered_text(text, how):
    nodes = next(line for line in text.split("\n") if line.startswith("left_child="))
    feature = next(line for line in text.split("\n") if line.startswith("split_feature="))
    value = next(line for line in text.split("\n") if line.startswith("leaf_value="))
    return {
        "a node that is its own child": text.replace(nodes, nodes.replace(nodes.split("=")[1].split(" ")[0], "0", 1)),
        "a column that is not there": text.replace(feature, "split_feature=" + " ".join(["999999"] * 3)),
        "a value that is no number": text.replace(value, value.replace("=", "=nan ", 1)),
        "cut short": text[: len(text) // 2],
        "nothing": "",
        "columns without end": text.replace("max_feature_idx=5", "max_feature_idx=999999999"),
    }[how]


HOWS = [
    "a node that is its own child",
    "a column that is not there",
    "a value that is no number",
    "cut short",
    "nothing",
    "columns without end",
]


@pytest.mark.parametrize("how", HOWS)
def test_a_tampered_text_is_refused_in_one_line(how, tmp_path):
    model = pickle.loads(pickle.dumps(analysed("trees").model))
    trees = model[-1].model_
    assert isinstance(trees, TreeModel)
    text = tampered_text(trees.text, how)
    assert text != trees.text
    path = tmp_path / "model.skops"
    save(model, path)
    members = members_of(path.read_bytes())
    schema = members["schema.json"].decode()
    as_stored = json.dumps(json.dumps(trees.text))[1:-1]
    assert schema.count(as_stored) == 1
    schema = schema.replace(as_stored, json.dumps(json.dumps(text))[1:-1])
    if how == "columns without end":
        schema = schema.replace('"content": "6"', '"content": "1000000000"')
    path.write_bytes(forged(members | {"schema.json": schema.encode()}))
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))} ") as refusal:
        load(path)
    assert str(refusal.value).isprintable()
    told(run("score", path, tmp_path / "patients.csv"), str(path))


def test_a_tampered_text_deep_inside_is_found_as_well(tmp_path):
    model = analysed(*ALL).model
    parts = {"linear": LinearModel(np.ones(6)), "trees": analysed("trees").model[-1].model_}
    changed = pickle.loads(pickle.dumps(model))
    changed[-1].model_ = type(changed[-1].model_)(parts) if hasattr(changed[-1].model_, "parts") else parts["trees"]
    save(changed, tmp_path / "model.skops")
    members = members_of((tmp_path / "model.skops").read_bytes())
    schema = members["schema.json"].replace(b"end of trees", b"End of trees")
    (tmp_path / "model.skops").write_bytes(forged(members | {"schema.json": schema}))
    with pytest.raises(ModelFileError, match="The LightGBM text in the model is damaged or was edited"):
        load(tmp_path / "model.skops")


# --- what else is asked of a model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["kernel", "trees"])
def test_a_model_of_any_shape_audits_and_monitors(shape):
    analysis, later = analysed(shape), patients(seed=1)
    again = audit(analysis.model, TABLE, "infected", training=True)
    pd.testing.assert_frame_equal(again, analysis.doubtful)
    assert len(audit(analysis.model, later, "infected")) == (later["infected"] == "yes").sum()
    assert not monitor(analysis.model, later).has_drifted


def test_runs_of_different_shapes_are_compared():
    changed = compare(analysed("linear"), analysed("curves"), names=("lines", "curves"))
    assert changed.judged.difference.low > 0
    shares = {change.column: (change.before, change.after) for change in changed.columns}
    assert sum(abs(before) for before, _ in shares.values()) == pytest.approx(1)
    assert sum(abs(after) for _, after in shares.values()) == pytest.approx(1)
    assert abs(shares["fluid"][1]) > 0.5 > abs(shares["fluid"][0])


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("shapes") / "patients.csv"
    TABLE.to_csv(path, index=False)
    return path


def test_shapes_are_chosen_recorded_and_repeated(table, tmp_path):
    out = tmp_path / "out"
    fit = ("fit", table, "--label", "infected", "--jobs", "1", "--json")
    result = run(*fit, "--shape", "linear, curves", "--out", out)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert list(found["shapes"]) == ["linear", "curves"]
    assert found["bending"][1] > 0
    assert json.loads((out / "run.json").read_text())["arguments"]["shape"] == ["linear, curves"]
    again = run("fit", "--config", out / "run.json", "--json", "--out", tmp_path / "again")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again" / "ranking.csv").read_bytes() == (out / "ranking.csv").read_bytes()
    one = run("fit", "--config", out / "run.json", "--shape", "curves", "--json", "--out", tmp_path / "one")
    assert list(json.loads(one.stdout)["shapes"]) == ["curves"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--shape", "round"], "--shape must be one of 'linear', 'curves', 'kernel', 'trees', not 'round'"),
        (["--shape", "linear,round"], "not 'round'"),
        (["--shape", "linear", "--shape", ""], "not ''"),
        (["--shape", "auto,linear"], "not 'auto'"),
        (["--shape", "kernel", "--group", "(fluid|age)"], '--shape="kernel" selects no columns'),
    ],
)
def test_a_shape_that_makes_no_sense_is_told_in_one_line(table, tmp_path, options, words):
    told(run("fit", table, "--label", "infected", "--out", tmp_path / "out", *options), words)
    assert not (tmp_path / "out").exists()


def test_trees_without_lightgbm_say_how_to_get_it(table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    fit = ("fit", table, "--label", "infected", "--out", tmp_path / "out", "--shape", "linear,trees")
    told(run(*fit), "pip install 'blindauc[trees]'")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'blindauc\[trees\]'"):
        analyse(TABLE, "infected", shape="trees")


# --- what rows may come as --------------------------------------------------------------------------------------------

NUMBERS = TABLE[["fluid", "age"]].astype(float)
Y = (TABLE["infected"] == "yes").to_numpy()
QUICK = {"cv": 2, "n_repeats": 1, "l2": 1.0, "n_outliers": 0}


@pytest.mark.parametrize("shape", ALL)
def test_tables_of_pandas_and_polars_are_rows_like_others(shape):
    polars = pytest.importorskip("polars")
    model = BlindAUCClassifierCV(shape=shape, **QUICK)
    expected = model.fit(NUMBERS.to_numpy(), Y).decision_function(NUMBERS.to_numpy())
    for frame in (NUMBERS, polars.DataFrame(NUMBERS.to_dict("list"))):
        fitted = BlindAUCClassifierCV(shape=shape, **QUICK).fit(frame, Y)
        assert fitted.feature_names_in_.tolist() == ["fluid", "age"]
        np.testing.assert_array_equal(fitted.decision_function(frame), expected)
        np.testing.assert_allclose(fitted.reasons(frame).sum(axis=1), expected, atol=1e-9)


@pytest.mark.parametrize("Estimator", [BlindAUCClassifier, BlindAUCClassifierCV])
@pytest.mark.parametrize("shape", ["curves", "kernel"])
def test_sparse_rows_are_refused_where_a_shape_cannot_take_them(shape, Estimator):
    with pytest.raises(ValueError, match=rf'shape="{shape}" .* sparse X: pass X.toarray\(\)') as error:
        Estimator(shape=shape).fit(sp.csr_array(NUMBERS.to_numpy()), Y)
    assert str(error.value).isprintable()


def test_sparse_rows_are_taken_by_the_other_shapes():
    X = NUMBERS.to_numpy()
    for shape in ("linear", "trees"):
        dense = BlindAUCClassifierCV(shape=shape, **QUICK).fit(X, Y)
        sparse = BlindAUCClassifierCV(shape=shape, **QUICK).fit(sp.csr_array(X), Y)
        np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-6)
    by_itself = BlindAUCClassifierCV(**QUICK).fit(sp.csr_array(X), Y)
    assert set(by_itself.shapes_) <= {"linear", "trees"}
    assert len(by_itself.effects_) == 2
    assert all(bends(effect) <= 1 for effect in by_itself.effects_)
