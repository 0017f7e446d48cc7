"""Re-runs of the paper's figures and tables, with its numbers and baselines beside ours."""

from __future__ import annotations

from collections.abc import Callable

from blindauc.experiments import eeg, figure1, ssi, table1, table2, table3
from blindauc.experiments.experiment import Experiment

__all__ = ["EXPERIMENTS", "Experiment"]

EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    "figure1": figure1.experiment,
    "table1": table1.experiment,
    "table2": table2.experiment,
    "table3": table3.experiment,
    "ssi": ssi.experiment,
    "eeg": eeg.experiment,
}
