"""`blindauc fit --config run.json`: the same run to the last digit, or one line that says what is not the same."""

import contextlib
import inspect
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_line import FIT, run, told

from blindauc import load, read_table
from blindauc.analysis import score_table
from blindauc.cli.config import OF_THE_CALL, recorded
from blindauc.cli.fit import fit
from blindauc.datasets import make_patients

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder of a run with many options; its table and groups lie beside it."""
    place = tmp_path_factory.mktemp("first")
    table = make_patients(250, random_state=0).table
    table.to_csv(place / "patients.csv", index=False)
    labs = [f"lab_{number}" for number in range(1, 4)]
    lines = ["column,group", *(f"{name},labs" for name in labs)]
    (place / "groups.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    dropped = ",".join(f"lab_{number}" for number in range(4, 11))
    result = run(
        *(*FIT, place / "patients.csv", "--label", "infection", "--positive", "yes", "--id", "patient"),
        *("--drop", dropped, "--drop", "hospital", "--groups", place / "groups.csv", "--prior", "0.1"),
        *("--seed", "3", "--jobs", "1", "--out", place / "out"),
    )
    assert result.exit_code == 0, result.output
    return place / "out"


@pytest.fixture(scope="module")
def again(first, tmp_path_factory):
    """The folder of its repetition."""
    place = tmp_path_factory.mktemp("elsewhere")
    with contextlib.chdir(place):  # places are not those of the first call
        result = run("fit", "--config", first / "run.json", "--out", "again")
    assert result.exit_code == 0, result.output
    return place / "again"


@pytest.fixture
def copied(first, tmp_path):
    """The same elsewhere: run.json, the table and the groups."""
    shutil.copytree(first.parent, tmp_path / "copy")
    return tmp_path / "copy" / "out" / "run.json"


def run_json(folder):
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def findings(folder):
    found = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    found.pop("provenance")
    return found


def test_a_run_is_repeated_to_the_last_digit(first, again):
    for name in ("ranking.csv", "doubtful_labels.csv", "features.csv"):
        assert (again / name).read_bytes() == (first / name).read_bytes()
    assert findings(again) == findings(first)
    table = read_table(first.parent / "patients.csv")
    scores = [score_table(load(folder / "model.skops"), table).to_numpy() for folder in (first, again)]
    np.testing.assert_array_equal(*scores)
    repeated, before = run_json(again), run_json(first)
    assert {**before, "date": ""} == {**repeated, "date": "", "arguments": before["arguments"]}


def test_a_run_of_a_time_with_one_positive_value_only(copied, monkeypatch):
    asked = {}
    monkeypatch.setattr("blindauc.analysis.analyse", lambda *_, **options: asked.update(options) or 1 / 0)
    before = json.loads(copied.read_text(encoding="utf-8"))
    assert before["arguments"]["positive"] == ["yes"]
    before["arguments"]["positive"] = "yes"
    copied.write_text(json.dumps(before), encoding="utf-8")
    run("fit", "--config", copied, "--out", copied.parent / "again")
    assert asked["positive"] == ["yes"]
    assert asked["prior"] == 0.1


def test_the_repetition_can_be_repeated(first, again, tmp_path):
    assert run("fit", "--config", again / "run.json", "--out", tmp_path / "b").exit_code == 0
    assert (tmp_path / "b" / "ranking.csv").read_bytes() == (first / "ranking.csv").read_bytes()


def test_all_parameters_are_recorded(first):
    arguments = run_json(first)["arguments"]
    assert set(arguments) == set(inspect.signature(fit).parameters) - set(OF_THE_CALL)
    assert arguments["data"] == "../patients.csv"
    assert arguments["groups"] == "../groups.csv"
    assert (arguments["prior"], arguments["seed"]) == (0.1, 3)
    assert len(run_json(first)["groups_sha256"]) == 64


def test_a_new_parameter_is_recorded_by_itself():
    given = {"data": Path("a/table.csv"), "new": [1], "out": Path("b"), "force": True}
    assert recorded(given, Path("b")) == {"data": "../a/table.csv", "new": [1]}


def test_options_beside_it_count_more(first, tmp_path):
    result = run("fit", "--config", first / "run.json", "--prior", "0.3", "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    expected = run_json(first)["arguments"] | {"prior": 0.3}
    repeated = run_json(tmp_path / "out")["arguments"]
    assert {name: repeated[name] for name in ("prior", "seed", "drop")} == {
        name: expected[name] for name in ("prior", "seed", "drop")
    }


def test_the_folder_may_be_moved_with_its_table(copied, first, tmp_path):
    assert run("fit", "--config", copied, "--out", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "ranking.csv").read_bytes() == (first / "ranking.csv").read_bytes()


@pytest.mark.parametrize("name", ["patients.csv", "groups.csv"])
def test_a_file_that_changed_is_told(name, copied, tmp_path):
    changed = copied.parents[1] / name
    changed.write_text(changed.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    told(run("fit", "--config", copied, "--out", tmp_path / "out"), f"{name} is not the file of {copied}: its SHA-256")
    assert not (tmp_path / "out").exists()


def test_a_table_that_is_gone_can_be_named(copied, first, tmp_path):
    table = copied.parents[1] / "patients.csv"
    moved = table.replace(tmp_path / "moved.csv")
    told(run("fit", "--config", copied, "--out", tmp_path / "out"), "There is no file")
    result = run("fit", moved, "--config", copied, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "ranking.csv").read_bytes() == (first / "ranking.csv").read_bytes()


def test_other_versions_are_told(copied, tmp_path):
    stored = json.loads(copied.read_text(encoding="utf-8"))
    stored["versions"]["numpy"] = "1.0"
    copied.write_text(json.dumps(stored), encoding="utf-8")
    result = run("fit", "--config", copied, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0
    assert "comes from other versions, numpy 1.0 (here" in result.stderr
    assert json.loads(result.stdout)["n_rows"] == 250


BAD = {
    "nothing": ("", "is damaged"),
    "no JSON": ("{", "is damaged"),
    "a list": ("[]", "is damaged"),
    "no arguments": ("{}", "is damaged"),
    "arguments that are none": ('{"arguments": 3}', "is damaged"),
    "an option of another version": ('{"arguments": {"colour": "red"}}', "has the option 'colour', which this command"),
    "where to write": ('{"arguments": {"out": "elsewhere"}}', "has the option 'out'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_config_is_told_in_one_line(name, tmp_path):
    content, words = BAD[name]
    (tmp_path / "run.json").write_text(content, encoding="utf-8")
    result = run("fit", "--config", tmp_path / "run.json")
    told(result, words)
    assert len(result.stderr.splitlines()) == 1


def test_a_config_that_is_not_there(tmp_path):
    told(run("fit", "--config", tmp_path / "none.json"), "No such file or directory: ")
    told(run("fit", "--config", tmp_path), "Is a directory: ")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    told(
        run("fit", "--config", tmp_path / "table.csv"), "not a run.json of `blindauc fit` (JSONDecodeError): fit again"
    )
