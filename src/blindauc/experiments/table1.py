"""Table 1: AUC by the number of irrelevant columns, with 7 wrong labels among 100."""

from __future__ import annotations

from blindauc.datasets import make_paper_data
from blindauc.experiments import paper
from blindauc.experiments.experiment import Experiment
from blindauc.experiments.task import Task

READINGS = {1: "relevant", 2: "all"}
"""Which features of an outlier are N(-10, 1): the paper can be read either way; the first reproduces its numbers."""


def experiment(reading: int = 1) -> Experiment:
    """The experiment of Table 1, with either reading of what an outlier is."""

    def draw(row: str, seed: int) -> Task:
        return Task.of(make_paper_data(int(row), 7, outlier_features=READINGS[reading], random_state=seed))

    return Experiment(
        name="table1" if reading == 1 else "table1-second-reading",
        title="Table 1: AUC by number of columns, 40 of them relevant; 7 of 100 labels wrong",
        row_name="columns",
        rows=[str(p) for p in range(40, 401, 40)],
        draw=draw,
        paper=paper.TABLE1,
    )
