"""Decisions of reviewers about rows, and the entries of the record."""

from __future__ import annotations

from dataclasses import dataclass

LABELLED, UNLABELLED = "positive", "unlabelled"
"""The label of a row in the table."""

RIGHT, WRONG, POSITIVE, NEGATIVE, CANNOT_TELL = "right", "wrong", "positive", "negative", "cannot tell"

CHOICES = {LABELLED: (RIGHT, WRONG, CANNOT_TELL), UNLABELLED: (POSITIVE, NEGATIVE, CANNOT_TELL)}
"""The possible decisions about a labelled row, and about an unlabelled one."""

SAYS_POSITIVE = {RIGHT: True, POSITIVE: True, WRONG: False, NEGATIVE: False, CANNOT_TELL: None}
"""Whether a row is positive by each decision; None if the decision leaves it open."""

DISAGREEMENT = "disagreement"
"""Takes the place of a decision if reviewers disagree on whether a row is positive."""

LONGEST_NAME, LONGEST_NOTE, LONGEST_REQUEST = 80, 2_000, 64
"""The most characters of a reviewer's name, of a note, and of the identifier of a request (convention)."""

# Not "yes" and "no": of a list of labels that are probably wrong, "no" may mean either.
_SHORT = {
    "r": RIGHT,
    "w": WRONG,
    "c": CANNOT_TELL,
    "?": CANNOT_TELL,
    "unclear": CANNOT_TELL,
    "cannot_tell": CANNOT_TELL,
    "can't tell": CANNOT_TELL,
}
_AS_LABELLED = {POSITIVE: RIGHT, NEGATIVE: WRONG}
_AS_UNLABELLED = {RIGHT: POSITIVE, WRONG: NEGATIVE}


@dataclass(frozen=True)
class Attempt:
    """A decision that a reviewer submits.

    Attributes
    ----------
    request : an identifier chosen by the sender, so that a repeated request is not a second decision
    reviewer : the name of the reviewer
    row, name : the number of the row, from 1, and its name
    label : "positive" or "unlabelled", as in the table
    decision : one of the choices for that label
    note : the reviewer's reason
    version : the number of decisions on the row that the reviewer had seen; None to accept the decision in any case
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
        """Raise if an attribute is not valid."""
        if not 1 <= len(self.request) <= LONGEST_REQUEST:
            raise ValueError(f"The identifier of a request must have 1 to {LONGEST_REQUEST} characters.")
        if not 1 <= len(self.reviewer.strip()) <= LONGEST_NAME:
            raise ValueError(f"The name of a reviewer must have 1 to {LONGEST_NAME} characters.")
        if len(self.note) > LONGEST_NOTE:
            raise ValueError(f"A note must have at most {LONGEST_NOTE:,} characters, not {len(self.note):,}.")
        if self.decision not in CHOICES[self.label]:
            raise ValueError(
                f"The decision about a row whose label is {self.label!r} must be one of "
                f"{', '.join(CHOICES[self.label])}, not {self.decision!r}."
            )


@dataclass(frozen=True)
class Entry:
    """An entry of the record.

    Attributes
    ----------
    id : the number of the entry, from 1
    time : the time of the decision in UTC, as ISO 8601
    attempt : the decision that was submitted
    model : the SHA-256 of the model whose suspicions the reviewer saw
    is_accepted : whether the decision counts. If another decision on the row was made meanwhile, it is recorded but
        does not count.
    """

    id: int
    time: str
    attempt: Attempt
    model: str
    is_accepted: bool


def read_decision(word: str, label: str) -> str | None:
    """The decision that a word in a spreadsheet means for a row with this label; None if it means none.

    Examples
    --------
    >>> from blindauc.review.decisions import read_decision
    >>> read_decision(" Wrong", "positive"), read_decision("w", "unlabelled"), read_decision("no", "positive")
    ('wrong', 'negative', None)
    """
    word = " ".join(word.casefold().split())
    meant = _SHORT.get(word, word)
    meant = (_AS_LABELLED if label == LABELLED else _AS_UNLABELLED).get(meant, meant)
    return meant if meant in CHOICES[label] else None
