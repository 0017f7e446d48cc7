"""`blindauc fit --checked`, `--decisions` and `blindauc refit`: from what was checked to a new run."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run, told

from blindauc.analysis.checks import decided
from blindauc.analysis.provenance import sha256_of
from blindauc.cli.fit import _found_in
from blindauc.cli.refit import _before, _decisions
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
    assert "Of 2 labels that were checked 1 was wrong" in done.stdout
    assert "1 could not be decided, and counts as not checked." in done.stdout
    assert "the rounds before" not in done.stdout
    assert (findings_in(tmp_path / "after").checks.n_wrong, len(list(folder.glob("checked-*.csv")))) == (1, 1)
    (folder / RECORD).unlink()


def decide(folder, patients, decisions):
    """Put decisions about rows into the record of a run."""
    data = json.loads((folder / "run.json").read_text())["data_sha256"]
    record = Record(folder / RECORD, data=data, model=sha256_of(folder / "model.skops"))
    labelled = {doubt.row for doubt in findings_in(folder).doubts}
    for row, word in decisions.items():
        label = "positive" if row in labelled else "unlabelled"
        record.decide(Attempt(f"b{row}", "Bo", row, patients.table["patient"][row - 1], label, word, version=0))
    record.close()


def verdicts_in(folder):
    """The column `checked` of a ranking, by row."""
    ranking = pd.read_csv(folder / "ranking.csv", encoding="utf-8-sig")
    return ranking.dropna(subset="checked").set_index("row")["checked"].to_dict()


def test_decisions_add_up_over_rounds(first, tmp_path):
    folder, patients = first
    before = findings_in(folder)
    labels, case = [doubt.row for doubt in before.doubts[:8]], before.cases[0].row
    words = dict(zip([*labels[:5], case], ["wrong", "wrong", "right", "right", "right", "negative"], strict=True))
    names = patients.table["patient"][np.array(list(words)) - 1]
    # By name, and with a line that decides nothing.
    told_first = pd.DataFrame({"id": [*names, patients.table["patient"][199]], "decision": [*words.values(), ""]})
    told_first.to_csv(tmp_path / "first.csv", index=False)
    one, two = tmp_path / "one", tmp_path / "two"
    done = run("refit", folder, "--checked", tmp_path / "first.csv", "--out", one)
    assert done.exit_code == 0, done.output
    found = dict(zip(words, ["negative", "negative", "positive", "positive", "positive", "negative"], strict=True))
    assert verdicts_in(one) == found
    report_cases = [each.row for each in findings_in(one).cases]
    ranking = pd.read_csv(one / "ranking.csv", encoding="utf-8-sig")
    open_rows = ranking[~ranking["labelled"] & ranking["checked"].isna()]["row"].tolist()
    assert report_cases == open_rows[: len(report_cases)]

    told(run("refit", one, "--out", two), "Nothing was checked")
    decide(one, patients, {labels[5]: "wrong", labels[6]: "right", labels[7]: "cannot tell", labels[2]: "wrong"})
    done = run("refit", one, "--out", two, "--prior", 0.2, "--capacity", 7)
    assert done.exit_code == 0, done.output
    assert "This fit uses 8 rows that were checked: 6 from the rounds before and 2 new." in done.stdout
    assert "1 earlier decision was replaced by a newer one." in done.stdout
    assert "Of 2 labels that were checked in this round 1 was wrong; the run before expected" in done.stdout
    assert "1 could not be decided, and counts as not checked." in done.stdout
    assert verdicts_in(two) == found | {labels[5]: "negative", labels[6]: "positive", labels[2]: "negative"}
    after, options = findings_in(two), json.loads((two / "run.json").read_text())["arguments"]
    assert (options["prior"], options["capacity"], options["shape"]) == (0.2, 7, ["linear"])
    assert (after.prior.value, after.capacity) == (0.2, 7)
    kept = pd.read_csv(two / options["decisions"], encoding="utf-8-sig")
    assert set(kept["row"]) == {*words, *labels}

    # Without the file of the decisions the model knows them.
    (two / options["decisions"]).unlink()
    known = _before(two, {"decisions": two / options["decisions"]})
    assert dict(zip(known["row"], known["decision"], strict=True)) == verdicts_in(two)


def test_refit_with_another_option_needs_no_decision(first):
    with _decisions(first[0], None, {}, is_needed=False) as decisions:
        assert decisions == (None, None)


def test_a_newer_decision_wins_over_a_column(tmp_path):
    frame = pd.DataFrame({"seen": ["wrong", "wrong", "right", ""]})
    decisions = pd.DataFrame({"row": [1, 2, 3, 4], "decision": ["right", "cannot tell", None, "wrong"]})
    decisions.to_csv(tmp_path / "decisions.csv", index=False)
    assert _found_in(tmp_path / "decisions.csv", frame, None, "seen") == ["positive", "", "positive", "negative"]


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
