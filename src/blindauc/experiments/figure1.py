"""Figure 1: AUC by the number of unlabelled rows.

The paper does not state the dimension. With 10 columns, the direction between the means has an AUC of 0.955, which is
neither out of reach nor reached at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc.experiments.experiment import Experiment
from blindauc.experiments.task import Task
from blindauc.metrics import blind_auc_score
from blindauc.theory import auc_from_blind_auc

N_POS, N_COLUMNS, N_TEST = 50, 10, 5000
"""Labelled positives, as in the paper; columns (see above); and test rows of each class (convention)."""

VARIANCE, SHARE_POSITIVE = 7.0, 0.1
"""Variance of every column, and share of positives among the unlabelled rows, as in the paper."""


def _draw(row: str, seed: int) -> Task:
    rng, n_unl = np.random.default_rng(seed), int(row)
    n_hidden = round(SHARE_POSITIVE * n_unl)
    y_true = np.repeat([1, 1, 0], [N_POS, n_hidden, n_unl - n_hidden])
    y_test = np.repeat([1, 0], N_TEST)

    def rows(y: Any) -> Any:
        return rng.normal(np.where(y == 1, 1.0, -1.0)[:, None], VARIANCE**0.5, (len(y), N_COLUMNS))

    y_pu = (np.arange(len(y_true)) < N_POS).astype(np.intp)
    return Task(rows(y_true), y_pu, y_true, rows(y_test), y_test)


def _estimates(model: Any, task: Task) -> dict[str, Any]:
    """The AUC as the paper estimates it from training rows (may exceed 1), and our out-of-fold estimate."""
    blind_auc = blind_auc_score(task.y_pu, model.decision_function(task.X))
    by_training_rows = auc_from_blind_auc(blind_auc, task.prior_among_unlabelled)
    return {"auc_by_training_rows": by_training_rows, "auc_estimated": float(model.auc_)}


def experiment() -> Experiment:
    """Figure 1."""
    sizes = [10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500]
    return Experiment(
        name="figure1",
        title=f"Figure 1: AUC by number of unlabelled rows; {N_POS} positives, {N_COLUMNS} columns",
        row_name="unlabelled rows",
        rows=[str(n) for n in sizes],
        draw=_draw,
        systems=["BAUC"],
        measure=_estimates,
        measured={"auc": "AUC", "auc_by_training_rows": "by training rows", "auc_estimated": "estimated"},
    )
