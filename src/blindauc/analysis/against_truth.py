"""Compare the findings of a model with the truth, where the true labels are known (simulated data)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.pipeline import steps_of
from blindauc.analysis.scoring import numbers_of_table
from blindauc.choice.baselines import BASELINES
from blindauc.data import Data


@dataclass(frozen=True)
class Found:
    """True findings of one method.

    Attributes
    ----------
    name : the name of the method
    n_wrong : wrong labels among those that it flags
    n_true : positives among its top k unlabelled rows
    """

    name: str
    n_wrong: int
    n_true: int


@dataclass(frozen=True)
class TruthComparison:
    """The findings of a model and of the best simple method, counted against the truth.

    Attributes
    ----------
    n_wrong : labels that are wrong
    n_checked : labels that the model flags for a re-check
    k : the number of unlabelled rows at the top of the ranking that are counted
    ours : what the model finds
    simple : what the best simple method finds; it is chosen with the true labels, which favours it
    """

    n_wrong: int
    n_checked: int
    k: int
    ours: Found
    simple: Found


def compare_with_truth(
    model: Any, frame: pd.DataFrame, is_labelled: Bools, is_true: Bools, k: int = 50
) -> TruthComparison:
    """Count how many true positives and wrong labels a model finds in its training table.

    The simple methods are those of `blindauc.choice.baselines`, fitted to the same labels. Each flags its
    lowest-ranking labels, as many as the model flags.

    Parameters
    ----------
    model : Pipeline
        From `analyse` or `blindauc.load`.
    frame : pandas.DataFrame
        The table that it was fitted to.
    is_labelled, is_true : mask of shape (n,)
        The rows that are labelled positive, and those that truly are.
    k : int, default=50
        How many unlabelled rows at the top of the ranking to count.

    Returns
    -------
    TruthComparison

    Examples
    --------
    >>> from blindauc.analysis import analyse
    >>> from blindauc.analysis.against_truth import compare_with_truth
    >>> from blindauc.datasets import make_patients
    >>> patients = make_patients(300, random_state=0)
    >>> table = patients.table[["patient", "temperature", "c_reactive_protein", "white_cells", "infection"]]
    >>> model = analyse(table, "infection", id="patient", shape="linear").model
    >>> is_labelled = (table["infection"] == "yes").to_numpy()
    >>> found = compare_with_truth(model, table, is_labelled, patients.infected, k=20)
    >>> found.n_wrong == int(patients.miscoded.sum()), found.ours.n_true > 10
    (True, True)
    """
    steps = steps_of(model)
    X = numbers_of_table(steps, frame, np.arange(len(frame)))
    checked = steps.ranking.doubtful_labels()
    unlabelled = np.flatnonzero(~is_labelled)

    def found(name: str, score: Floats, checked: Ints) -> Found:
        top = unlabelled[np.argsort(-score[unlabelled], kind="stable")[:k]]
        return Found(name, int((~is_true)[checked].sum()), int(is_true[top].sum()))

    simple = [
        found(name, score, _lowest(score, np.flatnonzero(is_labelled), len(checked)))
        for name, score in _simple_scores(X, is_labelled)
    ]
    return TruthComparison(
        n_wrong=int((is_labelled & ~is_true).sum()),
        n_checked=len(checked),
        k=min(k, len(unlabelled)),
        ours=found("blindauc", steps.ranking.decision_function(X), checked),
        simple=max(simple, key=lambda each: (each.n_true, each.n_wrong)),
    )


def _simple_scores(X: Floats, is_labelled: Bools) -> Iterator[tuple[str, Floats]]:
    """The scores of every variant of every simple method, with its name."""
    rows = np.arange(len(X))
    data = Data(X, is_labelled, np.ones(len(X)), rows, rows[is_labelled])
    for name, baseline in BASELINES.items():
        for coef in baseline(data):
            yield name, X @ coef


def _lowest(score: Floats, rows: Ints, n: int) -> Ints:
    return rows[np.argsort(score[rows], kind="stable")[:n]]
