"""How errors are told: what a user can mend in one line, with exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from blindauc.cli.terminal import in_one_line
from blindauc.cli.wording import as_options


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """What a user can mend is told in one line, with exit code 2; what was interrupted ends with 130."""
    try:
        yield
    except (ValueError, OSError, ModuleNotFoundError) as error:
        typer.echo(f"blindauc: {in_one_line(_in_words(error))}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("blindauc: interrupted; no file is half written, and `reproduce` goes on where it was.", err=True)
        raise typer.Exit(130) from None


def _in_words(error: Exception) -> str:
    """What is wrong; what the system says without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return as_options(str(error))
