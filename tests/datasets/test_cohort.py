"""The simulated cohort: its truth is what it says, and it is neither trivial nor hopeless."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from blindauc.datasets import make_cohort


def test_sizes_and_names():
    cohort = make_cohort(random_state=0)
    assert cohort.X.shape == (464, 333)
    assert cohort.y_true.sum() == 116
    assert cohort.relevant.sum() == 6
    assert cohort.groups.tolist() == np.repeat(np.arange(37), 9).tolist()
    assert cohort.columns[:2] == ("variable 1 day 1", "variable 1 day 2")
    assert cohort.columns[-1] == "variable 37 day 9"
    np.testing.assert_array_equal(cohort.y_recorded, cohort.y_true)


def test_the_same_seed_gives_the_same_cohort():
    first, again, other = (make_cohort(random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)


def test_mislabelled_subjects_are_not_infected():
    cohort = make_cohort(n_mislabelled=5, random_state=0)
    wrong = cohort.y_recorded != cohort.y_true
    assert wrong.sum() == 5
    assert (cohort.y_true[wrong] == 0).all()
    assert (cohort.y_recorded[wrong] == 1).all()


@pytest.fixture(scope="module")
def large():
    return make_cohort(20000, n_variables=8, n_relevant=3, share_infected=0.5, random_state=0)


def test_an_infection_moves_the_relevant_variables_more_and_more(large):
    days = large.X.reshape(20000, 8, 9)
    moved = np.abs(days[large.y_true == 1].mean(axis=0) - days[large.y_true == 0].mean(axis=0))
    assert (moved[~large.relevant] < 0.06).all()
    assert (np.diff(moved[large.relevant], axis=1) > 0).all()
    assert (moved[large.relevant, 0] < 0.1).all()
    assert (moved[large.relevant, -1] > 0.7).all()


def test_days_of_a_variable_correlate_and_variables_do_not(large):
    healthy = large.X[large.y_true == 0]
    correlation = np.corrcoef(healthy.T).reshape(8, 9, 8, 9)
    for gap in range(1, 9):
        # Half of the variance is the subject's level, the other half fades from day to day.
        np.testing.assert_allclose(correlation[0, 0, 0, gap], 0.5 + 0.5 * 0.6**gap, atol=0.03)
    assert np.abs(correlation[0, :, 1, :]).max() < 0.05
    np.testing.assert_allclose(healthy.std(axis=0), 1, atol=0.03)


def test_neither_trivial_nor_hopeless_with_80_training_subjects():
    known, blind = [], []
    for seed in range(8):
        cohort = make_cohort(random_state=seed)
        by_class = [np.flatnonzero(cohort.y_true == label) for label in (1, 0)]
        train = np.concatenate([rows[:40] for rows in by_class])
        test = np.setdiff1d(np.arange(464), train)
        for aucs, columns in ((known, cohort.relevant[cohort.groups]), (blind, slice(None))):
            X = cohort.X[:, columns]
            model = LogisticRegression(C=0.01).fit(X[train], cohort.y_true[train])
            aucs.append(roc_auc_score(cohort.y_true[test], model.decision_function(X[test])))
    assert 0.89 < np.mean(known) < 0.96
    assert 0.79 < np.mean(blind) < 0.89


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_relevant": 38}, "n_relevant must be from 1 to n_variables = 37, not 38"),
        ({"share_infected": 1.5}, "share_infected is a share"),
        ({"n_mislabelled": 349}, "n_mislabelled must be from 0 to 348"),
    ],
)
def test_impossible_cohorts(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_cohort(**wrong)
