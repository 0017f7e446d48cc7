"""What the commands leave behind: whole files in the chosen folder, or nothing."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from blindauc.files import UNFINISHED, check_apart, check_is_replaceable, errors_told_of, write_whole

MODEL, FINDINGS, RUN, REPORT = "model.skops", "findings.json", "run.json", "report.html"
RANKING, DOUBTFUL, FEATURES, WORKBOOK = "ranking.csv", "doubtful_labels.csv", "features.csv", "results.xlsx"
BY_GROUP = "ranking_by_group.csv"
NAMES = (MODEL, FINDINGS, RUN, REPORT, RANKING, DOUBTFUL, FEATURES, WORKBOOK, BY_GROUP)

ROOM = 1 << 23
"""Bytes for which there must be room to begin with: the results of a small table take half as many."""


def check_outputs(
    outputs: Sequence[Path], inputs: Iterable[Path | None] = (), *, force: bool = False, option: str = "--out"
) -> None:
    """Raise where a command would replace what it reads, or, unless it is forced to, anything else that is there.

    Every command asks this before it works; `option` is what names the outputs. Whether what is there comes from the
    same run is not asked: someone may have written into it.
    """
    check_apart(outputs, (path for path in inputs if path is not None))
    there = [path for path in outputs if os.path.lexists(path)]
    for path in there:
        check_is_replaceable(path)
    if there and not force:
        more = f" and {len(there) - 1} more files" if len(there) > 1 else ""
        what = "them" if more else "it"
        raise FileExistsError(
            f"{there[0]}{more} would be replaced: pass --force to replace {what}, or another {option}."
        )


def check_is_page(path: Path) -> None:
    """Raise unless the name of a page ends as one."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{path} is to be an HTML page: give it a name that ends in .html.")


@contextmanager
def filled(folder: Path, inputs: Iterable[Path | None] = (), *, force: bool = False) -> Iterator[Path]:
    """A folder to write to, whose files are moved into the chosen one at the end, all of them or none.

    That the chosen one cannot be written to, is full, or holds what would be lost, is told before the work.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise ValueError(f"{folder} is no folder: name one with --out.")
    check_outputs([folder / name for name in NAMES], inputs, force=force)
    not_there = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Inside, so that moving is renaming.
        with _errors_inside_named(folder), tempfile.TemporaryDirectory(dir=folder, prefix=UNFINISHED) as nearby:
            unfinished = Path(nearby)
            write_whole(unfinished / "room", bytes(ROOM))
            (unfinished / "room").unlink()
            yield unfinished
            _move_all(unfinished, folder)
    except BaseException:
        for each in not_there:
            with suppress(OSError):  # where there is something in it by now
                each.rmdir()
        raise


def _move_all(source: Path, target: Path) -> None:
    # The moment is too short to be interrupted in, and half of the old and half of the new files would be of no use.
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What an older run left, and this one has no use for, would be taken for a result of this one.
    outdated = [target / name for name in NAMES if (source / RUN).exists() and not (source / name).exists()]
    try:
        for path in sorted(source.iterdir()):
            path.replace(target / path.name)
        for path in outdated:
            path.unlink(missing_ok=True)
    finally:
        signal.signal(signal.SIGINT, interrupted)


@contextmanager
def _errors_inside_named(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if UNFINISHED not in str(error.filename):
            raise
        with errors_told_of(folder):
            raise


def tidy(folder: Path) -> Path:
    """The folder without "..": to go into a folder that is not there, and out again, that would have to be made."""
    return folder.resolve() if ".." in folder.parts else folder


def model_path(place: Path) -> Path:
    """The model file that is meant: itself, or that in a folder which `blindauc fit` wrote."""
    return place / MODEL if place.is_dir() else place


def run_beside(model: Path) -> dict[str, Any]:
    """What is known about how a model was made; nothing where it lies alone."""
    path = model.with_name(RUN)
    return read_run(path) if path.exists() else {}


class Place(NamedTuple):
    """Where in a file a table is, as `read_table` has it."""

    sheet: str | None = None
    header_row: int | None = None


def place_of_fit(run: dict[str, Any], data: Path) -> Place | None:
    """Where in this file the table of a fit was; None where it was in another file, or nobody knows."""
    from blindauc.analysis.provenance import sha256_of

    given, sha256 = run.get("arguments", {}), run.get("data_sha256")
    is_same_file = sha256 is not None and data.is_file() and sha256 == sha256_of(data)
    return Place(given.get("sheet"), given.get("header_row")) if is_same_file else None


def named_place(sheet: str | None, header_row: int | None, of_fit: Place | None) -> Place:
    """Where the table is that is meant: as was said, or in the file of a fit, where nothing was, the one of the fit."""
    named = Place(sheet, header_row)
    return of_fit if of_fit is not None and named == Place() else named


def read_run(path: Path) -> dict[str, Any]:
    """The run.json that a command wrote."""
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        return {**run, "arguments": dict(run["arguments"]), "versions": dict(run.get("versions", {}))}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or is no {RUN} of `blindauc fit` ({type(error).__name__}): fit again."
        ) from error
