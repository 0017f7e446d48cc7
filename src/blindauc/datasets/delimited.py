"""Delimited text (CSV, TSV) as Arrow record batches, with types that do not depend on the batch size.

Text has no types. Every cell is therefore read as text, and a column becomes numeric only if all its cells in the whole
file are plainly written numbers. So the file is read twice: first to find the numeric columns and any errors, then to
return the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Ints
from blindauc.datasets.encodings import as_arrow_can_read_it, opened
from blindauc.datasets.layouts import SEPARATORS, Layout, Notation, find_layout
from blindauc.datasets.table_errors import TableError, check_names, imported, shown

WHOLE = r"^(0|-?[1-9][0-9]{0,14})$"
DECIMAL = r"^-?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"
"""Numbers of at most 15 digits, which a float represents exactly. Those with leading zeros or more digits may be
identifiers, such as 00417, and stay text."""

DECIMAL_COMMA = r"^(-?[0-9]+),([0-9]+([eE][-+]?[0-9]+)?)$"
WITH_THOUSANDS = r"^-?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?$"


def text_batches(path: Path, ending: str, header_row: int | None = None) -> Iterator[Any]:
    """The rows of a text file; `ending` is its extension without that of a compression.

    In a file separated by semicolons, 1,5 is the number 1.5. Columns with neither a name nor a value, which
    spreadsheets add at the right, are left out.
    """
    record_batch = imported("pyarrow").RecordBatch
    with opened_text(path, ending, header_row) as (layout, texts):
        columns = _columns(texts(), layout)
        names = [layout.names[column.place] for column in columns]
        check_names(path, names)
        for batch in texts():
            yield record_batch.from_arrays([batch.column(place).cast(to) for place, to in columns], names=names)


@contextmanager
def opened_text(
    path: Path, ending: str, header_row: int | None = None
) -> Iterator[tuple[Layout, Callable[[], Iterator[Any]]]]:
    """The layout of a text file, and a function that reads its rows with all cells as text (any number of times)."""
    with as_arrow_can_read_it(path) as file:
        layout = find_layout(path, file, SEPARATORS[ending], header_row)
        yield layout, partial(_texts, path, file, layout)


def text_notation(path: Path, ending: str, header_row: int | None = None) -> Notation:
    """The separator and the decimal mark of a text file."""
    with opened_text(path, ending, header_row) as (layout, _):
        return layout.notation


class _Column(NamedTuple):
    place: int
    type: Any


def _texts(path: Path, file: Path, layout: Layout) -> Iterator[Any]:
    """The rows with all cells as text; blank cells are missing."""
    pa, pa_csv = imported("pyarrow"), imported("pyarrow.csv")
    ragged: list[Any] = []

    def remember(row: Any) -> str:
        if not row.text.strip(f'{layout.notation.separator}" \r\n'):
            return "skip"  # spreadsheets may end with rows of separators, shorter than the header
        ragged.append(row)
        return "error"

    options = {
        # Only a single thread knows the row numbers, for messages.
        "read_options": pa_csv.ReadOptions(
            use_threads=False,
            block_size=layout.block_size,
            column_names=layout.names,
            skip_rows_after_names=layout.n_before,
        ),
        "parse_options": pa_csv.ParseOptions(
            delimiter=layout.notation.separator, newlines_in_values=True, invalid_row_handler=remember
        ),
        "convert_options": pa_csv.ConvertOptions(
            column_types=dict.fromkeys(layout.names, pa.string()), strings_can_be_null=True, null_values=[""]
        ),
    }
    try:
        with opened(file) as stream:
            for batch in map(_without_blank_rows, pa_csv.open_csv(stream, **options)):
                yield _with_decimal_points(batch, layout) if layout.notation.decimal == "," else batch
    except pa.ArrowInvalid as error:
        raise _row_error(path, ragged, str(error)) from error


def _without_blank_rows(batch: Any) -> Any:
    """The batch without blank rows, since spreadsheets add rows of separators at the end.

    With one column there are no separators: a blank cell was written with quotes, on purpose, and stays.
    """
    compute = imported("pyarrow.compute")
    if len(batch.columns) == 1 or any(column.null_count == 0 for column in batch.columns):
        return batch
    says_something = np.zeros(len(batch), dtype=bool)
    for column in batch.columns:
        says_something |= compute.is_valid(column).to_numpy(zero_copy_only=False)
    return batch.filter(imported("pyarrow").array(says_something))


def _row_error(path: Path, ragged: Sequence[Any], reason: str) -> TableError:
    if ragged:
        row = ragged[0]
        return TableError(
            f"{path} has {row.actual_columns} cells in row {row.number}, {shown(row.text)}, but {row.expected_columns} "
            "columns: correct that row, with quotes around cells that hold a separator or a quote."
        )
    return TableError(f"{path} cannot be read ({shown(reason)}): export it again.")


def _with_decimal_points(batch: Any, layout: Layout) -> Any:
    compute = imported("pyarrow.compute")
    columns = batch.columns
    if layout.has_thousands:
        columns = [_without_thousands(column) for column in columns]
    columns = [compute.replace_substring_regex(column, DECIMAL_COMMA, r"\1.\2") for column in columns]
    return batch.from_arrays(columns, names=batch.schema.names)


def _without_thousands(column: Any) -> Any:
    compute = imported("pyarrow.compute")
    is_grouped = compute.match_substring_regex(column, WITH_THOUSANDS)
    return compute.if_else(is_grouped, compute.replace_substring(column, ".", ""), column)


def _columns(batches: Iterable[Any], layout: Layout) -> list[_Column]:
    """The columns to keep, with their types: integers, floats or text, in this order of preference."""
    pa = imported("pyarrow")
    choice, has_value = np.zeros(len(layout.names), dtype=int), np.ones(len(layout.names), dtype=bool)
    has_value[layout.unnamed] = False
    for batch in batches:
        for number, pattern in enumerate((WHOLE, DECIMAL)):
            columns = np.flatnonzero(choice == number)
            choice[columns[~_all_match(pattern, batch, columns)]] += 1
        for place in layout.unnamed:
            has_value[place] |= batch.column(place).null_count < len(batch)
    types = (pa.int64(), pa.float64(), pa.string())
    return [_Column(place, types[choice[place]]) for place in np.flatnonzero(has_value).tolist()]


def _all_match(pattern: str, batch: Any, columns: Ints) -> Bools:
    """Whether all cells of a column match the pattern, for each of the given columns."""
    pa, compute = imported("pyarrow"), imported("pyarrow.compute")
    # A single call for all columns: there may be thousands, and every call has an overhead.
    cells = pa.concat_arrays([pa.array([], pa.string()), *(batch.column(column) for column in columns.tolist())])
    matches = compute.match_substring_regex(cells, pattern).fill_null(True).to_numpy(zero_copy_only=False)
    return matches.reshape(len(columns), len(batch)).all(axis=1)
