"""Containers, weights and labels: every way of giving rows is the same fit."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from quick_estimators import DATA, ESTIMATORS, PLAIN, both, fitted

pytestmark = pytest.mark.usefixtures("few_mixtures")

SINGLE = DATA.X.astype(np.float32).astype(np.float64)
"""What all containers can hold."""

CHOICES = {"n_features_to_select": 10, "n_outliers": 4, "leverage_screen": False, "tol": 1e-9, "max_swaps": 1}


@pytest.fixture(scope="module")
def references():
    return {Estimator: fitted(Estimator, SINGLE, **CHOICES) for Estimator in ESTIMATORS}


@both
@pytest.mark.parametrize("kind", ["float32", "fortran", "csr", "csc", "csr32", "list", "pandas", "polars"])
def test_every_container_gives_the_same_fit(Estimator, kind, references):
    X, reference = SINGLE, references[Estimator]
    names = [f"column {k}" for k in range(30)]
    container = {
        "float32": lambda: X.astype(np.float32),
        "fortran": lambda: np.asfortranarray(X),
        "csr": lambda: sp.csr_array(X),
        "csc": lambda: sp.csc_matrix(X),
        "csr32": lambda: sp.csr_matrix(X.astype(np.float32)),
        "list": lambda: X.tolist(),
        "pandas": lambda: pd.DataFrame(X, columns=names),
        "polars": lambda: pl.DataFrame(X, schema=names),
    }[kind]()
    model = fitted(Estimator, container, **CHOICES)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-6, atol=1e-10)
    np.testing.assert_array_equal(model.outliers_, reference.outliers_)
    np.testing.assert_allclose(model.decision_function(container), reference.decision_function(X), rtol=1e-5, atol=1e-6)
    if kind in ("pandas", "polars"):
        assert list(model.feature_names_in_) == names
        expected = [name for name, kept in zip(names, model.support_, strict=True) if kept]
        assert list(model.get_feature_names_out()) == expected
        out = model.set_output(transform=kind).transform(container)
        assert list(out.columns) == expected


@both
def test_transform_keeps_the_selected_columns(Estimator):
    model = fitted(Estimator, n_features_to_select=7)
    np.testing.assert_array_equal(model.transform(DATA.X), DATA.X[:, model.support_])
    kept = model.transform(sp.csr_matrix(DATA.X))
    np.testing.assert_array_equal(kept.toarray(), DATA.X[:, model.support_])


@both
def test_integer_weights_equal_repeated_rows(Estimator):
    weight = np.random.default_rng(0).integers(0, 4, len(DATA.X))
    weighted = Estimator(tol=1e-10, **PLAIN).fit(DATA.X, DATA.y_pu, sample_weight=weight)
    repeated = Estimator(tol=1e-10, **PLAIN).fit(DATA.X.repeat(weight, 0), DATA.y_pu.repeat(weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-10)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, rel=1e-6)


@both
@pytest.mark.parametrize("solver", ["exchange", "path", "psg"])
@pytest.mark.parametrize("handling", ["shift", "trim"])
def test_rows_of_weight_zero_are_as_if_absent(Estimator, solver, handling):
    weight = np.ones(len(DATA.X))
    weight[::2] = 0.0
    params = {"n_outliers": 10, "outlier_handling": handling, "solver": solver, "max_swaps": 3, **PLAIN}
    weighted = Estimator(random_state=0, **params).fit(DATA.X, DATA.y_pu, sample_weight=weight)
    absent = Estimator(random_state=0, **params).fit(DATA.X[1::2], DATA.y_pu[1::2])
    np.testing.assert_array_equal(weighted.coef_, absent.coef_)
    np.testing.assert_array_equal(weighted.outliers_, 2 * absent.outliers_ + 1)
    assert len(weighted.shift_) == DATA.y_pu.sum()
    np.testing.assert_array_equal(weighted.shift_[1::2], absent.shift_)


@both
def test_tied_scores_fall_on_the_nearer_side_of_the_threshold(Estimator):
    X = np.zeros((200, 2))
    X[:30, 0] = np.arange(30) + 1.0
    y = np.arange(200) < 20
    unlabelled = X[~y]
    assert fitted(Estimator, X, y, prior=0.3).predict(unlabelled).sum() == 10
    assert fitted(Estimator, X, y, prior=0.9).predict(unlabelled).all()
    assert not fitted(Estimator, np.ones((200, 2)), y, prior=0.1).predict(unlabelled).any()


LABELS = {
    "bool": DATA.y_pu == 1,
    "minus one": np.where(DATA.y_pu == 1, 1, -1),
    "strings": np.where(DATA.y_pu == 1, "yes", "no"),
    "missing floats": np.where(DATA.y_pu == 1, 1.0, np.nan),
    "missing objects": np.where(DATA.y_pu == 1, "sick", None),
    "pandas NA": pd.Series(np.where(DATA.y_pu == 1, 1, None)).astype("Int64"),
    "pandas strings": pd.Series(np.where(DATA.y_pu == 1, "sick", None)).astype("string"),
    "polars null": pl.Series([1 if label else None for label in DATA.y_pu]),
    "column": pd.DataFrame({"label": DATA.y_pu})["label"],
}


@both
@pytest.mark.parametrize("kind", LABELS)
def test_every_way_of_writing_labels(Estimator, kind):
    model, reference = fitted(Estimator, y=LABELS[kind]), fitted(Estimator)
    np.testing.assert_array_equal(model.coef_, reference.coef_)
    positive = model.classes_[1]
    np.testing.assert_array_equal(model.predict(DATA.X) == positive, reference.predict(DATA.X) == 1)


@both
def test_pos_label_may_be_the_smaller_one(Estimator):
    y = np.where(DATA.y_pu == 1, "case", "other")
    model = fitted(Estimator, y=y, pos_label="case")
    np.testing.assert_array_equal(model.coef_, fitted(Estimator).coef_)
    assert model.classes_.tolist() == ["other", "case"]


@both
def test_prior_places_the_threshold(Estimator):
    unlabelled = DATA.X[DATA.y_pu == 0]
    for prior in (0.1, 0.35):
        share = fitted(Estimator, prior=prior).predict(unlabelled).mean()
        assert share == pytest.approx(prior, abs=1 / len(unlabelled))


@both
def test_without_prior_as_many_rows_are_predicted_positive_as_are_labelled(Estimator):
    assert fitted(Estimator, prior=None).predict(DATA.X).sum() == DATA.y_pu.sum()
