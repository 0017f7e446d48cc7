"""What a reviewer can say about a row, and the form in which that is written down."""

from __future__ import annotations

from dataclasses import dataclass

LABELLED, UNLABELLED = "positive", "unlabelled"
"""The label of a row in the table."""

RIGHT, WRONG, POSITIVE, NEGATIVE, CANNOT_TELL = "right", "wrong", "positive", "negative", "cannot tell"

CHOICES = {LABELLED: (RIGHT, WRONG, CANNOT_TELL), UNLABELLED: (POSITIVE, NEGATIVE, CANNOT_TELL)}
"""What can be said of a label, and of a row without one."""

SAYS_POSITIVE = {RIGHT: True, POSITIVE: True, WRONG: False, NEGATIVE: False, CANNOT_TELL: None}
"""Whether a row is positive by each decision; None where that stays open."""

DISAGREEMENT = "disagreement"
"""In the place of a decision where one reviewer says positive and another says negative."""

LONGEST_NAME, LONGEST_NOTE, LONGEST_REQUEST = 80, 2_000, 64
"""Letters of a reviewer's name, of a note and of a request's identifier (convention)."""

_SHORT = {
    "r": RIGHT,
    "w": WRONG,
    "c": CANNOT_TELL,
    "?": CANNOT_TELL,
    "unclear": CANNOT_TELL,
    "cannot_tell": CANNOT_TELL,
    "can't tell": CANNOT_TELL,
    "yes": RIGHT,
    "no": WRONG,
}
_AS_LABELLED = {POSITIVE: RIGHT, NEGATIVE: WRONG}
_AS_UNLABELLED = {RIGHT: POSITIVE, WRONG: NEGATIVE}


@dataclass(frozen=True)
class Attempt:
    """A decision that someone wants to make.

    Attributes
    ----------
    request : an identifier that its sender made up, so that a repeated request is not a second decision
    reviewer : who
    row, name : which row, counted from 1, and what it is called
    label : "positive" or "unlabelled", as in the table
    decision : one of the choices for that label
    note : why, in the reviewer's words
    version : how many decisions on the row the reviewer knew of; None where that does not matter
    """

    request: str
    reviewer: str
    row: int
    name: str
    label: str
    decision: str
    note: str = ""
    version: int | None = None

    def __post_init__(self) -> None:
        """Raise where a part is not what it should be."""
        if not 1 <= len(self.request) <= LONGEST_REQUEST:
            raise ValueError(f"A request should have an identifier of 1 to {LONGEST_REQUEST} letters.")
        if not 1 <= len(self.reviewer.strip()) <= LONGEST_NAME:
            raise ValueError(f"A reviewer should have a name of 1 to {LONGEST_NAME} letters.")
        if len(self.note) > LONGEST_NOTE:
            raise ValueError(f"A note should have at most {LONGEST_NOTE:,} letters, and this has {len(self.note):,}.")
        if self.decision not in CHOICES[self.label]:
            raise ValueError(
                f"Of a row whose label is {self.label!r} one can say {', '.join(CHOICES[self.label])}, not "
                f"{self.decision!r}."
            )


@dataclass(frozen=True)
class Entry:
    """A line of the record.

    Attributes
    ----------
    id : its place in the record, from 1
    time : when, in UTC, as ISO 8601
    attempt : what was to be decided
    model : the SHA-256 of the model whose doubts were looked at
    is_accepted : whether it counts; a decision on a row that had changed meanwhile is kept but does not
    """

    id: int
    time: str
    attempt: Attempt
    model: str
    is_accepted: bool


def read_decision(word: str, label: str) -> str | None:
    """The decision that a word of a spreadsheet means for a row of this label; None where it means none.

    Examples
    --------
    >>> from blindauc.review.decisions import read_decision
    >>> read_decision(" Wrong", "positive"), read_decision("no", "unlabelled"), read_decision("perhaps", "positive")
    ('wrong', 'negative', None)
    """
    word = " ".join(word.casefold().split())
    meant = _SHORT.get(word, word)
    meant = (_AS_LABELLED if label == LABELLED else _AS_UNLABELLED).get(meant, meant)
    return meant if meant in CHOICES[label] else None
