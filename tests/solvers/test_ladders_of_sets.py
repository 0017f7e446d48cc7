"""Looser sets, and ladders of them."""

from itertools import pairwise

import numpy as np
import pytest
from instances import SETS

from blindauc.solvers import tightened
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0

GROUPS = np.arange(21) // 3


# --- looser sets ---


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0, np.inf])
@pytest.mark.parametrize("name", SETS)
def test_a_loosened_set_allows_so_many_times_as_much(name, factor):
    case = SETS[name]
    loose = case.set.loosened(factor)
    importance = np.random.default_rng(0).uniform(1, 2, case.n_columns)
    tight, wide = case.set.support(importance), loose.support(importance)
    assert not (tight & ~wide).any()
    if factor == np.inf:
        assert loose.is_everything
    if factor == 1.0 and name not in ("none", "exclusive_l0_each"):
        np.testing.assert_array_equal(wide, tight)
    if name in ("l0", "l0_roomy"):
        assert wide.sum() == min(case.n_columns, np.ceil(factor * 3) if name == "l0" else 5)
    elif name == "exclusive_l0":
        sizes = [len(np.flatnonzero(importance[group])) for group in ([0, 2, 6], [1, 4], [3], [5])]
        counts = [wide[group].sum() for group in ([0, 2, 6], [1, 4], [3], [5])]
        assert counts == [min(size, np.ceil(factor)) for size in sizes]


def test_loosening_ends_at_everything():
    allowed, n_steps = GroupL0(GROUPS, 1), 0
    while not allowed.is_everything:
        allowed, n_steps = allowed.loosened(1.5), n_steps + 1
        assert n_steps < 20
    free = L0(6, 1).with_free_column().loosened(2.0)
    assert free.support(np.arange(7.0)[::-1]).tolist() == [True, True, False, False, False, False, True]


# --- ladders of sets ---

TWENTY_ONE = AllFeatures(21)
LADDERS = {
    "to one column": [L0(21, 1)],
    "to everything": [L0(21, 21)],
    "several numbers": [L0(21, n) for n in (21, 13, 12, 4, 1)],
    "the same twice": [L0(21, 7), L0(21, 7)],
    "not from everything": [L0(21, n) for n in (5, 2)],
    "all features": [TWENTY_ONE],
    "groups": [GroupL0(GROUPS, n) for n in (7, 3, 1)],
    "few groups": [GroupL0(GROUPS, 1)],
    "in each group": [ExclusiveL0(GROUPS, n) for n in (3, 2, 1)],
    "as many, but others": [ExclusiveL0(GROUPS, n) for n in ([2, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 2])],
    "not one in the other": [ExclusiveL0(GROUPS, n) for n in ([3, 1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 1, 1, 1])],
}


def allows_the_same(one, other, n_columns):
    """They keep the same columns, whichever are the largest."""
    vectors = np.random.default_rng(0).uniform(1, 2, size=(20, n_columns))
    return all((one.support(vector) == other.support(vector)).all() for vector in vectors)


@pytest.mark.parametrize("has_intercept", [False, True])
@pytest.mark.parametrize("case", LADDERS)
def test_a_ladder_has_the_wanted_sets_at_its_places_and_no_long_steps(case, has_intercept):
    wanted = [each.with_free_column() if has_intercept else each for each in LADDERS[case]]
    p = 21 + has_intercept
    # Everything may count columns or, as the sets do, groups of them.
    for everything in (AllFeatures(p), wanted[0].loosened(np.inf)):
        ladder, places = tightened(everything, wanted)
        assert len(places) == len(wanted)
        assert places == sorted(places)
        assert ladder[0].is_everything
        for place, features in zip(places, wanted, strict=True):
            assert allows_the_same(ladder[place], features, p)
        for looser, tighter in pairwise(ladder):
            # Up again to everything, or down by a third at most, rounded up in each pool.
            longest = max(1.5 * tighter.n_units, tighter.loosened(1.5).n_units)
            assert tighter.is_everything or looser.is_everything or looser.n_units <= longest
            assert not looser.is_everything or tighter.loosened(1.5).is_everything or looser.n_units <= longest
        if case in ("to one column", "several numbers", "not from everything") and not has_intercept:
            sizes = [each.n_units for each in ladder]
            assert all(0 <= a - b <= np.ceil(a / 3) for a, b in pairwise(sizes))


def test_sets_within_others():
    order = [L0(21, 1), L0(21, 6), L0(21, 20), TWENTY_ONE]
    for a, one in enumerate(order):
        for b, other in enumerate(order):
            assert one.is_within(other) == (a <= b)
    one, other = ExclusiveL0(GROUPS, [2, 1, 1, 1, 1, 1, 1]), ExclusiveL0(GROUPS, [1, 2, 1, 1, 1, 1, 1])
    assert one.n_units == other.n_units == 8
    assert not one.is_within(other)
    assert not other.is_within(one)
    assert ExclusiveL0(GROUPS, 1).is_within(one)
    assert GroupL0(GROUPS, 7).is_within(TWENTY_ONE)
    assert TWENTY_ONE.is_within(GroupL0(GROUPS, 7))
