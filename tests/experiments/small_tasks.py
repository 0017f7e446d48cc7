"""A small task, and experiments of it."""

from blindauc.datasets import make_paper_data
from blindauc.experiments.experiment import Experiment
from blindauc.experiments.task import Task


def small_task(row="20", seed=0):
    data = make_paper_data(
        12,
        2,
        n_relevant=8,
        n_pos=int(row),
        n_hidden_pos=5,
        n_negatives=45,
        n_test_pos=100,
        n_test_negatives=200,
        random_state=seed,
    )
    return Task.of(data)


SMALL = Experiment(
    name="small",
    title="A small one",
    row_name="positives",
    rows=["20", "25"],
    draw=small_task,
    systems=["Difference of means", "One-class SVM"],
    repeats=2,
    paper={("20", "One-class SVM"): 60.0},
)
