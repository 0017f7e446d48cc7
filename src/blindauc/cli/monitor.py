"""`blindauc monitor`: whether new rows are like those of a fit, for people and for schedulers."""

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
from blindauc.cli.paths import Force, HeaderRow, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.progress import steps

if TYPE_CHECKING:
    from blindauc.report.monitor_findings import Monitoring

DRIFT = 1
"""The exit code where something changed."""

MOST_NAMED = 10


def monitor(
    model: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    data: Annotated[Path, path_argument(help="A table of new rows.", metavar="NEW")],
    label: Annotated[str | None, typer.Option(help="The column of the labels, where new rows have some.")] = None,
    positive: Annotated[str | None, typer.Option(help="Its value that means positive.")] = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    out: Annotated[Path | None, path_option(help="An HTML file for all numbers.")] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON, and nothing else.")] = False,
) -> None:
    """Tell whether new rows are like those of a fit: columns, gaps, categories, scores, and with labels the AUC.

    How far values moved is told by the population stability index (PSI): 0.1 is moderate, 0.25 large.

    The exit code is 0 where nothing drifted, 1 where something did, and 2 where the question could not be answered.

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

    yield f"{found.data}: {found.n_rows:,} new rows, compared with the {found.n_rows_before:,} of the fit"
    drifted = found.drifted
    yield f"columns that drifted   {len(drifted)} of {len(found.columns)}"
    for column in drifted[:MOST_NAMED]:
        yield f"  {printable(column.column)}: {printable(drift_in_words(column))} (PSI {column.psi:.2f})"
    if len(drifted) > MOST_NAMED:
        yield f"  and {len(drifted) - MOST_NAMED} more"
    moved = "they moved" if found.scores.is_shifted else "as before"
    yield f"scores                 {moved} (PSI {found.scores.psi:.2f})"
    rare = [f"{each.column} {text}" for each in found.columns if not each.has_unseen for text in each.unseen]
    if rare:
        more = f" and {len(rare) - MOST_NAMED} more" if len(rare) > MOST_NAMED else ""
        yield f"never seen, but rare   {printable(', '.join(rare[:MOST_NAMED]))}{more}"
    if found.labels is not None:
        before, after = found.labels.before, found.labels.after
        yield (
            f"labelled first         in {after.value:.3f} of all pairs with an unlabelled row ({after.low:.3f} to "
            f"{after.high:.3f}); {before.value:.3f} in the fit"
        )
    yield ""
    yield found.expectation
    yield (
        "Something changed: look at it before relying on the ranking." if found.has_drifted else "No drift was found."
    )
