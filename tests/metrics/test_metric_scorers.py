"""Metrics as scorers of scikit-learn: classes, weights and searches."""

import pickle

import numpy as np
import pytest
from pu_scores import data
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifier, Estimate
from blindauc.metrics import (
    blind_auc_score,
    blind_auc_scorer,
    lee_liu_score,
    lee_liu_scorer,
    make_pu_scorer,
    pu_auc_score,
    pu_average_precision_score,
    pu_f1_score,
    trimmed_blind_auc_scorer,
)

SCORERS = [
    blind_auc_scorer,
    trimmed_blind_auc_scorer,
    lee_liu_scorer,
    make_pu_scorer(pu_auc_score, prior=Estimate(0.1, 0.05, 0.15)),
    make_pu_scorer(pu_average_precision_score, prior=0.1, contamination=0.05),
    make_pu_scorer(pu_f1_score, prior=0.1),
]
LABELS = {
    "numbers": (data.y_pu, 1),
    "the smaller label": (1 - data.y_pu, 0),
    "words": (np.where(data.y_pu == 1, "ill", "unknown"), "ill"),
}


@pytest.fixture(scope="module")
def held_out_scores():
    """By every scorer, on the same fits for every way of writing the labels."""

    def scored(labels):
        y, positive = LABELS[labels]
        scoring = {repr(scorer): scorer for scorer in SCORERS}
        if labels == "numbers":
            scoring["roc_auc"] = "roc_auc"
        estimator = BlindAUCClassifier(l2=100.0, pos_label=positive, calibrate=False)
        return cross_validate(estimator, data.X, y, scoring=scoring, cv=3)

    return {labels: scored(labels) for labels in LABELS}


def test_the_blind_scorer_is_roc_auc_of_labelled_against_unlabelled(held_out_scores):
    scores = held_out_scores["numbers"]
    np.testing.assert_allclose(scores[f"test_{blind_auc_scorer!r}"], scores["test_roc_auc"])


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scorers_ask_the_estimator_for_the_positive_class(scorer, held_out_scores):
    plain, *others = (scores[f"test_{scorer!r}"] for scores in held_out_scores.values())
    assert len(set(plain)) > 1
    for other in others:
        np.testing.assert_array_equal(other, plain)


def test_scorers_search_grids_through_pipelines_and_pickle():
    pipeline = make_pipeline(StandardScaler(), BlindAUCClassifier(calibrate=False))
    scoring = {"blind": blind_auc_scorer, "auc": make_pu_scorer(pu_auc_score, prior=0.1)}
    grid = {"blindaucclassifier__l2": [1e-3, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring=scoring, refit="auc", cv=3)
    search = pickle.loads(pickle.dumps(clone(search))).fit(data.X, data.y_pu)
    assert np.all(search.cv_results_["mean_test_auc"] > search.cv_results_["mean_test_blind"])
    assert blind_auc_scorer(search, data.X, data.y_pu) == blind_auc_score(data.y_pu, search.decision_function(data.X))


def test_scorers_take_probabilities_where_there_is_no_decision_function():
    bayes = GaussianNB().fit(data.X, data.y_pu)
    expected = blind_auc_score(data.y_pu, bayes.predict_proba(data.X)[:, 1])
    assert blind_auc_scorer(bayes, data.X, data.y_pu) == expected
    assert lee_liu_scorer(bayes, data.X, data.y_pu) == lee_liu_score(data.y_pu, bayes.predict(data.X))


def test_scorers_weigh():
    fitted = LogisticRegression().fit(data.X, data.y_pu)
    weight = np.random.default_rng(0).uniform(size=len(data.y_pu))
    expected = blind_auc_score(data.y_pu, fitted.decision_function(data.X), sample_weight=weight)
    assert blind_auc_scorer(fitted, data.X, data.y_pu, sample_weight=weight) == expected


def test_scorers_get_weights_that_are_routed():
    weight = np.random.default_rng(0).uniform(size=len(data.y_pu))
    with config_context(enable_metadata_routing=True):
        scorers = {
            "weighted": make_pu_scorer(blind_auc_score).set_score_request(sample_weight=True),
            "plain": make_pu_scorer(blind_auc_score).set_score_request(sample_weight=False),
        }
        estimator = LogisticRegression().set_fit_request(sample_weight=False)
        params = {"sample_weight": weight}
        result = cross_validate(estimator, data.X, data.y_pu, scoring=scorers, cv=3, params=params)
    assert np.all(result["test_weighted"] != result["test_plain"])
    plain = cross_val_score(LogisticRegression(), data.X, data.y_pu, scoring=blind_auc_scorer, cv=3)
    np.testing.assert_array_equal(result["test_plain"], plain)


def test_weights_that_a_scorer_did_not_request_are_refused():
    with config_context(enable_metadata_routing=True), pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(
            LogisticRegression().set_fit_request(sample_weight=True),
            np.arange(12.0)[:, None],
            np.tile([0, 1], 6),
            scoring=make_pu_scorer(blind_auc_score),
            params={"sample_weight": np.ones(12)},
        )


def test_a_scorer_without_what_its_metric_needs_is_refused():
    with pytest.raises(
        ValueError, match=r"pu_auc_score needs prior: pass make_pu_scorer\(pu_auc_score, prior=\.\.\.\)"
    ):
        make_pu_scorer(pu_auc_score)
    make_pu_scorer(lambda y, s, *, sample_weight, pos_label: 0.0)


def test_grid_search_takes_weights_with_our_scorers():
    weight = np.random.default_rng(0).integers(1, 4, len(data.y_pu))
    scoring = {"blind": blind_auc_scorer, "lee_liu": lee_liu_scorer}
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scoring, refit="blind", cv=3)
    search.fit(data.X, data.y_pu, sample_weight=weight)
    assert 0.5 < search.best_score_ < 1
