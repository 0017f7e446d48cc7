"""The commands, and how their errors are told."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from blindauc.cli.reproduce import reproduce

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
            typer.echo(f"blindauc: {error}", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("blindauc: interrupted; what is done is kept, the same command goes on from there.", err=True)
            raise typer.Exit(130) from None

    return run


@app.callback()
def _commands() -> None:
    """Without this, a single command would have no name."""


app.command()(_telling_errors(reproduce))
