"""The record of a review: nothing acknowledged is lost, nothing is changed."""

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from blindauc.review import Record, RecordFullError, checked_rows
from blindauc.review.decisions import Attempt
from blindauc.review.exchange import checked_table

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.fixture
def record(tmp_path):
    made = Record(tmp_path / "review.sqlite", data="0444", model="9f86")
    yield made
    made.close()


def attempt(request, row=1, decision="wrong", version=0, reviewer="Ada", note="", label="positive"):
    return Attempt(request, reviewer, row, f"P{row}", label, decision, note, version)


def test_a_decision_is_written_down_with_all_that_belongs_to_it(record):
    entry = record.decide(attempt("a", note="no fever"))
    assert entry.is_accepted
    assert (entry.id, entry.model, entry.attempt.note) == (1, "9f86", "no fever")
    assert entry.time.endswith("+00:00")
    assert record.entries() == [entry]
    assert record.entries(after=1) == []


def test_a_row_that_changed_meanwhile_is_refused_and_the_attempt_is_kept(record):
    assert record.decide(attempt("a")).is_accepted
    late = record.decide(attempt("b", decision="right", reviewer="Bo"))
    assert not late.is_accepted
    assert [entry.is_accepted for entry in record.entries()] == [True, False]
    assert [each.decision for each in checked_rows(record.entries())] == ["wrong"]
    assert record.decide(attempt("c", decision="right", version=1, reviewer="Bo")).is_accepted


def test_blind_reviewers_are_not_in_each_others_way_but_their_own_windows_are(record):
    assert record.decide(attempt("a"), blind=True).is_accepted
    assert record.decide(attempt("b", decision="right", reviewer="Bo"), blind=True).is_accepted
    assert not record.decide(attempt("c", decision="right"), blind=True).is_accepted
    assert record.decide(attempt("d", decision="right", version=1), blind=True).is_accepted


def test_a_repeated_request_is_not_a_second_decision(record):
    first = record.decide(attempt("a"))
    assert record.decide(attempt("a")) == first
    refused = record.decide(attempt("b"))
    assert record.decide(attempt("b")) == refused
    assert not refused.is_accepted
    assert len(record.entries()) == 2
    with pytest.raises(ValueError, match="was made before with another decision"):
        record.decide(attempt("a", decision="right"))


def test_nothing_can_be_changed_or_removed(record):
    record.decide(attempt("a"))
    other = sqlite3.connect(record.path)
    for command in (
        "UPDATE decisions SET decision = 'right'",
        "DELETE FROM decisions",
        "UPDATE about SET value = 'x'",
        "DELETE FROM about",
        "INSERT OR REPLACE INTO decisions SELECT * FROM decisions",
        "INSERT OR REPLACE INTO about VALUES ('data', 'x')",
    ):
        with pytest.raises(sqlite3.DatabaseError, match="append-only"):
            other.execute(command)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()
    assert record._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # full


def test_two_processes_see_each_others_decisions(record):
    other = Record(record.path, data="0444", model="1234")
    record.decide(attempt("a"))
    assert not other.decide(attempt("b", reviewer="Bo")).is_accepted
    assert [entry.model for entry in record.entries()] == ["9f86", "1234"]
    other.close()


def test_of_many_at_once_one_is_accepted(record):
    outcomes = []
    threads = [
        threading.Thread(target=lambda name=name: outcomes.append(record.decide(attempt(name, reviewer=name))))
        for name in "abcdefghij"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(entry.is_accepted for entry in outcomes) == 1
    assert len(record.entries()) == 10


def test_a_full_disk_is_told_and_loses_nothing(record):
    for number in range(5):
        record.decide(attempt(f"a{number}", row=number + 1))
    pages = record._connection.execute("PRAGMA page_count").fetchone()[0]
    record._connection.execute(f"PRAGMA max_page_count = {pages}")
    acknowledged = 5
    with pytest.raises(RecordFullError, match="is full"):  # noqa: PT012
        for number in range(5, 500):
            record.decide(attempt(f"a{number}", row=number + 1, note="x" * 500))
            acknowledged += 1
    assert len(record.entries()) == acknowledged
    record._connection.execute("PRAGMA max_page_count = 100000")
    assert record.decide(attempt(f"a{acknowledged}", row=acknowledged + 1, note="x" * 500)).is_accepted


FILLING = """
import resource, signal, sys
from pathlib import Path
from blindauc.review import Record, RecordFullError
from blindauc.review.decisions import Attempt
record = Record(Path(sys.argv[1]), data="0444", model="9f86")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
n = 0
try:
    while True:
        record.decide(Attempt(f"a{n}", "Ada", n + 1, "P", "positive", "wrong", "x" * 400, 0))
        n += 1
except RecordFullError:
    print(n)
"""


def test_where_the_system_refuses_to_write_more_nothing_acknowledged_is_lost(tmp_path):
    pytest.importorskip("resource", reason="limits of processes are those of Unix")
    path = tmp_path / "review.sqlite"
    done = subprocess.run([sys.executable, "-c", FILLING, str(path)], capture_output=True, text=True, check=True)
    record = Record(path, data="0444", model="9f86")
    assert len(record.entries()) == int(done.stdout) > 0
    assert record._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    record.close()


def test_a_record_of_another_table_or_of_something_else_is_refused(record, tmp_path):
    record.decide(attempt("a"))
    with pytest.raises(ValueError, match="record of another table"):
        Record(record.path, data="other", model="9f86")
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_bytes(b"no database at all" * 100)
    with pytest.raises(ValueError, match="damaged"):
        Record(wrong, data="0444", model="9f86")
    (tmp_path / "link.sqlite").symlink_to(record.path)
    with pytest.raises(FileExistsError, match="not a regular file"):
        Record(tmp_path / "link.sqlite", data="0444", model="9f86")
    with pytest.raises(OSError, match="cannot be opened"):
        Record(tmp_path / "nowhere" / "review.sqlite", data="0444", model="9f86")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"reviewer": "  "}, "must have 1 to 80"),
        ({"request": ""}, "identifier"),
        ({"note": "x" * 2001}, "2,001"),
        ({"decision": "positive"}, "must be one of right, wrong, cannot tell"),
    ],
)
def test_what_is_no_decision_is_refused(parts, words):
    with pytest.raises(ValueError, match=words):
        replace(attempt("a"), **parts)


def test_what_was_checked_as_a_table(record):
    for each in (
        attempt("a", 7, "wrong", note="no fever"),
        attempt("b", 7, "right", 1, "Bo"),
        attempt("c", 2, "cannot tell", reviewer="Bo"),
        attempt("d", 2, "wrong", 1, note="clear"),
        attempt("e", 9, "positive", label="unlabelled"),
        attempt("f", 9, "negative", label="unlabelled"),  # refused
    ):
        record.decide(each)
    table = checked_table(record.entries())
    assert list(table) == ["id", "row", "label", "decision", "note", "reviewer", "time", "model"]
    assert table[["row", "decision", "note", "reviewer"]].to_numpy().tolist() == [
        [2, "wrong", "clear", "Bo; Ada"],
        [7, "disagreement", "no fever", "Ada; Bo"],
        [9, "positive", "", "Ada"],
    ]
    assert [each.is_positive for each in checked_rows(record.entries())] == [False, None, True]
    assert checked_table(record.entries(), "Bo")["decision"].tolist() == ["cannot tell", "right"]
    assert list(checked_table([])) == ["row", "label", "decision", "note", "reviewer", "time", "model"]
