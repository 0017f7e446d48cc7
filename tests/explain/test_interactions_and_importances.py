"""Interactions of columns and importances for any score, against slow versions."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from fake_models import ADDITIVE, PRODUCT, Fake, linear, some_rows
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.explain import importances_of, interactions_of
from blindauc.explain.importance import MAX_ROWS
from blindauc.explain.interactions import MOST_COLUMNS, _partners


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
        assert model.n_evaluations == 40 + 3 * (MOST_COLUMNS * (MOST_COLUMNS - 1) // 2)

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
