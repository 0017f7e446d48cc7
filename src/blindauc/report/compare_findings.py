"""The comparison of two runs as plain numbers, for the terminal, JSON and the page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from blindauc.report.comparing import with_interval
from blindauc.report.findings import Interval


@dataclass(frozen=True)
class AUCComparison:
    """The blind AUC of both runs on the same rows.

    Attributes
    ----------
    how : how the rows were ranked, in words
    n_labelled, n_unlabelled : the number of rows used
    before, after : the blind AUC of the first and of the second run
    difference : second minus first, with its paired interval
    """

    how: str
    n_labelled: int
    n_unlabelled: int
    before: Interval
    after: Interval
    difference: Interval


@dataclass(frozen=True)
class Overlap:
    """How many of the first k unlabelled rows both runs share, and how many two random rankings would share."""

    k: int
    n_common: int
    by_chance: float


@dataclass(frozen=True)
class Moved:
    """An unlabelled row whose rank changed. Rows count from 1, the first row below the header."""

    row: int
    name: str
    before: int
    after: int


@dataclass(frozen=True)
class LabelChange:
    """A label that only one run flags, with its suspicion in both; None where the row had no label."""

    row: int
    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class ColumnChange:
    """The weight of a column in both runs.

    Attributes
    ----------
    column : its name
    before, after : its weight, as in `Feature`, divided by the sum of all absolute weights; None if the run does not
        have the column
    was_selected, is_selected : whether the first, and the second run selects it
    """

    column: str
    before: float | None
    after: float | None
    was_selected: bool
    is_selected: bool

    @property
    def size(self) -> float:
        """The absolute change of the weight."""
        return abs((self.after or 0.0) - (self.before or 0.0))


@dataclass(frozen=True)
class RunComparison:
    """The changes from a first run to a second.

    Attributes
    ----------
    names : the names of the two runs
    n_rows : the number of rows that both rank
    judged : the blind AUC of both; None if too few rows are labelled
    rank_correlation : Spearman's correlation of the unlabelled rows; None with fewer than two
    overlaps : how much the tops of both rankings overlap, for several sizes
    moved : the unlabelled rows whose rank changed by the largest factor
    newly_doubtful, no_longer_doubtful : labels that only the second, or only the first run flags
    n_labels_added, n_labels_removed : rows that are labelled positive only in the second, or only in the first run
    columns : all columns of either run, those whose weight changed most first
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
        """Which run ranks better, as a sentence without its full stop."""
        first, second = self.names
        if self.judged is None:
            return (
                "Which run ranks better cannot be decided: it takes two labelled and two unlabelled rows in both, and "
                "their groups if there are any"
            )
        by = self.judged.difference
        if by.low > 0:
            return f"{second} ranks better than {first} by {with_interval(by.value, by.low, by.high, ' (')})"
        if by.high < 0:
            return f"{second} ranks worse than {first} by {with_interval(-by.value, -by.high, -by.low, ' (')})"
        return f"No difference could be shown (difference {with_interval(by.value, by.low, by.high, ', ')})"
