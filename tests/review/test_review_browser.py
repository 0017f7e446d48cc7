"""The review in a real browser: by keyboard, with a reload, two windows, a conflict, a full disk and a restart."""

import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import chromium
import pandas as pd
import pytest
from command_line import FIT, run

pytest.importorskip("starlette", reason="needs starlette: pip install 'blindauc[review]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'blindauc[review]'")

from bent_findings import hostile_bent
from findings_examples import HOSTILE
from review_desk import N_LABELS, desk_in
from review_window import DESKTOP, PHONE, Window

from blindauc.datasets import make_patients
from blindauc.report.findings import Findings
from blindauc.review.record import RECORD, Record
from blindauc.review.serving import prepare
from blindauc.review.standing import checked_rows

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.fixture
def record(tmp_path):
    made = Record(tmp_path / RECORD, data="0444", model="9f86")
    yield made
    made.close()


@pytest.fixture
def serve(record, tmp_path):
    """Start a server; gives its address. All are stopped at the end."""
    running = []

    def start(*make, **options):
        blind = options.pop("blind", False)
        serving = prepare(desk_in(tmp_path, *make, record=record, blind=blind), **options).in_background()
        running.append(serving)
        return serving.__enter__()

    def stop():
        running.pop().__exit__(None, None, None)

    start.stop = stop
    yield start
    while running:
        stop()


@pytest.fixture
def window(browser):
    """A new tab."""
    with browser.another() as page:
        yield Window(page)


@pytest.fixture
def second_window(browser):
    """Another one, of another person."""
    with browser.another() as page:
        yield Window(page)


def decisions(record):
    return {each.row: each.decision for each in checked_rows(record.entries())}


def test_thirty_rows_by_keyboard_with_a_reload_in_the_middle(window, serve, record):
    address = serve()
    window.open(address)
    assert window.page.evaluate("location.search") == ""
    window.begin("Ada")
    expected = {}
    for number in range(1, 31):
        assert window.row == number
        letter, decision = (("w", "wrong"), ("r", "right"), ("c", "cannot tell"))[number % 3]
        window.decide(letter)
        expected[number] = decision
        assert window.page.evaluate("document.activeElement.id") == "row-name"
        if number == 15:
            window.page.reload()
            window.until_row(16)
    assert decisions(record) == expected
    assert len(record.entries()) == 30
    assert window.text("#progress-text").startswith("30")
    assert "10 of 20 labels were wrong" in window.text("#summary")
    assert "not checked, expect about" in window.text("#summary")
    window.until("document.getElementById('status').textContent.includes('of 20 labels were wrong')")
    hosts = {re.match(r"http://[^/]+", url)[0] for url in window.page.requests()}
    assert hosts == {re.match(r"http://[^/]+", address)[0]}
    assert window.page.complaints() == []


@contextmanager
def reviewing(folder):
    """`blindauc review` in a process of its own; gives the address that it prints."""
    command = [sys.executable, "-m", "blindauc", "review", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            yield process.stdout.readline().removeprefix("Open ").strip()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=chromium.PATIENCE)
    assert process.returncode == 0


def test_a_whole_review_from_fit_to_refit(window, second_window, tmp_path):
    patients, folder = make_patients(200, random_state=0), tmp_path / "run"
    useless = [name for name in patients.table if name.startswith("lab_")]
    patients.table.drop(columns=useless).to_csv(tmp_path / "patients.csv", index=False)
    done = run(*FIT, tmp_path / "patients.csv", "--label", "infection", "--id", "patient", "--out", folder)
    assert done.exit_code == 0, done.output
    before = Findings.from_json((folder / "findings.json").read_text(encoding="utf-8"))
    letter_of = {doubt.row: "r" if patients.infected[doubt.row - 1] else "w" for doubt in before.doubts}
    ada, bo = window, second_window
    with reviewing(folder) as address:
        ada.open(address)
        ada.begin("Ada")
        for number in range(15):
            assert ada.row == before.doubts[number].row
            ada.decide(letter_of[ada.row])
        bo.open(address)
        bo.begin("Bo")
        contested = bo.row
        assert contested == ada.row == before.doubts[15].row
        bo.decide(letter_of[contested])
        ada.key(letter_of[contested])
        ada.until("document.getElementById('trouble').innerText.includes('new decision on this row')")
        ada.until("document.getElementById('said').textContent.startsWith('Bo: ')")
        ada.until_row(contested)
        ada.decide(letter_of[contested])  # having seen what Bo said
        ada.page.reload()
        ada.until_row(before.doubts[16].row)
        for number in range(16, 30):
            by = bo if number % 2 else ada
            if by.row != before.doubts[number].row:
                by.decide("s")  # what the other has just checked
            assert by.row == before.doubts[number].row
            by.decide(letter_of[by.row])
        assert "of 30 labels were wrong" in bo.text("#summary")
        assert bo.page.complaints() == []
        (refused,) = ada.page.complaints()
        assert "409 (Conflict)" in refused["params"]["entry"]["text"]
    rows = [doubt.row for doubt in before.doubts[:30]]
    done = run("review", folder, "--export", tmp_path / "checked.csv")
    assert "30 rows were checked: " in done.output
    exported = pd.read_csv(tmp_path / "checked.csv").set_index("row")
    words = {"r": "right", "w": "wrong"}
    assert exported["decision"].to_dict() == {row: words[letter_of[row]] for row in rows}
    assert exported["reviewer"][contested] == "Bo; Ada"
    done = run("refit", folder, "--out", tmp_path / "after")
    assert done.exit_code == 0, done.output
    n_wrong = sum(letter_of[row] == "w" for row in rows)
    expected = sum(doubt.suspicion for doubt in before.doubts[:30])
    told = f"Of 30 labels that were checked {n_wrong} were wrong; the run before expected {expected:.0f}."
    assert told in done.stdout
    after = Findings.from_json((tmp_path / "after" / "findings.json").read_text(encoding="utf-8"))
    assert (after.checks.n_right, after.checks.n_wrong) == (30 - n_wrong, n_wrong)
    assert not {doubt.row for doubt in after.doubts[: len(after.doubts) - 30]} & set(rows)


def test_back_note_skip_and_help(window, serve, record):
    window.open(serve())
    window.begin("Ada")
    window.key("n")
    assert window.page.evaluate("document.activeElement.id") == "note"
    window.page.type("worried r w c")
    assert decisions(record) == {}
    window.page.press("Enter")
    window.decide("w")
    assert window.page.evaluate("document.getElementById('note').value") == ""
    window.decide("b")
    assert window.row == 1
    assert window.text("#said") == "You: wrong"
    assert window.page.evaluate("document.getElementById('wrong').getAttribute('aria-pressed')") == "true"
    assert window.page.evaluate("document.getElementById('note').value") == "worried r w c"
    window.decide("r")
    assert decisions(record) == {1: "right"}
    window.decide("s")
    assert window.row == 3
    window.key("?")
    assert window.page.evaluate("document.getElementById('help').open")
    window.key("w")  # a dialog is open: no decision
    window.page.evaluate("document.getElementById('keys').click(); document.getElementById('help').close()")
    window.key("w")  # keys are turned off
    window.page.evaluate("document.getElementById('keys').click()")
    window.decide("w")
    assert decisions(record) == {1: "right", 3: "wrong"}


def test_unlabelled_rows_are_a_list_of_their_own(window, serve, record):
    window.open(serve(), width=PHONE)
    window.begin("Ada")
    window.page.evaluate("document.querySelector('[data-queue=unlabelled]').click()")
    window.until_row(N_LABELS + 1)
    assert window.text(".question").startswith("Not labelled, and ranked high.")
    x, y = window.page.middle_of("#right")
    window.page.click(x, y)
    window.until_row(N_LABELS + 2)
    assert decisions(record) == {N_LABELS + 1: "positive"}
    assert "1 of 1 unlabelled row was positive" in window.text("#summary")
    # The results are below the row here, and their first line is above it.
    assert window.text("#found-so-far") == "1 of 1 unlabelled row was positive"
    assert window.page.evaluate("document.getElementById('found-so-far').getBoundingClientRect().bottom < 300")
    window.page.evaluate("document.getElementById('all-rows').open = true")
    window.until("document.querySelector('#list button') !== null")
    window.page.evaluate("document.querySelector('#list button').click()")
    window.until_row(N_LABELS + 1)


def test_two_windows_a_conflict_and_a_disagreement(window, second_window, serve, record):
    address = serve()
    ada, bo = window, second_window
    ada.open(address)
    ada.begin("Ada")
    bo.open(address)
    bo.begin("Bo")
    assert ada.row == bo.row == 1
    bo.decide("w")
    ada.page.evaluate("document.getElementById('note').value = 'fever on day 5'")
    ada.key("r")
    ada.until("!document.getElementById('trouble').hidden")
    assert "new decision on this row" in ada.text("#trouble")
    assert "You said: right" in ada.text("#trouble")
    ada.until("document.getElementById('said').textContent === 'Bo: wrong'")
    assert decisions(record) == {1: "wrong"}
    assert [entry.is_accepted for entry in record.entries()] == [True, False]
    ada.until("document.getElementById('note').value === 'fever on day 5'")
    ada.decide("r")  # knowing what the other said
    assert decisions(record) == {1: "disagreement"}
    assert ada.page.evaluate("document.getElementById('trouble').hidden")
    assert (
        len(ada.page.evaluate("[...document.querySelectorAll('#disagreements button')].map(b => b.textContent)")) == 1
    )
    # What another reviewer has checked is not asked again.
    assert ada.row == bo.row == 2
    ada.decide("w")
    bo.decide("s")
    assert ada.row == bo.row == 3
    exported = ada.page.evaluate("fetch(document.getElementById('export').href).then(a => a.text())")
    assert '"disagreement","fever on day 5","Bo; Ada"' in exported


def test_blind_windows_show_nothing_of_each_other(window, second_window, serve, record):
    address = serve(blind=True)
    bo = second_window
    bo.open(address)
    bo.begin("Bo")
    bo.decide("w")
    window.open(address)
    window.begin("Ada")
    assert window.row == 1
    assert window.page.evaluate("document.getElementById('said').hidden")
    window.decide("r")
    assert "0 of 1 label" in window.text("#summary")
    assert "Bo" not in window.page.evaluate("document.body.innerText")
    assert decisions(record) == {1: "disagreement"}


def test_a_full_disk_is_told_and_the_decision_is_kept(window, serve, record):
    window.open(serve())
    window.begin("Ada")
    record._connection.execute("PRAGMA max_page_count = 1")
    window.page.evaluate(f"document.getElementById('note').value = '{'x' * 1999}'")
    for _ in range(N_LABELS):
        window.key("w")
        window.until(
            "!isSending && (shown.row && !document.querySelector('#row').hasAttribute('aria-busy') || waiting)"
        )
        if window.page.evaluate("waiting !== null"):
            break
        window.page.evaluate(f"document.getElementById('note').value = '{'x' * 1999}'")
    window.until("!document.getElementById('trouble').hidden")
    assert "The disk is full" in window.text("#trouble")
    assert "kept in this window" in window.text("#trouble")
    row, before = window.row, len(record.entries())
    record._connection.execute("PRAGMA max_page_count = 100000")
    window.page.evaluate("document.getElementById('retry').click()")
    window.until("waiting === null && document.getElementById('trouble').hidden")
    assert len(record.entries()) == before + 1
    assert decisions(record)[row] == "wrong"


def test_a_decision_outlives_a_restart_of_the_server(window, serve, record):
    address = serve()
    port = int(re.search(r":(\d+)/", address)[1])
    window.open(address)
    window.begin("Ada")
    window.decide("w")
    serve.stop()
    window.key("r")
    window.until("!document.getElementById('trouble').hidden")
    assert "does not answer. Your decision is kept in this window" in window.text("#trouble")
    again = serve(port=port)
    window.page.evaluate("document.getElementById('retry').click()")
    window.until("document.getElementById('trouble').innerText.includes('session has ended')")
    window.open(again)
    window.until("waiting === null && shown !== null && shown.row === 3")
    assert decisions(record) == {1: "wrong", 2: "right"}
    assert len(record.entries()) == 2


@pytest.mark.parametrize(("width", "dark"), [(PHONE, True), (DESKTOP, False)])
def test_hostile_names_run_nothing_and_fit(window, serve, width, dark):
    window.open(serve(hostile_bent), width=width, dark=dark)
    window.begin(HOSTILE[0][:80])
    for number in range(1, len(HOSTILE)):
        window.until_row(number)
        assert window.page.evaluate("document.documentElement.scrollWidth") <= width
        window.page.evaluate(f"document.getElementById('note').value = {json.dumps(HOSTILE[2])}")
        window.decide("w")
    window.decide("b")
    # Were a text ever not escaped, the page would still not run it.
    window.page.evaluate("document.getElementById('row').innerHTML += '<img src=x onerror=\"window.hacked = true\">'")
    window.page.evaluate("new Promise(done => setTimeout(done, 50))")
    assert window.page.evaluate("typeof window.hacked") == "undefined"


def test_every_control_has_a_name_and_nothing_is_too_small_for_a_thumb(window, serve):
    window.open(serve(), width=PHONE)
    window.begin("Ada")
    nameless = (
        "[...document.querySelectorAll('button, input, a, progress, dialog')].filter(e => !(e.textContent ||"
        " e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || (e.labels && e.labels.length)))"
        ".map(e => e.outerHTML)"
    )
    assert window.page.evaluate(nameless) == []
    sizes = "[...document.querySelectorAll('.choices button')].map(b => b.getBoundingClientRect().height)"
    assert min(window.page.evaluate(sizes)) >= 32
    assert window.page.evaluate("document.querySelector('#status').getAttribute('role')") == "status"
    described = "document.getElementById('row-name').getAttribute('aria-describedby').split(' ')"
    assert window.page.evaluate(f"{described}.every(id => document.getElementById(id).textContent)")
    assert window.page.evaluate("[...document.querySelectorAll('h1, h2')].every(h => h.textContent)")
    assert window.page.evaluate("document.documentElement.lang") == "en"
