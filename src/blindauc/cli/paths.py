"""Paths on the command line, judged by the library: what is wrong with one is told in one line, like all else."""

from functools import partial

import typer

path_argument = partial(typer.Argument, readable=False)
path_option = partial(typer.Option, readable=False)
