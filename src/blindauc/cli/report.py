"""`blindauc report`: write the report again, from the findings of a fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blindauc.cli.outputs import FINDINGS, REPORT, check_outputs
from blindauc.cli.paths import path_argument
from blindauc.cli.terminal import printable


def report(
    folder: Annotated[Path, path_argument(help="The folder that `blindauc fit` wrote.")],
) -> None:
    """Write the HTML report of a fit again, from its findings.json.

    Use it after an update of blindauc, or if report.html was lost.

    [bold]Example[/bold]

      blindauc report patients-blindauc
    """
    from blindauc import report as pages

    path = folder / FINDINGS
    # The page holds nothing that is not in the findings, so that an older one is no loss.
    check_outputs([folder / REPORT], [path], force=True)
    if not path.exists():
        raise FileNotFoundError(f"There is no {path}: pass a folder that `blindauc fit` wrote.")
    try:
        findings = pages.Findings.from_json(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read, {error}: fit again.") from error
    pages.write(findings, folder / REPORT)
    typer.echo(printable(str(folder / REPORT)))
