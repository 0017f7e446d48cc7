"""Rows of a Dask collection: partitions remain on the workers, tasks are sent to them, and small results come back.

Every partition is loaded by a task, so that the scheduler can load it again if its worker is lost. A visit is one task
for each partition and a fixed tree of additions on the cluster. So the result depends neither on the number of workers
nor on which of them computes what.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from operator import add
from typing import Any, Self
from uuid import uuid4

import numpy as np

from blindauc.labels import read_labels
from blindauc.rows.dask.blocks import (
    Facts,
    Listed,
    Positives,
    check_facts,
    combined,
    facts_of,
    labels_of,
    part_of,
    read_block,
    read_columns,
    run_task,
    unpacked,
)
from blindauc.rows.dask.cluster import Session, cloudpickle
from blindauc.rows.dask.collections import aligned, check_columns, check_rows, futures_of_partitions
from blindauc.rows.parts import FAN_IN, Combine, PartedRows, Task


class DaskRows(PartedRows):
    """Rows of a Dask array or data frame, each partition a part on one of the workers.

    Use `DaskRows.of` or `DaskRows.of_frame` to create it. `close`, or the end of a `with` statement, releases the
    partitions, and stops a cluster that was started for them.

    Attributes
    ----------
    n_rows, n_features : int
    positives : ndarray, the numbers of the labelled positives among all rows, ascending
    classes : ndarray of the two labels, the positive one last
    feature_names : tuple of the names of the columns, or None for arrays
    n_parts : int, the number of partitions that are not empty

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from blindauc.rows.dask import DaskRows
    >>> from blindauc.rows.view import PartedView
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> y = np.arange(1000) < 50
    >>> with DaskRows.of(da.from_array(X, chunks=(300, 3)), y) as rows:
    ...     a, b = PartedView.of(rows).scores(np.array([1.0, 0.0, 2.0]))
    ...     mean = b.sum() / 1000
    >>> rows.n_rows, rows.n_parts, len(rows.positives)
    (1000, 4, 50)
    """

    n_parts: int

    def __init__(self, session: Session, reads: Sequence[Any], pos_label: Any) -> None:
        self._session, client = session, session.client
        facts: list[Facts] = session.call(client.gather, client.map(facts_of, reads, pure=False))
        check_facts(facts)
        self.classes = read_labels(labels_of(facts), pos_label).classes
        self.n_rows, self.n_features = sum(each.n_rows for each in facts), facts[0].n_features
        self.feature_names = facts[0].names
        filled = [(read, each.n_rows) for read, each in zip(reads, facts, strict=True) if each.n_rows]
        sizes = np.array([n_rows for _, n_rows in filled])
        starts = (np.cumsum(sizes) - sizes).tolist()
        self._parts = client.map(part_of, [read for read, _ in filled], starts, positive=self.classes[1], pure=False)
        self.n_parts = len(self._parts)
        self.positives = np.concatenate(self.results(Positives()))

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None, *, pos_label: Any = None, client: Any = None) -> Self:
        """Rows of a Dask array or data frame.

        Parameters
        ----------
        X : dask array of shape (n, p) in blocks of rows, or dask data frame
        y : dask array or series, or array-like, of shape (n,)
            Labels as in `BlindAUCClassifier`. The two classes are those of all partitions together.
        sample_weight : dask array or series, or array-like, of shape (n,), optional
        pos_label : optional
            The label of positives; by default the larger one.
        client : distributed.Client, optional
            By default the current client; if there is none, threads of this process.
        """
        check_rows(X)

        def reads(client: Any) -> list[Any]:
            columns = {"y": y} if sample_weight is None else {"y": y, "sample_weight": sample_weight}
            matrix, beside = X, []
            for name, values in columns.items():
                matrix, values = aligned(client, matrix, values, name)
                beside.append(values)
            blocks = [futures_of_partitions(client, each) for each in (matrix, *beside)]
            return client.map(read_block, *blocks, pure=False)

        return cls._of(reads, pos_label, client)

    @classmethod
    def of_frame(
        cls, frame: Any, label: str, sample_weight: str | None = None, *, pos_label: Any = None, client: Any = None
    ) -> Self:
        """Rows of a Dask data frame that has its labels, and optionally weights, as columns.

        Parameters
        ----------
        frame : dask data frame
        label : the name of the column of labels
        sample_weight : the name of a column of weights, optional
        pos_label, client : as in `of`
        """
        check_columns(frame, label, sample_weight)

        def reads(client: Any) -> list[Any]:
            tables = futures_of_partitions(client, frame)
            return client.map(read_columns, tables, label=label, weight=sample_weight, pure=False)

        return cls._of(reads, pos_label, client)

    @classmethod
    def _of(cls, reads: Callable[[Any], list[Any]], pos_label: Any, client: Any) -> Self:
        session = Session.of(client)
        try:
            return cls(session, session.call(reads, session.client), pos_label)
        except BaseException:
            session.close()
            raise

    def total(self, task: Task, combine: Combine = add) -> Any:
        """The results of `task(part)` for all parts, combined in a fixed tree on the cluster."""
        visit = uuid4().hex
        # The task is sent once, to a worker that passes it on. It is itself the result of a task, so that it can be
        # computed again if that worker is lost; scattered data would be lost with it.
        packed = cloudpickle.dumps(task)
        graph: dict[Any, Any] = {} if self.n_parts == 1 else {f"task-{visit}": (bytes, packed)}
        sent = packed if self.n_parts == 1 else f"task-{visit}"
        keys: list[Any] = [(f"visit-{visit}", k) for k in range(self.n_parts)]
        graph |= {key: (run_task, sent, part) for key, part in zip(keys, self._parts, strict=True)}
        level = 0
        while len(keys) > 1:
            groups = [keys[k : k + FAN_IN] for k in range(0, len(keys), FAN_IN)]
            level, keys = level + 1, [(f"sum{level}-{visit}", k) for k in range(len(groups))]
            graph |= {key: (combined, combine, group) for key, group in zip(keys, groups, strict=True)}
        result = self._session.call(self._session.client.get, graph, keys[0])
        return unpacked(pickle.dumps(result))  # with aligned arrays: see `in_order`

    def results(self, task: Task) -> Sequence[Any]:
        results: list[Any] = self.total(Listed(task))
        return results

    def close(self) -> None:
        """Release the partitions, and stop a cluster that was started for them."""
        self._parts = []
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
