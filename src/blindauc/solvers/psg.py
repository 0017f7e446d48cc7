"""The paper's projected stochastic gradient, with what it takes to work.

Ren et al., A robust AUC maximization framework with simultaneous outlier detection and feature selection for
positive-unlabeled classification. A step takes all positives and a batch of the unlabelled rows, and projects.
As printed, with one step size for weights and shifts and projections from the first step on, it ends where it
happened to begin. Hence:

- each weight moves in units of its own curvature, and is projected in them;
- the first epochs are free of projections, so that the supports are chosen on evidence;
- the shifts, a separable block, are minimised exactly after each epoch instead of crawling;
- an epoch ends at the mean of its iterates; one that raised the objective is undone and the step size halved.
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.solution import (
    Callback,
    Objective,
    Progress,
    Solution,
    Sparsity,
    ignore_progress,
)

FREE_EPOCHS = 10
STEPS_PER_EPOCH = 20
MIN_BATCH = 16
PATIENCE = 5


def psg(
    objective: Objective,
    features: Sparsity,
    outliers: Sparsity,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    random_state: np.random.RandomState,
    callback: Callback = ignore_progress,
) -> Solution:
    """Minimise the objective over the allowed supports and outliers by stochastic steps.

    Parameters
    ----------
    objective, features, outliers : known by their methods (`solution.py`)
    tol : an epoch that lowers the objective by less than this share of it counts as idle; five end the run
    max_iter : epochs
    random_state : draws the batches
    callback : called with a `Progress` after the free epochs and at the end
    """
    unit = objective.curvature_scale
    everything = np.ones(objective.n_columns, dtype=bool)
    nobody = np.zeros(objective.n_positives, dtype=bool)
    coef, shift = np.zeros(objective.n_columns), np.zeros(objective.n_positives)
    support, flagged = everything, nobody
    value, values, idle, step_size = objective.value(coef, shift), [], 0, 1.0
    for epoch in range(1, max_iter + 1):
        if epoch == FREE_EPOCHS + 1:
            support = features.support(np.sqrt(unit) * coef)
            coef = np.where(support, coef, 0.0)
            flagged, shift = _best_outliers(objective, outliers, coef)
            value, idle, step_size = objective.value(coef, shift), 0, 1.0
            callback(_progress("free epochs", epoch - 1, value, support, flagged))
        allowed = features if epoch > FREE_EPOCHS else None
        new = _epoch(objective, allowed, coef, shift, unit / step_size, random_state)
        new_flagged, new_shift = nobody, shift
        if epoch > FREE_EPOCHS:
            new_flagged, new_shift = _best_outliers(objective, outliers, new)
        new_value = objective.value(new, new_shift)
        idle = idle + 1 if new_value > value - tol * abs(value) else 0
        if new_value < value:
            coef, shift, flagged, value = new, new_shift, new_flagged, new_value
        else:
            step_size /= 2
        if epoch > FREE_EPOCHS:
            values.append(value)
            if idle == PATIENCE:
                break
    support = features.support(np.sqrt(unit) * coef)
    callback(_progress("stochastic epochs", epoch, value, support, flagged))
    return Solution(
        coef=coef,
        shift=shift,
        support=support,
        outliers=flagged,
        value=value,
        values=tuple(values),
        gradient_norm=_relative_gradient(objective, coef, shift, support),
        converged=idle == PATIENCE,
        n_iter=epoch,
    )


def _epoch(
    objective: Objective,
    features: Sparsity | None,
    coef: Floats,
    shift: Floats,
    unit: Floats,
    random_state: np.random.RandomState,
) -> Floats:
    """The mean of the iterates of one pass over the unlabelled rows."""
    n = objective.n_unlabelled
    batches = np.array_split(random_state.permutation(n), max(1, min(STEPS_PER_EPOCH, n // MIN_BATCH)))
    total = np.zeros_like(coef)
    for batch in batches:
        gradient = objective.on_unlabelled(batch).gradient(coef, shift).coef
        coef = _projected(features, coef - gradient / unit, unit)
        total += coef
    return _projected(features, total / len(batches), unit)


def _projected(features: Sparsity | None, coef: Floats, unit: Floats) -> Floats:
    if features is None:
        return coef
    return np.where(features.support(np.sqrt(unit) * coef), coef, 0.0)


def _best_outliers(objective: Objective, outliers: Sparsity, coef: Floats) -> tuple[Bools, Floats]:
    if outliers.is_nothing:
        nobody = np.zeros(objective.n_positives, dtype=bool)
        return nobody, nobody.astype(np.float64)
    gain, shift = objective.outlyingness(coef)
    flagged = outliers.support(gain)
    return flagged, np.where(flagged, shift, 0.0)


def _relative_gradient(objective: Objective, coef: Floats, shift: Floats, support: Bools) -> float:
    def size(coef: Floats, shift: Floats, support: Bools) -> float:
        gradient = objective.gradient(coef, shift).coef / objective.column_spread
        return float(np.linalg.norm(gradient[support]))

    at_zero = size(np.zeros_like(coef), np.zeros_like(shift), np.ones_like(support))
    return size(coef, shift, support) / (at_zero or 1.0)


def _progress(stage: str, epoch: int, value: float, support: Bools, outliers: Bools) -> Progress:
    return Progress(stage, epoch, value, int(support.sum()), int(outliers.sum()))
