"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
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


def check_apart(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Raise where a file to write is one that is read, by whatever link or spelling it is named.

    Names that differ in nothing but capitals count as the same: on many disks they are, and where they are not, one
    would replace the other as soon as both are copied to such a disk.

    Examples
    --------
    >>> from pathlib import Path
    >>> from blindauc.files import check_apart
    >>> check_apart([Path("scores.csv")], [Path("patients.csv")])
    >>> check_apart([Path("folder/../Patients.csv")], [Path("patients.csv")])
    Traceback (most recent call last):
    ValueError: folder/../Patients.csv is patients.csv, which is read, and would be lost: write to another place.
    """
    read = list(inputs)
    for output in outputs:
        for each in read:
            if _are_one_file(output, each):
                same = "" if str(output) == str(each) else f" {each}, which is"
                raise ValueError(f"{output} is{same} read, and would be lost: write to another place.")


def _are_one_file(one: Path, other: Path) -> bool:
    # Links with two names for one file have nothing in common but the file.
    if one.exists() and other.exists() and os.path.samefile(one, other):
        return True
    return _plain_name(one) == _plain_name(other)


def _plain_name(path: Path) -> str:
    # As disks compare names: letters may be composed of several characters, or be one.
    return unicodedata.normalize("NFC", os.path.realpath(path)).casefold()
