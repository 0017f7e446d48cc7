"""Fits, predictions and analyses of rows that are not in memory."""

import json
import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import run
from command_line import told as refused
from joblib.externals.loky.process_executor import TerminatedWorkerError
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, ParquetRows, PUErrorClassifier
from blindauc.analysis import LeakError, analyse
from blindauc.analysis.inputs import Wishes
from blindauc.analysis.large import analyse_files
from blindauc.analysis.leaks import leaks_among
from blindauc.analysis.options import Options
from blindauc.cli.large import _without_logs_of_dask
from blindauc.cli.review import _table
from blindauc.estimators.parted import enough_held_out, sample_of
from blindauc.model_files import load
from blindauc.preprocessing import ColumnKind
from blindauc.rows.parts import BlockParts
from blindauc.rows.view import PartedView

pytestmark = pytest.mark.usefixtures("few_candidates")

RNG = np.random.default_rng(0)
N, P = 3000, 5
IS_POSITIVE = np.isin(np.arange(N), RNG.choice(N, 90, replace=False))
X = RNG.normal(size=(N, P)) + 1.2 * (IS_POSITIVE[:, None] & (np.arange(P) < 2))
X[np.flatnonzero(IS_POSITIVE)[:6]] -= 2.5
X[np.flatnonzero(IS_POSITIVE)[6]] = -12.0
Y = IS_POSITIVE.astype(int)
WEIGHT = RNG.integers(1, 4, N).astype(float)

SETTINGS = {
    "as it comes": {},
    "outliers and columns": {"n_outliers": 0.1, "n_features_to_select": 2},
    "shifts, robust scales": {"n_outliers": 5, "outlier_handling": "shift", "scaling": "robust"},
    "groups": {"sparsity": "group_l0", "groups": [0, 0, 1, 1, 2], "n_features_to_select": 1},
    "squared hinge": {"loss": "squared_hinge", "n_outliers": 4},
}


def in_parts(block_rows=700, n=N):
    return BlockParts.of(X[:n], IS_POSITIVE[:n], WEIGHT[:n], block_rows=block_rows)


@pytest.mark.parametrize("settings", SETTINGS)
def test_coefficients_are_those_of_rows_in_memory(settings):
    n = 1500
    expected = BlindAUCClassifier(**SETTINGS[settings], max_swaps=2).fit(X[:n], Y[:n], WEIGHT[:n])
    found = BlindAUCClassifier(**SETTINGS[settings], max_swaps=2).fit(in_parts(n=n))
    assert_allclose(found.coef_, expected.coef_, rtol=0, atol=1e-10 * np.abs(expected.coef_).max())
    assert_array_equal(found.outliers_, expected.outliers_)
    assert_array_equal(found.labelled_rows_, expected.labelled_rows_)
    assert_allclose(found.spread_, expected.spread_)
    # By another sample of the unlabelled rows, so that only the intervals can agree.
    assert found.auc_.low <= expected.auc_.high
    assert expected.auc_.low <= found.auc_.high


def test_a_pu_error_too():
    expected = PUErrorClassifier(prior=0.1, calibrate=False).fit(X, Y)
    found = PUErrorClassifier(prior=0.1, calibrate=False).fit(BlockParts.of(X, IS_POSITIVE, block_rows=700))
    assert_allclose(found.coef_, expected.coef_, rtol=1e-8)
    assert_allclose(found.intercept_, expected.intercept_, rtol=0.1)


@pytest.mark.parametrize("shape", ["curves", "kernel"])
def test_scores_that_bend_rank_as_those_of_rows_in_memory(shape):
    # What curves and kernels are made of comes from a sample, so that the scores differ a little.
    found, expected = BlindAUCClassifier(shape=shape).fit(in_parts()), BlindAUCClassifier(shape=shape).fit(X, Y, WEIGHT)
    assert np.corrcoef(found.decision_function(X), expected.decision_function(X))[0, 1] > 0.98


def test_a_search_by_a_sample_and_a_fit_to_all_rows():
    rows = BlockParts.of(X, IS_POSITIVE, block_rows=700)
    model = BlindAUCClassifierCV(n_repeats=1, cv=3, shape=["linear", "curves"]).fit(rows)
    assert set(model.support_.nonzero()[0]) >= {0, 1}
    assert len(model.held_out_rank_) == len(model.sampled_rows_) < N
    assert set(np.flatnonzero(IS_POSITIVE)) - set(model.outliers_) <= set(model.sampled_rows_)
    refitted = BlindAUCClassifier(**model.best_params_, solver="path", calibrate=False).fit(rows)
    assert_array_equal(refitted.decision_function(X), model.best_estimator_.decision_function(X))


def bent():
    """Rows whose score is a U of the first column."""
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(4000, 3))
    is_positive = (np.abs(columns[:, 0]) > 1.6) & (rng.random(4000) < 0.5)
    return columns, is_positive


def test_by_itself_a_search_of_parts_tries_every_shape():
    columns, is_positive = bent()
    rows = BlockParts.of(columns, is_positive, block_rows=700)
    model = BlindAUCClassifierCV(n_repeats=1, cv=3).fit(rows)
    assert set(model.shapes_) == {"linear", "curves", "kernel", "trees"}
    assert model.shapes_["linear"] < 0.1
    is_u = np.abs(columns[:, 0]) > 1.6
    assert roc_auc_score(is_u, model.decision_function(rows)) > 0.95
    assert len(model.effects_) == len(model.importance_) == 3
    assert model.importance_.argmax() == 0
    assert model.reasons(columns[:2]).shape == (2, 4)


def test_predictions_of_parts_are_those_of_the_matrix():
    model = BlindAUCClassifier().fit(in_parts())
    assert_allclose(model.decision_function(in_parts(100)), model.decision_function(X))
    assert_allclose(model.predict_proba(in_parts(100)), model.predict_proba(X))
    assert_array_equal(model.predict(in_parts(100)), model.predict(X))


def test_parts_give_back_what_they_keep():
    rows = in_parts()
    scores = rows.at(np.ones(P))
    before = scores.sum()
    assert all(part._kept for part in rows.parts)
    rows.forget()
    assert not any(part._kept for part in rows.parts)
    assert scores.sum() == before


def test_passes_are_told_of():
    rows, told = in_parts(), []
    rows.report = told.append
    PartedView.of(rows).scales("standard")
    assert told == list(range(1, rows.n_visits + 1)) != []


def test_trees_of_parts_are_those_of_the_sample():
    columns, is_positive = bent()
    rows = BlockParts.of(columns, is_positive, block_rows=700)
    settings = {"shape": "trees", "n_outliers": 0.1, "n_rounds": 10, "leverage_screen": False}
    found = BlindAUCClassifier(**settings).fit(rows)
    sample = sample_of(PartedView.of(rows), enough_held_out(PartedView.of(rows)))
    assert is_positive.sum() < len(sample.row) < len(columns)
    expected = BlindAUCClassifier(**settings).fit(columns[sample.row], is_positive[sample.row])
    assert_array_equal(found.model_.scores(columns), expected.model_.scores(columns))
    assert_array_equal(found.outliers_, sample.row[expected.outliers_])
    assert_array_equal(found.predict_proba(rows), found.predict_proba(columns))
    tuned = BlindAUCClassifierCV(shape="trees", n_repeats=1, cv=2, n_outliers=0.0, n_leaves=2, n_rounds=10).fit(rows)
    assert_array_equal(tuned.best_estimator_.model_.scores(columns), tuned.model_.scores(columns))


def test_too_few_positives_are_told():
    with pytest.raises(ValueError, match="At least two labelled positives"):
        BlindAUCClassifier().fit(BlockParts.of(X, np.arange(N) < 1))


# --- tables in files ---


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    some = np.sort(np.concatenate([np.flatnonzero(IS_POSITIVE)[:40], np.flatnonzero(~IS_POSITIVE)[:460]]))
    frame = pd.DataFrame(X[some], columns=[f"lab {k}" for k in range(P)]).round(3)
    frame.insert(0, "patient", [f"P{k}" for k in range(500)])
    frame.loc[rng.random(500) < 0.1, "lab 4"] = np.nan
    frame["ward"] = rng.choice(["north", "south", "east"], 500)
    frame["infection"] = np.where(IS_POSITIVE[some], "yes", "")
    return frame


@pytest.fixture
def folder(table, tmp_path):
    path = tmp_path / "rows"
    path.mkdir()
    table[:200].to_parquet(path / "a.parquet")
    table[200:].to_parquet(path / "b.parquet")
    return path


def test_a_fit_to_files_is_that_to_their_numbers(folder):
    rows = ParquetRows(folder, "infection", id="patient", pos_label="yes")
    model = BlindAUCClassifier(n_outliers=5).fit(rows)
    cached = rows.prepared()
    expected = BlindAUCClassifier(n_outliers=5).fit(np.array(cached.X), cached.is_positive)
    assert_allclose(model.coef_, expected.coef_, rtol=0, atol=1e-8 * np.abs(expected.coef_).max())
    assert list(model.feature_names_in_) == cached.feature_names
    scores, wanted = (m.decision_function(r) - m.intercept_ for m, r in ((model, rows), (expected, np.array(cached.X))))
    assert_allclose(scores, wanted, atol=1e-6)
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        model.fit(rows, Y)
    with pytest.raises(ValueError, match="was not fitted to ParquetRows"):
        expected.decision_function(rows)


def test_files_without_labels_are_scored(folder, table, tmp_path):
    rows = ParquetRows(folder, "infection", id="patient", pos_label="yes")
    model = BlindAUCClassifier(calibrate=False).fit(rows)
    table.drop(columns="infection").to_parquet(tmp_path / "new.parquet")
    new = ParquetRows(tmp_path / "new.parquet")
    assert_allclose(model.decision_function(new), model.decision_function(rows))
    assert_array_equal(model.predict(new), model.predict(rows))
    with pytest.raises(ValueError, match=r"Labels are needed.*pass label="):
        model.fit(new)
    table.drop(columns=["lab 1", "ward"]).to_parquet(tmp_path / "fewer.parquet")
    with pytest.raises(ValueError, match=r"lab 1.*ward|ward.*lab 1"):
        model.decision_function(ParquetRows(tmp_path / "fewer.parquet"))


def test_files_are_scored_whatever_the_preprocessor_gives_to_others(folder):
    rows = ParquetRows(folder, "infection", id="patient", pos_label="yes")
    model = BlindAUCClassifier(calibrate=False).fit(rows)
    expected = model.decision_function(rows)
    model.preprocessor_.set_output(transform="pandas")
    assert_allclose(model.decision_function(rows), expected)


def test_files_are_judged_by_their_labels(folder, table):
    rows = ParquetRows(folder, "infection", id="patient", pos_label="yes")
    model = BlindAUCClassifier(calibrate=False).fit(rows)
    numbers = model.preprocessor_.transform(table)
    assert_allclose(model.score(rows), model.score(numbers, table["infection"]), rtol=1e-6)
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        model.score(rows, table["infection"])
    with pytest.raises(ValueError, match="pass them as y"):
        model.score(numbers)


def test_what_needs_rows_in_memory_names_the_preprocessor(folder, table):
    rows = ParquetRows(folder, "infection", id="patient", pos_label="yes")
    model = BlindAUCClassifier(calibrate=False).fit(rows)
    for method in (model.reasons, model.transform):
        with pytest.raises(TypeError, match=r"pass .*model\.preprocessor_\.transform\(next\(rows\.frames\(n_rows=1000"):
            method(rows)
        assert len(method(model.preprocessor_.transform(next(rows.frames(n_rows=1000))))) == 200
    for method in (model.decision_function, model.predict, model.reasons, model.transform):
        with pytest.raises(ValueError, match=r"not those of the fit: pass model\.preprocessor_\.transform\(X\)"):
            method(table)


@pytest.mark.parametrize("kind", ["folder", "csv"])
def test_the_command_line_fits_tables_in_parts(folder, table, tmp_path, kind):
    data = {"folder": folder, "csv": tmp_path / "all.csv"}[kind]
    shape = {"folder": "linear", "csv": "trees"}[kind]
    if kind == "csv":
        table.to_csv(data, index=False)
    out = tmp_path / "results"
    options = ["--memory", "500MB", "--shape", shape, "--cache", tmp_path / "cache", "--out", out, "--json"]
    done = run("fit", data, "--label", "infection", "--id", "patient", *options)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["n_rows"], told["n_labelled"]) == (500, 40)
    assert any((tmp_path / "cache").iterdir())
    assert not (data.parent / ".blindauc").exists()
    doubtful = pd.read_csv(out / "doubtful_labels.csv")
    assert (doubtful["id"] == "P" + (doubtful["row"] - 1).astype(str)).all()
    assert doubtful["row"][0] == np.flatnonzero(table["infection"] == "yes")[6] + 1
    ranking = pd.read_csv(out / "ranking.csv")
    assert (ranking["id"] == "P" + (ranking["row"] - 1).astype(str)).all()
    assert ranking["rank"].is_monotonic_increasing
    report = (out / "report.html").read_text()
    assert "The table was read in parts" in report
    assert ("a sample of 460 others" in report) == (shape == "trees")
    scored = run("score", out, folder / "a.parquet", "--out", tmp_path / "scores.csv")
    assert scored.exit_code == 0, scored.output
    everything = run("score", out, folder, "--id", "patient", "--out", tmp_path / "all-scores.csv")
    assert everything.exit_code == 0, everything.output
    assert "500 rows scored" in everything.stdout
    scores, of_first = pd.read_csv(tmp_path / "all-scores.csv"), pd.read_csv(tmp_path / "scores.csv")
    assert (scores["row"] == np.arange(500) + 1).all()
    assert (scores["id"] == "P" + (scores["row"] - 1).astype(str)).all()
    assert_allclose(scores["score"][: len(of_first)], of_first["score"])
    assert sorted(scores["rank"])[0] == 1


def test_an_audit_reads_one_table(folder, tmp_path):
    refused(run("audit", tmp_path / "model.skops", folder), "reads one table: name a file in it")


def test_two_words_as_labels_are_told(table, tmp_path):
    kinds = np.where(table["infection"] == "yes", "fraud", "normal")
    table.assign(infection=kinds).drop(columns=["ward", "patient"]).to_parquet(tmp_path / "rows.parquet")
    model = BlindAUCClassifier(calibrate=False)
    with pytest.warns(UserWarning, match=r"'normal' is taken as positive, .* pos_label='fraud'"):
        model.fit(ParquetRows(tmp_path / "rows.parquet", "infection"))
    model.fit(ParquetRows(tmp_path / "rows.parquet", "infection", pos_label="fraud"))
    assert model.n_labelled_ == 40
    numbers = table[["lab 0", "lab 1"]]
    with pytest.warns(UserWarning, match=r"'normal' is taken as positive"):
        model.fit(numbers, kinds)
    model.fit(numbers, np.where(kinds == "fraud", "yes", "no"))


def test_a_folder_to_score_keeps_its_files(folder, tmp_path):
    model = tmp_path / "model.skops"
    refused(run("score", model, folder, "--out", folder / "s.parquet"), "would become a file of the table")
    inside = run("score", model, folder, "--out", folder / "a.parquet", "--force")
    refused(inside, "a.parquet")
    (tmp_path / "empty").mkdir()
    refused(run("score", model, tmp_path / "empty", "--out", tmp_path / "s.csv"), "There are no Parquet or CSV files")


def one_candidate(options, preprocessor, group_of):
    """Instead of a search, of which rows in parts fit the heaviest candidates only."""
    settings = {"l2": 1.0, "n_outliers": 0.0, "n_features_to_select": None, "scaling": "standard"}
    return BlindAUCClassifierCV(**settings, shape="linear", known_negative_share=0.1, cv=2, n_repeats=1)


def test_whom_rows_belong_to_and_what_was_found_is_told_as_of_rows_in_memory(table, tmp_path, monkeypatch):
    monkeypatch.setattr(Options, "ranking", one_candidate)
    labelled, others = (np.flatnonzero((table["infection"] == "yes") == kind) for kind in (True, False))
    found = np.full(len(table), "", dtype=object)
    found[labelled[:12]], found[others[:12]] = ["right"] * 9 + ["wrong"] * 3, ["negative"] * 11 + ["positive"]
    # Of every fifth row, so that labelled rows, which come in order, are of several.
    frame = table.drop(columns=["ward", "lab 4"]).assign(whom=[f"W{k % 100}" for k in range(500)], found=found)
    labs = [f"lab {k}" for k in range(4)]
    frame[labs] = frame[labs].astype(np.float32).astype(np.float64)  # folds depend on every digit, and files have fewer
    frame.to_parquet(tmp_path / "rows.parquet")
    said = {"id": "patient", "rows_by": "whom", "checked": "found"}
    ours = analyse_files(tmp_path / "rows.parquet", Wishes("infection", **said), Options(shape="linear"))
    theirs = analyse(frame, "infection", **said, shape="linear")
    assert ours.findings.asked.n_groups == theirs.findings.asked.n_groups == 100
    ours_found, theirs_found = (replace(each.findings.checks, auc=None) for each in (ours, theirs))
    assert ours_found == theirs_found
    assert_allclose(ours.findings.auc, theirs.findings.auc, atol=1e-3)
    columns = ["n_rows", "n_labelled"]
    pd.testing.assert_frame_equal(*(each.groups.set_index("group").sort_index()[columns] for each in (ours, theirs)))
    assert_array_equal(ours.model[-1].known_negative_rows_, theirs.model[-1].known_negative_rows_)
    cases, expected = ({case.row for case in each.findings.cases} for each in (ours, theirs))
    assert len(cases & expected) > 0.9 * len(cases)
    assert not cases & set((np.flatnonzero(found != "") + 1).tolist())


@pytest.fixture
def three_labels(table, tmp_path):
    kinds = np.where(table["infection"] == "yes", np.where(np.arange(500) % 2, "SSI", "UTI"), "clear")
    path = tmp_path / "three.csv"
    table.assign(infection=kinds).to_csv(path, index=False)
    return path


def test_several_labels_may_mean_positive(three_labels, monkeypatch):
    monkeypatch.setattr(Options, "ranking", one_candidate)
    wishes = Wishes("infection", id="patient", positive=["ssi", "UTI"])
    analysis = analyse_files(three_labels, wishes, Options(shape="linear"))
    assert analysis.ranking["labelled"].sum() == 40
    assert any("Taken as unlabelled: clear (460 rows)" in note for note in analysis.findings.asked.notes)


@pytest.mark.parametrize("options", [[], ["--positive", "flu"]])
def test_labels_are_refused_in_the_words_for_tables_in_memory(three_labels, options):
    done = [run("fit", three_labels, "--label", "infection", *options, *how) for how in ([], ["--memory", "1GB"])]
    assert [each.exit_code for each in done] == [2, 2]
    assert done[0].stderr == done[1].stderr
    assert "--positive" in done[1].stderr


def test_columns_that_give_the_label_away_are_told_before_the_fit(table, tmp_path, monkeypatch):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *rows: pytest.fail("was fitted"))
    is_labelled = table["infection"] == "yes"
    table.assign(treated=np.where(is_labelled, "yes", "")).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(LeakError, match="treated"):
        analyse_files(tmp_path / "rows.parquet", Wishes("infection", id="patient"), Options())


def test_few_of_the_unlabelled_rows_do_not_make_a_leak():
    is_positive = np.arange(20_100) < 100
    # In 9 of 10 labelled rows, and in 5 of 20,000 others: of 20 million others it would be 5,000.
    column = pd.DataFrame({"a": np.where((np.arange(20_100) % 10 > 0) & is_positive, "yes", "no")})
    column.loc[100:104, "a"] = "yes"
    kinds, label = {"a": ColumnKind("categorical", "")}, pd.Series(is_positive)
    assert leaks_among(column, kinds, label, is_positive)
    assert not leaks_among(column, kinds, label, is_positive, stands_for=1000)


@pytest.mark.parametrize("shape", [["linear", "curves"], "kernel"])
def test_a_search_tries_shapes_that_are_asked_for(shape):
    rows = BlockParts.of(X[:, :2], IS_POSITIVE, block_rows=700)
    model = BlindAUCClassifierCV(shape=shape, l2=1.0, n_outliers=0, n_repeats=1, cv=2).fit(rows)
    assert set(model.shapes_) == ({shape} if isinstance(shape, str) else set(shape))
    assert np.isfinite(model.decision_function(rows)).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--memory", "2 gigs"], "such as 500MB or 2GB"),
        (["--memory", "1GB", "--time", "ward"], "must have the time of each row"),
        (["--memory", "600"], "at least 300MB, with its unit, not '600'"),
        (["--memory", "1GB", "--decisions", "found.csv"], "No such file or directory: found.csv"),
        (["--memory", "1GB", "--sheet", "1"], "read whole"),
        (["--memory", "1GB", "--rows-by", "wrad"], "no column 'wrad' for --rows-by: did you mean 'ward'?"),
        (["--memory", "1GB", "--show", "wrad"], "no column 'wrad' for --show COLUMN: did you mean 'ward'?"),
        (["--memory", "1GB", "--capacity", "0"], "--capacity"),
        (["--memory", "1GB", "--label", "nothing"], "nothing"),
        (["--cluster", "nowhere"], "No Dask scheduler answers at nowhere"),
    ],
)
def test_what_cannot_be_done_in_parts_is_told_in_one_line(folder, tmp_path, options, words):
    label = [] if "--label" in options else ["--label", "infection"]
    done = run("fit", folder, *label, *options, "--out", tmp_path / "results")
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("bytes_a_row", "bytes_a_cell", "words"),
    [(10**6, 12, "500 rows take about 0.8GB"), (32, 10**6, "40 labelled rows of")],
)
def test_a_table_that_takes_more_memory_is_refused_before_the_work(
    folder, monkeypatch, bytes_a_row, bytes_a_cell, words
):
    monkeypatch.setattr("blindauc.analysis.memory.BYTES_A_ROW", bytes_a_row)
    monkeypatch.setattr("blindauc.analysis.memory.BYTES_A_CELL", bytes_a_cell)
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *rows: pytest.fail("was fitted"))
    done = run("fit", folder, "--label", "infection", "--memory", "500MB")
    assert done.exit_code == 2
    assert words in done.stderr
    assert "'500MB' is allowed: allow more with --memory, or" in done.stderr
    assert (folder / ".blindauc").exists() == (bytes_a_row == 32)


def test_labels_of_a_table_in_parts_are_checked_and_fitted_again(folder, table, tmp_path, monkeypatch):
    monkeypatch.setattr(Options, "ranking", one_candidate)
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    options = ["--label", "infection", "--id", "patient", "--memory", "1GB", "--cache", tmp_path / "cache", "--json"]
    done = run("fit", folder, *options, "--out", first)
    assert done.exit_code == 0, done.output
    assert any(note.startswith("The table was read in parts") for note in json.loads(done.stdout)["notes"])
    rows = pd.read_csv(first / "doubtful_labels.csv")["row"].tolist()
    other = np.flatnonzero(table["infection"] != "yes")[5]
    told = pd.DataFrame({"id": [f"P{rows[0] - 1}", f"P{rows[1] - 1}"], "decision": ["wrong", "right"]})
    told.to_csv(tmp_path / "found.csv", index=False)
    imported = run("review", first, "--import", tmp_path / "found.csv")
    assert imported.exit_code == 0, imported.output
    assert _table(first, None)["patient"].tolist() == table["patient"].tolist()
    again = run("refit", first, "--out", second)
    assert again.exit_code == 0, again.output
    assert not (folder / ".blindauc").exists()  # the cache is where it was
    assert json.loads((second / "run.json").read_text())["arguments"]["cache"] == "../cache"
    assert "Of 2 labels that were checked 1 was wrong" in again.stdout
    assert "What changed" in again.stdout
    models = [load(each / "model.skops")[-1] for each in (first, second)]
    known = [each.sampled_rows_[~np.isnan(each.held_out_rank_)] for each in models]
    # The label that was found wrong is none any more.
    labelled = set(np.intersect1d(*known)) & set(models[0].labelled_rows_) - {rows[0] - 1}
    assert f"the rows that both drew, out of fold: {len(labelled)} labelled" in again.stdout
    changed = json.loads(run("compare", first, second, "--json").stdout)
    assert changed["n_rows"] == 500
    assert {each["name"] for each in changed["moved"]} <= set(table["patient"])
    assert all(each["name"] == f"P{each['row'] - 1}" for each in changed["moved"])
    # A round later, by id.
    pd.DataFrame({"id": [f"P{other}"], "decision": ["negative"]}).to_csv(tmp_path / "more.csv", index=False)
    again = run("refit", second, "--checked", tmp_path / "more.csv", "--out", third)
    assert again.exit_code == 0, again.output
    assert "This fit uses 3 rows that were checked: 2 from the rounds before and 1 new." in again.stdout
    found = pd.read_csv(third / "ranking.csv").dropna(subset="checked").set_index("row")["checked"].to_dict()
    assert found == {rows[0]: "negative", rows[1]: "positive", other + 1: "negative"}
    pd.DataFrame({"id": ["7"], "decision": ["wrong"]}).to_csv(tmp_path / "bad.csv", index=False)
    refused(run("fit", folder, *options, "--decisions", tmp_path / "bad.csv", "--out", tmp_path / "no"), "no such row")


def test_a_ranking_that_lists_some_rows_is_compared_and_audited(table, tmp_path, monkeypatch):
    monkeypatch.setattr(Options, "ranking", one_candidate)
    monkeypatch.setattr("blindauc.analysis.large.MOST_RANKED", 100)
    monkeypatch.setattr("blindauc.analysis.large.MOST_DRAWN", 300)
    data = tmp_path / "rows.csv"
    table.to_csv(data, index=False)
    runs = [tmp_path / "all", tmp_path / "fewer"]
    options = ["--label", "infection", "--id", "patient", "--memory", "1GB", "--cache", tmp_path / "cache"]
    for out, more in zip(runs, ([], ["--drop", "lab 0"]), strict=True):
        done = run("fit", data, *options, *more, "--out", out)
        assert done.exit_code == 0, done.output
    listed = [set(pd.read_csv(out / "ranking.csv")["row"]) for out in runs]
    assert all(len(rows) < 500 for rows in listed)
    changed = json.loads(run("compare", *runs, "--json").stdout)
    assert changed["n_rows"] == len(listed[0] & listed[1])
    models = [load(out / "model.skops")[-1] for out in runs]
    both = np.intersect1d(*(each.sampled_rows_ for each in models))
    n_unlabelled = len(np.setdiff1d(both, models[0].labelled_rows_))
    assert changed["judged"]["n_unlabelled"] == n_unlabelled
    assert changed["judged"]["difference"][0] < 0
    # The very table of the fit is known, and audited out of fold.
    audited = pd.DataFrame(json.loads(run("audit", runs[0], data, "--json").stdout))
    expected = pd.read_csv(runs[0] / "doubtful_labels.csv")
    assert audited["row"].tolist() == expected["row"].tolist()
    assert_allclose(audited["suspicion"], expected["suspicion"], atol=1e-6)
    watched = run("monitor", runs[0], data)
    assert "compared with a sample of 300 of the training rows" in watched.stdout


def test_more_rows_than_unlabelled_ones_are_refused_before_the_fit(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *rows: pytest.fail("was fitted"))
    done = run("fit", folder, "--label", "infection", "--memory", "1GB", "--capacity", 461, "--out", tmp_path / "no")
    refused(done, "capacity must be a whole number from 1 to 460")


def test_a_sheet_that_cannot_hold_all_scores_is_refused_before_the_work(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("blindauc.analysis.workbook.MOST_ROWS", 499)
    refused(run("score", tmp_path / "none", folder, "--out", tmp_path / "s.xlsx"), "a sheet of Excel has room for 499")


def test_a_worker_that_was_killed_is_told_in_one_line(folder, tmp_path, monkeypatch):
    def killed(*rows):
        raise TerminatedWorkerError("SIGKILL(-9)")

    monkeypatch.setattr(BlindAUCClassifierCV, "fit", killed)
    done = run("fit", folder, "--label", "infection", "--json", "--out", tmp_path / "no")
    refused(done, "A worker process was killed, probably for lack of memory: use --jobs 1 or a smaller --memory.")


def test_dask_logs_nothing_while_a_command_uses_it():
    pytest.importorskip("distributed")
    logger = logging.getLogger("distributed.client")
    before = logger.level
    with _without_logs_of_dask():
        assert not logger.isEnabledFor(logging.ERROR)
    assert logger.level == before
