"""The commands of a person with a table: fit, score, audit, report and demo."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run
from small_ward import FEW_LABS, SMALL, WRITTEN

from blindauc.cli.fit import fit
from blindauc.datasets import make_patients

pytestmark = pytest.mark.usefixtures("few_candidates")


def test_fit_writes_all_that_was_promised_and_says_what_it_found(fitted):
    folder, result = fitted
    assert {path.name for path in folder.iterdir()} == WRITTEN
    assert "300 rows" in result.stdout
    assert "AUC " in result.stdout
    assert "hospital" in result.stdout
    assert str(folder / "report.html") in result.stdout.replace("\n", "")
    run_json = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert run_json["arguments"]["label"] == "infection"
    assert len(run_json["data_sha256"]) == 64


def test_the_most_doubtful_labels_are_wrong_ones(fitted, patients):
    folder, _ = fitted
    doubtful = pd.read_csv(folder / "doubtful_labels.csv")
    n_wrong = int(patients.miscoded.sum())
    among_first = patients.miscoded[doubtful["row"].to_numpy()[:n_wrong] - 1].sum()
    assert among_first >= 0.7 * n_wrong
    assert (doubtful["suspicion"].diff().dropna() <= 0).all()


def test_columns_are_written_with_their_inclusion(fitted):
    features = pd.read_csv(fitted[0] / "features.csv")
    names = ["column", "source", "weight", "direction", "inclusion", "selected", "frequency", "step", "unit", "climb"]
    assert features.columns.tolist() == [*names, "bends"]
    assert features["inclusion"].between(0, 1 + 1e-9).all()
    assert (features["inclusion"][features["selected"]].min()) >= features["inclusion"][~features["selected"]].max()
    n_selected, n_used = features["source"][features["selected"]].nunique(), features["source"].nunique()
    assert f"columns selected                  {n_selected} of {n_used}: " in fitted[1].stdout


def test_a_label_that_was_set_apart_is_told_everywhere_with_its_reason(tmp_path):
    rng = np.random.default_rng(0)
    is_positive = np.arange(100) < 25
    table = pd.DataFrame({"crp": rng.normal(30 + 50 * is_positive, 10).round(1), "age": rng.integers(20, 90, 100)})
    table["infection"] = np.where(is_positive, "yes", "")
    table.loc[7, "crp"] = 90_000
    table.to_csv(tmp_path / "table.csv", index=False)
    out = tmp_path / "out"
    # All positives are labelled, and crp parts them.
    fit = (*FIT, tmp_path / "table.csv", "--label", "infection", "--allow-leak", "crp", "--out", out, "--jobs", "1")
    assert run(*fit).exit_code == 0
    first = json.loads(run("audit", out, tmp_path / "table.csv", "--json").stdout)[0]
    assert (first["row"], first["suspicion"]) == (8, 1.0)
    assert first["reason"].startswith("unlike all other rows, unusual in ")
    assert first["reason"].endswith("crp 90000 (labelled rows: typically 78.7)")
    assert pd.read_csv(out / "doubtful_labels.csv")["reason"][0] == first["reason"]
    assert first["reason"] in (out / "report.html").read_text(encoding="utf-8")
    assert "90000" in run("audit", out, tmp_path / "table.csv", "--top", "1").stdout


def test_fit_answers_machines(small_table, tmp_path):
    result = run(*FIT, small_table, "--label", "infection", "--id", "id", "--out", tmp_path / "out", "--json")
    found = json.loads(result.stdout)
    assert found["n_rows"] == len(SMALL)
    # Three labels are too few to judge by.
    assert found["n_labelled"] < 15
    assert found["auc"] is None


def test_score_gives_the_scores_of_the_fit_whatever_the_order_of_columns(fitted, table, tmp_path):
    folder, _ = fitted
    shuffled = tmp_path / "new.csv"
    pd.read_csv(table, dtype=str).iloc[:, ::-1].to_csv(shuffled, index=False)
    result = run("score", folder, shuffled, "--id", "patient", "--out", tmp_path / "scores.csv")
    assert result.exit_code == 0, result.output
    scores, ranking = pd.read_csv(tmp_path / "scores.csv"), pd.read_csv(folder / "ranking.csv")
    both = scores.merge(ranking, on="id", suffixes=("", "_fit"))
    assert len(both) == 300
    np.testing.assert_allclose(both["score"], both["score_fit"])
    assert (both["rank"] == both["rank_fit"]).all()


def test_audit_of_the_training_table_is_that_of_the_fit(fitted, table, tmp_path):
    folder, _ = fitted
    result = run("audit", folder, table, "--out", tmp_path / "audit.csv")
    assert result.exit_code == 0, result.output
    assert "Labels to re-check" in result.stdout
    assert (tmp_path / "audit.csv").read_bytes() == (folder / "doubtful_labels.csv").read_bytes()


def test_audit_of_a_new_table_judges_it_by_its_scores(fitted, tmp_path):
    folder, _ = fitted
    new = make_patients(200, random_state=1)
    new.table.to_csv(tmp_path / "new.csv", index=False)
    result = run("audit", folder / "model.skops", tmp_path / "new.csv", "--json")
    doubtful = json.loads(result.stdout)
    assert len(doubtful) == (new.table["infection"] == "yes").sum()
    first = [new.miscoded[each["row"] - 1] for each in doubtful[: int(new.miscoded.sum())]]
    assert np.mean(first) >= 0.6


def test_report_makes_the_same_page_again(fitted):
    folder, _ = fitted
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    assert run("report", folder).exit_code == 0
    assert (folder / "report.html").read_bytes() == before


def test_groups_come_from_a_pattern_or_a_file(table, tmp_path):
    groups = tmp_path / "groups.csv"
    groups.write_text("column,group\n" + "".join(f"{name},labs\n" for name in FEW_LABS), encoding="utf-8")
    common = (*FIT, table, "--label", "infection", "--id", "patient", "--json")
    by_pattern = json.loads(run(*common, "--out", tmp_path / "a", "--group", "(lab)_[0-9]+").stdout)
    by_file = json.loads(run(*common, "--out", tmp_path / "b", "--groups", groups).stdout)
    assert by_pattern["columns"] == by_file["columns"]
    n_labs = sum(name.startswith("lab_") for name in by_pattern["columns"])
    assert n_labs in (0, len(FEW_LABS))


def test_demo_tells_the_whole_story(tmp_path, monkeypatch):
    monkeypatch.setattr("blindauc.cli.demo.fit", partial(fit, shape=["linear"]))
    folder = tmp_path / "demo"
    result = run("demo", "--out", folder)
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == WRITTEN | {"patients.csv"}
    assert str(folder / "report.html") in result.stdout.replace("\n", "")
