"""The definition of an experiment: its rows, how to draw a task for each, its systems and the paper's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blindauc.experiments.systems import SYSTEMS
from blindauc.experiments.task import Task

WITHOUT_TRUTH = tuple(name for name in SYSTEMS if name != "Oracle" and not name.endswith("(test prior)"))
"""Systems for real data, where the relevant columns are unknown and the prior is that of the unlabelled rows."""

Draw = Callable[[str, int], Task]
"""A function from (row, seed) to a task."""


@dataclass(frozen=True)
class Experiment:
    """One figure or table of the paper.

    Attributes
    ----------
    name : its name on the command line
    title : one line about what is compared
    row_name : the quantity in which the rows differ
    rows : the labels of the rows; numbers if a figure has them on an axis
    draw : draws the task of a row and a seed
    systems : the names of the systems, in the order of the table
    repeats : the number of draws per row, each with its own seed
    once : rows that are run only once, because they take long and vary little
    paper : the paper's AUC (in percent) by row and system
    measure : computes further results of a fitted system and its task
    measured : the headings of those further results that the table shows
    keeps_roc : whether ROC curves are kept and drawn
    family : maps a column name to its family, if selected columns are counted by family
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
