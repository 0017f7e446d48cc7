"""The paper's projected stochastic gradient method, with changes that make it converge.

Ren et al., A robust AUC maximization framework with simultaneous outlier detection and feature selection for
positive-unlabeled classification. Each step uses all positives and a batch of the unlabelled rows, and ends with a
projection. As published, with one step size for coefficients and shifts and with projections from the first step on,
the method ends near where it started. The changes are:

- each coefficient has a step size that depends on its own curvature, and is projected in the same units;
- the first epochs have no projections, so that the support is chosen from coefficients that have been fitted;
- the shifts, a separable block, are minimised exactly after each epoch;
- an epoch ends at the mean of its iterates; if it did not lower the objective, it is undone and the step size halved.
"""

from __future__ import annotations

from typing import NamedTuple

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
"""The number of first epochs, which have no projections (convention)."""

STEPS_PER_EPOCH = 20
"""The most steps of an epoch (convention)."""

MIN_BATCH = 16
"""The fewest unlabelled rows of a batch, if there are that many (convention)."""

PATIENCE = 5
"""The run ends after this many consecutive epochs without progress (convention)."""


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
    objective, features, outliers : the problem, with the methods of `solution.py`
    tol : an epoch with a smaller relative decrease of the objective is idle; `PATIENCE` successive idle epochs end the
        run
    max_iter : the most epochs after the free ones
    random_state : draws the batches
    callback : called with a `Progress` after the free epochs and at the end
    """
    run = _Run(objective, features, outliers, random_state)
    for _ in range(FREE_EPOCHS):
        run.epoch(tol)
    run.choose()
    callback(run.progress("free epochs"))
    for _ in range(max_iter):
        run.epoch(tol)
        if run.idle_epochs == PATIENCE:
            break
    callback(run.progress("stochastic epochs"))
    return run.solution()


class _State(NamedTuple):
    coef: Floats
    shift: Floats
    flagged: Bools
    value: float


class _Run:
    """The state of a run: the best point so far and the step size."""

    def __init__(
        self,
        objective: Objective,
        features: Sparsity,
        outliers: Sparsity,
        random_state: np.random.RandomState,
    ) -> None:
        self.objective, self.features, self.outliers = objective, features, outliers
        self.random_state = random_state
        self.unit = objective.curvature_scale
        self.is_free = True
        self.n_epochs = 0
        self.values: list[float] = []
        self._start_from(np.zeros(objective.n_columns))

    def _start_from(self, coef: Floats) -> None:
        self.best, self.idle_epochs, self.step_size = self._state(coef), 0, 1.0

    def choose(self) -> None:
        """End the free epochs: keep the most important features, and project from here on."""
        self.is_free = False
        self._start_from(self._projected(self.best.coef))

    def epoch(self, tol: float) -> None:
        """One pass over the unlabelled rows. If it does not lower the objective, undo it and halve the step size."""
        self.n_epochs += 1
        new = self._state(self._mean_iterate())
        is_idle = new.value > self.best.value - tol * abs(self.best.value)
        self.idle_epochs = self.idle_epochs + 1 if is_idle else 0
        if new.value < self.best.value:
            self.best = new
        else:
            self.step_size /= 2
        if not self.is_free:
            self.values.append(self.best.value)

    def _mean_iterate(self) -> Floats:
        n = self.objective.n_unlabelled
        n_batches = max(1, min(STEPS_PER_EPOCH, n // MIN_BATCH))
        coef, total = self.best.coef, np.zeros_like(self.best.coef)
        for batch in np.array_split(self.random_state.permutation(n), n_batches):
            gradient = self.objective.on_unlabelled(batch).gradient(coef, self.best.shift).coef
            coef = self._projected(coef - self.step_size * gradient / self.unit)
            total += coef
        return self._projected(total / n_batches)

    def _projected(self, coef: Floats) -> Floats:
        return coef if self.is_free else np.where(self._support(coef), coef, 0.0)

    def _support(self, coef: Floats) -> Bools:
        return self.features.support(np.sqrt(self.unit) * coef)

    def _state(self, coef: Floats) -> _State:
        """The point with these coefficients and, after the free epochs, the best outliers and shifts for them."""
        flagged = np.zeros(self.objective.n_positives, dtype=bool)
        shift = np.zeros(self.objective.n_positives)
        if not (self.is_free or self.outliers.is_nothing):
            gain, best_shift = self.objective.outlyingness(coef)
            flagged = self.outliers.support(gain)
            shift = np.where(flagged, best_shift, 0.0)
        return _State(coef, shift, flagged, self.objective.value(coef, shift))

    def progress(self, stage: str) -> Progress:
        n_features = int(self._support(self.best.coef).sum())
        return Progress(stage, self.n_epochs, self.best.value, n_features, int(self.best.flagged.sum()))

    def solution(self) -> Solution:
        coef, shift, flagged, value = self.best
        support = self._support(coef)
        zero = np.zeros_like(coef), np.zeros_like(shift)
        at_zero = self._gradient_norm(*zero, np.ones_like(support)) or 1.0
        return Solution(
            coef=coef,
            shift=shift,
            support=support,
            outliers=flagged,
            value=value,
            values=tuple(self.values),
            gradient_norm=self._gradient_norm(coef, shift, support) / at_zero,
            converged=self.idle_epochs == PATIENCE,
            n_iter=self.n_epochs,
        )

    def _gradient_norm(self, coef: Floats, shift: Floats, support: Bools) -> float:
        gradient = self.objective.gradient(coef, shift).coef / self.objective.column_spread
        return float(np.linalg.norm(gradient[support]))
