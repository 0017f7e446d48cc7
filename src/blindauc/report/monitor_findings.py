"""Drift of new rows from those of a fit, as plain numbers, for the terminal, JSON and the page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from blindauc.estimate import MIN_POSITIVES
from blindauc.report.findings import Interval


@dataclass(frozen=True)
class ColumnDrift:
    """The drift of a column.

    Attributes
    ----------
    column : its name
    psi : population stability index of the values that are not missing; by convention 0.1 is moderate, 0.25 large
    p_value : the p-value of the change in distribution
    before, after : the median or the most frequent values, as text
    missing_before, missing_after : the share of missing values
    unseen : categories that did not occur in the fit, with their number of rows, the most frequent first
    is_shifted, has_gaps, has_unseen : whether the change of values, of missing values and the new categories are
        significant and large enough to matter
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
    """The drift of the scores: the share of rows in each decile of the scores of the fit, in increasing order."""

    psi: float
    p_value: float
    before: list[float]
    after: list[float]
    is_shifted: bool


@dataclass(frozen=True)
class NewLabels:
    """The performance on the labelled rows of the new table.

    Attributes
    ----------
    n_labelled, n_unlabelled : the number of rows of the new table
    before, after : the blind AUC of the fit, out of fold, and of the new table
    p_value : the p-value of the fall
    has_fallen : whether the fall is significant
    auc : the AUC on true labels; None with fewer than 15 labelled rows
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
    """The drift of new rows from those that a model was fitted to.

    Attributes
    ----------
    data : the name of the new table
    n_rows, n_rows_before : the number of rows of the new table, and of the fit
    scores : the drift of the scores
    columns : the drift of each column, those that drifted first
    fitted_auc : the AUC of the fit; None if it is not known
    labels : the performance on labelled rows; None without labels
    is_sample : whether the rows of the fit are a sample, because their table was read in parts
    """

    data: str
    n_rows: int
    n_rows_before: int
    scores: ScoreDrift
    columns: list[ColumnDrift]
    fitted_auc: Interval | None
    labels: NewLabels | None
    is_sample: bool = False

    @property
    def rows_before(self) -> str:
        """The training rows that the new ones were compared with, in words."""
        n = f"{self.n_rows_before:,}"
        return f"a sample of {n} of the training rows" if self.is_sample else f"the {n} training rows"

    @property
    def drifted(self) -> list[ColumnDrift]:
        return [column for column in self.columns if column.has_drifted]

    @property
    def has_drifted(self) -> bool:
        """Whether any change is statistically significant and large enough to matter."""
        return bool(self.drifted) or self.scores.is_shifted or (self.labels is not None and self.labels.has_fallen)

    @property
    def expectation(self) -> str:
        """The AUC to expect on the new rows, in sentences."""
        if self.labels is not None and self.labels.auc is not None:
            auc = self.labels.auc
            fall = "That is less than in the fit." if self.labels.has_fallen else "No fall could be shown."
            return f"The AUC on these rows is {auc.value:.3f} (95 % interval {auc.low:.3f} to {auc.high:.3f}). {fall}"
        if self.fitted_auc is None:
            return "The fit had too few labels to estimate its AUC."
        was = self.fitted_auc
        of_fit = f"{was.value:.3f} (95 % interval {was.low:.3f} to {was.high:.3f})"
        need = f"it takes at least {MIN_POSITIVES} labelled rows to measure it"
        if self.has_drifted:
            return f"The AUC was {of_fit} in the fit. The current AUC cannot be estimated from these rows: {need}."
        return f"Nothing in these rows contradicts the AUC of the fit, {of_fit}; {need}."

    def to_json(self) -> str:
        content = asdict(self) | {"has_drifted": self.has_drifted, "expectation": self.expectation}
        return json.dumps(content, indent=1, allow_nan=False)
