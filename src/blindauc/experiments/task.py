"""One training set with its test set: what a system is run on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.datasets import Dataset


@dataclass(frozen=True)
class Task:
    """Positive and unlabelled data, what is hidden in them, and rows to test on.

    Attributes
    ----------
    X, y_pu, y_true : the training rows, their PU labels and their true ones
    X_test, y_test : the test rows and their true labels
    support : mask of the columns that matter, where that is known
    groups : the group of each column, where columns are chosen in groups
    columns : the names of the columns, where they have any
    blocks : the block of each training row, where rows of a block are nearly the same and tuning must not tear them
        apart
    """

    X: Floats
    y_pu: Ints
    y_true: Ints
    X_test: Floats
    y_test: Ints
    support: Bools | None = None
    groups: Ints | None = None
    columns: tuple[str, ...] = ()
    blocks: Ints | None = None

    @classmethod
    def of(cls, data: Dataset) -> Task:
        """The task that a simulated data set poses."""
        return cls(data.X, data.y_pu, data.y_true, data.X_test, data.y_test, data.support)

    @property
    def outliers(self) -> Ints:
        """The rows whose positive label is wrong."""
        return np.flatnonzero((self.y_pu == 1) & (self.y_true == 0))

    @property
    def prior_among_unlabelled(self) -> float:
        return float(self.y_true[self.y_pu == 0].mean())

    @property
    def prior_in_test(self) -> float:
        return float(self.y_test.mean())


def pu_labels(y_true: Ints, n_labelled: int, rng: np.random.Generator, mislabelled: Ints | None = None) -> Ints:
    """Labels for so many random positives, and for the rows whose label shall be wrong."""
    y_pu = np.zeros(len(y_true), dtype=np.intp)
    y_pu[rng.permutation(np.flatnonzero(y_true == 1))[:n_labelled]] = 1
    if mislabelled is not None:
        y_pu[mislabelled] = 1
    return y_pu
