"""Whether a few columns stand out: the kurtosis of their effects against that with random labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import norm
from test_tuning import as_data

from blindauc.tuning.evenness import evenness
from blindauc.tuning.folds import MAX_FITTED_POS

IS_POSITIVE = np.arange(90) < 30


def columns(seed, p=12, n=90):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p))


def slow_evenness(X, is_positive, rng, weight=None):
    """By its definition, a column, a pair of columns and an order of the labels at a time."""
    weight, p = np.ones(len(X)) if weight is None else weight, X.shape[1]
    covariance = np.cov(X, rowvar=False, aweights=weight, ddof=0)
    deviation = np.sqrt(np.diag(covariance))

    def concentration(labels):
        effects = []
        for x, unit in zip(X.T, deviation, strict=True):
            means = [np.average(x[group], weights=weight[group]) for group in (labels, ~labels)]
            effects.append((means[0] - means[1]) / unit)
        return sum(d**4 for d in effects) / sum(d**2 for d in effects) ** 2

    by_chance = [concentration(rng.permutation(is_positive)) for _ in range(3000)]
    q = p**2 / sum((covariance[j, k] / deviation[j] / deviation[k]) ** 2 for j in range(p) for k in range(p))
    return (1 - 1 / q) * norm.ppf(np.mean(by_chance > concentration(is_positive)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("effect", [0.0, 1.0, 2.0])
def test_evenness_is_that_of_its_definition(effect, weighted):
    rng = np.random.default_rng(0)
    X, weight = columns(0), rng.uniform(0.5, 2.0, 90) if weighted else None
    X[IS_POSITIVE, 0] += effect
    # Of three hundred orders of the labels, the middle is known to 0.07 of a deviation, and the tails less well.
    assert evenness(as_data(X, IS_POSITIVE, weight)) == pytest.approx(
        slow_evenness(X, IS_POSITIVE, rng, weight), abs=0.25
    )


def test_it_does_not_depend_on_the_order_of_rows_or_how_they_are_kept():
    X = columns(0) * (columns(1) > 0)
    expected = evenness(as_data(X, IS_POSITIVE))
    order = np.random.default_rng(2).permutation(90)
    assert evenness(as_data(X[order], IS_POSITIVE[order])) == pytest.approx(expected)
    assert evenness(as_data(sp.csr_array(X), IS_POSITIVE)) == pytest.approx(expected)
    X = X.astype(np.float32)
    assert evenness(as_data(X, IS_POSITIVE)) == pytest.approx(evenness(as_data(X.astype(float), IS_POSITIVE)), rel=1e-4)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9, 1e300])
def test_constant_columns_do_not_count(constant):
    X = columns(0)
    digested_alike = np.column_stack([X, np.zeros((90, 5))])
    with_constants = np.column_stack([X, np.full((90, 5), constant)])
    expected = evenness(as_data(digested_alike, IS_POSITIVE))
    found = evenness(as_data(with_constants, IS_POSITIVE))
    assert found == pytest.approx(expected, abs=0 if constant == 0 else 0.5)


def test_where_nothing_can_be_told_it_is_zero():
    column = columns(0)[:, :1]
    assert evenness(as_data(np.full((90, 4), 0.1), IS_POSITIVE)) == 0.0
    assert evenness(as_data(np.zeros((90, 4)), IS_POSITIVE)) == 0.0
    assert evenness(as_data(column, IS_POSITIVE)) == 0.0
    assert evenness(as_data(column * [1.0, 2.0, -3.0], IS_POSITIVE)) == 0.0


def test_of_many_rows_a_sample_is_enough():
    n = 3 * MAX_FITTED_POS
    X, is_positive = columns(0, n=3 * n), np.arange(3 * n) < n
    X[is_positive, 0] += 5
    order = np.random.default_rng(1).permutation(3 * n)
    found = evenness(as_data(X, is_positive))
    assert found < -1
    assert evenness(as_data(X[order], is_positive[order])) == pytest.approx(found)


@pytest.mark.parametrize("kind", ["normal", "skewed", "rare", "alike"])
def test_by_chance_it_is_zero_in_the_mean_and_small_whatever_the_columns(kind):
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        X = rng.normal(size=(90, 20))
        if kind == "skewed":
            X = np.exp(2 * X)
        elif kind == "rare":
            X = (X > 1.8).astype(float)
        elif kind == "alike":
            X += 3 * rng.normal(size=(90, 1))
        found.append(evenness(as_data(X, IS_POSITIVE)))
    # Three standard errors of sixty numbers; columns that are alike say less.
    assert np.mean(found) == pytest.approx(0, abs=3 / np.sqrt(60))
    assert 0.2 < np.std(found) < 1.3


def test_columns_that_stand_out_make_it_negative_and_equal_ones_positive():
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(90, 60))
        few, all_alike = X.copy(), X.copy()
        few[IS_POSITIVE, :3] += 1.5
        all_alike[IS_POSITIVE] += 1.5
        assert -3 < evenness(as_data(few, IS_POSITIVE)) < -2
        assert 2 < evenness(as_data(all_alike, IS_POSITIVE)) < 3
