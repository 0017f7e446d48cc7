"""Full disks, folders of others and interruptions: files are there all or none."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import FIT, run, told
from small_ward import names_in

from blindauc.cli import outputs

pytestmark = pytest.mark.usefixtures("few_candidates")


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
