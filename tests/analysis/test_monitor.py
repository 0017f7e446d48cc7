"""New rows beside those of a fit: what is a drift, what is none, and what schedulers are told."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from command_line import run, told
from scipy import stats

from blindauc import load, save
from blindauc.analysis import analyse, monitor
from blindauc.analysis.drift import change_of_categories, change_of_numbers, p_of_less, p_of_more, p_of_unseen
from blindauc.analysis.training_summary import count_categories, count_numbers, training_summary_of
from blindauc.report.monitor import monitoring_as_html

pytestmark = pytest.mark.usefixtures("few_candidates")


def drawn(n, seed, signal=1.0):
    """Patients, one in four ill, half of the ill labelled."""
    rng = np.random.default_rng(seed)
    is_ill = rng.uniform(size=n) < 0.25
    table = pd.DataFrame(
        {
            "temperature": (37 + 0.8 * signal * is_ill + rng.normal(0, 0.6, n)).round(1),
            "crp": np.exp(3 + signal * is_ill + rng.normal(0, 0.7, n)).round(),
            "age": rng.normal(60, 10, n).round(),
            "ward": rng.choice(["bowel", "heart", "hip"], n, p=[0.5, 0.3, 0.2]),
            "smoker": np.where(rng.uniform(size=n) < 0.3, "yes", "no"),
            "day": (np.datetime64("2024-01-01") + rng.integers(0, 300, n)).astype(str),
        }
    )
    table["infection"] = np.where(is_ill & (rng.uniform(size=n) < 0.5), "yes", "")
    return table


@pytest.fixture(scope="module")
def model():
    return analyse(drawn(500, seed=0), "infection", shape="linear").model


@pytest.fixture
def new():
    return drawn(400, seed=1)


def only_drift(found):
    (column,) = found.drifted
    return column


# --- the measures -----------------------------------------------------------------------------------------------------


def test_numbers_are_counted_between_their_deciles():
    values = np.append(np.arange(100.0), np.nan)
    before = count_numbers(values)
    assert (before.counts, before.n_missing) == ([10] * 10, 1)
    assert count_numbers(np.full(50, -5.0), before.edges).counts == [50, *[0] * 9]
    assert count_numbers(np.array([np.nan, np.nan])).counts == [0]


def test_repeated_numbers_have_bins_of_their_own():
    before = count_numbers(np.repeat([0.0, 1.0, 2.0], [80, 15, 5]))
    assert (before.edges, before.counts) == ([0.0, 1.0], [80, 15, 5])


def test_the_index_is_that_of_its_formula():
    p, q = np.array([0.25, 0.25, 0.25, 0.25]), np.array([0.1, 0.2, 0.3, 0.4])
    found = change_of_numbers((1e6 * p).astype(int).tolist(), (1e6 * q).astype(int).tolist())
    assert found.psi == pytest.approx(np.sum((q - p) * np.log(q / p)), rel=1e-3)
    assert found.p_value == 0


def test_the_test_is_a_chi_squared_one():
    before, after = {"a": 60, "b": 40}, {"a": 20, "b": 30}
    expected = stats.chi2_contingency([[60, 40], [20, 30]], correction=False).pvalue
    assert change_of_categories(before, after).p_value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("before", "after"), [([], []), ([0, 0], [5, 5]), ([5, 5], [0, 0]), ([9], [4]), ([5, 0], [3, 0])]
)
def test_nothing_to_compare_is_no_change(before, after):
    assert change_of_numbers(before, after) == (0, 1)


def test_chances_of_gaps_categories_and_a_fall():
    assert p_of_more(0, 100, 0, 100) == 1
    assert p_of_more(0, 100, 40, 100) < 1e-9
    assert p_of_more(0, 0, 1, 1) == 1
    assert p_of_unseen({"a": 50, "b": 50}, 0, 100) == 1
    assert p_of_unseen({f"{k}": 1 for k in range(50)} | {"a": 50}, 45, 100) > 0.05  # half of the rows are new anyway
    assert p_of_less(0.8, 0.03, 0.8, 0.04) == pytest.approx(0.5)
    assert p_of_less(0.8, 0.03, 0.7, 0.04) == pytest.approx(stats.norm.cdf(-2))


@pytest.mark.slow
@pytest.mark.parametrize("n_after", [40, 200, 2000])
def test_chance_is_called_a_change_as_often_as_it_should(n_after):
    rng = np.random.default_rng(0)
    p_numbers, p_categories = [], []
    for _ in range(2000):
        before, after = rng.normal(size=500), rng.normal(size=n_after)
        was = count_numbers(before)
        p_numbers.append(change_of_numbers(was.counts, count_numbers(after, was.edges).counts).p_value)
        many = [f"{k}" for k in range(30)]
        share = 1 / np.arange(1, 31) / np.sum(1 / np.arange(1, 31))
        counts = [count_categories(rng.choice(many, n, p=share).astype(object)).counts for n in (500, n_after)]
        p_categories.append(change_of_categories(*counts).p_value)
    for p_values in (p_numbers, p_categories):
        assert 0.03 <= np.mean(np.array(p_values) < 0.05) <= 0.07
        assert np.mean(np.array(p_values) < 0.001) <= 0.004


# --- what is remembered -----------------------------------------------------------------------------------------------


def test_a_model_file_remembers_the_table_and_no_row_of_it(model, new, tmp_path):
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert training_summary_of(again) == training_summary_of(model)
    assert monitor(again, new) == monitor(model, new)
    assert len(model.training_) < 4000
    assert training_summary_of(model).columns["ward"].counts.keys() == {"bowel", "heart", "hip"}


def test_models_that_remember_nothing_say_so(model, new):
    from sklearn.pipeline import Pipeline

    with pytest.raises(ValueError, match="has no summary of its training table"):
        monitor(Pipeline(model.steps), new)


# --- drift, and none --------------------------------------------------------------------------------------------------


def test_rows_like_those_of_the_fit_have_no_drift(model, new):
    found = monitor(model, new, "infection")
    assert not found.has_drifted
    assert {column.column for column in found.columns} == {"temperature", "crp", "age", "ward", "smoker", "day"}
    assert sum(found.scores.after) == pytest.approx(1)
    assert found.labels.auc.low < found.labels.auc.value < found.labels.auc.high
    assert "No fall could be shown" in found.expectation


def test_the_training_table_itself_has_no_drift(model):
    found = monitor(model, drawn(500, seed=0))
    assert max(column.psi for column in found.columns) < 1e-12
    assert not found.has_drifted
    with pytest.raises(ValueError, match="the very table that the model was fitted to"):
        monitor(model, drawn(500, seed=0), "infection")


def test_values_that_move(model, new):
    found = monitor(model, new.assign(temperature=new["temperature"] + 0.7))
    column = only_drift(found)
    assert (column.column, column.is_shifted, column.has_gaps) == ("temperature", True, False)
    assert column.psi > 0.25
    assert found.scores.is_shifted
    assert "cannot be estimated from these rows" in found.expectation


def test_shares_of_categories_that_change(model, new):
    column = only_drift(monitor(model, new.assign(ward=np.where(new.index < 200, "hip", new["ward"]))))
    assert (column.column, column.is_shifted, column.unseen) == ("ward", True, {})
    column = only_drift(monitor(model, new.assign(smoker="yes")))
    assert (column.column, column.before, column.after) == ("smoker", column.before, "yes 100 %")


def test_gaps_that_grew(model, new):
    found = monitor(model, new.assign(age=new["age"].where(new.index >= 60)))
    column = only_drift(found)
    assert (column.column, column.is_shifted, column.has_gaps) == ("age", False, True)
    assert (column.missing_before, column.missing_after) == (0, 0.15)


def test_categories_never_seen(model, new):
    column = only_drift(monitor(model, new.assign(ward=new["ward"].where(new.index >= 30, "eye"))))
    assert (column.has_unseen, column.unseen) == (True, {"eye": 30})
    once = monitor(model, new.assign(ward=new["ward"].where(new.index >= 1, "eye")))
    assert not once.has_drifted
    assert next(each.unseen for each in once.columns if each.column == "ward") == {"eye": 1}


def test_dates_go_on_and_are_no_drift(model, new):
    found = monitor(model, new.assign(day="2025-03-01"))
    day = next(column for column in found.columns if column.column == "day")
    assert day.psi > 1
    assert not found.has_drifted


def test_a_ranking_that_fails_on_new_labels():
    model = analyse(drawn(600, seed=0, signal=2.0), "infection", shape="linear").model
    rng, later = np.random.default_rng(3), drawn(600, seed=2, signal=2.0)
    # The same rows, labelled by a coin: no column and no score changed.
    coin = later.assign(infection=np.where(rng.uniform(size=600) < 0.15, "yes", ""))
    assert not monitor(model, coin).has_drifted
    found = monitor(model, coin, "infection")
    assert found.labels.has_fallen
    assert found.has_drifted
    assert "less than in the fit" in found.expectation


def test_too_few_labels_for_an_auc(model, new):
    few = new.assign(infection=np.where(new.index < 5, "yes", ""))
    found = monitor(model, few, "infection")
    assert (found.labels.n_labelled, found.labels.auc) == (5, None)
    assert "at least 15 labelled rows" in found.expectation
    with pytest.raises(ValueError, match="two labelled and two other rows are needed, but there are 1 and 399"):
        monitor(model, new.assign(infection=np.where(new.index < 1, "yes", "")), "infection")


@pytest.mark.slow
def test_a_fit_that_learnt_its_rows_by_heart_is_no_drift_of_scores():
    """With as many columns as rows, rows score otherwise in the fit than new ones do: that must not count."""

    def wide(n, seed):
        rng = np.random.default_rng(seed)
        is_ill = rng.uniform(size=n) < 0.3
        table = pd.DataFrame(rng.normal(size=(n, 120)) + 0.6 * np.outer(is_ill, np.arange(120) < 5)).add_prefix("lab ")
        return table.assign(infection=np.where(is_ill & (rng.uniform(size=n) < 0.5), "yes", ""))

    model = analyse(wide(250, seed=0), "infection", shape="linear").model
    found = [monitor(model, wide(250, seed=seed)) for seed in range(1, 41)]
    assert sum(each.has_drifted for each in found) <= 2


# --- the page and the command -----------------------------------------------------------------------------------------


def test_the_page_tells_and_escapes(model, new):
    ward = new["ward"].where(new.index >= 30, "<script>alert(1)</script>")
    page = monitoring_as_html(monitor(model, new.assign(ward=ward), "infection"))
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "Something changed" in page
    assert "No drift was found" in monitoring_as_html(monitor(model, new))


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    save(model, folder / "model.skops")
    drawn(400, seed=1).to_csv(folder / "may.csv", index=False)
    drawn(400, seed=1).assign(temperature=39.5).to_csv(folder / "june.csv", index=False)
    return folder


def test_exit_codes_are_for_schedulers(saved, tmp_path):
    calm = run("monitor", saved / "model.skops", saved / "may.csv")
    assert (calm.exit_code, calm.stdout.splitlines()[-1]) == (0, "No drift was found.")
    drift = run("monitor", saved, saved / "june.csv", "--out", tmp_path / "june.html")
    assert drift.exit_code == 1
    assert re.search(r"temperature: values moved \(typically 37[.\d]*, now 39.5\)", drift.stdout)
    assert "Are the rows of" in (tmp_path / "june.html").read_text(encoding="utf-8")
    told(run("monitor", saved, tmp_path / "nowhere.csv"), "nowhere.csv")


def test_the_command_answers_machines(saved):
    result = run("monitor", saved, saved / "june.csv", "--label", "infection", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (1, "")
    assert found["has_drifted"]
    assert found["columns"][0]["column"] == "temperature"
    assert found["labels"]["n_labelled"] > 20


def test_what_the_command_refuses(saved, tmp_path):
    new = saved / "may.csv"
    before = new.read_bytes()
    told(run("monitor", saved, new, "--out", new, "--force"), "ends in .html")
    told(run("monitor", saved, new, "--label", "ward"), "The model uses 'ward' as a feature")
    page = saved / "model.html"  # a model by a name that none should have
    page.write_bytes((saved / "model.skops").read_bytes())
    told(run("monitor", page, new, "--out", page, "--force"), "would be lost")
    assert page.read_bytes() == (saved / "model.skops").read_bytes()
    told(run("monitor", saved, new, "--label", "nothing"), "no column 'nothing'")
    assert new.read_bytes() == before
    drawn(40, seed=3).drop(columns="temperature").to_csv(tmp_path / "less.csv", index=False)
    told(run("monitor", saved, tmp_path / "less.csv"), "'temperature'")
