"""`blindauc audit`: the labels to re-check, with reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blindauc.cli.outputs import DOUBTFUL, RUN, check_outputs, model_path, named_place, place_of_fit, run_beside
from blindauc.cli.paths import Force, HeaderRow, Positive, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.cli.wording import ROW_NUMBERS
from blindauc.progress import steps

if TYPE_CHECKING:
    import pandas as pd

N_PRINTED = 20
"""Labels that are printed by default (convention)."""


def audit(
    model: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    data: Annotated[Path, path_argument(help="A table with labels.")],
    label: Annotated[str | None, typer.Option(help="The column of the labels; by default that of the fit.")] = None,
    positive: Positive = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows; by default that of the fit.")] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help=f"How many labels to print; by default {N_PRINTED}, with --json all.")
    ] = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    out: Annotated[
        Path | None, path_option(help="Write all labels to this .csv, .tsv, .xlsx or .parquet file as well.")
    ] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the labels as JSON, and nothing else.")] = False,
) -> None:
    """List the labelled rows of a table, the most doubtful first.

    Each row comes with the probability that its label is wrong ("suspicion"), the expected share of correct labels
    among it and all rows above it ("false alarms"), and the columns that lower its score most. Check from the top,
    and stop where the share of false alarms is too high for you.

    [bold]Examples[/bold]

      blindauc audit patients-blindauc patients.csv

      blindauc audit model.skops next_year.csv --label infection --out to_check.xlsx
    """
    path = model_path(model)
    if data.is_dir():
        raise ValueError(
            f"{data} is a folder, and `blindauc audit` reads one table: name a file in it. The doubtful labels of the "
            f"table that was fitted are in {DOUBTFUL} beside the model."
        )
    if out is not None:
        check_outputs([out], [data, path, path.with_name(RUN)], force=force)
    with steps({"starting": 5.0, "reading": 2.0, "auditing": 1.0}, is_shown=not as_json) as at:
        at("starting")
        from blindauc.analysis import audit as audited
        from blindauc.analysis import write_table
        from blindauc.analysis.writing import check_ending
        from blindauc.datasets.tables import notation_of, read_table
        from blindauc.model_files import load

        if out is not None:
            check_ending(out)
        run = run_beside(path)
        given = run.get("arguments", {})
        label = label or given.get("label")
        if label is None:
            raise ValueError(f"There is no {RUN} beside the model to say which column holds the labels: pass --label.")
        at("reading")
        fitted = load(path)
        of_fit = place_of_fit(run, data)
        place = named_place(sheet, header_row, of_fit)
        frame = read_table(data, sheet=place.sheet, header_row=place.header_row)
        at("auditing")
        doubtful = audited(
            fitted,
            frame,
            label,
            positive=positive or given.get("positive"),
            id=id or given.get("id"),
            training=place == of_fit,
        )
        if out is not None:
            write_table(doubtful, out, notation_of(data, header_row=place.header_row))
    _print(doubtful, top, as_json)
    if out is not None and not as_json:
        typer.echo(f"All {len(doubtful):,} labels are in {printable(str(out))}")


def _print(doubtful: pd.DataFrame, top: int | None, as_json: bool) -> None:
    if as_json:
        rows = doubtful.head(top or len(doubtful)).astype(object)
        typer.echo(json.dumps(rows.where(rows.notna(), None).to_dict("records"), default=str))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    names = [name for name in ("id", "row") if name in doubtful]
    shown = Table(*names, "suspicion", "false alarms", "reason", title="Labels to re-check")
    for cells in doubtful.head(top or N_PRINTED).to_dict("records"):
        shares = (f"{cells['suspicion']:.2f}", f"{cells['false_alarms']:.2f}")
        *named, reason = (escape(printable(str(cells[name]))) for name in (*names, "reason"))
        shown.add_row(*named, *shares, reason)
    Console().print(shown)
    typer.echo(f"Check them in this order: {_expectation(doubtful)}.")
    typer.echo(ROW_NUMBERS)


def _expectation(doubtful: pd.DataFrame) -> str:
    """How many of the first labels are expected to be wrong, or that this cannot be estimated."""
    from blindauc.analysis.expectations import expected_wrong_labels
    from blindauc.estimate import TOO_FEW
    from blindauc.report.counting import LABELS_FIRST, among_first
    from blindauc.report.stating import stated_wrong

    wrong = expected_wrong_labels(doubtful)
    return stated_wrong(among_first(wrong, LABELS_FIRST)) if wrong else f"how many are wrong {TOO_FEW}"
