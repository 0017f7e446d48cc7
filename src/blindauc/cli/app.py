"""The typer application with all commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from blindauc import __version__
from blindauc.cli.audit import audit
from blindauc.cli.compare import compare
from blindauc.cli.demo import demo
from blindauc.cli.errors import STOPPED, errors_in_one_line, terminated_as_interrupted
from blindauc.cli.fit import fit
from blindauc.cli.monitor import monitor
from blindauc.cli.refit import refit
from blindauc.cli.report import report
from blindauc.cli.reproduce import reproduce
from blindauc.cli.review import review
from blindauc.cli.score import score

STOPPED_ONCE = {"reproduce": "Give the same command again: it continues with the runs that are missing."}
"""The message after Ctrl-C, for commands that continue where they stopped."""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Rank rows from a few labelled positives and many unlabelled rows, despite wrong labels and useless columns.",
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"blindauc {__version__}")
        raise typer.Exit


def _with_readable_errors(command: Callable[..., None]) -> Callable[..., None]:
    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        with errors_in_one_line(STOPPED_ONCE.get(command.__name__, STOPPED)), terminated_as_interrupted():
            command(*args, **options)

    return run


@app.callback()
def blindauc(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of all commands."""


def _help(command: Callable[..., None]) -> str:
    """The docstring with every paragraph on one line: typer keeps line breaks, which look ragged in a terminal."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(part if part.startswith(" ") else " ".join(part.split()) for part in paragraphs)


for command in (fit, score, audit, compare, monitor, report, review, refit, demo, reproduce):
    app.command(help=_help(command))(_with_readable_errors(command))
