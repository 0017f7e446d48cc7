"""The compared systems: the paper's nine, the oracle, and methods that users would choose.

Ours average over settings, weighted by out-of-fold evidence. The other systems that learn from PU labels are tuned by
the out-of-fold trimmed blind AUC (`trimmed_blind_auc`), except for the l1 logistic regression, which is tuned by the
plain blind AUC as its users would do, and "BAUC-OF (greedy)", which is tuned by the paper's method. The ideal SVM has
the true training labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from blindauc._typing import Ints
from blindauc.estimators import (
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    DifferenceOfMeans,
    OneClassRanker,
    PUErrorClassifierCV,
)
from blindauc.experiments.greedy import fitted_greedily
from blindauc.experiments.paper import TABLE1
from blindauc.experiments.task import Task
from blindauc.metrics import blind_auc_scorer, trimmed_blind_auc_scorer

N_FOLDS = 5
"""Cross-validation folds (convention)."""

MAX_SVM_STEPS = 20_000
"""Limit on the steps of an SVM, far above what a good candidate needs, so that bad ones do not hold up a table."""


_SVM = [
    {"kernel": ["linear"], "C": np.logspace(-6, 2, 5)},
    {"kernel": ["rbf"], "C": np.logspace(-2, 2, 5)},
]


@dataclass(frozen=True)
class System:
    """A method that learns a ranking from a task.

    Attributes
    ----------
    name : str
    fitted : fits an estimator to a task
    is_pu : whether it uses only PU labels and what a user could know
    needs : the extra package that it needs, if any
    """

    name: str
    fitted: Callable[[Task], Any]
    is_pu: bool = True
    needs: str = ""


def tuning_folds(task: Task, y: Ints) -> list[tuple[Ints, Ints]]:
    """Cross-validation folds of the training rows that do not split blocks."""
    n_folds = min(N_FOLDS, int(np.bincount(y).min()))
    if task.blocks is None:
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(task.X, y))
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=0)
    return list(folds.split(task.X, y, task.blocks))


def _searched(estimator: Any, grid: Any, scoring: Any, task: Task, y: Ints) -> Any:
    """The estimator, tuned over its own grid and over whether columns are standardised."""
    grids = [grid] if isinstance(grid, dict) else grid
    grids = [
        {"scale": [StandardScaler(), "passthrough"], **{f"fit__{name}": values for name, values in each.items()}}
        for each in grids
    ]
    pipeline = Pipeline([("scale", StandardScaler()), ("fit", estimator)])
    return GridSearchCV(pipeline, grids, scoring=scoring, cv=tuning_folds(task, y), error_score="raise").fit(task.X, y)


def _by_pu_labels(estimator: Any, grid: Any, scoring: Any = trimmed_blind_auc_scorer) -> Callable[[Task], Any]:
    return lambda task: _searched(estimator, grid, scoring, task, task.y_pu)


def _ideal_svm(task: Task) -> Any:
    return _searched(SVC(max_iter=MAX_SVM_STEPS), _SVM, "roc_auc", task, task.y_true)


def _abilities(task: Task, finds_outliers: bool, selects_features: bool) -> dict[str, Any]:
    """Parameters of a tuned estimator that switch outliers or selection off, and set folds by blocks if there are any.

    The shape is linear, as in the paper.
    """
    switched: dict[str, Any] = {"shape": "linear"} | ({} if finds_outliers else {"n_outliers": 0})
    if task.blocks is not None:
        switched["cv"] = tuning_folds(task, task.y_pu)
    if not selects_features:
        return switched | {"n_features_to_select": None}
    return switched if task.groups is None else switched | {"sparsity": "group_l0", "groups": task.groups}


def _blind_auc(finds_outliers: bool, selects_features: bool) -> Callable[[Task], Any]:
    def fitted(task: Task) -> Any:
        abilities = _abilities(task, finds_outliers, selects_features)
        return BlindAUCClassifierCV(**abilities).fit(task.X, task.y_pu)

    return fitted


def _greedy(task: Task) -> Any:
    groups: dict[str, Any] = {} if task.groups is None else {"sparsity": "group_l0", "groups": task.groups}
    return fitted_greedily(BlindAUCClassifier(solver="path", **groups), task.X, task.y_pu)


def _pu_error(
    finds_outliers: bool, selects_features: bool, prior: Callable[[Task], float], **params: Any
) -> Callable[[Task], Any]:
    def fitted(task: Task) -> Any:
        abilities = _abilities(task, finds_outliers, selects_features)
        return PUErrorClassifierCV(prior=prior(task), **params | abilities).fit(task.X, task.y_pu)

    return fitted


def _oracle(task: Task) -> Any:
    """The fit that is given the relevant columns and the wrong labels, and tunes only the regularisation strength."""
    support = np.ones(task.X.shape[1], dtype=bool) if task.support is None else task.support
    rows = np.setdiff1d(np.arange(len(task.X)), task.outliers)
    model = BlindAUCClassifierCV(shape="linear", n_outliers=0, n_features_to_select=None)
    # Irrelevant columns are set to zero, so that the model can score test rows with all columns.
    return model.fit(np.where(support, task.X, 0.0)[rows], task.y_pu[rows])


def _elkan_noto(task: Task) -> Any:
    from pulearn import ElkanotoPuClassifier

    class Patient(ElkanotoPuClassifier):  # type: ignore[misc]
        """Draws the hold-out again if it has no positives, where pulearn's class raises an error."""

        def fit(self, X: Any, y: Any) -> Any:
            while True:
                try:
                    return super().fit(X, y)
                except ValueError as error:
                    if "hold-out" not in str(error):
                        raise
                self.random_state += 1

    peer = Patient(LogisticRegression(max_iter=200), hold_out_ratio=0.2, random_state=0)
    return _searched(peer, {"estimator__C": np.logspace(-5, 1, 7)}, trimmed_blind_auc_scorer, task, task.y_pu)


def _bagging(task: Task) -> Any:
    from pulearn import BaggingPuClassifier

    n_labelled = int(task.y_pu.sum() * (1 - 1 / N_FOLDS))
    svm = SVC(kernel="linear", max_iter=MAX_SVM_STEPS)
    peer = BaggingPuClassifier(svm, n_estimators=30, max_samples=n_labelled, random_state=0)
    return _searched(peer, {"estimator__C": [1e-4, 1e-2, 1.0]}, trimmed_blind_auc_scorer, task, task.y_pu)


def _unlabelled(task: Task) -> float:
    return task.prior_among_unlabelled


def _test(task: Task) -> float:
    return task.prior_in_test


_ONE_CLASS = {"nu": [0.05, 0.1, 0.2, 0.5], "kernel": ["linear", "rbf"]}
# The sigmoid loss is not convex, so that no fit can start from another: fewer ridges and fewer folds.
_NNPU: dict[str, Any] = {
    "risk": "nonnegative",
    "loss": "sigmoid",
    "scaling": "standard",
    "l2": np.logspace(-4, 0, 5).tolist(),
    "cv": 3,
    "n_repeats": 1,
}
# At the default tolerance it takes minutes on nearly collinear columns, and ranks about as well.
_L1_LOGISTIC = LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=0, max_iter=200, tol=1e-3)

_ALL = [
    System("SVM (ideal)", _ideal_svm, is_pu=False),
    System("One-class SVM", _by_pu_labels(OneClassRanker(), _ONE_CLASS)),
    System("BSVM", _by_pu_labels(BiasedSVM(max_iter=MAX_SVM_STEPS), _SVM)),
    System("ERR", _pu_error(False, False, _unlabelled)),
    System("ERR-O", _pu_error(True, False, _unlabelled)),
    System("ERR-OF", _pu_error(True, True, _unlabelled)),
    System("ERR (test prior)", _pu_error(False, False, _test)),
    System("ERR-O (test prior)", _pu_error(True, False, _test)),
    System("ERR-OF (test prior)", _pu_error(True, True, _test)),
    System("BAUC", _blind_auc(False, False)),
    System("BAUC-O", _blind_auc(True, False)),
    System("BAUC-OF", _blind_auc(True, True)),
    System("BAUC-OF (greedy)", _greedy),
    System("Oracle", _oracle, is_pu=False),
    System("l1 logistic", _by_pu_labels(_L1_LOGISTIC, {"C": np.logspace(-3, 2, 6)}, blind_auc_scorer)),
    System("nnPU", _pu_error(False, False, _unlabelled, **_NNPU)),
    System("Elkan-Noto", _elkan_noto, needs="pulearn"),
    System("Bagging", _bagging, needs="pulearn"),
    System("Difference of means", _by_pu_labels(DifferenceOfMeans(), {"scaling": ["standard", "none"]})),
]
SYSTEMS: dict[str, System] = {system.name: system for system in _ALL}

_IN_THE_PAPER = {system for _, system in TABLE1}
NINE = tuple(name for name in SYSTEMS if name.removesuffix(" (test prior)") in _IN_THE_PAPER)
"""The paper's nine systems; those that need a prior twice, with that of the unlabelled rows and of the test rows."""
