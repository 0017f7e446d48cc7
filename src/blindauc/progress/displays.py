"""What people see of work under way: a bar that moves, or, where that would fill a log file with marks, plain lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread
from typing import Any, TextIO

Tell = Callable[[str, float], None]
"""(what is being done, the share of the whole that is done before it)"""

FIRST_LINE, NEXT_LINE = 1.0, 1.5
"""Seconds before the first line of a log and between lines, so that it is never silent for two.

The first is early, since Python has to start before it, but not at once: what is refused at once is told in one line.
"""

EARLY = 0.03
"""The share done below which nothing is said of the time left: it would be guessed from the first step alone."""


def display() -> AbstractContextManager[Tell]:
    """A bar on standard error where that is a terminal or a notebook and rich is installed, else lines."""
    try:
        from rich.console import Console
    except ImportError:
        return _lines(sys.stderr)
    console = Console(stderr=True)
    is_seen = console.is_jupyter or (sys.stderr.isatty() and not console.is_dumb_terminal)
    return _bar(console) if is_seen else _lines(sys.stderr)


@contextmanager
def _bar(console: Any) -> Iterator[Tell]:
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Times(ProgressColumn):
        """The time so far and the time left."""

        def render(self, task: Task) -> Text:
            return Text(_times(task.elapsed or 0.0, (task.percentage or 0.0) / 100))

    # Less than 80 characters wide in all.
    columns = TextColumn("{task.description:<24}", markup=False), BarColumn(20), TaskProgressColumn(), Times()
    # Redrawn ten times a second by a thread of its own, so that the time goes on whatever is being done.
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("starting", total=1.0)
        yield lambda words, share: bars.update(task, description=words, completed=share)


@contextmanager
def _lines(stream: TextIO) -> Iterator[Tell]:
    """A line with date, time, share and what is being done, every now and then."""
    begun, told, ended = time.monotonic(), [("starting", 0.0)], Event()

    def write(words: str, share: float) -> None:
        elapsed = time.monotonic() - begun
        stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {share:4.0%}  {words}, {_times(elapsed, share)}\n")
        stream.flush()

    def go_on() -> None:
        wait = FIRST_LINE
        while not ended.wait(wait):
            write(*told[0])
            wait = NEXT_LINE

    def tell(words: str, share: float) -> None:
        told[0] = words, share

    writer = Thread(target=go_on, daemon=True)
    writer.start()
    try:
        yield tell
        if time.monotonic() - begun > FIRST_LINE:
            write("done", 1.0)
    finally:
        ended.set()
        writer.join()


def _times(elapsed: float, share: float) -> str:
    """How long it has taken and will take, as far as shares done so far tell.

    Examples
    --------
    >>> from blindauc.progress.displays import _times
    >>> _times(30.0, 0.25), _times(95.0, 0.01), _times(95.0, 1.0)
    ('0:30 so far, about 1:30 left', '1:35 so far', '1:35 in all')
    """
    if share >= 1:
        return f"{duration(elapsed)} in all"
    so_far = f"{duration(elapsed)} so far"
    return so_far if share < EARLY else f"{so_far}, about {duration(elapsed * (1 - share) / share)} left"


def duration(seconds: float) -> str:
    """Seconds as minutes and seconds, with hours where there are any."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
