"""`blindauc fit`: from a table to a model, a ranking, the labels to doubt and a report."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blindauc.cli.config import Config, check_repeats, files_read, recorded
from blindauc.cli.large import analysed_in_parts, columns_in, first_file, is_read_in_parts
from blindauc.cli.names import listed_columns, listed_shapes
from blindauc.cli.outputs import (
    BY_GROUP,
    DOUBTFUL,
    FEATURES,
    FINDINGS,
    MODEL,
    RANKING,
    REPORT,
    RUN,
    WORKBOOK,
    filled,
    tidy,
)
from blindauc.cli.paths import Force, HeaderRow, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.files import write_whole
from blindauc.progress import steps

if TYPE_CHECKING:
    from blindauc.analysis import Analysis
    from blindauc.datasets.tables import Notation
    from blindauc.report.findings import Expected

SHARES = {"starting": 6.0, "reading": 2.0, "analysis": 86.0, "writing": 6.0}
"""What takes which share of the time: measured on the demo and on a table of 20,000 rows and 60 columns."""


def fit(
    data: Annotated[
        Path, path_argument(help="A table: CSV, TSV, Excel, Parquet, Arrow or Feather; or a folder of CSV or Parquet.")
    ],
    label: Annotated[str, typer.Option(help="The column that marks the positives.")],
    positive: Annotated[str | None, typer.Option(help="Its value that means positive, if that is not plain.")] = None,
    id: Annotated[str | None, typer.Option(help="A column that names the rows.")] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", "--ignore", help="Columns to leave out: 'a,b', or given again.")
    ] = None,
    rows_by: Annotated[
        str | None, typer.Option(help="Whom rows belong to, such as 'patient': never fitted to and judged at once.")
    ] = None,
    time: Annotated[str | None, typer.Option(help="When rows were: judged by fits to earlier rows.")] = None,
    checked: Annotated[
        str | None, typer.Option(help="A column that says where rows were checked: right or 1, wrong or 0, or blank.")
    ] = None,
    decisions: Annotated[
        Path | None, path_option(help="The same in a table of its own, as `blindauc review --export` writes it.")
    ] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="Columns of categories, such as codes.")] = None,
    numeric: Annotated[list[str] | None, typer.Option(help="Columns of numbers.")] = None,
    date: Annotated[
        list[str] | None, typer.Option(help="Columns of dates, the day first if that is not plain.")
    ] = None,
    allow_leak: Annotated[
        list[str] | None, typer.Option(help="Columns to use although they give the label away.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(help="Select columns together that have the same in brackets, such as '(.*) day [0-9]+'."),
    ] = None,
    groups: Annotated[
        Path | None, path_option(help="The same by a table with two columns, 'column' and 'group'.")
    ] = None,
    prior: Annotated[float | None, typer.Option(help="Share of positives among the unlabelled rows, if known.")] = None,
    capacity: Annotated[
        int | None, typer.Option(help="How many rows you can check: tells how many positives to expect among them.")
    ] = None,
    show: Annotated[list[str] | None, typer.Option(help="Columns to go with each row of the ranking.")] = None,
    shape: Annotated[
        list[str] | None,
        typer.Option(
            help="What scores may look like: 'auto' tries all, or some of 'linear,curves,kernel,trees', or given again."
        ),
    ] = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    memory: Annotated[
        str | None, typer.Option(help="Read the table part by part, in about so much memory, such as '2GB'.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler to fit on, such as 'tcp://10.0.0.5:8786'.")
    ] = None,
    out: Annotated[Path | None, path_option(help="The folder to write to; named after the table by default.")] = None,
    force: Force = False,
    config: Config = None,
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

      blindauc fit visits.csv --label infection --rows-by patient --time visit_date --categorical ward_code

      blindauc fit patients.csv --label infection --id patient --capacity 200 --show ward,age

      blindauc fit patients.csv --label infection --shape linear,curves

      blindauc fit cohort.xlsx --sheet 2024 --header-row 3 --label outcome

      blindauc fit patients.csv --label infection --checked chart_review

      blindauc fit everyone.parquet --label infection --memory 2GB

      blindauc fit --config results/run.json --out again
    """
    given = dict(locals())
    # Before the imports, which may take seconds.
    with steps(SHARES, is_shown=not as_json) as at:
        at("starting")
        from dataclasses import replace

        from blindauc.analysis import analyse, provenance
        from blindauc.datasets.tables import notation_of, read_table

        if group is not None and groups is not None:
            raise ValueError("--group and --groups say the same in two ways: give one of them.")
        at("reading")
        in_parts = is_read_in_parts(data, memory, cluster)
        if in_parts and (sheet is not None or header_row is not None):
            raise ValueError("--sheet and --header-row are for a table that is read whole: leave them out.")
        if in_parts and decisions is not None:
            raise ValueError("--decisions is for a table that is read whole: name a column of it with --checked.")
        frame = None if in_parts else read_table(data, sheet=sheet, header_row=header_row)
        columns = columns_in(data) if frame is None else list(frame.columns)
        folder = tidy(out or Path(f"{data.name.split('.')[0]}-blindauc"))
        origin = provenance(recorded(given, folder), files_read(given), seed=seed)
        if config is not None:
            check_repeats(config, files_read(given), origin)
        with filled(folder, [data, groups, decisions, config], force=force) as unfinished:
            at("analysis")
            options: dict[str, Any] = {
                "positive": positive,
                "id": id,
                "drop": listed_columns(drop, columns),
                "groups": group if groups is None else _groups_in(groups),
                "rows_by": rows_by,
                "time": time,
                "categorical": listed_columns(categorical, columns),
                "numeric": listed_columns(numeric, columns),
                "date": listed_columns(date, columns),
                "allow_leaks": listed_columns(allow_leak, columns),
                "prior": prior,
                "capacity": capacity,
                "show": listed_columns(show, columns),
                "shape": listed_shapes(shape),
                "random_state": seed,
                "n_jobs": jobs,
                "verbose": int(not as_json),
                "name": printable(data.name),
            }
            if frame is None:
                options["checked"] = checked
                analysis = analysed_in_parts(data, label, options, memory=memory, cluster=cluster)
            else:
                found = checked if decisions is None else _found_in(decisions, frame, id, checked)
                analysis = analyse(frame, label, checked=found, **options)
            at("writing")
            analysis = replace(analysis, findings=replace(analysis.findings, provenance=origin))
            write_all(analysis, unfinished, notation_of(first_file(data), header_row=header_row))
    _print(analysis, folder, as_json)


def write_all(analysis: Analysis, folder: Path, notation: Notation) -> None:
    """Write every result of an analysis, text with the separators and decimal marks of the table."""
    from blindauc import report
    from blindauc.analysis import write_csv, write_results
    from blindauc.model_files import save

    save(analysis.model, folder / MODEL)
    write_csv(analysis.ranking, folder / RANKING, notation)
    write_csv(analysis.doubtful, folder / DOUBTFUL, notation)
    write_csv(analysis.features, folder / FEATURES, notation)
    if analysis.groups is not None:
        write_csv(analysis.groups, folder / BY_GROUP, notation)
    write_results(analysis, folder / WORKBOOK)
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


def _found_in(decisions: Path, frame: Any, id: str | None, checked: str | None) -> Any:
    """What was found by a table of decisions and, where that says nothing, by a column."""
    from blindauc.analysis.checks import checked_in, decided
    from blindauc.checked import as_words
    from blindauc.datasets.tables import read_table

    names = None if id is None or id not in frame else frame[id].astype(str).tolist()
    found = decided(read_table(decisions), names, len(frame))
    before = None if checked is None else checked_in(frame, checked)
    if before is not None:
        found[found == 0] = before[found == 0]
    return as_words(found)


def _print(analysis: Analysis, folder: Path, as_json: bool) -> None:
    from rich.console import Console

    from blindauc.cli.summary import summary

    if as_json:
        typer.echo(json.dumps(_for_machines(analysis, folder)))
        return
    Console(highlight=False, soft_wrap=True).print(summary(analysis.findings, folder), markup=False)


def _for_machines(analysis: Analysis, folder: Path) -> dict[str, Any]:
    """The numbers as JSON has them; what cannot be told is null."""
    from blindauc.report.counting import positives_first, wrong_first

    found = analysis.findings
    return {
        "folder": str(folder),
        "n_rows": found.asked.n_rows,
        "n_labelled": found.asked.n_labelled,
        "auc": list(found.auc) if found.is_auc_known else None,
        "prior": [found.prior.value if found.is_prior_known else None, found.prior.low, found.prior.high],
        "contamination": list(found.contamination) if found.is_auc_known else None,
        "found": _first(positives_first(found), is_known=found.is_prior_known),
        "wrong": _first(wrong_first(found), is_known=True),
        "n_doubtful": found.n_doubtful if found.is_auc_known else None,
        "columns": [feature.column for feature in found.features if feature.selected],
        "set_aside": found.asked.set_aside,
        "n_groups": found.asked.n_groups,
        "notes": found.asked.notes,
        "shapes": found.shapes,
        "checks": None if found.checks is None else asdict(found.checks),
        "bending": None if found.bending is None else list(found.bending),
        "baselines": [{"name": each.name, "is_as_good": each.is_as_good} for each in found.baselines],
    }


def _first(expected: Expected | None, *, is_known: bool) -> dict[str, Any] | None:
    """A number that is expected among the first of a list; where it is not known, only its ends."""
    return None if expected is None else asdict(expected) | ({} if is_known else {"value": None})
