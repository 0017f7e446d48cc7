"""Whether a few columns stand out: the kurtosis of their effects against that of normal ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from test_tuning import as_data

from blindauc.tuning.evenness import ENOUGH_ROWS, evenness, n_independent

IS_POSITIVE = np.arange(90) < 30


def columns(seed, p=12, n=90):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p))


def slow_evenness(X, is_positive):
    """By its definition, a column and a pair of columns at a time."""
    p = X.shape[1]
    effects = [(x[is_positive].mean() - x[~is_positive].mean()) / x.std() for x in X.T]
    squared_correlations = sum(np.corrcoef(X[:, j], X[:, k])[0, 1] ** 2 for j in range(p) for k in range(p))
    kurtosis = np.mean([d**4 for d in effects]) / np.mean([d**2 for d in effects]) ** 2
    q = p**2 / squared_correlations
    return (3 / (1 + 2 / q) / kurtosis) ** ((q - 1) / q)


@pytest.mark.parametrize("seed", range(5))
def test_evenness_is_that_of_its_definition(seed):
    X = columns(seed)
    assert evenness(as_data(X, IS_POSITIVE)) == pytest.approx(slow_evenness(X, IS_POSITIVE))


def test_it_does_not_depend_on_scales_order_or_how_rows_are_kept():
    X = columns(0) * (columns(1) > 0)
    expected = evenness(as_data(X, IS_POSITIVE))
    order = np.random.default_rng(2).permutation(90)
    assert evenness(as_data(X[order], IS_POSITIVE[order])) == pytest.approx(expected)
    assert evenness(as_data(X * 10.0 ** np.arange(-6, 6) + 3, IS_POSITIVE)) == pytest.approx(expected)
    assert evenness(as_data(sp.csr_array(X), IS_POSITIVE)) == pytest.approx(expected)
    assert evenness(as_data(X.astype(np.float32), IS_POSITIVE)) == pytest.approx(expected, rel=1e-5)
    assert evenness(as_data(np.column_stack([X, np.full(90, 0.1)]), IS_POSITIVE)) == pytest.approx(expected)


def test_where_nothing_differs_it_says_nothing():
    assert evenness(as_data(np.full((90, 4), 0.1), IS_POSITIVE)) == 1.0
    assert evenness(as_data(np.zeros((90, 4)), IS_POSITIVE)) == 1.0
    # Copies of one column, on other scales.
    assert evenness(as_data(columns(0)[:, :1] * [1.0, 2.0, -3.0], IS_POSITIVE)) == pytest.approx(1)
    # Rare columns that no row of the sample has: nothing is known to go together.
    assert n_independent(np.zeros((9, 4))) == 4.0


def test_a_sample_of_many_rows_is_enough_and_does_not_depend_on_their_order():
    X, is_positive = columns(0, n=20 * ENOUGH_ROWS), np.arange(20 * ENOUGH_ROWS) % 3 == 0
    order = np.random.default_rng(1).permutation(len(X))
    found = evenness(as_data(X, is_positive))
    assert found == pytest.approx(slow_evenness(X, is_positive), rel=0.05)
    assert evenness(as_data(X[order], is_positive[order])) == pytest.approx(found)


@pytest.mark.parametrize("n_copies", [1, 3])
@pytest.mark.parametrize("p", [5, 40])
def test_of_normal_effects_it_is_one_in_the_mean_however_columns_correlate(p, n_copies):
    rng = np.random.default_rng(p)
    mixing = rng.normal(size=(p, p)) + np.eye(p) * 3
    X = np.repeat(rng.normal(size=(20_000, p)) @ mixing, n_copies, axis=1)
    correlation = np.corrcoef(X, rowvar=False)
    effects = rng.multivariate_normal(np.zeros(len(correlation)), correlation, size=20_000)
    squares = effects**2
    ratio = (squares.mean(axis=1) ** 2).mean() / (squares**2).mean()
    assert 3 / (1 + 2 / n_independent((X / X.std(axis=0))[:2000])) * ratio == pytest.approx(1, abs=0.04)


def test_columns_that_stand_out_make_it_small_and_equal_ones_large():
    X = np.random.default_rng(0).normal(size=(90, 60))
    few, all_alike = X.copy(), X.copy()
    few[IS_POSITIVE, :3] += 1.5
    all_alike[IS_POSITIVE] += 1.5
    assert evenness(as_data(few, IS_POSITIVE)) < 0.5 < 0.7 < evenness(as_data(X, IS_POSITIVE)) < 1.4
    assert evenness(as_data(all_alike, IS_POSITIVE)) > 2
