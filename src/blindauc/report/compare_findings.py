"""What changed between two runs, as plain numbers: made once, kept as JSON, told in a terminal or on a page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from blindauc.report.comparing import with_interval
from blindauc.report.findings import Interval


@dataclass(frozen=True)
class AUCComparison:
    """How well both rank the labelled rows among the unlabelled ones.

    Attributes
    ----------
    how : by what the rows were ranked, in words
    n_labelled, n_unlabelled : rows that both are judged by
    before, after : the blind AUC of each
    difference : by how much the second is better, with its paired interval
    """

    how: str
    n_labelled: int
    n_unlabelled: int
    before: Interval
    after: Interval
    difference: Interval


@dataclass(frozen=True)
class Overlap:
    """How many of the first k unlabelled rows are the same, and how many would be by chance."""

    k: int
    n_common: int
    by_chance: float


@dataclass(frozen=True)
class Moved:
    """An unlabelled row by its rank among them; rows count from 1, the first row below the header."""

    row: int
    name: str
    before: int
    after: int


@dataclass(frozen=True)
class LabelChange:
    """A labelled row that is doubtful in one run only, with its suspicion in both; None where it had no label."""

    row: int
    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class ColumnChange:
    """A column and its share of all weight, with its sign; None where the run does not have it.

    Attributes
    ----------
    column : its name
    before, after : its weight, as in `Feature`, divided by the sum of all absolute weights
    was_selected, is_selected : by either run
    """

    column: str
    before: float | None
    after: float | None
    was_selected: bool
    is_selected: bool

    @property
    def size(self) -> float:
        """By how much the share changes."""
        return abs((self.after or 0.0) - (self.before or 0.0))


@dataclass(frozen=True)
class RunComparison:
    """What changed from a first run to a second.

    Attributes
    ----------
    names : of the two
    n_rows : rows that both rank
    judged : how well, None where too few rows are labelled
    rank_correlation : Spearman's, of the unlabelled rows; None where fewer than two
    overlaps : of the top, for several sizes
    moved : the unlabelled rows whose rank changed by the largest factor
    newly_doubtful, no_longer_doubtful : labels to re-check by one run only
    n_labels_added, n_labels_removed : rows that only the second, or only the first, takes for labelled positive
    columns : all columns of either, those whose share of the weight changed most first
    """

    names: tuple[str, str]
    n_rows: int
    judged: AUCComparison | None
    rank_correlation: float | None
    overlaps: list[Overlap]
    moved: list[Moved]
    newly_doubtful: list[LabelChange]
    no_longer_doubtful: list[LabelChange]
    n_labels_added: int
    n_labels_removed: int
    columns: list[ColumnChange]

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @property
    def verdict(self) -> str:
        """What can be said of the difference, in a sentence without its full stop."""
        first, second = self.names
        if self.judged is None:
            return "Which of them ranks better cannot be decided: two rows labelled in both and two unlabelled are needed"
        by = self.judged.difference
        if by.low > 0:
            return f"{second} ranks better than {first} by {with_interval(by.value, by.low, by.high, ' (')})"
        if by.high < 0:
            return f"{second} ranks worse than {first} by {with_interval(-by.value, -by.high, -by.low, ' (')})"
        return f"No difference could be shown (difference {with_interval(by.value, by.low, by.high, ', ')})"
