"""`blindauc review`: a page on which people check labels, and import and export of their decisions."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blindauc.cli.large import names_in, read_files, was_read_in_parts
from blindauc.cli.outputs import FINDINGS, MODEL, RUN, Place, check_outputs, place_of_fit, read_run
from blindauc.cli.paths import Force, path_argument, path_option
from blindauc.cli.terminal import printable
from blindauc.extras import imported

if TYPE_CHECKING:
    import pandas as pd

    from blindauc.report.findings import Findings
    from blindauc.review.record import Record

PASSWORD = "BLINDAUC_REVIEW_PASSWORD"
"""The environment variable that may hold the password."""


def review(
    folder: Annotated[Path, path_argument(help="The folder that `blindauc fit` wrote.")],
    data: Annotated[Path | None, path_option(help="The table of the fit, if it has moved.")] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Reviewers do not see each other's decisions.")] = False,
    host: Annotated[
        str, typer.Option(help="The address to serve at; any other than this machine's own asks for a password.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; a free one by default.")] = 0,
    export: Annotated[
        Path | None, path_option("--export", help="Write the decisions to a .csv, .tsv, .xlsx or .parquet file.")
    ] = None,
    decisions: Annotated[
        Path | None, path_option("--import", help="Read decisions from a table with 'decision' and 'id' or 'row'.")
    ] = None,
    reviewer: Annotated[
        str, typer.Option(help="The reviewer of the decisions of --import, if the table has no column 'reviewer'.")
    ] = "import",
    force: Force = False,
) -> None:
    """Check labels on a page, in the order of suspicion, and unlabelled rows from the top of the ranking.

    Opens a page for this machine only, at an address that holds a token. Every decision is on the disk, in
    review.sqlite beside the run, before the next row is shown, and none is ever changed or removed.

    [bold]Examples[/bold]

      blindauc review patients-blindauc

      blindauc review patients-blindauc --blind --host 0.0.0.0

      blindauc review patients-blindauc --import decisions.xlsx --reviewer Ada

      blindauc review patients-blindauc --export checked.csv
    """
    if export is not None and decisions is not None:
        raise ValueError("--export and --import are two commands: give one after the other.")
    if export is not None:
        _export(folder, export, force=force)
    elif decisions is not None:
        _import(folder, data, decisions, reviewer)
    else:
        _serve(folder, data, host, port, blind=blind)


def _export(folder: Path, path: Path, *, force: bool) -> None:
    from blindauc.analysis.writing import check_ending, write_table
    from blindauc.report.words import count
    from blindauc.review.exchange import checked_table
    from blindauc.review.record import RECORD

    check_ending(path)
    check_outputs([path], [folder / name for name in (RECORD, MODEL, RUN, FINDINGS)], force=force, option="--export")
    if not (folder / RECORD).exists():
        raise FileNotFoundError(f"There is no {folder / RECORD}: nothing was checked yet.")
    record = _record(folder)
    try:
        table = checked_table(record.entries())
    finally:
        record.close()
    n_rows = write_table(table, path)
    disagreements = int((table["decision"] == "disagreement").sum())
    open_ones = f", {disagreements:,} of them with a disagreement" if disagreements else ""
    typer.echo(f"{count(n_rows, 'row was', 'rows were')} checked{open_ones}: {printable(str(path))}")


def _import(folder: Path, data: Path | None, path: Path, reviewer: str) -> None:
    from blindauc.datasets.tables import read_table
    from blindauc.report.words import count, were
    from blindauc.review.exchange import read_decisions, without_repeats

    findings = _findings(folder)
    attempts = read_decisions(read_table(path), _names(folder, data, findings), reviewer)
    record = _record(folder)
    try:
        n_new = record.decide_all(without_repeats(attempts, record.entries()))
    finally:
        record.close()
    repeated = len(attempts) - n_new
    already = f"; {repeated:,} {were(repeated)} in the record already" if repeated else ""
    typer.echo(f"{count(n_new, 'decision was', 'decisions were')} added{already}: {printable(str(record.path))}")


def _serve(folder: Path, data: Path | None, host: str, port: int, *, blind: bool) -> None:
    otherwise = "The review needs {}: pip install 'blindauc[review]'."
    for module in ("starlette", "uvicorn"):
        imported(module, otherwise=otherwise)
    from blindauc.report.words import count
    from blindauc.review.desk import About, Desk
    from blindauc.review.queue import queues_of
    from blindauc.review.serving import LOOPBACK, prepare
    from blindauc.review.table_facts import TableFacts

    password = None if host in LOOPBACK else _password()
    findings = _findings(folder)
    queues = queues_of(findings)
    rows = [item.row for queue in queues for item in queue.items]
    facts = TableFacts(_steps(folder), _table(folder, data), findings, rows)
    record = _record(folder)
    try:
        asked = findings.asked
        desk = Desk(About(asked.data, asked.label, asked.positive), record, queues, facts, blind=blind)
        served = prepare(desk, host=host, port=port, password=password)
        typer.echo(f"Open {served.address}")
        typer.echo("Anyone with this address can check labels." if password is None else _UNENCRYPTED)
        typer.echo(f"Decisions are kept in {printable(str(record.path))}. Stop with Ctrl+C.")
        with suppress(KeyboardInterrupt):  # raised by uvicorn after Ctrl+C, but not in the background of a shell
            served.run()
        kept = count(len(record.entries()), "decision is", "decisions are")
        typer.echo(f"\nStopped: {kept} in {printable(str(record.path))}.")
    finally:
        record.close()


_UNENCRYPTED = "The connection is not encrypted: use it in a network that you trust, or through an SSH tunnel."


def _password() -> str:
    """The password of the environment, or one that is typed."""
    from blindauc.review.security import check_password

    given = os.environ.get(PASSWORD)
    if given is None and os.isatty(0):
        given = typer.prompt("Password for the reviewers", hide_input=True, confirmation_prompt=True)
    if not given:
        raise ValueError(
            f"Other machines can reach the review with --host, and a password is needed: set {PASSWORD}, or run this "
            "in a terminal to type one."
        )
    check_password(given)
    return given


def _record(folder: Path) -> Record:
    """The record of a run. It belongs to the table of the run, and stores the hash of the model with each decision."""
    from blindauc.analysis.provenance import sha256_of
    from blindauc.review.record import RECORD, Record

    sha256 = _run(folder).get("data_sha256")
    return Record(folder / RECORD, data=str(sha256), model=sha256_of(folder / MODEL))


def _run(folder: Path) -> dict[str, Any]:
    for name in (RUN, FINDINGS, MODEL):
        if not (folder / name).exists():
            raise FileNotFoundError(f"There is no {folder / name}: name a folder that `blindauc fit` wrote.")
    return read_run(folder / RUN)


def _findings(folder: Path) -> Findings:
    from blindauc.report.findings import Findings

    _run(folder)
    path = folder / FINDINGS
    try:
        return Findings.from_json(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read, {error}: fit again.") from error


def _steps(folder: Path) -> Any:
    from blindauc.analysis.pipeline import steps_of
    from blindauc.model_files import load

    return steps_of(load(folder / MODEL))


def _table(folder: Path, data: Path | None) -> pd.DataFrame:
    """The table of the fit."""
    from blindauc.datasets.tables import read_table

    path, place = _place(folder, data)
    return read_files(path) if path.is_dir() else read_table(path, sheet=place.sheet, header_row=place.header_row)


def _place(folder: Path, data: Path | None) -> tuple[Path, Place]:
    """Where the table of the fit is. It must not have changed since, as rows are identified by their numbers."""
    run = _run(folder)
    path = data or folder / str(run["arguments"]["data"])
    if not path.exists():
        raise FileNotFoundError(f"The table of the fit, {path}, is not there: name it with --data.")
    place = place_of_fit(run, path)
    if place is None:
        raise ValueError(f"{path} is not the table of {folder / RUN}: its SHA-256 differs. Name that with --data.")
    return path, place


def _names(folder: Path, data: Path | None, findings: Findings) -> Any:
    """The names of the rows of the table, and which rows are labelled."""
    from blindauc.review.exchange import Names

    run = _run(folder)
    id, path = run["arguments"].get("id"), _place(folder, data)[0]
    if was_read_in_parts(run, path):
        names = names_in(path, id)
    else:
        frame = _table(folder, data)
        names = [str(name) for name in (range(1, len(frame) + 1) if id is None else frame[id].tolist())]
    return Names(names, frozenset(doubt.row for doubt in findings.doubts))
