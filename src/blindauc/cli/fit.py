"""`blindauc fit`: from a table to a model, a ranking, the labels to doubt and a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blindauc.cli.outputs import DOUBTFUL, FEATURES, FINDINGS, MODEL, RANKING, REPORT, RUN, filled, tidy
from blindauc.cli.paths import path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.files import write_whole

if TYPE_CHECKING:
    from blindauc.analysis import Analysis


def fit(
    data: Annotated[Path, path_argument(help="A table: CSV, TSV, Parquet, Arrow or Feather, text also compressed.")],
    label: Annotated[str, typer.Option(help="The column that marks the positives.")],
    positive: Annotated[str | None, typer.Option(help="Its value that means positive, if that is not plain.")] = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given again.")] = None,
    group: Annotated[
        str | None,
        typer.Option(help="Select columns together that have the same in brackets, such as '(.*) day [0-9]+'."),
    ] = None,
    groups: Annotated[
        Path | None, path_option(help="The same by a table with two columns, 'column' and 'group'.")
    ] = None,
    prior: Annotated[float | None, typer.Option(help="Share of positives among the unlabelled rows, if known.")] = None,
    out: Annotated[Path | None, path_option(help="The folder to write to; named after the table by default.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draws other folds.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Fits side by side.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON, and nothing else.")] = False,
) -> None:
    """Learn to rank the rows of a table, some of which are labelled positive.

    Writes a model, the ranking, the labels to doubt, the columns that matter and a report to a folder. Columns of
    text, dates and missing values are taken care of; all choices are made from the labels that there are.

    [bold]Examples[/bold]

      blindauc fit patients.csv --label infection --id patient

      blindauc fit cohort.parquet --label outcome --positive confirmed --drop ward --out results

      blindauc fit daily.csv --label infection --group '(.*) day [0-9]+'
    """
    from dataclasses import replace

    from blindauc.analysis import analyse, provenance
    from blindauc.datasets.tables import read_table

    if group is not None and groups is not None:
        raise ValueError("--group and --groups say the same in two ways: give one of them.")
    frame = read_table(data)
    arguments: dict[str, Any] = {"data": data.name, "label": label, "positive": positive, "id": id, "drop": drop or []}
    arguments |= {"group": group, "groups": None if groups is None else groups.name, "prior": prior}
    folder = tidy(out or Path(f"{data.name.split('.')[0]}-blindauc"))
    with filled(folder) as unfinished:
        analysis = analyse(
            frame,
            label,
            positive=positive,
            id=id,
            drop=drop or (),
            groups=group if groups is None else _groups_in(groups),
            prior=prior,
            random_state=seed,
            n_jobs=jobs,
            verbose=int(not as_json),
            name=printable(data.name),
        )
        origin = provenance(arguments, data, seed=seed)
        write_all(replace(analysis, findings=replace(analysis.findings, provenance=origin)), unfinished)
    _print(analysis, folder, as_json)


def write_all(analysis: Analysis, folder: Path) -> None:
    """Write every result of an analysis."""
    from blindauc import report
    from blindauc.analysis import write_csv
    from blindauc.model_files import save

    save(analysis.model, folder / MODEL)
    write_csv(analysis.ranking, folder / RANKING)
    write_csv(analysis.doubtful, folder / DOUBTFUL)
    write_csv(analysis.features, folder / FEATURES)
    write_whole(folder / FINDINGS, analysis.findings.to_json().encode())
    write_whole(folder / RUN, json.dumps(analysis.findings.provenance, indent=1).encode())
    report.write(analysis.findings, folder / REPORT)


def _groups_in(path: Path) -> dict[str, str]:
    from blindauc.datasets.tables import read_table

    table = read_table(path)
    if not {"column", "group"} <= set(table.columns):
        raise ValueError(
            f"{path} must have the columns 'column' and 'group', not {', '.join(map(repr, table.columns))}."
        )
    return dict(zip(table["column"].astype(str), table["group"].astype(str), strict=True))


def _print(analysis: Analysis, folder: Path, as_json: bool) -> None:
    from rich.console import Console

    from blindauc.cli.summary import summary

    if as_json:
        typer.echo(json.dumps(_for_machines(analysis, folder)))
        return
    Console(highlight=False, soft_wrap=True).print(summary(analysis.findings, folder), markup=False)


def _for_machines(analysis: Analysis, folder: Path) -> dict[str, Any]:
    found = analysis.findings
    return {
        "folder": str(folder),
        "n_rows": found.asked.n_rows,
        "n_labelled": found.asked.n_labelled,
        "auc": list(found.auc),
        "prior": list(found.prior),
        "contamination": list(found.contamination),
        "n_doubtful": found.n_doubtful,
        "columns": [feature.column for feature in found.features if feature.selected],
        "set_aside": found.asked.set_aside,
        "baselines": [{"name": each.name, "is_as_good": each.is_as_good} for each in found.baselines],
    }
