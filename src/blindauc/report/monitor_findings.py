"""Whether new rows are like those of a fit, as plain numbers: made once, told in a terminal, as JSON or on a page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from blindauc.estimate import MIN_POSITIVES
from blindauc.report.findings import Interval


@dataclass(frozen=True)
class ColumnDrift:
    """How a column changed.

    Attributes
    ----------
    column : its name
    psi : population stability index of the values that are there; by convention 0.1 is moderate, 0.25 large
    p_value : how likely chance changes them as much
    before, after : what is typical, in words
    missing_before, missing_after : shares of rows without a value
    unseen : the categories that never came in the fit, with their number of rows, the most frequent first
    is_shifted, has_gaps, has_unseen : whether values, missing values or new categories are more than chance
    """

    column: str
    psi: float
    p_value: float
    before: str
    after: str
    missing_before: float
    missing_after: float
    unseen: dict[str, int]
    is_shifted: bool
    has_gaps: bool
    has_unseen: bool

    @property
    def has_drifted(self) -> bool:
        return self.is_shifted or self.has_gaps or self.has_unseen


@dataclass(frozen=True)
class ScoreDrift:
    """How the scores changed: shares of rows in tenths of those of the fit, from the lowest up."""

    psi: float
    p_value: float
    before: list[float]
    after: list[float]
    is_shifted: bool


@dataclass(frozen=True)
class NewLabels:
    """How well labelled rows rank among the others of the new table.

    Attributes
    ----------
    n_labelled, n_unlabelled : of the new table
    before, after : the blind AUC of the fit, out of fold, and of the new table
    p_value : how likely chance makes it fall as far
    has_fallen : whether that is more than chance
    auc : on true labels, None with fewer than 15 labelled rows
    """

    n_labelled: int
    n_unlabelled: int
    before: Interval
    after: Interval
    p_value: float
    has_fallen: bool
    auc: Interval | None


@dataclass(frozen=True)
class Monitoring:
    """Whether new rows are like those that a model was fitted to.

    Attributes
    ----------
    data : the name of the new table
    n_rows, n_rows_before : of the new table, and of that of the fit
    scores : their drift
    columns : all that were looked at, those that drifted first
    fitted_auc : the AUC of the fit, None where it is not known
    labels : how well labelled rows rank, None without labels
    """

    data: str
    n_rows: int
    n_rows_before: int
    scores: ScoreDrift
    columns: list[ColumnDrift]
    fitted_auc: Interval | None
    labels: NewLabels | None

    @property
    def drifted(self) -> list[ColumnDrift]:
        return [column for column in self.columns if column.has_drifted]

    @property
    def has_drifted(self) -> bool:
        """Whether anything changed by more than chance, and by enough to matter."""
        return bool(self.drifted) or self.scores.is_shifted or (self.labels is not None and self.labels.has_fallen)

    @property
    def expectation(self) -> str:
        """The AUC that can still be expected, in sentences."""
        if self.labels is not None and self.labels.auc is not None:
            auc = self.labels.auc
            fall = "That is less than in the fit." if self.labels.has_fallen else "No fall could be shown."
            return f"The AUC on these rows is {auc.value:.3f} (95 % interval {auc.low:.3f} to {auc.high:.3f}). {fall}"
        if self.fitted_auc is None:
            return "Too few labels were there in the fit to know its AUC."
        was = self.fitted_auc
        of_fit = f"{was.value:.3f} (95 % interval {was.low:.3f} to {was.high:.3f})"
        need = f"it takes at least {MIN_POSITIVES} labelled rows to measure it"
        if self.has_drifted:
            return f"The AUC was {of_fit} in the fit. What is left of it cannot be estimated from these rows: {need}."
        return f"Nothing here speaks against the AUC of the fit, {of_fit}; {need}."

    def to_json(self) -> str:
        content = asdict(self) | {"has_drifted": self.has_drifted, "expectation": self.expectation}
        return json.dumps(content, indent=1, allow_nan=False)
