"""Derived columns of curves are natural cubic splines, whatever units, order and weights rows have."""

import numpy as np
import pytest
from bent_data import DATA, NEW, RNG, N, X
from scipy.interpolate import CubicSpline

from blindauc.scorers import derived
from blindauc.scorers.curves import N_KNOTS, curves_of
from blindauc.scorers.kernel import Landmarks
from blindauc.scorers.splines import Pieces, natural

ONE_COLUMN = {
    "normal": RNG.normal(size=200),
    "skewed": RNG.lognormal(size=200),
    "uneven weights": RNG.normal(size=200),
    "six values": RNG.integers(0, 6, 200).astype(float),
    "three values": RNG.integers(0, 3, 200).astype(float),
    "mostly zero": np.where(RNG.random(200) < 0.97, 0.0, RNG.exponential(size=200)),
    "one that differs, and another": np.r_[np.zeros(198), 1.0, 2.0],
    "far from zero": 1e9 + RNG.normal(size=200),
    "large": 1e12 * RNG.normal(size=200),
    "small": 1e-12 * RNG.normal(size=200),
    "two values": RNG.integers(0, 2, 200).astype(float),
    "two values, one of them once": np.r_[np.zeros(199), 5.0],
}
WEIGHTS = {"uneven weights": RNG.exponential(size=200)}
every_column = pytest.mark.parametrize("case", ONE_COLUMN)


def curve_of_case(case):
    values, weight = ONE_COLUMN[case], WEIGHTS.get(case, np.ones(200))
    (curve,) = curves_of(values[:, None], weight).of_column
    return curve, values, weight / weight.sum()


@every_column
def test_the_derived_columns_of_a_column_are_uncorrelated_with_a_variance_of_one(case):
    curve, values, share = curve_of_case(case)
    made = curve(values)
    np.testing.assert_allclose(share @ made, 0, atol=1e-6)
    np.testing.assert_allclose(made.T @ (share[:, None] * made), np.eye(made.shape[1]), atol=1e-6)


@every_column
def test_the_first_derived_column_is_the_column_itself_in_units_of_its_deviation(case):
    curve, values, share = curve_of_case(case)
    centred = values - np.average(values, weights=share)
    np.testing.assert_allclose(curve(values)[:, 0], centred / np.sqrt(share @ centred**2), rtol=1e-5, atol=1e-6)


@every_column
def test_curves_are_all_natural_cubic_splines_with_these_knots(case):
    """Any natural spline through the knots is a combination of the derived columns and a constant."""
    curve, values, _ = curve_of_case(case)
    distinct = np.unique(values)
    assert len(curve.knots) <= min(N_KNOTS, len(distinct))
    if len(distinct) == 2:
        assert len(curve.knots) == 0
        assert curve(values).shape[1] == 1
        return
    assert np.isin(curve.knots, distinct).all()
    assert curve(values).shape[1] == len(curve.knots) - 1
    unit = (curve.knots - curve.knots[0]) / np.ptp(curve.knots)
    inside = np.linspace(0, 1, 300)
    spline = CubicSpline(unit, np.random.default_rng(0).normal(size=len(unit)), bc_type="natural")(inside)
    made = np.column_stack([np.ones(300), curve(curve.knots[0] + np.ptp(curve.knots) * inside)])
    fitted = made @ np.linalg.lstsq(made, spline)[0]
    np.testing.assert_allclose(fitted, spline, atol=1e-5)


@every_column
def test_beyond_the_outermost_knots_curves_are_straight(case):
    curve, values, _ = curve_of_case(case)
    knots = curve.knots if len(curve.knots) else np.unique(values)
    steps = np.ptp(knots) * np.linspace(0, 10, 21)
    for outside in (knots[-1] + steps, knots[0] - steps):
        made = curve(outside)
        assert np.abs(np.diff(made, 2, axis=0)).max() <= 1e-6 * np.abs(made).max()
    # Between them, all but the column itself bend.
    inside = curve(np.linspace(knots[0], knots[-1], 50))
    assert (np.abs(np.diff(inside, 2, axis=0)).max(axis=0)[1:] > 1e-3).all()


def textbook_splines(x, knots):
    """The column and its natural cubic splines, by equations 5.4 and 5.5 of Hastie, Tibshirani and Friedman."""
    unit = knots[-1] - knots[0]
    z, t = (x - knots[0]) / unit, (knots - knots[0]) / unit
    d = [(np.maximum(z - a, 0) ** 3 - np.maximum(z - 1, 0) ** 3) / (1 - a) for a in t[:-1]]
    return np.column_stack([z, *(each - d[-1] for each in d[:-1])])


@pytest.mark.parametrize("n_knots", [3, 4, 6])
def test_splines_are_those_of_the_textbook(n_knots):
    knots = np.sort(RNG.normal(size=n_knots)) + 5
    x = np.r_[RNG.normal(5, 3, 50), knots, knots[-1] + 30]
    found = Pieces.of([knots], [0.0])(x[:, None]) @ natural(knots)
    np.testing.assert_allclose(found, textbook_splines(x, knots), rtol=1e-9, atol=1e-12)


def test_far_beyond_the_knots_splines_keep_their_digits():
    knots = np.array([0.0, 0.25, 0.5, 1.0])
    pieces = Pieces.of([knots], [0.0])
    values = pieces(np.array([[2.0], [2.0**40], [2.0**41 - 2.0]])) @ natural(knots)
    np.testing.assert_allclose(values[2] - values[1], values[1] - values[0], rtol=1e-12)


@pytest.mark.parametrize("basis", [curves_of(X, DATA.weight), Landmarks(DATA).kernel(0.3)], ids=["curves", "kernel"])
def test_products_with_derived_columns_that_are_not_kept(basis, monkeypatch):
    monkeypatch.setattr(derived, "BLOCK_ENTRIES", 37 * basis.mix.shape[0])
    made, kept = basis(NEW), np.arange(basis.n_derived) % 3 > 0
    rng = np.random.default_rng(1)
    coef, residual = rng.normal(size=kept.sum()), rng.normal(size=N)
    lazy = derived.LazyColumns(basis, NEW)[:, np.flatnonzero(kept)]
    np.testing.assert_allclose(lazy @ coef, made[:, kept] @ coef, rtol=0, atol=1e-9)
    np.testing.assert_allclose(lazy.T @ residual, made[:, kept].T @ residual, rtol=0, atol=1e-8)
    np.testing.assert_allclose(lazy.min(axis=0), made[:, kept].min(axis=0), rtol=0, atol=1e-9)
    np.testing.assert_allclose(lazy.max(axis=0), made[:, kept].max(axis=0), rtol=0, atol=1e-9)
    models = rng.normal(size=(basis.n_derived, 2))
    np.testing.assert_allclose(derived._scores(basis, NEW, models), made @ models, rtol=0, atol=1e-8)


def test_the_units_of_a_column_do_not_matter():
    x = ONE_COLUMN["normal"][:, None]
    made = curves_of(x, np.ones(200))(x)
    for change, tolerance in ((lambda x: 1e9 * x, 1e-8), (lambda x: 1e-9 * x, 1e-8), (lambda x: x + 1e6, 1e-6)):
        np.testing.assert_allclose(curves_of(change(x), np.ones(200))(change(x)), made, atol=tolerance)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e9 / 3])
def test_a_column_that_says_nothing_becomes_one_that_says_nothing(value):
    """Not even where new rows hold other values, or where its mean is rounded."""
    curves = curves_of(np.full((77, 1), value), np.ones(77))
    assert curves.source.tolist() == [0]
    assert not curves(np.array([[value], [value + 1.0], [-1e3]])).any()


def test_curves_by_weight_are_those_of_repeated_rows():
    weight = np.random.default_rng(0).integers(1, 4, N)
    one, other = curves_of(X, weight.astype(float)), curves_of(X.repeat(weight, axis=0), np.ones(weight.sum()))
    np.testing.assert_allclose(one(NEW), other(NEW), rtol=1e-6, atol=1e-6)


def test_curves_do_not_depend_on_the_order_of_rows():
    order = np.random.default_rng(0).permutation(N)
    one, other = curves_of(X, DATA.weight), curves_of(X[order], DATA.weight[order])
    np.testing.assert_allclose(one(NEW), other(NEW), rtol=1e-6, atol=1e-6)


def test_derived_columns_know_where_they_come_from():
    curves = curves_of(X, DATA.weight)
    for column in range(X.shape[1]):
        moved = NEW.copy()
        moved[:, column] += 0.5
        changed = (curves(moved) != curves(NEW)).any(axis=0)
        expected = (curves.source == column) & (column != 7)  # the constant one
        np.testing.assert_array_equal(changed, expected)


def test_the_columns_of_curves_are_those_with_any_weight():
    curves = curves_of(X, DATA.weight)
    coef = np.random.default_rng(0).integers(0, 2, (20, len(curves.source))) * 1.0
    expected = [[row[curves.source == column].any() for column in range(9)] for row in coef]
    np.testing.assert_array_equal(curves.columns(coef), expected)
