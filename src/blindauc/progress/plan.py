"""Work as steps of known shares, which may be divided again wherever in the library they are done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from blindauc.progress.displays import Tell, display


class At(Protocol):
    """Says which step is under way, which share of it is done, and what to call it if not by its name."""

    def __call__(self, step: str, done: float = 0.0, words: str | None = None) -> None: ...


@dataclass(frozen=True)
class _Stretch:
    """From where to where a step goes in the whole work."""

    tell: Tell
    start: float
    end: float

    def divided(self, plan: Mapping[str, float]) -> dict[str, _Stretch]:
        total = sum(plan.values())
        ends = [self.start + (self.end - self.start) * upto / total for upto in accumulate(plan.values(), initial=0.0)]
        return {step: _Stretch(self.tell, *ends[k : k + 2]) for k, step in enumerate(plan)}


_under_way: ContextVar[_Stretch | None] = ContextVar("under_way", default=None)
"""The step that is being done. A context, not a parameter: a fit inside of a larger work need not know of it."""


@contextmanager
def steps(plan: Mapping[str, float], *, is_shown: bool = False) -> Iterator[At]:
    """Work that consists of steps; within a step of other work that is shown, they divide that step.

    Parameters
    ----------
    plan : mapping
        The steps in their order, each with the share of the time that it usually takes; shares need not sum to one.
    is_shown : bool, default=False
        Whether to show the work, where it is no part of other work.

    Yields
    ------
    At
        To be called at the start of each step, and as it goes on.

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
        with display() as tell, _divided(_Stretch(tell, 0.0, 1.0), plan) as at:
            yield at
    else:
        with _divided(outer, plan) as at:
            yield at


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
