"""Objectives and solvers with known negatives and confirmed positives, against loops and exhaustive search."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from checked_rows import some_data

from blindauc.estimators.blind_auc import blind_auc_risk
from blindauc.estimators.pu_error import pu_error_risk
from blindauc.evidence.folds import enough_rows, fold_splits
from blindauc.evidence.out_of_fold import held_out_ranks
from blindauc.risks import PU_ERROR_RISKS
from blindauc.scorers import LinearScorer
from blindauc.scorers.linear import outlier_set
from blindauc.solvers import exchange, path, psg
from blindauc.sparsity import L0Among


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
