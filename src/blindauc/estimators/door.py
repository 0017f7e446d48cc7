"""Input and predictions for all kinds of X: arrays, tables, files, Dask collections and device arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, validate_data

from blindauc._typing import Bools, Floats
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE
from blindauc.estimators.inputs import is_in_files, read_matrix
from blindauc.estimators.parted import read_parts
from blindauc.estimators.reading import ScreenedRows, as_found, check_enough_are_left, read_data, screened
from blindauc.labels import read_labels, warn_if_unclear
from blindauc.rows.device.engine import DeviceRows
from blindauc.rows.device.inputs import is_on_device, rows_on_device
from blindauc.rows.device.libraries import library_of
from blindauc.rows.parts import BlockParts, PartedRows, RowMetadata
from blindauc.rows.tasks import Values
from blindauc.scorers import LinearModel
from blindauc.threads import one_blas_thread


@contextmanager
def opened(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[PartedRows | None]:
    """A context with the rows if they are not in memory; None if X is an array, a sparse matrix or a table."""
    if is_in_files(X):
        yield _of_files(estimator, X, y, sample_weight)
    elif _is_dask(X):
        with _of_collection(estimator, X, y, sample_weight) as rows:
            yield rows
    elif is_on_device(X) or isinstance(X, DeviceRows):
        # Only small products are left to the host, and with many threads each would wait for the slowest of them.
        with one_blas_thread():
            is_read = isinstance(X, DeviceRows)
            yield X if is_read else rows_on_device(X, y, sample_weight, pos_label=estimator.pos_label)
    else:
        yield X if isinstance(X, PartedRows) else None


def read_rows(
    estimator: Any,
    parts: PartedRows | None,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    time: Any = None,
    checked: Any = None,
) -> ScreenedRows:
    """Validated rows, with those of leverage set aside. Sets the estimator's classes and columns."""
    if parts is None:
        data = read_data(estimator, X, y, sample_weight, groups=groups, time=time, checked=checked)
        warn_if_unclear(estimator.classes_, estimator.pos_label)
        return screened(data, estimator.leverage_screen, _num_samples(X))
    warn_if_unclear(parts.classes, X.pos_label if is_in_files(X) else estimator.pos_label)
    if checked is not None:
        raise ValueError(
            "checked= takes rows in memory: of rows in files, name the column with ParquetRows(checked=...), and leave "
            "it out with others."
        )
    return read_parts(estimator, parts, groups, time)


def _of_files(estimator: Any, X: Any, y: Any, sample_weight: Any) -> BlockParts:
    _refuse_beside_files(y, sample_weight)
    cached = X.prepared()
    is_positive, metadata = found_in(cached, cached.is_positive)
    rows = BlockParts.of(cached.X, is_positive, cached.weight)
    rows.classes, rows.feature_names, rows.metadata = cached.classes, cached.feature_names, metadata
    # Tables with the names of the fit, which predictions check.
    estimator.preprocessor_ = cached.preprocessor.set_output(transform="pandas")
    return rows


def _refuse_beside_files(y: Any, sample_weight: Any) -> None:
    if y is not None or sample_weight is not None:
        raise ValueError("ParquetRows names the columns of labels and weights itself: leave y and sample_weight out.")


def found_in(cached: Any, is_labelled: Bools) -> tuple[Bools, RowMetadata]:
    """Mask of the positives of a table in files, by labels and checks, and the groups, times and checks of its rows."""
    if cached.verdict is None or not cached.verdict.any():
        return is_labelled, RowMetadata(cached.groups, cached.times)
    is_positive = as_found(is_labelled, cached.verdict)
    confirmed, negatives = (np.flatnonzero(cached.verdict == which) for which in (FOUND_POSITIVE, FOUND_NEGATIVE))
    labelled, n_pos = np.flatnonzero(is_labelled), int(is_positive.sum())
    check_enough_are_left(len(labelled), n_pos, len(is_positive) - n_pos - len(negatives))
    return is_positive, RowMetadata(cached.groups, cached.times, labelled, confirmed, negatives)


def _is_dask(X: Any) -> bool:
    return hasattr(X, "__dask_graph__")


def _of_collection(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    from blindauc.rows.dask import DaskRows

    if y is None:
        remedy = 'the name of their column, as in fit(frame, "label")' if hasattr(X, "columns") else "them as y"
        raise ValueError(f"A fit needs labels, and y is missing: pass {remedy}.")
    if not isinstance(y, str):
        return DaskRows.of(X, y, sample_weight, pos_label=estimator.pos_label)
    rows = DaskRows.of_frame(X, y, sample_weight, pos_label=estimator.pos_label)
    estimator.not_features_ = [y] if sample_weight is None else [y, sample_weight]
    return rows


# --- predictions ---


def followed(estimator: Any, X: Any, of_scores: Callable[[Floats], Any]) -> Any:
    """Apply a function to the scores of rows. Device arrays give device arrays, Dask collections give collections."""
    _check_categories_can_be_read(estimator, X)
    if _is_dask(X):
        from blindauc.rows.dask import scores_of

        return scores_of(_OfBlock(estimator.model_, of_scores), _features_of(estimator, X))
    if is_on_device(X):
        library = library_of(X)
        return library.asarray(of_scores(library.to_host(_device_scores(estimator, X))))
    return of_scores(scores(estimator, X))


def scores(estimator: Any, X: Any) -> Any:
    """The score of each row, without the intercept; a device array if X is one."""
    _check_categories_can_be_read(estimator, X)
    model = estimator.model_
    if is_in_files(X):
        if not hasattr(estimator, "preprocessor_"):
            raise ValueError("This model was not fitted to ParquetRows, and cannot read them: pass their numbers.")
        frames = (np.asarray(estimator.preprocessor_.transform(frame)) for frame in X.frames())
        return np.concatenate([model.scores(rows) for rows in frames])
    if isinstance(X, PartedRows):
        if X.feature_names is not None:
            _check_names(estimator, X.feature_names)
        return np.concatenate(X.total(Values(_OfPart(model))))
    if _is_dask(X):
        return followed(estimator, X, np.asarray)
    if is_on_device(X):
        return _device_scores(estimator, X)
    return model.scores(read_matrix(estimator, X, reset=False))


def labels_and_weights(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Bools, Any]:
    """Which rows are labelled positive, and their weights, to evaluate the scores of X; files hold both themselves."""
    positive = estimator.classes_.tolist()[1]
    if is_in_files(X):
        from blindauc.rows.disk.labels import read_distinct

        _refuse_beside_files(y, sample_weight)
        cached = X.prepared(read_labels=lambda values: read_distinct(X.label, values, positive))
        return cached.is_positive, cached.weight
    if y is None:
        raise ValueError("The score of a ranking needs the labels of its rows: pass them as y.")
    return read_labels(y, positive).is_positive, sample_weight


def _features_of(estimator: Any, X: Any) -> Any:
    """A Dask collection without its columns of labels and weights; an error if its features are not those of the fit.

    Tasks see partitions as bare numbers, so that columns in another order would give wrong scores.
    """
    from blindauc.rows.dask.collections import check_rows

    check_rows(X)
    if not hasattr(X, "columns"):
        return validate_data(estimator, X, reset=False, skip_check_array=True)
    X = X.drop(columns=[name for name in getattr(estimator, "not_features_", ()) if name in X.columns])
    _check_names(estimator, X.columns)
    return X


def _check_names(estimator: Any, names: Any) -> None:
    """Raise scikit-learn's error if these are not the columns of the fit, in the same order."""
    import pandas as pd

    validate_data(estimator, pd.DataFrame(columns=list(names)), reset=False, skip_check_array=True)


def _check_categories_can_be_read(estimator: Any, X: Any) -> None:
    is_elsewhere = is_in_files(X) or isinstance(X, PartedRows) or _is_dask(X) or is_on_device(X)
    if hasattr(estimator, "categories_") and is_elsewhere:
        raise ValueError("Scores by categories are worked out in memory: pass a table of pandas or polars.")


def _device_scores(estimator: Any, X: Any) -> Any:
    if not isinstance(estimator.model_, LinearModel):
        raise ValueError("Only linear scores are computed on a device: pass X as a NumPy array.")
    return library_of(X).scores(X, estimator.model_.coef)


@dataclass(frozen=True)
class _OfBlock:
    """A function of the scores of some rows."""

    model: Any
    of_scores: Callable[[Floats], Any]

    def __call__(self, X: Any) -> Any:
        return self.of_scores(self.model.scores(X))


@dataclass(frozen=True)
class _OfPart:
    """The scores of a part."""

    model: Any

    def __call__(self, part: Any) -> Any:
        return self.model.scores(part.X)
