"""Progress displays: a bar for terminals and notebooks, plain lines for log files."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread
from typing import Any, TextIO

Tell = Callable[[str, float], None]
"""Reports progress: a function of the current step's name and of the share of the work that is done."""

FIRST_LINE = 1.0
"""Seconds before the first line of a log (convention): it comes early because Python itself takes time to start, but
not at once, since invalid input should fail with a single line."""

NEXT_LINE, GROWTH, LONGEST = 10.0, 0.2, 300.0
"""Seconds between lines of a log at least, the share of the time so far that they grow to, and seconds at most
(convention): the log of an hour has some thirty lines."""

EARLY = 0.1
"""No remaining time is shown before this share is done (convention): it would rest on the first steps alone, whose time
says little of the search."""


def display() -> AbstractContextManager[Tell]:
    """A bar if standard error is a terminal or a notebook and rich is installed; otherwise lines."""
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
        """Elapsed and remaining time."""

        def render(self, task: Task) -> Text:
            return Text(_times(task.elapsed or 0.0, (task.percentage or 0.0) / 100))

    # At most 80 characters wide in total.
    columns = TextColumn("{task.description:<24}", markup=False), BarColumn(20), TaskProgressColumn(), Times()
    # Rich redraws it ten times a second in its own thread, so that the time advances during long steps.
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("starting", total=1.0)
        yield lambda words, share: bars.update(task, description=words, completed=share)


@contextmanager
def _lines(stream: TextIO) -> Iterator[Tell]:
    """Lines with date, time, share done and current step, at growing intervals."""
    begun, latest, ended = time.monotonic(), [("starting", 0.0)], Event()

    def write(words: str, share: float) -> None:
        elapsed = time.monotonic() - begun
        stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {share:4.0%}  {words}, {_times(elapsed, share)}\n")
        stream.flush()

    def go_on() -> None:
        wait = FIRST_LINE
        while not ended.wait(wait):
            write(*latest[0])
            wait = pause(time.monotonic() - begun)

    def tell(words: str, share: float) -> None:
        latest[0] = words, share

    writer = Thread(target=go_on, daemon=True)
    writer.start()
    try:
        yield tell
        if time.monotonic() - begun > FIRST_LINE:
            write("done", 1.0)
    finally:
        ended.set()
        writer.join()


def pause(elapsed: float) -> float:
    """Seconds until the next line of a log.

    Examples
    --------
    >>> from blindauc.progress.displays import pause
    >>> pause(1.0), pause(100.0), pause(3600.0)
    (10.0, 20.0, 300.0)
    """
    return min(max(NEXT_LINE, GROWTH * elapsed), LONGEST)


def _times(elapsed: float, share: float) -> str:
    """Elapsed and estimated remaining time, as text.

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
    """Seconds as text: minutes and seconds, and hours if there are any."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
