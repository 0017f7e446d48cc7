"""Labels in y: 1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from blindauc._typing import Bools

SAYS_YES, SAYS_NO = ("yes", "y", "true", "t", "1"), ("no", "n", "false", "f", "0")
"""Words for yes and no in any column of a table (convention)."""

YES = {*SAYS_YES, "positive", "pos", "+", "labelled", "labeled"}
NO = {*SAYS_NO, "-1", "negative", "neg", "unlabelled", "unlabeled", "unknown"}
"""Those in columns of labels (convention)."""


class Labels(NamedTuple):
    """Which rows are labelled positive, and the two classes, the positive one last."""

    is_positive: Bools
    classes: Any


def read_labels(y: Any, pos_label: Any = None) -> Labels:
    """Read labels. The larger of the two values is the positive class, unless `pos_label` names it."""
    values = column_or_1d(y, warn=True)
    missing = is_missing(values)
    labels = values[~missing]
    if labels.dtype == object:
        if len({isinstance(label, str) for label in labels}) > 1:
            raise ValueError("y mixes text with other labels: write all labels of a class the same way.")
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if len(labels) == 0:
        raise ValueError(
            "Input y contains NaN in every row, so there is no positive class: mark the labelled positives with 1."
        )
    _check_binary(labels)
    present = np.unique(labels)
    positive = present[-1] if pos_label is None else pos_label
    if positive not in present:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes in y: {present.tolist()}.")
    others = present[present != positive]
    if len(present) == 1 and pos_label is None and _means_unlabelled(positive):
        raise ValueError(
            f"y has no positive class: every label is {positive} or missing. Mark the labelled positives with 1."
        )
    is_positive = np.zeros(len(values), dtype=bool)
    is_positive[~missing] = labels == positive
    other = others[0] if len(others) else _label_of_missing(positive)
    return Labels(is_positive, np.array([other, positive]))


def warn_if_unclear(classes: Any, pos_label: Any) -> None:
    """Warn if the labels are two words, `pos_label` is not given, and the words do not say which one is positive."""
    other, positive = classes
    if pos_label is not None or not isinstance(positive, str):
        return
    no, yes = other.casefold(), positive.casefold()
    if (no in NO and yes not in NO) or (yes in YES and no not in YES):
        return
    warnings.warn(
        f"The labels are {str(other)!r} and {str(positive)!r}, and {str(positive)!r} is taken as positive, as it comes "
        f"later in the alphabet: name the positive one, such as pos_label={str(other)!r}.",
        UserWarning,
        stacklevel=5,
    )


def _check_binary(labels: Any) -> None:
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}. y must hold two "
            "values: one for labelled positives, one (or missing) for unlabelled rows; recode it as "
            "`(y == positive).astype(int)`."
        )


def is_missing(values: Any) -> Bools:
    """Where values are None, NaN or pandas.NA."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype == object:
        # NaN is not equal to itself; comparing pandas.NA gives neither True nor False, so it is found by its type.
        return np.array([v is None or type(v).__name__ == "NAType" or v != v for v in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def _means_unlabelled(label: Any) -> bool:
    return not isinstance(label, str) and label in (0, -1)


def _label_of_missing(positive: Any) -> Any:
    """The label of the unlabelled class in `classes_` if y holds only the positive label and missing values."""
    if isinstance(positive, str):
        return "unlabelled"
    return type(positive)(0 if positive != 0 else -1)
