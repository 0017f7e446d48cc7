"""The current decisions: the last one of each reviewer on each row, and the joint decision on the row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from blindauc.review.decisions import CANNOT_TELL, DISAGREEMENT, SAYS_POSITIVE, Entry


@dataclass(frozen=True)
class Checked:
    """A row that was checked.

    Attributes
    ----------
    row, name : the number of the row, from 1, and its name
    label : "positive" or "unlabelled", as in the table
    decision : the joint decision of the reviewers, or "disagreement"
    note : their reasons
    reviewer : their names
    time : the time of the last decision, in UTC
    model : the SHA-256 of the model at the last decision
    """

    row: int
    name: str
    label: str
    decision: str
    note: str
    reviewer: str
    time: str
    model: str

    @property
    def is_positive(self) -> bool | None:
        """Whether the row is positive; None if the decision leaves it open."""
        return SAYS_POSITIVE.get(self.decision)


class Standing:
    """The last decision of each reviewer on each row, updated by new entries of the record."""

    def __init__(self) -> None:
        self.last = 0
        self._rows: dict[int, dict[str, Entry]] = {}
        self._versions: dict[int, list[str]] = {}
        self._together: dict[int, str | None] = {}
        self._is_positive: dict[str | None, dict[int, bool]] = {}

    def take(self, entries: Iterable[Entry]) -> None:
        """Update with entries of the record, in their order. Entries that were taken before are ignored."""
        for entry in entries:
            if entry.id <= self.last:
                continue
            self.last = entry.id
            if entry.is_accepted:
                self._count(entry)

    def _count(self, entry: Entry) -> None:
        row, reviewer = entry.attempt.row, entry.attempt.reviewer
        last = self._rows.setdefault(row, {})
        last[reviewer] = entry
        self._versions.setdefault(row, []).append(reviewer)
        self._together[row] = together(each.attempt.decision for each in last.values())
        self._set_verdict(None, row, self._together[row])
        self._set_verdict(reviewer, row, entry.attempt.decision)

    def _set_verdict(self, reviewer: str | None, row: int, decision: str | None) -> None:
        found, is_positive = self._is_positive.setdefault(reviewer, {}), SAYS_POSITIVE.get(str(decision))
        found.pop(row, None)
        if is_positive is not None:
            found[row] = is_positive

    @property
    def rows(self) -> list[int]:
        """The rows with decisions."""
        return list(self._rows)

    def last_of(self, row: int, reviewer: str | None = None) -> list[Entry]:
        """The last decision of each reviewer, or of one, on a row."""
        entries = self._rows.get(row, {})
        if reviewer is None:
            return list(entries.values())
        return [entries[reviewer]] if reviewer in entries else []

    def version(self, row: int, reviewer: str | None = None) -> int:
        """The number of accepted decisions on a row, by all reviewers or by one."""
        return sum(reviewer in (None, who) for who in self._versions.get(row, ()))

    def decision(self, row: int, reviewer: str | None = None) -> str | None:
        """The joint decision on a row, or that of one reviewer; None if it was not checked."""
        if reviewer is None:
            return self._together.get(row)
        return together(entry.attempt.decision for entry in self.last_of(row, reviewer))

    def is_positive(self, reviewer: str | None = None) -> Mapping[int, bool]:
        """Whether rows are positive by all reviewers, or by one; without rows that the decisions leave open."""
        return self._is_positive.get(reviewer, {})

    def disagreements(self) -> list[int]:
        """The rows that one reviewer calls positive and another negative."""
        return [row for row, decision in self._together.items() if decision == DISAGREEMENT]


def together(decisions: Iterable[str]) -> str | None:
    """The joint decision from several decisions on a row. "cannot tell" counts only if nobody can tell.

    Examples
    --------
    >>> from blindauc.review.standing import together
    >>> together(["wrong", "cannot tell"]), together(["wrong", "right"]), together([])
    ('wrong', 'disagreement', None)
    """
    every = list(decisions)
    definite = [decision for decision in every if decision != CANNOT_TELL]
    if not definite:
        return CANNOT_TELL if every else None
    return definite[0] if len(set(definite)) == 1 else DISAGREEMENT


def checked_rows(entries: Iterable[Entry], reviewer: str | None = None) -> list[Checked]:
    """The rows checked by all reviewers, or by one, in the order of the table.

    Examples
    --------
    >>> from blindauc.review.decisions import Attempt, Entry
    >>> from blindauc.review.standing import checked_rows
    >>> ada = Attempt("1", "Ada", 7, "P7", "positive", "wrong", "no fever")
    >>> bo = Attempt("2", "Bo", 7, "P7", "positive", "wrong")
    >>> times = "2026-01-01T10:00:00+00:00", "2026-01-01T11:00:00+00:00"
    >>> (both,) = checked_rows([Entry(1, times[0], ada, "9f86", True), Entry(2, times[1], bo, "9f86", True)])
    >>> both.decision, both.reviewer, both.note, both.is_positive
    ('wrong', 'Ada; Bo', 'no fever', False)
    """
    standing = Standing()
    standing.take(entries)
    found = {row: standing.last_of(row, reviewer) for row in sorted(standing.rows)}
    return [_checked(row, last) for row, last in found.items() if last]


def _checked(row: int, last: list[Entry]) -> Checked:
    latest = max(last, key=lambda entry: entry.id)
    return Checked(
        row,
        latest.attempt.name,
        latest.attempt.label,
        str(together(entry.attempt.decision for entry in last)),
        _notes(last),
        "; ".join(entry.attempt.reviewer for entry in last),
        latest.time,
        latest.model,
    )


def _notes(last: list[Entry]) -> str:
    """All notes, with the names of their authors if there are several."""
    noted = [entry.attempt for entry in last if entry.attempt.note]
    if len(noted) == 1:
        return noted[0].note
    return "; ".join(f"{each.reviewer}: {each.note}" for each in noted)
