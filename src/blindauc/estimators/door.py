"""From whatever users pass to rows that fit and vote, and from scores back to what follows the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from blindauc._typing import Floats
from blindauc.estimators.inputs import read_matrix
from blindauc.estimators.parted import read_parts
from blindauc.estimators.reading import Sifted, read_data, sifted
from blindauc.rows.device.inputs import is_on_device, rows_on_device
from blindauc.rows.device.libraries import library_of
from blindauc.rows.parts import BlockParts, PartedRows
from blindauc.rows.tasks import Values
from blindauc.scorers import LinearModel


@contextmanager
def opened(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[PartedRows | None]:
    """Rows that are not in memory, or None where X is an array, a sparse matrix or a table."""
    if _is_in_files(X):
        yield _of_files(estimator, X, y, sample_weight)
    elif _is_dask(X):
        with _of_collection(estimator, X, y, sample_weight) as rows:
            yield rows
    elif is_on_device(X):
        yield rows_on_device(X, y, sample_weight, pos_label=estimator.pos_label)
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
) -> Sifted:
    """Validated rows, with those of leverage set apart; the estimator learns its classes and its columns."""
    if parts is None:
        data = read_data(estimator, X, y, sample_weight, groups=groups, time=time, checked=checked)
        return sifted(data, estimator.leverage_screen, _num_samples(X))
    if groups is not None or time is not None or checked is not None:
        raise ValueError(
            "groups=, time= and checked= are for rows in memory: leave them out, or pass a table that fits into it."
        )
    return read_parts(estimator, parts)


def _is_in_files(X: Any) -> bool:
    # Not by its class: it needs pandas, which a fit to arrays does not.
    return callable(getattr(X, "prepared", None))


def _of_files(estimator: Any, X: Any, y: Any, sample_weight: Any) -> BlockParts:
    if y is not None or sample_weight is not None:
        raise ValueError("ParquetRows names the columns of labels and weights itself: leave y and sample_weight out.")
    cached = X.prepared()
    rows = BlockParts.of(cached.X, cached.is_positive, cached.weight)
    rows.classes, rows.feature_names = cached.classes, cached.feature_names
    estimator.preprocessor_ = cached.preprocessor
    return rows


def _is_dask(X: Any) -> bool:
    return hasattr(X, "__dask_graph__")


def _of_collection(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    from blindauc.rows.dask import DaskRows

    of = DaskRows.of_frame if isinstance(y, str) else DaskRows.of
    return of(X, y, sample_weight, pos_label=estimator.pos_label)


# --- predictions ---


def followed(estimator: Any, X: Any, of_scores: Callable[[Floats], Any]) -> Any:
    """What follows from the scores of rows: for arrays where these are, and for Dask collections as collections."""
    _check_categories_can_be_read(estimator, X)
    if _is_dask(X):
        from blindauc.rows.dask import scores_of

        return scores_of(_OfBlock(estimator.model_, of_scores), X)
    if is_on_device(X):
        library = library_of(X)
        return library.asarray(of_scores(library.to_host(_device_scores(estimator, X))))
    return of_scores(scores(estimator, X))


def scores(estimator: Any, X: Any) -> Any:
    """The score of each row, without the intercept; of arrays on a device, on it."""
    _check_categories_can_be_read(estimator, X)
    model = estimator.model_
    if _is_in_files(X):
        if not hasattr(estimator, "preprocessor_"):
            raise ValueError("This model was not fitted to ParquetRows, and cannot read them: pass their numbers.")
        frames = (estimator.preprocessor_.transform(frame) for frame in X.frames())
        return np.concatenate([model.scores(rows) for rows in frames])
    if isinstance(X, PartedRows):
        return np.concatenate(X.total(Values(_OfPart(model))))
    if _is_dask(X):
        return followed(estimator, X, np.asarray)
    if is_on_device(X):
        return _device_scores(estimator, X)
    return model.scores(read_matrix(estimator, X, reset=False))


def _check_categories_can_be_read(estimator: Any, X: Any) -> None:
    is_elsewhere = _is_in_files(X) or isinstance(X, PartedRows) or _is_dask(X) or is_on_device(X)
    if hasattr(estimator, "categories_") and is_elsewhere:
        raise ValueError("Scores by categories are worked out in memory: pass a table of pandas or polars.")


def _device_scores(estimator: Any, X: Any) -> Any:
    if not isinstance(estimator.model_, LinearModel):
        raise ValueError("Scores that bend are worked out on the host: pass X as a NumPy array.")
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
