"""Table 2: AUC by the number of wrong labels among 100, with 200 columns."""

from __future__ import annotations

from blindauc.datasets import make_paper_data
from blindauc.experiments import paper
from blindauc.experiments.experiment import Experiment
from blindauc.experiments.table1 import READINGS
from blindauc.experiments.task import Task


def experiment(reading: int = 1) -> Experiment:
    """The experiment of Table 2, with either reading of what an outlier is."""

    def draw(row: str, seed: int) -> Task:
        return Task.of(make_paper_data(200, int(row), outlier_features=READINGS[reading], random_state=seed))

    return Experiment(
        name="table2" if reading == 1 else "table2-second-reading",
        title="Table 2: AUC by number of wrong labels among 100; 200 columns, 40 of them relevant",
        row_name="wrong labels",
        rows=[str(n) for n in range(1, 9)],
        draw=draw,
        paper=paper.TABLE2,
    )
