"""Checked labels in the fit: the objective, the solver, what is told, and inputs that make no sense."""

from dataclasses import replace
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from checked_digits import DIGITS
from scipy.special import softmax
from sklearn.base import clone

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV, expected_found
from blindauc.checked import read_checked
from blindauc.choice.likelihood import N_BINS, SHARPNESS
from blindauc.choice.search import Search
from blindauc.choice.verdicts import log_probability
from blindauc.data import Data
from blindauc.datasets import make_correlated_data
from blindauc.estimators.blind_auc import blind_auc_risk
from blindauc.estimators.checking import gains
from blindauc.estimators.pu_error import pu_error_risk
from blindauc.evidence.folds import enough_rows, fold_splits
from blindauc.evidence.out_of_fold import held_out_ranks
from blindauc.prior.posterior import Mixtures
from blindauc.prior.samples import Counts
from blindauc.prior.score_model import explain_scores
from blindauc.prior.shapes import shape_library
from blindauc.risks import PU_ERROR_RISKS
from blindauc.scorers import LinearScorer, Spec
from blindauc.scorers.linear import outlier_set
from blindauc.solvers import exchange, path, psg
from blindauc.sparsity import L0Among

PLAIN = {"n_outliers": 0.1}
TUNED = {"shape": "linear", "n_repeats": 1, "cv": 3, "l2": [0.1, 1.0], "scaling": "standard"}
ESTIMATORS = [
    BlindAUCClassifier(**PLAIN),
    PUErrorClassifier(**PLAIN, prior=0.2),
    BlindAUCClassifierCV(**TUNED),
    PUErrorClassifierCV(**TUNED, prior=0.2),
]


def drawn(seed=0, n_pos=60, n_unlabelled=200, kind="ordinary"):
    return make_correlated_data(
        0.2, outliers=kind, n_features=6, n_relevant=4, n_pos=n_pos, n_unlabelled=n_unlabelled, random_state=seed
    )


def some_data(seed, n_pos=5, n_unl=6, n_negative=3, n_confirmed=2, p=3):
    """Positives, unlabelled rows and known negatives of random weights, in any order."""
    rng = np.random.default_rng(seed)
    verdict = np.repeat([1, 0, 0, -1], [n_confirmed, n_pos - n_confirmed, n_unl, n_negative])
    is_positive = np.arange(len(verdict)) < n_pos
    order = rng.permutation(len(verdict))
    X, weight = rng.normal(size=(len(verdict), p)), rng.uniform(0.5, 2, len(verdict))
    rows = np.arange(len(verdict))
    is_positive, verdict = is_positive[order], verdict[order]
    return Data(X, is_positive, weight, rows, rows[is_positive], verdict=verdict)


def scorer_of(risk, trim=True):
    return LinearScorer(risk, lambda n: None, shift_l2=0.3, trim=trim)


def double_loop(data, coef, share, loss):
    """(1 - share) R(positives, unlabelled) + share R(positives, known negatives), pair by pair."""
    total = 0.0
    for kind, part in ((data.is_unlabelled, 1 - share), (data.is_known_negative, share)):
        cost = weight = 0.0
        for i in np.flatnonzero(data.is_positive):
            for j in np.flatnonzero(kind):
                pair = data.weight[i] * data.weight[j]
                cost += pair * loss((data.X[i] - data.X[j]) @ coef)
                weight += pair
        total += part * cost / weight
    return total


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_the_blind_auc_against_known_negatives_is_that_of_the_double_loop(seed, share):
    data = some_data(seed)
    objective = scorer_of(blind_auc_risk).objective(data, "none", "logistic", share).with_ridge(0.0)
    coef = np.random.default_rng(seed).normal(size=3)
    expected = double_loop(data, coef, share, lambda margin: np.log1p(np.exp(-margin)))
    assert objective.value(coef, np.zeros(5)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
@pytest.mark.parametrize("name", PU_ERROR_RISKS)
def test_pu_errors_with_known_negatives_are_those_of_a_mixture_with_a_smaller_prior(name, share):
    data, prior = some_data(1), 0.3
    objective = scorer_of(lambda loss: pu_error_risk(loss, name=name, prior=prior)).objective(
        data, "none", "logistic", share
    )
    coef = np.array([0.5, -0.2, 0.8, 0.1])
    scores = data.X @ coef[:3] + coef[3]

    def mean(kind, sign):
        return np.average(np.log1p(np.exp(-sign * scores[kind])), weights=data.weight[kind])

    up, down = mean(data.is_positive, 1), mean(data.is_positive, -1)
    rest = (1 - share) * mean(data.is_unlabelled, -1) + share * mean(data.is_known_negative, -1)
    less = (1 - share) * prior
    expected = {
        "paper": less * up + (1 - less) * down + rest,
        "unbiased": less * (up - down) + rest,
        "nonnegative": less * up + max(0.0, rest - less * down),
    }[name]
    ridge = (coef[:3] ** 2).sum() / 2
    assert objective.value(coef, np.zeros(5)) == pytest.approx(expected + ridge, rel=1e-12)


@pytest.mark.parametrize(
    "risk",
    [blind_auc_risk, *(lambda loss, name=name: pu_error_risk(loss, name=name, prior=0.3) for name in PU_ERROR_RISKS)],
)
def test_gradients_with_known_negatives_are_finite_differences(risk):
    objective = scorer_of(risk, trim=False).objective(some_data(2), "none", "logistic", 0.4)
    rng = np.random.default_rng(0)
    coef, shift, step = rng.normal(size=objective.n_columns), rng.normal(size=5), 1e-6
    gradient = objective.gradient(coef, shift)
    for name, at in (("coef", coef), ("shift", shift)):
        for k, slope in enumerate(getattr(gradient, name)):
            ends = []
            for sign in (1, -1):
                moved = {"coef": coef, "shift": shift} | {name: at + sign * step * (np.arange(len(at)) == k)}
                ends.append(objective.value(**moved))
            assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope, abs=1e-7)


def best_by_trying_all(objective, unconfirmed, n_outliers):
    """The least objective over all sets of outliers that are allowed, each fitted alone."""
    nobody = np.zeros(objective.n_positives, dtype=bool)
    everything, values = L0Among(np.ones(objective.n_columns, dtype=bool), objective.n_columns), []
    for chosen in combinations(np.flatnonzero(unconfirmed), n_outliers):
        left_out = np.isin(np.arange(objective.n_positives), chosen)
        values.append(exchange(objective, everything, L0Among(left_out, n_outliers), tol=1e-10).value)
    return min(values, default=exchange(objective, everything, L0Among(nobody, 0)).value)


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_exchange_with_confirmed_positives_against_exhaustive_search(seed, trim):
    data = some_data(seed, n_pos=7, n_confirmed=3, n_unl=12)
    objective = scorer_of(blind_auc_risk, trim).objective(data, "standard", "logistic", 0.3).with_ridge(0.1)
    unconfirmed = ~data.is_confirmed[data.is_positive]
    everything, outliers = L0Among(np.ones(3, dtype=bool), 3), outlier_set(data, 0.5)
    assert outliers.n_units == 2
    solution = exchange(objective, everything, outliers, tol=1e-10)
    assert solution.outliers.sum() == 2
    assert not solution.outliers[~unconfirmed].any()
    assert solution.value == pytest.approx(best_by_trying_all(objective, unconfirmed, 2), rel=1e-8)
    for solver in (path, partial(psg, random_state=np.random.RandomState(0))):
        other = solver(objective, everything, outliers)
        assert not other.outliers[~unconfirmed].any()
        assert other.value >= solution.value - 1e-9


def test_known_negatives_have_the_share_that_was_asked_for():
    data = some_data(0)
    weighed = data.weighing(0.25)
    assert weighed.known_negative_share == pytest.approx(0.25)
    assert weighed.weight[~data.is_positive].sum() == pytest.approx(data.weight[~data.is_positive].sum())
    np.testing.assert_array_equal(weighed.weight[data.is_positive], data.weight[data.is_positive])
    assert data.weighing(None) is data  # none of these had a label
    labelled = data._replace(labelled=data.row[data.is_positive | data.is_known_negative])
    expected = np.where(data.is_known_negative, 0.0, data.weight)
    np.testing.assert_array_equal(labelled.weighing(None).weight, expected)
    assert data.subset(~data.is_known_negative).weighing(0.25).known_negative_share == 0


def test_held_out_ranks_are_among_unlabelled_rows_alone():
    class Models:
        def __len__(self):
            return 1

        def subset(self, index):
            return self

        def scores(self, X):
            return X[:, :1]

    data = some_data(3)
    unlabelled = data.X[data.is_unlabelled, 0]
    weight = data.weight[data.is_unlabelled]
    expected = [weight[unlabelled < x].sum() / weight.sum() for x in data.X[data.is_positive, 0]]
    np.testing.assert_allclose(held_out_ranks(Models(), data)[0], expected)


def test_folds_judge_by_unlabelled_rows_and_fit_to_all_known_negatives(monkeypatch):
    from blindauc.evidence import folds

    monkeypatch.setattr(folds, "MIN_FITTED_UNL", 20)
    monkeypatch.setattr(folds, "enough_unlabelled", lambda n_pos: 20)
    data = some_data(0, n_pos=12, n_unl=60, n_negative=30)
    for split in fold_splits(data, 3, seed=0):
        assert (split.held_out & data.is_unlabelled).any()
        assert (split.fitted & data.is_unlabelled).sum() == 20
        assert (split.fitted | split.held_out)[data.is_known_negative].all()
    enough = enough_rows(data)
    assert enough[~data.is_unlabelled].all()
    assert (enough & data.is_unlabelled).sum() == 20


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


def checks_of(data, rows):
    checked = np.full(len(data.y_pu), np.nan)
    checked[rows] = data.y_true[rows]
    return checked


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
    assert len(model.outliers_) == 10  # two are known
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


@pytest.mark.parametrize("scaling", ["standard", "robust", "none"])
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


@pytest.mark.parametrize(("k", "for_"), [(0, "labels"), (2.5, "ranking"), (True, "labels"), (3, "both")])
def test_questions_that_make_no_sense(k, for_):
    data = drawn()
    model = BlindAUCClassifier().fit(data.X, data.y_pu)
    with pytest.raises(ValueError, match=r"^(k|for_) must be"):
        model.next_to_check(k, for_=for_)


def test_what_to_check_for_the_ranking_has_unlabelled_rows_too():
    found, share = [], []
    for seed in range(3):
        data = drawn(seed, n_unlabelled=600)
        rows = BlindAUCClassifier().fit(data.X, data.y_pu).next_to_check(200, for_="ranking")
        assert len(np.unique(rows)) == len(rows)
        is_labelled = data.y_pu[rows] == 1
        assert is_labelled.any()
        assert not is_labelled.all()
        is_other = data.y_true != data.y_pu
        found.append(is_other[rows[:20]].mean())
        share.append(is_other.mean())
    # 0.38 and 0.20: twenty rows of a single draw may say otherwise.
    assert np.mean(found) > np.mean(share)


def test_the_gain_of_a_check_is_what_the_formula_says():
    class RankModel:
        def suspicion(self, rank):
            return 0.5 * (1 - np.asarray(rank))

        def probability(self, rank):
            return 0.8 * np.asarray(rank)

    data = some_data(4, n_pos=6, n_confirmed=1)
    rank = np.linspace(0.1, 0.9, len(data.row))
    unchecked = np.flatnonzero(data.is_positive & ~data.is_confirmed)
    outliers, used = unchecked[:2], unchecked[2:]
    found = gains(data, rank, RankModel(), data.row[outliers])
    expected = np.zeros(len(rank))
    for row in np.flatnonzero(data.is_unlabelled):
        expected[row] = 0.8 * rank[row] * (1 - rank[row]) ** 2
    for row in used:
        expected[row] = 2 * sum(0.5 * (1 - rank[k]) ** 2 for k in used) * 0.5 * (1 - rank[row]) ** 2
    for row in outliers:
        pulls = {k: (1 - 0.5 * (1 - rank[k])) * (1 - rank[k]) for k in outliers}
        expected[row] = 2 * sum(pulls.values()) * pulls[row]
    np.testing.assert_allclose(found, expected)


def test_expected_found_counts_no_row_that_was_checked():
    data = drawn(n_unlabelled=600)
    checked = checks_of(data, np.arange(100, 400))
    model = BlindAUCClassifier(prior=0.2).fit(data.X, data.y_pu, checked=checked)
    with pytest.raises(ValueError, match="from 1 to 300"):
        expected_found(model, data.X, 400, training=True)


def slow_log_probability(ranks, verdict, share):
    """The sum over both sharpnesses, label by label."""
    bins = np.minimum(np.floor(ranks * N_BINS), N_BINS - 1)
    seen, told = [], []
    for a, b in product(SHARPNESS, SHARPNESS):
        right = N_BINS * (((bins + 1) / N_BINS) ** a - (bins / N_BINS) ** a)
        wrong = N_BINS * ((1 - bins / N_BINS) ** b - (1 - (bins + 1) / N_BINS) ** b)
        label = (1 - share) * right + share * wrong
        seen.append(np.prod(label))
        wrong_share = share * wrong / label
        told.append(np.prod(np.where(verdict == 0, 1.0, np.where(verdict == 1, 1 - wrong_share, wrong_share))))
    return np.log(np.average(told, weights=seen))


@pytest.mark.parametrize("seed", range(3))
def test_the_probability_of_verdicts_against_a_loop(seed):
    rng = np.random.default_rng(seed)
    ranks, verdict = np.append(rng.beta(5, 1, 20), rng.uniform(size=5)), rng.integers(-1, 2, 25)
    shares = np.array([0.05, 0.1, 0.4])
    expected = [slow_log_probability(ranks, verdict, share) for share in shares]
    np.testing.assert_allclose(log_probability(ranks, np.ones(25), verdict, shares), expected)
    twice = log_probability(np.tile(ranks, 2), np.ones(50), np.tile(verdict, 2), shares)
    np.testing.assert_allclose(log_probability(ranks, np.full(25, 2.0), verdict, shares), twice)


def test_verdicts_change_the_belief_in_shares_of_outliers():
    data = some_data(0, n_pos=30, n_unl=50, n_negative=10, n_confirmed=20)
    data = data._replace(weight=np.ones(90), labelled=data.row[data.is_positive | data.is_known_negative])
    rng = np.random.default_rng(0)
    pos_ranks, negative_ranks = rng.beta(4, 1, 30), rng.beta(1, 2, 10)
    specs = [Spec("standard", "logistic", 1.0, share, None) for share in (0.0, 0.5)]
    alike = [np.tile(ranks, (2, 1)) for ranks in (pos_ranks, negative_ranks)]
    search = Search(data, specs, np.log([0.7, 0.3]), alike[0], [], [], [], negative_ranks=alike[1])
    # Ten labels of forty were found wrong; the second candidate leaves out five of the ten that nobody has checked.
    ranks, verdict = np.append(pos_ranks, negative_ranks), data.verdict[data.is_positive]
    told = log_probability(ranks, np.ones(40), np.append(verdict, np.full(10, -1)), np.array([0.25, 0.375]))
    assert abs(told[0] - told[1]) > 0.5
    np.testing.assert_allclose(search.weights, softmax(np.log([0.7, 0.3]) + told))
    # A split's own rows have no say in the weights of its average.
    held_out = np.zeros(90, dtype=bool)
    held_out[np.flatnonzero(data.is_known_negative)[:4]] = True
    other = replace(search, negative_ranks=np.where(held_out[data.is_known_negative], 1.0, alike[1]))
    np.testing.assert_array_equal(search.weights_without(held_out), other.weights_without(held_out))
    assert (search.weights != other.weights).all()


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


def test_labels_that_were_checked_are_compared_with_what_their_ranks_say():
    data = drawn(seed=2, kind="far")
    labelled = np.flatnonzero(data.y_pu == 1)
    checked = np.full(len(data.y_pu), np.nan)
    checked[labelled[::2]] = data.y_true[labelled[::2]]
    model = BlindAUCClassifier(**PLAIN).fit(data.X, data.y_pu, checked=checked)
    assert model.wrong_expected_.low <= (checked == 0).sum() <= model.wrong_expected_.high <= 30
    assert not hasattr(BlindAUCClassifier(**PLAIN).fit(data.X, data.y_pu), "wrong_expected_")


def test_what_was_found_tells_how_many_of_the_others_are_wrong():
    """Thirty low labels that were confirmed leave fewer wrong ones than thirty that were not looked at."""
    rng = np.random.default_rng(0)
    labelled = np.append(rng.normal(1.5, 1, 80), rng.normal(0, 1, 20))
    unlabelled = np.append(rng.normal(0, 1, 400), rng.normal(1.5, 1, 100))
    lowest, verdict = np.argsort(labelled)[:30], np.zeros(100, dtype=int)
    unknown = explain_scores(labelled, unlabelled, prior=0.2).model.estimate.contamination
    verdict[lowest] = 1
    confirmed = explain_scores(labelled, unlabelled, prior=0.2, pos_verdict=verdict).model.estimate.contamination
    verdict[lowest] = np.where(lowest < 80, 1, -1)
    true = explain_scores(labelled, unlabelled, prior=0.2, pos_verdict=verdict).model.estimate.contamination
    assert confirmed < true
    assert confirmed < unknown
    assert abs(true - 0.2) < abs(unknown - 0.2)
    assert true.high - true.low < unknown.high - unknown.low
    assert true.low < 0.2 < true.high


def test_the_likelihood_of_verdicts_is_that_of_a_loop():
    counts = Counts(np.array([3.0, 4.0, 8.0]), np.array([20.0, 10.0, 5.0]))
    right, wrong = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 0.0])
    grids = np.array([0.1, 0.3]), np.array([0.05, 0.2])
    plain = Mixtures(counts, *grids, shape_library())
    told = Mixtures(replace(counts, right=right, wrong=wrong), *grids, shape_library())
    added = told.log_likelihood() - plain.log_likelihood()
    for e, p, shape in ((0, 0, 0), (1, 0, 7), (1, 1, 40)):
        f0, f1 = plain._classes(np.array([e]), np.array([p]), np.array([shape]))[:, 0]
        eta, expected = grids[1][e], 0.0
        for b in range(3):
            is_wrong = eta * f0[b] / (eta * f0[b] + (1 - eta) * f1[b])
            expected += right[b] * np.log(1 - is_wrong) + wrong[b] * np.log(is_wrong)
        np.testing.assert_allclose(added[e, p, shape], expected, rtol=1e-3)
