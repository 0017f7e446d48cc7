"""`blindauc fit`: from a table to a model, a ranking, the doubtful labels and a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from blindauc.cli.paths import Capacity, Force, HeaderRow, Positive, Prior, Shape, Sheet, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.files import write_whole
from blindauc.progress import steps

if TYPE_CHECKING:
    from blindauc.analysis import Analysis
    from blindauc.datasets.tables import Notation
    from blindauc.report.findings import Expected

SHARES = {"starting": 4.0, "reading": 1.0, "analysis": 90.0, "writing": 5.0}
"""Percent of the run time of each step, for the progress bar: measured on tables of 600 to 200,000 rows with the
default shapes, which take 20 to 50 seconds."""


def fit(
    data: Annotated[
        Path,
        path_argument(help="A table (CSV, TSV, Excel, Parquet, Arrow, Feather), or a folder of CSV or Parquet files."),
    ],
    label: Annotated[str, typer.Option(help="The column that marks the positives.")],
    positive: Positive = None,
    id: Annotated[str | None, typer.Option(help="A column with a unique name for each row.")] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            "--ignore",
            help="Columns to leave out, separated by commas; the option may be repeated.",
            metavar="COLUMNS",
        ),
    ] = None,
    rows_by: Annotated[
        str | None,
        typer.Option(help="A column with the group of each row, such as the patient; folds never split a group."),
    ] = None,
    time: Annotated[
        str | None, typer.Option(help="A column with the time of each row; rows are evaluated by fits to earlier ones.")
    ] = None,
    checked: Annotated[
        str | None, typer.Option(help="A column with results of a manual check: right or 1, wrong or 0, or blank.")
    ] = None,
    decisions: Annotated[
        Path | None, path_option(help="The same in a separate table, as `blindauc review --export` writes it.")
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Columns of categories, such as numeric codes.", metavar="COLUMNS")
    ] = None,
    numeric: Annotated[list[str] | None, typer.Option(help="Columns of numbers.", metavar="COLUMNS")] = None,
    date: Annotated[
        list[str] | None,
        typer.Option(help="Columns of dates; ambiguous dates are read with the day first.", metavar="COLUMNS"),
    ] = None,
    allow_leak: Annotated[
        list[str] | None, typer.Option(help="Columns to use although they give the label away.", metavar="COLUMNS")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            help="Select columns together whose names agree in the parentheses of a pattern: '(.*) day [0-9]+'."
        ),
    ] = None,
    groups: Annotated[
        Path | None, path_option(help="The same as a table with the columns 'column' and 'group'.")
    ] = None,
    prior: Prior = None,
    capacity: Capacity = None,
    show: Annotated[
        list[str] | None, typer.Option(help="Columns to include in the ranking.", metavar="COLUMNS")
    ] = None,
    shape: Shape = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    memory: Annotated[
        str | None, typer.Option(help="Read the table in parts and use about this much memory, such as '2GB'.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler to fit on, such as 'tcp://10.0.0.5:8786'.")
    ] = None,
    cache: Annotated[
        Path | None, path_option(help="A folder for the cache of a table that is read in parts; by default beside it.")
    ] = None,
    out: Annotated[Path | None, path_option(help="The folder to write to; by default named after the table.")] = None,
    force: Force = False,
    config: Config = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the cross-validation folds.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of fits in parallel.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON, and nothing else.")] = False,
) -> None:
    """Learn to rank the rows of a table, some of which are labelled positive.

    Writes a model, the ranking, the doubtful labels, the columns that matter and a report to a folder. Text, dates and
    missing values are encoded, and all settings are chosen from the labels.

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
    # Progress is shown before the imports, which may take seconds.
    with steps(SHARES, is_shown=not as_json) as at:
        at("starting")
        from dataclasses import replace

        from blindauc.analysis import provenance
        from blindauc.datasets.tables import notation_of, read_table

        at("reading")
        in_parts = is_read_in_parts(data, memory, cluster)
        _check_options_agree(given, in_parts)
        frame = None if in_parts else read_table(data, sheet=sheet, header_row=header_row)
        folder = tidy(out or Path(f"{data.name.split('.')[0]}-blindauc"))
        origin = provenance(recorded(given, folder), files_read(given), seed=seed)
        if config is not None:
            check_repeats(config, files_read(given), origin)
        with filled(folder, [data, groups, decisions, config], force=force) as unfinished:
            at("analysis")
            analysis = _analysed(frame, given)
            at("writing")
            analysis = replace(analysis, findings=replace(analysis.findings, provenance=origin))
            write_all(analysis, unfinished, notation_of(first_file(data), header_row=header_row))
    _print(analysis, folder, as_json)


def _check_options_agree(given: Mapping[str, Any], in_parts: bool) -> None:
    if given["group"] is not None and given["groups"] is not None:
        raise ValueError("--group and --groups say the same in two ways: give one of them.")
    if in_parts and (given["sheet"] is not None or given["header_row"] is not None):
        raise ValueError("--sheet and --header-row are for a table that is read whole: leave them out.")


def _analysed(frame: Any, given: Mapping[str, Any]) -> Analysis:
    """The analysis with the given options; if `frame` is None, the table is read in parts."""
    from blindauc.analysis import analyse
    from blindauc.datasets.tables import read_table

    data, label = given["data"], given["label"]
    options = _options(given, columns_in(data) if frame is None else list(frame.columns))
    if frame is None:
        options["checked"] = given["checked"]
        how = {name: given[name] for name in ("memory", "cluster", "cache")}
        how["decisions"] = None if given["decisions"] is None else read_table(given["decisions"])
        return analysed_in_parts(data, label, options, **how)
    found = given["checked"]
    if given["decisions"] is not None:
        found = _found_in(given["decisions"], frame, given["id"], given["checked"])
    return analyse(frame, label, checked=found, **options)


def _options(given: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    """The options of the command line as arguments of `blindauc.analysis.analyse`."""
    unchanged = ("id", "rows_by", "time", "prior", "capacity")
    lists = {"drop": "drop", "allow_leak": "allow_leaks", "show": "show"}
    kinds = {kind: kind for kind in ("categorical", "numeric", "date")}
    return {
        **{name: given[name] for name in unchanged},
        "positive": given["positive"] or None,
        **{name: listed_columns(given[option], columns) for option, name in (lists | kinds).items()},
        "groups": given["group"] if given["groups"] is None else _groups_in(given["groups"]),
        "shape": listed_shapes(given["shape"]),
        "random_state": given["seed"],
        "n_jobs": given["jobs"],
        "verbose": int(not given["as_json"]),
        "name": printable(given["data"].name),
    }


def write_all(analysis: Analysis, folder: Path, notation: Notation) -> None:
    """Write all results of an analysis; CSV files have the separator and decimal mark of the table."""
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
            f"{path} needs the columns 'column' and 'group', not {', '.join(map(repr, table.columns))}: rename them."
        )
    return dict(zip(table["column"].astype(str), table["group"].astype(str), strict=True))


def _found_in(decisions: Path, frame: Any, id: str | None, checked: str | None) -> Any:
    """The results of a check from a table of decisions and, for rows that it does not decide on, from a column."""
    from blindauc.analysis.checks import checked_in, decided_anew
    from blindauc.checked import as_words
    from blindauc.datasets.tables import read_table

    names = None if id is None or id not in frame else frame[id].astype(str).tolist()
    before = None if checked is None else checked_in(frame, checked)
    return as_words(decided_anew(read_table(decisions), names, len(frame), before))


def _print(analysis: Analysis, folder: Path, as_json: bool) -> None:
    from rich.console import Console

    from blindauc.cli.summary import summary

    if as_json:
        typer.echo(json.dumps(_for_machines(analysis, folder)))
        return
    Console(highlight=False, soft_wrap=True).print(summary(analysis.findings, folder), markup=False)


def _for_machines(analysis: Analysis, folder: Path) -> dict[str, Any]:
    """The results as JSON; numbers that cannot be estimated are null."""
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
    """An expected number among the first rows of a list; without `value` if only its interval is known."""
    return None if expected is None else asdict(expected) | ({} if is_known else {"value": None})
