"""How many positives are among the first rows, how many labels are wrong, and what cannot be estimated."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import FIT, run
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, Estimate, expected_found, judge, load, save
from blindauc.analysis import analyse, audit, score_table
from blindauc.analysis.expectations import grid
from blindauc.analysis.ranking import MOST_EXPLAINED
from blindauc.analysis.reasons import NO_REASON_UP
from blindauc.cli.summary import summary
from blindauc.datasets import make_cohort, make_correlated_data, make_paper_data
from blindauc.estimators import notebook
from blindauc.prior import Plausible, fit_score_model, is_identified, nothing_known
from blindauc.prior.expected import among_first, expected_numbers
from blindauc.prior.plausible import onto_limit, outermost
from blindauc.report.findings import Findings

pytestmark = pytest.mark.usefixtures("few_candidates")

DATA = make_correlated_data(0.1, n_features=5, n_relevant=3, n_pos=100, n_unlabelled=600, random_state=0)
UNLABELLED = DATA.y_pu == 0


@pytest.fixture(scope="module")
def model():
    return BlindAUCClassifier(prior=0.2).fit(DATA.X, DATA.y_pu)


@pytest.fixture(scope="module")
def unsure():
    return BlindAUCClassifier().fit(DATA.X, DATA.y_pu)


# --- when the prior is told -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "is_enough"),
    [
        (0.2, 0.2, True),
        (0.02, 0.06, True),
        (0.02, 0.07, False),
        (0.0, 0.05, False),
        (0.3, 0.5, True),
        (0.3, 0.6, False),
    ],
)
def test_a_prior_is_told_where_its_interval_is_narrow(low, high, is_enough):
    assert is_identified(Estimate((low + high) / 2, low, high)) == is_enough


# --- mixtures ---------------------------------------------------------------------------------------------------------


def some_mixtures(n=30, n_steps=6, seed=0):
    rng = np.random.default_rng(seed)
    log_ratio = np.sort(rng.normal(0, 2, (n, n_steps)), axis=1)
    root = np.append(0.0, rng.uniform(0, 2.5, n - 1))
    return Plausible(rng.uniform(0.1, 0.6, n), rng.uniform(0, 0.3, n), log_ratio, root, np.zeros(n_steps), 0.95)


def test_shares_are_those_of_drawn_rows():
    """Count kinds among the rows of one step, by the definition of a mixture."""
    mixtures, f1, f0 = some_mixtures(n=1, n_steps=1), 0.3, 0.1
    mixtures = replace(mixtures, log_ratio=np.log([[f1 / f0]]), far=np.array([0.2]))
    prior, eta = mixtures.prior[0], mixtures.contamination[0]
    assert mixtures.positive_shares()[0, 0] == pytest.approx(prior * f1 / (prior * f1 + (1 - prior) * f0))
    ordinary = eta * f0 / (eta * f0 + (1 - eta) * f1)
    assert mixtures.wrong_shares()[0, 0] == pytest.approx(0.2 + 0.8 * ordinary)


def test_those_kept_give_the_same_ends_as_all():
    rng = np.random.default_rng(1)
    labelled, unlabelled = rng.integers(1, 30, (2, 6)).astype(float)
    every = onto_limit(some_mixtures())
    kept = outermost(every, labelled, unlabelled)
    assert len(kept.root) < len(every.root)
    for shares in (lambda mixtures: mixtures.positive_shares(), lambda mixtures: 1 - mixtures.wrong_shares()):
        np.testing.assert_array_equal(shares(kept).min(axis=0)[-1:], shares(every).min(axis=0)[-1:])
    np.testing.assert_array_equal(kept.positive_shares().max(axis=0), every.positive_shares().max(axis=0))
    above_every, above_kept = (each.positive_shares() @ unlabelled for each in (every, kept))
    assert (above_kept.min(), above_kept.max()) == (above_every.min(), above_every.max())


def test_mixtures_beyond_the_limit_are_moved_onto_it():
    every, moved = some_mixtures(), onto_limit(some_mixtures())
    inside = every.root <= every.limit
    assert inside.any()
    assert not inside.all()
    np.testing.assert_allclose(moved.log_ratio[inside], every.log_ratio[inside], rtol=1e-12)
    np.testing.assert_allclose(moved.root[~inside], every.limit)
    way = every.limit / every.root[~inside]
    np.testing.assert_allclose(moved.prior[~inside], every.prior[0] + way * (every.prior[~inside] - every.prior[0]))


def test_with_one_mixture_the_interval_is_that_of_a_sum_of_coins():
    one = replace(some_mixtures(n=1), root=np.zeros(1))
    counts = np.full((1, 6), 50)
    (found,) = expected_numbers(counts, one.positive_shares()[0], one.positive_shares(), one)
    share = np.repeat(one.positive_shares()[0], 50)
    drawn = (np.random.default_rng(0).random((20_000, 300)) < share).sum(axis=1)
    assert float(found) == pytest.approx(share.sum())
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert abs(found.low - low) <= 2
    assert abs(found.high - high) <= 2


def test_among_first_counts_rows_step_by_step():
    counts, k = np.array([3, 0, 4, 2]), [1, 3, 5, 9]
    steps = np.repeat(np.arange(4), counts)
    slow = [np.bincount(steps[:each], minlength=4).tolist() for each in k]
    assert among_first(counts, k).tolist() == slow


def test_where_nothing_is_known_anything_may_be():
    nothing = nothing_known(3, 0.95)
    counts, half = np.array([[5, 0, 2]]), np.full(3, 0.5)
    for shares in (nothing.positive_shares(), nothing.wrong_shares()):
        (found,) = expected_numbers(counts, half, shares, nothing)
        assert (found.low, found.high) == (0, 7)


# --- probabilities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["one_sample", "two_sample"])
def test_the_interval_holds_the_probability_and_grows_with_the_score(sampling):
    model = BlindAUCClassifier(sampling=sampling).fit(DATA.X, DATA.y_pu)
    low, high = model.predict_proba_interval(DATA.X_test)
    probability = model.predict_proba(DATA.X_test)[:, 1]
    assert ((low <= probability) & (probability <= high)).all()
    order = np.argsort(model.decision_function(DATA.X_test))
    assert (np.diff(low[order]) >= 0).all()
    assert (np.diff(high[order]) >= 0).all()


def test_without_the_prior_the_interval_spans_what_different_priors_give(unsure):
    low, high = unsure.predict_proba_interval(DATA.X_test)
    assert not is_identified(unsure.prior_)
    for prior in (unsure.prior_.low + 0.02, float(unsure.prior_), unsure.prior_.high - 0.02):
        given = BlindAUCClassifier(prior=prior).fit(DATA.X, DATA.y_pu).predict_proba(DATA.X_test)[:, 1]
        assert ((low - 0.02 <= given) & (given <= high + 0.02)).mean() > 0.99


# --- positives among the first rows -----------------------------------------------------------------------------------


def test_the_number_found_is_the_sum_of_the_probabilities(model):
    scores = model.decision_function(DATA.X[UNLABELLED]) - model.intercept_ + model.lift_
    probability = np.sort(model.unlabelled_calibration_.probability(scores))[::-1]
    for k in (1, 20, 200, 600):
        assert expected_found(model, DATA.X, k, training=True) == pytest.approx(probability[:k].sum())
    assert probability.mean() == pytest.approx(0.2, abs=0.01)


def test_one_number_or_several(model):
    several = expected_found(model, DATA.X_test, [5, 50])
    assert several == [expected_found(model, DATA.X_test, k) for k in (5, 50)]
    for each, k in zip(several, (5, 50), strict=True):
        assert 0 <= each.low <= each <= each.high <= k
        assert each.low == round(each.low)


def test_labelled_rows_are_left_out(model):
    by_labels = expected_found(model, DATA.X, 30, y=DATA.y_pu)
    assert by_labels == expected_found(model, DATA.X[UNLABELLED], 30)
    assert expected_found(model, DATA.X, 30, training=True) == expected_found(
        model, DATA.X, 30, y=DATA.y_pu, training=True
    )


def test_a_pipeline_counts_as_its_last_step():
    joined = make_pipeline(StandardScaler(), BlindAUCClassifier(prior=0.2)).fit(DATA.X, DATA.y_pu)
    X = joined[0].transform(DATA.X)
    assert expected_found(joined, DATA.X, 30, training=True) == expected_found(joined[-1], X, 30, training=True)


def test_a_saved_model_expects_the_same(model, tmp_path):
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert expected_found(again, DATA.X_test, 30) == expected_found(model, DATA.X_test, 30)
    assert again.expected_wrong(20) == model.expected_wrong(20)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k must be a whole number from 1 to 600, the number of unlabelled rows, not 0"),
        ({"k": 601}, "from 1 to 600"),
        ({"k": [5, 2.5]}, "not 2.5"),
        ({"k": True}, "not True"),
        ({"model": LogisticRegression()}, "must be one of blindauc's estimators.*not LogisticRegression"),
        ({"model": BlindAUCClassifier(calibrate=False).fit(DATA.X, DATA.y_pu)}, "calibrate=False"),
        ({"y": DATA.y_pu[1:]}, "X has 700, y 699"),
        ({"X": DATA.X[:50], "y": None, "training": True}, "must hold the rows of the fit, and it has only 50"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(model, change, message):
    given = {"model": model, "X": DATA.X, "k": 20, "y": DATA.y_pu} | change
    with pytest.raises(ValueError, match=message) as error:
        expected_found(**given)
    assert "\n" not in str(error.value)


# --- wrong labels among the first to check ----------------------------------------------------------------------------


def test_labels_come_in_the_order_of_doubt(model):
    first = model.doubtful_labels(k=30)
    suspicion = dict(zip(model.labelled_rows_, model.suspicion_, strict=True))
    in_order = [suspicion[row] for row in first]
    assert in_order == sorted(in_order, reverse=True)
    assert in_order[-1] >= max(s for row, s in suspicion.items() if row not in first)
    assert model.doubtful_labels(k=100)[: len(model.doubtful_labels())].tolist() == model.doubtful_labels().tolist()


def test_the_number_wrong_is_the_sum_of_the_suspicions(model):
    suspicion = np.sort(model.suspicion_)[::-1]
    for k, wrong in zip((1, 20, 100), model.expected_wrong([1, 20, 100]), strict=True):
        assert wrong == pytest.approx(suspicion[:k].sum())
        assert 0 <= wrong.low <= wrong <= wrong.high <= k
    with pytest.raises(ValueError, match="from 1 to 100, the number of labelled positives, not 101"):
        model.expected_wrong(101)


def test_labels_with_leverage_come_first_and_count_as_wrong():
    data = make_paper_data(n_features=20, n_relevant=20, n_outliers=6, outlier_features="all", random_state=0)
    model = BlindAUCClassifier().fit(data.X, data.y_pu)
    n_apart = int((model.leverage_ > 0).sum())
    assert n_apart > 0
    wrong = model.expected_wrong(n_apart)
    assert (wrong, wrong.low, wrong.high) == (n_apart, n_apart, n_apart)
    assert set(model.doubtful_labels(k=n_apart)) == set(model.labelled_rows_[model.leverage_ > 0])


def test_far_labels_are_expected_to_be_wrong_and_clean_ones_not():
    rng = np.random.default_rng(0)
    labelled, unlabelled = rng.normal(3, 1, 200), np.r_[rng.normal(3, 1, 200), rng.normal(0, 1, 800)]
    for n_far, least, most in ((0, 0, 8), (20, 15, 20)):
        found = np.r_[np.full(n_far, -30.0), labelled]
        score_model = fit_score_model(found, unlabelled)
        (wrong,) = score_model.expected_wrong(score_model.count(found), [20])
        assert least <= wrong <= most
        assert wrong.low <= n_far <= wrong.high


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
    assert f"{between}; --prior SHARE settles it" in summary(unknown.findings, tmp_path)
    ranking = unknown.model[-1]
    assert f"{between}; giving prior settles it" in ranking.summary()
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


# --- over many draws --------------------------------------------------------------------------------------------------

N_LABELLINGS = 10
TOLERANCE = 0.1
"""Of k: by how much the mean sum of the probabilities of the first k rows may be off over the labellings."""


def labelled(X, is_positive, seed, share=0.4):
    rng = np.random.default_rng(seed)
    return X, is_positive & (rng.random(len(X)) < share), is_positive


def breast_cancer(seed):
    data = load_breast_cancer()
    return labelled(data.data, data.target == 0, seed)


def wine(seed):
    data = load_wine()
    return labelled(data.data, data.target == 0, seed)


def digits(seed):
    data = load_digits()
    return labelled(data.data, data.target == 8, seed)


def clusters(seed):
    X, y = make_classification(1500, 20, n_informative=6, weights=[0.8], flip_y=0.02, class_sep=0.8, random_state=seed)
    return labelled(X, y == 1, seed)


def cohort(seed):
    data = make_cohort(n_subjects=900, random_state=seed)
    return labelled(data.X, data.y_true == 1, seed)


def paper(seed):
    data = make_paper_data(n_features=60, n_outliers=0, n_hidden_pos=60, random_state=seed)
    return data.X, data.y_pu == 1, data.y_true == 1


@pytest.mark.slow
@pytest.mark.parametrize("draw", [breast_cancer, wine, digits, clusters, cohort, paper], ids=lambda draw: draw.__name__)
def test_with_the_prior_the_probabilities_of_the_first_rows_sum_to_the_positives_among_them(draw):
    gaps, held = [], []
    for seed in range(N_LABELLINGS):
        X, is_labelled, is_positive = draw(seed)
        truth, prior = is_positive[~is_labelled], float(is_positive[~is_labelled].mean())
        model = BlindAUCClassifier(prior=prior, solver="path").fit(X, is_labelled)
        ranked = truth[np.argsort(-model.decision_function(X[~is_labelled]), kind="stable")]
        k = [20, truth.sum() // 2, truth.sum(), min(2 * truth.sum(), len(truth))]
        found = expected_found(model, X, k, training=True)
        came = [ranked[:each].sum() for each in k]
        gaps.append([(float(each) - n) / n_rows for each, n, n_rows in zip(found, came, k, strict=True)])
        held.append([each.low <= n <= each.high for each, n in zip(found, came, strict=True)])
    print(f"{draw.__name__}: gap over k {np.mean(gaps, axis=0).round(3)}, held {np.mean(held, axis=0).round(2)}")
    assert np.abs(np.mean(gaps, axis=0)).max() < TOLERANCE
    assert np.mean(held) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("prior", [0.2, None])
@pytest.mark.parametrize("contamination", [0.0, 0.1])
def test_the_interval_holds_the_number_found_in_nine_of_ten_draws(contamination, prior):
    n_draws, capacities, held = 40, (20, 50, 200), []
    for seed in range(n_draws):
        data = make_correlated_data(
            contamination, n_features=10, n_relevant=5, n_pos=150, n_unlabelled=1500, auc=0.85, random_state=seed
        )
        unlabelled = data.y_pu == 0
        model = BlindAUCClassifier(prior=prior).fit(data.X, data.y_pu)
        ranked = data.y_true[unlabelled][np.argsort(-model.decision_function(data.X[unlabelled]), kind="stable")]
        found = expected_found(model, data.X, capacities, training=True)
        held.append([each.low <= ranked[:k].sum() <= each.high for each, k in zip(found, capacities, strict=True)])
    # Of 40 draws, as many as 90 % of 40 less what chance takes away in one of a thousand tests.
    assert np.sum(held, axis=0).min() >= stats.binom.ppf(0.001, n_draws, 0.9)


def test_labels_that_say_nothing_are_not_too_few():
    """The interval of the AUC is 0 to 1, and yet enough rows were held out: nobody is told to label 15 of them."""
    scores = np.append(np.linspace(0, 0.9, 100), np.linspace(0, 1, 500))
    found = judge(np.repeat([1, 0], [100, 500]), scores, prior=0.99)
    assert (found.auc, found.auc.low, found.auc.high) == (0.5, 0.0, 1.0)
    assert "have to be labelled" not in repr(found)
    model = BlindAUCClassifierCV(shape="linear", l2=1.0, n_repeats=1).fit(DATA.X, DATA.y_pu)
    model.auc_ = found.auc
    assert "AUC 0.500 (95 % interval 0.000 to 1.000)" in model.summary()
    assert "have to be labelled" not in model.summary() + notebook.found(model)


def test_labelled_rows_without_weight_are_not_taken_for_unlabelled_ones():
    weight = np.ones(len(DATA.y_pu))
    weight[np.flatnonzero(DATA.y_pu == 1)[:3]] = 0
    model = BlindAUCClassifier(prior=0.2).fit(DATA.X, DATA.y_pu, sample_weight=weight)
    with pytest.raises(ValueError, match=r"Some labelled rows had weight zero in the fit, .* pass y"):
        expected_found(model, DATA.X, 600, training=True)
    with pytest.raises(ValueError, match="k must be a whole number from 1 to 600"):
        expected_found(model, DATA.X, 601, y=DATA.y_pu, training=True)
    assert expected_found(model, DATA.X, 600, y=DATA.y_pu, training=True).high < 600
