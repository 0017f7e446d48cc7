"""`blindauc audit`: the labels to check again, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blindauc.cli.outputs import model_path, run_beside
from blindauc.cli.paths import path_argument, path_option
from blindauc.cli.terminal import printable

if TYPE_CHECKING:
    import pandas as pd


def audit(
    model: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    data: Annotated[Path, path_argument(help="A table with labels.")],
    label: Annotated[str | None, typer.Option(help="The column of the labels; that of the fit by default.")] = None,
    positive: Annotated[str | None, typer.Option(help="Its value that means positive.")] = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows; that of the fit by default.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many to print.")] = 20,
    out: Annotated[Path | None, path_option(help="A CSV file for all of them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON, and nothing else.")] = False,
) -> None:
    """List the labelled rows of a table, the most doubtful first.

    Each with the probability that its label is wrong, the columns that speak against it, and the share of right labels
    to expect among it and all above it: stop checking where that is more than you can bear.

    [bold]Examples[/bold]

      blindauc audit patients-blindauc patients.csv

      blindauc audit model.skops next_year.csv --label infection --out to_check.csv
    """
    from blindauc.analysis import audit as audited
    from blindauc.analysis import write_csv
    from blindauc.analysis.provenance import sha256_of
    from blindauc.datasets.tables import read_table
    from blindauc.model_files import load

    path = model_path(model)
    run = run_beside(path)
    given = run.get("arguments", {})
    label = label or given.get("label")
    if label is None:
        raise ValueError("which column holds the labels is not known without the run.json of the fit: pass --label.")
    fitted, frame = load(path), read_table(data)
    doubtful = audited(
        fitted,
        frame,
        label,
        positive=positive or given.get("positive"),
        id=id or given.get("id"),
        training=run.get("data_sha256") == sha256_of(data),
    )
    if out is not None:
        write_csv(doubtful, out)
    _print(doubtful, top, as_json)
    if out is not None and not as_json:
        typer.echo(f"All {len(doubtful):,}: {printable(str(out))}")


def _print(doubtful: pd.DataFrame, top: int, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(doubtful.to_dict("records"), default=str))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    names = [name for name in ("id", "row") if name in doubtful]
    shown = Table(*names, "suspicion", "false alarms", "reason", title="Labels to check again")
    for cells in doubtful.head(top).to_dict("records"):
        shares = (f"{cells['suspicion']:.2f}", f"{cells['false_alarms']:.2f}")
        *named, reason = (escape(printable(str(cells[name]))) for name in (*names, "reason"))
        shown.add_row(*named, *shares, reason)
    Console().print(shown)
