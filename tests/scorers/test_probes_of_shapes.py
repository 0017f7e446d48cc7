"""Probes, contributions and scores of models of every shape."""

from functools import partial

import numpy as np
import pytest
from bent_data import DATA, FAMILIES, NEW, N, X, bent_scorer, spec_of

from blindauc.scorers import derived


def fitted(family, risk="blind AUC"):
    return bent_scorer(risk=risk).path(DATA, [spec_of(family)]).average(np.ones(1))


def mixed_model():
    models = bent_scorer().path(DATA, [spec_of(family) for family in FAMILIES])
    return models.average(np.linspace(0.1, 0.4, len(models)))


MODELS = {family: partial(fitted, family) for family in FAMILIES} | {
    "curves, few columns": lambda: fitted("curves").restricted(np.arange(9) < 3, DATA),
    "kernel, few columns": lambda: fitted("kernel 0.3").restricted(np.arange(9) < 3, DATA),
    "curves of a PU error": lambda: fitted("curves", "paper"),
    "kernel of a PU error": lambda: fitted("kernel 0.3", "paper"),
    "mixed": mixed_model,
    "mixed, few columns": lambda: mixed_model().restricted(np.arange(9) < 3, DATA),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


@pytest.mark.parametrize("columns", [[0], [7], [4, 1], list(range(9))])
def test_a_probe_says_what_other_values_would_do(model, columns):
    probe = model.probe(NEW)
    np.testing.assert_allclose(probe.scores, model.scores(NEW), rtol=1e-6, atol=1e-8)
    for values in (X[:, columns], np.zeros((N, len(columns))), NEW[:, columns]):
        by_hand = NEW.copy()
        by_hand[:, columns] = values
        np.testing.assert_allclose(probe.replaced(columns, values), model.scores(by_hand), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("j", "k"), [(0, 7), (4, 1)])
def test_an_interaction_is_the_mixed_difference_of_scores(model, j, k):
    def changed(*columns):
        by_hand = NEW.copy()
        by_hand[:, columns] = X[:, columns]
        return model.scores(by_hand)

    by_scores = model.scores(NEW) - changed(j) - changed(k) + changed(j, k)
    interaction = model.probe(NEW).interaction(j, k, X[:, [j, k]])
    largest = max(np.abs(changed(*columns)).max() for columns in ([], [j], [k], [j, k]))
    np.testing.assert_allclose(interaction, by_scores, rtol=1e-6, atol=1e-11 * largest)


def test_contributions_and_the_base_add_up_to_the_score(model):
    parts = model.contributions(NEW)
    assert parts.shape == NEW.shape
    np.testing.assert_allclose(parts.sum(axis=1) + model.base, model.scores(NEW), rtol=1e-6, atol=1e-7)


def test_columns_that_are_not_used_do_not_matter(model):
    np.testing.assert_array_equal(model.columns, model.columns.astype(bool))
    other = np.where(model.columns, NEW, X)
    np.testing.assert_allclose(model.scores(other), model.scores(NEW), rtol=1e-9, atol=1e-9)
    assert np.abs(model.contributions(NEW)[:, ~model.columns]).max(initial=0.0) < 1e-9


def test_equal_rows_have_equal_scores_wherever_they_stand(model, monkeypatch):
    monkeypatch.setattr(derived, "BLOCK_ROWS", 7)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(N), 2))
    scores = model.scores(NEW[order])
    for row in range(N):
        assert len(set(scores[order == row])) == 1


def test_rows_in_single_precision_have_about_the_same_scores(model):
    rows = NEW.copy()
    rows[:, 8] = 1e6  # of which the digits behind the point would be lost
    np.testing.assert_allclose(model.scores(rows.astype(np.float32)), model.scores(rows), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("family", ["linear", "curves"])
def test_in_a_sum_over_columns_a_column_adds_what_its_own_value_says(family):
    model = fitted(family)
    parts = model.contributions(NEW)
    for column in range(9):
        alone = np.where(np.arange(9) == column, NEW, X)
        np.testing.assert_allclose(model.contributions(alone)[:, column], parts[:, column])
