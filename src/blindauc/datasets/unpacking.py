"""From what a source publishes to the one file that is checked, kept and read.

A source may change how it packs a file (the time in a zip archive, the order of its members), not what is in it. So
the checksum is taken of the content, in a form that every packing leads to.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

Unpack = Callable[[Iterable[bytes]], bytes]
"""The published files, whole, to the content."""


def as_published(published: Iterable[bytes]) -> bytes:
    """The one file itself."""
    (content,) = published
    return content


def decompressed(published: Iterable[bytes]) -> bytes:
    """The one file out of its gzip."""
    return gzip.decompress(as_published(published))


def member(name: str) -> Unpack:
    """How to take the file of this name out of the one archive, whatever folder it lies in there."""

    def unpack(published: Iterable[bytes]) -> bytes:
        for member_name, content in members(as_published(published)):
            if member_name.lower() == name.lower():
                return content
        raise ValueError(f"the archive holds no {name}")

    return unpack


def members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of a zip or tar archive: their names without the folders, and what is in them."""
    if zipfile.is_zipfile(io.BytesIO(archive)):
        with zipfile.ZipFile(io.BytesIO(archive)) as unzipped:
            yield from ((PurePosixPath(info.filename).name, unzipped.read(info)) for info in unzipped.infolist())
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as untarred:
            for info in untarred:
                if stream := untarred.extractfile(info):
                    yield PurePosixPath(info.name).name, stream.read()
    except tarfile.ReadError as error:
        raise ValueError("it is no whole zip or tar archive") from error


def stacked_stays(published: Iterable[bytes]) -> bytes:
    """PhysioNet's text file for each stay (Time,Parameter,Value), as one table in the order of their numbers.

    Examples
    --------
    >>> import io, zipfile
    >>> from blindauc.datasets.unpacking import stacked_stays
    >>> archive = io.BytesIO()
    >>> with zipfile.ZipFile(archive, "w") as packed:
    ...     packed.writestr("set-a/20.txt", "Time,Parameter,Value\\n00:00,Age,54\\n")
    ...     packed.writestr("set-a/3.txt", "Time,Parameter,Value\\n00:00,Age,76\\n00:37,HR,88\\n")
    >>> print(stacked_stays([archive.getvalue()]).decode(), end="")
    RecordID,Time,Parameter,Value
    3,00:00,Age,76
    3,00:37,HR,88
    20,00:00,Age,54
    """
    stays = {
        int(name.removesuffix(".txt")): content.decode().splitlines()[1:]
        for name, content in members(as_published(published))
        if re.fullmatch(r"\d+\.txt", name)
    }
    rows = (f"{number},{row}\n" for number in sorted(stays) for row in stays[number])
    return ("RecordID,Time,Parameter,Value\n" + "".join(rows)).encode()


def stacked_recordings(published: Iterable[bytes]) -> bytes:
    """Bonn's text file for each recording (a number in each line), as one line each: its name, then its samples.

    The archives differ in their line ends and in the case of `.txt`; here both are gone.
    """
    recordings = {
        name[:4].upper(): content.decode().split()
        for archive in published
        for name, content in members(archive)
        if re.fullmatch(r"[ZONFS]\d{3}\.txt", name, re.IGNORECASE)
    }
    return "".join(f"{name} {' '.join(recordings[name])}\n" for name in sorted(recordings)).encode()
