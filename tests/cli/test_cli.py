"""The command line: what a user reads, and the exit codes."""

import subprocess
import sys

import pytest
from command_line import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table9"], "There is no experiment 'table9': choose one of figure1"),
        (["table1", "--rows", "41"], "There is no row '41': choose from 40; 80"),
        (["table1", "--systems", "SVM"], "There is no system 'SVM': choose from SVM (ideal); One-class SVM"),
        (["table3", "--reading", "2"], "table3 has one reading only"),
        (
            ["table3", "--rows", "SPECTF", "--systems", "BAUC", "--data", "nowhere", "--jobs", "1"],
            "spectf/SPECTF.train",
        ),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.setenv("BLINDAUC_DATA", "")
    result = run("reproduce", *arguments, "--out", tmp_path)
    assert result.exit_code == 2
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("blindauc: ")
    assert message in last
    assert "Traceback" not in result.output


def test_a_table_is_printed_and_written(tmp_path):
    result = run(
        *("reproduce", "table2", "--rows", "1", "--repeats", "2", "--jobs", "1", "--out", tmp_path),
        *("--systems", "Difference of means;One-class SVM"),
    )
    assert result.exit_code == 0
    assert "Difference of means" in result.stdout
    assert "(80.30)" in result.stdout
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {f"table2.{kind}" for kind in ("csv", "md", "png", "svg", "jsonl")}


def test_help_teaches_and_starts_quickly():
    result = run("reproduce", "--help")
    assert result.exit_code == 0
    assert "blindauc reproduce table3 --data" in result.stdout
    heavy = (
        "import sys, blindauc.cli.app; print({'numpy', 'scipy', 'sklearn', 'pandas', 'matplotlib'} & {*sys.modules})"
    )
    shown = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
