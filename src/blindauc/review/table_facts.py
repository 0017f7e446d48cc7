"""The facts about the rows of a pandas table that reviewers see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.pipeline import Steps
from blindauc.analysis.scoring import numbers_of_table
from blindauc.preprocessing.values import days_of, numbers_of, texts_of
from blindauc.report.findings import EffectCurve, Findings
from blindauc.review.facts import Cell, Facts, Marked, Shares, Spread

MOST_CELLS = 40
"""The most columns that are shown of those that the score uses, and of the others (convention)."""

MOST_CURVES = 6
"""The most effect curves that are shown (convention): nobody would look at more for every row."""

LONGEST_CELL = 2_000
"""The most characters of a cell (convention): enough for a doctor's note, but not for a whole file."""

COMPARED_ROWS = 10_000
"""The most labelled, and unlabelled, rows that a row is compared with, drawn at random. Two standard errors of a share
are then at most 1 %."""

QUANTILES = np.linspace(0.01, 0.99, 41)
"""The quantiles that are drawn as lines (convention): enough to show the density, and few enough to tell apart."""


class TableFacts:
    """The facts of the rows of a table.

    Parameters
    ----------
    steps : Steps
        The steps of the model.
    frame : pandas.DataFrame
        The table that the model was fitted to.
    findings : Findings
        The findings of that fit.
    rows : sequence of int
        The rows that may be shown, from 1.
    """

    def __init__(self, steps: Steps, frame: pd.DataFrame, findings: Findings, rows: Sequence[int]) -> None:
        is_labelled = np.zeros(len(frame), dtype=bool)
        is_labelled[[doubt.row - 1 for doubt in findings.doubts]] = True
        sources = dict.fromkeys(feature.source for feature in findings.features)
        used = [name for name in sources if name in frame.columns][:MOST_CELLS]
        # The label is left out, since it is what is in question.
        others = [name for name in frame.columns if name not in used and name != findings.asked.label][:MOST_CELLS]
        self._columns = [_compared(steps, frame[name], is_labelled) for name in used]
        self._others = [_Plain(frame[name]) for name in others]
        self._curves = findings.effects[:MOST_CURVES]
        self._values = _values_on_curves(steps, frame, np.array(sorted(rows), dtype=np.intp) - 1, self._curves)

    def __call__(self, row: int) -> Facts:
        """The facts of a row, given by its number from 1."""
        place = row - 1
        values = self._values.get(place, [None] * len(self._curves))
        return Facts(
            [column.cell(place) for column in self._columns],
            [column.cell(place) for column in self._others],
            [Marked(effect, value) for effect, value in zip(self._curves, values, strict=True)],
        )


def _values_on_curves(
    steps: Steps, frame: pd.DataFrame, places: Ints, curves: Sequence[EffectCurve]
) -> dict[int, list[float | None]]:
    """For some rows, the value of the column of each curve; None if the cell is missing and was imputed for the fit."""
    if not len(places) or not curves:
        return {}
    rows = frame.iloc[places]
    encoded = np.asarray(numbers_of_table(steps, rows, places), dtype=np.float64)
    names = {str(name): number for number, name in enumerate(steps.preprocessor.get_feature_names_out())}
    values = []
    for effect in curves:
        column = encoded[:, names[effect.column]]
        if effect.unit != "yes":
            column = np.where(np.isnan(_numbers(steps, rows[effect.source])), np.nan, column)
        values.append([None if np.isnan(value) else float(value) for value in column])
    return {place: list(each) for place, each in zip(places.tolist(), zip(*values, strict=True), strict=True)}


def _numbers(steps: Steps, column: pd.Series) -> Floats:
    """A column of numbers or dates as numbers."""
    formats = steps.date_formats
    return days_of(column, formats[column.name]) if column.name in formats else numbers_of(column)


def _compared(steps: Steps, column: pd.Series, is_labelled: Bools) -> _Numbers | _Categories:
    kind = steps.kinds.get(column.name)
    if kind in ("numeric", "date"):
        return _Numbers(column, _numbers(steps, column), is_labelled)
    return _Categories(column, is_labelled)


class _Plain:
    """A column that is shown without a comparison."""

    def __init__(self, column: pd.Series) -> None:
        self._column = column

    def cell(self, place: int) -> Cell:
        return Cell(str(self._column.name), cell_text(self._column.iloc[place]))


class _Numbers:
    """A column of numbers or dates."""

    def __init__(self, column: pd.Series, numbers: Floats, is_labelled: Bools) -> None:
        self._column, self._numbers = column, numbers
        self._kinds = [_Sorted(_some(numbers[mask])) for mask in (is_labelled, ~is_labelled)]

    def cell(self, place: int) -> Cell:
        name, value = str(self._column.name), float(self._numbers[place])
        labelled, unlabelled = self._kinds
        if np.isnan(value):
            return Cell(name, "", Shares(labelled.missing, unlabelled.missing, is_missing=True))
        spread = Spread(
            value, labelled.quantiles, unlabelled.quantiles, labelled.share_below(value), unlabelled.share_below(value)
        )
        return Cell(name, cell_text(self._column.iloc[place]), spread)


class _Sorted:
    """The numbers of some rows, in order."""

    def __init__(self, numbers: Floats) -> None:
        self._present = np.sort(numbers[~np.isnan(numbers)])
        self.missing = 1 - len(self._present) / max(len(numbers), 1)
        self.quantiles = np.quantile(self._present, QUANTILES).tolist() if len(self._present) else []

    def share_below(self, value: float) -> float:
        ends = np.searchsorted(self._present, value, side="left"), np.searchsorted(self._present, value, side="right")
        return float(sum(ends) / 2 / max(len(self._present), 1))


class _Categories:
    """A column of categories, or of yes and no."""

    def __init__(self, column: pd.Series, is_labelled: Bools) -> None:
        texts = pd.Series(texts_of(column), dtype=object)
        self._name, self._texts = str(column.name), texts
        self._shares = [
            texts[mask].value_counts(normalize=True, dropna=False).to_dict() for mask in (is_labelled, ~is_labelled)
        ]
        self._missing = Shares(float(texts[is_labelled].isna().mean()), float(texts[~is_labelled].isna().mean()), True)

    def cell(self, place: int) -> Cell:
        text = self._texts.iloc[place]
        if pd.isna(text):
            return Cell(self._name, "", self._missing)
        labelled, unlabelled = (float(shares.get(text, 0.0)) for shares in self._shares)
        return Cell(self._name, cell_text(text), Shares(labelled, unlabelled))


def _some(numbers: Floats) -> Floats:
    if len(numbers) <= COMPARED_ROWS:
        return numbers
    return np.random.default_rng(0).choice(numbers, COMPARED_ROWS, replace=False)


def cell_text(cell: Any) -> str:
    """The text of a cell: whole numbers have no decimal point, and very long texts are cut.

    Examples
    --------
    >>> from blindauc.review.table_facts import cell_text
    >>> cell_text(41.0), cell_text(None), cell_text("x" * 5000)[-1]
    ('41', '', '…')
    """
    if not isinstance(cell, list | dict) and pd.isna(cell):
        return ""
    text = str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
