"""Files that are there whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write so that the file is there whole or not at all, whoever else writes it at the same time."""
    with tempfile.TemporaryDirectory(dir=path.parent) as nearby:
        part = Path(nearby) / path.name
        part.write_bytes(content)
        part.replace(path)
