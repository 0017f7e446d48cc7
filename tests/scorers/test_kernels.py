"""Kernels: similarities, landmarks, contributions and restrictions, against slow versions."""

import numpy as np
import pytest
from bent_data import DATA, NEW, N, X
from instances import as_data

from blindauc.scorers import derived, kernel
from blindauc.scorers.kernel import Landmarks


def slow_similarity(rows, others, gamma):
    return np.array([[np.exp(-gamma * np.mean((row - other) ** 2)) for other in others] for row in rows])


@pytest.fixture(scope="module", params=[0.3, 3.0])
def some_kernel(request):
    return Landmarks(DATA).kernel(request.param)


def test_the_similarities_of_a_kernel(some_kernel):
    share = DATA.weight / DATA.weight.sum()
    mean = share @ X
    spread = np.sqrt(share @ (X - mean) ** 2)
    spread[7] = 1.0
    Z = (NEW - mean) / spread
    np.testing.assert_allclose(some_kernel.standardised(NEW), Z, rtol=1e-6, atol=1e-6)
    expected = slow_similarity(Z, some_kernel.landmarks, some_kernel.gamma)
    np.testing.assert_allclose(some_kernel.similarity(Z), expected, rtol=1e-6, atol=1e-9)


def test_inner_products_of_derived_columns_are_the_kernel_among_landmarks(some_kernel):
    made = some_kernel.similarity(some_kernel.landmarks) @ some_kernel.whiten
    expected = slow_similarity(some_kernel.landmarks, some_kernel.landmarks, some_kernel.gamma)
    np.testing.assert_allclose(made @ made.T, expected, atol=1e-8)


def test_the_scores_of_a_kernel_are_weighted_similarities(some_kernel):
    coef = np.random.default_rng(0).normal(size=some_kernel.whiten.shape[1])
    alpha = some_kernel.whiten @ coef
    similarity = slow_similarity(some_kernel.standardised(NEW), some_kernel.landmarks, some_kernel.gamma)
    scores = derived.DerivedModel(some_kernel, coef).scores(NEW)
    np.testing.assert_allclose(scores, similarity @ alpha, rtol=1e-6, atol=1e-6)


def test_kernels_depend_neither_on_the_order_of_rows_nor_on_copies(monkeypatch):
    monkeypatch.setattr(kernel, "N_LANDMARKS", 30)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(N), 2))
    one = Landmarks(as_data(X, DATA.is_positive)).kernel(1.0)
    other = Landmarks(as_data(X[order], DATA.is_positive[order])).kernel(1.0)
    assert len(one.landmarks) == len(other.landmarks) == len(np.unique(other.landmarks, axis=0)) == 30
    np.testing.assert_allclose(one(NEW) @ one(NEW).T, other(NEW) @ other(NEW).T, atol=1e-6)


def test_landmarks_are_rows_drawn_with_a_seed(monkeypatch):
    monkeypatch.setattr(kernel, "N_LANDMARKS", 30)
    drawn = [Landmarks(DATA, seed).kernel(1.0) for seed in (0, 0, 1)]
    rows = {tuple(row) for row in drawn[0].standardised(X).round(6).tolist()}
    assert all({tuple(row) for row in each.landmarks.round(6).tolist()} <= rows for each in drawn)
    np.testing.assert_array_equal(drawn[0].landmarks, drawn[1].landmarks)
    assert not np.isin(drawn[0].landmarks[:, 0], drawn[2].landmarks[:, 0]).all()


def riemann(model, rows, n_steps=1000):
    """Integrated gradients from the mean row, by a sum of many small steps and numerical slopes."""
    kernel, step = model.basis, 1e-4
    Z = kernel.standardised(rows)
    way = np.array([t * Z for t in (np.arange(n_steps) + 0.5) / n_steps])

    def scores(Z):
        similarity = kernel.similarity(Z.reshape(-1, Z.shape[-1]))
        return (similarity @ (kernel.whiten @ model.coef)).reshape(Z.shape[:-1])

    changes = step * np.eye(Z.shape[1])
    slopes = [(scores(way + change) - scores(way - change)).mean(axis=0) / (2 * step) for change in changes]
    return np.array(slopes).T * Z


@pytest.mark.parametrize("n_columns", [1, 4])
@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_contributions_of_a_kernel_are_integrated_gradients(n_columns, gamma):
    rng = np.random.default_rng(0)
    basis = Landmarks(as_data(rng.normal(size=(25, n_columns)), np.arange(25) < 5)).kernel(gamma)
    model = derived.DerivedModel(basis, rng.normal(size=25))
    rows = 1.5 * rng.normal(size=(8, n_columns))
    np.testing.assert_allclose(model.contributions(rows), riemann(model, rows), atol=1e-4)


@pytest.mark.parametrize("far", [0.0, 1.0, 30.0, 1e4, 1e8])
def test_contributions_of_far_rows_add_up_and_are_those_of_the_columns_that_differ(some_kernel, far):
    model = derived.DerivedModel(some_kernel, np.random.default_rng(0).normal(size=some_kernel.whiten.shape[1]))
    direction = np.where(np.arange(9) < 3, far, 0.0)
    parts = model.contributions(some_kernel.mean + direction[None] * some_kernel.spread)
    assert (parts[0, :3] != 0).all() == (far > 0)
    np.testing.assert_allclose(parts[0, 3:], 0, atol=1e-6)
    score = model.scores(some_kernel.mean + direction[None] * some_kernel.spread)
    np.testing.assert_allclose(parts.sum(axis=1) + model.base, score, atol=1e-8)


def test_a_restricted_kernel_takes_other_columns_to_be_at_their_means(some_kernel):
    model = derived.DerivedModel(some_kernel, np.random.default_rng(0).normal(size=some_kernel.whiten.shape[1]))
    kept = np.arange(9) < 4
    restricted = model.restricted(kept, DATA)
    np.testing.assert_array_equal(restricted.columns, kept)
    at_means = np.where(kept, NEW, some_kernel.mean)
    np.testing.assert_allclose(restricted.scores(NEW), model.scores(at_means), atol=1e-8)
    assert model.restricted(np.ones(9, dtype=bool), DATA) is model
