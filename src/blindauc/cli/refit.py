"""`blindauc refit`: the fit of a run again, with what was checked since, and what that changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blindauc.cli.compare import compared_runs, told_lines
from blindauc.cli.config import options_of
from blindauc.cli.fit import fit
from blindauc.cli.outputs import FINDINGS, MODEL, RUN, check_outputs, read_run, tidy
from blindauc.cli.paths import Force, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.files import write_whole

if TYPE_CHECKING:
    from blindauc._typing import Ints
    from blindauc.report.findings import Findings

CHANGES = "changes.html"


def refit(
    run: Annotated[Path, path_argument(help="The folder that `blindauc fit` wrote.")],
    checked: Annotated[
        Path | None,
        path_option(
            help="What was checked, as `blindauc review --export` writes it; by default the record of the run."
        ),
    ] = None,
    data: Annotated[Path | None, path_option(help="The table of the fit, where it was moved.")] = None,
    out: Annotated[
        Path | None, path_option(help="The folder to write to; that of the run and '-refit' by default.")
    ] = None,
    force: Force = False,
) -> None:
    """Fit again with the options of a run and what was checked since, and tell what changed.

    Writes a new folder as `blindauc fit` does, and beside its files a page of what changed. Of the labels that were
    checked it says how many were wrong, and how many the run expected.

    [bold]Examples[/bold]

      blindauc refit results

      blindauc refit results --checked checked.csv --out after_review
    """
    for name in (RUN, FINDINGS, MODEL):
        if not (run / name).exists():
            raise FileNotFoundError(f"There is no {run / name}: name a folder that `blindauc fit` wrote.")
    folder = tidy(out or run.resolve().with_name(f"{run.resolve().name}-refit"))
    check_outputs([folder / CHANGES], force=force)
    with _decisions(run, checked) as decisions:
        options = options_of(run / RUN, _parameters()) | {"decisions": str(decisions)}
        paths = {name: Path(options[name]) for name in ("data", "groups", "decisions") if options.get(name)}
        table = {} if data is None else {"data": data}
        fit(**options | paths | table, out=folder, force=force)
        audit = list(_audit(run, folder))
    from blindauc.report.compare import write_comparison

    found = compared_runs((run, folder), [read_run(each / RUN) for each in (run, folder)])
    write_comparison(found, folder / CHANGES)
    typer.echo("\n".join(["", *audit, "", "What changed", *told_lines(found), "", printable(str(folder / CHANGES))]))


def _parameters() -> set[str]:
    import inspect

    return set(inspect.signature(fit).parameters)


@contextmanager
def _decisions(run: Path, checked: Path | None) -> Iterator[Path]:
    """The file of what was checked: as given, or what the record holds, written beside it under a name of its own.

    The name depends on what is in it, so that nothing is ever replaced, and the new run can be repeated.
    """
    if checked is not None:
        yield checked
        return
    content = _exported(run)
    path = run / f"checked-{hashlib.sha256(content).hexdigest()[:12]}.csv"
    is_new = not path.exists()
    if is_new:
        write_whole(path, content)
    try:
        yield path
    except BaseException:
        if is_new:
            path.unlink(missing_ok=True)
        raise


def _exported(run: Path) -> bytes:
    from blindauc.analysis.provenance import sha256_of
    from blindauc.review.exchange import as_csv
    from blindauc.review.record import RECORD, Record

    if not (run / RECORD).exists():
        raise FileNotFoundError(
            f"Nothing was checked: there is no {run / RECORD}. Check labels with `blindauc review`, or name a table of "
            "decisions with --checked."
        )
    record = Record(run / RECORD, data=str(read_run(run / RUN).get("data_sha256")), model=sha256_of(run / MODEL))
    try:
        entries = record.entries()
    finally:
        record.close()
    if not entries:
        raise ValueError(f"{run / RECORD} holds no decision: check labels with `blindauc review`.")
    return as_csv(entries)


def _audit(run: Path, folder: Path) -> Iterator[str]:
    """How many of the labels that were checked since were wrong, and how many the run expected."""
    from blindauc.analysis.pipeline import steps_of
    from blindauc.model_files import load
    from blindauc.report.findings import Findings
    from blindauc.review.queue import queues_of

    before: Findings = Findings.from_json((run / FINDINGS).read_text(encoding="utf-8"))
    was, now = (steps_of(load(each / MODEL)).ranking for each in (run, folder))
    since = set((now.checked_rows + 1).tolist()) - set((was.checked_rows + 1).tolist())
    negative = set((_rows(now, "known_negative_rows_") + 1).tolist())
    for queue, what, other, looked_for in zip(
        queues_of(before), ("labels", "unlabelled rows"), ("wrong", "positive"), (True, False), strict=True
    ):
        found = {place: (row in negative) == looked_for for row, place in queue.places.items() if row in since}
        if found:
            known = queue.prospect.after(found)
            expected = "" if known.expected is None else f"; the run before expected {known.expected:.0f}"
            yield f"Of {known.n_checked:,} {what} that were checked {known.n_found:,} were {other}{expected}."


def _rows(ranking: Any, name: str) -> Ints:
    import numpy as np

    rows: Ints = getattr(ranking, name, np.zeros(0, dtype=np.intp))
    return rows
