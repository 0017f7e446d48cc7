"""A folder that is written atomically, by one process at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from blindauc.files import errors_told_of

try:
    import fcntl
except ImportError:  # Windows has no such locks: two processes may then build the same folder, each for itself
    fcntl = None  # type: ignore[assignment]

UNFINISHED = ".unfinished"
"""The suffix of a folder that is being written."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from making a folder; a ValueError if another process is making it.

    The system releases the lock when the process ends, even if it is killed.
    """
    path = folder.with_name(f"{folder.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _locked_file(path, folder)
    except OSError as error:
        raise ValueError(
            f"The cache cannot be made in {path.parent} ({error.strerror}): name another folder with cache=."
        ) from error
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(file)
        with suppress(OSError):
            path.parent.rmdir()  # only if it is empty


def _locked_file(path: Path, folder: Path) -> int:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(file, folder)
            # The previous owner removes the file. If it did so since we opened it, our lock is on a file that no other
            # process can find, and we must try again.
            if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
                os.ftruncate(file, 0)
                os.write(file, str(os.getpid()).encode())
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _lock(file: int, folder: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.read(file, 20).decode(errors="replace")
        raise ValueError(
            f"Another process ({owner or 'unknown'}) is making the cache {folder}: wait for it to end, or name another "
            "folder with cache=."
        ) from error


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder to write to, which replaces `folder` at the end. The caller must hold the lock.

    The remains of a process that was killed are removed first.
    """
    part = folder.with_name(folder.name + UNFINISHED)
    shutil.rmtree(part, ignore_errors=True)
    with errors_told_of(part):
        part.mkdir()
    try:
        yield part
        flush_folder(part)
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
        flush_folder(folder.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def flush_folder(folder: Path) -> None:
    """Wait until the entries of a folder are on disk."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def check_is_ours(folder: Path, names: Iterable[str]) -> None:
    """Raise if a folder that is to be replaced holds files that this library did not write."""
    if not folder.exists():
        return
    if not folder.is_dir() or folder.is_symlink():
        raise ValueError(f"{folder} is not a folder of this library: remove it, or name another folder with cache=.")
    foreign = sorted(each.name for each in folder.iterdir() if each.name not in set(names))
    if foreign:
        raise ValueError(
            f"The cache {folder} holds {foreign[0]!r}, which this library did not write: move it away, or name another "
            "folder with cache=."
        )


def check_space(folder: Path, n_bytes: int) -> None:
    """Raise if the disk of a folder has less free space."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    n_free = shutil.disk_usage(there).free
    if n_bytes > n_free:
        raise ValueError(
            f"The cache of these rows takes about {n_bytes / 1e9:.1f} GB, but the disk of {folder} has "
            f"{n_free / 1e9:.1f} GB left: free some space, or name a folder on another disk with cache=."
        )
