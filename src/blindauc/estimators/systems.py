"""The paper's six systems: two objectives, with outlier detection (O) and feature selection (F) on or off."""

from __future__ import annotations

from typing import Any, NamedTuple

from blindauc.estimators.base import PUClassifier
from blindauc.estimators.blind_auc import BlindAUCClassifier
from blindauc.estimators.pu_error import PUErrorClassifier


class System(NamedTuple):
    """An estimator, and whether it detects outliers and selects features."""

    estimator: type[PUClassifier]
    finds_outliers: bool
    selects_features: bool


SYSTEMS: dict[str, System] = {
    "ERR": System(PUErrorClassifier, False, False),
    "ERR-O": System(PUErrorClassifier, True, False),
    "ERR-OF": System(PUErrorClassifier, True, True),
    "BAUC": System(BlindAUCClassifier, False, False),
    "BAUC-O": System(BlindAUCClassifier, True, False),
    "BAUC-OF": System(BlindAUCClassifier, True, True),
}


def make_system(name: str, *, n_features_to_select: Any, n_outliers: Any, **params: Any) -> PUClassifier:
    """Make one of the paper's systems by name.

    Parameters
    ----------
    name : {"ERR", "ERR-O", "ERR-OF", "BAUC", "BAUC-O", "BAUC-OF"}
    n_features_to_select, n_outliers
        As in the estimators; ignored by systems that do not select features, or do not detect outliers.
    **params
        Other parameters of the estimator.

    Examples
    --------
    >>> from blindauc import make_system
    >>> make_system("BAUC-O", n_features_to_select=40, n_outliers=7)
    BlindAUCClassifier(n_outliers=7)
    """
    if name not in SYSTEMS:
        raise ValueError(f"Unknown system {name!r}: choose one of {', '.join(map(repr, SYSTEMS))}.")
    system = SYSTEMS[name]
    return system.estimator(
        n_features_to_select=n_features_to_select if system.selects_features else None,
        n_outliers=n_outliers if system.finds_outliers else 0,
        **params,
    )
