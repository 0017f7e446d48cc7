"""Labels of tables in parts: what was checked, whom rows belong to, and rankings that list some rows."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import run
from command_line import told as refused
from numpy.testing import assert_allclose, assert_array_equal

from blindauc import BlindAUCClassifierCV
from blindauc.analysis import LeakError, analyse
from blindauc.analysis.inputs import Wishes
from blindauc.analysis.large import analyse_files
from blindauc.analysis.options import Options
from blindauc.cli.review import _table
from blindauc.model_files import load

pytestmark = pytest.mark.usefixtures("few_candidates")


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
