"""Validated input of the metrics: the samples of labelled positives and of unlabelled rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from blindauc._typing import Bools, Floats
from blindauc.labels import Labels, read_labels
from blindauc.ranks import share_below


class Sample(NamedTuple):
    """Values of some rows (scores, or 1 for a predicted positive and 0 for the rest) and their weights."""

    values: Floats
    weight: Floats

    def share_below(self, targets: Floats) -> Floats:
        """The share of the weight whose value is below each target; equal values count one half."""
        return share_below(targets, self.values, self.weight)

    @property
    def n_rows(self) -> int:
        """The number of rows of positive weight."""
        return int((self.weight > 0).sum())

    @property
    def mean(self) -> float:
        return float(np.average(self.values, weights=self.weight))


class PUSamples(NamedTuple):
    """The labelled positives and the unlabelled rows, each in the order of the user's rows."""

    pos: Sample
    unl: Sample


def read_scores(y_pu: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> PUSamples:
    """Validate scores and split them into the two samples."""
    labels = read_labels(y_pu, pos_label)
    scores = check_array(y_score, ensure_2d=False, dtype=np.float64, input_name="y_score")
    if scores.ndim != 1:
        raise ValueError(
            f"y_score must hold one score per row, but its shape is {scores.shape}: of the output of predict_proba, "
            "pass the column of the positive class, `[:, 1]`."
        )
    return _split(labels.is_positive, "y_score", scores, sample_weight)


def read_predictions(y_pu: Any, y_pred: Any, sample_weight: Any, pos_label: Any) -> PUSamples:
    """Validate predicted labels and split them into the two samples, as 1 for a predicted positive and 0 otherwise."""
    labels = read_labels(y_pu, pos_label)
    predicted = _predicted_positive(labels, y_pred)
    return _split(labels.is_positive, "y_pred", predicted.astype(np.float64), sample_weight)


def _predicted_positive(labels: Labels, y_pred: Any) -> Bools:
    predictions = np.asarray(y_pred)
    positive = labels.classes[1]
    if predictions.ndim != 1:
        raise ValueError(f"y_pred must hold one label per row, but its shape is {predictions.shape}.")
    present = np.unique(predictions)
    if len(present) > 2 or (len(present) == 2 and positive not in present.tolist()):
        raise ValueError(
            f"y_pred must hold two labels, one of them {positive!s} for predicted positives, but it holds "
            f"{present[:3].tolist()}{' and more' if len(present) > 3 else ''}: compare scores with a threshold first, "
            "and write labels as in y_pu."
        )
    return np.array([label == positive for label in present.tolist()])[np.searchsorted(present, predictions)]


def _split(is_positive: Bools, name: str, values: Floats, sample_weight: Any) -> PUSamples:
    if len(values) != len(is_positive):
        raise ValueError(
            f"y_pu and {name} must have as many rows as each other: y_pu has {len(is_positive)}, {name} {len(values)}."
        )
    weight = _read_weight(sample_weight, len(values))
    for rows, kind, remedy in (
        (is_positive, "labelled positive", "label some rows"),
        (~is_positive, "unlabelled row", "add rows with label 0, -1, False or missing"),
    ):
        if not weight[rows].sum() > 0:
            raise ValueError(f"There is no {kind} with positive weight among {len(values)} rows: {remedy}.")
    return PUSamples(
        Sample(values[is_positive], weight[is_positive]), Sample(values[~is_positive], weight[~is_positive])
    )


def _read_weight(sample_weight: Any, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must hold one weight per row: shape {(n,)} was expected, not {weight.shape}.")
    if weight.min() < 0:
        raise ValueError(f"sample_weight must not be negative, but {weight.min():g} is among the weights.")
    return weight
