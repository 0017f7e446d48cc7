"""The analysis of a table that is larger than memory, with the results of `analyse`.

The weights are fitted to all rows. Facts about single rows, and the distribution that they are compared with, come from
some rows only: all labelled rows, a sample of the unlabelled rows, and those at the top of the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from blindauc import progress
from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.analysis import Analysis, build_analysis
from blindauc.analysis.checks import with_decisions
from blindauc.analysis.columns import check_name
from blindauc.analysis.durations import durations
from blindauc.analysis.grouping import column_groups
from blindauc.analysis.groups_and_times import ranked_groups, read_row_groups
from blindauc.analysis.held_out import as_if_fitted_to
from blindauc.analysis.inputs import Inputs, Wishes, check_leaks
from blindauc.analysis.labels import LabelColumn, find_labels, notes_on_labels, read_labels_of
from blindauc.analysis.leaks import Leak, leaks_among
from blindauc.analysis.memory import check_plan, memory_to_read
from blindauc.analysis.options import Options
from blindauc.analysis.pipeline import Steps, joined
from blindauc.analysis.scoring import ranks_of
from blindauc.analysis.training_summary import summarise_training
from blindauc.analysis.whole import Whole
from blindauc.checked import UNCHECKED
from blindauc.estimators.door import found_in
from blindauc.estimators.door import scores as scores_of_rows
from blindauc.labels import Labels
from blindauc.preprocessing.values import distinct_texts
from blindauc.rows.disk.cache import CachedRows
from blindauc.rows.disk.files import families_of, find_parts
from blindauc.rows.disk.parquet import ParquetRows
from blindauc.rows.parts import BlockParts, PartedRows
from blindauc.scorers.forest import TreeModel
from blindauc.scorers.mixed import MixedModel

_LARGE = (
    "The table was read in parts: the fit used all of its {:,} rows, but facts about single rows come from the "
    "labelled rows and a sample of the others. `blindauc score` scores all rows."
)

_TREES = (
    "The score has trees, which were fitted to the labelled rows and a sample of {:,} others: LightGBM needs the rows "
    "of a fit in memory."
)

MOST_DRAWN, MOST_RANKED = 20_000, 10_000
"""The most unlabelled rows that are drawn as a reference, and that the ranking lists (convention)."""

BLOCK_ROWS = 2**20
"""Rows whose groups are counted at once (convention)."""


def analyse_files(
    path: Any,
    wishes: Wishes,
    options: Options,
    *,
    memory: str | None = None,
    cluster: str | None = None,
    cache: Any = None,
    decisions: pd.DataFrame | None = None,
) -> Analysis:
    """Learn to rank the rows of a table in files, which may be larger than memory.

    Parameters
    ----------
    path : path or list of paths, as in `ParquetRows`
    wishes : Wishes
        The user's options about the columns.
    options : Options
        The other parameters of `analyse`.
    memory : str, optional
        How much memory the analysis may take, such as "2GB". A table that needs more is refused.
    cluster : str, optional
        The address of a Dask scheduler whose workers can read the same files.
    cache : path, optional
        A folder for the cache, as in `ParquetRows`.
    decisions : pandas.DataFrame, optional
        Results of a manual check, as `blindauc.analysis.checks.decided` reads them.

    Returns
    -------
    Analysis
        As from `analyse`, but `ranking` lists all labelled rows and the first 10,000 others, and `groups` the groups
        of the latter.
    """
    if memory is not None:
        options = replace(options, n_jobs=None)  # other processes would take memory of their own
    options.check_shapes()
    columns = _checked_columns(path, wishes, options)
    source = _source(path, wishes, memory, cache)
    plan = durations(source.n_rows * len(columns))
    with progress.steps(plan, is_shown=bool(options.verbose)) as at, _client(cluster) as client:
        at("reading")
        check_plan(memory, source.n_rows)
        cached = source.prepared(
            lambda done, of: at("reading", done / of, f"reading, pass {1 + (2 * done > of)} of 2"),
            lambda values: _labels_among(values, wishes),
        )
        cached = cached if decisions is None else with_decisions(cached, source, wishes.id, decisions)
        labels = _labels(cached, wishes)
        options.wanted.check_capacity(int(_is_open(cached, labels.is_positive).sum()))
        check_plan(memory, len(cached.X), int(labels.is_positive.sum()), cached.X.shape[1])
        at("looking for leaks")
        notes = check_leaks(_leaks(source, cached, wishes, labels.is_positive), wishes.allow_leaks)
        at("fit")
        group_of = column_groups(list(cached.columns), wishes.groups)
        ranking = options.ranking(cached.preprocessor, group_of)
        with _engine(cached, labels.is_positive, client) as rows:
            ranking.fit(rows)
            at("scores of all rows")
            rows.forget()
            scores = scores_of_rows(ranking, rows) + ranking.intercept_
        at("reasons and stability")
        whole = _whole(ranking, cached, labels.is_positive, scores)
        found = wishes.checked if decisions is None else decisions
        notes = [*notes_on_labels(labels, found), *notes, _LARGE.format(whole.n_rows), *_notes_on_trees(ranking)]
        inputs = _inputs(_rows_of(source, whole.numbers), cached, wishes, labels, group_of, whole, notes)
        steps = Steps(cached.preprocessor, as_if_fitted_to(ranking, whole.numbers))
        X = steps.preprocessor.transform(inputs.columns)
        analysis = build_analysis(inputs, steps, X, options, options.origin(wishes))
        model = joined(cached.preprocessor, ranking, _training(steps, inputs, X, whole.is_drawn))
        listed = _from_the_top(analysis.ranking)
        return replace(analysis, model=model, ranking=listed, groups=_groups_of(listed, cached, labels.is_positive))


def _checked_columns(path: Any, wishes: Wishes, options: Options) -> list[str]:
    columns = list(families_of(find_parts(path)))
    options.wanted.check_columns(columns)
    if wishes.rows_by is not None:
        check_name(columns, wishes.rows_by, "rows_by=")
    return columns


def _source(path: Any, wishes: Wishes, memory: str | None, cache: Any) -> ParquetRows:
    if wishes.checked is not None and wishes.checked_column is None:
        raise ValueError("checked= must name a column of a table in files.")
    return ParquetRows(
        path,
        wishes.label,
        groups=wishes.rows_by,
        time=wishes.time,
        checked=wishes.checked_column,
        id=wishes.id,
        drop=wishes.drop,
        kinds={each: kind for kind, names in wishes.kinds.items() for each in names},
        cache=cache,
        memory=None if memory is None else memory_to_read(memory),
    )


def _leaks(source: ParquetRows, cached: CachedRows, wishes: Wishes, is_positive: Bools) -> list[Leak]:
    """Columns that give the label away, from all labelled rows and a sample of the others."""
    others = np.flatnonzero(~is_positive)
    drawn = np.random.default_rng(0).choice(others, min(MOST_DRAWN, len(others)), replace=False)
    numbers = np.union1d(np.flatnonzero(is_positive), drawn)
    used = [name for name, kind in cached.kinds.items() if kind.is_used]
    frame = _rows_of(source, numbers, [*used, wishes.label])
    stands_for = len(others) / max(len(drawn), 1)
    return leaks_among(frame[used], cached.kinds, frame[wishes.label], is_positive[numbers], stands_for)


def _labels_among(values: Sequence[Any], wishes: Wishes) -> Labels:
    """Which of the distinct labels are positive, by the rules for tables in memory."""
    found = find_labels(_column_of(values, wishes.label), wishes.label, wishes.positive)
    return Labels(found.is_positive, np.array(["unlabelled", found.positive]))


def _column_of(values: Sequence[Any], label: str) -> pd.DataFrame:
    return pd.DataFrame({label: pd.Series(values, dtype=object)})


def _labels(cached: CachedRows, wishes: Wishes) -> LabelColumn:
    """Which rows are labelled positive, found from the distinct labels."""
    values = _column_of(cached.label_values, wishes.label)
    # Each label as often as it occurs, at most twice: `read_labels_of` needs two labelled rows.
    counts = np.minimum(np.bincount(cached.label_codes, minlength=len(values)), 2)
    repeated = values.loc[np.repeat(np.arange(len(values)), counts)].reset_index(drop=True)
    found = read_labels_of(repeated, wishes.label, wishes.positive)
    of_value = np.zeros(len(values), dtype=bool)
    of_value[np.repeat(np.arange(len(values)), counts)[found.is_positive]] = True
    codes, texts = distinct_texts(values[wishes.label])
    others = dict.fromkeys(found.others, 0)
    for code, n in zip(codes.tolist(), np.bincount(cached.label_codes, minlength=len(values)).tolist(), strict=True):
        if code >= 0 and texts[code] in others:
            others[texts[code]] += n
    return LabelColumn(of_value[cached.label_codes], found.positive, others)


@contextmanager
def _client(cluster: str | None) -> Iterator[Any]:
    """A client of the cluster, connected before the table is read; None without a cluster."""
    if cluster is None:
        yield None
        return
    from blindauc.rows.dask import connect

    with connect(cluster) as client:
        yield client


@contextmanager
def _engine(cached: CachedRows, is_labelled: Bools, client: Any) -> Iterator[PartedRows]:
    is_positive, metadata = found_in(cached, is_labelled)
    if client is None:
        blocks = BlockParts.of(cached.X, is_positive, cached.weight)
        blocks.metadata = metadata
        yield blocks
        return
    from blindauc.rows.dask.mapped import mapped_rows

    with mapped_rows(cached.X, is_positive, cached.weight, client=client) as rows:
        rows.metadata = metadata
        yield rows


def _whole(ranking: Any, cached: CachedRows, is_labelled: Bools, scores: Floats) -> Whole:
    """The facts about the full table that the analysis of some of its rows needs."""
    is_open = _is_open(cached, is_labelled)
    numbers, is_drawn = _reported_rows(ranking, is_open, scores)
    n_groups = None if cached.groups is None else len(_distinct(cached.groups))
    return Whole(numbers, is_drawn, ranks_of(scores[numbers], scores), scores[is_open], len(scores), n_groups)


def _is_open(cached: CachedRows, is_labelled: Bools) -> Bools:
    """Mask of the rows that are neither labelled nor checked."""
    return ~is_labelled if cached.verdict is None else ~is_labelled & (cached.verdict == UNCHECKED)


def _distinct(groups: Any) -> Any:
    """The distinct groups, collected block by block to save memory."""
    blocks = (np.unique(groups[start : start + BLOCK_ROWS]) for start in range(0, len(groups), BLOCK_ROWS))
    return reduce(np.union1d, blocks)


def _reported_rows(ranking: Any, is_open: Bools, scores: Floats) -> tuple[Ints, Bools]:
    """The numbers of the rows in the report, ascending, and the mask of those that were drawn as a reference.

    The report covers all labelled and checked rows, the unlabelled rows that were drawn, and those at the top.
    """
    sampled = ranking.sampled_rows_
    drawn = sampled[is_open[sampled]]
    if len(drawn) > MOST_DRAWN:
        drawn = np.random.default_rng(0).choice(drawn, MOST_DRAWN, replace=False)
    # A partition, since sorting row numbers by score would take twice the memory of the scores.
    of_unlabelled = np.where(is_open, scores, -np.inf)
    n_below = max(len(scores) - MOST_RANKED, 0)
    first = np.flatnonzero(of_unlabelled >= np.partition(of_unlabelled, n_below)[n_below])
    numbers = np.unique(np.concatenate([np.flatnonzero(~is_open), drawn, first]))
    return numbers, np.isin(numbers, drawn)


def _rows_of(source: ParquetRows, numbers: Ints, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Rows of the files by their numbers, ascending."""
    taken = []
    for part in source.frames(columns):
        first, last = np.searchsorted(numbers, [part.index.start, part.index.stop])
        taken.append(part.loc[numbers[first:last]])
    return pd.concat([part for part in taken if len(part)], ignore_index=True)


def _inputs(
    frame: pd.DataFrame,
    cached: CachedRows,
    wishes: Wishes,
    labels: LabelColumn,
    group_of: dict[str, Any],
    whole: Whole,
    notes: list[str],
) -> Inputs:
    labels = LabelColumn(labels.is_positive[whole.numbers], labels.positive)
    rows_by, verdict = wishes.rows_by, cached.verdict
    return Inputs(
        frame=frame,
        id=wishes.id,
        label=wishes.label,
        labels=labels,
        columns=frame.drop(columns=[wishes.label, *wishes.left_out]),
        kinds=cached.kinds,
        group_of=group_of,
        left_out=wishes.left_out,
        rows_by=rows_by,
        row_groups=None if rows_by is None else read_row_groups(frame, rows_by, labels.is_positive),
        times=None if cached.times is None else cached.times[whole.numbers],
        notes=notes,
        whole=whole,
        verdict=None if verdict is None or not verdict.any() else verdict[whole.numbers].astype(np.intp),
    )


def _notes_on_trees(ranking: Any) -> Iterator[str]:
    model = ranking.model_
    parts = model.parts.values() if isinstance(model, MixedModel) else [model]
    if any(isinstance(part, TreeModel) for part in parts):
        yield _TREES.format(len(np.setdiff1d(ranking.sampled_rows_, ranking.labelled_rows_)))


def _training(steps: Steps, inputs: Inputs, X: Floats, is_drawn: Bools) -> str:
    """The training summary that the model keeps: the distribution of the drawn rows, as JSON."""
    ranking = copy(steps.ranking)
    ranking.labelled_rows_ = ranking.labelled_rows_[:0]
    ranking.held_out_rank_ = ranking.held_out_rank_[is_drawn]
    scores = ranking.decision_function(X[is_drawn])
    found = summarise_training(steps._replace(ranking=ranking), inputs.frame[is_drawn], scores)
    return replace(found, is_sample=True).to_json()


def _from_the_top(ranking: pd.DataFrame) -> pd.DataFrame:
    """The labelled rows, and the first of the others."""
    is_first = (~ranking["labelled"]).cumsum() <= MOST_RANKED
    return ranking[ranking["labelled"] | is_first].reset_index(drop=True)


def _groups_of(listed: pd.DataFrame, cached: CachedRows, is_labelled: Bools) -> pd.DataFrame | None:
    """The groups of the rows at the top, which are their best rows, with their sizes in the whole table."""
    if cached.groups is None:
        return None
    is_all = len(listed) == len(cached.groups)
    groups = ranked_groups(listed if is_all else listed[: int(np.flatnonzero(~listed["labelled"])[-1]) + 1])
    wanted, place_of = np.unique(cached.groups[groups["row"].to_numpy() - 1], return_inverse=True)
    sizes = np.zeros((2, len(wanted)), dtype=np.intp)
    for start in range(0, len(cached.groups), BLOCK_ROWS):
        some = cached.groups[start : start + BLOCK_ROWS]
        place = np.minimum(np.searchsorted(wanted, some), len(wanted) - 1)
        is_wanted = wanted[place] == some
        for size, kind in zip(sizes, (is_wanted, is_wanted & is_labelled[start : start + BLOCK_ROWS]), strict=True):
            size += np.bincount(place[kind], minlength=len(wanted))
    return groups.assign(n_rows=sizes[0][place_of], n_labelled=sizes[1][place_of])
