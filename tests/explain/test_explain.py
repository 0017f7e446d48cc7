"""What a model learnt: effects, interactions and importances of any score, and sentences about curves."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.explain import Effect, bends, effects_of, importances_of, interactions_of, shape_in_words
from blindauc.explain.effects import MAX_VALUES, grid_of
from blindauc.explain.importance import MAX_ROWS
from blindauc.explain.interactions import MOST_COLUMNS, _partners
from blindauc.explain.numbers import date_of, roundest
from blindauc.explain.shapes import distance_from_line, simplest_shape


class Fake:
    """Any function of the rows as a model that counts how often it is evaluated."""

    def __init__(self, function, columns):
        self.scores, self.columns, self.n_evaluations = function, np.asarray(columns, dtype=bool), 0

    def probe(self, X):
        return FakeProbe(self, X)


class FakeProbe:
    def __init__(self, model, X):
        self.model, self.X, self.scores = model, X, model.scores(X)

    def replaced(self, columns, values):
        assert values.shape == (len(self.X), len(columns))
        self.model.n_evaluations += 1
        changed = self.X.copy()
        changed[:, columns] = values
        return self.model.scores(changed)


def linear(*coef):
    return Fake(lambda X: X @ np.array(coef), np.array(coef) != 0)


def some_rows(n=300, seed=0):
    """A normal column, a skewed one, counts, an indicator and one that is mostly zero."""
    rng = np.random.default_rng(seed)
    mostly_zero = np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n))
    return np.column_stack(
        [rng.normal(size=n), rng.lognormal(size=n), rng.poisson(2, n), rng.random(n) < 0.2, mostly_zero]
    )


CURVES = [np.sin, lambda x: np.minimum(x, 3) ** 2, np.sqrt, lambda x: 2 * x, lambda x: 1.0 * (x > 0.5)]
ADDITIVE = Fake(lambda X: 10 + sum(curve(X[:, j]) for j, curve in enumerate(CURVES)), [True] * 5)
PRODUCT = Fake(lambda X: X[:, 0] * X[:, 1] + np.exp(X[:, 2] / 4) * X[:, 0] + X[:, 4], [True, True, True, False, True])


class TestEffects:
    def test_an_additive_score_is_recovered_at_the_grid(self):
        for effect, curve in zip(effects_of(ADDITIVE, [], some_rows()), CURVES, strict=True):
            expected = curve(effect.values) - curve(effect.values[:1])
            assert_allclose(effect.contribution - effect.contribution[0], expected, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("seed", range(3))
    def test_against_a_loop_over_intervals_and_rows(self, seed):
        X = some_rows(80, seed)
        for j, effect in enumerate(effects_of(PRODUCT, [], X)):
            steps = []
            for low, high in zip(effect.values, effect.values[1:], strict=False):
                changes = []
                for row in X[(X[:, j] >= low) & (X[:, j] <= high)]:
                    moved = np.array([row, row])
                    moved[:, j] = high, low
                    changes.append(-np.diff(PRODUCT.scores(moved))[0])
                steps.append(np.mean(changes))
            assert_allclose(np.diff(effect.contribution), steps, rtol=0, atol=1e-9)

    def test_contributions_are_centred_and_measured_over_the_rows(self):
        X = some_rows()
        for j, effect in enumerate(effects_of(ADDITIVE, [], X)):
            over_rows = effect.at(X[:, j])
            assert_allclose(over_rows.mean(), 0, atol=1e-12)
            assert_allclose(effect.size, over_rows.std(), rtol=1e-9)
            nearest = np.abs(X[:, [j]] - effect.values).argmin(axis=1)
            assert_allclose(effect.share, np.bincount(nearest, minlength=len(effect.values)) / len(X))

    def test_a_column_that_goes_with_another_does_not_take_its_effect(self):
        x = np.random.default_rng(0).normal(size=200)
        X = np.column_stack([x, x + 1e-3])
        own, other = effects_of(Fake(lambda X: X[:, 0], [True, True]), [], X)
        assert_allclose(own.contribution, own.values - x.mean(), atol=1e-9)
        assert_array_equal(other.contribution, 0)

    def test_columns_that_are_not_used_or_constant_cost_nothing(self):
        X = np.column_stack([some_rows()[:, 0], np.full(300, 7.0), some_rows()[:, 1]])
        model = linear(1.0, 1.0, 0.0)
        _, constant, unused = effects_of(model, [], X)
        assert model.n_evaluations == 2
        assert (constant.values.tolist(), constant.contribution.tolist(), constant.share.tolist()) == ([7], [0], [1])
        assert (unused.size, np.abs(unused.contribution).max()) == (0, 0)
        assert unused.share.sum() == pytest.approx(1)

    def test_the_band_is_the_jackknife_of_the_folds(self):
        X, slopes = some_rows()[:, :1], np.array([1.0, 1.2, 0.7, 1.1])
        (effect,) = effects_of(linear(1.0), [linear(slope) for slope in slopes], X)
        deviation = np.sqrt(3 / 4 * np.sum((slopes - slopes.mean()) ** 2))
        reach = 3.182446 * deviation * np.abs(effect.values - X.mean())
        assert_allclose(effect.high - effect.contribution, reach, rtol=1e-6, atol=1e-12)
        assert_allclose(effect.contribution - effect.low, reach, rtol=1e-6, atol=1e-12)

    def test_folds_that_are_repeated_count_once_and_leave_less_doubt_of_the_deviation(self):
        X, folds = some_rows()[:, :1], [linear(slope) for slope in (1.0, 1.2, 0.7)]
        (once,), (twice,) = (effects_of(linear(1.0), folds * n, X, n_repeats=n) for n in (1, 2))
        assert_allclose((twice.high - twice.low) / 2.570582, (once.high - once.low) / 4.302653, rtol=1e-6)

    @pytest.mark.parametrize("folds", [[], [linear(2.0)]])
    def test_no_band_without_folds(self, folds):
        (effect,) = effects_of(linear(1.0), folds, some_rows()[:, :1])
        assert_array_equal(effect.low, effect.contribution)
        assert_array_equal(effect.high, effect.contribution)

    def test_a_column_that_some_folds_use_has_a_band_about_zero(self):
        effect = effects_of(linear(1.0, 0.0), [linear(1.0, 0.0), linear(1.0, 0.5)], some_rows()[:, :2])[1]
        assert effect.size == 0
        assert effect.low.max() < 0 < effect.high.min()

    @pytest.mark.slow
    @pytest.mark.parametrize("n_repeats", [1, 2])
    def test_the_band_holds_the_truth_as_often_as_it_says(self, n_repeats):
        rng, slopes, reaches = np.random.default_rng(0), [], []
        for _ in range(2000):
            x = rng.normal(size=100)
            y = x + rng.normal(size=100)
            folds = []
            for _ in range(n_repeats):
                fold = rng.permutation(100) % 5
                folds += [linear(np.polyfit(x[fold != k], y[fold != k], 1)[0]) for k in range(5)]
            slopes.append(np.polyfit(x, y, 1)[0])
            (effect,) = effects_of(linear(slopes[-1]), folds, np.array([[0.0], [1.0]]), n_repeats=n_repeats)
            # Over two values the curve has half of its slope on either side.
            reaches.append(2 * (effect.high[1] - effect.contribution[1]))
        assert np.mean(np.abs(np.array(slopes) - 1) < np.array(reaches)) == pytest.approx(0.95, abs=0.025)

    def test_missing_values_take_no_part(self):
        X = some_rows()
        X[::3, 0] = np.nan
        X[1, 0] = np.inf
        model = Fake(lambda X: np.nan_to_num(X[:, 0], nan=9.0, posinf=9.0) ** 3 + X[:, 1], [True, True] + 3 * [False])
        known = np.isfinite(X[:, 0])
        effect, expected = effects_of(model, [], X)[0], effects_of(model, [], X[known])[0]
        for name in ("values", "contribution", "share", "size"):
            assert_allclose(getattr(effect, name), getattr(expected, name), atol=1e-12)

    def test_a_column_that_is_missing_everywhere_has_an_empty_effect(self):
        X = np.column_stack([np.full(20, np.nan), np.arange(20.0)])
        model = Fake(lambda X: X[:, 1], [True, True])
        effect = effects_of(model, [model, model], X)[0]
        assert (len(effect.values), len(effect.low), len(effect.share), effect.size) == (0, 0, 0, 0)
        assert_array_equal(effect.at([1.0, np.nan]), [0.0, np.nan])
        assert (bends(effect), shape_in_words(effect, "x")) == (0, "The score does not depend on x.")

    def test_sparse_and_single_precision_rows_are_as_good(self):
        X = some_rows().astype(np.float32)
        for other in (sp.csr_array(X), X):
            for effect, expected in zip(
                effects_of(PRODUCT, [], other), effects_of(PRODUCT, [], X.astype(float)), strict=True
            ):
                assert_array_equal(effect.contribution, expected.contribution)

    def test_rows_of_another_table_are_refused(self):
        with pytest.raises(ValueError, match="fitted to 2 columns, but the reference rows have 5: pass rows"):
            effects_of(linear(1.0, 1.0), [], some_rows())

    def test_values_between_and_beyond_the_grid(self):
        curve = np.array([0.0, 1.0, 3.0])
        effect = Effect(np.array([0.0, 1.0, 2.0]), curve, curve, curve, np.full(3, 1 / 3), 1.0)
        assert_allclose(effect.at([-1, 0, 0.5, 1, 1.5, 2, 4]), [-1, 0, 0.5, 1, 2, 3, 7])

    @given(st.lists(st.integers(-40, 40), min_size=1, max_size=120))
    def test_grids_are_values_from_the_least_to_the_largest(self, numbers):
        values = np.array(numbers, dtype=float)
        grid, distinct = grid_of(values), np.unique(values)
        assert len(grid) == len(distinct) if len(distinct) <= MAX_VALUES else 2 <= len(grid) <= MAX_VALUES
        assert (np.diff(grid) > 0).all()
        assert np.isin(grid, values).all()
        assert (grid[0], grid[-1]) == (values.min(), values.max())

    def test_a_column_that_is_mostly_zero_has_a_grid_where_it_is_not(self):
        values = np.append(np.zeros(970), np.arange(1.0, 31.0))
        assert len(grid_of(values)) == MAX_VALUES


class TestInteractions:
    def test_a_product_comes_first_among_noise(self):
        X = np.random.default_rng(0).normal(size=(300, 30))
        # Some noise that hardly matters, and columns with larger effects of their own.
        weak = Fake(lambda X: X[:, 3] * X[:, 17] + 3 * X[:, 5] + 0.1 * np.sin(X[:, 8] + X[:, 9]), [True] * 30)
        first, second, *others = interactions_of(weak, X)
        assert (first.columns, second.columns, others) == ((3, 17), (8, 9), [])
        assert first.size > 10 * second.size > 0

    def test_a_tree_that_asks_for_two_columns(self):
        X = np.random.default_rng(0).normal(size=(300, 6))
        tree = Fake(lambda X: np.where(X[:, 1] > 0, np.where(X[:, 4] > 0.5, 2.0, 0.0), 0.0) + X[:, 0], [True] * 6)
        assert [each.columns for each in interactions_of(tree, X)] == [(1, 4)]

    @pytest.mark.parametrize("seed", range(3))
    def test_against_rows_made_one_by_one(self, seed):
        X = some_rows(60, seed)
        partners, variance = _partners(60, seed), np.var(PRODUCT.scores(X))
        found = {each.columns: each.size for each in interactions_of(PRODUCT, X, random_state=seed)}
        for pair in combinations([0, 1, 2, 4], 2):
            squares = []
            for row, other in zip(X, X[partners], strict=True):
                made = {}
                for moved in [(), pair[:1], pair[1:], pair]:
                    made[moved] = row.copy()
                    made[moved][list(moved)] = other[list(moved)]
                score = {moved: PRODUCT.scores(one[None])[0] for moved, one in made.items()}
                squares.append((score[()] - score[pair[:1]] - score[pair[1:]] + score[pair]) ** 2)
            assert found.get(pair, 0) == pytest.approx(np.mean(squares) / 4 / variance, rel=1e-9, abs=1e-12)
        assert set(found) == {(0, 1), (0, 2)}

    def test_the_size_is_the_share_of_the_variance_that_needs_both(self):
        X = np.random.default_rng(0).choice([-1.0, 1.0], size=(4000, 3))
        # Of independent signs, each term has the variance of its squared factor.
        model = Fake(lambda X: 2 * X[:, 0] + X[:, 0] * X[:, 1] + X[:, 0] * X[:, 1] * X[:, 2], [True] * 3)
        sizes = {each.columns: each.size for each in interactions_of(model, X)}
        assert sizes == pytest.approx({(0, 1): 2 / 6, (0, 2): 1 / 6, (1, 2): 1 / 6}, rel=0.1)

    @pytest.mark.parametrize("offset", [0.0, 1e5])
    def test_additive_scores_have_none(self, offset):
        assert interactions_of(Fake(lambda X: ADDITIVE.scores(X) + offset, [True] * 5), some_rows()) == []

    def test_constant_scores_and_a_single_row_have_none(self):
        assert interactions_of(Fake(lambda X: np.full(len(X), 3.0), [True] * 5), some_rows()) == []
        assert interactions_of(PRODUCT, some_rows(1)) == []

    def test_only_some_columns_and_pairs(self):
        X = some_rows()
        assert [each.columns for each in interactions_of(PRODUCT, X, columns=[1, 0, 3])] == [(0, 1)]
        assert interactions_of(PRODUCT, X, n_pairs=1) == interactions_of(PRODUCT, X)[:1]

    def test_the_cost_is_bounded(self):
        model = Fake(lambda X: X[:, :40].sum(axis=1) ** 2, np.arange(60) < 40)
        interactions_of(model, np.random.default_rng(0).normal(size=(50, 60)))
        assert model.n_evaluations == 40 + MOST_COLUMNS * (MOST_COLUMNS - 1) // 2

    @pytest.mark.parametrize("n", [2, 3, 50])
    def test_every_row_is_paired_with_another(self, n):
        partners = _partners(n, 0)
        assert_array_equal(np.sort(partners), np.arange(n))
        assert (partners != np.arange(n)).all()


def held_out(n_pos=60, n_unl=200, p=4, seed=0):
    """Positives that are higher in the first column and a little in the second, in mixed order."""
    rng = np.random.default_rng(seed)
    is_positive = rng.permutation(n_pos + n_unl) < n_pos
    X = rng.normal(size=(n_pos + n_unl, p))
    X[is_positive, 0] += 1.5
    X[is_positive, 1] += 0.3
    return X, is_positive, rng.uniform(0.5, 2, n_pos + n_unl)


def slow_blind_auc(scores, is_positive, weight):
    above = total = 0.0
    for i in np.flatnonzero(is_positive):
        for j in np.flatnonzero(~is_positive):
            above += weight[i] * weight[j] * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
            total += weight[i] * weight[j]
    return above / total


class TestImportances:
    def test_against_a_double_loop(self):
        X, is_positive, weight = held_out()
        order = np.concatenate([np.flatnonzero(is_positive), np.flatnonzero(~is_positive)])
        X, is_positive, weight = X[order], is_positive[order], weight[order]
        # Ties, too.
        model = Fake(lambda X: np.round(X[:, 0] * (1 + X[:, 1] ** 2) + X[:, 2], 1), [True, True, True, False])
        shuffled, expected = np.random.default_rng(0).permutation(len(X)), []
        for j in range(4):
            changed = X.copy()
            changed[:, j] = X[shuffled, j]
            both = [slow_blind_auc(model.scores(rows), is_positive, weight) for rows in (X, changed)]
            expected.append(both[0] - both[1])
        assert_allclose(importances_of([(model, X, is_positive, weight)]), expected, atol=1e-12)

    def test_columns_that_matter_come_first_and_unused_ones_cost_nothing(self):
        model = linear(1.0, 1.0, 0.0, 1.0)
        importances = importances_of([(model, *held_out(seed=seed)) for seed in range(5)])
        assert importances[0] > importances[1] > np.abs(importances[3])
        assert importances[2] == 0
        assert model.n_evaluations == 5 * 3

    def test_folds_count_by_the_weight_of_their_positives(self):
        X, is_positive, weight = held_out()
        good, bad = linear(1.0, 0.0, 0.0, 0.0), linear(0.0, 0.0, 0.0, 1.0)
        (alone, *_) = importances_of([(good, X, is_positive, weight)])
        (both, *_) = importances_of([(good, X, is_positive, 3 * weight), (bad, X, is_positive, weight)])
        assert both == pytest.approx(0.75 * alone)

    def test_large_folds_are_sampled(self):
        seen = []

        def score(X):
            seen.append(len(X))
            return X[:, 0]

        X, is_positive, weight = held_out(2000, 3000)
        (importance, *_) = importances_of([(Fake(score, [True] + 3 * [False]), X, is_positive, weight)])
        assert set(seen) == {2 * MAX_ROWS}
        # The AUC of two normal distributions that are 1.5 apart, less one half, with its standard error of 0.012.
        assert importance == pytest.approx(0.856 - 0.5, abs=0.06)

    def test_sparse_rows_are_as_good(self):
        X, is_positive, weight = held_out()
        dense, sparse = (
            importances_of([(linear(1.0, 0.5, 0.2, 0), rows, is_positive, weight)]) for rows in (X, sp.csr_array(X))
        )
        assert_allclose(sparse, dense)

    def test_nothing_to_judge_by_is_refused(self):
        X = np.ones((4, 1))
        folds = [(linear(1.0), X, np.full(4, kind), np.ones(4)) for kind in (True, False)]
        for nothing in ([], folds):
            with pytest.raises(
                ValueError, match="holds out both labelled positives and unlabelled rows, but there is none"
            ):
                importances_of(nothing)

    def test_folds_without_both_kinds_are_left_out(self):
        fold = (linear(1.0, 0.0, 0.0, 0.0), *held_out())
        empty = (fold[0], np.ones((4, 4)), np.zeros(4, dtype=bool), np.ones(4))
        assert_array_equal(importances_of([empty, fold]), importances_of([fold]))


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
