"""The state of a review, as each reviewer may see it: the lists, the record and the current decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

from blindauc.review.decisions import LABELLED, Attempt, Entry
from blindauc.review.estimates import CheckSummary
from blindauc.review.facts import Facts
from blindauc.review.queue import Item, Queue
from blindauc.review.record import Record
from blindauc.review.standing import Standing


@dataclass(frozen=True)
class About:
    """The name of the reviewed table, the column of its labels, and the value that means positive."""

    data: str
    label: str
    positive: str


class Desk:
    """A review in progress. Several threads may use it.

    Parameters
    ----------
    about : About
    record : Record
    queues : tuple of Queue
        The labels to check, and the unlabelled rows to check.
    facts : callable
        From the number of a row to the facts that are shown.
    blind : bool, default=False
        Whether reviewers do not see each other's decisions.
    """

    def __init__(
        self,
        about: About,
        record: Record,
        queues: tuple[Queue, Queue],
        facts: Callable[[int], Facts],
        *,
        blind: bool = False,
    ) -> None:
        self.about, self.queues, self.facts, self.blind = about, queues, facts, blind
        self._record, self._standing, self._lock = record, Standing(), Lock()
        self._items = {item.row: item for queue in queues for item in queue.items}

    def item(self, row: int) -> Item | None:
        """The item of a row; None if the row is in no list."""
        return self._items.get(row)

    def decide(self, request: str, reviewer: str, row: int, decision: str, note: str, version: int) -> Entry:
        """Record a decision; see `Record.decide`."""
        item = self._items[row]
        attempt = Attempt(request, reviewer, row, item.name, item.label, decision, note, version)
        return self._record.decide(attempt, blind=self.blind)

    def entries(self) -> list[Entry]:
        """The whole record."""
        return self._record.entries()

    def changes(self, reviewer: str, since: int) -> dict[str, Any]:
        """The rows with new decisions since an entry of the record, as this reviewer may see them.

        `last` is the number of the last entry that is included, and `rows` has a dict for each row.
        """
        with self._up_to_date() as standing:
            # Entries that are newer than `standing` are left for the next request.
            new = [entry.attempt for entry in self._record.entries(since) if entry.id <= standing.last]
            rows = dict.fromkeys(each.row for each in new if not self.blind or each.reviewer == reviewer)
            return {"last": standing.last, "rows": [self._row(standing, row, reviewer) for row in rows]}

    def row(self, row: int, reviewer: str) -> dict[str, Any]:
        """The current decisions on a row, as this reviewer may see them."""
        with self._up_to_date() as standing:
            return self._row(standing, row, reviewer)

    def summaries(self, reviewer: str) -> tuple[CheckSummary, CheckSummary]:
        """Summaries of both lists, from the decisions that this reviewer may see."""
        seen, (labels, unlabelled) = self._seen_by(reviewer), self.queues
        with self._up_to_date() as standing:
            return _summary(standing, labels, seen), _summary(standing, unlabelled, seen)

    def disagreements(self) -> list[int]:
        """The rows of the lists that reviewers disagree on; none in a blind review."""
        with self._up_to_date() as standing:
            return [] if self.blind else [row for row in standing.disagreements() if row in self._items]

    def _seen_by(self, reviewer: str) -> str | None:
        return reviewer if self.blind else None

    @contextmanager
    def _up_to_date(self) -> Iterator[Standing]:
        """The current decisions, locked. Other processes may write to the record, so new entries are read first."""
        with self._lock:
            self._standing.take(self._record.entries(self._standing.last))
            yield self._standing

    def _row(self, standing: Standing, row: int, reviewer: str) -> dict[str, Any]:
        seen = self._seen_by(reviewer)
        last = {entry.attempt.reviewer: entry.attempt for entry in standing.last_of(row, seen)}
        mine = last.pop(reviewer, None)
        return {
            "row": row,
            "version": standing.version(row, seen),
            "decision": standing.decision(row, seen),
            "mine": mine.decision if mine else None,
            "note": mine.note if mine else "",
            "others": [{"reviewer": who, "decision": each.decision, "note": each.note} for who, each in last.items()],
        }


def _summary(standing: Standing, queue: Queue, seen_by: str | None) -> CheckSummary:
    """The summary of a list: checks of labels look for wrong ones, checks of unlabelled rows for positive ones."""
    sought, places = queue.label != LABELLED, queue.places
    decided = standing.is_positive(seen_by).items()
    return queue.prospect.after({places[row]: is_positive is sought for row, is_positive in decided if row in places})
