"""What stands after all decisions so far: of each reviewer the last one on each row, and what they come to together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from blindauc.review.decisions import CANNOT_TELL, DISAGREEMENT, SAYS_POSITIVE, Entry


@dataclass(frozen=True)
class Checked:
    """A row that was checked.

    Attributes
    ----------
    row, name : its number from 1, and what it is called
    label : "positive" or "unlabelled", as in the table
    decision : what the reviewers say, or "disagreement"
    note : why, in their words
    reviewer : who
    time : when the last of them decided, in UTC
    model : the SHA-256 of the model that they looked at last
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
        """Whether the row is positive; None where that stays open."""
        return SAYS_POSITIVE.get(self.decision)


class Standing:
    """The last decision of each reviewer on each row, kept up to date by the lines that are new."""

    def __init__(self) -> None:
        self.last = 0
        self._rows: dict[int, dict[str, Entry]] = {}
        self._versions: dict[int, list[str]] = {}
        self._together: dict[int, str | None] = {}
        self._is_positive: dict[str | None, dict[int, bool]] = {}

    def take(self, entries: Iterable[Entry]) -> None:
        """Take note of more lines of the record, in their order; one that was taken before changes nothing."""
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
        self._say(None, row, self._together[row])
        self._say(reviewer, row, entry.attempt.decision)

    def _say(self, reviewer: str | None, row: int, decision: str | None) -> None:
        found, is_positive = self._is_positive.setdefault(reviewer, {}), SAYS_POSITIVE.get(str(decision))
        found.pop(row, None)
        if is_positive is not None:
            found[row] = is_positive

    @property
    def rows(self) -> list[int]:
        """The rows that were decided on."""
        return list(self._rows)

    def last_of(self, row: int, reviewer: str | None = None) -> list[Entry]:
        """The last decision of each reviewer, or of one, on a row."""
        entries = self._rows.get(row, {})
        if reviewer is None:
            return list(entries.values())
        return [entries[reviewer]] if reviewer in entries else []

    def version(self, row: int, reviewer: str | None = None) -> int:
        """How many decisions on a row count, by anyone or by one reviewer."""
        return sum(reviewer in (None, who) for who in self._versions.get(row, ()))

    def decision(self, row: int, reviewer: str | None = None) -> str | None:
        """What the reviewers, or one of them, say of a row; None where it was not checked."""
        if reviewer is None:
            return self._together.get(row)
        return together(entry.attempt.decision for entry in self.last_of(row, reviewer))

    def is_positive(self, reviewer: str | None = None) -> Mapping[int, bool]:
        """Whether rows are positive by the reviewers, or by one of them; without the rows of which that stays open."""
        return self._is_positive.get(reviewer, {})

    def disagreements(self) -> list[int]:
        """The rows of which one reviewer says positive and another negative."""
        return [row for row, decision in self._together.items() if decision == DISAGREEMENT]


def together(decisions: Iterable[str]) -> str | None:
    """What several decisions on a row come to; who cannot tell has no say beside one who can.

    Examples
    --------
    >>> from blindauc.review.standing import together
    >>> together(["wrong", "cannot tell"]), together(["wrong", "right"]), together([])
    ('wrong', 'disagreement', None)
    """
    said = list(decisions)
    definite = [decision for decision in said if decision != CANNOT_TELL]
    if not definite:
        return CANNOT_TELL if said else None
    return definite[0] if len(set(definite)) == 1 else DISAGREEMENT


def checked_rows(entries: Iterable[Entry], reviewer: str | None = None) -> list[Checked]:
    """Every row that was checked, in the order of the table, by all reviewers or by one.

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
    """All notes, with the names of their writers where there are several."""
    noted = [entry.attempt for entry in last if entry.attempt.note]
    if len(noted) == 1:
        return noted[0].note
    return "; ".join(f"{each.reviewer}: {each.note}" for each in noted)
