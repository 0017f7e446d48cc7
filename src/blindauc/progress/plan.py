"""Nested progress: work as steps of known shares, which the code of a step may divide further."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from blindauc.progress.displays import Tell, display


class At(Protocol):
    """Reports the current step, the share of it that is done, and optionally a text to show in place of its name."""

    def __call__(self, step: str, done: float = 0.0, words: str | None = None) -> None: ...


@dataclass(frozen=True)
class _Stretch:
    """The part of the whole work that a step takes, from `start` to `end`."""

    tell: Tell
    start: float
    end: float

    def divided(self, plan: Mapping[str, float]) -> dict[str, _Stretch]:
        total = sum(plan.values())
        ends = [self.start + (self.end - self.start) * upto / total for upto in accumulate(plan.values(), initial=0.0)]
        return {step: _Stretch(self.tell, *ends[k : k + 2]) for k, step in enumerate(plan)}


_under_way: ContextVar[_Stretch | None] = ContextVar("under_way", default=None)
"""The current step. It is a context variable so that a fit need not know whether it is part of larger work."""


@contextmanager
def steps(plan: Mapping[str, float], *, is_shown: bool = False) -> Iterator[At]:
    """Report progress of work that consists of steps. Inside a step of other work, the steps divide that step.

    Parameters
    ----------
    plan : mapping
        The steps in order, each with its usual share of the time; shares need not sum to one.
    is_shown : bool, default=False
        Whether to show progress, if this is not part of other work.

    Yields
    ------
    At
        Call it at the start of each step, and as the step advances.

    Examples
    --------
    >>> from blindauc.progress import steps
    >>> with steps({"read": 1, "fit": 9}) as at:
    ...     at("read")
    ...     at("fit")
    ...     with steps({"fold 1": 1, "fold 2": 1}) as at_fold:  # the share of "fit", halved
    ...         at_fold("fold 1", 0.5)
    """
    outer = _under_way.get()
    if outer is None and not is_shown:
        yield lambda step, done=0.0, words=None: None
    elif outer is None:
        with display() as tell, _divided(_Stretch(_forwards(tell), 0.0, 1.0), plan) as at:
            yield at
    else:
        with _divided(outer, plan) as at:
            yield at


def _forwards(tell: Tell) -> Tell:
    """The display, which never goes back: a thread, or a callback of another step, may report a step late."""
    furthest = 0.0

    def forwards(words: str, share: float) -> None:
        nonlocal furthest
        furthest = max(furthest, share)
        tell(words, furthest)

    return forwards


@contextmanager
def _divided(whole: _Stretch, plan: Mapping[str, float]) -> Iterator[At]:
    parts, before = whole.divided(plan), _under_way.set(whole)

    def at(step: str, done: float = 0.0, words: str | None = None) -> None:
        part = parts[step]
        _under_way.set(part)
        part.tell(words or step, part.start + (part.end - part.start) * done)

    try:
        yield at
    finally:
        _under_way.reset(before)
