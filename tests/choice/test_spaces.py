"""What is tried: spaces of settings, belief in them, and shares of outliers."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from candidates import DATA, PAPER
from instances import COUNTS, as_data, linear_scorer

from blindauc import BlindAUCClassifierCV
from blindauc.choice.belief import IN_UNITS_ODDS, NONLINEAR_ODDS, likeliest_ridge
from blindauc.choice.space import COLUMN_RATIO, FEW_COLUMNS, Choices, column_counts, distinct_scalings, space_of
from blindauc.estimators.reading import screened
from blindauc.estimators.shapes import scorer_of
from blindauc.estimators.space import read_choices
from blindauc.rows.scaling import SCALINGS
from blindauc.scorers import Spec


def linear_space(data, **choices):
    return space_of(linear_scorer(), data, Choices(shapes=["linear"], **choices))


@pytest.mark.parametrize("ridges", [None, [100.0, 1.0]])
def test_a_space_is_every_combination(ridges):
    parts = {"scalings": ["standard", "none"], "losses": ["logistic", "hinge"], "outlier_shares": [0.0, 0.1]}
    uneven = as_data(PAPER.X * 10.0 ** np.arange(9), DATA.is_positive)
    space = linear_space(uneven, **parts, ridges=ridges, column_counts=[9, 3])
    assert len(space.specs) == len(set(space.specs)) == len(space.belief.log_within)
    assert np.isfinite(space.belief.log_within).all()
    kinds = {spec.kind for spec in space.specs}
    assert kinds == {("linear", *kind, None) for kind in product(parts["scalings"], parts["losses"])}
    for kind in kinds:
        of_kind = [spec for spec in space.specs if spec.kind == kind]
        found = {spec.l2 for spec in of_kind}
        assert found == set(ridges) if ridges else len(found) > 3
        expected = set(product(found, parts["outlier_shares"], [9, 3]))
        assert {(spec.l2, spec.n_outliers, spec.n_features_to_select) for spec in of_kind} == expected
        if ridges is None:
            unit = linear_scorer().ridge_unit(uneven, of_kind[0])
            assert min(found) < unit < max(found)


def test_all_columns_are_as_probable_as_selected_ones_for_the_ranking_and_one_number_of_many_for_inclusion():
    counts = {"column_counts": [9, 6, 3], "all_columns": 9, "outlier_shares": [0.0, 0.1], "ridges": [1.0]}
    choices = Choices(["linear", "kernel"], ["standard"], ["logistic"], **counts, gammas=[0.3])
    belief = space_of(linear_scorer(), DATA, choices).belief
    specs = space_of(linear_scorer(), DATA, choices).specs
    of_branch = [
        {(specs[k].shape, specs[k].n_features_to_select) for k in index} for index in belief.members().values()
    ]
    assert of_branch == [{("linear", 9)}, {("linear", 6), ("linear", 3)}, {("kernel", None)}]
    for each, expected in ((belief, [1, 1, 2 * NONLINEAR_ODDS]), (belief.for_inclusion(), [1, 2, 2 * NONLINEAR_ODDS])):
        np.testing.assert_allclose(np.exp(each.log_between - each.log_between[0]), expected)


def test_belief_is_highest_at_the_likeliest_ridge_and_falls_from_it():
    plain = Spec("standard", "logistic", 1.0, 0.0, 9)
    likeliest = likeliest_ridge(linear_scorer(), DATA, plain)
    ridges = [likeliest * 10.0**k for k in range(6, -11, -1)]
    choices = {"scalings": ["standard"], "losses": ["logistic"], "outlier_shares": [0.0, 0.2], "column_counts": [9, 2]}
    space = linear_space(DATA, ridges=ridges, **choices)
    assert np.isfinite(space.belief.log_within).all()
    of_ridge = {
        l2: {b for spec, b in zip(space.specs, space.belief.log_within, strict=True) if spec.l2 == l2} for l2 in ridges
    }
    first = [max(of_ridge[l2]) for l2 in ridges]
    assert np.argmax(first) == ridges.index(likeliest)
    assert (np.diff(first[: 6 + 1]) > 0).all()
    assert (np.diff(first[6:]) < 0).all()
    # The plainest is taken where nothing can be compared.
    assert space.likeliest == replace(plain, l2=likeliest)


@pytest.mark.parametrize("shape", ["linear", "curves"])
def test_the_likeliest_ridge_grows_with_coefficients_and_falls_with_positives(shape):
    scorer = scorer_of(linear_scorer(), DATA, [shape], [], has_intercept=False, seed=0)
    spec = Spec("standard", "logistic", 1.0, 0.0, None, shape)
    n_coefficients = 9 if shape == "linear" else scorer.of_family["curves"].basis.n_derived
    n_pos = int(DATA.is_positive.sum())
    # A weight of two is two rows; weights that are no whole numbers are proportions.
    for weight, n_rows in ((1.0, n_pos), (2.0, 2 * n_pos), (0.1, n_pos)):
        data = DATA._replace(weight=np.where(DATA.is_positive, weight, 1.0))
        expected = 10 * scorer.ridge_unit(data, spec) * n_coefficients / n_rows
        assert likeliest_ridge(scorer, data, spec) == pytest.approx(expected)


def test_belief_does_not_depend_on_units():
    parts = {"losses": ["logistic"], "outlier_shares": [0.0], "column_counts": [9, 3], "ridges": None}
    for scaling, factor in (("standard", 1.0), ("none", 1e6)):
        one, other = (
            linear_space(as_data(X, DATA.is_positive), scalings=[scaling], **parts) for X in (DATA.X, 1e3 * DATA.X)
        )
        np.testing.assert_allclose(one.belief.log_within, other.belief.log_within, rtol=1e-6)
        np.testing.assert_allclose([b.l2 / a.l2 for a, b in zip(one.specs, other.specs, strict=True)], factor)


def test_scalings_that_depend_on_units_are_less_probable():
    uneven = as_data(PAPER.X * 10.0 ** np.arange(9), DATA.is_positive)
    one_each = {"losses": ["logistic"], "outlier_shares": [0.0], "column_counts": [9], "ridges": None}
    space = linear_space(uneven, scalings=SCALINGS, **one_each)
    of_scaling = {
        name: max(b for s, b in zip(space.specs, space.belief.log_within, strict=True) if s.scaling == name)
        for name in SCALINGS
    }
    expected = {"none": np.log(IN_UNITS_ODDS), "standard": 0.0, "robust": 0.0, "variance": np.log(IN_UNITS_ODDS)}
    assert {name: b - of_scaling["standard"] for name, b in of_scaling.items()} == pytest.approx(expected)


def test_scalings_that_make_the_same_ridge_are_tried_once():
    standardised = as_data((DATA.X - DATA.X.mean(0)) / DATA.X.std(0) * 7.0, DATA.is_positive)
    assert distinct_scalings(standardised, ["none", "standard"]) == ["none"]
    assert distinct_scalings(standardised, ["standard", "none"]) == ["standard"]
    uneven = as_data(standardised.X * 10.0 ** np.arange(9), DATA.is_positive)
    assert distinct_scalings(uneven, ["none", "standard", "none"]) == ["none", "standard"]
    gross = uneven.X.copy()
    gross[::20, ::2] *= 100
    assert distinct_scalings(as_data(gross, DATA.is_positive), ["none", "standard", "robust"]) == [
        "none",
        "standard",
        "robust",
    ]


@pytest.mark.parametrize("n_units", [1, 2, 7, 50, 1000])
def test_column_counts_fall_from_all_to_one(n_units):
    counts = column_counts(n_units)
    assert counts[0] == n_units
    assert counts[-1] == 1
    assert (np.diff(counts) < 0).all()
    # None is less than a fixed share of the one before, but for rounding.
    assert all(fewer >= more / COLUMN_RATIO or fewer == more - 1 for more, fewer in pairwise(counts))
    assert set(range(1, min(FEW_COLUMNS, n_units) + 1)) <= set(counts)


def space(data=DATA, **params):
    cv = BlindAUCClassifierCV(**{"shape": "linear", **params})
    choices = read_choices(cv, screened(data, False))
    return space_of(cv._scorer(data, choices.shapes, choices.gammas), data, choices).specs


SPACES = {
    "one ridge": ({"l2": 3.0}, "l2", [3.0]),
    "ridges in any order": ({"l2": (1.0, 100, 10.0)}, "l2", [100, 10.0, 1.0]),
    "an array of ridges": ({"l2": np.array([0.1, 1.0])}, "l2", [1.0, 0.1]),
    "all features": ({"n_features_to_select": None}, "n_features_to_select", [9]),
    "one count": ({"n_features_to_select": 4}, "n_features_to_select", [4]),
    "counts and shares": ({"n_features_to_select": [2, 1.0, 0.5, None]}, "n_features_to_select", [9, 4, 2]),
    "the same twice": ({"n_features_to_select": [1 / 9, 1, 3, 1 / 3]}, "n_features_to_select", [3, 1]),
    "a tiny share": ({"n_features_to_select": 1e-6}, "n_features_to_select", [1]),
    "a range": ({"n_features_to_select": range(1, 4)}, "n_features_to_select", [3, 2, 1]),
    "automatic counts": ({}, "n_features_to_select", column_counts(9)),
    "outliers as a number": ({"n_outliers": 4}, "n_outliers", [0.1]),
    "outliers as shares": ({"n_outliers": [0.1, 0]}, "n_outliers", [0.0, 0.1]),
    "outliers twice": ({"n_outliers": [4, 0.1, 0, 0.0]}, "n_outliers", [0.0, 0.1]),
    "one scaling": ({"scaling": "robust"}, "scaling", ["robust"]),
    "scalings": ({"scaling": ["none", "none"]}, "scaling", ["none"]),
    "losses": ({"loss": ["hinge", "logistic"]}, "loss", ["hinge", "logistic"]),
    "a loss": ({}, "loss", ["logistic"]),
}


@pytest.mark.parametrize("case", SPACES)
def test_spaces_are_read(case):
    params, name, expected = SPACES[case]
    assert list(dict.fromkeys(getattr(spec, name) for spec in space(**params))) == expected


def test_automatic_scalings():
    uneven = PAPER.X * 10.0 ** np.arange(9)
    for X in (uneven, sp.csr_array(uneven)):
        assert {spec.scaling for spec in space(as_data(X, DATA.is_positive))} == {"standard", "none", "variance"}


def test_few_positives_leave_few_shares_of_outliers():
    for n_pos in (2, 3, 5):
        few = as_data(DATA.X[40 - n_pos :], DATA.is_positive[40 - n_pos :])
        assert few.is_positive.sum() == n_pos
        assert all(n_pos - round(spec.n_outliers * n_pos) >= 2 for spec in space(few))


def test_groups_are_counted_as_units():
    groups = COUNTS["group_l0"][0]
    found = space(sparsity="group_l0", groups=groups, l2=1.0, scaling="none", n_outliers=0)
    assert [spec.n_features_to_select for spec in found] == column_counts(3)
    found = space(sparsity="exclusive_l0", groups=groups, l2=1.0, scaling="none", n_outliers=0)
    counts = [spec.n_features_to_select for spec in found]
    assert counts[0] == (3, 3, 3)
    assert all(sum(a) > sum(b) for a, b in pairwise(counts))
    each = space(sparsity="exclusive_l0", groups=groups, n_features_to_select=[[1, 2, 1], [2, 1, 1], 3])
    assert {spec.n_features_to_select for spec in each} == {(3, 3, 3), (2, 1, 1), (1, 2, 1)}
