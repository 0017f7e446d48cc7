"""Errors that a user can correct, as one line on stderr with exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from blindauc.cli.terminal import in_one_line
from blindauc.cli.wording import as_options

INTERRUPTED = (
    "interrupted. No file is incomplete. Give the same command again: `fit` starts anew, but uses what it has read of "
    "files larger than memory; `reproduce` continues with the runs that are missing."
)
"""The message after Ctrl-C."""


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Print errors that a user can correct in one line and exit with 2; exit with 130 after an interrupt."""
    try:
        yield
    except (ValueError, OSError, ModuleNotFoundError) as error:
        typer.echo(f"blindauc: {in_one_line(_in_words(error))}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo(f"blindauc: {INTERRUPTED}", err=True)
        raise typer.Exit(130) from None


def _in_words(error: Exception) -> str:
    """The message of an error; for a system error, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return as_options(str(error))
