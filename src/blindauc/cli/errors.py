"""Errors that a user can correct, as one line on stderr with exit code 2."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import current_thread, main_thread

import typer

from blindauc.cli.terminal import in_one_line
from blindauc.cli.wording import as_options

STOPPED = "No file is incomplete. Give the same command again to start anew."
"""The message after Ctrl-C or SIGTERM."""

KILLED = "A worker process was killed, probably for lack of memory: use --jobs 1 or a smaller --memory."
"""The message if a worker process of a search was killed."""

WORKERS_KILLED = (
    "Several Dask workers died at the same rows, probably for lack of memory: start workers with more memory, or with "
    "fewer threads each."
)
"""The message if workers of a cluster were killed. The size of partitions, which the library names, is not for users of
the command line to choose."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, with which batch systems and containers stop a command: it cleans up as after Ctrl-C."""


@contextmanager
def errors_in_one_line(stopped: str = STOPPED) -> Iterator[None]:
    """Print errors that a user can correct in one line and exit with 2; after Ctrl-C exit with 130, SIGTERM 143."""
    try:
        yield
    except (ValueError, OSError, ModuleNotFoundError) as error:
        typer.echo(f"blindauc: {in_one_line(_in_words(error))}", err=True)
        raise typer.Exit(2) from None
    except BrokenExecutor as error:
        # The system killed worker processes of joblib or of Dask, as it does when memory runs out.
        typer.echo(f"blindauc: {KILLED if isinstance(error, BrokenProcessPool) else WORKERS_KILLED}", err=True)
        raise typer.Exit(2) from None
    except Terminated:
        typer.echo(f"blindauc: terminated. {stopped}", err=True)
        raise typer.Exit(143) from None
    except KeyboardInterrupt:
        typer.echo(f"blindauc: interrupted. {stopped}", err=True)
        raise typer.Exit(130) from None


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Within the context, SIGTERM raises `Terminated`. Other threads than the main one cannot catch signals."""
    if current_thread() is not main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _in_words(error: Exception) -> str:
    """The message of an error; for a system error, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return as_options(str(error))
