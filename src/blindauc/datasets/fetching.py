"""Public data files from a local folder, the cache or their source, always verified by SHA-256.

If a folder is given (`data_folder`, or the environment variable BLINDAUC_DATA), files are read from there and nothing
is downloaded. Otherwise they come from the cache (the user's cache folder, or BLINDAUC_CACHE), and are downloaded if
the cache has no valid copy.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from blindauc import extras
from blindauc.datasets.sources import DataFile
from blindauc.files import write_whole

imported = partial(extras.imported, otherwise='The public data sets need {}: pip install "blindauc[data]".')

Folder = str | os.PathLike[str]

_UNREADABLE = (ValueError, OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError)
_COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".xz": lzma.decompress, ".gz": gzip.decompress}


class DataNotFoundError(OSError):
    """A public data file is missing, unreadable or has the wrong checksum; the message says what to do.

    Attributes
    ----------
    path : str, the path of the file below a data folder
    reason : str, what is wrong
    """

    def __init__(self, line: str, path: str, reason: str) -> None:
        super().__init__(line)
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        # For errors in worker processes: OSError would pickle its message only.
        return type(self), (str(self), self.path, self.reason)


def fetch(file: DataFile, data_folder: Folder | None = None) -> bytes:
    """The content of a public data file, verified by its SHA-256.

    Parameters
    ----------
    file : DataFile
        An entry of `blindauc.datasets.sources`.
    data_folder : path, optional
        A folder with the file at `file.path`, plain or compressed (.xz, .gz), or with the published archives there.

    Returns
    -------
    bytes

    Raises
    ------
    DataNotFoundError
        If the file is not in the given folder, cannot be downloaded, or has the wrong checksum.
    """
    folder = data_folder or os.environ.get("BLINDAUC_DATA")
    if folder:
        return _from_folder(file, Path(folder))
    cached = _cache() / file.path
    if cached.is_file() and _sha256(content := cached.read_bytes()) == file.sha256:
        return content
    content = _from_source(file)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_whole(cached, content)
    except OSError as error:
        reason = f"cannot be written to the cache ({error}); BLINDAUC_CACHE sets another folder for it"
        raise _not_found(file, reason) from error
    return content


def _not_found(file: DataFile, reason: str) -> DataNotFoundError:
    folder, _, name = file.path.rpartition("/")
    line = (
        f"{file.path} {reason}. If you have it, put {name} or {' '.join(file.downloads)} (from {file.page}) into "
        f"DIR/{folder} and pass DIR with data_folder=, or set BLINDAUC_DATA=DIR."
    )
    return DataNotFoundError(line, file.path, reason)


def _from_folder(file: DataFile, folder: Path) -> bytes:
    try:
        content = _read(file, (folder / file.path).parent)
    except _UNREADABLE as error:
        raise _not_found(file, f"in {folder} cannot be read ({error})") from error
    if content is None:
        raise _not_found(file, f"is not in {folder}; its source is {file.source}")
    return _checked(file, content, f"in {folder}")


def _read(file: DataFile, folder: Path) -> bytes | None:
    """The content of a file from any of its forms in the folder; None if there is none."""
    name = Path(file.path).name
    for suffix, decompress in _COMPRESSIONS.items():
        if (path := folder / (name + suffix)).is_file():
            return decompress(path.read_bytes())
    for archives in (tuple(file.downloads), *((archive,) for archive in file.repacked)):
        paths = [folder / archive for archive in archives]
        if all(path.is_file() for path in paths):
            return file.unpack(path.read_bytes() for path in paths)
    return None


def _from_source(file: DataFile) -> bytes:
    published = [_download(file, url) for url in file.urls]
    try:
        content = file.unpack(published)
    except _UNREADABLE as error:
        raise _not_found(file, f"cannot be read from {file.source} ({error})") from error
    return _checked(file, content, f"from {file.source}")


def _download(file: DataFile, url: str) -> bytes:
    """Download a URL; a failed connection is retried once, an error status is not."""
    download = imported("pooch").HTTPDownloader()
    for is_last in (False, True):
        received = io.BytesIO()
        try:
            download(url, received, None)
            break
        except OSError as error:
            answer = getattr(error, "response", None)
            if answer is not None:
                answer.close()
                reason = f"the server answered {answer.status_code} {answer.reason}"
            elif is_last:
                reason = f"no connection, or it was interrupted: {type(error).__name__}"
            else:
                continue
            raise _not_found(file, f"cannot be downloaded from {url} ({reason})") from error
    return received.getvalue()


def _checked(file: DataFile, content: bytes, where: str) -> bytes:
    if (got := _sha256(content)) != file.sha256:
        raise _not_found(file, f"{where} is not the file expected (SHA-256 {file.sha256} expected, got {got})")
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _cache() -> Path:
    return Path(os.environ.get("BLINDAUC_CACHE") or imported("pooch").os_cache("blindauc"))
