"""One bar for the whole with the time left; lines with times in a log, at first every ten seconds."""

import builtins
import os
import pty
import re
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from command_line import FIT

from blindauc import BlindAUCClassifierCV
from blindauc.analysis.durations import durations
from blindauc.choice.progress import fold_report
from blindauc.datasets import make_paper_data
from blindauc.progress import displays, steps
from blindauc.rows.parts import BlockParts

LINE = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+%  [a-z0-9 ]+, \d+:\d\d (so far|in all)(, about \d+:\d\d left)?$"
)
COMMAND = (sys.executable, "-m", "blindauc")
FEW_RIDGES = """
from blindauc.choice import space
from blindauc.estimators import tuning

space.RIDGE_DECADES, tuning.REPEATED_BELOW = (1,), 0
from blindauc import __main__
"""
"""The same command with a search that is soon over, for what is shown meanwhile."""


@pytest.fixture
def quick(monkeypatch):
    """Lines at once, to wait for nothing."""
    monkeypatch.setattr(displays, "FIRST_LINE", 0.01)
    monkeypatch.setattr(displays, "NEXT_LINE", 0.01)


PATIENCE = 60
"""Seconds that a busy machine may take to write a line (convention)."""


def told_by(work, capsys):
    """What is said on standard error. The work may wait until something has been said, once or more often."""
    said = ""

    def until(words, n_times=1):
        nonlocal said
        end = time.monotonic() + PATIENCE
        while said.count(words) < n_times:
            assert time.monotonic() < end, f"never said: {words}"
            time.sleep(0.005)
            said += capsys.readouterr().err

    work(until)
    rest = capsys.readouterr()
    assert rest.out == ""
    return (said + rest.err).splitlines()


# --- one whole --------------------------------------------------------------------------------------------------------


def positions(plan, work):
    """The words and shares that a display is told."""
    told = []

    @displays.contextmanager
    def remembering():
        yield lambda words, share: told.append((words, round(share, 6)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blindauc.progress.plan.display", remembering)
        with steps(plan, is_shown=True) as at:
            work(at)
    return told


def test_steps_inside_of_a_step_divide_its_share():
    def work(at):
        at("read")
        at("fit")
        with steps({"fold 1": 1, "fold 2": 3}, is_shown=True) as inner:
            inner("fold 1", 0.5)
            inner("fold 2", 1.0, "the last fold")
        at("write", 0.5)

    expected = [("read", 0), ("fit", 0.2), ("fold 1", 0.275), ("the last fold", 0.8), ("write", 0.9)]
    assert positions({"read": 2, "fit": 6, "write": 2}, work) == expected


def test_a_fit_tells_its_folds_and_never_goes_back():
    data = make_paper_data(n_features=9, n_relevant=6, n_outliers=0, random_state=0)

    def work(at):
        at("fit")
        BlindAUCClassifierCV(shape="linear", l2=[1.0, 10.0], n_features_to_select=3, cv=3, n_repeats=1).fit(
            data.X, data.y_pu
        )

    told = positions({"fit": 1}, work)
    assert {f"fold {k} of 3" for k in (1, 2, 3)} <= {words for words, _ in told}
    shares = [share for _, share in told]
    assert shares == sorted(shares)


def test_a_fit_of_rows_in_parts_tells_its_passes_and_never_goes_back():
    data = make_paper_data(n_features=9, n_relevant=6, n_outliers=0, random_state=0)
    rows = BlockParts.of(data.X, data.y_pu == 1)

    def work(at):
        at("fit")
        BlindAUCClassifierCV(shape="linear", l2=[1.0, 10.0], n_features_to_select=3, cv=3, n_repeats=1).fit(rows)
        at("scores of all rows")
        rows.forget()

    told = positions({"fit": 9, "scores of all rows": 1}, work)
    places = [k for k, (words, _) in enumerate(told) if words.endswith("passes over all rows")]
    # The passes of later steps, such as the one that forgets, belong to these.
    assert max(places) < [words for words, _ in told].index("calibration")
    assert told[-1] == ("scores of all rows", 0.9)
    shares = [share for _, share in told]
    assert shares == sorted(shares)


def test_what_is_told_late_does_not_go_back():
    def work(at):
        at("read")
        at("fit", 0.5)
        at("read", 0.5)  # as a callback of a thread may
        at("write")

    assert positions({"read": 2, "fit": 6, "write": 2}, work) == [
        ("read", 0),
        ("fit", 0.5),
        ("read", 0.5),
        ("write", 0.8),
    ]


def test_reading_takes_its_share_by_the_size_of_the_table():
    # 30,000 rows are read in a moment, whereas their search takes as long as that of a million rows.
    def share_of_reading(n_rows):
        plan = durations(19 * n_rows)
        return plan["reading"] / sum(plan.values())

    assert share_of_reading(30_000) < 0.01
    assert 0.05 < share_of_reading(1_000_000) < 0.2


FOLD_SECONDS = {
    "600 rows, two processes": [4.9, 1.3, 1.1, 0.9, 0.9, 0.9, 1.0, 0.9, 1.0, 1.0],
    "3,000 rows, two processes": [9.8, 5.4, 4.7, 3.6, 3.5, 2.9, 3.0, 2.9, 2.9, 2.7],
    "30,000 rows": [4.6, 3.5, 1.7, 1.6, 1.6, 1.4, 1.2, 1.4, 1.3, 1.3],
    "30,000 rows, linear": [1.8, 1.0, 0.6, 0.7, 0.6, 0.5, 0.5, 0.6, 0.5, 0.5],
    "200,000 rows": [4.5, 1.9, 1.8, 1.9, 0.9],
    "1,000,000 rows": [4.7, 3.3, 2.8, 2.2, 1.7],
}
"""Measured with `blindauc fit`, on two cores that others used, too."""


@pytest.mark.parametrize("seconds", FOLD_SECONDS.values(), ids=FOLD_SECONDS)
def test_the_time_left_of_measured_searches_is_right_within_a_factor_of_two(seconds):
    told = []
    report = fold_report(lambda step, done, words: told.append(done), "search", len(seconds))
    for k in range(len(seconds)):
        report(f"fold {k + 1}", 1, 1)
    for k in range(len(seconds) - 1):
        left = sum(seconds[: k + 1]) * (1 - told[k]) / told[k]
        assert 0.5 < left / sum(seconds[k + 1 :]) < 2


def test_nothing_is_said_unless_it_is_asked_for(quick, capsys):
    def work(until):
        with steps({"a": 1}) as at:
            at("a")
            time.sleep(0.05)

    assert told_by(work, capsys) == []


# --- lines of a log ---------------------------------------------------------------------------------------------------


def test_a_log_has_plain_lines_with_times(quick, capsys):
    def work(until):
        with steps({"reading": 1, "fitting": 1}, is_shown=True) as at:
            at("fitting", 0.5)
            until(" 75%  fitting, ", n_times=2)

    lines = told_by(work, capsys)
    assert all(LINE.match(line) for line in lines), lines
    assert "100%  done" in lines[-1]


def test_the_log_of_an_hour_can_be_read():
    at, n_lines = 1.0, 0  # the first line; conftest sets FIRST_LINE to ten minutes
    while at < 3600:
        at, n_lines = at + displays.pause(at), n_lines + 1
    assert 20 < n_lines < 40


def test_what_is_over_at_once_says_nothing(capsys):
    def work(until):
        with steps({"a": 1}, is_shown=True) as at:
            at("a")

    assert told_by(work, capsys) == []


def test_what_fails_is_not_done(quick, capsys):
    def failing(until):
        with steps({"a": 1}, is_shown=True) as at:
            at("a")
            until("  a, ")
            raise ValueError("no")

    def work(until):
        with pytest.raises(ValueError, match="no"):
            failing(until)

    lines = told_by(work, capsys)
    assert not any("done" in line for line in lines)


def test_without_rich_there_are_lines(quick, capsys, monkeypatch):
    plain_import = builtins.__import__

    def without_rich(name, *rest, **more):
        if name.startswith("rich"):
            raise ImportError(name)
        return plain_import(name, *rest, **more)

    def work(until):
        with steps({"a": 1}, is_shown=True) as at:
            at("a")
            until("  a, ")

    monkeypatch.setattr(builtins, "__import__", without_rich)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert LINE.match(told_by(work, capsys)[0])


# --- the commands -----------------------------------------------------------------------------------------------------


def times_of_writes(*arguments, folder):
    """When a command says something to a log file: seconds since its start, and the lines of its progress."""
    begun, times, lines = time.monotonic(), [0.0], []
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        for line in process.stdout:
            times.append(time.monotonic() - begun)
            lines.append(line.rstrip("\n"))
    assert process.returncode == 0, lines
    return np.array(times), [line for line in lines if LINE.match(line)]


def assert_never_silent(times):
    """A line within two seconds, and then after each pause, with a second for a busy machine."""
    assert times[1] <= 2
    assert all(gap <= displays.pause(at) + 1 for at, gap in zip(times[1:], np.diff(times)[1:], strict=False))


@pytest.mark.slow
def test_the_demo_is_never_silent_for_long(tmp_path):
    times, lines = times_of_writes("demo", "--out", "demo", folder=tmp_path)
    assert_never_silent(times)
    assert len(lines) >= 2


@pytest.mark.slow
def test_a_large_table_is_never_silent_for_long(tmp_path):
    n, p, rng = 20_000, 60, np.random.default_rng(0)
    is_ill = rng.uniform(size=n) < 0.2
    table = pd.DataFrame(rng.normal(size=(n, p)) + 0.6 * np.outer(is_ill, np.arange(p) < 8)).add_prefix("column ")
    table["infection"] = np.where(is_ill & (rng.uniform(size=n) < 0.25), "yes", "")
    table.to_csv(tmp_path / "table.csv", index=False)
    times, lines = times_of_writes(*FIT, "table.csv", "--label", "infection", folder=tmp_path)
    assert_never_silent(times)
    shares = [int(re.search(r"(\d+)%", line)[1]) for line in lines]
    assert shares == sorted(shares)


def test_a_terminal_sees_one_bar_with_the_time_left(tmp_path):
    rng = np.random.default_rng(0)
    is_ill = np.arange(200) < 60
    table = pd.DataFrame({"crp": rng.normal(5 + 3 * is_ill), "age": rng.normal(50, 10, 200)})
    table["infection"] = np.where(np.arange(200) < 30, "yes", "")
    table.to_csv(tmp_path / "table.csv", index=False)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", FEW_RIDGES, *FIT, "table.csv", "--label", "infection", "--jobs", "1"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0, shown
    assert "━" in shown.decode()
    assert " left" in shown.decode()
    # Drawn over and over in one place, and wiped away at the end.
    assert shown.count(b"\n") <= 1
    assert shown.rstrip().endswith(b"\x1b[2K")
