"""Runs with their provenance survive being killed."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from command_line import run
from small_tasks import SMALL

from blindauc.experiments.running import ROC_POINTS, Cell, cells, run_cell, run_missing, runs_made
from blindauc.experiments.tables import as_csv, summarised

pytestmark = pytest.mark.usefixtures("few_candidates", "two_folds")


def wanted():
    return cells(SMALL, SMALL.rows, SMALL.systems, None)


def test_one_run_is_one_line_with_its_provenance(tmp_path):
    path = tmp_path / "sub" / "small.jsonl"
    made = list(run_missing(SMALL, wanted(), path, n_jobs=1))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == made
    assert len(lines) == 8
    assert {"row", "seed", "system", "auc", "seconds", "parameters", "versions"} <= set(lines[0])
    assert {Cell.of(line) for line in lines} == set(wanted())


def test_what_is_there_is_not_run_again_and_a_torn_line_is_dropped(tmp_path):
    path = tmp_path / "small.jsonl"
    list(run_missing(SMALL, wanted(), path, n_jobs=1))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    assert len(runs_made(path, wanted())) == 3
    again = list(run_missing(SMALL, wanted(), path, n_jobs=1))
    assert len(again) == 5
    assert path.read_bytes().startswith(b"".join(lines[:3]))

    def table(content):
        other = tmp_path / "other.jsonl"
        other.write_bytes(content)
        return as_csv(summarised(SMALL, runs_made(other, wanted())))

    assert table(path.read_bytes()) == table(whole) == table(b"".join(lines[::-1]))


def test_a_run_tells_what_was_found():
    experiment = replace(SMALL, systems=["BAUC-OF"], keeps_roc=True, measure=lambda model, task: {"more": 1})
    made = run_cell(experiment, Cell("20", 0, "BAUC-OF"))
    assert made["wrong_labels"] == 2
    assert 0 <= made["left_out_rightly"] <= made["left_out"]
    assert 0 <= made["doubted_rightly"] <= made["doubted"]
    assert len(made["roc"]) == len(ROC_POINTS)
    assert made["more"] == 1
    assert json.loads(json.dumps(made)) == made


KILLED = """
import os, signal, sys
from blindauc.cli.app import app
from blindauc.experiments import running

append, moments = running._append, [(1, 1.0), (3, 0.5)]

def killed(path, row):
    append(path, row)
    lines = path.read_bytes().splitlines(keepends=True)
    if len(lines) == n_lines:
        os.truncate(path, sum(map(len, lines[:-1])) + int(share * len(lines[-1])))
        os.kill(os.getpid(), signal.SIGKILL)

running._append = killed
for n_lines, share in moments:
    if (child := os.fork()) == 0:
        app(sys.argv[1:])
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
"""
"""Kills the command after its first line, and once more in the middle of the third; imports take long, so once."""


def test_a_killed_experiment_ends_with_the_same_table(tmp_path):
    command = [
        *("reproduce", "table2", "--repeats", "4", "--jobs", "1"),
        *("--systems", "Difference of means", "--rows", "1", "--out"),
    ]
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    subprocess.run([sys.executable, "-c", KILLED, *command, broken], check=True, stdout=subprocess.DEVNULL)
    assert not (broken / "table2.csv").exists()
    assert (broken / "table2.jsonl").read_bytes().count(b"\n") == 2
    for folder in (broken, whole):
        assert run(*command, folder).exit_code == 0
    for name in ("table2.csv", "table2.md"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_rows_that_take_long_are_run_once():
    slow = replace(SMALL, once=SMALL.rows[:1])
    systems = SMALL.systems[:1]
    made = cells(slow, SMALL.rows, systems, None)
    assert [cell.row for cell in made].count(SMALL.rows[0]) == 1
    assert [cell.row for cell in made].count(SMALL.rows[1]) == SMALL.repeats
    assert len(cells(slow, SMALL.rows[:1], systems, 3)) == 3
