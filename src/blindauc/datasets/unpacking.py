"""Unpack published archives to the canonical file that is verified, cached and read.

A source may repack an archive (other time stamps, another order of its members) without changing the data. So the
checksum is that of the content, in a form that does not depend on the packing.
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
"""A function from the bytes of the published files to the content."""


def as_published(published: Iterable[bytes]) -> bytes:
    """The only published file, unchanged."""
    (content,) = published
    return content


def decompressed(published: Iterable[bytes]) -> bytes:
    """The only published file, decompressed with gzip."""
    return gzip.decompress(as_published(published))


def member(name: str) -> Unpack:
    """A function that takes the file of this name out of the only published archive, from any folder in it."""

    def unpack(published: Iterable[bytes]) -> bytes:
        for member_name, content in members(as_published(published)):
            if member_name.lower() == name.lower():
                return content
        raise ValueError(f"the archive has no {name}")

    return unpack


def members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of a zip or tar archive: their names without folders, and their contents."""
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
        raise ValueError("it is not a complete zip or tar archive") from error


def stacked_stays(published: Iterable[bytes]) -> bytes:
    """PhysioNet's text files, one per stay (Time,Parameter,Value), as one table sorted by stay.

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
    """Bonn's text files, one per recording (a number per line), as one line each: the name, then the samples.

    The archives differ in line ends and in the case of `.txt`; the result does not.
    """
    recordings = {
        name[:4].upper(): content.decode().split()
        for archive in published
        for name, content in members(archive)
        if re.fullmatch(r"[ZONFS]\d{3}\.txt", name, re.IGNORECASE)
    }
    return "".join(f"{name} {' '.join(recordings[name])}\n" for name in sorted(recordings)).encode()
