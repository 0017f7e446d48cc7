"""`blindauc monitor`: whether new rows drifted from the training rows, with an exit code for schedulers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blindauc.cli.outputs import (
    RUN,
    check_is_page,
    check_outputs,
    model_path,
    named_place,
    place_of_fit,
    run_beside,
)
from blindauc.cli.paths import Force, HeaderRow, Positive, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.progress import steps

if TYPE_CHECKING:
    from blindauc.report.monitor_findings import Monitoring

DRIFT = 1
"""Exit code if there is drift."""

MOST_NAMED = 10
"""Columns or categories that are listed by name (convention)."""


def monitor(
    model: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    data: Annotated[Path, path_argument(help="A table of new rows.", metavar="NEW")],
    label: Annotated[str | None, typer.Option(help="The column of the labels, if some new rows are labelled.")] = None,
    positive: Positive = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    out: Annotated[Path | None, path_option(help="Write all numbers to this HTML file as well.")] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON, and nothing else.")] = False,
) -> None:
    """Test new rows for drift: values, missing values, categories and scores and, if there are labels, the AUC.

    The population stability index (PSI) measures how far a distribution moved: 0.1 is moderate, 0.25 is large.

    The exit code is 0 without drift, 1 with drift, and 2 if the comparison failed.

    [bold]Examples[/bold]

      blindauc monitor patients-blindauc may.csv

      blindauc monitor model.skops may.csv --label infection --out may.html || mail -s drift me@example.org
    """
    path = model_path(model)
    if out is not None:
        check_is_page(out)
        check_outputs([out], [path, path.with_name(RUN), data], force=force)
    with steps({"starting": 5.0, "reading": 2.0, "looking for drift": 1.0}, is_shown=not as_json) as at:
        at("starting")
        from blindauc.analysis import monitor as monitored
        from blindauc.datasets.tables import read_table
        from blindauc.model_files import load

        at("reading")
        run, fitted = run_beside(path), load(path)
        place = named_place(sheet, header_row, place_of_fit(run, data))
        frame = read_table(data, sheet=place.sheet, header_row=place.header_row)
        at("looking for drift")
        positive = positive or (run.get("arguments", {}).get("positive") if label else None)
        found = monitored(fitted, frame, label, positive=positive, name=printable(data.name))
        if out is not None:
            from blindauc.report.monitor import write_monitoring

            write_monitoring(found, out)
    typer.echo(found.to_json() if as_json else "\n".join(_lines(found)))
    if out is not None and not as_json:
        typer.echo(f"\n{printable(str(out))}")
    if found.has_drifted:
        raise typer.Exit(DRIFT)


def _lines(found: Monitoring) -> Iterator[str]:
    from blindauc.report.monitor import drift_in_words

    yield f"{found.data}: {found.n_rows:,} new rows, compared with {found.rows_before}"
    drifted = found.drifted
    yield f"columns that drifted   {len(drifted)} of {len(found.columns)}"
    for column in drifted[:MOST_NAMED]:
        yield f"  {printable(column.column)}: {printable(drift_in_words(column))} (PSI {column.psi:.2f})"
    if len(drifted) > MOST_NAMED:
        yield f"  and {len(drifted) - MOST_NAMED} more"
    moved = "drifted" if found.scores.is_shifted else "no drift"
    yield f"scores                 {moved} (PSI {found.scores.psi:.2f})"
    rare = [f"{each.column} {text}" for each in found.columns if not each.has_unseen for text in each.unseen]
    if rare:
        more = f" and {len(rare) - MOST_NAMED} more" if len(rare) > MOST_NAMED else ""
        yield f"new, but rare          {printable(', '.join(rare[:MOST_NAMED]))}{more}"
    if found.labels is not None:
        before, after = found.labels.before, found.labels.after
        yield (
            f"blind AUC              {after.value:.3f} (95 % interval {after.low:.3f} to {after.high:.3f}); "
            f"{before.value:.3f} in the fit"
        )
    yield ""
    yield found.expectation
    yield (
        "There is drift: look into it before you rely on the ranking." if found.has_drifted else "No drift was found."
    )
