"""Fits with checked labels: what is used, what is put back, what is refused; without checks nothing changes."""

import numpy as np
import pytest
from checked_digits import DIGITS
from checked_rows import PLAIN, checks_of, drawn
from sklearn.base import clone

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV
from blindauc.checked import read_checked
from blindauc.rows.scaling import SCALINGS

TUNED = {"shape": "linear", "n_repeats": 1, "cv": 3, "l2": [0.1, 1.0], "scaling": "standard"}
ESTIMATORS = [
    BlindAUCClassifier(**PLAIN),
    PUErrorClassifier(**PLAIN, prior=0.2),
    BlindAUCClassifierCV(**TUNED),
    PUErrorClassifierCV(**TUNED, prior=0.2),
]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name.endswith(" 0") else pytest.mark.slow) for name in DIGITS]
)
def test_without_checks_fits_are_what_they_were(name):
    estimator, kind, seed = name.split()
    (model,) = (clone(each) for each in ESTIMATORS if type(each).__name__ == estimator)
    data = drawn(int(seed), kind=kind)
    model.fit(data.X, data.y_pu, checked=None)
    scores = model.decision_function(data.X_test[:3])
    calibrated = [model.auc_, model.auc_.high, model.prior_, model.contamination_, model.suspicion_.sum()]
    search = []
    if hasattr(model, "cv_results_"):
        weight = model.cv_results_["weight"]
        search = [model.cv_results_["mean_test_score"].sum(), weight.max(), len(weight)]
    # Libraries of linear algebra and processors differ in the last digits. The calibration averages over mixtures whose
    # log-likelihoods, of about a hundred nats, are computed in float32: its weights differ by up to 100 eps = 1e-5.
    expected = DIGITS[name]
    np.testing.assert_allclose([*scores, *search], [*expected[:3], *expected[8:]], rtol=1e-9)
    np.testing.assert_allclose(calibrated, expected[3:8], rtol=1e-5)


# --- estimators -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_what_was_checked_is_used_for_what_it_is(model):
    data = drawn()
    rows = np.r_[data.outliers[:8], 0:6, 70:76, 100:190]
    checked = checks_of(data, rows)
    model.fit(data.X, data.y_pu, checked=checked)
    assert set(model.known_negative_rows_) == set(np.flatnonzero(checked == 0))
    assert set(model.confirmed_rows_) == set(np.flatnonzero(checked == 1))
    labelled = np.flatnonzero(data.y_pu)
    np.testing.assert_array_equal(model.labelled_rows_, labelled)
    np.testing.assert_array_equal(model.suspicion_[checked[labelled] == 0], 1)
    np.testing.assert_array_equal(model.suspicion_[checked[labelled] == 1], 0)
    for order in ("labels", "ranking"):
        assert not np.isin(model.next_to_check(1000, for_=order), rows).any()
    assert set(model.next_to_check(1000)) == set(labelled) - set(rows)
    assert not np.isin(model.outliers_, model.confirmed_rows_).any()
    assert np.isinf(model.shift_[np.isin(labelled, data.outliers[:8])]).all()
    assert model.n_unlabelled_ == int((np.isnan(checked) & (data.y_pu == 0)).sum())
    unchecked = np.isnan(checked[labelled])
    assert model.contamination_ == pytest.approx(model.suspicion_[unchecked].mean(), abs=0.02)
    assert 0.5 < model.auc_checked_.low < model.auc_checked_ <= 1
    assert model.expected_wrong(5).high <= 5
    with pytest.raises(ValueError, match=f"from 1 to {unchecked.sum()}, the number of .* not checked yet"):
        model.expected_wrong(len(labelled))
    with pytest.raises(ValueError, match=f"from 1 to {unchecked.sum()}, the number of .* not checked yet"):
        model.doubtful_labels(k=len(labelled))


def test_confirmed_positives_are_neither_outliers_nor_set_apart():
    data = drawn(kind="far")
    X = data.X.copy()
    X[5] = 60.0  # far out, but right
    plain = BlindAUCClassifier(n_outliers=0.2).fit(X, data.y_pu)
    assert {5, *data.outliers[:6]} <= set(plain.outliers_)
    checked = np.full(len(X), None, dtype=object)
    checked[[5, *data.outliers[:6]]] = "right"
    checked[data.outliers[6:8]] = "wrong"
    model = BlindAUCClassifier(n_outliers=12).fit(X, data.y_pu, checked=checked)
    assert not np.isin([5, *data.outliers[:8]], model.outliers_).any()
    # Two are known, and no label takes the place of the six that were confirmed.
    assert 0 < len(model.outliers_) <= 12 - 2 - 6
    everyone = np.where(data.y_pu == 1, 1.0, np.nan)
    assert len(BlindAUCClassifier(n_outliers=0.3).fit(X, data.y_pu, checked=everyone).outliers_) == 0
    tuned = BlindAUCClassifierCV(**TUNED).fit(X, data.y_pu, checked=everyone)
    assert len(tuned.outliers_) == 0
    assert tuned.contamination_ == 0


@pytest.mark.parametrize("shape", ["curves", "kernel", "trees"])
def test_scores_that_bend_use_checked_rows(shape):
    if shape == "trees":
        pytest.importorskip("lightgbm")
    data = drawn(kind="far")
    right = np.flatnonzero(data.y_pu)[:40]
    model = BlindAUCClassifier(n_outliers=10, shape=shape, calibrate=False)
    before = model.fit(data.X, data.y_pu).decision_function(data.X_test)
    checked = checks_of(data, np.r_[right, data.outliers])
    after = model.fit(data.X, data.y_pu, checked=checked).decision_function(data.X_test)
    assert not np.isin(right, model.outliers_).any()
    assert len(model.outliers_) == 0  # all that are to be left out are known
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("share", [0.0, "auto"])
def test_labels_found_wrong_without_a_share_are_not_in_the_fit(share, scaling):
    data = drawn(kind="far")  # far enough to change the scales of the columns
    checked = checks_of(data, data.outliers)
    model = BlindAUCClassifier(known_negative_share=share, calibrate=False, scaling=scaling)
    without = clone(model)
    kept = np.setdiff1d(np.arange(len(data.y_pu)), data.outliers)
    model.fit(data.X, data.y_pu, checked=checked)
    without.fit(data.X[kept], data.y_pu[kept])
    assert model.l2_ == pytest.approx(without.l2_, rel=1e-9)
    np.testing.assert_allclose(model.coef_, without.coef_, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_confirmed_labels_are_put_back_and_no_others_left_out_for_them(seed):
    data = drawn(seed)
    model = BlindAUCClassifier(n_outliers=0.2, calibrate=False).fit(data.X, data.y_pu)
    left_out = model.outliers_
    right = left_out[data.y_true[left_out] == 1]
    assert len(left_out) == 12
    assert len(right) > 0
    model.fit(data.X, data.y_pu, checked=checks_of(data, right))
    assert len(model.outliers_) == len(left_out) - len(right)


def test_the_natural_share_is_that_of_labels_set_to_zero():
    data = drawn()
    checked, y = checks_of(data, data.outliers), data.y_pu.copy()
    y[data.outliers] = 0
    share = len(data.outliers) / (y == 0).sum()
    # Without scales, in which labels that were found wrong have no part.
    model = BlindAUCClassifier(known_negative_share=share, calibrate=False, scaling="none", l2=0.1)
    plain = BlindAUCClassifier(calibrate=False, scaling="none", l2=0.1)
    np.testing.assert_allclose(
        model.fit(data.X, data.y_pu, checked=checked).coef_, plain.fit(data.X, y).coef_, rtol=1e-6
    )


def test_words_numbers_and_missing_values_mean_the_same():
    words = ["right", "Positive", " wrong ", "negative", "", "cannot tell", "disagreement", None, np.nan]
    expected = [1, 1, -1, -1, 0, 0, 0, 0, 0]
    assert read_checked(words, 9).tolist() == expected
    assert read_checked([1, "1", 0, False, None, None, None, None, None], 9).tolist() == expected
    assert read_checked(np.array([1.0, 0.0, np.nan]), 3).tolist() == [1, -1, 0]
    assert read_checked([None, ""], 2) is None


@pytest.mark.parametrize("model", ESTIMATORS[::2], ids=lambda model: type(model).__name__)
def test_nothing_checked_is_as_if_nobody_had_asked(model):
    data = drawn()
    before = model.fit(data.X, data.y_pu).decision_function(data.X_test)
    after = model.fit(data.X, data.y_pu, checked=[None] * len(data.X))
    np.testing.assert_array_equal(after.decision_function(data.X_test), before)
    assert not hasattr(after, "known_negative_rows_")
    assert not hasattr(after, "auc_checked_")
    assert "known_negative_share" not in getattr(after, "best_params_", {})


def test_shares_are_chosen_by_the_search():
    data = drawn()
    model = BlindAUCClassifierCV(**TUNED).fit(data.X, data.y_pu, checked=checks_of(data, data.outliers))
    shares = set(model.cv_results_["param_known_negative_share"])
    assert len(shares) > 1
    assert None in shares
    best = model.best_params_.get("known_negative_share")
    assert best in shares
    assert model.best_estimator_.known_negative_share == ("auto" if best is None else best)
    named = BlindAUCClassifierCV(**TUNED, known_negative_share=0.3)
    named.fit(data.X, data.y_pu, checked=checks_of(data, data.outliers))
    assert set(named.cv_results_["param_known_negative_share"]) == {0.3}


@pytest.mark.parametrize(
    ("checked", "words"),
    [
        ([1, 0], "as many rows as each other"),
        (["maybe"] + [None] * 259, "not 'maybe' as in row 0"),
        ([2.0] + [None] * 259, "not 2.0 as in row 0"),
        (np.ones((260, 2)), "1d array"),
        ([0] * 60 + [None] * 200, "0 of 60 labelled positives are left"),
        ([0] * 59 + [None] * 201, "1 of 60 labelled positives are left"),
        ([None] * 60 + [0] * 200, "All unlabelled rows were checked"),
    ],
)
@pytest.mark.parametrize("model", ESTIMATORS[::2], ids=lambda model: type(model).__name__)
def test_checks_that_make_no_sense(model, checked, words):
    data = drawn()
    with pytest.raises(ValueError, match=words):
        model.fit(data.X, data.y_pu, checked=checked)


@pytest.mark.parametrize("share", [-0.1, 1.0, True, "much"])
def test_shares_that_make_no_sense(share):
    data = drawn()
    for model in (BlindAUCClassifier(known_negative_share=share), BlindAUCClassifierCV(known_negative_share=[share])):
        with pytest.raises(ValueError, match="known_negative_share must be"):
            model.fit(data.X, data.y_pu)


def test_a_search_ranks_known_negatives():
    data = drawn(seed=1, n_pos=100, kind="far")
    checked = np.full(len(data.y_pu), np.nan)
    rows = np.flatnonzero(data.y_pu == 1)[::2]
    checked[rows] = data.y_true[rows]
    after = BlindAUCClassifierCV(**TUNED).fit(data.X, data.y_pu, checked=checked)
    n_wrong = int((checked == 0).sum())
    assert 0 < n_wrong < 20
    assert min(after.cv_results_["param_n_outliers"]) == n_wrong / 100
    assert set(np.flatnonzero(checked == 1)).isdisjoint(after.outliers_)
