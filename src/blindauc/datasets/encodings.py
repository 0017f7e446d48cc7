"""Files of text as Arrow can read them: in UTF-8, plain or in a compression that it knows.

Arrow reads ahead in threads of its own. They must not need Python, which could end before them and then crashes, so
that Arrow is given nothing but files that it can read alone.
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
"""Bytes to read at a time."""


@contextmanager
def as_arrow_can_read_it(path: Path) -> Iterator[Path]:
    """The same text in UTF-8, if need be in a temporary file."""
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
    """The bytes of a file, unpacked."""
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
    """The name of the one file in a zip archive."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    # Archives from a Mac hold a shadow of each file.
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise TableError(f"{path} holds {len(names)} files, and one was expected: unpack it and name one of them.")
    return names[0]


def _encoding(path: Path) -> str:
    """What the letters are written in: UTF-8, UTF-16, or Windows-1252 where it cannot be UTF-8."""
    with opened(path) as stream:
        start = stream.read(PIECE)
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):  # what spreadsheets call Unicode text
        return "utf-16"
    if b"\0" in start:
        raise TableError(f"{path} holds binary data, and text was expected: export it as CSV, or mend its ending.")
    row = _row_that_is_not_utf_8(path)
    if row is None:
        return "utf-8"
    if not _is_windows_1252(path):
        raise TableError(
            f"{path} is neither in UTF-8 nor in Windows-1252 (row {row} has other letters): save it as CSV UTF-8, or "
            "convert it, for example with iconv -t utf-8."
        )
    return "cp1252"


def _row_that_is_not_utf_8(path: Path) -> int | None:
    """The first line, from 1, with bytes that are not UTF-8; None where there is none."""
    decoder, row = codecs.getincrementaldecoder("utf-8")(), 1
    for piece in _pieces(path):
        try:
            decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            return row + error.object.count(b"\n", 0, error.start)
        row += piece.count(b"\n")
    return None


def _is_windows_1252(path: Path) -> bool:
    """Whether all bytes are letters there, and most of those beyond ASCII are not UTF-8.

    A file in UTF-8 with a damaged letter would otherwise turn all its other umlauts into two letters each. In text of
    Windows-1252 bytes that are UTF-8 by chance are rare.
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
    """All bytes in order, and an empty piece at the end."""
    with opened(path) as stream:
        yield from iter(partial(stream.read, PIECE), b"")
    yield b""


def _count_beyond_ascii(piece: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(piece, dtype=np.uint8) > 0x7F))
