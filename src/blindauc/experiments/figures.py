"""Figures of an experiment: functions that return their data, and functions that draw it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.experiments.experiment import Experiment
from blindauc.experiments.running import ROC_POINTS, Row
from blindauc.experiments.systems import NINE, SYSTEMS
from blindauc.experiments.tables import OURS, Table

COLOURS = {OURS: "#c1121f", "BAUC-O": "#e07a5f", "BAUC": "#f2a541", "SVM (ideal)": "#1b1b1b", "Oracle": "#8d99ae"}
"""Colours of some systems, ours the most visible; the others take those of the colour map."""

SIZE = (9.0, 5.0)
"""Inches of a figure (convention)."""

LETTERS_AN_INCH = 9
"""Characters of a title per inch, for line breaks (by eye)."""


@dataclass(frozen=True)
class Line:
    """A line with error bars."""

    label: str
    x: Floats
    y: Floats
    error: Floats


def auc_lines(table: Table) -> list[Line]:
    """The AUC of every system along the rows, which have to be numbers."""
    lines = []
    for system in table.systems:
        rows = [row for row in table.rows if (row, system) in table.entries]
        entries = [table.entries[row, system] for row in rows]
        x = np.array([float(row) for row in rows])
        means, deviations = np.array([e.mean for e in entries]), np.array([e.deviation for e in entries])
        lines.append(Line(system, x, means, deviations))
    return lines


def error_line(runs: Sequence[Row], rows: Sequence[str], name: str) -> Line:
    """The error of an estimate of the AUC, which the runs hold under `name`, in percentage points."""
    gaps = [[100 * (run[name] - run["auc"]) for run in runs if run["row"] == row] for row in rows]
    x = np.array([float(row) for row in rows])
    return Line(name.replace("_", " "), x, np.array([np.mean(g) for g in gaps]), np.array([np.std(g) for g in gaps]))


def roc_lines(runs: Sequence[Row], row: str, systems: Sequence[str]) -> list[Line]:
    """The mean ROC curve of every system in a row."""
    lines = []
    for system in systems:
        curves = [run["roc"] for run in runs if run["row"] == row and run["system"] == system]
        if curves:
            lines.append(Line(system, ROC_POINTS, np.mean(curves, axis=0), np.std(curves, axis=0)))
    return lines


def families_selected(experiment: Experiment, runs: Sequence[Row], row: str) -> dict[str, float]:
    """The mean number of columns of each family that our system selects in a row."""
    chosen = [run["selected"] for run in runs if run["row"] == row and run["system"] == OURS]
    assert experiment.family is not None
    counts = Counter(experiment.family(column) for columns in chosen for column in columns)
    return {family: count / len(chosen) for family, count in counts.most_common()}


def draw(table: Table, runs: Sequence[Row]) -> Any:
    """The matplotlib figure of an experiment."""
    from matplotlib.figure import Figure

    experiment = table.experiment
    if experiment.name == "figure1":
        return _draw_figure1(Figure, table, runs)
    if experiment.keeps_roc:
        return _draw_application(Figure, table, runs)
    if all(row.isdecimal() for row in table.rows):
        figure = Figure(figsize=SIZE, layout="constrained")
        _draw_lines(figure.add_subplot(), auc_lines(table), experiment.row_name, "AUC, %")
        _set_title(figure, experiment.title)
        return figure
    return _draw_bars(Figure, table)


def _set_title(figure: Any, title: str) -> None:
    figure.suptitle(fill(title, round(LETTERS_AN_INCH * figure.get_figwidth())))


def _style(label: str) -> dict[str, Any]:
    """Our system has a thick line, and baselines are dashed, since there are more systems than colours."""
    is_theirs = label in SYSTEMS and label not in (*NINE, "Oracle")
    width = 2.5 if label == OURS else 1.0
    return {"label": label, "color": COLOURS.get(label), "linewidth": width, "linestyle": "--" if is_theirs else "-"}


def _draw_lines(axes: Any, lines: Sequence[Line], x_label: str, y_label: str) -> None:
    for line in lines:
        axes.errorbar(line.x, line.y, yerr=line.error, marker=".", capsize=2, **_style(line.label))
    axes.set(xlabel=x_label, ylabel=y_label)
    axes.grid(alpha=0.3)
    if len(lines) > 1:
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _draw_figure1(Figure: Any, table: Table, runs: Sequence[Row]) -> Any:
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_lines(left, auc_lines(table), table.experiment.row_name, "AUC, %")
    errors = [error_line(runs, table.rows, name) for name in ("auc_by_training_rows", "auc_estimated")]
    _draw_lines(right, errors, table.experiment.row_name, "estimated minus true AUC, points")
    right.axhline(0, color="black", linewidth=0.8)
    _set_title(figure, table.experiment.title)
    return figure


def _draw_application(Figure: Any, table: Table, runs: Sequence[Row]) -> Any:
    """ROC curves above and selected columns by family below, one panel per row of the table."""
    figure = Figure(figsize=(6 * len(table.rows), 9), layout="constrained")
    panels = figure.subplots(2, len(table.rows), squeeze=False)
    for (above, below), row in zip(panels.T, table.rows, strict=True):
        for line in roc_lines(runs, row, table.systems):
            above.plot(line.x, line.y, **_style(line.label))
        above.set(title=row, xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
        above.legend(fontsize=7)
        if any(run["system"] == OURS and run["row"] == row for run in runs):
            counts = families_selected(table.experiment, runs, row)
            below.barh(list(counts)[::-1], list(counts.values())[::-1], color=COLOURS[OURS])
        below.set(title=f"columns selected by {OURS}, by family", xlabel="columns, mean over repeats")
        below.tick_params(labelsize=7)
    _set_title(figure, table.experiment.title)
    return figure


def _draw_bars(Figure: Any, table: Table) -> Any:
    """Mean and standard deviation of every system, one panel per row."""
    columns = min(5, len(table.rows))
    lines = -(-len(table.rows) // columns)
    figure = Figure(figsize=(3.2 * columns, 0.25 * len(table.systems) * lines + 1.2 * lines), layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
    for axes, row in zip(panels, table.rows, strict=False):
        for place, system in enumerate(reversed(table.systems)):
            if entry := table.entries.get((row, system)):
                colour = COLOURS.get(system, "#577590")
                axes.errorbar(entry.mean, place, xerr=entry.deviation, marker="o", color=colour, capsize=2)
        axes.set_title(row, fontsize=9)
        axes.set_yticks(range(len(table.systems)), table.systems[::-1], fontsize=7)
        axes.grid(alpha=0.3)
    for axes in panels[len(table.rows) :]:
        axes.set_visible(False)
    _set_title(figure, table.experiment.title)
    return figure
