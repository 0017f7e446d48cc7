"""Models of every shape give reasons, audit, monitor and compare, by command and on all kinds of rows."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from bent_table import ALL, BENT, TABLE, analysed, encoded, patients
from command_line import run, told

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV
from blindauc.analysis import analyse, audit, compare, monitor
from blindauc.analysis import reasons as reasons_module
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import pulls, reasons_to_check
from blindauc.explain import bends
from blindauc.preprocessing import feature_groups, group_names, make_preprocessor

pytest.importorskip("lightgbm")
pytest.importorskip("skops.io")


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
