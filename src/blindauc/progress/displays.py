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
"""No remaining time is shown before this share is done (convention): it would depend on the first steps alone, whose
time says little about the rest of the search."""


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

    pace = Pace()

    class Times(ProgressColumn):
        """Elapsed and remaining time."""

        def render(self, task: Task) -> Text:
            return Text(pace.times())

    # At most 80 characters wide in total.
    columns = TextColumn("{task.description:<24}", markup=False), BarColumn(20), TaskProgressColumn(), Times()
    # Rich redraws it ten times a second in its own thread, so that the time advances during long steps.
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("starting", total=1.0)

        def tell(words: str, share: float) -> None:
            pace.reach(share)
            bars.update(task, description=words, completed=share)

        yield tell


@contextmanager
def _lines(stream: TextIO) -> Iterator[Tell]:
    """Lines with date, time, share done and current step, at growing intervals."""
    pace, latest, ended = Pace(), ["starting"], Event()

    def write(words: str) -> None:
        stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {pace.share:4.0%}  {words}, {pace.times()}\n")
        stream.flush()

    def go_on() -> None:
        wait = FIRST_LINE
        while not ended.wait(wait):
            write(latest[0])
            wait = pause(pace.elapsed)

    def tell(words: str, share: float) -> None:
        pace.reach(share)
        latest[0] = words

    writer = Thread(target=go_on, daemon=True)
    writer.start()
    try:
        yield tell
        if pace.elapsed > FIRST_LINE:
            pace.reach(1.0)
            write("done")
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


class Pace:
    """The share done, and when it was reached."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self.share = self._reached = 0.0

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._begun

    def reach(self, share: float) -> None:
        if share > self.share:
            self.share, self._reached = share, self.elapsed

    def times(self) -> str:
        return _times(self.elapsed, self.share, self._reached)


def _times(elapsed: float, share: float, reached: float) -> str:
    """Elapsed and estimated remaining time, as text.

    The estimate is made for the moment at which the share was reached, and passes from then on. A step whose length is
    not known in advance outlasts it; then there is none.

    Examples
    --------
    >>> from blindauc.progress.displays import _times
    >>> _times(30.0, 0.25, 30.0), _times(50.0, 0.25, 30.0), _times(130.0, 0.25, 30.0)
    ('0:30 so far, about 1:30 left', '0:50 so far, about 1:10 left', '2:10 so far')
    >>> _times(95.0, 0.01, 95.0), _times(95.0, 1.0, 95.0)
    ('1:35 so far', '1:35 in all')
    """
    if share >= 1:
        return f"{duration(elapsed)} in all"
    so_far = f"{duration(elapsed)} so far"
    if share < EARLY:
        return so_far
    left = reached * (1 - share) / share - (elapsed - reached)
    return f"{so_far}, about {duration(left)} left" if left > 0 else so_far


def duration(seconds: float) -> str:
    """Seconds as text: minutes and seconds, and hours if there are any."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
