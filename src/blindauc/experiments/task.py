"""A training set with its test set, on which a system is run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.datasets import Dataset


@dataclass(frozen=True)
class Task:
    """Positive and unlabelled training data with true labels, and test data.

    Attributes
    ----------
    X, y_pu, y_true : the training rows, their PU labels and their true labels
    X_test, y_test : the test rows and their true labels
    support : mask of the relevant columns, if known
    groups : the group of each column, if columns are selected in groups
    columns : the names of the columns, if they have any
    blocks : the block of each training row, if rows of a block are nearly equal; folds must not split a block
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
        """The task of a simulated data set."""
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
    """PU labels: 1 for `n_labelled` random positives and for the rows to mislabel, otherwise 0."""
    y_pu = np.zeros(len(y_true), dtype=np.intp)
    y_pu[rng.permutation(np.flatnonzero(y_true == 1))[:n_labelled]] = 1
    if mislabelled is not None:
        y_pu[mislabelled] = 1
    return y_pu
