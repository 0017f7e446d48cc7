"""The generators: their truth is what they say."""

import hashlib
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from blindauc.datasets import make_cohort, make_correlated_data, make_paper_data


def test_sizes_and_truth():
    data = make_paper_data(n_features=60, n_outliers=5, random_state=0)
    assert data.X.shape == (400, 60)
    assert data.X_test.shape == (4000, 60)
    assert data.support.tolist() == [True] * 40 + [False] * 20
    labelled = data.y_pu == 1
    assert labelled.sum() == 100
    assert data.y_true[labelled].sum() == 95
    assert data.y_true[~labelled].sum() == 20
    np.testing.assert_array_equal(np.flatnonzero(labelled & (data.y_true == 0)), data.outliers)
    assert data.y_test.mean() == 0.3


@pytest.mark.parametrize("reading", ["relevant", "all"])
def test_distributions(reading):
    data = make_paper_data(
        n_features=60, n_outliers=50, outlier_features=reading, n_negatives=5000, n_test_pos=5000, random_state=0
    )
    relevant, rest = data.support, ~data.support
    for X, y in ((data.X_test, data.y_test), (data.X[data.y_pu == 0], data.y_true[data.y_pu == 0])):
        assert X[y == 0][:, relevant].mean() == pytest.approx(-1, abs=0.1)
        assert X[:, relevant].std() == pytest.approx(7, abs=0.15)
        assert X[:, rest].std() == pytest.approx(5, abs=0.1)
    assert data.X_test[data.y_test == 1][:, relevant].mean() == pytest.approx(1, abs=0.1)
    wrong = data.X[data.outliers]
    assert wrong[:, relevant].mean() == pytest.approx(-10, abs=0.1)
    assert wrong[:, relevant].std() == pytest.approx(1, abs=0.1)
    expected = (-10, 1) if reading == "all" else (0, 5)
    assert (wrong[:, rest].mean(), wrong[:, rest].std()) == pytest.approx(expected, abs=0.4)


def test_seeds_repeat_and_the_record_is_frozen():
    one, other = make_paper_data(random_state=3), make_paper_data(random_state=3)
    np.testing.assert_array_equal(one.X, other.X)
    assert not np.array_equal(one.X, make_paper_data(random_state=4).X)
    with pytest.raises(FrozenInstanceError):
        one.X = other.X


# --- correlated features ---


def test_sizes_and_truth_of_correlated_data():
    data = make_correlated_data(
        0.2, n_features=12, n_relevant=5, n_pos=50, n_unlabelled=200, prior=0.3, n_test=101, random_state=0
    )
    assert data.X.shape == (250, 12)
    assert data.X_test.shape == (101, 12)
    assert data.support.sum() == 5
    labelled = data.y_pu == 1
    assert labelled.sum() == 50
    assert data.y_true[labelled].sum() == 40
    assert data.y_true[~labelled].sum() == 60
    assert data.y_test.sum() == 50
    np.testing.assert_array_equal(np.flatnonzero(labelled & (data.y_true == 0)), data.outliers)


def class_mean(data):
    """Half of the distance between the classes, by the rows with known truth."""
    return (data.X_test[data.y_test == 1].mean(axis=0) - data.X_test[data.y_test == 0].mean(axis=0)) / 2


@pytest.mark.parametrize("auc", [0.7, 0.92])
@pytest.mark.parametrize("n_relevant", [3, 10])
def test_the_best_linear_score_has_the_auc_asked_for(auc, n_relevant):
    data = make_correlated_data(
        0.0, n_features=10, n_relevant=n_relevant, auc=auc, n_unlabelled=10, n_test=40_000, random_state=1
    )
    correlation = 0.5 ** np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    for label in (0, 1):
        found = np.cov(data.X_test[data.y_test == label], rowvar=False)
        np.testing.assert_allclose(found, correlation, atol=0.04)  # four standard errors
    centre = class_mean(data)
    assert np.abs(centre[~data.support]).max(initial=0.0) < 0.03
    score = data.X_test @ np.linalg.solve(correlation, centre)
    assert roc_auc_score(data.y_test, score) == pytest.approx(auc, abs=0.01)
    # All the relevant ones lie at the same distance from zero, on either side.
    relevant = np.abs(centre[data.support])
    np.testing.assert_allclose(relevant, relevant.mean(), atol=0.03)


def test_a_higher_auc_is_a_larger_distance():
    near, far = (class_mean(make_correlated_data(auc=auc, random_state=0)) for auc in (0.7, 0.9))
    support = make_correlated_data(random_state=0).support
    expected = norm.ppf(0.9) / norm.ppf(0.7)
    assert np.abs(far[support]).mean() / np.abs(near[support]).mean() == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize(("outliers", "factor"), [("ordinary", 1.0), ("far", 5.0)])
def test_outliers_lie_where_they_are_said_to(outliers, factor):
    data = make_correlated_data(
        0.3, outliers=outliers, n_features=10, n_relevant=4, n_pos=2000, n_test=20_000, random_state=0
    )
    assert len(data.outliers) == 600
    wrong = data.X[data.outliers]
    # 600 rows leave each mean uncertain by 0.04.
    np.testing.assert_allclose(wrong.mean(axis=0), -factor * class_mean(data), atol=0.2)
    assert wrong.std(axis=0) == pytest.approx(np.ones(10), abs=0.15)


def test_seeds_repeat_correlated_data():
    one, other = make_correlated_data(random_state=3), make_correlated_data(random_state=3)
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.support, other.support)
    assert not np.array_equal(one.X, make_correlated_data(random_state=4).X)
    # Other outliers are the only difference between the kinds.
    far = make_correlated_data(outliers="far", random_state=3)
    rest = np.setdiff1d(np.arange(len(one.X)), one.outliers)
    np.testing.assert_array_equal(far.X[rest], one.X[rest])
    np.testing.assert_array_equal(far.X_test, one.X_test)


@pytest.mark.parametrize(
    ("draw", "digest"),
    [
        (lambda: make_correlated_data(outliers="far", random_state=3), "65e7bad780165617"),
        (lambda: make_cohort(random_state=3), "66a6f01249285192"),
    ],
    ids=["correlated", "cohort"],
)
def test_the_last_digit_does_not_depend_on_the_processor(draw, digest):
    """Recorded; OPENBLAS_CORETYPE and NPY_DISABLE_CPU_FEATURES stand in for other processors by hand."""
    assert hashlib.sha256(draw().X.tobytes()).hexdigest().startswith(digest)
