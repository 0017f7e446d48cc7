"""Two runs side by side: a paired interval that holds, what moved, and what the command says."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run, told

from blindauc.analysis import analyse, compare
from blindauc.analysis.model_on_rows import RankedRun
from blindauc.cli.compare import comparison_lines
from blindauc.metrics import blind_auc_difference, blind_auc_score
from blindauc.report.compare import comparison_as_html

pytestmark = pytest.mark.usefixtures("few_candidates")

LABEL = ("--label", "infection", "--id", "patient", "--jobs", "1", "--json")


@pytest.fixture(scope="module")
def table():
    """Some labels are clearly wrong, and two columns tell most."""
    return drawn_patients(240, seed=0)


@pytest.fixture(scope="module")
def whole(table):
    return analyse(table, "infection", id="patient", shape="linear")


@pytest.fixture(scope="module")
def without(table):
    return analyse(table, "infection", id="patient", drop=["temperature", "crp"], shape="linear")


def drawn_patients(n, seed):
    rng, place = np.random.default_rng(seed), np.arange(n)
    illness = np.select([place < 0.3 * n, place >= n - 10], [1.0, -2.0], 0.0)
    is_labelled = (place < 0.15 * n) | (place >= n - 10)
    return pd.DataFrame(
        {
            "patient": [f"P{number:04d}" for number in range(1, n + 1)],
            "temperature": (37 + 0.9 * illness + rng.normal(0, 0.6, n)).round(1),
            "crp": np.exp(3 + illness + rng.normal(0, 0.7, n)).round(),
            "age": (60 + 4 * illness + rng.normal(0, 10, n)).round(),
            "ward": rng.choice(["bowel", "heart", "hip"], n),
            "infection": np.where(is_labelled, "yes", ""),
        }
    )


# --- the paired difference --------------------------------------------------------------------------------------------


def test_the_difference_is_that_of_two_blind_aucs():
    rng = np.random.default_rng(0)
    y, a, b = np.arange(60) < 20, rng.normal(size=60).round(1), rng.normal(size=60).round(1)
    weight = rng.integers(1, 4, 60)
    found = blind_auc_difference(y, a, b, sample_weight=weight)
    expected = blind_auc_score(y, a, sample_weight=weight) - blind_auc_score(y, b, sample_weight=weight)
    assert float(found) == pytest.approx(expected)
    assert float(blind_auc_difference(y, b, a, sample_weight=weight)) == pytest.approx(-expected)


def test_a_ranking_does_not_differ_from_itself_on_another_scale():
    rng = np.random.default_rng(0)
    score = rng.normal(size=50)
    found = blind_auc_difference(np.arange(50) < 10, score, np.exp(score))
    assert (found.low, float(found), found.high) == (0, 0, 0)


def test_the_interval_is_narrower_for_rankings_that_are_alike():
    rng = np.random.default_rng(0)
    y = np.arange(400) < 80
    score = rng.normal(size=400) + y
    alike = blind_auc_difference(y, score, score + 0.2 * rng.normal(size=400))
    other = blind_auc_difference(y, score, rng.normal(size=400) + y)
    assert alike.standard_error < 0.5 * other.standard_error


def test_rows_of_a_group_are_one_observation():
    """Each row four times over says no more than once; rows that are their own groups say what they say without."""
    rng = np.random.default_rng(0)
    y, a = np.arange(200) < 50, rng.normal(size=200)
    b = a + rng.normal(size=200)
    once = blind_auc_difference(y, a, b)
    alone = blind_auc_difference(y, a, b, groups=np.arange(200))
    assert alone.standard_error == pytest.approx(once.standard_error, rel=0.02)
    copies, whose = [np.repeat(each, 4) for each in (y, a, b)], np.repeat(np.arange(200), 4)
    assert blind_auc_difference(*copies).standard_error < 0.6 * once.standard_error
    assert blind_auc_difference(*copies, groups=whose).standard_error == pytest.approx(once.standard_error, rel=0.02)
    with pytest.raises(ValueError, match="at least two groups"):
        blind_auc_difference(y, a, b, groups=np.zeros(200))
    with pytest.raises(ValueError, match="expected 200, got 3"):
        blind_auc_difference(y, a, b, groups=[1, 2, 3])


def test_too_few_rows_for_an_interval():
    with pytest.raises(ValueError, match="at least two labelled positives"):
        blind_auc_difference([1, 0, 0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


@pytest.mark.slow
def test_the_paired_interval_holds_the_true_difference():
    """Both rankings see the same signal through noise of their own; the truth comes from a large sample."""

    def drawn(rng, n_pos, n_unl):
        y = np.repeat([1, 0], [n_pos, n_unl])
        signal = rng.normal(size=n_pos + n_unl) + 1.2 * (y == 1) + 1.2 * (rng.uniform(size=n_pos + n_unl) < 0.2)
        return y, signal + 0.3 * rng.normal(size=len(y)), signal + rng.normal(size=len(y))

    truth = float(blind_auc_difference(*drawn(np.random.default_rng(0), 400_000, 400_000)))
    intervals = [blind_auc_difference(*drawn(np.random.default_rng(seed), 60, 400)) for seed in range(1, 1001)]
    covered = np.mean([each.low <= truth <= each.high for each in intervals])
    assert 0.93 <= covered <= 0.97


# --- two analyses -----------------------------------------------------------------------------------------------------


def test_what_is_lost_without_two_columns(whole, without):
    changed = compare(whole, without)
    assert changed.judged.difference.high < 0
    assert "second ranks worse than first by" in changed.verdict
    gone = {change.column for change in changed.columns if change.after is None}
    assert {"temperature", "crp"} <= gone
    assert {change.column for change in changed.columns if change.before is None} == set()
    assert changed.rank_correlation < 0.95
    assert all(0 <= each.n_common <= each.k for each in changed.overlaps)
    sizes = [change.size for change in changed.columns]
    assert sizes == sorted(sizes, reverse=True)


def test_a_run_beside_itself_has_not_changed(whole):
    same = compare(whole, whole)
    assert same.judged.difference == (0, 0, 0)
    assert same.verdict.startswith("No difference could be shown")
    assert (same.rank_correlation, same.moved, same.newly_doubtful, same.no_longer_doubtful) == (
        pytest.approx(1),
        [],
        [],
        [],
    )
    assert all(each.n_common == each.k for each in same.overlaps)
    assert all(change.size == 0 for change in same.columns)


def test_ranks_and_doubts_are_those_of_the_runs(whole, without):
    changed, rows = compare(whole, without), whole.ranking.set_index("id")
    unlabelled = whole.ranking[~whole.ranking["labelled"]]
    for moved in changed.moved:
        assert rows.loc[moved.name, "row"] == moved.row
        assert not rows.loc[moved.name, "labelled"]
        assert unlabelled["id"].tolist().index(moved.name) + 1 == pytest.approx(moved.before, abs=2)  # ties
    doubtful = [set(each.model[1].doubtful_labels() + 1) for each in (whole, without)]
    assert doubtful[0] != doubtful[1]
    assert {each.row for each in changed.newly_doubtful} == doubtful[1] - doubtful[0]
    assert {each.row for each in changed.no_longer_doubtful} == doubtful[0] - doubtful[1]


def test_labels_that_were_taken_back(table, whole):
    first_five = whole.doubtful["row"].to_numpy()[:5] - 1
    corrected = table.copy()
    corrected.loc[first_five, "infection"] = ""
    other = analyse(corrected, "infection", id="patient", shape="linear")
    changed = compare(whole, other)
    assert (changed.n_labels_added, changed.n_labels_removed) == (0, 5)
    is_ranked = ~np.isnan([each.model[1].held_out_rank_ for each in (whole, other)]).any(axis=0)
    assert changed.judged.n_labelled == (is_ranked & (corrected["infection"] == "yes")).sum()
    taken_back = [each for each in changed.no_longer_doubtful if each.row - 1 in first_five]
    assert taken_back
    assert all(each.after is None for each in taken_back)


def test_the_command_says_how_many_flagged_labels_were_removed(table, whole):
    corrected = table.copy()
    corrected.loc[whole.doubtful["row"].to_numpy()[:2] - 1, "infection"] = ""
    found = compare(whole, analyse(corrected, "infection", id="patient", shape="linear"))
    [line] = [line for line in comparison_lines(found) if "no longer doubtful" in line]
    n_gone = sum(change.after is None for change in found.no_longer_doubtful)
    assert n_gone > 0
    assert f" {len(found.no_longer_doubtful)} no longer doubtful ({n_gone} of them no longer labelled): P" in line


def test_runs_on_other_rows_are_refused(table, whole):
    with pytest.raises(ValueError, match="one has 240, the other 200"):
        compare(whole, analyse(table.head(200), "infection", id="patient", shape="linear"))
    renamed = whole.ranking.assign(id=whole.ranking["id"].replace("P0007", "P9999"))
    with pytest.raises(ValueError, match="row 7 is 'P0007' in one and 'P9999' in the other"):
        compare(whole, RankedRun(whole.model, renamed))
    with pytest.raises(ValueError, match="pass a model and a ranking"):
        compare(whole, RankedRun(whole.model, whole.ranking.head(9)))
    with pytest.raises(ValueError, match="pass results of `analyse`, or a table"):
        compare(whole.model, whole.model)


# --- two models on a table --------------------------------------------------------------------------------------------


def test_new_rows_are_judged_by_scores(whole, without):
    new = drawn_patients(300, seed=1)
    changed = compare(whole.model, without.model, new, "infection", id="patient")
    is_labelled = (new["infection"] == "yes").to_numpy()
    assert (changed.judged.n_labelled, changed.judged.n_unlabelled) == (is_labelled.sum(), (~is_labelled).sum())
    assert changed.judged.difference.value < 0
    assert compare(whole.model, without.model, new).judged is None  # without labels


def test_the_training_table_is_judged_out_of_fold(table, whole, without):
    by_table = compare(whole.model, without.model, table, "infection", id="patient")
    assert by_table.judged.difference == compare(whole, without).judged.difference
    seen = compare(whole.model, without.model, table, "infection", training=(False, False))
    assert seen.judged.before.value > by_table.judged.before.value
    # Other rows, of which as many, and the same by number, are labelled, are not taken for those of the fit.
    other = table.assign(temperature=table["temperature"] + 0.1)
    assert compare(whole.model, whole.model, other, "infection").judged.before == seen.judged.before


def test_rows_of_a_patient_are_not_taken_for_independent(table):
    """Every patient twice: the interval is that of half as many rows."""
    twice = pd.concat([table, table.assign(age=table["age"] + 1)], ignore_index=True)
    runs = [analyse(twice, "infection", rows_by="patient", drop=drop, shape="linear") for drop in ([], ["crp"])]
    judged = compare(*runs).judged
    alone = [each.ranking.drop(columns="group") for each in runs]
    plain = compare(*(RankedRun(each.model, ranking) for each, ranking in zip(runs, alone, strict=True))).judged
    assert judged.difference.value == plain.difference.value
    width, plain_width = (each.difference.high - each.difference.low for each in (judged, plain))
    assert width > 1.2 * plain_width
    by_table = compare(*(each.model for each in runs), twice, "infection", rows_by="patient").judged
    assert by_table.difference == pytest.approx(judged.difference)


# --- the page and the command -----------------------------------------------------------------------------------------


def test_the_page_escapes_names(whole, without):
    changed = replace(compare(whole, without), names=("<b>one</b>", "two"))
    page = comparison_as_html(changed)
    assert "<b>one</b>" not in page
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert "Content-Security-Policy" in page
    assert "<h2>Labels to re-check</h2>" in page


@pytest.fixture(scope="module")
def runs(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    table.to_csv(folder / "table.csv", index=False)
    assert run(*FIT, folder / "table.csv", *LABEL, "--out", folder / "before").exit_code == 0
    drop = ("--drop", "temperature,crp")
    assert run(*FIT, folder / "table.csv", *LABEL, *drop, "--out", folder / "after").exit_code == 0
    return folder


def test_the_command_tells_what_changed(runs, tmp_path):
    result = run("compare", runs / "before", runs / "after", "--out", tmp_path / "changes.html")
    assert result.exit_code == 0, result.output
    assert "after ranks worse than before by" in result.stdout
    assert re.search(r"temperature: [+-]\d+\.\d % to not there, selected", result.stdout)
    assert "What changed from" in (tmp_path / "changes.html").read_text(encoding="utf-8")


def test_the_command_answers_machines(runs, whole, without):
    result = run("compare", runs / "before", runs / "after", "--json")
    assert result.stderr == ""
    found = json.loads(result.stdout)
    expected = compare(whole, without)
    assert found["judged"]["difference"] == pytest.approx(list(expected.judged.difference))
    assert found["rank_correlation"] == pytest.approx(expected.rank_correlation, abs=1e-4)
    on_table = json.loads(run("compare", runs / "before", runs / "after", runs / "table.csv", "--json").stdout)
    assert on_table["judged"]["difference"] == pytest.approx(found["judged"]["difference"])


def test_the_same_table_in_another_format_is_the_same_table(runs, table, tmp_path):
    """Otherwise one of two equal models would be judged out of fold, the other by rows that it has seen."""
    table.to_parquet(tmp_path / "table.parquet")
    assert run(*FIT, tmp_path / "table.parquet", *LABEL, "--out", tmp_path / "again").exit_code == 0
    told_by = run("compare", runs / "before", tmp_path / "again", runs / "table.csv")
    assert "No difference could be shown (difference 0.000" in told_by.stdout, told_by.output
    assert told_by.stdout.splitlines()[-1] == "  none changed"


def test_what_the_command_refuses(runs, tmp_path):
    before, after = runs / "before", runs / "after"
    told(run("compare", before, tmp_path / "nowhere"), "There is no")
    told(run("compare", before, after, "--out", before / "ranking.csv", "--force"), "ends in .html")
    page = tmp_path / "page.html"
    page.write_text("mine", encoding="utf-8")
    told(run("compare", before, after, "--out", page), "--force")
    assert page.read_text(encoding="utf-8") == "mine"
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "model.skops").write_bytes((before / "model.skops").read_bytes())
    told(run("compare", tmp_path / "alone", after), "or add a table")


def test_rows_without_names_must_come_from_one_table(runs, table, tmp_path):
    """Which rows of two tables are the same is not known without names."""
    options = ("--label", "infection", "--drop", "patient", "--jobs", "1", "--json")
    for name in ("one", "two"):
        table.assign(extra=np.arange(len(table)) % (5 if name == "one" else 7)).to_csv(tmp_path / f"{name}.csv")
        assert run(*FIT, tmp_path / f"{name}.csv", *options, "--out", tmp_path / name).exit_code == 0
    told(run("compare", tmp_path / "one", tmp_path / "two"), "fit both with --id")
    assert run("compare", tmp_path / "one", tmp_path / "one").exit_code == 0
