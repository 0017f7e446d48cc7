"""Promises of every objective: derivatives of its value, and the meaning of trimming and weights."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from instances import NAMED_OBJECTIVES, RISKS, make_objective, numerical_jacobian
from numpy.testing import assert_allclose, assert_array_equal
from samples_of_rows import STEP, every_objective, make, point, sample

from blindauc.objectives import BlindAUCObjective, PUErrorObjective


@every_objective
def test_value_is_the_formula(name):
    X, is_positive, weight = sample()
    objective = make(name, l2=0.2, shift_l2=0.3)
    coef, shift = point(objective)
    design = np.column_stack([X, np.ones(len(X))]) if objective.risk.has_intercept else X
    f = design @ coef
    p, q = weight[is_positive], weight[~is_positive]
    risk = RISKS[name].plain(f[is_positive] + shift, f[~is_positive], p / p.sum(), q / q.sum())
    # An intercept bears no ridge.
    expected = risk + 0.1 * (coef[: X.shape[1]] ** 2).sum() + 0.15 * (shift**2).sum()
    assert_allclose(objective.value(coef, shift), expected, rtol=1e-12)


@every_objective
def test_gradient_is_that_of_the_value(name):
    objective = make(name)
    coef, shift = point(objective)
    found = objective.gradient(coef, shift)
    by_coef = numerical_jacobian(lambda coef: objective.value(coef, shift), coef, STEP)
    by_shift = numerical_jacobian(lambda shift: objective.value(coef, shift), shift, STEP)
    assert_allclose(found.coef, by_coef, rtol=1e-7, atol=1e-8)
    assert_allclose(found.shift, by_shift, rtol=1e-7, atol=1e-8)


@every_objective
def test_the_gradient_at_zero_is_that_at_zero(name):
    objective = make(name)
    expected = objective.gradient(np.zeros(objective.n_columns), np.zeros(objective.n_positives)).coef
    assert_allclose(objective.gradient_at_zero, expected, rtol=1e-12, atol=1e-14)


@every_objective
def test_a_restricted_objective_goes_with_its_last_reference(name):
    """It holds a copy of its columns, and so must not wait for Python to look for cycles."""
    objective = make(name)
    problem = objective.restricted(
        np.ones(objective.n_columns, dtype=bool), np.zeros(objective.n_positives, dtype=bool)
    )
    problem.hessian(np.zeros(len(problem.scale)))
    gone = weakref.ref(problem)
    gc.disable()
    try:
        del problem
        assert gone() is None
    finally:
        gc.enable()


@every_objective
@pytest.mark.parametrize("store", [sp.csr_array, sp.csc_array, sp.csr_matrix, np.asfortranarray])
def test_storage_does_not_matter(name, store):
    X, is_positive, weight = sample()
    dense = make_objective(name, X, is_positive, l2=0.1, sample_weight=weight)
    other = make_objective(name, store(X), is_positive, l2=0.1, sample_weight=weight)
    coef, shift = point(dense)
    for a, b in zip(dense.gradient(coef, shift), other.gradient(coef, shift), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    assert_allclose(other.column_spread, dense.column_spread, rtol=1e-12)


@pytest.mark.parametrize(("name", "construct"), NAMED_OBJECTIVES.items(), ids=NAMED_OBJECTIVES.keys())
def test_named_objectives_are_those_of_their_risks(name, construct):
    X, is_positive, weight = sample()
    named = construct(X, is_positive, l2=0.1, sample_weight=weight)
    coef, shift = point(named)
    assert named.value(coef, shift) == make(name).value(coef, shift)


def test_unknown_names_are_refused():
    X, is_positive, _ = sample()
    with pytest.raises(ValueError, match=r"Unknown risk 'biased'.*'paper', 'unbiased', 'nonnegative'"):
        PUErrorObjective(X, is_positive, prior=0.3, risk="biased", l2=0.1)
    with pytest.raises(ValueError, match="Unknown loss 'ramp'"):
        BlindAUCObjective(X, is_positive, loss="ramp", l2=0.1)


@every_objective
def test_a_trimmed_positive_is_as_if_it_were_not_there(name):
    X, is_positive, weight = sample()
    objective = make(name)
    coef, shift = point(objective)
    gone = np.array([1, 4])
    shift[gone] = np.inf
    left = np.delete(np.arange(len(X)), np.flatnonzero(is_positive)[gone])
    without = make_objective(name, X[left], is_positive[left], l2=0.1, sample_weight=weight[left])
    expected = without.gradient(coef, np.delete(shift, gone))
    found = objective.gradient(coef, shift)
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.coef, expected.coef, rtol=1e-11, atol=1e-13)
    assert_allclose(np.delete(found.shift, gone), expected.shift, rtol=1e-11, atol=1e-13)
    assert_array_equal(found.shift[gone], 0.0)


@every_objective
def test_a_weight_is_a_number_of_repetitions(name):
    X, is_positive, _ = sample()
    counts = np.random.default_rng(2).integers(1, 4, len(X))
    weighted = make_objective(name, X, is_positive, l2=0.1, shift_l2=0.0, sample_weight=counts.astype(float))
    rows = np.repeat(np.arange(len(X)), counts)
    repeated = make_objective(name, X[rows], is_positive[rows], l2=0.1, shift_l2=0.0)
    coef, shift = point(weighted)
    found = weighted.gradient(coef, shift)
    expected = repeated.gradient(coef, np.repeat(shift, counts[is_positive]))
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.coef, expected.coef, rtol=1e-11, atol=1e-13)
    assert_allclose(weighted.column_spread, repeated.column_spread, rtol=1e-12)


@every_objective
def test_on_unlabelled_is_the_objective_of_those_rows(name):
    X, is_positive, weight = sample()
    chosen = np.array([9, 2, 3, 11])
    rows = np.concatenate([np.flatnonzero(is_positive), np.flatnonzero(~is_positive)[chosen]])
    expected = make_objective(name, X[rows], is_positive[rows], l2=0.1, sample_weight=weight[rows])
    found = make(name).on_unlabelled(chosen)
    assert (found.n_positives, found.n_unlabelled) == (8, 4)
    coef, shift = point(found)
    for a, b in zip(found.gradient(coef, shift), expected.gradient(coef, shift), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_smoothed_is_the_objective_of_the_smoothed_risk():
    objective = make("auc_hinge")
    smoothed = objective.smoothed(0.01)
    coef, shift = point(objective)
    assert not objective.is_smooth
    assert smoothed.is_smooth
    assert 0 <= smoothed.value(coef, shift) - objective.value(coef, shift) <= 0.01 / 8
