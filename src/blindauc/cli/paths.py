"""Options that the commands share. typer's own checks of paths are off: the library's messages are clearer."""

from functools import partial
from typing import Annotated

import typer

path_argument = partial(typer.Argument, readable=False)
path_option = partial(typer.Option, readable=False)

Sheet = Annotated[
    str | None, typer.Option(help="The sheet of an Excel workbook, by name or number; by default the first.")
]
HeaderRow = Annotated[
    int | None,
    typer.Option(min=1, help="The row with the column names; by default the first row that is not blank."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing results. Input files are never replaced.")]

Prior = Annotated[
    float | None, typer.Option(help="The share of positives among the unlabelled rows, from 0 to 1, if known.")
]
Capacity = Annotated[
    int | None,
    typer.Option(help="How many rows you can check; the results say how many positives to expect among them."),
]
Shape = Annotated[
    list[str] | None,
    typer.Option(
        help="Shapes of score to try: 'auto' for all, or some of 'linear,curves,kernel,trees'.", metavar="SHAPES"
    ),
]
