"""Atomic file writes: a file is written completely or not at all."""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".unfinished-"
"""Prefix of the temporary folders in which files are written before they are moved."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary path to write to; its file replaces `path` at the end, in one step.

    The temporary folder is unique, so that several processes may write the same file.
    """
    check_is_replaceable(path)
    with errors_told_of(path):
        nearby = tempfile.TemporaryDirectory(dir=path.parent, prefix=UNFINISHED)
    with nearby as folder:
        part = Path(folder) / path.name
        yield part
        with errors_told_of(path):
            part.replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    with whole(path) as part, errors_told_of(path):
        part.write_bytes(content)


@contextmanager
def errors_told_of(path: Path) -> Iterator[None]:
    """Raise system errors with this path in place of that of a temporary file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_is_replaceable(path: Path) -> None:
    """Raise unless the path is free or a regular file: replacing a link or a device could do harm."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        raise FileExistsError(f"{path} is a folder, a link or a device, not a regular file: choose another name.")


def check_apart(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Raise if an output file is also an input, even under another link or spelling.

    Names that differ only in case count as the same: on many file systems they are, and elsewhere one would replace
    the other when both are copied to such a file system.

    Examples
    --------
    >>> from pathlib import Path
    >>> from blindauc.files import check_apart
    >>> check_apart([Path("scores.csv")], [Path("patients.csv")])
    >>> check_apart([Path("folder/../Patients.csv")], [Path("patients.csv")])
    Traceback (most recent call last):
    ValueError: folder/../Patients.csv is patients.csv, which is an input and would be lost: write to another file.
    """
    read = list(inputs)
    for output in outputs:
        for each in read:
            if _are_one_file(output, each):
                same = "" if str(output) == str(each) else f" {each}, which is"
                raise ValueError(f"{output} is{same} an input and would be lost: write to another file.")


def _are_one_file(one: Path, other: Path) -> bool:
    # The paths of two hard links to a file have nothing in common.
    if one.exists() and other.exists() and os.path.samefile(one, other):
        return True
    return _plain_name(one) == _plain_name(other)


def _plain_name(path: Path) -> str:
    # As file systems compare names: an accented letter may be one character, or a letter and an accent.
    return unicodedata.normalize("NFC", os.path.realpath(path)).casefold()
