"""Sentences about curves, the shapes that they have, and numbers as they are told."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from fake_models import Fake
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from blindauc.explain import Effect, bends, effects_of, shape_in_words
from blindauc.explain.numbers import date_of, roundest
from blindauc.explain.shapes import distance_from_line, simplest_shape


def effect_of(curve, values):
    """The effect of one column with these values."""
    return effects_of(Fake(lambda X: curve(X[:, 0]), [True]), [], np.asarray(values, dtype=float)[:, None])[0]


# Grids that hold round numbers: breakpoints lie on the grid.
AGE, TEMPERATURE = np.repeat(np.arange(0.0, 100.0, 5), 15), np.repeat(35 + 0.3 * np.arange(20), 15)
LACTATE = np.exp(np.linspace(-1, 2.5, 300))
VISITS = np.repeat(np.arange(7.0), [60, 80, 50, 40, 30, 20, 20])

SENTENCES = [
    (lambda x: 3 * x, AGE, "The score rises with x."),
    (lambda x: -x, LACTATE, "The score falls with x."),
    (lambda x: np.maximum(x - 38, 0), TEMPERATURE, "The score rises with x above 38."),
    (lambda x: -np.maximum(x - 38, 0), TEMPERATURE, "The score falls with x above 38."),
    (lambda x: np.minimum(x, 50), AGE, "The score rises with x up to 50."),
    (lambda x: -np.minimum(x, 3), VISITS, "The score falls with x up to 3."),
    (lambda x: np.where(x < 2, -4 * x, -x - 6), np.linspace(0.5, 6, 300), "The score falls with x, most below 2."),
    (lambda x: np.where(x < 60, 0.3 * x, 2 * x - 102), AGE, "The score rises with x, most above 60."),
    (lambda x: -np.abs(x - 38), TEMPERATURE, "The score is highest where x is near 38."),
    (lambda x: np.abs(x - 55), AGE, "The score is lowest where x is near 55."),
    (
        lambda x: -np.maximum(36.5 - x, 0) - np.maximum(x - 39, 0),
        TEMPERATURE,
        "highest where x is between 36.5 and 39.",
    ),
    (lambda x: np.maximum(40 - x, 0) + np.maximum(x - 70, 0), AGE, "The score is lowest where x is between 40 and 70."),
    (lambda x: 1.0 * ((x >= 2) & (x <= 3)), VISITS, "The score is highest where x is between 2 and 3."),
    (lambda x: 1.0 * (x == 2), VISITS, "The score is highest where x is near 2."),
    (lambda x: 1.0 * (x > 65), AGE, "The score is higher where x is above 65."),
    (lambda x: -1.0 * (x >= 3), VISITS, "The score is lower where x is above 2."),
    (lambda x: np.clip(x, 40, 70), AGE, "The score rises with x between 40 and 70."),
    (lambda x: np.minimum(x - 40, 0) + np.maximum(x - 70, 0), AGE, "The score rises with x, except between 40 and 70."),
    (lambda x: np.sin(x / 5), AGE, "The score goes up and down with x: it is highest near "),
    (lambda x: np.floor(x / 18), AGE, "The score rises with x."),
    (lambda x: 1.0 * (x > 90), AGE, "The score is higher where x is above 90."),
    (lambda x: x, np.arange(300) % 50 == 0, "The score is higher where x is 1 than where it is 0."),
    (lambda x: -x, [1013.2] * 9 + [1013.4], "The score is lower where x is 1013.4 than where it is 1013.2."),
    (lambda x: 0 * x, AGE, "The score does not depend on x."),
    (lambda x: x, [3.0] * 9, "The score does not depend on x."),
]


def with_band(effect, deviation):
    reach = 1.96 * deviation
    low, high = effect.contribution - reach, effect.contribution + reach
    return Effect(effect.values, effect.contribution, low, high, effect.share, effect.size)


class TestWords:
    @pytest.mark.parametrize(("curve", "values", "sentence"), SENTENCES)
    def test_shapes_by_construction(self, curve, values, sentence):
        assert sentence in shape_in_words(effect_of(curve, values), "x")

    def test_indicators_and_dates(self):
        fever = effect_of(lambda x: x, [0.0, 1.0])
        assert shape_in_words(fever, "fever", "yes") == "The score is higher where fever is yes."
        days = np.linspace(18262, 18993, 400)
        admitted = effect_of(lambda x: np.maximum(x - 18628, 0), days)
        assert shape_in_words(admitted, "admission", "days").startswith("The score rises with admission after 202")
        early = effect_of(lambda x: np.where(x < 18628, -5 * x, -2 * x - 3 * 18628), days)
        assert ", most before 202" in shape_in_words(early, "admission", "days")

    def test_what_the_band_leaves_open_is_not_said(self):
        hinge = effect_of(lambda x: np.maximum(x - 38, 0), TEMPERATURE)
        said = [shape_in_words(with_band(hinge, share * hinge.size), "x") for share in (0.1, 0.7, 1.5)]
        assert said == [
            "The score rises with x above 38.",
            "The score rises with x.",
            "How the score depends on x is not clear: the effect is smaller than its uncertainty.",
        ]

    def test_a_few_rows_far_out_do_not_decide(self):
        values = np.append(np.linspace(0, 10, 390), np.linspace(50, 100, 10))
        assert shape_in_words(effect_of(lambda x: np.abs(x - 5), values), "x").startswith("The score is lowest where")

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20, unique=True),
        st.data(),
        st.sampled_from(["", "days", "yes"]),
    )
    def test_any_curve_has_a_sentence(self, values, data, unit):
        n = len(values)
        numbers = st.lists(st.floats(-1e308, 1e308), min_size=n, max_size=n)
        low, curve, high = np.sort([data.draw(numbers) for _ in range(3)], axis=0)
        rows = np.array(data.draw(st.lists(st.integers(0, 50), min_size=n, max_size=n))) + (np.arange(n) == n // 2)
        effect = Effect(np.sort(values), curve, low, high, rows / rows.sum(), 1.0)
        sentence = shape_in_words(effect, "x", unit)
        assert sentence.endswith(".")
        assert "nan" not in sentence
        assert 0 <= bends(effect) <= 1

    @given(st.lists(st.floats(-1, 1), min_size=3, max_size=20), st.sampled_from([1e-200, 1e-3, 1.0, 1e9, 1e200]))
    def test_sentences_do_not_depend_on_units_but_for_their_numbers(self, heights, unit):
        curve, share = np.array(heights), np.full(len(heights), 1 / len(heights))
        values = np.arange(len(heights)) + 1.0
        one, other = (
            shape_in_words(Effect(grid, curve, curve, curve, share, 1.0), "x") for grid in (values, unit * values)
        )
        assert one.translate(DIGITS).split()[:5] == other.translate(DIGITS).split()[:5]


DIGITS = str.maketrans("", "", "0123456789.")


class TestBends:
    def test_a_line_does_not_bend(self):
        assert bends(effect_of(lambda x: 3 * x - 7, LACTATE)) < 1e-20
        assert bends(effect_of(lambda x: x, [0.0, 1.0])) < 1e-20
        assert bends(effect_of(lambda x: 0 * x, AGE)) == 0

    @pytest.mark.parametrize("seed", range(5))
    def test_against_a_weighted_regression(self, seed):
        rng = np.random.default_rng(seed)
        values, curve, share = np.sort(rng.lognormal(size=12)), rng.normal(size=12), rng.dirichlet(np.ones(12))
        line = np.polynomial.Polynomial.fit(values, curve, 1, w=np.sqrt(share))
        left, variance = share @ (curve - line(values)) ** 2, share @ (curve - share @ curve) ** 2
        assert bends(Effect(values, curve, curve, curve, share, 1.0)) == pytest.approx(left / variance)


def every_shape(t):
    """Every shape on a grid by its definition: its kind, breakpoints, pieces and functions."""
    inner = range(1, len(t) - 1)
    yield "line", (0, len(t) - 1), 1, [t]
    for i in range(len(t) - 1):
        yield "step", (i, i + 1), 2, [np.arange(len(t)) > i]
    for i in inner:
        yield "bend", (i, i), 2, [np.where(t < t[i], t - t[i], 0), np.where(t > t[i], t - t[i], 0)]
    for i, j in combinations(inner, 2):
        yield "ramp", (i, j), 3, [np.where(t < t[i], t[i], np.where(t > t[j], t[j], t))]
        yield "plateau", (i, j), 3, [np.where(t < t[i], t - t[i], 0), np.where(t > t[j], t - t[j], 0)]
    for i, j in combinations_with_replacement(inner, 2):
        yield "box", (i, j), 3, [(np.arange(len(t)) >= i) & (np.arange(len(t)) <= j)]


class TestShapes:
    @pytest.mark.parametrize("seed", range(20))
    def test_against_a_regression_for_every_shape(self, seed):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 12))
        t = np.concatenate([[0.0], np.sort(rng.random(n - 2)), [1.0]])
        curve, share = np.cumsum(rng.normal(size=n)), rng.dirichlet(np.full(n, 5.0))
        penalty, fits = 0.03 * np.var(curve), []
        for kind, at, n_pieces, functions in every_shape(t):
            columns = np.column_stack([np.ones(n), *functions]) * np.sqrt(share)[:, None]
            slopes, *_ = np.linalg.lstsq(columns, curve * np.sqrt(share), rcond=None)
            left = np.sum((columns @ slopes - curve * np.sqrt(share)) ** 2)
            fits.append((left + n_pieces * penalty, left, kind, at, slopes[1:]))
        # No distance equals a tolerance: rounding would decide.
        for tolerance in np.quantile([left for _, left, *_ in fits], [0.01, 0.2, 0.9]) + 1e-9:
            near = [fit for fit in fits if fit[1] <= tolerance]
            shape = simplest_shape(t, curve, share, penalty, tolerance)
            if shape is not None:
                (found,) = (fit for fit in fits if fit[2:4] == (shape.kind, shape.at))
                # Some shapes are the same, such as a step and a bend in the last interval.
                assert found[0] == pytest.approx(min(cost for cost, *_ in near))
                assert_allclose(shape.slopes, found[4], rtol=1e-6)
            else:
                assert not near
        assert simplest_shape(t, curve, share, penalty, 0.99 * min(left for _, left, *_ in fits) - 1e-12) is None

    @pytest.mark.parametrize("seed", range(20))
    def test_a_step_in_an_outer_interval_is_a_step_and_no_bend(self, seed):
        rng = np.random.default_rng(seed)
        t, share = np.concatenate([[0.0], np.sort(rng.random(6)), [1.0]]), rng.dirichlet(np.full(8, 5.0))
        for curve in (1.0 * (t > 0), 1.0 * (t == 1)):
            shape = simplest_shape(t, curve / 3, share, 0.025 * np.var(curve) / 9, tolerance=1e-9)
            assert (shape.kind, shape.slopes) == ("step", (pytest.approx(1 / 3),))

    def test_the_distance_from_a_line(self):
        t = np.array([0.0, 0.25, 1.0])
        assert distance_from_line(t, 5 - 2 * t, np.array([0.2, 0.5, 0.3])) == pytest.approx(0, abs=1e-20)


class TestNumbers:
    @given(
        st.floats(1e-6, 1e9).flatmap(lambda size: st.sampled_from([size, -size])),
        st.floats(1e-9, 1),
        st.floats(0.01, 1),
        st.floats(0.01, 1),
    )
    def test_the_roundest_number_lies_inside_and_has_the_fewest_digits(self, near, width, below, above):
        low, high = near - below * width * abs(near), near + above * width * abs(near)
        text = roundest(near, low, high)
        rounding = 1e-15 * abs(near)
        assert low - rounding <= float(text) <= high + rounding
        digits = len(text.lstrip("-0.").split("e")[0].replace(".", "").rstrip("0"))
        for fewer in range(1, digits):
            assert not low <= float(f"{near:.{fewer}g}") <= high

    def test_numbers_without_room(self):
        assert roundest(0.1, 0.1, 0.1) == "0.1"
        assert float(roundest(1 / 3, 1 / 3, 1 / 3)) == 1 / 3
        assert roundest(5e-324, 0.0, 5e-324) == "4.94e-324"
        assert roundest(-1.5e300, -2e300, -1e300) == "-1.5e+300"

    def test_dates(self):
        assert [date_of(days) for days in (0.0, -1.0, 19000.9, 1e9)] == ["1970-01-01", "1969-12-31", "2022-01-08", None]
