"""What an analysis found beside the truth, where data are made up and the truth is known."""

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
    """What a ranking finds.

    Attributes
    ----------
    name : of the method
    n_wrong : wrong labels among those that it would check
    n_true : positives among the first unlabelled rows
    """

    name: str
    n_wrong: int
    n_true: int


@dataclass(frozen=True)
class TruthComparison:
    """The truth, and what was found of it.

    Attributes
    ----------
    n_wrong : labels that are wrong
    n_checked : labels to re-check
    k : unlabelled rows at the top that are looked at
    ours : what the model finds
    simple : what the best simple method finds, chosen by the truth and so at its very best
    """

    n_wrong: int
    n_checked: int
    k: int
    ours: Found
    simple: Found


def compare_with_truth(
    model: Any, frame: pd.DataFrame, is_labelled: Bools, is_true: Bools, k: int = 50
) -> TruthComparison:
    """Compare what a model says about the table that it was fitted to with the truth.

    Simple methods are those of `blindauc.choice.baselines`, fitted to the same labels; their doubtful labels are those
    that they rank lowest, as many as the model has to re-check.

    Parameters
    ----------
    model : Pipeline
        From `analyse`, or loaded.
    frame : pandas.DataFrame
        The table that it was fitted to.
    is_labelled, is_true : mask of shape (n,)
        The rows that are labelled positive, and those that are.
    k : int, default=50
        How many of the unlabelled rows to look at, from the top.

    Returns
    -------
    TruthComparison

    Examples
    --------
    >>> from blindauc.analysis import analyse
    >>> from blindauc.analysis.against_truth import compare_with_truth
    >>> from blindauc.datasets import make_patients
    >>> patients = make_patients(300, random_state=0)
    >>> model = analyse(patients.table, "infection", id="patient", shape="linear").model
    >>> is_labelled = (patients.table["infection"] == "yes").to_numpy()
    >>> envelope = compare_with_truth(model, patients.table, is_labelled, patients.infected, k=20)
    >>> envelope.n_wrong == int(patients.miscoded.sum()), envelope.ours.n_true > 10
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
    """Every variant of every simple method."""
    rows = np.arange(len(X))
    data = Data(X, is_labelled, np.ones(len(X)), rows, rows[is_labelled])
    for name, baseline in BASELINES.items():
        for coef in baseline(data):
            yield name, X @ coef


def _lowest(score: Floats, rows: Ints, n: int) -> Ints:
    return rows[np.argsort(score[rows], kind="stable")[:n]]
