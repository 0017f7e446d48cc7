"""How many positives an estimator expects among the first rows, and how many labels it takes for wrong."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, expected_found, judge, load, save
from blindauc.datasets import make_correlated_data, make_paper_data
from blindauc.estimators import notebook
from blindauc.prior import fit_score_model, is_identified, posterior

pytestmark = pytest.mark.usefixtures("few_candidates")

DATA = make_correlated_data(0.1, n_features=5, n_relevant=3, n_pos=100, n_unlabelled=600, random_state=0)
UNLABELLED = DATA.y_pu == 0


@pytest.fixture(scope="module")
def model():
    return BlindAUCClassifier(prior=0.2).fit(DATA.X, DATA.y_pu)


@pytest.fixture(scope="module")
def unsure():
    return BlindAUCClassifier().fit(DATA.X, DATA.y_pu)


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
    # An end of the interval is accurate to a cell of the grid of priors, which is that of `few_mixtures` here.
    cells = posterior.PRIOR_CELLS
    cell = np.diff(cells)[np.searchsorted(cells, unsure.prior_.high) - 1]
    for prior in (unsure.prior_.low + 0.02, float(unsure.prior_), unsure.prior_.high - cell):
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


# --- over many draws --------------------------------------------------------------------------------------------------


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
