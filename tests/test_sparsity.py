"""Promises of every hypothesis set: nearest points by brute force, honest exchanges, helpful group errors."""

import numpy as np
import pytest
from instances import GROUPS, SETS
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.sparsity import L0, ExclusiveL0, GroupL0, resolve_groups

every_set = pytest.mark.parametrize("case", SETS.values(), ids=SETS.keys())


def vectors(n, seed=0):
    """Random ones, ones with ties and zeros, and the zero vector."""
    rng = np.random.default_rng(seed)
    return [*rng.normal(size=(20, n)), *rng.integers(-2, 3, size=(20, n)).astype(float), np.zeros(n)]


@every_set
def test_project_is_the_nearest_point(case):
    members = np.array(case.masks())
    for vector in vectors(case.n_columns):
        nearest = case.set.project(vector)
        squared_distances = np.where(members, 0.0, vector**2).sum(axis=1)
        assert case.allows(nearest != 0)
        assert_allclose(((vector - nearest) ** 2).sum(), squared_distances.min(), rtol=1e-13)
        assert_array_equal(nearest[nearest != 0], vector[nearest != 0])


@every_set
def test_project_twice_is_project_once(case):
    for vector in vectors(case.n_columns):
        nearest = case.set.project(vector)
        assert_array_equal(case.set.project(nearest), nearest)


@every_set
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_project_does_not_depend_on_the_scale(case, scale):
    for vector in vectors(case.n_columns):
        expected = case.set.support(vector)
        with np.errstate(over="raise", invalid="raise"):
            assert_array_equal(case.set.support(vector * scale), expected)


@pytest.mark.parametrize("unit", [[0, 1, 2], [0, 0, 1, 1, 2, 2]], ids=["columns", "groups"])
def test_project_tells_units_apart_that_are_scales_apart(unit):
    vector = np.array([1e200, 1e-200, 2e-200])[unit]
    expected = np.array([1e200, 0.0, 2e-200])[unit]
    some = L0(3, 2) if len(unit) == 3 else GroupL0(np.array(unit), 2)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert_array_equal(some.project(vector), expected)


def test_groups_may_leave_numbers_out():
    assert_array_equal(GroupL0(np.array([0, 0, 2]), 1).support(np.array([3.0, 3.0, 4.0])), [True, True, False])


@every_set
def test_among_equals_the_first_are_kept(case):
    equal = np.ones(case.n_columns)
    kept = case.set.support(equal)
    # Of the largest allowed masks, the first in the order of the columns.
    best = max(case.masks(), key=lambda mask: (mask.sum(), mask.tolist()))
    assert_array_equal(kept, best)
    assert_array_equal(case.set.support(-equal), kept)


@every_set
def test_support_is_as_large_as_the_set_allows(case):
    for importance in vectors(case.n_columns):
        support = case.set.support(importance)
        assert case.allows(support)
        assert not any((support <= mask).all() and mask.sum() > support.sum() for mask in case.masks())


@every_set
def test_is_everything_and_is_nothing_say_so(case):
    members = case.masks()
    assert case.set.is_everything == (len(members) == 2**case.n_columns)
    assert case.set.is_nothing == (len(members) == 1)


@pytest.mark.parametrize("n_nonzero", range(8))
def test_singleton_groups_and_one_single_group_are_plain_sparsity(n_nonzero):
    plain = L0(7, n_nonzero)
    singletons = GroupL0(np.arange(7), n_nonzero)
    single = ExclusiveL0(np.zeros(7, dtype=int), n_nonzero)
    for vector in vectors(7):
        assert_array_equal(singletons.project(vector), plain.project(vector))
        assert_array_equal(single.project(vector), plain.project(vector))


def exchanges(case, support, gain, cost):
    """Every allowed support with one unit out and one in, with its net gain, best first."""
    found = []
    for leaving in case.units:
        for entering in case.units:
            if not support[leaving].all() or support[entering].any():
                continue
            mask = support.copy()
            mask[leaving], mask[entering] = False, True
            if case.allows(mask):
                found.append((gain[entering].sum() - cost[leaving].sum(), mask))
    return sorted(found, key=lambda pair: -pair[0])


def random_exchange_problem(case, seed):
    rng = np.random.default_rng(seed)
    support = case.set.support(rng.normal(size=case.n_columns))
    return support, rng.exponential(size=case.n_columns), rng.exponential(size=case.n_columns)


@every_set
@pytest.mark.parametrize("seed", range(5))
def test_swaps_are_all_exchanges_the_most_promising_first(case, seed):
    support, gain, cost = random_exchange_problem(case, seed)
    found = list(case.set.swaps(support, gain, cost, limit=1000))
    expected = exchanges(case, support, gain, cost)
    assert_array_equal(found, [mask for _, mask in expected])


@every_set
@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_swaps_stop_at_the_limit_and_are_the_best_up_to_it(case, limit):
    for seed in range(20):
        support, gain, cost = random_exchange_problem(case, seed)
        found = list(case.set.swaps(support, gain, cost, limit=limit))
        expected = exchanges(case, support, gain, cost)
        assert_array_equal(found, [mask for _, mask in expected][:limit])


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 12])
def test_swaps_up_to_a_limit_are_the_most_promising_ones(limit):
    case = SETS["l0"]
    support = np.array([True, True, True, False, False, False, False])
    gain, cost = np.array([0.0, 0.0, 0.0, 9.0, 8.0, 7.0, 6.0]), np.array([0.0, 50.0, 50.0, 0, 0, 0, 0])
    found = list(case.set.swaps(support, gain, cost, limit=limit))
    assert_array_equal(found, [mask for _, mask in exchanges(case, support, gain, cost)][:limit])


@every_set
def test_a_free_column_is_always_kept(case):
    free = case.set.with_free_column()
    for vector in vectors(case.n_columns):
        for last in (0.0, 1e-9, 1e9):
            longer = np.append(vector, last)
            support = free.support(longer)
            assert support[-1]
            assert_array_equal(free.project(longer), np.append(case.set.project(vector), last))
            swaps = free.swaps(support, longer**2, longer**2, limit=1000)
            assert all(swap[-1] for swap in swaps)


PARTITIONS = {
    "ids": ([0, 1, 0, 2], [0, 1, 0, 2]),
    "ids with gaps": ([7, 3, 7, 9], [1, 0, 1, 2]),
    "ids of more digits": ([2, 10, 2, -1], [1, 2, 1, 0]),
    "array of ids": (np.array([5, 5, 1, 1]), [1, 1, 0, 0]),
    "string ids": (["wound", "heart", "wound", "lung"], [2, 0, 2, 1]),
    "lists of indices": ([[3, 0], [1, 2]], [0, 1, 1, 0]),
    "tuples and sets": ([(3,), {0, 1}, np.array([2])], [1, 1, 2, 0]),
    "lists of names": ([["d"], ["a", "c"], ["b"]], [1, 2, 1, 0]),
    "names and indices": ([["d", 1], ["a", 2]], [1, 0, 1, 0]),
    "a lone column beside lists": ([[0, 1, 2], 3], [0, 0, 0, 1]),
}
BAD_PARTITIONS = {
    "overlap": ([[0, 1], [1, 2, 3]], "Column 1 is in two groups.*must not overlap"),
    "overlap by name": ([["a", "b"], ["a", "c", "d"]], "Column 'a' is in two groups"),
    "left out": ([[0, 1], [3]], "1 of 4 columns.*no group.*'c'"),
    "empty": ([[0, 1, 2, 3], []], "Group 1 is empty: leave it out"),
    "unknown name": ([["a", "b"], ["c", "e"]], "column 'e', which X does not have"),
    "index too large": ([[0, 1], [2, 3, 4]], "column 4.*from 0 to 3"),
    "negative index": ([[0, 1, 2], [-1]], "column -1.*from 0 to 3"),
    "not an index": ([[0, 1, 2], [2.5]], "column 2.5"),
    "too few ids": ([0, 1, 0], "one id per column: 4 were expected, but there are 3.*list of lists"),
    "too many ids": (["x"] * 5, "4 were expected, but there are 5"),
}


@pytest.mark.parametrize(("groups", "expected"), PARTITIONS.values(), ids=PARTITIONS.keys())
def test_groups_can_be_written_in_many_ways(groups, expected):
    assert_array_equal(resolve_groups(groups, 4, ["a", "b", "c", "d"]), expected)


@pytest.mark.parametrize(("groups", "message"), BAD_PARTITIONS.values(), ids=BAD_PARTITIONS.keys())
def test_bad_groups_are_named(groups, message):
    with pytest.raises(ValueError, match=message):
        resolve_groups(groups, 4, ["a", "b", "c", "d"])


def test_names_without_feature_names_are_refused():
    with pytest.raises(ValueError, match="no column names: give column indices"):
        resolve_groups([["a"], ["b"]], 2)


def test_a_column_left_out_without_names_is_given_by_its_index():
    with pytest.raises(ValueError, match="the first: 1"):
        resolve_groups([[0], [2]], 3)


def test_resolved_groups_make_sets():
    groups = resolve_groups(["a", "b", "a", "c", "b", "d", "a"], 7)
    assert_array_equal(groups, GROUPS)
    for vector in vectors(7):
        assert_array_equal(GroupL0(groups, 2).project(vector), SETS["group_l0"].set.project(vector))
