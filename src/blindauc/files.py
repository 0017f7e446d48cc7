"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".unfinished-"
"""How the names of folders begin that are gone when the work is done."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to, whose file takes its place at the end; whoever else writes there at the same time."""
    check_is_replaceable(path)
    with errors_told_of(path):
        nearby = tempfile.TemporaryDirectory(dir=path.parent, prefix=UNFINISHED)
    with nearby as folder:
        part = Path(folder) / path.name
        yield part
        with errors_told_of(path):
            part.replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write so that the file is there whole or not at all."""
    with whole(path) as part, errors_told_of(path):
        part.write_bytes(content)


@contextmanager
def errors_told_of(path: Path) -> Iterator[None]:
    """What the system refuses is told with this name, not with that of something temporary."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_is_replaceable(path: Path) -> None:
    """Raise where something is that is no plain file: to put one in place of a link or a device could do much harm."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        raise FileExistsError(f"{path} is no plain file but a folder, a link or a device: name another file.")
