"""Options that the commands share. typer's own checks of paths are off: the library's messages are clearer."""

from functools import partial
from typing import Annotated

import typer

path_argument = partial(typer.Argument, readable=False)
path_option = partial(typer.Option, readable=False)


def _share(text: str | float) -> float:
    """A share as Python writes numbers. Others, such as "6,5 %", are refused with the number to write."""
    try:
        return float(text)
    except ValueError:
        per_cent = str(text).strip().endswith("%")
        try:
            number = float(str(text).strip().rstrip("% ").replace(",", ".")) / (100 if per_cent else 1)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a share such as 0.065.") from None
    raise typer.BadParameter(f"{text!r}: write it as {number:.6g}.")


Sheet = Annotated[
    str | None, typer.Option(help="The sheet of an Excel workbook, by name or number; by default the first.")
]
HeaderRow = Annotated[
    int | None,
    typer.Option(min=1, help="The row with the column names; by default the first row that is not blank."),
]
Positive = Annotated[
    list[str] | None,
    typer.Option(
        help="The value of that column that means positive, if it is not obvious; repeat the option for several.",
        metavar="VALUE",
    ),
]
Prior = Annotated[
    float | None,
    typer.Option(
        help="The share of positives among the unlabelled rows, from 0 to 1, if known.", parser=_share, metavar="SHARE"
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing results. Input files are never replaced.")]
Capacity = Annotated[
    int | None,
    typer.Option(min=1, help="How many rows you can check; the results say how many positives to expect among them."),
]
Shape = Annotated[
    list[str] | None,
    typer.Option(
        help="Shapes of score to try: 'auto' for all, or some of 'linear,curves,kernel,trees'.", metavar="SHAPES"
    ),
]
