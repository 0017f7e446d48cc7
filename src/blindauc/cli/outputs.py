"""Output files of the commands: all of them complete, or none."""

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

TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow")
"""Endings of files that are tables, not models."""

ROOM = 1 << 23
"""Bytes of free disk space that are checked before the work: the results of a small table take half of that."""


def check_outputs(
    outputs: Sequence[Path], inputs: Iterable[Path | None] = (), *, force: bool = False, option: str = "--out"
) -> None:
    """Raise if a command would replace an input, or, without `force`, any other existing file.

    Every command calls this before its work; `option` is the option that names the outputs. Files of an earlier run
    count like any others, since someone may have edited them.
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
    """Raise unless the file name is that of an HTML page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{path} should be an HTML file: choose a name that ends in .html.")


@contextmanager
def filled(folder: Path, inputs: Iterable[Path | None] = (), *, force: bool = False) -> Iterator[Path]:
    """A temporary folder to write to, whose files move to the chosen folder at the end, all of them or none.

    Raises before the work if the chosen folder cannot be written to, is full, or holds files that would be lost.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise ValueError(f"{folder} is not a folder: choose another with --out.")
    check_outputs([folder / name for name in NAMES], inputs, force=force)
    not_there = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Inside the chosen folder, so that moving a file is renaming it.
        with _errors_inside_named(folder), tempfile.TemporaryDirectory(dir=folder, prefix=UNFINISHED) as nearby:
            unfinished = Path(nearby)
            write_whole(unfinished / "room", bytes(ROOM))
            (unfinished / "room").unlink()
            yield unfinished
            _move_all(unfinished, folder)
    except BaseException:
        for each in not_there:
            with suppress(OSError):  # someone else may have written into it
                each.rmdir()
        raise


def _move_all(source: Path, target: Path) -> None:
    # Interrupts are ignored for this moment: a mixture of old and new files would be useless.
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    # Files of an older run that this one does not write would be mistaken for its results.
    outdated = [target / name for name in NAMES if (source / RUN).exists() and not (source / name).exists()]
    try:
        for path in sorted(source.iterdir()):
            path.replace(target / path.name)
        for path in outdated:
            path.unlink(missing_ok=True)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


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
    """The folder without "..", which would create folders that are only passed through."""
    return folder.resolve() if ".." in folder.parts else folder


def model_path(place: Path, which: str = "the first argument is") -> Path:
    """The model file at a path: the file itself, or the one in a folder that `blindauc fit` wrote."""
    if place.suffix.lower() in TABLES and place.is_file():
        raise ValueError(f"{place} is a table, but {which} the folder of a fit or its model file.")
    return place / MODEL if place.is_dir() else place


def run_beside(model: Path) -> dict[str, Any]:
    """The run.json beside a model; empty if there is none."""
    path = model.with_name(RUN)
    return read_run(path) if path.exists() else {}


class Place(NamedTuple):
    """Where a table is in its file: the `sheet` and `header_row` of `read_table`."""

    sheet: str | None = None
    header_row: int | None = None


def place_of_fit(run: dict[str, Any], data: Path) -> Place | None:
    """Where the training table of a run is in this file; None if it was another file, or is unknown."""
    from blindauc.analysis.provenance import sha256_of

    given, sha256 = run.get("arguments", {}), run.get("data_sha256")
    is_same_file = sha256 is not None and data.exists() and sha256 == sha256_of(data)
    return Place(given.get("sheet"), given.get("header_row")) if is_same_file else None


def named_place(sheet: str | None, header_row: int | None, of_fit: Place | None) -> Place:
    """Where the table is: as the options say or, without options, where the fit read it if the file is the same."""
    named = Place(sheet, header_row)
    return of_fit if of_fit is not None and named == Place() else named


def read_run(path: Path) -> dict[str, Any]:
    """Read a run.json."""
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        return {**run, "arguments": dict(run["arguments"]), "versions": dict(run.get("versions", {}))}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or not a {RUN} of `blindauc fit` ({type(error).__name__}): fit again."
        ) from error
