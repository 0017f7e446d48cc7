"""A bar for each stage of a search, with the time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from blindauc.choice.search import Report


@contextmanager
def progress_bars(is_wanted: bool) -> Iterator[Report]:
    """A function that moves the bar of a stage; one that does nothing where no bars are wanted."""
    if not is_wanted:
        yield lambda stage, n_done, n_all: None
        return
    try:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
    except ImportError as error:
        raise ImportError('verbose needs rich for its progress bars: pip install "blindauc[progress]".') from error
    columns = TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    tasks: dict[str, TaskID] = {}
    with Progress(*columns) as bars:

        def report(stage: str, n_done: int, n_all: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=n_all)
            bars.update(tasks[stage], completed=n_done)

        yield report
