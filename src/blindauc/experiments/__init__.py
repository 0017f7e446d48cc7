"""The paper, re-run: every figure and table, with the paper's numbers and the baselines beside ours."""

from __future__ import annotations

from collections.abc import Callable

from blindauc.experiments.eeg import eeg
from blindauc.experiments.experiment import Experiment
from blindauc.experiments.figure1 import figure1
from blindauc.experiments.ssi import ssi
from blindauc.experiments.table1 import table1
from blindauc.experiments.table2 import table2
from blindauc.experiments.table3 import table3

__all__ = ["EXPERIMENTS", "Experiment", "eeg", "figure1", "ssi", "table1", "table2", "table3"]

EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    "figure1": figure1,
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "ssi": ssi,
    "eeg": eeg,
}
