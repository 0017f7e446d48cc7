"""The record of a review: an append-only SQLite file in the folder of the run.

It uses a write-ahead log (WAL) with full synchronisation, so that no acknowledged decision is lost if the process is
killed or the power fails.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from blindauc.files import check_is_replaceable
from blindauc.review.decisions import Attempt, Entry

RECORD = "review.sqlite"
"""The name of the file in the folder of a run."""

PATIENCE = 10.0
"""Seconds to wait while another process writes (convention)."""

_FORMAT = 1
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""Error codes of a full disk: it is either, depending on which write fails."""

_TABLES = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    request TEXT NOT NULL UNIQUE,
    reviewer TEXT NOT NULL,
    time TEXT NOT NULL,
    row INTEGER NOT NULL CHECK (row >= 1),
    name TEXT NOT NULL,
    label TEXT NOT NULL CHECK (label IN ('positive', 'unlabelled')),
    decision TEXT NOT NULL CHECK (decision IN ('right', 'wrong', 'positive', 'negative', 'cannot tell')),
    note TEXT NOT NULL,
    model TEXT NOT NULL,
    version INTEGER NOT NULL,
    is_accepted INTEGER NOT NULL CHECK (is_accepted IN (0, 1))
) STRICT;
CREATE INDEX IF NOT EXISTS decisions_of_row ON decisions (row, is_accepted);
CREATE TRIGGER IF NOT EXISTS decisions_stay BEFORE UPDATE ON decisions
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS decisions_remain BEFORE DELETE ON decisions
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS decisions_are_not_replaced BEFORE INSERT ON decisions
    WHEN EXISTS (SELECT 1 FROM decisions WHERE id = NEW.id OR request = NEW.request)
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS about_stays BEFORE UPDATE ON about
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS about_is_not_replaced BEFORE INSERT ON about
    WHEN EXISTS (SELECT 1 FROM about WHERE key = NEW.key)
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS about_remains BEFORE DELETE ON about
    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
"""
_COLUMNS = "id, request, reviewer, time, row, name, label, decision, note, model, version, is_accepted"


class RecordFullError(OSError):
    """The disk is full, and a decision was not recorded. Those that were acknowledged are safe."""


class Record:
    """The decisions of a review.

    Parameters
    ----------
    path : path
        The path of the file, which is created if it does not exist.
    data : str
        The SHA-256 of the table. A record belongs to one table, since it identifies rows by their numbers.
    model : str
        The SHA-256 of the model whose suspicions are reviewed; it is recorded with each decision.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from blindauc.review.decisions import Attempt
    >>> from blindauc.review.record import Record
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = Record(Path(folder) / "review.sqlite", data="0444", model="9f86")
    ...     first = record.decide(Attempt("a1", "Ada", 231, "P0231", "positive", "wrong", "no fever", version=0))
    ...     late = record.decide(Attempt("b1", "Bo", 231, "P0231", "positive", "right", version=0))
    ...     print(first.is_accepted, late.is_accepted, len(record.entries()))
    ...     record.close()
    True False 2
    """

    def __init__(self, path: Path, *, data: str, model: str) -> None:
        check_is_replaceable(path)
        self.path, self._model, self._lock = path, model, Lock()
        with _readable_errors(path):
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._set_up(data)
            except BaseException:
                self._connection.close()
                raise

    def _set_up(self, data: str) -> None:
        execute = self._connection.execute
        if execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
            raise ValueError(f"{self.path} is on a disk without support for WAL files: copy the run to a local disk.")
        execute("PRAGMA synchronous = FULL")
        self._connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
        about = {"format": str(_FORMAT), "data": data}
        with self._writing():
            there = dict(execute("SELECT key, value FROM about"))
            if not there:
                self._connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
                there = about
        if there != about:
            what = "table" if there.get("format") == str(_FORMAT) else "version of blindauc"
            raise ValueError(f"{self.path} is the record of another {what}: move it away to start a new one.")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def decide(self, attempt: Attempt, *, blind: bool = False) -> Entry:
        """Record a decision. When this returns, it is on disk.

        Parameters
        ----------
        attempt : Attempt
            A request that is in the record already is not recorded again.
        blind : bool, default=False
            Whether only the reviewer's own decisions count as changes of the row.

        Returns
        -------
        Entry
            It is not accepted if the row has changed since the reviewer saw it.

        Raises
        ------
        RecordFullError
            If the disk is full; nothing is recorded then.
        """
        with self._lock, _readable_errors(self.path), self._writing():
            return self._written(attempt, blind=blind)

    def decide_all(self, attempts: Iterable[Attempt]) -> int:
        """Record all decisions or none, whatever was decided before; return the number of new ones."""
        with self._lock, _readable_errors(self.path), self._writing():
            before = self._connection.total_changes
            for attempt in attempts:
                self._written(attempt, blind=False)
            return self._connection.total_changes - before

    def entries(self, after: int = 0) -> list[Entry]:
        """The entries with numbers larger than `after`, the oldest first."""
        with self._lock, _readable_errors(self.path):
            lines = self._connection.execute(f"SELECT {_COLUMNS} FROM decisions WHERE id > ? ORDER BY id", (after,))
            return [_entry(line) for line in lines]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction. On a full disk SQLite may have rolled it back by itself."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _written(self, attempt: Attempt, *, blind: bool) -> Entry:
        there = self._connection.execute(f"SELECT {_COLUMNS} FROM decisions WHERE request = ?", (attempt.request,))
        if (line := there.fetchone()) is not None:
            return _repeated(_entry(line), attempt)
        version = self._version(attempt.row, attempt.reviewer if blind else None)
        is_accepted = attempt.version in (None, version)
        seen = version if attempt.version is None else attempt.version
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        values = (
            *(attempt.request, attempt.reviewer, time, attempt.row, attempt.name, attempt.label, attempt.decision),
            *(attempt.note, self._model, seen, int(is_accepted)),
        )
        places = ", ".join("?" * len(values))
        added = self._connection.execute(
            f"INSERT INTO decisions ({_COLUMNS.removeprefix('id, ')}) VALUES ({places})", values
        )
        return Entry(int(added.lastrowid or 0), time, replace(attempt, version=seen), self._model, is_accepted)

    def _version(self, row: int, reviewer: str | None) -> int:
        of_reviewer = "" if reviewer is None else " AND reviewer = ?"
        values = (row,) if reviewer is None else (row, reviewer)
        question = f"SELECT count(*) FROM decisions WHERE row = ? AND is_accepted = 1{of_reviewer}"
        return int(self._connection.execute(question, values).fetchone()[0])


def _entry(line: Sequence[object]) -> Entry:
    id, request, reviewer, time, row, name, label, decision, note, model, version, is_accepted = line
    attempt = Attempt(
        str(request), str(reviewer), int(str(row)), str(name), str(label), str(decision), str(note), int(str(version))
    )
    return Entry(int(str(id)), str(time), attempt, str(model), bool(is_accepted))


def _repeated(entry: Entry, attempt: Attempt) -> Entry:
    """The entry of a repeated request; a ValueError if the request came with another decision before."""
    same = replace(attempt, version=entry.attempt.version) == entry.attempt
    if not same:
        raise ValueError(
            f"The request {attempt.request!r} was made before with another decision: use another identifier."
        )
    return entry


@contextmanager
def _readable_errors(path: Path) -> Iterator[None]:
    """Replace errors of SQLite by errors of one line that name the file and the remedy."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code, without the extended one
        if code in _FULL:
            raise RecordFullError(f"The disk of {path} is full ({error}): free some space.") from error
        raise OSError(f"{path} cannot be opened or written to ({error}).") from error
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is damaged, or is not the record of a review ({error}): move it away.") from error
