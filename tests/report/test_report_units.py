"""What columns do is told in their own units, and what was tried with its share of the average."""

import numpy as np
import pandas as pd
import pytest

from blindauc.analysis import analyse

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n, is_ill = 160, np.arange(160) < 50
    rows = pd.DataFrame(
        {
            "crp": rng.normal(20 + 40 * is_ill, 15),
            "ward": np.where(rng.random(n) < 0.2 + 0.5 * is_ill, "surgery", "other"),
            "smoker": np.where(rng.random(n) < 0.3, "yes", "no"),
            "admitted": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
        }
    )
    rows.loc[rng.choice(n, 20, replace=False), "crp"] = np.nan
    rows["infected"] = np.where(np.arange(n) < 30, "yes", "")
    return rows


@pytest.fixture(scope="module")
def analysis(table):
    return analyse(table, "infected", shape="linear")


def test_steps_are_standard_deviations_days_or_a_yes(analysis, table):
    features = analysis.features.set_index("column")
    X = analysis.model[0].transform(table.drop(columns="infected"))
    spread = dict(zip(analysis.model[0].get_feature_names_out(), np.std(X, axis=0), strict=True))
    assert features.loc["crp", "unit"] == ""
    assert features.loc["crp", "step"] == pytest.approx(spread["crp"])
    assert features.loc["admitted", "unit"] == "days"
    assert features.loc["admitted", "step"] == pytest.approx(spread["admitted"])
    for flag in ("crp missing", "smoker", "ward=surgery", "ward=other"):
        assert (features.loc[flag, "unit"], features.loc[flag, "step"]) == ("yes", 1.0)


def test_a_climb_is_the_share_of_unlabelled_rows_that_a_row_in_the_middle_passes(analysis):
    scores = analysis.ranking["score"][~analysis.ranking["labelled"]].to_numpy()
    middle = np.median(scores)
    coef = dict(zip(analysis.model[0].get_feature_names_out(), analysis.model[-1].coef_, strict=True))
    for _, row in analysis.features.iterrows():
        moved = middle + coef[row["column"]] * row["step"]
        slow = np.mean([(score < moved) + (score == moved) / 2 for score in scores]) - 0.5
        assert row["climb"] == pytest.approx(slow)
    assert analysis.features.set_index("column").loc["crp", "climb"] > 0.1


def test_shares_of_what_was_tried_are_those_of_the_average(analysis):
    ranking = analysis.model[-1]
    for tried in analysis.findings.tuning:
        assert sum(tried.shares) == pytest.approx(1)
        values = [params[tried.name] for params in ranking.cv_results_["params"]]
        scaling = [params["scaling"] == ranking.best_params_["scaling"] for params in ranking.cv_results_["params"]]
        slow = [ranking.cv_results_["weight"][(np.array(values) == v) & scaling].sum() for v in tried.values]
        assert tried.shares == pytest.approx(np.array(slow) / sum(slow))
