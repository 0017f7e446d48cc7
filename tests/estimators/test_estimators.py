"""What the estimators promise: what they accept, what they leave behind, and which fits are equal."""

from dataclasses import fields
from inspect import Parameter, signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import roc_auc_score

from blindauc import (
    SYSTEMS,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    PUErrorClassifier,
    PUErrorClassifierCV,
    make_system,
)
from blindauc.datasets import make_paper_data
from blindauc.losses import LOSSES, BarrierHinge

pytestmark = pytest.mark.usefixtures("few_mixtures")

DATA = make_paper_data(n_features=30, n_outliers=4, n_relevant=15, n_pos=60, n_negatives=160, random_state=1)
ESTIMATORS = [BlindAUCClassifier, PUErrorClassifier]
both = pytest.mark.parametrize("Estimator", ESTIMATORS)


PLAIN = {"l2": 100.0, "calibrate": False, "prior": 0.2}
"""No folds for calibration nor for the prior: what scores mean is the matter of test_calibration.py."""


FEW = {
    "cv": 2,
    "n_repeats": 1,
    "shape": "linear",
    "scaling": "standard",
    "l2": [100.0],
    "n_outliers": [0, 4],
    "n_features_to_select": [1.0, 0.2],
}
"""A search with little to choose: choosing is the matter of test_tuned.py."""

QUICK = {
    BlindAUCClassifier: {"l2": 100.0},
    PUErrorClassifier: {"l2": 100.0, "prior": 0.2},
    BlindAUCClassifierCV: FEW,
    PUErrorClassifierCV: {**FEW, "prior": 0.2},
}
"""Every estimator, with parameters that make it fast."""
every = pytest.mark.parametrize("Estimator", QUICK)


def fitted(Estimator, X=DATA.X, y=DATA.y_pu, **params):
    return Estimator(**{"max_swaps": 5, **PLAIN, **params}).fit(X, y)


def auc(model):
    return roc_auc_score(DATA.y_test, model.decision_function(DATA.X_test))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("solver", ["exchange", "path", "psg"])
def test_the_six_systems(name, solver):
    model = make_system(
        name, n_features_to_select=15, n_outliers=4, solver=solver, max_swaps=5, random_state=0, **PLAIN
    ).fit(DATA.X, DATA.y_pu)
    assert model.support_.sum() == (15 if name.endswith("F") else 30)
    assert len(model.outliers_) == (4 if "-O" in name else 0)
    assert np.all(model.coef_[~model.support_] == 0)
    assert auc(model) > 0.6
    if "-O" in name:
        assert set(model.outliers_) == set(DATA.outliers)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_ranks(loss):
    assert auc(fitted(BlindAUCClassifier, loss=loss, n_outliers=4, outlier_handling="trim")) > 0.7


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_ranks_by_pu_error(loss):
    # At half and half: a piecewise linear loss gives up the rarer side where one side is cheaper.
    model = fitted(PUErrorClassifier, loss=loss, risk="unbiased", prior=0.5)
    assert auc(model) > 0.65


@pytest.mark.parametrize("risk", ["paper", "unbiased", "nonnegative"])
def test_every_risk_ranks(risk):
    model = fitted(PUErrorClassifier, risk=risk, prior=0.1, n_outliers=4, outlier_handling="trim")
    assert auc(model) > 0.7


def test_trimmed_fit_equals_the_fit_without_the_flagged_rows():
    # Without scaling: the scales of columns are those of all rows, flagged or not.
    params = {"scaling": "none", "outlier_handling": "trim", "tol": 1e-10}
    trimmed = fitted(BlindAUCClassifier, n_outliers=4, **params)
    kept = np.setdiff1d(np.arange(len(DATA.X)), trimmed.outliers_)
    plain = fitted(BlindAUCClassifier, DATA.X[kept], DATA.y_pu[kept], **params)
    np.testing.assert_allclose(trimmed.coef_, plain.coef_, rtol=1e-6, atol=1e-9)
    assert np.isinf(trimmed.shift_).sum() == 4


@both
def test_no_outliers_and_all_features_is_the_plain_method(Estimator):
    plain = fitted(Estimator)
    np.testing.assert_array_equal(fitted(Estimator, n_features_to_select=30).coef_, plain.coef_)
    np.testing.assert_array_equal(fitted(Estimator, n_outliers=0.0, leverage_screen=False).coef_, plain.coef_)
    assert not plain.shift_.any()


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


GROUPS = {
    "ids": [k // 3 for k in range(30)],
    "names as ids": [f"variable {k // 3}" for k in range(30)],
    "indices": [list(range(3 * g, 3 * g + 3)) for g in range(10)],
    "ranges": [range(3 * g, 3 * g + 3) for g in range(10)],
    "index": [pd.Index([f"c{k}" for k in range(3 * g, 3 * g + 3)]) for g in range(10)],
    "column names": [[f"c{k}" for k in range(3 * g, 3 * g + 3)] for g in range(10)],
}


@pytest.mark.parametrize("kind", GROUPS)
def test_groups_are_selected_together(kind):
    X = pd.DataFrame(DATA.X, columns=[f"c{k}" for k in range(30)])
    model = fitted(BlindAUCClassifier, X, sparsity="group_l0", groups=GROUPS[kind], n_features_to_select=4)
    per_group = model.support_.reshape(10, 3).sum(axis=1)
    assert sorted(set(per_group.tolist())) == [0, 3]
    assert np.count_nonzero(per_group) == 4


@pytest.mark.parametrize(
    ("count", "expected"), [(2, [2] * 10), (1 / 3, [1] * 10), ([1, 2] * 5, [1, 2] * 5), ([1, 2 / 3] * 5, [1, 2] * 5)]
)
def test_exclusive_sparsity_counts_inside_every_group(count, expected):
    model = fitted(BlindAUCClassifier, sparsity="exclusive_l0", groups=GROUPS["ids"], n_features_to_select=count)
    assert model.support_.reshape(10, 3).sum(axis=1).tolist() == expected


def test_shares_count_columns_and_positives():
    model = fitted(BlindAUCClassifier, n_features_to_select=0.2, n_outliers=0.05)
    assert (model.support_.sum(), len(model.outliers_)) == (6, 3)
    assert len(fitted(BlindAUCClassifier, n_outliers=0.29, max_swaps=0).outliers_) == 17


def test_verbose_prints_a_line_per_stage_and_callback_hears_the_same(capsys):
    heard = []
    fitted(BlindAUCClassifier, n_features_to_select=10, n_outliers=4, verbose=1, callback=heard.append)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(heard) >= 3
    assert all(line.startswith("[BlindAUCClassifier]") and "objective" in line for line in lines)


@both
def test_unfinished_fits_say_what_to_do(Estimator):
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        fitted(Estimator, max_iter=1, l2=1e-6)


@both
@pytest.mark.parametrize("refit", [False, True])
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(Estimator, refit):
    def interrupt(progress):
        raise KeyboardInterrupt

    model = Estimator(**PLAIN)
    if refit:
        model.fit(DATA.X, DATA.y_pu)
    before = dict(vars(model))
    model.callback = interrupt
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X[:, :5], DATA.y_pu)
    model.callback = None
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


# --- what holds for every estimator, with a search or without ---


@every
def test_every_field_is_a_parameter_and_every_parameter_a_field(Estimator):
    names = {each.name for each in fields(Estimator)}
    assert set(Estimator().get_params()) == set(signature(Estimator).parameters) == names
    assert all(p.default is not Parameter.empty for p in signature(Estimator).parameters.values())


@every
def test_parameters_are_set_untouched_and_stay_so_in_a_fit(Estimator):
    marks = {name: object() for name in Estimator().get_params()}
    made = Estimator(**marks)
    assert all(getattr(made, name) is mark for name, mark in marks.items())
    assert made.get_params() == marks
    assert clone(Estimator().set_params(**QUICK[Estimator])).get_params() == Estimator(**QUICK[Estimator]).get_params()
    model = Estimator(**QUICK[Estimator])
    before = {name: (value, repr(value)) for name, value in model.get_params().items()}
    model.fit(DATA.X, DATA.y_pu)
    assert all(getattr(model, name) is value and repr(value) == text for name, (value, text) in before.items())


def slow_blind_auc(is_positive, scores, weight):
    """The double loop."""
    total = above = 0.0
    for i in np.flatnonzero(is_positive):
        for j in np.flatnonzero(~is_positive):
            above += weight[i] * weight[j] * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
            total += weight[i] * weight[j]
    return above / total


@every
def test_score_is_the_blind_auc_however_labels_are_written(Estimator):
    rng = np.random.default_rng(0)
    new, is_positive, weight = rng.normal(0, 7, size=(80, 30)), rng.random(80) < 0.4, rng.uniform(0.5, 2, 80)
    new[:10] = new[10:20]  # ties
    model = Estimator(**QUICK[Estimator]).fit(DATA.X, DATA.y_pu)
    scores = model.decision_function(new)
    assert model.score(new, is_positive) == pytest.approx(slow_blind_auc(is_positive, scores, np.ones(80)))
    assert model.score(new, is_positive, weight) == pytest.approx(slow_blind_auc(is_positive, scores, weight))
    # The smaller string is the positive one, and unlabelled rows may be missing.
    named = np.where(DATA.y_pu == 1, "case", "other")
    by_name = Estimator(**QUICK[Estimator], pos_label="case").fit(DATA.X, named)
    expected = slow_blind_auc(is_positive, by_name.decision_function(new), np.ones(80))
    assert by_name.score(new, np.where(is_positive, "case", "other")) == pytest.approx(expected)
    assert by_name.score(new, np.where(is_positive, "case", None)) == pytest.approx(expected)


@every
@pytest.mark.parametrize("method", ["score", "predict", "decision_function", "predict_proba", "doubtful_labels"])
def test_before_a_fit_there_is_nothing_to_ask(Estimator, method):
    arguments = {"score": (DATA.X, DATA.y_pu), "doubtful_labels": ()}.get(method, (DATA.X,))
    with pytest.raises(NotFittedError):
        getattr(Estimator(), method)(*arguments)


FAR = make_paper_data(n_features=100, outlier_features="all", random_state=0)


@pytest.fixture(scope="module")
def with_leverage():
    return {Estimator: Estimator(**params).fit(FAR.X, FAR.y_pu) for Estimator, params in QUICK.items()}


@every
def test_rows_with_leverage_are_outliers_and_doubtful(Estimator, with_leverage):
    model = with_leverage[Estimator]
    assert len(FAR.outliers) == 7
    assert set(FAR.outliers) <= set(model.outliers_)
    assert set(FAR.outliers) <= set(model.doubtful_labels())
    np.testing.assert_array_equal(model.labelled_rows_, np.flatnonzero(FAR.y_pu == 1))
    is_far = np.isin(model.labelled_rows_, FAR.outliers)
    assert (model.suspicion_[is_far] == 1).all()
    assert np.isinf(model.shift_[is_far]).all()
    # In how many of the 100 columns they are unusual.
    assert ((model.leverage_ > 0) == is_far).all()
    assert (model.leverage_ <= 100).all()
    # Seven of a hundred labels are wrong for sure.
    assert 0.07 - 1e-12 <= model.contamination_.low <= model.contamination_


@every
@pytest.mark.parametrize("values", [-1e6, 1e6, "each its own"])
def test_rows_with_leverage_neither_fit_nor_vote(Estimator, values, with_leverage):
    X, one = FAR.X.copy(), with_leverage[Estimator]
    X[FAR.outliers] = (
        np.outer(10.0 ** np.arange(3, 10), np.resize([1.0, -1.0], 100)) if values == "each its own" else values
    )
    other = Estimator(**QUICK[Estimator]).fit(X, FAR.y_pu)
    for name in ("coef_", "support_", "spread_", "suspicion_", "outliers_", "shift_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
    for name in ("intercept_", "prior_", "contamination_", "auc_"):
        assert repr(getattr(other, name)) == repr(getattr(one, name))


@every
def test_without_the_screen_rows_with_leverage_fit_as_all_others(Estimator, with_leverage):
    model = Estimator(leverage_screen=False, **QUICK[Estimator]).fit(FAR.X, FAR.y_pu)
    assert not model.leverage_.any()
    # They bend the fit to themselves, so that they rank high and no outlier is found among them.
    assert len(set(model.outliers_) & set(FAR.outliers)) < 7
    scores = [
        roc_auc_score(FAR.y_test, each.decision_function(FAR.X_test)) for each in (model, with_leverage[Estimator])
    ]
    assert scores[0] < scores[1]


@both
@pytest.mark.parametrize("n_outliers", [0, 3, 7, 7.0 / 100, 20, 0.6])
def test_rows_with_leverage_count_among_the_outliers(Estimator, n_outliers):
    params = {**PLAIN, "l2": 1000.0, "n_outliers": n_outliers, "outlier_handling": "trim", "max_swaps": 0}
    model = Estimator(**params).fit(FAR.X, FAR.y_pu)
    expected = max(7, n_outliers if isinstance(n_outliers, int) else round(100 * n_outliers))
    assert len(model.outliers_) == np.isinf(model.shift_).sum() == expected
    assert set(FAR.outliers) <= set(model.outliers_)
    assert not hasattr(model, "suspicion_")


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
def test_a_search_leaves_out_as_many_as_its_best_estimator(Estimator, with_leverage):
    model = with_leverage[Estimator]
    assert model.cv_results_["params"][model.best_index_] == model.best_params_
    assert len(model.best_estimator_.outliers_) == round(100 * model.best_params_["n_outliers"])
    assert set(FAR.outliers) <= set(model.best_estimator_.outliers_)
    one = Estimator(**QUICK[Estimator] | {"n_outliers": 20, "n_features_to_select": None}).fit(FAR.X, FAR.y_pu)
    assert len(one.outliers_) == len(one.best_estimator_.outliers_) == 20


CALIBRATED = {
    "a loss of one's own": {"loss": BarrierHinge(slope=3.0)},
    "no ridge": {"l2": 0.0},
    "a number for each group": {
        "sparsity": "exclusive_l0",
        "groups": GROUPS["ids"],
        "n_features_to_select": [1, 2] * 5,
    },
    "an array of numbers": {
        "sparsity": "exclusive_l0",
        "groups": GROUPS["ids"],
        "n_features_to_select": np.array([1, 2] * 5),
    },
    "a share of each group": {"sparsity": "exclusive_l0", "groups": GROUPS["ids"], "n_features_to_select": 1 / 3},
    "groups": {"sparsity": "group_l0", "groups": GROUPS["ids"], "n_features_to_select": 2},
    "shifts": {"n_outliers": 4, "outlier_handling": "shift"},
}


@both
@pytest.mark.parametrize("case", CALIBRATED)
def test_what_can_be_fitted_can_be_calibrated(Estimator, case):
    params = {"l2": 100.0, "prior": 0.2, "max_swaps": 0, **CALIBRATED[case]}
    model = Estimator(**params).fit(DATA.X, DATA.y_pu)
    probability = model.predict_proba(DATA.X)[:, 1]
    assert ((probability >= 0) & (probability <= 1)).all()
    np.testing.assert_array_equal(model.coef_, Estimator(**params, calibrate=False).fit(DATA.X, DATA.y_pu).coef_)


@both
def test_the_automatic_ridge_goes_with_the_units_of_the_columns(Estimator):
    params = {"prior": 0.2, "calibrate": False, "solver": "path", "tol": 1e-9}
    for scaling, factor in (("standard", 1.0), ("none", 1e6)):
        one, other = (Estimator(scaling=scaling, **params).fit(X, DATA.y_pu) for X in (DATA.X, 1e3 * DATA.X))
        assert other.l2_ / one.l2_ == pytest.approx(factor)
        np.testing.assert_allclose(1e3 * other.coef_, one.coef_, rtol=1e-5)
