"""`blindauc refit`: repeat the fit of a run with the decisions made since, and report what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from blindauc.cli.compare import compared_runs, comparison_lines
from blindauc.cli.config import options_of
from blindauc.cli.fit import fit
from blindauc.cli.large import names_in, was_read_in_parts
from blindauc.cli.outputs import FINDINGS, MODEL, RUN, check_outputs, read_run, tidy
from blindauc.cli.paths import Capacity, Force, Prior, Shape, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.files import write_whole

if TYPE_CHECKING:
    import pandas as pd

CHANGES = "changes.html"


class _Decisions(NamedTuple):
    """The decisions of a refit.

    Attributes
    ----------
    path : the file of all decisions; None if there are none
    new : those made since the run; None if there are none
    """

    path: Path | None
    new: pd.DataFrame | None


def refit(
    run: Annotated[Path, path_argument(help="The folder that `blindauc fit` wrote.")],
    checked: Annotated[
        Path | None,
        path_option(
            help="A table of decisions, as `blindauc review --export` writes it; by default the record of the run."
        ),
    ] = None,
    data: Annotated[Path | None, path_option(help="The table of the fit, if it has moved.")] = None,
    prior: Prior = None,
    capacity: Capacity = None,
    shape: Shape = None,
    out: Annotated[
        Path | None, path_option(help="The folder to write to; that of the run and '-refit' by default.")
    ] = None,
    force: Force = False,
) -> None:
    """Repeat a fit with the decisions made since, and report what changed.

    Writes a new folder as `blindauc fit` does, with a page of the changes. Prints how many of the checked labels were
    wrong, and how many the run expected. Decisions that the run itself was fitted with still count; if a row was
    decided on again, the newer decision counts.

    [bold]Examples[/bold]

      blindauc refit results

      blindauc refit results --checked checked.csv --out after_review

      blindauc refit results-refit --prior 0.1 --out second_round
    """
    for name in (RUN, FINDINGS, MODEL):
        if not (run / name).exists():
            raise FileNotFoundError(f"There is no {run / name}: name a folder that `blindauc fit` wrote.")
    folder = tidy(out or run.resolve().with_name(f"{run.resolve().name}-refit"))
    check_outputs([folder / CHANGES], force=force)
    changed = {"prior": prior, "capacity": capacity, "shape": shape or None}
    given = {name: value for name, value in changed.items() if value is not None}
    options = options_of(run / RUN, _parameters()) | given | ({} if data is None else {"data": data})
    with _decisions(run, checked, options, is_needed=not given) as decisions:
        options["decisions"] = decisions.path
        paths = {name: Path(options[name]) for name in ("data", "groups", "decisions", "cache") if options.get(name)}
        fit(**options | paths, out=folder, force=force)
        audit = list(_audit(run, folder, decisions.new))
    from blindauc.report.compare import write_comparison

    found = compared_runs((run, folder), [read_run(each / RUN) for each in (run, folder)])
    write_comparison(found, folder / CHANGES)
    page = printable(str(folder / CHANGES))
    typer.echo("\n".join(["", *audit, "", "What changed", *comparison_lines(found), "", page]))


def _parameters() -> set[str]:
    import inspect

    return set(inspect.signature(fit).parameters)


@contextmanager
def _decisions(run: Path, checked: Path | None, options: dict[str, Any], *, is_needed: bool) -> Iterator[_Decisions]:
    """The decisions of all rounds, in the given file or in a file that is written into the folder of the run.

    Its name is a hash of its content, so that no file is ever replaced, and the new run can be repeated.
    """
    from blindauc.datasets.tables import read_table
    from blindauc.review.exchange import csv_of

    before = _before(run, options)
    new = _reviewed(run, is_needed=is_needed) if checked is None else read_table(checked)
    table = _combined(before, new, options)
    if table is None or (before is None and checked is not None):
        yield _Decisions(checked, new)
        return
    content = csv_of(table)
    path = run / f"checked-{hashlib.sha256(content).hexdigest()[:12]}.csv"
    is_new = not path.exists()
    if is_new:
        write_whole(path, content)
    try:
        yield _Decisions(path, new)
    except BaseException:
        if is_new:
            path.unlink(missing_ok=True)
        raise


def _before(run: Path, options: dict[str, Any]) -> pd.DataFrame | None:
    """The decisions that the run was fitted with: from their file or, if that is gone or was edited, from the model."""
    from blindauc.analysis.provenance import sha256_of
    from blindauc.datasets.tables import read_table
    from blindauc.review.rounds import decisions_of

    if not options.get("decisions"):
        return None
    path = Path(options["decisions"])
    is_there = path.is_file() and sha256_of(path) == read_run(run / RUN).get("decisions_sha256")
    return read_table(path) if is_there else decisions_of(_ranking(run))


def _reviewed(run: Path, *, is_needed: bool) -> pd.DataFrame | None:
    """The decisions in the record of the run."""
    from blindauc.analysis.provenance import sha256_of
    from blindauc.review.exchange import checked_table
    from blindauc.review.record import RECORD, Record

    entries = []
    if (run / RECORD).exists():
        record = Record(run / RECORD, data=str(read_run(run / RUN).get("data_sha256")), model=sha256_of(run / MODEL))
        try:
            entries = record.entries()
        finally:
            record.close()
    elif is_needed:
        raise FileNotFoundError(
            f"Nothing was checked: there is no {run / RECORD}. Check labels with `blindauc review`, or name a table of "
            "decisions with --checked."
        )
    if not entries and is_needed:
        raise ValueError(f"{run / RECORD} holds no decision: check labels with `blindauc review`.")
    return checked_table(entries) if entries else None


def _combined(before: pd.DataFrame | None, new: pd.DataFrame | None, options: dict[str, Any]) -> pd.DataFrame | None:
    """The decisions of the rounds before and the new ones in one table."""
    from blindauc.datasets.tables import read_table
    from blindauc.review.rounds import added_up

    if before is None or new is None:
        return new if before is None else before
    id, place = options.get("id"), {name: options.get(name) for name in ("sheet", "header_row")}
    data = Path(options["data"])
    if was_read_in_parts({"arguments": options}, data):
        in_parts = names_in(data, id)
        return added_up(before, new, None if id is None else in_parts, len(in_parts))
    frame = read_table(data, **place)
    names = None if id is None or id not in frame else frame[id].astype(str).tolist()
    return added_up(before, new, names, len(frame))


def _audit(run: Path, folder: Path, new: pd.DataFrame | None) -> Iterator[str]:
    """How many of the labels that were checked since were wrong, and how many the run expected."""
    from blindauc.report.findings import Findings
    from blindauc.report.stating import stated_found
    from blindauc.review.queue import queues_of

    was, now = _verdicts(run), _verdicts(folder)
    if was:
        yield from _rounds(was, now)
    when = " in this round" if was else ""
    before = Findings.from_json((run / FINDINGS).read_text(encoding="utf-8"))
    for queue, what, other, word in zip(
        queues_of(before), ("label", "unlabelled row"), ("wrong", "positive"), ("negative", "positive"), strict=True
    ):
        places = {row: place for row, place in queue.places.items() if row in now and row not in was}
        if places:
            summary = queue.prospect.after({place: now[row] == word for row, place in places.items()})
            expected = "" if summary.expected is None else f"; the run before expected {summary.expected:.0f}"
            yield f"{stated_found(summary.n_checked, summary.n_found, what, other, when)}{expected}."
    if new is not None:
        yield from _left_open(new)


def _rounds(was: dict[int, str], now: dict[int, str]) -> Iterator[str]:
    from blindauc.report.words import count

    n_before = len(now.keys() & was.keys())
    checked = count(len(now), "row that was checked", "rows that were checked")
    yield f"This fit uses {checked}: {n_before:,} from the rounds before and {len(now) - n_before:,} new."
    n_replaced = sum(now.get(row) != word for row, word in was.items())
    if n_replaced:
        yield f"{count(n_replaced, 'earlier decision was', 'earlier decisions were')} replaced by a newer one."


def _left_open(new: pd.DataFrame) -> Iterator[str]:
    from blindauc.report.words import count

    words = new["decision"].astype(str).str.strip().str.lower().tolist()
    n_unclear, n_disagreeing = words.count("cannot tell"), words.count("disagreement")
    if n_unclear:
        counts = count(n_unclear, "could not be decided, and counts", "could not be decided, and count")
        yield f"{counts} as not checked."
    if n_disagreeing:
        yield f"Reviewers disagree on {n_disagreeing:,}: decide again in `blindauc review`."


def _verdicts(run: Path) -> dict[int, str]:
    """The rows that a run was fitted with as checked, by their numbers from 1: "positive" or "negative"."""
    from blindauc.review.rounds import decisions_of

    found = decisions_of(_ranking(run))
    return dict(zip(found["row"].tolist(), found["decision"].tolist(), strict=True))


def _ranking(run: Path) -> Any:
    from blindauc.analysis.pipeline import steps_of
    from blindauc.model_files import load

    return steps_of(load(run / MODEL)).ranking
