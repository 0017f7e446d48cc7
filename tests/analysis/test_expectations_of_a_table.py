"""How many positives are among the first rows of a table, how many labels are wrong, and what cannot be estimated."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run

from blindauc import BlindAUCClassifierCV, expected_found
from blindauc.analysis import analyse, audit, score_table
from blindauc.analysis.expectations import grid
from blindauc.analysis.ranking import MOST_EXPLAINED
from blindauc.analysis.reasons import NO_REASON_UP
from blindauc.cli.summary import summary
from blindauc.estimators import notebook
from blindauc.report.findings import Findings

pytestmark = pytest.mark.usefixtures("few_candidates")


# --- tables -----------------------------------------------------------------------------------------------------------


def patients(n=240, n_labelled=40, seed=0):
    rng = np.random.default_rng(seed)
    is_ill = np.arange(n) < n // 3
    table = pd.DataFrame(
        {
            "patient": [f"P{i}" for i in range(n)],
            "crp": np.round(rng.gamma(2, 10, n) + 60 * is_ill, 1),
            "fever": np.where(rng.random(n) < np.where(is_ill, 0.9, 0.1), "yes", "no"),
            "rank": rng.integers(1, 5, n),
            "ward": rng.choice(["A", "B"], n),
            "infected": np.where(np.arange(n) < n_labelled, "yes", None),
        }
    )
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.fixture(scope="module")
def table():
    return patients()


@pytest.fixture(scope="module")
def found(table):
    return analyse(table, "infected", id="patient", prior=0.2, capacity=25, show=["ward", "rank"], shape="linear")


@pytest.fixture(scope="module")
def unknown(table):
    return analyse(table, "infected", id="patient", shape="linear")


def test_the_ranking_carries_names_columns_ranges_and_reasons(table, found):
    ranking = found.ranking
    assert ranking.columns.tolist() == [
        "id",
        "row",
        "ward",
        "rank (table)",
        "rank",
        "score",
        "probability",
        "probability_low",
        "probability_high",
        "labelled",
        "reason",
    ]
    cells = table.loc[ranking["row"] - 1].reset_index(drop=True)
    for name, own in (("id", "patient"), ("ward", "ward"), ("rank (table)", "rank")):
        assert ranking[name].tolist() == cells[own].tolist()
    assert (ranking["probability_low"] <= ranking["probability"]).all()
    assert (ranking["probability"] <= ranking["probability_high"]).all()
    unlabelled = ranking[~ranking["labelled"]]
    assert unlabelled["probability"].mean() == pytest.approx(0.2, abs=0.01)
    assert (ranking.loc[ranking["labelled"], "reason"] == "").all()
    assert "(unlabelled rows: typically" in unlabelled["reason"].iloc[0]


def test_reasons_name_what_raises_the_score_of_a_row(table, found):
    unlabelled = found.ranking[~found.ranking["labelled"]]
    first, last = unlabelled.iloc[0], unlabelled.iloc[-1]
    crp = table["crp"][first["row"] - 1]
    assert f"crp {crp:.3g}" in first["reason"]
    assert crp > table["crp"][table["infected"].isna()].median()
    assert last["reason"] == NO_REASON_UP or "crp" not in last["reason"]


def test_only_the_first_unlabelled_rows_have_a_reason(table, monkeypatch):
    monkeypatch.setattr("blindauc.analysis.ranking.MOST_EXPLAINED", 7)
    ranking = analyse(table, "infected", id="patient", prior=0.2, shape="linear").ranking
    has_reason = ranking["reason"] != ""
    assert has_reason.sum() == 7
    assert has_reason[~ranking["labelled"]].iloc[:7].all()
    assert MOST_EXPLAINED == 1000


def test_the_findings_hold_the_list_and_the_curve(table, found):
    findings = Findings.from_json(found.findings.to_json())
    unlabelled = found.ranking[~found.ranking["labelled"]]
    assert findings.capacity == 25
    assert [case.rank for case in findings.cases] == list(range(1, 201))
    assert [case.name for case in findings.cases] == unlabelled["id"].tolist()
    first = findings.cases[0]
    assert first.cells == {"ward": table["ward"][first.row - 1], "rank": str(table["rank"][first.row - 1])}
    assert first.probability.value == unlabelled["probability"].iloc[0]
    assert [each.k for each in findings.found] == grid(200, 25)
    at = {each.k: each for each in findings.found}
    assert at[25].value == pytest.approx(unlabelled["probability"].iloc[:25].sum())
    assert at[25] == replace(at[25], **vars_of(expected_found(found.model, table, 25, training=True)))
    assert [each.k for each in findings.wrong] == grid(40)
    assert findings.wrong[19].value == found.doubtful["wrong_so_far"][19]
    assert findings.wrong[19].value == pytest.approx(found.model[-1].expected_wrong(20))
    assert findings.is_auc_known
    assert findings.is_prior_known


def vars_of(estimate):
    return {"value": float(estimate), "low": estimate.low, "high": estimate.high}


def test_without_show_the_strongest_columns_are_told(unknown):
    assert set(unknown.findings.cases[0].cells) == {"crp", "fever", "rank", "ward"}
    assert next(iter(unknown.findings.cases[0].cells)) == "crp"


def test_where_the_prior_cannot_be_told_there_is_no_single_probability(table, unknown):
    assert not unknown.findings.is_prior_known
    assert unknown.ranking["probability"].isna().all()
    width = unknown.ranking["probability_high"] - unknown.ranking["probability_low"]
    assert width.max() > 0.5
    scores = score_table(unknown.model, table)
    assert scores["probability"].isna().all()
    assert (scores["probability_low"] <= scores["probability_high"]).all()


def test_the_words_say_what_cannot_be_told(unknown, tmp_path):
    prior = unknown.findings.prior
    between = f"cannot be estimated from these data: from {prior.low:.3f} to {prior.high:.3f}"
    assert f"{between}; if you know it, pass --prior SHARE" in summary(unknown.findings, tmp_path)
    ranking = unknown.model[-1]
    assert f"{between}; if you know it, pass prior=" in ranking.summary()
    assert between in ranking._repr_html_()
    assert "of the first 50 rows of ranking.csv without a label expect anything from" in summary(
        unknown.findings, tmp_path
    )


def test_the_words_say_how_many_to_expect(found, tmp_path):
    told = summary(found.findings, tmp_path)
    assert "positives among unlabelled rows   0.2, as given" in told
    assert "of the first 25 rows of ranking.csv without a label expect about" in told
    assert "in the order of doubtful_labels.csv: of the first 20 expect about" in told
    assert "counted from 1, the first below the header" in told
    wrong = found.model[-1].expected_wrong(20)
    assert f"expect about {wrong:.0f} (95 % interval {wrong.low:.0f} to {wrong.high:.0f})" in found.model[-1].summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capacity": 201}, "capacity must be a whole number from 1 to 200, the number of unlabelled rows, not 201"),
        ({"capacity": 0}, "from 1 to 200"),
        ({"show": ["wrad"]}, "no column 'wrad' for show=: did you mean 'ward'?"),
    ],
)
def test_wishes_that_make_no_sense_are_told_before_the_fit(table, monkeypatch, options, message):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *_, **__: pytest.fail("this was fitted"))
    with pytest.raises(ValueError, match=message) as error:
        analyse(table, "infected", id="patient", **options, shape="linear")
    assert "\n" not in str(error.value)


def test_an_audit_says_how_many_are_wrong_so_far(table, found):
    audited = audit(found.model, patients(seed=1), "infected")
    so_far = audited["wrong_so_far"]
    np.testing.assert_allclose(so_far, audited["suspicion"].cumsum())
    assert (audited["wrong_so_far_low"] <= so_far).all()
    assert (so_far <= audited["wrong_so_far_high"]).all()


# --- fewer than fifteen positives -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def few():
    return analyse(patients(n_labelled=9), "infected", id="patient", shape="linear")


def test_with_few_positives_nothing_is_claimed(few, tmp_path):
    findings, ranking = Findings.from_json(few.findings.to_json()), few.model[-1]
    assert not findings.is_auc_known
    assert not findings.is_prior_known
    assert findings.auc == (0.5, 0.0, 1.0)
    assert (findings.found, findings.wrong) == ([], [])
    assert (ranking.prior_.low, ranking.prior_.high) == (0, 1)
    assert few.doubtful["wrong_so_far"].isna().all()
    low, high = ranking.predict_proba_interval(few.model[0].transform(patients()))
    assert low.max() < 1e-9
    assert high.min() > 1 - 1e-9
    for told in (summary(findings, tmp_path), ranking.summary(), notebook.found(ranking)):
        assert "at least 15 different rows have to be labelled" in told
        assert "0.000" not in told
        assert "0.500" not in told
    assert findings.cases[0].reason


def test_a_prior_that_is_given_stays(tmp_path):
    told = analyse(patients(n_labelled=9), "infected", id="patient", prior=0.3, shape="linear")
    assert told.model[-1].prior_ == 0.3
    assert "0.3, as given" in summary(told.findings, tmp_path)
    found = expected_found(told.model, patients(n_labelled=9), 20, training=True)
    assert (found.low, found.high) == (0, 20)


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_labelled", [9, 40])
def test_what_cannot_be_told_is_null_for_machines(n_labelled, tmp_path):
    patients(n_labelled=n_labelled).to_csv(tmp_path / "p.csv", index=False)
    options = ("--label", "infected", "--id", "patient", "--out", tmp_path / "out", "--jobs", 1, "--capacity", 30)
    shown = run(*FIT, tmp_path / "p.csv", *options, "--show", "ward,crp", "--json")
    assert shown.exit_code == 0, shown.output
    told = json.loads(shown.stdout)
    assert told["prior"][0] is None
    assert (told["auc"] is None) == (n_labelled == 9)
    assert (told["found"] is None) == (n_labelled == 9)
    if n_labelled == 40:
        assert told["found"]["k"] == 30
        assert told["found"]["value"] is None
    lines = run(*FIT, tmp_path / "p.csv", *options, "--force").stdout
    assert ("ranking.csv: how many are positive cannot be estimated" in lines) == (n_labelled == 9)
    audited = json.loads(run("audit", tmp_path / "out", tmp_path / "p.csv", "--json").stdout)
    assert (audited[0]["wrong_so_far"] is None) == (n_labelled == 9)
    words = "how many are wrong cannot be estimated" if n_labelled == 9 else "of the first 20 expect about"
    assert f"Check them in this order: {words}" in run("audit", tmp_path / "out", tmp_path / "p.csv").stdout


def test_wishes_that_make_no_sense_end_in_one_line(tmp_path):
    patients().to_csv(tmp_path / "p.csv", index=False)
    for options, message in (
        (("--capacity", 201), "capacity must be a whole number from 1 to 200"),
        (("--show", "wrad"), "no column 'wrad' for --show COLUMN: did you mean 'ward'?"),
    ):
        shown = run(*FIT, tmp_path / "p.csv", "--label", "infected", "--out", tmp_path / "out", *options)
        assert shown.exit_code == 2
        assert message in shown.stderr
        assert not (tmp_path / "out").exists()
