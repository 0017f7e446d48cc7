"""Tables of runs: mean and standard deviation by row and system, as data, CSV, Markdown and text."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from blindauc.experiments.experiment import Experiment
from blindauc.experiments.running import Row
from blindauc.experiments.systems import SYSTEMS

OURS = "BAUC-OF"

GAP = "below the oracle"
"""Heading of the mean difference of a system to the oracle over the rows."""


@dataclass(frozen=True)
class Entry:
    """The AUC of a system in a row, in percent; `paper` is NaN if the paper reports none."""

    mean: float
    deviation: float
    n: int
    paper: float


@dataclass(frozen=True)
class Table:
    """Entries by row and system; systems that were not run have none."""

    experiment: Experiment
    rows: list[str]
    systems: list[str]
    entries: dict[tuple[str, str], Entry]

    def best(self, row: str) -> str | None:
        """The PU system with the highest mean of a row."""
        of_row = {s: self.entries[row, s].mean for s in self.systems if (row, s) in self.entries and SYSTEMS[s].is_pu}
        return max(of_row, key=lambda system: of_row[system], default=None)

    @property
    def ours(self) -> str:
        """The system whose selected columns and flagged labels are shown."""
        return OURS if OURS in self.systems else self.systems[-1]

    def mean_gap_to_oracle(self) -> dict[str, float]:
        """The mean difference of each system to the oracle, over the rows that have both."""
        gaps: dict[str, float] = {}
        for system in self.systems:
            rows = [row for row in self.rows if (row, system) in self.entries and (row, "Oracle") in self.entries]
            if rows and system != "Oracle":
                below = [self.entries[row, "Oracle"].mean - self.entries[row, system].mean for row in rows]
                gaps[system] = float(np.mean(below))
        return gaps


def summarised(experiment: Experiment, runs: Sequence[Row]) -> Table:
    """The table of all runs, in the experiment's own order of rows and systems."""
    by_place: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for run in runs:
        by_place.setdefault((run["row"], run["system"]), []).append((run["seed"], 100 * run["auc"]))
    entries = {
        place: _entry([auc for _, auc in sorted(aucs)], experiment.paper.get(_in_paper(place), nan))
        for place, aucs in by_place.items()
    }
    rows = [row for row in experiment.rows if any(row == place[0] for place in entries)]
    systems = [system for system in experiment.systems if any(system == place[1] for place in entries)]
    return Table(experiment, rows, systems, entries)


def _in_paper(place: tuple[str, str]) -> tuple[str, str]:
    """The row and system in the paper's tables, which have one number for both priors."""
    row, system = place
    return row, system.removesuffix(" (test prior)")


def _entry(aucs: list[float], paper: float) -> Entry:
    # `aucs` are sorted by seed, so that the last digit does not depend on the order in which runs end.
    deviation = float(np.std(aucs, ddof=1)) if len(aucs) > 1 else 0.0
    return Entry(float(np.mean(aucs)), deviation, len(aucs), paper)


def findings(table: Table, runs: Sequence[Row]) -> list[dict[str, str]]:
    """The mean numbers of selected columns and flagged labels of our system in each row, by heading."""
    lines = []
    for row in table.rows:
        of_row = [run for run in runs if run["row"] == row and run["system"] == table.ours and "selected" in run]
        if of_row:
            lines.append({table.experiment.row_name: row} | _found(of_row, table.experiment.measured))
    return lines


def _found(runs: Sequence[Row], measured: Mapping[str, str]) -> dict[str, str]:
    def mean(name: str) -> float:
        return float(np.mean([run[name] for run in runs]))

    found = {
        "columns selected": f"{np.mean([len(run['selected']) for run in runs]):.1f}",
        "left out (wrong)": f"{mean('left_out'):.1f} ({mean('left_out_rightly'):.1f})",
        "doubted (wrong)": f"{mean('doubted'):.1f} ({mean('doubted_rightly'):.1f})",
        "wrong in all": f"{mean('wrong_labels'):.1f}",
    }
    return found | {heading: f"{mean(name):.3f}" if name in runs[0] else "" for name, heading in measured.items()}


def as_csv(table: Table) -> str:
    """The table as CSV, one line per row and system, with all digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([table.experiment.row_name, "system", "auc_mean", "auc_std", "repeats", "paper"])
    for row in table.rows:
        for system in table.systems:
            if entry := table.entries.get((row, system)):
                paper = "" if np.isnan(entry.paper) else entry.paper
                writer.writerow([row, system, repr(entry.mean), repr(entry.deviation), entry.n, paper])
    return text.getvalue()


def as_markdown(table: Table, runs: Sequence[Row]) -> str:
    """The table as Markdown, one line per system; the best PU system is bold, the paper's mean in brackets."""
    cells = [[system, *marked_cells(table, system, "**", "**")] for system in table.systems]
    text = _markdown([table.experiment.row_name, *headings(table)], cells)
    found = findings(table, runs)
    return text + ("\n" + _markdown(list(found[0]), [list(line.values()) for line in found]) if found else "")


def _markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(head)
    return "".join("| " + " | ".join(line) + " |\n" for line in [head, rule, *lines])


def headings(table: Table) -> list[str]:
    """The headings of the columns after the names of the systems."""
    return [*table.rows, GAP] if table.mean_gap_to_oracle() else table.rows


def marked_cells(table: Table, system: str, before_best: str, after_best: str) -> list[str]:
    """The cells of a system: mean, standard deviation and the paper's mean of each row, and the gap to the oracle."""
    gaps = table.mean_gap_to_oracle()
    gap = [f"{gaps[system]:.2f}" if system in gaps else ""] if gaps else []
    return _cells(table, system, before_best, after_best) + gap


def _cells(table: Table, system: str, before_best: str, after_best: str) -> list[str]:
    texts = []
    for row in table.rows:
        entry = table.entries.get((row, system))
        if entry is None:
            texts.append("")
            continue
        mean = f"{entry.mean:.2f}"
        if system == table.best(row):
            mean = f"{before_best}{mean}{after_best}"
        spread = f" ± {entry.deviation:.2f}" if entry.n > 1 else ""
        texts.append(mean + spread + ("" if np.isnan(entry.paper) else f" ({entry.paper:.2f})"))
    return texts
