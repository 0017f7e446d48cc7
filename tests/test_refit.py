"""`blindauc fit --checked`, `--decisions` and `blindauc refit`: from what was checked to a new run."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run, told

from blindauc.analysis.checks import decided
from blindauc.analysis.provenance import sha256_of
from blindauc.datasets import make_patients
from blindauc.report.findings import Findings
from blindauc.review import Record
from blindauc.review.decisions import Attempt
from blindauc.review.record import RECORD

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A run, the table beside it, and who is infected in truth."""
    folder = tmp_path_factory.mktemp("refit")
    patients = make_patients(200, random_state=0)
    patients.table.to_csv(folder / "patients.csv", index=False)
    done = run(*FIT, folder / "patients.csv", "--label", "infection", "--id", "patient", "--out", folder / "run")
    assert done.exit_code == 0, done.output
    return folder / "run", patients


def findings_in(folder):
    return Findings.from_json((folder / "findings.json").read_text(encoding="utf-8"))


def as_decisions(patients, rows):
    is_infected = np.asarray(patients.infected)[np.array(rows) - 1]
    return pd.DataFrame({"row": rows, "decision": np.where(is_infected, "right", "wrong")})


def test_refit_uses_decisions_and_tells_what_changed(first, tmp_path):
    folder, patients = first
    before = findings_in(folder)
    rows = [doubt.row for doubt in before.doubts[:12]]
    decisions = as_decisions(patients, rows)
    decisions.to_csv(tmp_path / "checked.csv", index=False)
    done = run("refit", folder, "--checked", tmp_path / "checked.csv", "--out", tmp_path / "after")
    assert done.exit_code == 0, done.output
    n_wrong = int((decisions["decision"] == "wrong").sum())
    expected = sum(doubt.suspicion for doubt in before.doubts[:12])
    assert (
        f"Of 12 labels that were checked {n_wrong} were wrong; the run before expected {expected:.0f}." in done.stdout
    )
    assert "What changed" in done.stdout
    assert (tmp_path / "after" / "changes.html").exists()
    after = findings_in(tmp_path / "after")
    assert (after.checks.n_right, after.checks.n_wrong) == (12 - n_wrong, n_wrong)
    # Those that were checked come last.
    assert {doubt.row for doubt in after.doubts[-12:]} == set(rows)
    assert {doubt.suspicion for doubt in after.doubts[-12:]} <= {0.0, 1.0}
    assert [each.k for each in after.wrong][-1] == len(after.doubts)
    assert f"{n_wrong} were wrong" in (tmp_path / "after" / "report.html").read_text(encoding="utf-8")
    options = json.loads((tmp_path / "after" / "run.json").read_text())["arguments"]
    assert (tmp_path / "after" / options["decisions"]).resolve() == (tmp_path / "checked.csv").resolve()
    told(run("refit", folder, "--checked", tmp_path / "checked.csv", "--out", tmp_path / "after"), "would be replaced")


def test_refit_reads_the_record_of_a_review(first, tmp_path):
    folder, patients = first
    data = json.loads((folder / "run.json").read_text())["data_sha256"]
    record = Record(folder / RECORD, data=data, model=sha256_of(folder / "model.skops"))
    rows = [doubt.row for doubt in findings_in(folder).doubts[:3]]
    for row, word in zip(rows, ("wrong", "right", "cannot tell"), strict=True):
        record.decide(Attempt(f"a{row}", "Ada", row, patients.table["patient"][row - 1], "positive", word, version=0))
    record.close()
    done = run("refit", folder, "--out", tmp_path / "after")
    assert done.exit_code == 0, done.output
    assert "Of 2 labels that were checked 1 were wrong" in done.stdout
    assert (findings_in(tmp_path / "after").checks.n_wrong, len(list(folder.glob("checked-*.csv")))) == (1, 1)
    (folder / RECORD).unlink()


def test_a_column_says_what_was_found(first, tmp_path):
    folder, patients = first
    rows = [doubt.row for doubt in findings_in(folder).doubts[:6]]
    table = patients.table.assign(seen="")
    table.loc[np.array(rows) - 1, "seen"] = "wrong"
    table.to_csv(tmp_path / "table.csv", index=False)
    options = (tmp_path / "table.csv", "--label", "infection", "--id", "patient")
    done = run(*FIT, *options, "--checked", "seen", "--out", tmp_path / "run", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["checks"]["n_wrong"] == 6
    assert "seen" in found["set_aside"]
    told(run(*FIT, *options, "--checked", "nothing", "--out", tmp_path / "no"), "nothing")
    told(
        run(*FIT, *options, "--checked", "ward", "--out", tmp_path / "no"),
        "The column 'ward' does not hold results of a check",
    )
    assert not (tmp_path / "no").exists()


def test_refit_of_what_is_no_run(tmp_path, first):
    told(run("refit", tmp_path), "name a folder that `blindauc fit` wrote")
    told(run("refit", first[0], "--out", tmp_path / "out"), "Nothing was checked")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("decisions", "words"),
    [
        ({"row": [1], "said": ["wrong"]}, "needs the columns 'decision' and 'row'"),
        ({"row": [0], "decision": ["wrong"]}, "the table has no such row"),
        ({"row": [5], "decision": ["wrong"]}, "the table has no such row"),
        ({"row": ["first"], "decision": ["wrong"]}, "the table has no such row"),
        ({"row": [2, 2], "decision": ["wrong", "right"]}, "again: remove one of the two"),
        ({"row": [2], "decision": ["perhaps"]}, "says 'perhaps'"),
        ({"id": ["z"], "decision": ["wrong"]}, "the table has no such row"),
    ],
)
def test_decisions_that_make_no_sense(decisions, words):
    with pytest.raises(ValueError, match=words):
        decided(pd.DataFrame(decisions), list("abcd"), 4)


def test_decisions_by_name():
    decisions = pd.DataFrame({"id": ["d", "b"], "decision": ["Wrong", None]})
    assert decided(decisions, list("abcd"), 4).tolist() == [0, 0, 0, -1]
