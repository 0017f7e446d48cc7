"""`blindauc reproduce`: re-run a figure or table of the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blindauc.cli.outputs import check_outputs
from blindauc.cli.paths import Force
from blindauc.files import whole, write_whole

if TYPE_CHECKING:
    from blindauc.experiments.experiment import Experiment
    from blindauc.experiments.running import Cell, Row
    from blindauc.experiments.tables import Table


def reproduce(
    name: Annotated[str, typer.Argument(help="figure1, table1, table2, table3, ssi or eeg")],
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Random draws per row of the table; by default as many as in the paper.")
    ] = None,
    rows: Annotated[str, typer.Option(help="Only these rows, separated by ';'.")] = "",
    systems: Annotated[
        str, typer.Option(help="Only these systems, separated by ';'; or 'nine' for those of the paper and the oracle.")
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Number of runs in parallel.")] = 2,
    out: Annotated[Path, typer.Option(help="The folder for results, tables and figures.")] = Path("results"),
    data: Annotated[
        Path | None, typer.Option(help="A folder with the data sets; without it they are downloaded.")
    ] = None,
    reading: Annotated[
        int,
        typer.Option(
            min=1,
            max=2,
            help="Outliers in tables 1 and 2 are unusual in the relevant features (1) or in all features (2).",
        ),
    ] = 1,
    force: Force = False,
) -> None:
    """Re-run a figure or table of the paper and print its numbers beside ours.

    Every run is saved when it ends: call an interrupted command again to continue it.

    [bold]Examples[/bold]

      blindauc reproduce table2 --repeats 2 --rows '1;8' --systems 'BAUC;BAUC-O;BAUC-OF'

      blindauc reproduce table3 --data ~/data
    """
    from blindauc.experiments.running import cells, runs_made
    from blindauc.experiments.tables import summarised

    if data is not None:
        os.environ["BLINDAUC_DATA"] = str(data)  # parallel processes read it, too
    experiment = _experiment(name, reading)
    chosen_rows = _chosen("row", rows, experiment.rows)
    chosen_systems = _systems(systems, experiment)
    wanted = cells(experiment, chosen_rows, chosen_systems, repeats)
    results = out / f"{experiment.name}.jsonl"
    # Tables and figures beside the runs were made from them, and can be made again.
    check_outputs(_written(experiment, out), force=force or results.exists())
    _run(experiment, wanted, results, jobs)
    runs = runs_made(results, wanted)
    table = summarised(experiment, runs)
    _print(table, runs)
    _write(table, runs, out)


def _experiment(name: str, reading: int) -> Experiment:
    from blindauc.experiments import EXPERIMENTS

    if name not in EXPERIMENTS:
        raise ValueError(f"There is no experiment {name!r}: choose one of {', '.join(EXPERIMENTS)}.")
    if reading == 1:
        return EXPERIMENTS[name]()
    if name not in ("table1", "table2"):
        raise ValueError(f"{name} has one reading only: omit --reading 2, which is for table1 and table2.")
    return EXPERIMENTS[name](reading=reading)


def _chosen(kind: str, text: str, possible: Sequence[str]) -> list[str]:
    """The possible values that `text` names, in their order; all if it names none."""
    wanted = [part.strip() for part in text.split(";") if part.strip()]
    unknown = [part for part in wanted if part not in possible]
    if unknown:
        raise ValueError(f"There is no {kind} {unknown[0]!r}: choose from {'; '.join(possible)}.")
    return [each for each in possible if not wanted or each in wanted]


def _systems(text: str, experiment: Experiment) -> list[str]:
    """The chosen systems; by default all whose package is installed, with a note about the others."""
    from blindauc.experiments.systems import NINE, SYSTEMS

    if text == "nine":
        return [name for name in experiment.systems if name in (*NINE, "Oracle")]
    chosen = _chosen("system", text, experiment.systems)
    missing = [name for name in chosen if SYSTEMS[name].needs and find_spec(SYSTEMS[name].needs) is None]
    if missing and text:
        raise ValueError(f"{missing[0]} needs {SYSTEMS[missing[0]].needs}: pip install 'blindauc[peers]'")
    if missing:
        typer.echo(f"Left out: {', '.join(missing)}. To include them: pip install 'blindauc[peers]'", err=True)
    return [name for name in chosen if name not in missing]


def _run(experiment: Experiment, wanted: Sequence[Cell], results: Path, jobs: int) -> None:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from blindauc.experiments.running import run_missing, runs_made

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
    ]
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(experiment.name, total=len(wanted), completed=len(runs_made(results, wanted)))
        for row in run_missing(experiment, wanted, results, jobs):
            progress.update(bar, advance=1, description=f"{experiment.name}: {row['row']}, {row['system']}")


def _print(table: Table, runs: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable

    from blindauc.experiments.tables import findings, headings, marked_cells

    title, caption = table.experiment.title, "mean ± standard deviation (mean of the paper); best PU system in bold"
    shown = RichTable("", *headings(table), title=title, caption=caption)
    for system in table.systems:
        shown.add_row(system, *marked_cells(table, system, "[bold]", "[/bold]"))
    console = Console()
    # A pipe has no width; do not truncate the table there.
    console.width = max(console.width, 24 + 24 * len(table.rows)) if not console.is_terminal else console.width
    console.print(shown)
    found = findings(table, runs)
    if found:
        shown = RichTable(*found[0], title=f"What {table.ours} found")
        for line in found:
            shown.add_row(*line.values())
        console.print(shown)


def _write(table: Table, runs: Sequence[Row], out: Path) -> None:
    from blindauc.experiments.figures import draw
    from blindauc.experiments.tables import as_csv, as_markdown

    as_text, as_marked, *figures = _written(table.experiment, out)
    write_whole(as_text, as_csv(table).encode())
    write_whole(as_marked, as_markdown(table, runs).encode())
    figure = draw(table, runs)
    for path in figures:
        with whole(path) as unfinished:
            figure.savefig(unfinished, dpi=150)
    written = [as_text, as_marked, *figures, out / f"{table.experiment.name}.jsonl"]
    typer.echo("Written: " + ", ".join(map(str, written)))


def _written(experiment: Experiment, out: Path) -> list[Path]:
    """The tables and figures that are made from the runs."""
    return [out / f"{experiment.name}.{kind}" for kind in ("csv", "md", "png", "svg")]
