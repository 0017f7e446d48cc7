"""Rows of all kinds of columns, of which positives differ in two, and scorers that bend."""

import numpy as np
from instances import as_data, linear_scorer

from blindauc.estimators.shapes import scorer_of
from blindauc.scorers import Spec
from blindauc.scorers.boosting import is_installed

N, N_POS = 120, 40
RNG = np.random.default_rng(0)
X = np.column_stack(
    [
        RNG.normal(size=(N, 3)),
        RNG.exponential(size=N),
        RNG.integers(0, 2, N),
        RNG.integers(0, 4, N),
        np.where(RNG.random(N) < 0.9, 0.0, RNG.exponential(size=N)),
        np.full(N, 7.0),
        1e6 + RNG.normal(size=N),
    ]
)
X[:N_POS, 0] = np.abs(X[:N_POS, 0]) + 1
X[:N_POS, 1] = RNG.choice([-1, 1], N_POS) * (1 + np.abs(X[:N_POS, 1]))
"""Nine columns of all kinds, of which positives differ in the first two."""

NEW = X[RNG.permutation(N)] + RNG.normal(size=X.shape)
DATA = as_data(X, np.arange(N) < N_POS, RNG.uniform(0.5, 2, N))

FAMILIES = ["linear", "curves", "kernel 0.3", "kernel 1.0", *(["trees"] if is_installed() else [])]


def bent_scorer(data=DATA, risk="blind AUC", sparsity="l0"):
    """All shapes, with kernels of two widths."""
    shapes = list(dict.fromkeys(family.split()[0] for family in FAMILIES))
    linear = linear_scorer(risk, sparsity)
    return scorer_of(linear, data, shapes, [0.3, 1.0], has_intercept=risk != "blind AUC", seed=0)


def spec_of(family, l2=1.0, n_outliers=0.0, count=None):
    shape, *gamma = family.split()
    of_shape = {"gamma": float(gamma[0])} if gamma else {}
    if shape == "trees":
        of_shape, count = {"n_leaves": 3, "n_rounds": 12}, None
    if shape == "kernel":
        count = None
    return Spec("standard", "logistic", l2, n_outliers, count, shape, **of_shape)
