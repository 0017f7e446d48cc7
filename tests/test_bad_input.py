"""Every bad input gets one clear error that names the remedy; every ugly one works."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from blindauc import BlindAUCClassifier, PUErrorClassifier, make_system
from blindauc.datasets import make_paper_data

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
    "unknown solver": ({"solver": "sgd"}, 'choose "exchange" or "psg"'),
    "unknown handling": ({"outlier_handling": "drop"}, '"shift" or "trim"'),
    "prior 0": ({"prior": 0}, "strictly between 0 and 1"),
    "prior 1": ({"prior": 1.0}, "strictly between 0 and 1"),
    "prior 30": ({"prior": 30}, "strictly between 0 and 1"),
    "prior NaN": ({"prior": np.nan}, "strictly between 0 and 1"),
    "negative l2": ({"l2": -1.0}, "at least 0"),
    "l2 as text": ({"l2": "1"}, "at least 0"),
    "no shift_l2": ({"shift_l2": 0}, 'outlier_handling="trim"'),
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
        PUErrorClassifier(risk=risk, n_outliers=2).fit(X, y)


def test_unknown_names():
    with pytest.raises(ValueError, match="Unknown risk"):
        PUErrorClassifier(risk="empirical").fit(X, y)
    with pytest.raises(ValueError, match="Unknown system"):
        make_system("BAUC-F", n_features_to_select=1, n_outliers=1)
    with pytest.raises(ValueError, match="outlier_features"):
        make_paper_data(outlier_features="some")
    with pytest.raises(ValueError, match="n_outliers"):
        make_paper_data(n_outliers=101)
    with pytest.raises(ValueError, match="n_relevant"):
        make_paper_data(n_features=30)


@both
def test_predicting_with_other_columns(Estimator):
    with pytest.raises(NotFittedError):
        Estimator().predict(X)
    with pytest.raises(ValueError, match="expecting 6 features"):
        Estimator().fit(X, y).predict(X[:, :5])
    frame = pd.DataFrame(X, columns=list("abcdef"))
    with pytest.raises(ValueError, match="feature names"):
        Estimator().fit(frame, y).predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="feature names"):
        Estimator().fit(frame, y).decision_function(frame[list("fedcba")])


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
    "wide": rng.normal(size=(40, 2000)),
    "scales 1e-8 and 1e8": np.c_[X * 1e-8, X[:, ::-1] * 1e8],
    "far from zero": X + 1e8,
    "large": X * 1e99,
    "tiny": X * 1e-150,
    "one column": X[:, :1],
    "whole numbers": np.round(X * 3).astype(int),
    "booleans": X > 0,
    "sparse and empty columns": sp.csr_matrix(np.c_[np.where(np.abs(X) > 1.5, X, 0), np.zeros(40)]),
}


@both
@pytest.mark.parametrize("solver", ["exchange", "psg"])
@pytest.mark.parametrize("choice", ["plain", "outliers and features"])
@pytest.mark.parametrize("case", UGLY)
def test_ugly_data_works(Estimator, solver, choice, case):
    params = {} if choice == "plain" else {"n_outliers": 2, "n_features_to_select": 0.5}
    model = Estimator(solver=solver, max_swaps=3, max_iter=50, random_state=0, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(UGLY[case], y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.objective_)
    assert np.isfinite(model.decision_function(UGLY[case])).all()
