"""From a fitted model and its tables to what `Findings` hold: plain numbers and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from blindauc.estimate import Estimate
from blindauc.report.findings import Baseline, Doubt, Feature, Interval, TuningSlice
from blindauc.tuning.baselines import Comparison

SLICES = {
    "l2": "scaling and ridge",
    "n_features_to_select": "features and outliers",
    "n_outliers": "features and outliers",
}
"""What was chosen, and the stage of the search in which all its values were tried."""


def interval(estimate: Estimate) -> Interval:
    """An estimate as plain numbers."""
    return Interval(float(estimate), estimate.low, estimate.high)


def features_told(features: pd.DataFrame) -> list[Feature]:
    """The rows of `feature_table`."""
    columns = features[["column", "source", "weight", "frequency"]].astype(object)
    rows = columns.where(columns.notna(), None).to_numpy().tolist()
    return [Feature(str(column), str(source), weight, frequency) for column, source, weight, frequency in rows]


def doubts_told(doubtful: pd.DataFrame) -> list[Doubt]:
    """The rows of `doubtful`."""
    names = doubtful["id"] if "id" in doubtful else doubtful["row"]
    rest = doubtful[["row", "suspicion", "false_alarms", "reason"]].itertuples(index=False)
    return [
        Doubt(int(row), str(name), float(suspicion), float(false_alarms), reason)
        for name, (row, suspicion, false_alarms, reason) in zip(names, rest, strict=True)
    ]


def baseline_told(comparison: Comparison) -> Baseline:
    """A simpler method and how it compares."""
    return Baseline(comparison.name, comparison.score, interval(comparison.advantage), comparison.is_as_good)


def tuning_told(ranking: Any) -> Iterator[TuningSlice]:
    """The best that was reached with each value of each choice; nothing where nothing was tried."""
    tried = getattr(ranking, "cv_results_", {})
    if not tried:
        return
    chosen = ranking.best_params_
    same_kind = np.array([_is_of_kind(params, chosen) for params in tried["params"]])
    for name, stage in SLICES.items():
        shown = same_kind & (tried["stage"] == stage) & np.isfinite(tried["mean_test_score"])
        yield _slice(name, chosen[name], tried, np.flatnonzero(shown))


def _is_of_kind(params: Mapping[str, Any], chosen: Mapping[str, Any]) -> bool:
    """Ridges of different scalings and losses are no neighbours."""
    return all(params[name] == chosen[name] for name in ("scaling", "loss"))


def _slice(name: str, chosen: Any, tried: Mapping[str, Any], shown: Any) -> TuningSlice:
    values = np.array([float(tried[f"param_{name}"][place]) for place in shown])
    scores, errors = tried["mean_test_score"][shown], tried["std_error_test_score"][shown]
    distinct = np.unique(values)
    best = [max(np.flatnonzero(values == value), key=lambda place: scores[place]) for value in distinct]
    return TuningSlice(name, distinct.tolist(), scores[best].tolist(), errors[best].tolist(), float(chosen))
