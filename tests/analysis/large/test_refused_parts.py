"""What cannot be done in parts, or has no room, is told in one line before the work."""

import pytest
from command_line import run
from command_line import told as refused
from joblib.externals.loky.process_executor import TerminatedWorkerError

from blindauc import BlindAUCClassifierCV

pytestmark = pytest.mark.usefixtures("few_candidates")


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
