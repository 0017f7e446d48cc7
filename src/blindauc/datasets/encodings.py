"""Text files in a form that Arrow can read: UTF-8, uncompressed or in a compression that Arrow knows.

Arrow reads ahead in its own threads. If these called into Python, the interpreter could crash at exit. So Arrow only
gets files that it can read without Python.
"""

from __future__ import annotations

import codecs
import lzma
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from blindauc.datasets.table_errors import TableError, imported

ARROW_NAMES = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
COMPRESSIONS = (*ARROW_NAMES, ".xz", ".zip")

PIECE = 1 << 20
"""Bytes to read at a time (convention)."""


@contextmanager
def as_arrow_can_read_it(path: Path) -> Iterator[Path]:
    """A path to the same text in UTF-8, in a temporary file if necessary."""
    encoding = _encoding(path)
    if path.suffix.lower() not in (".xz", ".zip") and encoding == "utf-8":
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table"
        with opened(path) as stream, copy.open("wb") as written:
            plain = stream if encoding == "utf-8" else codecs.EncodedFile(stream, "utf-8", encoding)
            shutil.copyfileobj(plain, written)
        yield copy


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A stream of the decompressed bytes of a file."""
    compression = path.suffix.lower()
    if compression == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(only_member(path)) as stream:
            yield stream
    elif compression == ".xz":
        with lzma.open(path) as stream:
            yield stream
    else:
        with imported("pyarrow").input_stream(str(path), compression=ARROW_NAMES.get(compression)) as stream:
            yield stream


def only_member(path: Path) -> str:
    """The name of the only file in a zip archive; a TableError if there are several."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    # Archives made by macOS hold a metadata file for each file.
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise TableError(f"{path} holds {len(names)} files, but one was expected: unpack it and name one of them.")
    return names[0]


def _encoding(path: Path) -> str:
    """The encoding of a text file: UTF-8, UTF-16, or Windows-1252 if it cannot be UTF-8."""
    with opened(path) as stream:
        start = stream.read(PIECE)
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):  # what spreadsheets call Unicode text
        return "utf-16"
    if b"\0" in start:
        raise TableError(
            f"{path} holds binary data, but its file name extension says text: export it as CSV, or correct the "
            "extension."
        )
    row = _row_that_is_not_utf_8(path)
    if row is None:
        return "utf-8"
    if not _is_windows_1252(path):
        raise TableError(
            f"{path} is encoded neither in UTF-8 nor in Windows-1252 (see row {row}): save it as CSV UTF-8, or "
            "convert it, for example with iconv -t utf-8."
        )
    return "cp1252"


def _row_that_is_not_utf_8(path: Path) -> int | None:
    """The number of the first line with invalid UTF-8, counted from 1; None if there is none."""
    decoder, row = codecs.getincrementaldecoder("utf-8")(), 1
    for piece in _pieces(path):
        try:
            decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            return row + error.object.count(b"\n", 0, error.start)
        row += piece.count(b"\n")
    return None


def _is_windows_1252(path: Path) -> bool:
    """Whether all bytes are valid Windows-1252, and most of those beyond ASCII are not valid UTF-8.

    The second condition excludes a UTF-8 file with one damaged character, whose other umlauts would each turn into two
    characters. In Windows-1252 text, bytes that happen to be valid UTF-8 are rare.
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")
    n_beyond_ascii = n_utf_8 = 0
    for piece in _pieces(path):
        try:
            piece.decode("cp1252")
        except UnicodeDecodeError:
            return False
        n_beyond_ascii += _count_beyond_ascii(piece)
        n_utf_8 += _count_beyond_ascii(decoder.decode(piece, final=not piece).encode())
    return n_utf_8 <= n_beyond_ascii / 2


def _pieces(path: Path) -> Iterator[bytes]:
    """The bytes of a file in pieces, then an empty piece."""
    with opened(path) as stream:
        yield from iter(partial(stream.read, PIECE), b"")
    yield b""


def _count_beyond_ascii(piece: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(piece, dtype=np.uint8) > 0x7F))
