"""What notebooks show of an estimator: scikit-learn's diagram, and above it what was found."""

import html
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier
from blindauc.datasets import make_paper_data
from blindauc.estimators.notebook import found
from blindauc.report.comparing import SIMPLER_TELLS_NO_WRONG_LABELS, verdict
from blindauc.report.words import MINUS

pytestmark = pytest.mark.usefixtures("few_mixtures")

DATA = make_paper_data(n_features=20, n_outliers=3, n_relevant=10, random_state=0)
NAMES = [f"column_{number}" for number in range(20)]
HOSTILE = ["<script>window.hacked = true</script>", "\"'><img src=x onerror='window.hacked = true'>", *NAMES[2:]]
FEW = {"shape": "linear", "cv": 2, "n_repeats": 1, "scaling": "standard", "l2": [0.1, 10.0], "n_outliers": 3} | {
    "n_features_to_select": 8
}
ROW = re.compile(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td></tr>")


def fitted(model, names=NAMES):
    return model.fit(pd.DataFrame(DATA.X, columns=names), DATA.y_pu)


def quick(n_features_to_select=8, Estimator=BlindAUCClassifier, calibrate=True, scaling="none"):
    return Estimator(n_features_to_select, 3, l2=100.0, solver="path", calibrate=calibrate, scaling=scaling)


def told(model):
    """The table's rows as a reader sees them."""
    return {what: html.unescape(re.sub("<[^>]*>", "", cell)) for what, cell in ROW.findall(found(model))}


@pytest.fixture(scope="module")
def model():
    return fitted(quick())


@pytest.fixture(scope="module")
def tuned():
    return fitted(BlindAUCClassifierCV(**FEW))


def test_before_the_fit_there_is_the_diagram_alone(model):
    for unfitted in (BlindAUCClassifier(), BlindAUCClassifierCV(), clone(model)):
        shown = unfitted._repr_html_()
        assert "What was found" not in shown
        assert "sk-container" in shown


@pytest.mark.parametrize("Estimator", [BlindAUCClassifier, PUErrorClassifier])
def test_after_the_fit_it_tells_what_was_found(Estimator):
    model = fitted(quick(Estimator=Estimator))
    rows = told(model)
    assert rows["Rows"] == f"{model.n_labelled_} labelled positives, {model.n_unlabelled_:,} unlabelled"
    assert rows["AUC"] == f"{model.auc_:.2f} (95 % interval {model.auc_.low:.2f} to {model.auc_.high:.2f})"
    wrong = model.expected_wrong(20)
    assert rows["Labels to check"] == (
        f"of the first 20 expect about {wrong:.0f} (95 % interval {wrong.low:.0f} to {wrong.high:.0f}) to be wrong"
    )
    assert rows["Columns"].startswith("8 of 20: ")
    assert "Chosen" not in rows  # the diagram has the parameters
    assert (model.n_labelled_, model.n_unlabelled_) == ((DATA.y_pu == 1).sum(), (DATA.y_pu != 1).sum())


def test_both_formats_are_the_diagram_with_the_table_above(model):
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == repr(model)
    for shown in (bundle["text/html"], model._repr_html_()):
        assert shown.startswith(found(model))
        assert "sk-container" in shown
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_the_strongest_columns_are_named_in_order_with_their_direction(model):
    weight = model.coef_ * DATA.X[DATA.y_pu != 1].std(axis=0)
    strongest = np.argsort(-np.abs(weight))[:5]
    named = ", ".join(f"{NAMES[i]} {'+' if weight[i] > 0 else MINUS}" for i in strongest)
    assert told(model)["Columns"] == f"8 of 20: {named}, \u2026"


def test_units_do_not_decide_which_column_is_strong():
    in_other_units = np.where(np.arange(20) % 2, 1e3, 1e-3)
    one = quick(None, scaling="standard").fit(DATA.X, DATA.y_pu)
    other = quick(None, scaling="standard").fit(DATA.X * in_other_units, DATA.y_pu)
    assert told(other)["Columns"] == told(one)["Columns"]


def test_columns_without_names_and_few_columns():
    assert re.fullmatch(r"20 of 20: (x\d+ [+\u2212], ){5}\u2026", told(quick(None).fit(DATA.X, DATA.y_pu))["Columns"])
    assert re.fullmatch(r"1 of 20: column_\d+ [+\u2212]", told(fitted(quick(1)))["Columns"])


def test_without_calibration_there_is_less_to_tell():
    rows = told(fitted(quick(calibrate=False)))
    assert list(rows) == ["Rows", "Columns"]
    assert rows["Columns"] == "8 of 20"


def test_a_search_tells_which_candidate_leads_its_average(tuned):
    n_averaged = (tuned.cv_results_["weight"] > 0).sum()
    assert n_averaged == 2
    leading = f"scaling: standard, loss: logistic, l2: {tuned.best_params_['l2']:g}"
    words = f"an average of {n_averaged} candidates; the one with the largest weight has {leading}"
    assert told(tuned)["Chosen"].startswith(words)
    assert "n_features_to_select: 8" in told(tuned)["Chosen"]
    assert list(told(tuned.best_estimator_)) == ["Rows", "Columns"]


def test_a_search_that_takes_one_candidate_tells_its_parameters():
    best = told(fitted(BlindAUCClassifierCV(**FEW, rule="best")))
    assert best["Chosen"].startswith("scaling: standard, ")
    few = np.flatnonzero(DATA.y_pu == 1)[10:]  # fewer positives than a search needs
    nothing = BlindAUCClassifierCV(**FEW).fit(np.delete(DATA.X, few, axis=0), np.delete(DATA.y_pu, few))
    assert nothing.cv_results_ == {}
    assert told(nothing)["Chosen"].startswith("scaling: standard, ")


def test_columns_of_an_average_are_those_it_supports(tuned):
    assert told(tuned)["Columns"].startswith(f"{tuned.support_.sum()} of 20: ")
    shown = re.findall(r"column_(\d+)", told(tuned)["Columns"])
    assert len(shown) == 5
    assert tuned.support_[np.array(shown, dtype=int)].all()


def test_a_search_tells_how_simpler_methods_compare_in_the_words_of_its_summary(tuned):
    words = told(tuned)["Simpler methods"]
    assert len(tuned.baselines_) == 2
    for each in tuned.baselines_:
        assert verdict(each) in words
        assert verdict(each) in tuned.summary().splitlines()
    assert words.endswith(SIMPLER_TELLS_NO_WRONG_LABELS)
    assert SIMPLER_TELLS_NO_WRONG_LABELS in tuned.summary()


def test_names_from_the_data_are_text():
    model = fitted(quick(None), HOSTILE)
    # The first two are made the strongest, so that they are shown.
    rising = replace(model.effects_[0], contribution=np.sort(model.effects_[0].contribution), size=1e6)
    model.effects_ = [rising, rising, *model.effects_[2:]]
    assert told(model)["Columns"].startswith(f"20 of 20: {HOSTILE[0]} +, {HOSTILE[1]} +, ")
    assert "<script" not in found(model)
    assert "<img" not in found(model)


def test_a_pipeline_keeps_scikit_learns_diagram():
    pipeline = make_pipeline(StandardScaler(), quick()).fit(DATA.X, DATA.y_pu)
    shown = pipeline._repr_html_()
    assert "sk-container" in shown
    assert "BlindAUCClassifier" in shown
    assert "What was found" in pipeline[-1]._repr_html_()


def test_in_a_browser_it_is_read_and_runs_nothing(browser, tmp_path):
    page = tmp_path / "cell.html"
    shown = fitted(quick(None), HOSTILE)._repr_html_()
    page.write_text(f'<meta charset="utf-8"><body style="color: #eee; background: #111">{shown}</body>')
    browser.open(page, width=375, dark=True)
    assert browser.evaluate("document.querySelector('body > table caption').checkVisibility()")
    colours = "new Set([...document.querySelectorAll('body > table *')].map(e => getComputedStyle(e).color))"
    assert browser.evaluate(f"[...{colours}]") == ["rgb(238, 238, 238)"]
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert [url for url in browser.requests() if not url.startswith("data:")] == [page.as_uri()]
