"""Files that are there whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to, whose file takes its place at the end; whoever else writes there at the same time."""
    with tempfile.TemporaryDirectory(dir=path.parent) as nearby:
        part = Path(nearby) / path.name
        yield part
        part.replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write so that the file is there whole or not at all."""
    with whole(path) as part:
        part.write_bytes(content)
