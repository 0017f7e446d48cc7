"""What the commands leave behind: whole files in the chosen folder, or nothing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MODEL, FINDINGS, RUN, REPORT = "model.skops", "findings.json", "run.json", "report.html"
RANKING, DOUBTFUL, FEATURES = "ranking.csv", "doubtful_labels.csv", "features.csv"


@contextmanager
def filled(folder: Path) -> Iterator[Path]:
    """A folder to write to, whose files are moved into the chosen one at the end, all of them or none."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a folder with --out.")
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Inside, so that moving is renaming, and so that a folder that cannot be written to is told before the work.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as nearby:
            yield Path(nearby)
            for path in sorted(Path(nearby).iterdir()):
                path.replace(folder / path.name)
    except BaseException:
        if is_new and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        raise


def model_path(place: Path) -> Path:
    """The model file that is meant: itself, or that in a folder which `blindauc fit` wrote."""
    return place / MODEL if place.is_dir() else place


def run_beside(model: Path) -> dict[str, Any]:
    """What is known about how a model was made; nothing where it lies alone."""
    path = model.with_name(RUN)
    if not path.exists():
        return {}
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        return {**run, "arguments": dict(run["arguments"])}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged ({type(error).__name__}): fit again, or remove it.") from error
