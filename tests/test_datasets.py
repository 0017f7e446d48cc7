"""The paper's generator: its truth is what it says."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from blindauc.datasets import make_paper_data


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
