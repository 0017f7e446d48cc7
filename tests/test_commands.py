"""The commands of a person with a table: fit, score, audit, report and demo, and what they say to bad input."""

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from blindauc.cli import outputs
from blindauc.cli.app import app
from blindauc.datasets import make_patients

RUNNER = CliRunner()
WRITTEN = {
    "model.skops",
    "ranking.csv",
    "doubtful_labels.csv",
    "features.csv",
    "findings.json",
    "run.json",
    "report.html",
}


def run(*arguments):
    return RUNNER.invoke(app, [str(argument) for argument in arguments])


FEW_LABS = [f"lab_{number}" for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def patients():
    """Narrow, so that fits are quick."""
    made = make_patients(300, random_state=0)
    useless = [name for name in made.table if name.startswith("lab_") and name not in FEW_LABS]
    return replace(made, table=made.table.drop(columns=useless))


@pytest.fixture(scope="module")
def table(patients, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "patients.csv"
    patients.table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def fitted(table):
    folder = table.parent / "fitted"
    result = run("fit", table, "--label", "infection", "--id", "patient", "--out", folder, "--jobs", "1")
    assert result.exit_code == 0, result.output
    return folder, result


# --- what they do -----------------------------------------------------------------------------------------------------


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


def test_fit_answers_machines(table, tmp_path):
    result = run("fit", table, "--label", "infection", "--id", "patient", "--out", tmp_path / "out", "--json")
    found = json.loads(result.stdout)
    assert found["n_rows"] == 300
    assert found["auc"][1] <= found["auc"][0] <= found["auc"][2]


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
    assert "Labels to check again" in result.stdout
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
    common = ("fit", table, "--label", "infection", "--id", "patient", "--json")
    by_pattern = json.loads(run(*common, "--out", tmp_path / "a", "--group", "(lab)_[0-9]+").stdout)
    by_file = json.loads(run(*common, "--out", tmp_path / "b", "--groups", groups).stdout)
    assert by_pattern["columns"] == by_file["columns"]
    n_labs = sum(name.startswith("lab_") for name in by_pattern["columns"])
    assert n_labs in (0, len(FEW_LABS))


# --- bad input --------------------------------------------------------------------------------------------------------

HEAD = "id,age,infection\n"
ROWS = "".join(f"{k},{30 + k % 40},{'yes' if k % 5 == 0 else ''}\n" for k in range(60))
BAD_TABLES = {
    "empty": (b"", "empty"),
    "header only": (HEAD.encode(), "no rows"),
    "no label column": (b"id,age\n1,2\n2,3\n", "'infection'"),
    "one value": ((HEAD + "1,30,yes\n2,40,yes\n").encode(), "every row"),
    "three values": ((HEAD + "1,30,yes\n2,40,no\n3,50,perhaps\n").encode(), "--positive"),
    "not UTF-8": (HEAD.encode() + b"1,30,\xff\xfe\n", "UTF-8"),
    "ragged": ((HEAD + ROWS + "1,2\n").encode(), "row 62"),
    "names twice": (b"age,age,infection\n1,2,yes\n2,3,\n", "age"),
    "label among the features": (
        b"age,infection,copy\n"
        + b"".join(b"%d,%s,%s\n" % (k, v, v) for k in range(40) for v in [b"yes" if k % 4 else b""]),
        "copy",
    ),
    "nothing to learn from": (b'infection\nyes\n""\nyes\n', "column"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_are_told_in_one_line_and_nothing_is_left(name, tmp_path):
    content, words = BAD_TABLES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    told(run("fit", path, "--label", "infection", "--out", tmp_path / "out"), words)
    assert {each.name for each in tmp_path.iterdir()} == {"table.csv"}


def told(result, words):
    assert result.exit_code == 2, result.output
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("blindauc: ")
    assert words in lines[0]


def test_places_that_cannot_be_read_or_written(table, fitted, tmp_path):
    folder, _ = fitted
    label = ("--label", "infection")
    told(run("fit", tmp_path / "nowhere.csv", *label), "nowhere.csv")
    told(run("fit", tmp_path, *label), "folder")
    (tmp_path / "file").write_text("here", encoding="utf-8")
    told(run("fit", table, *label, "--out", tmp_path / "file"), "is a file")
    told(run("score", folder, table, "--out", tmp_path), "is a folder")
    told(run("score", folder, table, "--out", tmp_path / "nowhere" / "scores.csv"), "nowhere")
    told(run("report", tmp_path), "findings.json")
    told(run("fit", table, *label, "--group", "(a", "--groups", table), "--group")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "here"


def test_files_that_are_no_models(table, fitted, tmp_path):
    folder, _ = fitted
    whole = (folder / "model.skops").read_bytes()
    packed = tmp_path / "packed.skops"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("schema.json", "{}")
    for name, content in {
        "pickle": pickle.dumps({"a": 1}),
        "cut short": whole[: len(whole) // 2],
        "elsewhere": packed.read_bytes(),
    }.items():
        path = tmp_path / f"{name}.skops"
        path.write_bytes(content)
        told(run("score", path, table, "--out", tmp_path / "scores.csv"), str(path))
    told(run("score", tmp_path / "none.skops", table), "none.skops")
    assert not (tmp_path / "scores.csv").exists()


def test_a_table_without_the_columns_of_the_model(fitted, tmp_path):
    folder, _ = fitted
    path = tmp_path / "new.csv"
    path.write_text("patient,temprature\nP1,37\n", encoding="utf-8")
    told(run("score", folder, path, "--out", tmp_path / "scores.csv"), "perhaps 'temprature'")
    assert not (tmp_path / "scores.csv").exists()


def test_no_space_left(table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "ranking.csv")

    monkeypatch.setattr("blindauc.analysis.write_csv", full)
    told(run("fit", table, "--label", "infection", "--out", tmp_path / "out"), "No space left on device")
    assert not any(tmp_path.iterdir())


def test_what_was_there_is_kept_until_all_is_written(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a").write_text("old", encoding="utf-8")

    def interrupted():
        with outputs.filled(folder) as unfinished:
            (unfinished / "a").write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == {"a": "old"}


def test_an_interrupted_fit_leaves_nothing(table, tmp_path):
    command = [
        sys.executable,
        "-m",
        "blindauc",
        "fit",
        str(table),
        "--label",
        "infection",
        "--out",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while process.poll() is None and not (tmp_path / "out").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "interrupted" in told
    assert not any(tmp_path.iterdir())


# --- hostile input ----------------------------------------------------------------------------------------------------


def test_names_and_values_do_nothing(tmp_path, patients):
    hostile = patients.table.rename(columns={"lab_1": "<script>alert(1)</script>", "temperature": "=cmd|' /C calc'!A0"})
    hostile["patient"] = ["=1+1", "<img src=x onerror=alert(1)>", "@SUM(A1)", *hostile["patient"][3:]]
    path = tmp_path / "hostile.csv"
    hostile.to_csv(path, index=False)
    result = run("fit", path, "--label", "infection", "--id", "patient", "--out", tmp_path / "a" / ".." / "out")
    assert result.exit_code == 0, result.output
    assert {each.name for each in tmp_path.iterdir()} <= {"hostile.csv", "out", "a"}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<img" not in page
    for name in ("ranking.csv", "doubtful_labels.csv", "features.csv"):
        cells = pd.read_csv(tmp_path / "out" / name, dtype=str).to_numpy().ravel()
        starts = {str(cell)[0] for cell in cells if not _is_number(cell)}
        assert not starts & set("=+-@")


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_demo_tells_the_whole_story(tmp_path):
    folder = tmp_path / "demo"
    result = run("demo", "--out", folder)
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == WRITTEN | {"patients.csv"}
    assert Path(result.stdout.replace("\n", "").split("doubtful_labels.csv")[-1]).name == "report.html"
