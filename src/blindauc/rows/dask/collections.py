"""Dask collections as futures of their partitions: arrays in blocks of rows, data frames, and vectors such as y."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc.extras import imported


def futures_of_partitions(client: Any, collection: Any) -> list[Any]:
    """A future for each partition, in their order. Dask can compute each again if its worker is lost."""
    futures: list[Any] = client.compute(list(np.ravel(collection.to_delayed())))
    return futures


def check_rows(X: Any) -> None:
    """Raise unless the collection is a data frame, or a two-dimensional array in blocks of whole rows."""
    if is_frame(X):
        return
    if not hasattr(X, "to_delayed") or not hasattr(X, "chunks"):
        raise TypeError(f"X must be a Dask array or a Dask data frame, not {type(X).__name__}.")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, but it has {X.ndim}.")
    if X.numblocks[1] != 1:
        raise ValueError(
            f"X is divided into {X.numblocks[1]} blocks of columns, but a partition must hold whole rows: "
            "use X.rechunk({1: -1})."
        )


def check_columns(frame: Any, *names: str | None) -> None:
    """Raise unless these are columns of the frame."""
    if not is_frame(frame):
        raise TypeError(f"frame must be a Dask data frame, not {type(frame).__name__}.")
    for name in names:
        if name is not None and name not in frame.columns:
            raise ValueError(f"The frame has no column {name!r}: its columns are {frame.columns.tolist()[:20]}.")


def is_frame(collection: Any) -> bool:
    """Whether this is a Dask data frame."""
    return hasattr(collection, "to_delayed") and getattr(collection, "ndim", 0) == 2 and hasattr(collection, "columns")


def aligned(client: Any, X: Any, beside: Any, name: str) -> tuple[Any, Any]:
    """The collection and a vector over its rows, such as y, with the same partitions.

    If not all sizes of partitions are known, a vector with as many partitions as X is taken as it is. Their lengths are
    compared when they are read.
    """
    if not hasattr(beside, "to_delayed"):
        beside = imported("dask.array", otherwise="{}").from_array(np.asarray(beside), chunks=-1)
    if beside.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {beside.shape} instead.")
    if _known_sizes(X) is None or _known_sizes(beside) is None:
        if beside.npartitions == X.npartitions:
            return X, beside
        if is_frame(X):
            raise ValueError(
                f"{name} has {beside.npartitions} partitions and X has {X.npartitions}: keep {name} as a column of the "
                f"frame, and pass the name of this column, as in {by_name(name, beside)}."
            )
        X, beside = _sized(client, X), _sized(client, beside)
    n_rows, n_beside = sum(_known_sizes(X)), sum(_known_sizes(beside))
    if n_rows != n_beside:
        raise ValueError(f"X and {name} must have as many rows as each other: X has {n_rows}, {name} {n_beside}.")
    return X, beside.rechunk((X.chunks[0],))


def by_name(role: str, column: Any) -> str:
    """The call of `fit` that names a column of the frame, where the column itself was passed as y or sample_weight."""
    name = column.name if hasattr(column, "index") else None  # Dask arrays have names, too, which are keys of tasks
    return f'fit(frame, "{name or "label"}")' if role == "y" else f'fit(frame, "label", "{name or "weight"}")'


def _known_sizes(collection: Any) -> Any:
    """The number of rows of each partition, or None if it is not known."""
    chunks = getattr(collection, "chunks", None)
    return None if chunks is None or np.isnan(chunks[0]).any() else chunks[0]


def _sized(client: Any, collection: Any) -> Any:
    """The collection as a persisted array with known sizes of partitions."""
    with client.as_current():
        persisted = client.persist(collection)
        if not hasattr(collection, "chunks"):
            return persisted.to_dask_array(lengths=True)
        return persisted if _known_sizes(persisted) is not None else persisted.compute_chunk_sizes()
