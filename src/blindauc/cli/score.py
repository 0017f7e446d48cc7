"""`blindauc score`: scores, probabilities and ranks for new rows, however many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from blindauc.cli.outputs import model_path
from blindauc.cli.paths import path_argument, path_option
from blindauc.cli.terminal import printable


def score(
    model: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    data: Annotated[Path, path_argument(help="A table with the columns of the one that the model was fitted to.")],
    out: Annotated[Path | None, path_option(help="The CSV file to write; named after the table by default.")] = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON, and nothing else.")] = False,
) -> None:
    """Score the rows of a table, which may be larger than memory.

    Columns may come in any order, and there may be more of them than the model needs.

    [bold]Examples[/bold]

      blindauc score patients-blindauc new_patients.csv --id patient

      blindauc score model.skops everyone.parquet --out scores.csv
    """
    from blindauc.analysis import scored_parts, write_csv
    from blindauc.model_files import load

    path = out or Path(f"{data.name.split('.')[0]}-scores.csv")
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file with --out.")
    n_rows = write_csv(scored_parts(load(model_path(model)), data, id=id), path)
    typer.echo(
        json.dumps({"file": str(path), "n_rows": n_rows})
        if as_json
        else f"{n_rows:,} rows scored: {printable(str(path))}"
    )
