"""The commands, and how their errors are told."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from blindauc.cli.audit import audit
from blindauc.cli.demo import demo
from blindauc.cli.fit import fit
from blindauc.cli.report import report
from blindauc.cli.reproduce import reproduce
from blindauc.cli.score import score
from blindauc.cli.terminal import in_one_line

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Rankings from a few labelled positives and many unlabelled rows, with wrong labels and useless columns.",
)


def _telling_errors(command: Callable[..., None]) -> Callable[..., None]:
    """What a user can mend is told in one line, with exit code 2; what was interrupted ends with 130."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except (ValueError, OSError, ModuleNotFoundError) as error:
            typer.echo(f"blindauc: {in_one_line(_in_words(error))}", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo(
                "blindauc: interrupted; no file is half written, and `reproduce` goes on where it was.", err=True
            )
            raise typer.Exit(130) from None

    return run


def _in_words(error: Exception) -> str:
    """What is wrong; what the system says without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)


for command in (fit, score, audit, report, demo, reproduce):
    app.command()(_telling_errors(command))
