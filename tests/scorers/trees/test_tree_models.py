"""Models of trees: averages, contributions, probes and restrictions, and models from files."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from tree_data import DATA


def test_subsets_and_unions_keep_their_scores(models):
    scores = models.scores(DATA.X)
    index = np.array([3, 0, 5])
    some, rest = models.subset(index), models.subset(np.array([1, 2]))
    np.testing.assert_allclose(some.scores(DATA.X), scores[:, index], rtol=1e-12)
    both = some.joined([rest])
    assert len(both) == 5
    np.testing.assert_allclose(both.scores(DATA.X), scores[:, [3, 0, 5, 1, 2]], rtol=1e-12)
    np.testing.assert_array_equal(both.outliers, models.outliers[[3, 0, 5, 1, 2]])
    np.testing.assert_array_equal(both.columns, models.columns[[3, 0, 5, 1, 2]])


def test_the_average_is_the_sum_of_the_scores(models):
    weight = np.array([0.3, 0.0, 0.2, -0.1, 0.0, 0.5])
    model = models.average(weight)
    np.testing.assert_allclose(model.scores(DATA.X), models.scores(DATA.X) @ weight, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.columns, models.columns[weight != 0].any(axis=0))
    np.testing.assert_allclose(models.inclusion(weight), models.columns.T @ weight)
    # Pairs of models are stages of one fit: every tree is there once, and none without weight.
    assert model.text.count("Tree=") == 20 + 20 + 5


def test_blended_models_add_up(models):
    one, two, three = (models.average(weight) for weight in np.eye(6)[:3])
    blend = one.blended([two, three], np.array([0.5, 0.3, 0.2]))
    expected = 0.5 * one.scores(DATA.X) + 0.3 * two.scores(DATA.X) + 0.2 * three.scores(DATA.X)
    np.testing.assert_allclose(blend.scores(DATA.X), expected, rtol=1e-9, atol=1e-12)


def test_contributions_add_up(model):
    contributions = model.contributions(DATA.X)
    assert contributions.shape == DATA.X.shape
    np.testing.assert_allclose(contributions.sum(axis=1) + model.base, model.scores(DATA.X), rtol=0, atol=1e-9)
    assert not contributions[:, ~model.columns].any()


def test_contributions_of_stumps_are_what_each_column_adds(models):
    """Without interactions, what a column adds is the change of the score when it alone changes."""
    model = models.average(np.eye(6)[0])
    other = DATA.X[::-1]
    for column in range(4):
        changed = DATA.X.copy()
        changed[:, column] = other[:, column]
        by_score = model.scores(changed) - model.scores(DATA.X)
        by_column = (model.contributions(changed) - model.contributions(DATA.X))[:, column]
        np.testing.assert_allclose(by_column, by_score, rtol=0, atol=1e-9)


@pytest.mark.parametrize("columns", [[1], [0, 1], [2, 0], [4], [0, 1, 2, 3, 4]])
def test_a_probe_replaces_columns(model, columns):
    probe, values = model.probe(DATA.X), DATA.X[::-1][:, columns]
    by_hand = DATA.X.copy()
    by_hand[:, columns] = values
    np.testing.assert_array_equal(probe.scores, model.scores(DATA.X))
    for _ in range(2):
        np.testing.assert_allclose(probe.replaced(columns, values), model.scores(by_hand), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(probe.replaced(columns, DATA.X[:, columns]), probe.scores)
    dense = np.nan_to_num(DATA.X)
    of_sparse = model.probe(sp.csr_array(dense)).replaced(columns, dense[:, columns])
    np.testing.assert_array_equal(of_sparse, model.scores(dense))


@pytest.mark.parametrize("kept", [[0], [1, 2], [0, 1, 2, 3, 4], []])
def test_restricted_models_hold_the_other_columns_at_their_medians(model, kept):
    columns = np.isin(np.arange(5), kept)
    fewer = model.restricted(columns, DATA)
    held = DATA.X.copy()
    for column in np.flatnonzero(~columns):
        known = np.sort(DATA.X[~np.isnan(DATA.X[:, column]), column])
        held[:, column] = known[(len(known) - 1) // 2]
    np.testing.assert_array_equal(fewer.scores(DATA.X), model.scores(held))
    assert not fewer.columns[~columns].any()
    np.testing.assert_allclose(
        fewer.contributions(DATA.X).sum(axis=1) + fewer.base, fewer.scores(DATA.X), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_a_column_that_is_all_missing_is_held_missing(model, value):
    X = DATA.X.copy()
    X[:, 0] = value
    columns = np.arange(5) > 0
    fewer = model.restricted(columns, DATA._replace(X=X))
    np.testing.assert_array_equal(fewer.scores(DATA.X), model.scores(X))


def test_restricted_models_of_sparse_rows(model):
    X = np.where(np.abs(np.nan_to_num(DATA.X)) < 0.5, 0.0, np.nan_to_num(DATA.X))
    columns = np.array([True, False, False, True, True])
    dense, sparse = (model.restricted(columns, DATA._replace(X=each)) for each in (X, sp.csr_array(X)))
    # Of sparse columns the nonzero values are few: what counts is that both are the same.
    np.testing.assert_array_equal(dense.scores(X), sparse.scores(X))


def test_no_rows_have_no_scores(model, models):
    assert model.scores(DATA.X[:0]).shape == (0,)
    assert models.scores(DATA.X[:0]).shape == (0, 6)
    assert model.contributions(DATA.X[:0]).shape == (0, 5)


def test_models_are_pickled_as_text(model, models):
    model.scores(DATA.X)
    again, every = pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(models))
    assert again == model
    np.testing.assert_array_equal(again.scores(DATA.X), model.scores(DATA.X))
    np.testing.assert_array_equal(every.scores(DATA.X), models.scores(DATA.X))
    # Stages of a fit share their text, there and back.
    assert len({id(each.text) for each in every.boosted}) == 3


def test_models_come_back_from_files_that_run_no_code(model):
    skops_io = pytest.importorskip("skops.io")
    model.scores(DATA.X)
    content = skops_io.dumps(model)
    assert skops_io.get_untrusted_types(data=content) == ["blindauc.scorers.forest.TreeModel"]
    again = skops_io.loads(content, trusted=["blindauc.scorers.forest.TreeModel"])
    np.testing.assert_array_equal(again.scores(DATA.X), model.scores(DATA.X))
    assert vars(again) == {"text": model.text, "n_features": 5}
