"""Paths on the command line, judged by the library: what is wrong with one is told in one line, like all else."""

from functools import partial
from typing import Annotated

import typer

path_argument = partial(typer.Argument, readable=False)
path_option = partial(typer.Option, readable=False)

Sheet = Annotated[
    str | None, typer.Option(help="The sheet of an Excel workbook, by its name or number; the first by default.")
]
HeaderRow = Annotated[
    int | None,
    typer.Option(min=1, help="The row with the names of the columns; the first that is not blank by default."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace results that are there. What is read is never replaced.")]
