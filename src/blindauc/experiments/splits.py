"""Draw training sets from real data, with given numbers of positives, negatives and labels."""

from __future__ import annotations

import numpy as np
from sklearn.impute import SimpleImputer

from blindauc._typing import Bools, Floats, Ints
from blindauc.experiments.task import Task, pu_labels


def drawn_rows(is_positive: Bools, n_pos: int, n_neg: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Random training rows with the given numbers of positives and negatives, and all other rows."""
    pos, neg = (rng.permutation(np.flatnonzero(kind)) for kind in (is_positive, ~is_positive))
    train = np.concatenate([pos[:n_pos], neg[:n_neg]])
    return train, rng.permutation(np.setdiff1d(np.arange(len(is_positive)), train))


def drawn_task(
    X: Floats,
    is_positive: Bools,
    *,
    n_pos: int,
    n_neg: int,
    n_labelled: int,
    rng: np.random.Generator,
    support: Bools | None = None,
    groups: Ints | None = None,
    columns: tuple[str, ...] = (),
) -> Task:
    """A task with random training rows; all other rows are test rows. Missing values are imputed."""
    train, test = drawn_rows(is_positive, n_pos, n_neg, rng)
    y_true, y_test = (is_positive[part].astype(np.intp) for part in (train, test))
    X_train, X_test = imputed(X[train], X[test])
    y_pu = pu_labels(y_true, n_labelled, rng)
    return Task(X_train, y_pu, y_true, X_test, y_test, support, groups, columns)


def imputed(X_train: Floats, X_test: Floats) -> tuple[Floats, Floats]:
    """Both sets with missing values imputed by the medians of the training rows."""
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(X_train)
    return imputer.transform(X_train), imputer.transform(X_test)
