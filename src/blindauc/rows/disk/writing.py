"""The second pass over a table: write its rows as numbers, block by block, and find the medians.

A median is known only after all rows. So missing values are written as NaN, and replaced in the file at the end.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from blindauc.preprocessing.streamed import StreamedColumn, streamed_preprocessor
from blindauc.rows.disk.files import Part
from blindauc.rows.disk.medians import MedianSearch
from blindauc.rows.disk.plan import Block, NumberPlan, Plan, plan_of
from blindauc.rows.disk.survey import Report, Roles, Survey, batches_of, present_numbers

MATRIX, LABELS = "matrix.float32", "labels.uint16"


@dataclass(frozen=True)
class Sizes:
    """The rows of a batch, and the columns of the matrix."""

    n_batch: int
    n_features: int


def write_rows(
    folder: Path, parts: Sequence[Part], roles: Roles, survey: Survey, n_batch: int, report: Report
) -> dict[str, StreamedColumn]:
    """Write the matrix, the labels and the files of `beside.py` to a folder; return the columns with their medians."""
    preprocessor = streamed_preprocessor(survey.columns, survey.n_rows)
    plan = plan_of(survey.columns, preprocessor)
    sizes = Sizes(n_batch, len(preprocessor.get_feature_names_out()))
    _write_blocks(folder, parts, roles, survey, plan, sizes, report)
    columns = _with_medians(parts, survey, plan, n_batch)
    _fill_gaps(folder / MATRIX, plan, columns, sizes)
    return columns


def check_same_rows(part: Part, n_before: int, n_now: int) -> None:
    """Raise if the number of rows of a file has changed between two passes."""
    if n_before != n_now:
        raise ValueError(f"{part.path} had {n_before} rows and now has {n_now}: wait until it is completely written.")


def _write_blocks(
    folder: Path, parts: Sequence[Part], roles: Roles, survey: Survey, plan: Plan, sizes: Sizes, report: Report
) -> None:
    n_written = [0] * len(parts)
    read = list(dict.fromkeys([*plan, roles.label, *roles.beside.values()]))
    with ExitStack() as stack:
        names = [MATRIX, LABELS, *roles.beside]
        matrix, labels, *beside = [stack.enter_context((folder / name).open("wb")) for name in names]
        for number, batch in batches_of(parts, read, sizes.n_batch):
            matrix.write(_block(batch, plan, survey.searches, sizes.n_features).data)
            labels.write(survey.labels.codes(batch.column(roles.label)).data)
            at = parts[number].path, n_written[number]
            for file, (name, column) in zip(beside, roles.beside.items(), strict=True):
                file.write(survey.readers[name](batch.column(column), column, *at).data)
            n_written[number] += len(batch)
            report(len(batch))
        for file in (matrix, labels, *beside):
            flush_to_disk(file)
    for part, n_before, n_now in zip(parts, survey.part_rows, n_written, strict=True):
        check_same_rows(part, n_before, n_now)


def _block(batch: Any, plan: Plan, searches: Mapping[str, MedianSearch], n_features: int) -> Block:
    block = np.zeros((len(batch), n_features), dtype=np.float32)
    for name, column in plan.items():
        numbers = column.write(block, batch.column(name))
        if numbers is not None and name in searches:
            searches[name].see(numbers)
    return block


def _with_medians(parts: Sequence[Part], survey: Survey, plan: Plan, n_batch: int) -> dict[str, StreamedColumn]:
    """The columns with their medians. If a median is outside the bounds of its search, another pass is needed."""
    found: dict[str, float] = {}
    searches = dict(survey.searches)
    while searches:
        results = {name: search.result() for name, search in searches.items()}
        found |= {name: median for name, median in results.items() if median is not None}
        searches = {name: searches[name].elsewhere() for name, median in results.items() if median is None}
        if searches:
            for _, batch in batches_of(parts, list(searches), n_batch):
                for name, search in searches.items():
                    column = plan[name]
                    assert isinstance(column, NumberPlan)
                    search.see(present_numbers(column.read(batch.column(name))))
    return {name: replace(each, centre=found.get(name, each.centre)) for name, each in survey.columns.items()}


def _fill_gaps(path: Path, plan: Plan, columns: Mapping[str, StreamedColumn], sizes: Sizes) -> None:
    waiting = {
        each.place: columns[name].centre
        for name, each in plan.items()
        if isinstance(each, NumberPlan) and each.gap_place is not None and each.centre is None
    }
    if not waiting:
        return
    places, centres = list(waiting), np.array(list(waiting.values()), dtype=np.float32)
    n_bytes = 4 * sizes.n_features * sizes.n_batch
    with path.open("r+b") as file:
        while content := file.read(n_bytes):
            block = np.frombuffer(bytearray(content), dtype=np.float32).reshape(-1, sizes.n_features)
            cells = block[:, places]
            block[:, places] = np.where(np.isnan(cells), centres, cells)
            file.seek(-len(content), os.SEEK_CUR)
            file.write(block.data)
        flush_to_disk(file)


def flush_to_disk(file: Any) -> None:
    """Wait until what was written to a file is on disk."""
    file.flush()
    os.fsync(file.fileno())
