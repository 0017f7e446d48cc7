"""What an experiment is: rows, a way to draw a task for each, systems, and the paper's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blindauc.experiments.systems import SYSTEMS
from blindauc.experiments.task import Task

WITHOUT_TRUTH = tuple(name for name in SYSTEMS if name != "Oracle" and not name.endswith("(test prior)"))
"""For real data: nobody knows which columns matter, and the prior is that of the unlabelled rows."""

Draw = Callable[[str, int], Task]
"""(row, seed) -> a task."""


@dataclass(frozen=True)
class Experiment:
    """One figure or table of the paper.

    Attributes
    ----------
    name : what the command line calls it
    title : one line that says what is compared
    row_name : what the rows differ by
    rows : their labels; numbers where a figure has them on an axis
    draw : the task of a row and a seed
    systems : the names of the systems, in the order of the table
    repeats : of every row, each with its own seed
    once : rows that are run once only, since they take long and vary little
    paper : the paper's AUC (in percent) by row and system
    measure : what else is kept of a fitted system and its task
    measured : what of that is shown, and under which heading
    keeps_roc : whether ROC curves are kept and drawn
    family : the family of a column by its name, where the selected ones are counted by family
    """

    name: str
    title: str
    row_name: str
    rows: Sequence[str]
    draw: Draw
    systems: Sequence[str] = tuple(SYSTEMS)
    repeats: int = 10
    once: Sequence[str] = ()
    paper: Mapping[tuple[str, str], float] = field(default_factory=dict)
    measure: Callable[[Any, Task], dict[str, Any]] = lambda model, task: {}
    measured: Mapping[str, str] = field(default_factory=dict)
    keeps_roc: bool = False
    family: Callable[[str], str] | None = None
