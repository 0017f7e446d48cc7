"""Text with separators between its cells (CSV, TSV) as Arrow's record batches: the same rows however they are cut.

Text has no types. Every cell is therefore read as the text that it is, and a column becomes one of numbers only if all
its cells, in the whole file, are plainly written numbers. So the file is read twice: first to find these columns and
what may be wrong with it, then to give the rows.

Arrow reads ahead in threads of its own. They must not need Python, which could end before them and then crashes, so
that Arrow is given nothing but files that it can read alone.
"""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import re
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from blindauc import extras
from blindauc._typing import Bools, Ints

imported = partial(extras.imported, otherwise="Reading tables needs {}: pip install 'blindauc[cli]'.")

SEPARATORS = {".csv": ",;\t", ".txt": "\t,;", ".tsv": "\t", ".tab": "\t"}
"""What may separate the cells of a file with this ending; the first where there is nothing to tell by."""

ARROW_NAMES = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
COMPRESSIONS = (*ARROW_NAMES, ".xz", ".zip")

WHOLE = r"^(0|-?[1-9][0-9]{0,14})$"
DECIMAL = r"^-?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"
"""Numbers whose digits a float keeps. What begins with 0 or is longer may be a name, such as 00417, and stays text."""

DECIMAL_COMMA = r"^(-?[0-9]+),([0-9]+([eE][-+]?[0-9]+)?)$"

HEAD = 1 << 24
"""Bytes to find the layout by. The header has to fit in."""

BLOCK = 1 << 20
"""Bytes to read at a time if the rows are not long: larger ones are a little faster, and take far more memory."""

N_SAMPLED = 50
"""Lines to find the separator by."""


class TableError(ValueError):
    """A file cannot be read as a table; one line says what was expected, what came and what to do."""


@dataclass(frozen=True)
class Layout:
    """How a file of text is to be read.

    Attributes
    ----------
    names : the columns
    separator : between the cells
    n_before : rows up to the header and with it
    block_size : bytes to read at a time; a row has to fit in
    """

    names: list[str]
    separator: str
    n_before: int
    block_size: int


def text_batches(path: Path, ending: str) -> Iterator[Any]:
    """The rows of a file of text; the ending is that without the compression.

    In a file with semicolons 1,5 is the number 1.5: there the comma was taken.
    """
    record_batch = imported("pyarrow").RecordBatch
    with _as_arrow_can_read_it(path) as file:
        layout = _layout(path, file, SEPARATORS[ending])
        types = _column_types(_texts(path, file, layout), len(layout.names))
        for batch in _texts(path, file, layout):
            columns = [column.cast(to) for column, to in zip(batch.columns, types, strict=True)]
            yield record_batch.from_arrays(columns, names=layout.names)


def only_member(path: Path) -> str:
    """The name of the one file in a zip archive."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    # Archives from a Mac hold a shadow of each file.
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise TableError(f"{path} holds {len(names)} files, and one was expected: unpack it and name one of them.")
    return names[0]


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise unless there are columns, and their names differ."""
    if not names:
        raise TableError(f"{path} has no columns: export it again.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{path} has several columns of the same name, {shown(', '.join(twice))}: rename them.")


def no_rows(path: Path) -> TableError:
    """What to raise where there are columns and nothing in them."""
    return TableError(f"{path} has names of columns but no rows: export it again, with its rows.")


def shown(text: str) -> str:
    """A piece of a file, short and harmless to a terminal."""
    return repr(text if len(text) <= 60 else f"{text[:60]}...")


@contextmanager
def _as_arrow_can_read_it(path: Path) -> Iterator[Path]:
    """The same text in UTF-8, plain or in a compression that Arrow knows; if need be in a temporary file."""
    with _opened(path) as stream:
        # What spreadsheets call Unicode text.
        is_utf_16 = stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if path.suffix.lower() not in (".xz", ".zip") and not is_utf_16:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table"
        with _opened(path) as stream, copy.open("wb") as written:
            shutil.copyfileobj(codecs.EncodedFile(stream, "utf-8", "utf-16") if is_utf_16 else stream, written)
        yield copy


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    compression = path.suffix.lower()
    if compression == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(only_member(path)) as stream:
            yield stream
    elif compression == ".xz":
        with lzma.open(path) as stream:
            yield stream
    else:
        with imported("pyarrow").input_stream(str(path), compression=ARROW_NAMES.get(compression)) as stream:
            yield stream


def _layout(path: Path, file: Path, separators: str) -> Layout:
    with _opened(file) as stream:
        head = stream.read(HEAD)
    text = _decoded(path, head)
    if not text.strip():
        raise TableError(f"{path} is empty: a line with the names of the columns, and rows, were expected.")
    lines = {separator: _lines(text, separator) for separator in separators}
    separator = max(separators, key=lambda each: _evidence(lines[each]))
    n_blank = next(number for number, cells in enumerate(lines[separator]) if cells)
    header, *rows = lines[separator][n_blank:]
    names = [name.strip() or f"column {number}" for number, name in enumerate(header, start=1)]
    check_names(path, names)
    if not any(rows) and len(head) < HEAD:
        raise no_rows(path)
    longest = max(map(len, re.split(rb"[\r\n]+", head, maxsplit=N_SAMPLED)[:N_SAMPLED]))
    return Layout(names, separator, n_blank + 1, max(BLOCK, 64 * longest))


def _decoded(path: Path, head: bytes) -> str:
    if b"\0" in head:
        raise TableError(f"{path} holds binary data, and text was expected: export it as CSV, or mend its ending.")
    # What comes after the head may complete its last letter.
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        return decoder.decode(head)
    except UnicodeDecodeError as error:
        raise _not_unicode(path, head.count(b"\n", 0, error.start) + 1) from error


def _not_unicode(path: Path, row: int | str) -> TableError:
    return TableError(
        f"{path} is not in UTF-8 (row {row} has other letters): save it as CSV UTF-8, or convert it, for example with "
        "iconv -f latin1 -t utf-8."
    )


def _lines(text: str, separator: str) -> list[list[str]]:
    lines: list[list[str]] = []
    try:
        lines.extend(islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator), N_SAMPLED))
    except csv.Error:
        # A cell longer than Python allows, most likely a quote that does not end: Arrow will tell the row.
        lines.append([""])
    return lines


def _evidence(lines: Iterable[Sequence[str]]) -> tuple[int, int]:
    """How many lines have as many cells as the first if that has several, and how many those are."""
    counts = [len(cells) for cells in lines if cells]
    return (counts.count(counts[0]) if counts[0] > 1 else 0, counts[0])


def _texts(path: Path, file: Path, layout: Layout) -> Iterator[Any]:
    """The rows with all cells as text, blank ones missing."""
    pa, pa_csv = imported("pyarrow"), imported("pyarrow.csv")
    ragged: list[Any] = []

    def remember(row: Any) -> str:
        ragged.append(row)
        return "error"

    options = {
        # One thread knows the number of each row.
        "read_options": pa_csv.ReadOptions(
            use_threads=False,
            block_size=layout.block_size,
            column_names=layout.names,
            skip_rows_after_names=layout.n_before,
        ),
        "parse_options": pa_csv.ParseOptions(
            delimiter=layout.separator, newlines_in_values=True, invalid_row_handler=remember
        ),
        "convert_options": pa_csv.ConvertOptions(
            column_types=dict.fromkeys(layout.names, pa.string()), strings_can_be_null=True, null_values=[""]
        ),
    }
    try:
        with _opened(file) as stream:
            for batch in pa_csv.open_csv(stream, **options):
                yield _with_decimal_points(batch) if layout.separator == ";" else batch
    except pa.ArrowInvalid as error:
        raise _row_error(path, ragged, str(error)) from error


def _row_error(path: Path, ragged: Sequence[Any], reason: str) -> TableError:
    if ragged:
        row = ragged[0]
        return TableError(
            f"{path} has {row.actual_columns} cells in row {row.number}, {shown(row.text)}, and {row.expected_columns} "
            "columns: mend that row, with quotes around cells that hold a separator or a quote."
        )
    if "UTF8" in reason:
        return _not_unicode(path, reason.partition("Row #")[2].partition(":")[0])
    return TableError(f"{path} cannot be read ({shown(reason)}): export it again.")


def _with_decimal_points(batch: Any) -> Any:
    compute = imported("pyarrow.compute")
    columns = [compute.replace_substring_regex(column, DECIMAL_COMMA, r"\1.\2") for column in batch.columns]
    return batch.from_arrays(columns, names=batch.schema.names)


def _column_types(batches: Iterable[Any], n_columns: int) -> list[Any]:
    """What each column is: whole numbers, numbers or text, in this order of preference."""
    pa = imported("pyarrow")
    choice = np.zeros(n_columns, dtype=int)
    for batch in batches:
        for number, pattern in enumerate((WHOLE, DECIMAL)):
            columns = np.flatnonzero(choice == number)
            choice[columns[~_all_match(pattern, batch, columns)]] += 1
    types = (pa.int64(), pa.float64(), pa.string())
    return [types[number] for number in choice]


def _all_match(pattern: str, batch: Any, columns: Ints) -> Bools:
    """Whether all cells of a column match, for each of these columns."""
    pa, compute = imported("pyarrow"), imported("pyarrow.compute")
    # One search over all of them: there may be thousands of columns, and each call takes a while to begin.
    cells = pa.concat_arrays([pa.array([], pa.string()), *(batch.column(column) for column in columns.tolist())])
    matches = compute.match_substring_regex(cells, pattern).fill_null(True).to_numpy(zero_copy_only=False)
    return matches.reshape(len(columns), len(batch)).all(axis=1)
