"""`blindauc score`: scores, probabilities and ranks of new rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from blindauc.cli.large import n_rows_at_least
from blindauc.cli.outputs import check_outputs, model_path
from blindauc.cli.paths import Force, HeaderRow, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.cli.wording import ROW_NUMBERS
from blindauc.progress import steps


def score(
    model: Annotated[Path, path_argument(help="A model file, or the folder that `blindauc fit` wrote.")],
    data: Annotated[
        Path,
        path_argument(
            help="A table with the columns that the model was fitted to, or a folder of CSV or Parquet files."
        ),
    ],
    out: Annotated[
        Path | None,
        path_option(help="The .csv, .tsv, .xlsx or .parquet file to write; by default named after the table."),
    ] = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows, to include in the file.")] = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON, and nothing else.")] = False,
) -> None:
    """Score and rank the rows of a table, which may be larger than memory.

    The columns may be in any order, and the table may have more of them than the model needs.

    [bold]Examples[/bold]

      blindauc score patients-blindauc new_patients.csv --id patient

      blindauc score model.skops everyone.parquet --out scores.xlsx

      blindauc score rows-blindauc rows/ --out scores.parquet
    """
    path = out or Path(f"{data.name.split('.')[0]}-scores.csv")
    if path.is_dir():
        raise ValueError(f"{path} is a folder: choose a file with --out.")
    check_outputs([path], [data, model_path(model)], force=force)
    if data.is_dir() and path.resolve().parent == data.resolve():
        raise ValueError(f"{path} would become a file of the table {data}: choose another folder with --out.")
    with steps({"starting": 1.0, "scoring": 4.0}, is_shown=not as_json) as at:
        at("starting")
        from blindauc.analysis import scored_parts, write_table
        from blindauc.analysis.cells import Unseen, describe_unseen
        from blindauc.analysis.workbook import check_room
        from blindauc.analysis.writing import check_ending
        from blindauc.datasets.tables import notation_of
        from blindauc.model_files import load
        from blindauc.rows.disk.files import files_with_rows

        check_ending(path)
        files = files_with_rows(data)
        if path.suffix.lower() == ".xlsx":
            check_room(path, sum(n_rows_at_least(file) for file in files))
        check_outputs([path], files, force=force)
        unseen: Unseen = Counter()
        at("scoring")
        parts = scored_parts(load(model_path(model)), data, id=id, sheet=sheet, header_row=header_row, unseen=unseen)
        n_rows = write_table(parts, path, notation_of(files[0], header_row=header_row))
    if as_json:
        cells = [{"column": column, "category": text, "n_rows": n} for (column, text), n in unseen.most_common()]
        typer.echo(json.dumps({"file": str(path), "n_rows": n_rows, "unseen_categories": cells}))
        return
    typer.echo(f"{n_rows:,} rows scored: {printable(str(path))}")
    typer.echo(ROW_NUMBERS)
    if unseen:
        typer.echo(printable(describe_unseen(unseen)))
