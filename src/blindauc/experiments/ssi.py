"""The paper's first application: infections after surgery, 37 variables on 9 days, whole variables selected.

The paper's cohort is private. A simulated cohort with known truth and the deaths of the PhysioNet 2012 challenge, which
also has 37 variables (48 hours in 9 windows), take its place.
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
"""Sizes of the training set, as in the paper."""

STABLE_SHARE, STABLE_FREQUENCY = 0.25, 0.6
"""A variable is stable if it is among the strongest quarter in 60 % of the half-samples (convention of stability
selection: Meinshausen and Buehlmann, 2010, advise thresholds from 0.6 to 0.9)."""

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
    """A training set of the paper's sizes from set a; all other stays of set a are the test set."""
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
    """All of set a as training set, with the paper's share of labelled positives; set b as test set."""
    train, test = _stays("a"), _stays("b")
    y_true = train.died.astype(np.intp)
    n_labelled = round(N_LABELLED / N_POSITIVES * int(y_true.sum()))
    y_pu = pu_labels(y_true, n_labelled, np.random.default_rng(seed))
    X, X_test = imputed(train.X, test.X)
    return Task(X, y_pu, y_true, X_test, test.died.astype(np.intp), groups=train.groups, columns=train.columns)


_DRAWS = {SIMULATED: _simulated, SMALL: _small, FULL: _full}


def _variables_found(model: Any, task: Task) -> dict[str, Any]:
    """F1 of the selected and of the stable variables against the true ones, if these are known."""
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
    """The experiment on infections after surgery, with substitutes for the private data."""
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
