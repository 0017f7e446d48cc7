"""Estimators that choose: bad input is named, ugly data work, and an interruption leaves no trace."""

import warnings

import numpy as np
import pytest
from both_estimators import both
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from ugly_data import BAD_DATA, UGLY, X, y

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV

pytestmark = pytest.mark.usefixtures("few_mixtures")

both_tuned = pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
FEW = {
    "cv": 2,
    "n_repeats": 1,
    "shape": "linear",
    "scaling": "none",
    "l2": [0.1, 10.0],
    "n_outliers": 0,
    "n_features_to_select": [6, 2],
    "prior": 0.3,
}

# More of what cannot be tried is in test_refused_searches.py.
BAD_CHOICES = {
    "rule": ["first", "one_standard_error", None, ["best"]],
    "rank_by": ["best", None, ["all"]],
    "cv": [1, -3, "five", 2.5, True],
    "n_repeats": [0, "many", None, 1.5, True],
    "l2": [0, "small"],
    "n_outliers": [-1, 9, "some"],
    "n_features_to_select": [0, 7, 1.5, "all", True, [3, 0]],
    "scaling": ["minmax", ["none", "minmax"]],
    "loss": ["squared"],
    "sparsity": ["l1", None, "group_l0", "exclusive_l0"],
    "groups": [[0, 0, 0, 1, 1, 1]],
    "outlier_handling": ["drop", None],
    "prior": [0, 1.0, np.nan, "half"],
    "sampling": ["three_sample", None],
    "threshold": ["half", None],
    "pos_label": [2],
    "max_iter": [0, "many"],
    "tol": [0.0, -1.0],
}


@both_tuned
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD_CHOICES.items() for value in values])
def test_bad_parameters_of_a_search_are_named(Estimator, name, value):
    model = Estimator(**{**FEW, "prior": None, name: value})
    with pytest.raises(ValueError, match=name):
        model.fit(X, y)
    assert not [attribute for attribute in vars(model) if attribute.endswith("_")]


def test_bad_risk_of_a_search():
    with pytest.raises(ValueError, match="risk must be one of 'paper', 'unbiased', 'nonnegative', not 'empirical'"):
        PUErrorClassifierCV(risk="empirical", **FEW).fit(X, y)


@both_tuned
@pytest.mark.parametrize("name", ["search", "trim"])
def test_parameters_that_are_gone_are_refused(Estimator, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        Estimator(**{name: 0.15})


@both_tuned
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_of_a_search(Estimator, case):
    data, labels, remedy = BAD_DATA[case]
    with pytest.raises(ValueError, match=remedy):
        Estimator(**FEW).fit(data, labels)


@both_tuned
def test_with_too_few_positives_nothing_is_chosen_and_that_is_said(Estimator):
    same = X.copy()
    same[:10] = same[0]
    for rows, table in ((np.r_[0:3, 10:40], X), (np.r_[0:11], X), (np.r_[0:40], same)):
        model = Estimator(**FEW).fit(table[rows], y[rows])
        assert np.isnan(model.best_score_)
        assert (model.cv_results_, model.baselines_) == ({}, [])
        assert "too few positives" in model.summary()


@both_tuned
@pytest.mark.parametrize("refit", [False, True])
def test_an_interrupted_search_leaves_the_estimator_as_it_was(Estimator, refit, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    model = Estimator(**{**FEW, "n_features_to_select": [3, 2]})
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.arange(60) < 20
    if refit:
        model.fit(X, y)
    before = dict(vars(model))
    for place in ("read_rows", "searched", "race", "averaged", "compare"):
        with monkeypatch.context() as patched:
            patched.setattr(f"blindauc.estimators.tuning.{place}", interrupt)
            with pytest.raises(KeyboardInterrupt):
                model.fit(X[:, :3], y)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())


@both_tuned
def test_asking_before_the_fit(Estimator):
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        with pytest.raises(NotFittedError):
            getattr(Estimator(), method)(X)
    for method in ("summary", "doubtful_labels"):
        with pytest.raises(NotFittedError):
            getattr(Estimator(), method)()


@both
def test_asking_for_probabilities_before_the_fit(Estimator):
    with pytest.raises(NotFittedError):
        Estimator().predict_proba(X)
    with pytest.raises(NotFittedError):
        Estimator().doubtful_labels()


@both_tuned
@pytest.mark.parametrize("case", UGLY)
def test_searches_of_ugly_data_work(Estimator, case):
    model = Estimator(**{**FEW, "n_features_to_select": [1.0, 0.5], "n_outliers": [0, 2], "l2": 1.0}, max_iter=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(UGLY[case], np.arange(40) < 20)
    # With positives that are all the same there is nothing to search by.
    assert bool(model.cv_results_) == (case not in ("all zeros", "only constant columns"))
    assert np.isfinite(model.decision_function(UGLY[case])).all()
    assert np.isfinite(model.predict_proba(UGLY[case])).all()
    assert 0 <= model.auc_.low <= model.auc_.high <= 1


@both_tuned
@pytest.mark.parametrize("change", [lambda X: X + 1e6, lambda X: X + 1e8, lambda X: 1e-150 * X, lambda X: 1e-170 * X])
def test_ridges_are_found_for_data_far_from_zero_or_next_to_it(Estimator, change):
    data = change(X)
    model = Estimator(
        cv=2, n_repeats=1, shape="linear", scaling="none", n_outliers=0, n_features_to_select=None, prior=0.3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data, np.arange(40) < 20)
    assert model.best_params_["l2"] > 0
    assert np.isfinite(model.decision_function(data)).all()
