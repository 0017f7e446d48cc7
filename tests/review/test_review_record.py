"""The record of a review: nothing acknowledged is lost, nothing is changed; what decisions say; tables in and out."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import pytest
from command_line import FIT, run, told
from review_desk import Client
from scipy.optimize import brentq
from scipy.stats import beta, binom

from blindauc.analysis.pipeline import steps_of
from blindauc.datasets import make_patients
from blindauc.datasets.tables import read_table
from blindauc.model_files import load
from blindauc.report.findings import Findings
from blindauc.review import Record, RecordFullError, checked_rows
from blindauc.review.decisions import Attempt, read_decision
from blindauc.review.estimates import Prospect, share_interval
from blindauc.review.exchange import Names, checked_table, read_decisions
from blindauc.review.table_facts import TableFacts

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


def test_the_share_is_the_exact_interval_of_clopper_and_pearson():
    for n_found, n in ((0, 1), (1, 1), (3, 10), (31, 40), (0, 200)):
        share = share_interval(n_found, n)
        # At its ends, what was found lies just within a tail of 2.5 %.
        if n_found:
            assert binom.sf(n_found - 1, n, share.low) == pytest.approx(0.025)
            assert share.low == pytest.approx(beta.ppf(0.025, n_found, n - n_found + 1))
        if n_found < n:
            assert binom.cdf(n_found, n, share.high) == pytest.approx(0.025)


def test_before_any_check_the_rest_is_what_the_run_expects():
    rng = np.random.default_rng(0)
    chances = np.sort(rng.beta(0.5, 3, 200))[::-1]
    known = Prospect(tuple(chances), low=15.0, high=50.0).after({})
    assert known.share is None
    assert known.rest.value == pytest.approx(chances.sum(), rel=0.1)
    # Somewhat wider: chance is added to what was not known.
    assert 8 <= known.rest.low <= 16
    assert 48 <= known.rest.high <= 62


@pytest.mark.parametrize(("doubt_of_slope", "most"), [(0.5, 0.985), (0.0, 1.0)], ids=["as believed", "sure enough"])
def test_the_interval_of_the_rest_holds_what_it_should(doubt_of_slope, most):
    """Of runs that are off as is believed beforehand, 95 % of the intervals hold the number among the rest.

    Runs that are never too sure are doubted more than they deserve: their intervals may hold it more often.
    """
    rng = np.random.default_rng(1)
    chances = np.sort(rng.beta(0.6, 2.5, 150))[::-1]
    logits = np.log(chances / (1 - chances))

    def truly(slope, shift):
        return 1 / (1 + np.exp(-slope * logits - shift))

    low, high = (truly(1, shift).sum() for shift in (-1.96 * 0.7, 1.96 * 0.7))
    prospect = Prospect(tuple(chances), low, high)
    held, width = 0, []
    for _ in range(300):
        slope = 2 ** rng.normal(0, doubt_of_slope)
        same_sum = brentq(lambda shift, slope=slope: truly(slope, shift).sum() - chances.sum(), -8, 8)
        is_wrong = rng.random(150) < truly(slope, same_sum + rng.normal(0, 0.7))
        known = prospect.after({place: bool(is_wrong[place]) for place in range(40)})
        held += known.rest.low <= is_wrong[40:].sum() <= known.rest.high
        width.append(known.rest.high - known.rest.low)
    assert 0.92 <= held / 300 <= most
    before = prospect.after({}).rest
    assert np.mean(width) < 0.8 * (before.high - before.low)


def test_right_labels_among_the_surest_do_not_speak_against_all_others():
    """A run that is too sure of the first labels may well be right about the others."""
    prospect = Prospect((0.99,) * 20 + (0.2,) * 100, low=20.0, high=60.0)
    known = prospect.after({place: place % 4 > 0 for place in range(12)})
    assert known.n_found == 9
    # Six of the eight like those that were checked, and of the hundred others something like the twenty of the run.
    assert known.rest.low <= 14
    assert 14 <= known.rest.value <= 32


def test_more_wrong_labels_than_expected_mean_more_among_the_rest():
    prospect = Prospect((0.5,) * 60, low=15.0, high=45.0)
    many, few = (prospect.after(dict.fromkeys(range(20), found)).rest for found in (True, False))
    assert many.value > 30 > few.value
    assert prospect.after(dict.fromkeys(range(60), True)).rest.k == 0


def test_a_run_that_is_sure_can_be_wrong_and_one_that_cannot_tell_says_nothing():
    sure = Prospect((1.0, 1.0, 0.0, 0.0), low=2.0, high=2.0).after({0: False, 2: True})
    assert sure.expected == 1.0
    assert 0 <= sure.rest.low <= sure.rest.value <= sure.rest.high <= 2
    silent = Prospect((), 0.0, 0.0).after({0: True, 1: False})
    assert (silent.n_found, silent.expected, silent.rest) == (1, None, None)


@pytest.mark.parametrize(
    ("word", "label", "meant"),
    [
        ("RIGHT ", "positive", "right"),
        ("w", "positive", "wrong"),
        ("negative", "positive", "wrong"),
        ("Cannot  tell", "unlabelled", "cannot tell"),
        ("?", "positive", "cannot tell"),
        ("right", "unlabelled", "positive"),
        ("disagreement", "positive", None),
        ("2", "positive", None),
    ],
)
def test_words_of_spreadsheets(word, label, meant):
    assert read_decision(word, label) == meant


NAMES = Names(["P1", "P2", "=P3", "P4"], frozenset({1, 2, 3}))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"row": [1], "verdict": ["right"]}, "^The table has no column 'decision': add it with"),
        ({"patient": ["P1", "P2", None], "decision": ["right"] * 3}, "'id' or 'row': perhaps 'patient' is the id"),
        ({"ward": ["a", "b"], "decision": ["right"] * 2}, "^The table has no column 'id' or 'row': add one of them"),
        ({"patient": ["P4"]}, "no column 'decision', and none called 'id' or 'row': add it with .* perhaps 'patient'"),
        ({"row": [1, 2], "decision": ["right", "perhaps"]}, "Data row 2 says 'perhaps'"),
        ({"row": [1, 9], "decision": ["right", "right"]}, "Data row 2 names row '9', but the rows go from 1 to 4"),
        ({"row": [0], "decision": ["right"]}, "the rows go from 1 to 4"),
        ({"id": ["P9"], "decision": ["right"]}, "no row has that name"),
        ({"id": ["P1", "P1"], "decision": ["right", "wrong"]}, "Data rows 1 and 2 both decide on row 1"),
        ({"id": ["P1"], "row": [2], "decision": ["right"]}, "row 1, but also row 2"),
        ({"id": [None], "decision": ["right"]}, "neither id nor row"),
        ({"row": [1, 2], "decision": [None, " "]}, "blank in every row"),
        ({"row": [1], "decision": ["right"], "note": ["x" * 3000]}, "Data row 1: A note"),
    ],
)
def test_what_is_wrong_with_a_table_of_decisions(cells, words):
    with pytest.raises(ValueError, match=words):
        read_decisions(pd.DataFrame(cells), NAMES, "Ada")


def test_decisions_of_a_table():
    table = pd.DataFrame(
        {"id": ["P1", "'=P3", "P4", "P2"], "decision": ["Wrong", "right", "wrong", None], "note": ["why", None, "", ""]}
    )
    read = read_decisions(table, NAMES, "Ada")
    assert [(each.row, each.label, each.decision, each.note) for each in read] == [
        (1, "positive", "wrong", "why"),
        (3, "positive", "right", ""),
        (4, "unlabelled", "negative", ""),
    ]


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


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A run of a small table."""
    folder = tmp_path_factory.mktemp("run")
    patients = make_patients(160, random_state=0).table
    kept = patients[["patient", "ward", "temperature", "operation_minutes", "white_cells", "infection"]]
    kept = kept.assign(patient=["=1+1", *kept["patient"][1:]])
    kept.to_csv(folder / "patients.csv", index=False)
    done = run(*FIT, folder / "patients.csv", "--label", "infection", "--id", "patient", "--out", folder / "run")
    assert done.exit_code == 0, done.output
    return folder / "run"


def a_labelled(folder):
    return json.loads((folder / "findings.json").read_text())["doubts"][0]


@pytest.fixture
def untouched(fitted):
    """The run without a record, before and after."""
    yield fitted
    for path in fitted.glob("review.sqlite*"):
        path.unlink()


def test_decisions_of_a_spreadsheet_go_in_and_come_out(untouched, tmp_path):
    doubt = a_labelled(untouched)
    book = openpyxl.Workbook()
    for line in (("id", "decision", "note"), (doubt["name"], "wrong", "=HYPERLINK(1)"), ("=1+1", "cannot tell", None)):
        book.active.append(line)
    for cell in (book.active["C2"], book.active["A3"]):
        cell.data_type = "s"
    book.save(tmp_path / "decisions.xlsx")
    done = run("review", untouched, "--import", tmp_path / "decisions.xlsx", "--reviewer", "Ada")
    assert done.exit_code == 0, done.output
    assert "2 decisions were added" in done.stdout
    again = run("review", untouched, "--import", tmp_path / "decisions.xlsx", "--reviewer", "Ada")
    assert "0 decisions were added; 2 were in the record already" in again.stdout
    for name in ("checked.csv", "checked.xlsx"):
        assert run("review", untouched, "--export", tmp_path / name).exit_code == 0
        table = read_table(tmp_path / name).set_index("row")
        assert table.loc[doubt["row"], "decision"] == "wrong"
        assert table.loc[1, "decision"] == "cannot tell"
        assert len(table.loc[1, "model"]) == 64
    lines = (tmp_path / "checked.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[1].startswith('"\'=1+1",1,')
    assert '"\'=HYPERLINK(1)"' in lines[2]
    assert openpyxl.load_workbook(tmp_path / "checked.xlsx").active["A2"].data_type != "f"
    told(run("review", untouched, "--export", tmp_path / "checked.csv"), "would be replaced: pass --force")
    assert run("review", untouched, "--export", tmp_path / "checked.csv", "--force").exit_code == 0
    # What was exported can be read again, and says nothing new.
    back = run("review", untouched, "--import", tmp_path / "checked.csv")
    assert "0 decisions were added" in back.stdout


def test_nothing_is_imported_where_anything_is_wrong(untouched, tmp_path):
    table = tmp_path / "decisions.csv"
    table.write_text(f"row,decision\n{a_labelled(untouched)['row']},wrong\n2,perhaps\n")
    told(run("review", untouched, "--import", table), "Data row 2 says 'perhaps'")
    assert not (untouched / "review.sqlite").exists()
    told(run("review", untouched, "--export", tmp_path / "checked.csv"), "nothing was checked yet")
    assert not (tmp_path / "checked.csv").exists()


def test_what_the_command_refuses(untouched, tmp_path, monkeypatch):
    monkeypatch.delenv("BLINDAUC_REVIEW_PASSWORD", raising=False)
    told(run("review", tmp_path), "name a folder that `blindauc fit` wrote")
    told(run("review", untouched, "--export", tmp_path / "a.csv", "--import", tmp_path / "b.csv"), "two commands")
    told(run("review", untouched, "--export", tmp_path / "a.pdf"), "should end in")
    told(run("review", untouched, "--export", untouched / "run.json"), "should end in")
    told(run("review", untouched, "--host", "0.0.0.0"), "a password is needed: set BLINDAUC_REVIEW_PASSWORD")
    monkeypatch.setenv("BLINDAUC_REVIEW_PASSWORD", "short")
    told(run("review", untouched, "--host", "0.0.0.0"), "at least 8 characters")
    told(run("review", untouched, "--data", tmp_path / "none.csv"), "name it with --data")
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    told(run("review", untouched, "--data", other), "its SHA-256 differs")
    assert not (untouched / "review.sqlite").exists()


def test_what_is_shown_of_a_row_is_what_the_table_holds(fitted):
    frame = read_table(fitted.parent / "patients.csv")
    found = Findings.from_json((fitted / "findings.json").read_text())
    row = found.doubts[0].row
    shown = TableFacts(steps_of(load(fitted / "model.skops")), frame, found, [row])(row)
    is_labelled = (frame["infection"] == "yes").to_numpy()
    own = frame.iloc[row - 1]
    cells = {cell.column: cell for cell in shown.cells}
    assert set(cells) == {"ward", "temperature", "operation_minutes", "white_cells"}
    assert {cell.column for cell in shown.others} == {"patient"}
    temperature = cells["temperature"].compared
    for mask, below in ((is_labelled, temperature.below_labelled), (~is_labelled, temperature.below_unlabelled)):
        others = frame["temperature"][mask].dropna()
        halves = (others < own["temperature"]).mean() + (others == own["temperature"]).mean() / 2
        assert below == pytest.approx(halves)
    same = (frame["ward"] == own["ward"]).to_numpy()
    assert cells["ward"].text == own["ward"]
    assert cells["ward"].compared.labelled == pytest.approx(same[is_labelled].mean())
    assert cells["ward"].compared.unlabelled == pytest.approx(same[~is_labelled].mean())
    for curve in shown.curves:
        if curve.effect.unit == "yes":
            assert curve.value == float(curve.effect.column == f"ward={own['ward']}")
        else:
            assert curve.value == own[curve.effect.source]


def test_a_missing_cell_is_told_and_not_marked_on_its_curve(fitted):
    frame = read_table(fitted.parent / "patients.csv")
    found = Findings.from_json((fitted / "findings.json").read_text())
    row = found.doubts[0].row
    for column in ("temperature", "ward"):
        frame.loc[row - 1, column] = None
    shown = TableFacts(steps_of(load(fitted / "model.skops")), frame, found, [row])(row)
    cells = {cell.column: cell for cell in shown.cells}
    for column in ("temperature", "ward"):
        assert cells[column].text == ""
        assert cells[column].compared.is_missing
        assert cells[column].compared.labelled == pytest.approx(1 / len(found.doubts))
    assert [curve.value for curve in shown.curves if curve.effect.source == "temperature"] == [None]


def test_the_command_serves_until_it_is_interrupted(untouched, tmp_path):
    command = [sys.executable, "-m", "blindauc", "review", str(untouched)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().removeprefix("Open ").strip()
        client = Client(address)
        row = a_labelled(untouched)["row"]
        assert "<h1" in client.get(f"/rows/{row}?reviewer=Ada")["html"]
        assert client.decide("a", row, "wrong")[0] == 200
        client.close()
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
    assert "Stopped: 1 decision is in" in out
    assert (err, server.returncode) == ("", 0)


def test_a_missing_extra_and_a_port_that_is_taken_are_told_in_one_line(untouched, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told(run("review", untouched, "--port", taken.getsockname()[1]), "in use")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    told(run("review", untouched), "needs uvicorn: pip install 'blindauc[review]'")


def test_the_record_of_another_table_is_not_taken_for_this_one(untouched, tmp_path):
    Record(untouched / "review.sqlite", data="other", model="x").close()
    told(run("review", untouched, "--export", tmp_path / "checked.csv"), "record of another table")
