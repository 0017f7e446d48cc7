"""From a table that is larger than memory to the same as `analyse` gives.

The weights are fitted to all rows. What a report tells of single rows, and of how rows usually are, comes from some of
them: all labelled ones, unlabelled ones that were drawn, and those at the top of the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from blindauc import progress
from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.analysis import Analysis, build_analysis, sparsity_for
from blindauc.analysis.grouping import column_groups
from blindauc.analysis.inputs import Inputs, Wishes, check_leaks
from blindauc.analysis.labels import LabelColumn, read_labels_of
from blindauc.analysis.leaks import leaks_among
from blindauc.analysis.pipeline import Steps, joined
from blindauc.analysis.provenance import provenance
from blindauc.analysis.ranking import Wanted
from blindauc.analysis.scoring import ranks_of
from blindauc.analysis.training_summary import summarise_training
from blindauc.analysis.whole import Whole
from blindauc.estimators import BlindAUCClassifierCV
from blindauc.estimators.door import scores as scores_of_rows
from blindauc.rows.disk.cache import CachedRows
from blindauc.rows.disk.parquet import ParquetRows
from blindauc.rows.disk.size import read_size
from blindauc.rows.parts import BlockParts, PartedRows

SHARES = {"reading": 40.0, "fit": 50.0, "scores of all rows": 4.0, "reasons and stability": 6.0}
"""What takes which share of the time: measured on 2 million rows of 20 columns, text and numbers."""

_LARGE = (
    "The table is larger than memory: its {:,} rows were all fitted to, and what is told beside the weights comes from "
    "the labelled rows and a sample of the others. `blindauc score` gives the scores of all."
)

MOST_DRAWN, MOST_RANKED = 20_000, 10_000
"""Unlabelled rows that show how rows usually are, and that the ranking lists, from the top."""


def analyse_files(
    path: Any,
    wishes: Wishes,
    *,
    memory: str | None = None,
    cluster: str | None = None,
    prior: float | None = None,
    capacity: int | None = None,
    show: Sequence[str] = (),
    shape: str | Sequence[str] = "auto",
    random_state: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    name: str = "table",
) -> Analysis:
    """Learn to rank the rows of a table in files, which may be larger than memory.

    Parameters
    ----------
    path : path or list of paths, as of `ParquetRows`
    wishes : Wishes
        What is said about the columns; neither `rows_by` nor `time`.
    memory : str, optional
        How much the work may take, such as "2GB".
    cluster : str, optional
        The address of a Dask scheduler, whose workers see the same files.
    prior, capacity, show, shape, random_state, n_jobs, verbose, name : as in `analyse`

    Returns
    -------
    Analysis
        As of `analyse`; `ranking` lists all labelled rows and the first 10,000 others.
    """
    if wishes.rows_by is not None or wishes.time is not None:
        raise ValueError(
            "rows_by= and time= take a table that fits into memory: leave them out, or pass a smaller one."
        )
    kinds = {each: kind for kind, names in wishes.kinds.items() for each in names}
    with progress.steps(SHARES, is_shown=bool(verbose)) as at:
        at("reading")
        # A third of the memory: the rest is for scores, the sample and what is told.
        third = None if memory is None else read_size(memory) // 3
        source = ParquetRows(path, wishes.label, id=wishes.id, drop=wishes.drop, kinds=kinds, memory=third)
        cached = source.prepared(lambda done, of: at("reading", min(done / of, 1.0), f"reading, {done:,} rows"))
        labels = _labels(cached, wishes)
        wanted = Wanted(capacity, tuple(show))
        at("fit")
        shapes = [shape] if isinstance(shape, str) else list(shape)
        group_of = column_groups(list(cached.columns), wishes.groups)
        ranking = BlindAUCClassifierCV(
            **sparsity_for(cached.preprocessor, group_of, shapes),
            shape=shape,
            prior=prior,
            random_state=random_state,
            n_jobs=n_jobs if memory is None else None,  # other processes would take memory of their own
            verbose=verbose,
        )
        with _engine(cached, labels.is_positive, cluster) as rows:
            ranking.fit(rows)
            at("scores of all rows")
            rows.forget()
            scores = scores_of_rows(ranking, rows) + ranking.intercept_
        at("reasons and stability")
        numbers, is_drawn = _told_rows(ranking, labels.is_positive, scores)
        frame = _rows_of(source, numbers)
        whole = Whole(numbers, is_drawn, ranks_of(scores[numbers], scores), scores[~labels.is_positive], len(scores))
        labels = LabelColumn(labels.is_positive[numbers], labels.positive)
        inputs = _inputs(frame, cached, wishes, labels, group_of, whole)
        wanted.check(inputs)
        steps = Steps(cached.preprocessor, _as_if_fitted_to(ranking, numbers))
        X = steps.preprocessor.transform(inputs.columns)
        origin = provenance(asdict(wishes) | asdict(wanted) | {"prior": prior, "shape": shape}, seed=random_state)
        analysis = build_analysis(inputs, steps, X, wanted, name, origin)
        model = joined(cached.preprocessor, ranking, _training(steps, inputs, X, is_drawn))
        return replace(analysis, model=model, ranking=_from_the_top(analysis.ranking))


def _labels(cached: CachedRows, wishes: Wishes) -> LabelColumn:
    """Which rows are labelled positive, decided by the different labels."""
    values = pd.DataFrame({wishes.label: pd.Series(cached.label_values, dtype=object)})
    # As often as they come, where that decides: twice is enough.
    counts = np.minimum(np.bincount(cached.label_codes, minlength=len(values)), 2)
    repeated = values.loc[np.repeat(np.arange(len(values)), counts)].reset_index(drop=True)
    found = read_labels_of(repeated, wishes.label, wishes.positive)
    of_value = np.zeros(len(values), dtype=bool)
    of_value[np.repeat(np.arange(len(values)), counts)[found.is_positive]] = True
    return LabelColumn(of_value[cached.label_codes], found.positive)


@contextmanager
def _engine(cached: CachedRows, is_positive: Bools, cluster: str | None) -> Iterator[PartedRows]:
    if cluster is None:
        yield BlockParts.of(cached.X, is_positive, cached.weight)
        return
    from blindauc.rows.dask import connect
    from blindauc.rows.dask.mapped import mapped_rows

    with connect(cluster) as client, mapped_rows(cached.X, is_positive, cached.weight, client=client) as rows:
        yield rows


def _told_rows(ranking: Any, is_positive: Bools, scores: Floats) -> tuple[Ints, Bools]:
    """The numbers of the rows that are told of, ascending, and which of them were drawn from the unlabelled ones."""
    sampled = ranking.sampled_rows_
    drawn = sampled[~is_positive[sampled]]
    if len(drawn) > MOST_DRAWN:
        drawn = np.random.default_rng(0).choice(drawn, MOST_DRAWN, replace=False)
    # Not by sorting: that would take twice the memory of the scores.
    of_unlabelled = np.where(is_positive, -np.inf, scores)
    n_below = max(len(scores) - MOST_RANKED, 0)
    first = np.flatnonzero(of_unlabelled >= np.partition(of_unlabelled, n_below)[n_below])
    numbers = np.unique(np.concatenate([np.flatnonzero(is_positive), drawn, first]))
    return numbers, np.isin(numbers, drawn)


def _rows_of(source: ParquetRows, numbers: Ints) -> pd.DataFrame:
    """Rows of the files by their numbers."""
    taken = (part.loc[np.intersect1d(numbers, part.index, assume_unique=True)] for part in source.frames())
    return pd.concat([part for part in taken if len(part)], ignore_index=True)


def _inputs(
    frame: pd.DataFrame,
    cached: CachedRows,
    wishes: Wishes,
    labels: LabelColumn,
    group_of: dict[str, Any],
    whole: Whole,
) -> Inputs:
    columns = frame.drop(columns=[wishes.label, *wishes.left_out])
    leaks = leaks_among(columns, cached.kinds, frame[wishes.label], labels.is_positive)
    notes = check_leaks(leaks, wishes.allow_leaks)
    return Inputs(
        frame=frame,
        id=wishes.id,
        label=wishes.label,
        labels=labels,
        columns=columns,
        kinds=cached.kinds,
        group_of=group_of,
        left_out=wishes.left_out,
        rows_by=None,
        row_groups=None,
        times=None,
        notes=[*notes, _LARGE.format(whole.n_rows)],
        whole=whole,
    )


def _as_if_fitted_to(ranking: Any, numbers: Ints) -> Any:
    """The ranking with rows by their places among those that are told of."""
    told = copy(ranking)
    told.held_out_rank_ = np.full(len(numbers), np.nan)
    known = np.isin(ranking.sampled_rows_, numbers)
    told.held_out_rank_[np.searchsorted(numbers, ranking.sampled_rows_[known])] = ranking.held_out_rank_[known]
    told.labelled_rows_ = np.searchsorted(numbers, ranking.labelled_rows_)
    told.outliers_ = np.searchsorted(numbers, ranking.outliers_)
    return told


def _training(steps: Steps, inputs: Inputs, X: Floats, is_drawn: Bools) -> str:
    """What the model remembers: how the rows are that were drawn."""
    ranking = copy(steps.ranking)
    ranking.labelled_rows_ = ranking.labelled_rows_[:0]
    ranking.held_out_rank_ = ranking.held_out_rank_[is_drawn]
    scores = ranking.decision_function(X[is_drawn])
    return summarise_training(steps._replace(ranking=ranking), inputs.frame[is_drawn], scores).to_json()


def _from_the_top(ranking: pd.DataFrame) -> pd.DataFrame:
    """The labelled rows, and the first of the others."""
    is_first = (~ranking["labelled"]).cumsum() <= MOST_RANKED
    return ranking[ranking["labelled"] | is_first].reset_index(drop=True)
