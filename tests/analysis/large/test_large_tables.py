"""Tables in files: fitted, scored and audited in parts, and by the command line."""

import json
import logging

import numpy as np
import pandas as pd
import pytest
from command_line import run
from command_line import told as refused
from numpy.testing import assert_allclose, assert_array_equal
from rows_in_parts import Y

from blindauc import BlindAUCClassifier, ParquetRows
from blindauc.analysis.inputs import Wishes
from blindauc.analysis.large import analyse_files
from blindauc.analysis.leaks import leaks_among
from blindauc.analysis.options import Options
from blindauc.cli.large import _without_logs_of_dask
from blindauc.preprocessing import ColumnKind

pytestmark = pytest.mark.usefixtures("few_candidates")


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


def test_few_of_the_unlabelled_rows_do_not_make_a_leak():
    is_positive = np.arange(20_100) < 100
    # In 9 of 10 labelled rows, and in 5 of 20,000 others: of 20 million others it would be 5,000.
    column = pd.DataFrame({"a": np.where((np.arange(20_100) % 10 > 0) & is_positive, "yes", "no")})
    column.loc[100:104, "a"] = "yes"
    kinds, label = {"a": ColumnKind("categorical", "")}, pd.Series(is_positive)
    assert leaks_among(column, kinds, label, is_positive)
    assert not leaks_among(column, kinds, label, is_positive, stands_for=1000)


def test_dask_logs_nothing_while_a_command_uses_it():
    pytest.importorskip("distributed")
    logger = logging.getLogger("distributed.client")
    before = logger.level
    with _without_logs_of_dask():
        assert not logger.isEnabledFor(logging.ERROR)
    assert logger.level == before


def test_columns_of_a_large_table_are_as_stable_as_they_are_in_memory(tmp_path, monkeypatch):
    # The rows at hand are the labelled ones, a random sample, and the first 10,000 of the ranking. The latter look like
    # positives, and half-samples of them do not show which columns matter. A smaller random sample makes this plain.
    monkeypatch.setattr("blindauc.analysis.large.MOST_DRAWN", 500)
    rng = np.random.default_rng(0)
    is_ill = rng.random(40_000) < 0.1
    table = pd.DataFrame({f"lab {j}": rng.normal(size=40_000) + 0.9 * (is_ill if j < 4 else 0) for j in range(9)})
    table["infection"] = np.where(is_ill & (rng.random(40_000) < 0.15), "yes", "")
    table.to_parquet(tmp_path / "rows.parquet")
    found = analyse_files(tmp_path / "rows.parquet", Wishes("infection"), Options(shape="linear")).features
    frequency = found.set_index("column")["frequency"].sort_index().to_numpy()
    assert frequency[:4].min() > 0.9
    assert frequency[:4].min() > frequency[4:].max()
