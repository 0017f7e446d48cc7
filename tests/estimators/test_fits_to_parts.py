"""Fits, searches and predictions of rows in parts are those of rows in memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from rows_in_parts import IS_POSITIVE, WEIGHT, N, P, X, Y
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier
from blindauc.estimators.parted import enough_held_out, sample_of
from blindauc.rows.parts import BlockParts
from blindauc.rows.view import PartedView

pytestmark = pytest.mark.usefixtures("few_candidates")

SETTINGS = {
    "as it comes": {},
    "outliers and columns": {"n_outliers": 0.1, "n_features_to_select": 2},
    "shifts, robust scales": {"n_outliers": 5, "outlier_handling": "shift", "scaling": "robust"},
    "groups": {"sparsity": "group_l0", "groups": [0, 0, 1, 1, 2], "n_features_to_select": 1},
    "squared hinge": {"loss": "squared_hinge", "n_outliers": 4},
}


def in_parts(block_rows=700, n=N):
    return BlockParts.of(X[:n], IS_POSITIVE[:n], WEIGHT[:n], block_rows=block_rows)


@pytest.mark.parametrize("settings", SETTINGS)
def test_coefficients_are_those_of_rows_in_memory(settings):
    n = 1500
    expected = BlindAUCClassifier(**SETTINGS[settings], max_swaps=2).fit(X[:n], Y[:n], WEIGHT[:n])
    found = BlindAUCClassifier(**SETTINGS[settings], max_swaps=2).fit(in_parts(n=n))
    assert_allclose(found.coef_, expected.coef_, rtol=0, atol=1e-10 * np.abs(expected.coef_).max())
    assert_array_equal(found.outliers_, expected.outliers_)
    assert_array_equal(found.labelled_rows_, expected.labelled_rows_)
    assert_allclose(found.spread_, expected.spread_)
    # By another sample of the unlabelled rows, so that only the intervals can agree.
    assert found.auc_.low <= expected.auc_.high
    assert expected.auc_.low <= found.auc_.high


def test_a_pu_error_too():
    expected = PUErrorClassifier(prior=0.1, calibrate=False).fit(X, Y)
    found = PUErrorClassifier(prior=0.1, calibrate=False).fit(BlockParts.of(X, IS_POSITIVE, block_rows=700))
    assert_allclose(found.coef_, expected.coef_, rtol=1e-8)
    assert_allclose(found.intercept_, expected.intercept_, rtol=0.1)


@pytest.mark.parametrize("shape", ["curves", "kernel"])
def test_scores_that_bend_rank_as_those_of_rows_in_memory(shape):
    # What curves and kernels are made of comes from a sample, so that the scores differ a little.
    found, expected = BlindAUCClassifier(shape=shape).fit(in_parts()), BlindAUCClassifier(shape=shape).fit(X, Y, WEIGHT)
    assert np.corrcoef(found.decision_function(X), expected.decision_function(X))[0, 1] > 0.98


def test_a_search_by_a_sample_and_a_fit_to_all_rows():
    rows = BlockParts.of(X, IS_POSITIVE, block_rows=700)
    model = BlindAUCClassifierCV(n_repeats=1, cv=3, shape=["linear", "curves"]).fit(rows)
    assert set(model.support_.nonzero()[0]) >= {0, 1}
    assert len(model.held_out_rank_) == len(model.sampled_rows_) < N
    assert set(np.flatnonzero(IS_POSITIVE)) - set(model.outliers_) <= set(model.sampled_rows_)
    refitted = BlindAUCClassifier(**model.best_params_, solver="path", calibrate=False).fit(rows)
    assert_array_equal(refitted.decision_function(X), model.best_estimator_.decision_function(X))


def bent():
    """Rows whose score is a U of the first column."""
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(4000, 3))
    is_positive = (np.abs(columns[:, 0]) > 1.6) & (rng.random(4000) < 0.5)
    return columns, is_positive


def test_by_itself_a_search_of_parts_tries_every_shape():
    columns, is_positive = bent()
    rows = BlockParts.of(columns, is_positive, block_rows=700)
    model = BlindAUCClassifierCV(n_repeats=1, cv=3).fit(rows)
    assert set(model.shapes_) == {"linear", "curves", "kernel", "trees"}
    assert model.shapes_["linear"] < 0.1
    is_u = np.abs(columns[:, 0]) > 1.6
    assert roc_auc_score(is_u, model.decision_function(rows)) > 0.95
    assert len(model.effects_) == len(model.importance_) == 3
    assert model.importance_.argmax() == 0
    assert model.reasons(columns[:2]).shape == (2, 4)


def test_predictions_of_parts_are_those_of_the_matrix():
    model = BlindAUCClassifier().fit(in_parts())
    assert_allclose(model.decision_function(in_parts(100)), model.decision_function(X))
    assert_allclose(model.predict_proba(in_parts(100)), model.predict_proba(X))
    assert_array_equal(model.predict(in_parts(100)), model.predict(X))


def test_parts_give_back_what_they_keep():
    rows = in_parts()
    scores = rows.at(np.ones(P))
    before = scores.sum()
    assert all(part._kept for part in rows.parts)
    rows.forget()
    assert not any(part._kept for part in rows.parts)
    assert scores.sum() == before


def test_passes_are_told_of():
    rows, told = in_parts(), []
    rows.report = told.append
    PartedView.of(rows).scales("standard")
    assert told == list(range(1, rows.n_visits + 1)) != []


def test_trees_of_parts_are_those_of_the_sample():
    columns, is_positive = bent()
    rows = BlockParts.of(columns, is_positive, block_rows=700)
    settings = {"shape": "trees", "n_outliers": 0.1, "n_rounds": 10, "leverage_screen": False}
    found = BlindAUCClassifier(**settings).fit(rows)
    sample = sample_of(PartedView.of(rows), enough_held_out(PartedView.of(rows)))
    assert is_positive.sum() < len(sample.row) < len(columns)
    expected = BlindAUCClassifier(**settings).fit(columns[sample.row], is_positive[sample.row])
    assert_array_equal(found.model_.scores(columns), expected.model_.scores(columns))
    assert_array_equal(found.outliers_, sample.row[expected.outliers_])
    assert_array_equal(found.predict_proba(rows), found.predict_proba(columns))
    tuned = BlindAUCClassifierCV(shape="trees", n_repeats=1, cv=2, n_outliers=0.0, n_leaves=2, n_rounds=10).fit(rows)
    assert_array_equal(tuned.best_estimator_.model_.scores(columns), tuned.model_.scores(columns))


def test_too_few_positives_are_told():
    with pytest.raises(ValueError, match="At least two labelled positives"):
        BlindAUCClassifier().fit(BlockParts.of(X, np.arange(N) < 1))


# --- tables in files ---


@pytest.mark.parametrize("shape", [["linear", "curves"], "kernel"])
def test_a_search_tries_shapes_that_are_asked_for(shape):
    rows = BlockParts.of(X[:, :2], IS_POSITIVE, block_rows=700)
    model = BlindAUCClassifierCV(shape=shape, l2=1.0, n_outliers=0, n_repeats=1, cv=2).fit(rows)
    assert set(model.shapes_) == ({shape} if isinstance(shape, str) else set(shape))
    assert np.isfinite(model.decision_function(rows)).all()
