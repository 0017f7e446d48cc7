"""Every bad input gets one clear error that names the remedy; every ugly one works."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from both_estimators import both
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from ugly_data import BAD_DATA, UGLY, X, y

from blindauc import BlindAUCClassifier, PUErrorClassifier, make_system
from blindauc.datasets import make_correlated_data, make_paper_data

pytestmark = pytest.mark.usefixtures("few_mixtures")


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
