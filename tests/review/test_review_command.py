"""Reviews by the command line: spreadsheets in and out, what is shown of a row, and what is refused."""

import json
import signal
import socket
import subprocess
import sys

import openpyxl
import pytest
from command_line import FIT, run, told
from review_desk import Client

from blindauc.analysis.pipeline import steps_of
from blindauc.datasets import make_patients
from blindauc.datasets.tables import read_table
from blindauc.model_files import load
from blindauc.report.findings import Findings
from blindauc.review import Record
from blindauc.review.table_facts import TableFacts

pytestmark = pytest.mark.usefixtures("few_candidates")


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
