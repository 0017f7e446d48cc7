"""Effects of columns on any score, against their definition."""

import numpy as np
import pytest
import scipy.sparse as sp
from fake_models import ADDITIVE, CURVES, PRODUCT, Fake, linear, some_rows
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.explain import Effect, bends, effects_of, shape_in_words
from blindauc.explain.effects import MAX_VALUES, grid_of


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
