"""Every bad input gets one clear error that names the remedy; every ugly one works."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV, make_system
from blindauc.datasets import make_correlated_data, make_paper_data

pytestmark = pytest.mark.usefixtures("few_mixtures")

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 6))
X[:10] += 0.5
y = np.repeat([1, 0], [10, 30])
both = pytest.mark.parametrize("Estimator", [BlindAUCClassifier, PUErrorClassifier])


def with_value(value):
    spoiled = X.copy()
    spoiled[3, 2] = value
    return spoiled


BAD_DATA = {
    "no positives": (X, np.zeros(40, int), "Mark the labelled positives"),
    "zeros and missing": (X, np.where(y == 1, 0.0, np.nan), "Mark the labelled positives"),
    "minus one and missing": (X, np.where(y == 1, -1.0, np.nan), "Mark the labelled positives"),
    "mixed labels": (X, np.array(["a", 1] * 20, dtype=object), "the same way"),
    "one positive": (X, np.arange(40) == 0, "label more rows"),
    "all positives": (X, np.ones(40, int), "unlabelled rows .* are needed"),
    "all labels missing": (X, np.full(40, np.nan), "mark the labelled positives"),
    "NaN": (with_value(np.nan), y, "contains NaN"),
    "infinity": (with_value(np.inf), y, "contains infinity"),
    "three labels": (X, np.arange(40) % 3, "recode it"),
    "continuous labels": (X, rng.normal(size=40), "Unknown label type"),
    "float16": (X.astype(np.float16), y, "astype"),
    "float16 column": (pd.DataFrame(X).astype({0: np.float16}), y, "float32"),
    "text column": (pd.DataFrame(X).assign(sex="f"), y, "'sex'.*encode"),
    "category column": (pd.DataFrame(X).assign(sex=pd.Categorical(["f"] * 40)), y, "'sex'.*encode"),
    "text array": (X.astype(str).astype(object) + "x", y, "could not convert"),
    "too large": (with_value(1e300), y, "rescale"),
    "too large, sparse": (sp.csr_matrix(with_value(-1e300)), y, "rescale"),
    "too short y": (X, y[:-1], "as many rows"),
    "no y": (X, None, "requires y"),
    "one row": (X[:1], y[:1], "minimum of 2 is required"),
    "no columns": (X[:, :0], y, "minimum of 1 is required"),
    "a vector": (X[:, 0], y, "Reshape your data"),
}


@both
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(Estimator, case):
    data, labels, remedy = BAD_DATA[case]
    with pytest.raises(ValueError, match=remedy):
        Estimator().fit(data, labels)


@pytest.mark.parametrize("as_table", [False, True])
def test_columns_with_missing_and_infinite_values_are_named(as_table):
    bad = X.copy()
    bad[3, [1, 4]] = np.nan
    table = pd.DataFrame(bad, columns=list("abcdef")) if as_table else bad
    named = "columns 'b', 'e'" if as_table else "columns 1, 4"
    with pytest.raises(
        ValueError, match=rf"contains NaN in {named}: .*; or choose shape=\"trees\", which takes missing"
    ):
        BlindAUCClassifier().fit(table, y)
    many = sp.csr_matrix(np.where(np.arange(40)[:, None] == 2, np.inf, X))
    with pytest.raises(ValueError, match=r"infinity .* in columns 0, 1, 2, 3, 4 and 1 more: replace"):
        BlindAUCClassifier().fit(many, y)


BAD_PARAMS = {
    "too many features": ({"n_features_to_select": 7}, "from 1 to 6"),
    "negative features": ({"n_features_to_select": -1}, "from 1 to 6"),
    "no features": ({"n_features_to_select": 0}, "from 1 to 6"),
    "share above one": ({"n_features_to_select": 1.5}, "a share above 0"),
    "features as text": ({"n_features_to_select": "all"}, "None for all"),
    "features as bool": ({"n_features_to_select": True}, "must be a number"),
    "too many outliers": ({"n_outliers": 9}, "from 0 to 8"),
    "too large a share": ({"n_outliers": 0.95}, "from 0 to 8"),
    "negative outliers": ({"n_outliers": -1}, "from 0 to 8"),
    "outliers as text": ({"n_outliers": "auto"}, "a whole number, or a share"),
    "overlapping groups": ({"sparsity": "group_l0", "groups": [[0, 1, 2], [2, 3, 4, 5]]}, "leave it in one"),
    "a column left out": ({"sparsity": "group_l0", "groups": [[0, 1, 2], [3, 4]]}, "a group of its own"),
    "groups too short": ({"sparsity": "group_l0", "groups": [0, 0, 1]}, "one id per column: 6"),
    "unknown column": (
        {"sparsity": "group_l0", "groups": [["a"], [0, 1, 2, 3, 4, 5]]},
        "give column indices",
    ),
    "no groups": ({"sparsity": "group_l0"}, "needs groups"),
    "groups without use": ({"groups": [0, 0, 0, 1, 1, 1]}, 'choose "group_l0"'),
    "groups of rows": (
        {"groups": np.arange(40) // 2},
        r"pass groups of rows, such as patients, to fit\(groups=\.\.\.\)",
    ),
    "groups of rows as those of columns": (
        {"sparsity": "group_l0", "groups": np.arange(40) // 2},
        r"groups of rows, such as patients, go to fit\(groups=\.\.\.\)",
    ),
    "too many groups": (
        {"sparsity": "group_l0", "groups": [0, 0, 0, 1, 1, 1], "n_features_to_select": 3},
        "from 1 to 2",
    ),
    "too many per group": (
        {"sparsity": "exclusive_l0", "groups": [0, 0, 0, 1, 1, 1], "n_features_to_select": [1, 4]},
        "from 1 to 3",
    ),
    "counts for other groups": (
        {"sparsity": "exclusive_l0", "groups": [0, 0, 0, 1, 1, 1], "n_features_to_select": [1, 1, 1]},
        "one per group",
    ),
    "unknown sparsity": ({"sparsity": "l1"}, '"l0"'),
    "loss as a list": ({"loss": ["logistic"]}, "choose one of 'logistic'"),
    "callback that cannot be called": ({"callback": 3}, "callable"),
    "unknown loss": ({"loss": "squared"}, "choose one of 'logistic'"),
    "unknown solver": ({"solver": "sgd"}, 'choose "exchange", "path" or "psg"'),
    "unknown handling": ({"outlier_handling": "drop"}, "'shift', 'trim'"),
    "prior 0": ({"prior": 0}, "strictly between 0 and 1"),
    "prior 1": ({"prior": 1.0}, "strictly between 0 and 1"),
    "prior 30": ({"prior": 30}, "strictly between 0 and 1"),
    "prior NaN": ({"prior": np.nan}, "strictly between 0 and 1"),
    "negative l2": ({"l2": -1.0}, "at least 0"),
    "l2 as text": ({"l2": "1"}, "at least 0"),
    "no shift_l2": ({"shift_l2": 0, "outlier_handling": "shift"}, 'outlier_handling="trim"'),
    "no steps": ({"max_iter": 0}, "at least 1"),
    "no tolerance": ({"tol": 0.0}, "above 0"),
    "strange pos_label": ({"pos_label": 2}, "among the classes"),
}


@both
@pytest.mark.parametrize("case", BAD_PARAMS)
def test_bad_parameters(Estimator, case):
    params, remedy = BAD_PARAMS[case]
    with pytest.raises(ValueError, match=remedy):
        Estimator(**params).fit(X, y)


@pytest.mark.parametrize("risk", ["unbiased", "nonnegative"])
def test_shifts_are_refused_where_they_cannot_work(risk):
    with pytest.raises(ValueError, match='outlier_handling="trim"'):
        PUErrorClassifier(risk=risk, n_outliers=2, prior=0.3, outlier_handling="shift").fit(X, y)


def test_unknown_names():
    with pytest.raises(ValueError, match="risk must be one of 'paper', 'unbiased', 'nonnegative', not 'empirical'"):
        PUErrorClassifier(risk="empirical").fit(X, y)
    with pytest.raises(ValueError, match="Unknown system"):
        make_system("BAUC-F", n_features_to_select=1, n_outliers=1)
    with pytest.raises(ValueError, match="outlier_features"):
        make_paper_data(outlier_features="some")
    with pytest.raises(ValueError, match="n_outliers"):
        make_paper_data(n_outliers=101)
    with pytest.raises(ValueError, match="n_relevant"):
        make_paper_data(n_features=30)


UNKNOWN_SHARES = {"contamination": [-0.1, 1.0, np.nan], "prior": [-0.1, 1.0, 3], "outliers": ["near", None]}


@pytest.mark.parametrize("name", UNKNOWN_SHARES)
def test_correlated_data_refuse_what_cannot_be(name):
    for value in UNKNOWN_SHARES[name]:
        with pytest.raises(ValueError, match=name):
            make_correlated_data(**{name: value})


@both
def test_predicting_with_other_columns(Estimator):
    model = Estimator(prior=0.3)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(ValueError, match="expecting 6 features"):
        model.fit(X, y).predict(X[:, :5])
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model.fit(frame, y)
    for method in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(ValueError, match="feature names"):
            method(frame.rename(columns={"a": "z"}))
        with pytest.raises(ValueError, match="feature names"):
            method(frame[list("fedcba")])


@both
def test_bad_weights(Estimator):
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        Estimator().fit(X, y, sample_weight=-np.ones(40))
    with pytest.raises(ValueError, match="label more rows"):
        Estimator().fit(X, y, sample_weight=1.0 - y)


UGLY = {
    "constant column": np.c_[X, np.ones(40)],
    "only constant columns": np.ones((40, 3)),
    "zero column": np.c_[X, np.zeros(40)],
    "all zeros": np.zeros((40, 3)),
    "duplicated columns": np.c_[X, X],
    "wide": rng.normal(size=(40, 1100)),  # too many for a dense Hessian
    "scales 1e-8 and 1e8": np.c_[X * 1e-8, X[:, ::-1] * 1e8],
    "far from zero": X + 1e8,
    "large": X * 1e99,
    "tiny": X * 1e-150,
    "one column": X[:, :1],
    "whole numbers": np.round(X * 3).astype(int),
    "booleans": X > 0,
    "sparse and empty columns": sp.csr_matrix(np.c_[np.where(np.abs(X) > 1, X, 0), np.zeros(40)]),
}


@both
@pytest.mark.parametrize("solver", ["exchange", "path", "psg"])
@pytest.mark.parametrize("choice", ["plain", "outliers and features"])
@pytest.mark.parametrize("case", UGLY)
def test_ugly_data_works(Estimator, solver, choice, case):
    params = {} if choice == "plain" else {"n_outliers": 2, "n_features_to_select": 0.5}
    # One case is enough for calibration, whose fits are its own; searches calibrate with outliers and features.
    is_calibrated = (Estimator, solver, choice) == (BlindAUCClassifier, "path", "plain")
    meaning = {} if is_calibrated else {"calibrate": False, "prior": 0.3}
    model = Estimator(solver=solver, max_swaps=1, max_iter=50, random_state=0, **params, **meaning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(UGLY[case], y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.objective_)
    assert np.isfinite(model.decision_function(UGLY[case])).all()
    if model.calibrate:
        assert np.isfinite(model.predict_proba(UGLY[case])).all()
        assert 0 <= model.auc_.low <= model.auc_.high <= 1


# --- the estimators that choose ---

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

# More of what cannot be tried is in test_choice.py.
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
