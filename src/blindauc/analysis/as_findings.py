"""Convert results of a fitted model to the entries of `Findings`: plain numbers and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.choice.baselines import Comparison
from blindauc.estimate import Estimate
from blindauc.report.findings import Baseline, Doubt, Feature, Interval, TuningSlice

SLICES = ("l2", "n_features_to_select", "n_outliers", "n_leaves", "n_rounds")
"""The ordered hyper-parameters, which can be drawn along an axis; not every shape has all of them."""

KIND = ("shape", "scaling", "loss", "gamma")
"""The ridge strengths of candidates that differ in one of these are not comparable."""


def interval(estimate: Estimate) -> Interval:
    """An estimate as plain numbers."""
    return Interval(float(estimate), estimate.low, estimate.high)


def feature_findings(features: pd.DataFrame) -> list[Feature]:
    """The rows of `feature_table`."""
    names = ["column", "source", "weight", "inclusion", "selected", "frequency", "step", "unit", "climb", "bends"]
    columns = features[names].astype(object)
    rows = columns.where(columns.notna(), None).to_numpy().tolist()
    return [Feature(str(column), str(source), *rest) for column, source, *rest in rows]


def doubt_findings(doubtful: pd.DataFrame) -> list[Doubt]:
    """The rows of the table of doubtful labels."""
    names = doubtful["id"] if "id" in doubtful else doubtful["row"]
    rest = doubtful[["row", "suspicion", "false_alarms", "reason"]].itertuples(index=False)
    return [
        Doubt(int(row), str(name), float(suspicion), float(false_alarms), reason)
        for name, (row, suspicion, false_alarms, reason) in zip(names, rest, strict=True)
    ]


def baseline_finding(comparison: Comparison) -> Baseline:
    """The comparison with a simpler method."""
    return Baseline(comparison.name, comparison.score, interval(comparison.advantage), comparison.is_as_good)


def tuning_slices(ranking: Any) -> Iterator[TuningSlice]:
    """The best cross-validation score for each value of each hyper-parameter; nothing without a search.

    Only candidates of the same shape, scaling, loss and kernel width as the leading one are included.
    """
    tried, leading = ranking.cv_results_, ranking.best_params_
    if not tried:
        return
    kind = {name: leading[name] for name in KIND if name in leading}
    shown = np.array([place for place, params in enumerate(tried["params"]) if kind.items() <= params.items()])
    for name in SLICES:
        values = np.array([tried["params"][place].get(name) for place in shown])
        # A single value is not a choice.
        if leading.get(name) is not None and len(set(values)) > 1:
            yield _slice(name, leading[name], values.astype(np.float64), tried, shown)


def _slice(name: str, chosen: Any, values: Floats, tried: Mapping[str, Any], shown: Ints) -> TuningSlice:
    scores, errors = tried["mean_test_score"][shown], tried["std_error_test_score"][shown]
    places, distinct = tried["rank_test_score"][shown], np.unique(values)
    best = [min(np.flatnonzero(values == value), key=lambda place: places[place]) for value in distinct]
    weight = np.array([tried["weight"][shown][values == value].sum() for value in distinct])
    shares = (weight / weight.sum()).tolist()
    return TuningSlice(name, distinct.tolist(), scores[best].tolist(), errors[best].tolist(), shares, float(chosen))
