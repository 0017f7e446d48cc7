"""Caches of rows: made whole or not at all, believed only if they fit their table."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest

from blindauc.rows.disk import folder as cache_folder
from blindauc.rows.disk.beside import WEIGHTS
from blindauc.rows.disk.cache import FORMAT, MANIFEST
from blindauc.rows.disk.parquet import ParquetRows
from blindauc.rows.disk.size import memory_of, read_size
from blindauc.rows.disk.writing import LABELS, MATRIX


def table(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(list("xyz"), n), "w": rng.uniform(1, 2, n)})
    return frame.assign(y=np.arange(n) % 10 == 0)


@pytest.fixture
def folder(tmp_path):
    table().to_parquet(tmp_path / "a.parquet")
    return tmp_path


class Count:
    """How many rows were read."""

    def __init__(self):
        self.calls = []

    def __call__(self, done, total):
        self.calls.append((done, total))


def rows_read(rows):
    count = Count()
    rows.prepared(count)
    return count.calls[-1][0] if count.calls else 0


def left_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_made_once_and_used_again(folder):
    rows = ParquetRows(folder, "y", weight="w")
    count = Count()
    first = rows.prepared(count)
    assert count.calls[-1] == (2000, 2000)
    assert all(done <= total for done, total in count.calls)
    again = ParquetRows(folder, "y", weight="w")
    assert rows_read(again) == 0
    again = again.prepared()
    for name in ("X", "is_positive", "weight", "label_codes"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert first.feature_names == again.feature_names
    np.testing.assert_array_equal(first.weight, table()["w"])
    assert isinstance(first.X, np.memmap)
    assert rows.cache_folder.parent == folder / ".blindauc"
    assert sorted(os.listdir(rows.cache_folder.parent)) == [rows.cache_folder.name]
    assert sorted(os.listdir(rows.cache_folder)) == sorted([MANIFEST, LABELS, MATRIX, WEIGHTS])


def test_other_questions_have_other_caches(folder, tmp_path):
    base = ParquetRows(folder, "y").cache_folder
    others = [
        ParquetRows(folder, "y", weight="w").cache_folder,
        ParquetRows(folder, "y", drop=["a"]).cache_folder,
        ParquetRows(folder, "b").cache_folder,
        ParquetRows(folder, "y", cache=tmp_path / "elsewhere").cache_folder,
    ]
    assert len({base, *others}) == 5
    assert ParquetRows(folder, "y", memory="3GB", pos_label=True).cache_folder == base


def test_the_positive_label_needs_no_other_cache(folder):
    rows = ParquetRows(folder, "y").prepared()
    turned = ParquetRows(folder, "y", pos_label=False)
    assert rows_read(turned) == 0
    np.testing.assert_array_equal(turned.prepared().is_positive, ~rows.is_positive)
    assert turned.prepared().classes.tolist() == [True, False]


def truncate(path):
    os.truncate(path, path.stat().st_size - 4)


def edit(path):
    told = json.loads(path.read_text())
    told["columns"]["b"]["counts"]["x"] = 1
    told["fingerprint"] = "0"
    path.write_text(json.dumps(told))


def of_another_format(path):
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": FORMAT + 1}))


DAMAGES = {
    "matrix cut short": lambda cache: truncate(cache / MATRIX),
    "labels cut short": lambda cache: truncate(cache / LABELS),
    "weights gone": lambda cache: (cache / WEIGHTS).unlink(),
    "no manifest": lambda cache: (cache / MANIFEST).unlink(),
    "manifest cut short": lambda cache: truncate(cache / MANIFEST),
    "manifest edited": lambda cache: edit(cache / MANIFEST),
    "another format": lambda cache: of_another_format(cache / MANIFEST),
    "not JSON": lambda cache: (cache / MANIFEST).write_bytes(b"\xff\x00"),
    "a list": lambda cache: (cache / MANIFEST).write_text("[]"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_again(folder, damage):
    rows = ParquetRows(folder, "y", weight="w")
    expected = np.array(rows.prepared().X)
    DAMAGES[damage](rows.cache_folder)
    assert rows_read(rows) == 2000
    np.testing.assert_array_equal(rows.prepared().X, expected)


def test_what_is_stale_is_made_again(folder):
    rows = ParquetRows(folder, "y")
    old = rows.prepared()
    known = (folder / "a.parquet").stat()
    table(seed=1).to_parquet(folder / "a.parquet")
    os.utime(folder / "a.parquet", ns=(known.st_atime_ns, known.st_mtime_ns))  # as if it had not been touched
    assert rows_read(rows) == 2000
    new = ParquetRows(folder, "y").prepared()
    assert not np.array_equal(old.X, new.X)
    table(10).to_parquet(folder / "b.parquet")
    assert len(ParquetRows(folder, "y").prepared().X) == 1010
    assert len(old.X) == 1000  # what was mapped stays


def test_what_is_foreign_is_refused(folder):
    cache = ParquetRows(folder, "y").cache_folder
    cache.mkdir(parents=True)
    (cache / "thesis.txt").write_text("three years")
    with pytest.raises(ValueError, match=r"holds 'thesis\.txt', which this library did not write: move it away"):
        ParquetRows(folder, "y").prepared()
    assert (cache / "thesis.txt").read_text() == "three years"
    shutil.rmtree(cache)
    cache.write_text("a file")
    with pytest.raises(ValueError, match="is not a folder of this library: remove it"):
        ParquetRows(folder, "y").prepared()
    assert cache.read_text() == "a file"


def test_a_locked_cache_is_refused(folder):
    rows = ParquetRows(folder, "y")
    lock = rows.cache_folder.with_name(rows.cache_folder.name + ".lock")
    lock.parent.mkdir()
    with lock.open("w") as file:
        file.write("4711")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match=r"Another process \(4711\) is making the cache .*: wait for it to end"):
            rows.prepared()
    assert rows_read(rows) == 2000  # the lock of a process that has ended is none


def test_a_full_disk_is_told_before_the_work(folder, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(cache_folder.shutil, "disk_usage", lambda path: usage(10**9, 10**9, 1000))
    count = Count()
    with pytest.raises(ValueError, match=r"takes about 0\.0 GB, but the disk of .* has 0\.0 GB left: free some space"):
        ParquetRows(folder, "y").prepared(count)
    assert not count.calls
    assert left_in(folder) == ["a.parquet"]


def test_a_folder_that_cannot_be_written_is_told(folder):
    (folder / "file").write_text("")
    with pytest.raises(ValueError, match=r"The cache cannot be made in .*: name another folder with cache="):
        ParquetRows(folder / "a.parquet", "y", cache=folder / "file").prepared()


def stopping_at(n_rows, error):
    def report(done, total):
        if done >= n_rows:
            raise error

    return report


@pytest.mark.parametrize("n_rows", [1, 1001], ids=["first pass", "second pass"])
def test_an_interruption_leaves_nothing(folder, n_rows):
    with pytest.raises(KeyboardInterrupt):
        ParquetRows(folder, "y").prepared(stopping_at(n_rows, KeyboardInterrupt()))
    assert left_in(folder) == ["a.parquet"]
    assert not (folder / ".blindauc").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from blindauc.rows.disk.parquet import ParquetRows

def kill(*ignored):
    os.kill(os.getpid(), signal.SIGKILL)

for folder in sys.argv[1:]:
    if (child := os.fork()) == 0:
        moment = Path(folder).name
        if moment == "before the end":
            Path.replace = kill
        n_rows = {"first pass": 1, "second pass": 1001}.get(moment, 10**9)
        ParquetRows(folder, "y").prepared(lambda done, total: kill() if done >= n_rows else None)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
"""


def test_a_killed_process_leaves_nothing_that_is_believed(tmp_path):
    folders = [tmp_path / moment for moment in ("first pass", "second pass", "before the end")]
    for folder in folders:
        folder.mkdir()
        table().to_parquet(folder / "a.parquet")
    # All by one process: imports take longer than the rest.
    subprocess.run([sys.executable, "-c", KILLED, *folders], check=True)
    for folder in folders:
        rows = ParquetRows(folder, "y")
        assert not rows.cache_folder.exists()
        assert rows_read(rows) == 2000
        assert os.listdir(rows.cache_folder.parent) == [rows.cache_folder.name]


def test_files_that_change_in_between_are_told(folder):
    def change(done, total):
        if done == 1000:
            table(1000, seed=1).to_parquet(folder / "a.parquet")

    with pytest.raises(ValueError, match="changed while they were read: wait until they are written"):
        ParquetRows(folder, "y").prepared(change)
    assert left_in(folder) == ["a.parquet"]

    def cut(done, total):
        if done == 1000:
            table(900).to_parquet(folder / "a.parquet")

    with pytest.raises(ValueError, match="had 1000 rows and now has 900"):
        ParquetRows(folder, "y").prepared(cut)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9),
        ("1.5 GiB", 3 * 2**29),
        ("500mb", 5 * 10**8),
        ("7", 7),
        (12, 12),
        (" 3 kB ", 3000),
        ("1TiB", 2**40),
    ],
)
def test_sizes_are_read(text, size):
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "2 gigs", "-1GB", "1e9", "two", "2GB!", None, True])
def test_what_is_no_size_is_told(text):
    with pytest.raises(ValueError, match="A size must be a number with a unit, such as 500MB or 2GB, not"):
        read_size(text)


def test_too_little_memory_is_told(folder):
    assert memory_of(None) == 10**9
    with pytest.raises(ValueError, match="memory must be at least 100MB"):
        ParquetRows(folder, "y", memory="2MB")
