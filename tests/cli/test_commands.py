"""The commands of a person with a table: fit, score, audit, report and demo, and what they say to bad input."""

import csv
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import forging
import numpy as np
import pandas as pd
import pytest
import skops.io
from command_line import FIT, run, told

from blindauc.cli import outputs
from blindauc.cli.fit import fit
from blindauc.datasets import make_patients

pytestmark = pytest.mark.usefixtures("few_candidates")

WRITTEN = {
    "model.skops",
    "ranking.csv",
    "doubtful_labels.csv",
    "features.csv",
    "findings.json",
    "run.json",
    "report.html",
    "results.xlsx",
}


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
    result = run(*FIT, table, "--label", "infection", "--id", "patient", "--out", folder, "--jobs", "1")
    assert result.exit_code == 0, result.output
    return folder, result


N_SMALL = 60
SMALL = pd.DataFrame(
    {
        "id": [f"P{k}" for k in range(N_SMALL)],
        "age": [30 + 7 * k % 41 for k in range(N_SMALL)],
        "infection": ["yes" if k % 20 == 0 else "" for k in range(N_SMALL)],
    }
)
"""So few positives that there is nothing to choose, and a fit takes no time."""


def small(**columns):
    return SMALL.assign(**columns).to_csv(index=False).encode()


@pytest.fixture
def small_table(tmp_path):
    path = tmp_path / "small.csv"
    path.write_bytes(small())
    return path


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


# --- bad input --------------------------------------------------------------------------------------------------------

DAYS = [f"2021-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(N_SMALL)]
STAGES = ["deep", "superficial", "none so far"] * (N_SMALL // 3)


def many_categories():
    rows = pd.concat([SMALL] * 500, ignore_index=True)
    return rows.assign(zip=[f"Z{k % 10_000}" for k in range(len(rows))]).drop(columns="id").to_csv(index=False).encode()


BAD_TABLES = {
    "empty": (lambda: b"", "empty"),
    "header only": (lambda: b"id,age,infection\n", "no rows"),
    "no label column": (lambda: SMALL.drop(columns="infection").to_csv(index=False).encode(), "no column 'infection'"),
    "one value": (lambda: small(infection="yes"), "holds 'yes' in every row"),
    "one value that means no": (lambda: small(infection="no"), "holds only 'no'"),
    "blank labels": (lambda: small(infection=""), "blank in every row"),
    "three values": (lambda: small(infection=STAGES), "--positive"),
    "not UTF-8": (lambda: small(ward="Köln") + b"\x81", "neither in UTF-8 nor in Windows-1252 (see row 62"),
    "ragged": (lambda: small() + b"1,2\n", "row 62"),
    "names twice": (lambda: small().replace(b"id,age", b"age,age"), "same name, 'age'"),
    "10,000 categories": (many_categories, "more than 1,000 categories, 'zip' with 10,000: group them first, or leave"),
    "missing in every row": (
        lambda: small(weight="", payer="NA"),
        "2 columns without a value in any row, 'weight', 'p",
    ),
    "infinity": (lambda: small(ratio=["inf", 1.5, "-inf"] * 20), "infinite numbers, 'ratio' in 40 rows, the first of"),
    "no day of the calendar": (lambda: small(day=[*DAYS[1:], "2021-02-30"]), "'day' with '2021-02-30' in data row 60"),
    "mixed dates": (
        lambda: small(day=[*DAYS[1:], "04.03.2021"]),
        "'day' with '04.03.2021' in data row 60: write every",
    ),
    "ambiguous dates": (lambda: small(day=["03/04/2021", "05/06/2021"] * 30), "day and month cannot be told apart"),
    "label among the features": (lambda: small(copy=SMALL["infection"]), "'copy' repeats the labels in every row"),
    "nothing to learn from": (lambda: SMALL[["infection"]].to_csv(index=False).encode(), "No column is left"),
}


def names_in(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["for people", "for machines"])
@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_are_told_in_one_line_and_nothing_is_left(name, options, tmp_path):
    content, words = BAD_TABLES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content())
    told(run("fit", path, "--label", "infection", "--out", tmp_path / "new" / "out", *options), words)
    assert names_in(tmp_path) == {"table.csv"}


def test_bad_columns_can_be_left_out(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(small(weight="", ratio=["inf", 1.5, "-inf"] * 20, day=[*DAYS[1:], "soon"]))
    fit = (*FIT, path, "--label", "infection", "--out", tmp_path / "out", "--drop", "weight", "--drop", "ratio")
    told(run(*fit), "a column of dates that cannot all be read, 'day' with 'soon' in data row 60")
    result = run(*fit, "--drop", "day")
    assert result.exit_code == 0, result.output
    assert names_in(tmp_path / "out") == WRITTEN


def test_several_positives_are_all_positive(small_table, tmp_path, monkeypatch):
    asked = {}
    monkeypatch.setattr("blindauc.analysis.analyse", lambda *_, **options: asked.update(options) or 1 / 0)
    run(*FIT, small_table, "--label", "infection", "--positive", "yes", "--positive", "no", "--out", tmp_path / "out")
    assert asked["positive"] == ["yes", "no"]


@pytest.mark.parametrize(
    ("share", "words"), [("6,5%", "write it as 0.065"), ("6.5 %", "write it as 0.065"), ("few", "such as 0.065")]
)
def test_a_share_that_is_written_otherwise(share, words, small_table, tmp_path):
    result = run(*FIT, small_table, "--label", "infection", "--prior", share, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("command", ["score", "audit", "monitor", "compare"])
def test_a_table_in_the_place_of_the_model(command, small_table):
    told(run(command, small_table, small_table), "is a table, but the first ")


@pytest.mark.parametrize("option", ["--id", "--drop", "--groups", "--group"])
def test_the_label_column_is_nothing_else(option, small_table, tmp_path):
    (tmp_path / "groups.csv").write_text("column,group\nage,a\ninfection,a\n", encoding="utf-8")
    value = {"--groups": tmp_path / "groups.csv", "--group": "(infection)"}.get(option, "infection")
    told(run("fit", small_table, "--label", "infection", "--out", tmp_path / "out", option, value), "infection")
    assert names_in(tmp_path) == {"small.csv", "groups.csv"}


def test_places_that_cannot_be_read_or_written(table, fitted, tmp_path):
    folder, _ = fitted
    label = ("--label", "infection")
    told(run("fit", tmp_path / "nowhere.csv", *label), "nowhere.csv")
    told(run("fit", tmp_path, *label), "folder")
    file = tmp_path / "file"
    file.write_text("here", encoding="utf-8")
    told(run("fit", table, *label, "--out", file), "is not a folder")
    told(run("fit", table, *label, "--out", file / "out"), f"Not a directory: {file / 'out'}")
    told(run("score", folder, table, "--out", tmp_path), "is a folder")
    told(run("score", folder, table, "--out", tmp_path / "nowhere" / "scores.csv"), "nowhere")
    told(run("score", folder, table, "--out", file / "scores.csv"), f"Not a directory: {file / 'scores.csv'}")
    told(run("report", tmp_path), "findings.json")
    told(run("fit", table, *label, "--group", "(a", "--groups", table), "--group")
    assert file.read_text(encoding="utf-8") == "here"
    assert names_in(tmp_path) == {"file"}


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"asked": 1}', "\x00", "[" * 100_000], ids=lambda text: text[:3])
def test_findings_that_are_none(content, tmp_path):
    (tmp_path / "findings.json").write_text(content, encoding="utf-8")
    told(run("report", tmp_path), "findings.json cannot be read")
    assert names_in(tmp_path) == {"findings.json"}


def test_a_table_without_the_columns_of_the_model(fitted, tmp_path):
    folder, _ = fitted
    path = tmp_path / "new.csv"
    path.write_text("patient,temprature\nP1,37\n", encoding="utf-8")
    told(run("score", folder, path, "--out", tmp_path / "scores.csv"), "perhaps 'temprature'")
    assert names_in(tmp_path) == {"new.csv"}


def test_new_rows_that_cannot_be_read(fitted, table, tmp_path):
    folder, _ = fitted
    rows = pd.read_csv(table, dtype=str, keep_default_na=False)
    rows.loc[250, "temperature"] = "inf"
    rows.loc[260, "smoker"] = "perhaps"
    rows.to_csv(tmp_path / "new.csv", index=False)
    words = (
        "'inf' in data row 251 of 'temperature' is not a number, 'perhaps' in data row 261 of 'smoker' is not yes or no"
    )
    told(run("score", folder, tmp_path / "new.csv", "--out", tmp_path / "scores.csv"), words)
    assert names_in(tmp_path) == {"new.csv"}


def test_what_a_model_ranks_by_is_no_label(fitted, table):
    told(run("audit", fitted[0], table, "--label", "age"), "The model uses 'age' as a feature")


# --- models that are none ---------------------------------------------------------------------------------------------

BOMB = {"schema.json": bytes(10**8)}
FOREIGN_MODELS = {
    "elsewhere": (lambda marker: b"GIF89a", "is not a skops file"),
    "pickle": (
        lambda marker: pickle.dumps(forging.Payload(marker)),
        "is not a skops file, and looks like a pi",
    ),
    "pickle in a zip": (
        lambda marker: forging.zipped({"model.pkl": pickle.dumps(forging.Payload(marker))}),
        "is a zip archive that blindauc.save did not write",
    ),
    "skops": (lambda marker: skops.io.dumps(forging.Stateful(marker)), "is a zip archive that blindauc.save did not"),
    "skops that looks like ours": (
        lambda marker: forging.forged(forging.members_of(skops.io.dumps(forging.Stateful(marker)))),
        "holds types that are not known to be harmless",
    ),
    "zip bomb": (lambda marker: forging.forged(BOMB, packed=BOMB), "would unpack to more than its own size"),
    "zip bomb that lies": (
        lambda marker: forging.lying(forging.forged(BOMB, packed=BOMB), "schema.json", method=0, unpacked=100),
        "would unpack to more than its own size",
    ),
}


@pytest.mark.parametrize("name", FOREIGN_MODELS)
def test_foreign_models_are_refused_and_not_run(name, small_table, tmp_path):
    content, words = FOREIGN_MODELS[name]
    path = tmp_path / "model.skops"
    path.write_bytes(content(tmp_path / "marker"))
    for arguments in (
        ("score", path, small_table, "--out", tmp_path / "scores.csv"),
        ("audit", path, small_table, "--label", "infection"),
    ):
        told(run(*arguments), f"{path} {words}")
    assert names_in(tmp_path) == {"model.skops", "small.csv"}


def test_a_model_that_was_cut_short(fitted, table, tmp_path):
    content = (fitted[0] / "model.skops").read_bytes()
    path = tmp_path / "model.skops"
    path.write_bytes(content[: len(content) // 2])
    told(run("score", path, table, "--out", tmp_path / "scores.csv"), f"{path} is damaged or truncated")
    told(run("score", tmp_path / "none.skops", table), "none.skops")
    assert names_in(tmp_path) == {"model.skops"}


# --- no room, no right, no time ---------------------------------------------------------------------------------------


@contextmanager
def mounted(folder, options):
    """A small disk of its own; where that is not permitted the test is skipped."""
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("needs the command mount")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"needs the right to mount a small disk: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


FULL = "No space left on device: "


def test_a_full_disk_is_told_before_the_fit(small_table, tmp_path, monkeypatch):
    monkeypatch.setattr("blindauc.analysis.analyse", lambda *_, **__: pytest.fail("this was fitted"))
    with mounted(tmp_path / "disk", "size=64k") as disk:
        for folder in (disk, disk / "new" / "out"):
            told(run("fit", small_table, "--label", "infection", "--out", folder), f"{FULL}{folder}")
            assert names_in(disk) == set()


def test_a_disk_that_gets_full(small_table, fitted, table, tmp_path, monkeypatch):
    monkeypatch.setattr(outputs, "ROOM", 0)
    with mounted(tmp_path / "disk", "size=64k") as disk:
        told(run("fit", small_table, "--label", "infection", "--out", disk / "out"), f"{FULL}{disk / 'out'}")
        assert names_in(disk) == set()
    with mounted(tmp_path / "full disk", "size=1m") as disk:
        shutil.copy(fitted[0] / "findings.json", disk)
        (disk / "report.html").write_text("old", encoding="utf-8")
        (disk / "rest").write_bytes(bytes(shutil.disk_usage(disk).free - 4_096))
        told(run("report", disk), f"{FULL}{disk / 'report.html'}")
        told(run("score", fitted[0], table, "--out", disk / "scores.csv"), f"{FULL}{disk / 'scores.csv'}")
        told(run("audit", fitted[0], table, "--out", disk / "audit.csv"), f"{FULL}{disk / 'audit.csv'}")
        assert names_in(disk) == {"findings.json", "report.html", "rest"}
        assert (disk / "report.html").read_text(encoding="utf-8") == "old"


def unwritable(small_table, fitted, table, folder, reason):
    """All commands tell that nothing can be written to this folder, before they work."""
    told(run("fit", small_table, "--label", "infection", "--out", folder), f"{reason}: {folder}")
    told(run("fit", small_table, "--label", "infection", "--out", folder / "out"), f"{reason}: {folder / 'out'}")
    told(run("demo", "--out", folder / "out"), f"{reason}: {folder / 'out'}")
    told(run("score", fitted[0], table, "--out", folder / "scores.csv"), f"{reason}: {folder / 'scores.csv'}")
    assert names_in(folder) == set()


def test_a_disk_that_is_read_only(small_table, fitted, table, tmp_path, monkeypatch):
    monkeypatch.setattr("blindauc.analysis.analyse", lambda *_, **__: pytest.fail("this was fitted"))
    with mounted(tmp_path / "disk", "ro") as disk:
        unwritable(small_table, fitted, table, disk, "Read-only file system")


def test_a_folder_of_someone_else(small_table, fitted, table, tmp_path, monkeypatch):
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("needs a user who may not write everywhere")
    monkeypatch.setattr("blindauc.analysis.analyse", lambda *_, **__: pytest.fail("this was fitted"))
    unwritable(small_table, fitted, table, folder, "Permission denied")


STEPS_OF_A_FIT = [
    "blindauc.datasets.tables.read_table",
    "blindauc.analysis.analyse",
    "blindauc.analysis.provenance",
    "blindauc.model_files.save",
    "blindauc.analysis.write_csv",
    "blindauc.report.write",
]


@pytest.mark.parametrize("step", STEPS_OF_A_FIT)
def test_an_interruption_leaves_nothing(step, small_table, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupt)
    result = run(*FIT, small_table, "--label", "infection", "--out", tmp_path / "new" / "out")
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1].startswith("blindauc: interrupted")
    assert names_in(tmp_path) == {"small.csv"}


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


@pytest.fixture
def interruptible():
    """Ctrl-C as in a terminal: what shells start in the background ignores it, and so would its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_files_are_moved_all_or_none(tmp_path, monkeypatch):
    replace_file = Path.replace

    def interrupted(path, target):
        os.kill(os.getpid(), signal.SIGINT)
        return replace_file(path, target)

    with outputs.filled(tmp_path / "out") as unfinished:
        for name in "abc":
            (unfinished / name).touch()
        monkeypatch.setattr(Path, "replace", interrupted)
    assert names_in(tmp_path / "out") == set("abc")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("stop", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_process_that_is_stopped_leaves_nothing(stop, code, word, table, tmp_path):
    folder = tmp_path / "out"
    command = [sys.executable, "-m", "blindauc", *FIT, str(table), "--label", "infection", "--out", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while process.poll() is None and not folder.exists():
        time.sleep(0.01)
    process.send_signal(stop)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code, said
    assert said.splitlines()[-1].startswith(f"blindauc: {word}. No file is incomplete.")
    assert "leaked" not in said
    assert names_in(tmp_path) == set()


# --- hostile input ----------------------------------------------------------------------------------------------------

ATTACK = "window.hacked = true"
SCRIPT, IMAGE = f"<script>{ATTACK}</script>", f"<img src=x onerror='{ATTACK}'>"
FORMULA, QUOTED = "=cmd|' /C calc'!A0", f'"><svg onload="{ATTACK}">'


@pytest.fixture(scope="module")
def hostile(patients, tmp_path_factory):
    """The folder of a fit to a table whose name, columns and cells all try something."""
    place = tmp_path_factory.mktemp("hostile")
    names = {"lab_1": SCRIPT, "temperature": FORMULA, "lab_2": "@SUM(A1)", "hospital": "\x1b[2J", "infection": QUOTED}
    table = patients.table.rename(columns=names)
    table["patient"] = ["=1+1", IMAGE, "@SUM(A1)", "+1", "-1", SCRIPT, *table["patient"][6:]]
    table["ward"] = table["ward"].replace({"bowel": IMAGE, "heart": "-2+3"})
    path = place / f"{IMAGE}.csv".replace("/", "")
    table.to_csv(path, index=False)
    out = place / "a" / ".." / "out"
    result = run(*FIT, path, "--label", QUOTED, "--id", "patient", "--out", out, "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert names_in(place) == {path.name, "out"}
    assert names_in(place / "out") == WRITTEN
    return place / "out", result


def test_a_terminal_is_not_steered(hostile):
    assert "  ?[2J: '\\x1b[2J' is 'North' in every row" in hostile[1].stdout
    assert "\x1b" not in hostile[1].output


@pytest.mark.parametrize("name", ["ranking.csv", "doubtful_labels.csv", "features.csv"])
def test_a_spreadsheet_runs_nothing(hostile, name):
    with (hostile[0] / name).open(encoding="utf-8", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert any(cell.startswith("'=") for cell in cells)
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r")) and not _is_number(cell)]


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_browser_runs_nothing(hostile, browser):
    browser.open(hostile[0] / "report.html", width=1280)
    words = browser.evaluate("document.body.textContent")
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.evaluate("document.querySelectorAll('img, svg[onload], script:not(:last-child)').length") == 0
    assert browser.complaints() == []
    assert len(browser.requests()) == 1
    for attack in (SCRIPT, IMAGE, FORMULA, QUOTED):
        assert attack in words


def test_names_that_are_no_unicode(small_table, tmp_path):
    odd = os.fsdecode("Müller".encode("latin1"))
    try:
        shutil.copy(small_table, tmp_path / f"{odd}.csv")
    except OSError:
        pytest.skip("needs a disk that takes any name")
    told(run("fit", tmp_path / f"{odd}.csv", "--label", "infection"), "M?ller.csv has a name that is not valid UTF-8")
    result = run(*FIT, small_table, "--label", "infection", "--out", tmp_path / odd)
    assert result.exit_code == 0, result.output
    assert "M?ller/report.html" in result.stdout
    assert names_in(tmp_path / odd) == WRITTEN


def test_links_are_not_followed_out_of_the_folder(small_table, fitted, table, tmp_path):
    label = ("--label", "infection")
    (tmp_path / "elsewhere").write_text("kept", encoding="utf-8")
    (tmp_path / "link").symlink_to("elsewhere")
    (tmp_path / "to nothing").symlink_to("nothing")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").symlink_to("../elsewhere")
    before = names_in(tmp_path)
    told(run("fit", small_table, *label, "--out", tmp_path / "out"), "report.html is a folder, a link or a device")
    told(run("fit", small_table, *label, "--out", tmp_path / "link"), "is not a folder")
    told(run("fit", small_table, *label, "--out", tmp_path / "to nothing"), "is not a folder")
    told(run("score", fitted[0], table, "--out", tmp_path / "link"), "is a folder, a link or a device")
    told(run("score", fitted[0], table, "--out", os.devnull), "is a folder, a link or a device")
    assert names_in(tmp_path) == before
    assert (tmp_path / "elsewhere").read_text(encoding="utf-8") == "kept"


def test_a_link_to_a_folder_and_a_name_of_two_lines_are_folders(small_table, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for folder in (tmp_path / "link", tmp_path / "two\nlines"):
        result = run(*FIT, small_table, "--label", "infection", "--out", folder)
        assert result.exit_code == 0, result.output
        assert names_in(folder) == WRITTEN
    assert names_in(tmp_path) == {"small.csv", "folder", "link", "two\nlines"}
    told(run("fit", small_table, "--label", "infection", "--out", tmp_path / "two\nlines" / "run.json"), "two lines")
