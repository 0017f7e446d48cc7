"""Where a result comes from: versions, arguments, seed, date and the hash of the data."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from blindauc import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def provenance(
    arguments: Mapping[str, Any], files: Mapping[str, Path] | None = None, *, seed: Any = None
) -> dict[str, Any]:
    """All that is needed to do it again, as JSON can hold it.

    Parameters
    ----------
    arguments : mapping
    files : mapping of str to path, optional
        The files that were read, by the argument that names them; `data` is the table. Their SHA-256 are taken.
    seed : int or None, default=None

    Returns
    -------
    dict

    Examples
    --------
    >>> from blindauc.analysis.provenance import provenance
    >>> sorted(provenance({"label": "infected"}, seed=0))
    ['arguments', 'data_sha256', 'date', 'seed', 'versions']
    """
    return {
        "arguments": plain(arguments),
        "versions": {"blindauc": __version__, "python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": plain(seed),
        "data_sha256": None,
        **{f"{name}_sha256": sha256_of(path) for name, path in (files or {}).items()},
    }


def plain(value: Any) -> Any:
    """A value as JSON can hold it; what is neither number, text nor container becomes its text."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def sha256_of(path: Path) -> str:
    """The hash of a file, read piece by piece; of a folder, that of the names and hashes of its files."""
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.is_file() and not file.name.startswith((".", "_"))]
        return hashlib.sha256("\n".join(f"{file.name} {sha256_of(file)}" for file in files).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
