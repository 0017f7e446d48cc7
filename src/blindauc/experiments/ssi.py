"""The first application: infections after surgery, 37 variables on 9 days, whole variables selected.

The paper's cohort is private. In its place: a simulated one, whose truth is known, and the deaths of the PhysioNet 2012
challenge, which has 37 variables too, its 48 hours in 9 windows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from blindauc.datasets import make_cohort
from blindauc.experiments.experiment import WITHOUT_TRUTH, Experiment
from blindauc.experiments.splits import drawn_task, imputed
from blindauc.experiments.task import Task, pu_labels
from blindauc.features.longitudinal import physionet_cohort
from blindauc.trust import stability_selection

N_POSITIVES, N_NEGATIVES, N_LABELLED = 40, 40, 35
STABLE_SHARE, STABLE_FREQUENCY = 0.25, 0.6
"""Variables are stable that belong to the strongest quarter in so many of the half-samples."""

SIMULATED, SMALL, FULL = "simulated cohort", "PhysioNet 2012", "PhysioNet 2012, set a and b"

_stays = cache(physionet_cohort)


def _simulated(seed: int) -> Task:
    cohort = make_cohort(random_state=seed)
    rng = np.random.default_rng(seed)
    return drawn_task(
        cohort.X,
        cohort.y_true == 1,
        n_pos=N_POSITIVES,
        n_neg=N_NEGATIVES,
        n_labelled=N_LABELLED,
        rng=rng,
        support=cohort.relevant[cohort.groups],
        groups=cohort.groups,
        columns=cohort.columns,
    )


def _small(seed: int) -> Task:
    """The paper's sizes, drawn from set a; all other stays of it are the test set."""
    stays = _stays("a")
    return drawn_task(
        stays.X,
        stays.died,
        n_pos=N_POSITIVES,
        n_neg=N_NEGATIVES,
        n_labelled=N_LABELLED,
        rng=np.random.default_rng(seed),
        groups=stays.groups,
        columns=stays.columns,
    )


def _full(seed: int) -> Task:
    """All of set a to train, as large a share of its deaths labelled as in the paper, and set b to test."""
    train, test = _stays("a"), _stays("b")
    y_true = train.died.astype(np.intp)
    n_labelled = round(N_LABELLED / N_POSITIVES * int(y_true.sum()))
    y_pu = pu_labels(y_true, n_labelled, np.random.default_rng(seed))
    X, X_test = imputed(train.X, test.X)
    return Task(X, y_pu, y_true, X_test, test.died.astype(np.intp), groups=train.groups, columns=train.columns)


_DRAWS = {SIMULATED: _simulated, SMALL: _small, FULL: _full}


def _variables_found(model: Any, task: Task) -> dict[str, Any]:
    """How well the selected variables, and the stable ones, are the true ones, where those are known."""
    if task.support is None or task.groups is None or getattr(model, "sparsity", "") != "group_l0":
        return {}
    true, selected = (set(task.groups[mask].tolist()) for mask in (task.support, model.support_))
    selector = clone(getattr(model, "best_estimator_", model))
    selector.set_params(n_features_to_select=STABLE_SHARE, calibrate=False)
    stability = stability_selection(selector, task.X, task.y_pu)
    assert stability.group_frequency is not None
    stable = set(np.flatnonzero(stability.group_frequency >= STABLE_FREQUENCY).tolist())
    return {"selected_f1": _f1(selected, true), "stable_f1": _f1(stable, true), "stable_variables": len(stable)}


def _f1(found: set[int], true: set[int]) -> float:
    return 2 * len(found & true) / (len(found) + len(true))


def experiment() -> Experiment:
    """The stand-ins for the surgical cohort."""
    return Experiment(
        name="ssi",
        title="Infections after surgery (stand-ins): AUC, whole variables selected",
        row_name="cohort",
        rows=[SIMULATED, SMALL, FULL],
        draw=lambda row, seed: _DRAWS[row](seed),
        systems=WITHOUT_TRUTH,
        once=[FULL],
        measure=_variables_found,
        measured={
            "selected_f1": "F1 of the selected variables",
            "stable_variables": "stable variables",
            "stable_f1": "F1 of the stable variables",
        },
        keeps_roc=True,
        family=lambda column: column.rsplit(" ", 2)[0],
    )
