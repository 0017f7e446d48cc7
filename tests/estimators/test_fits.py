"""Which fits are equal, what is selected and flagged, and what is heard and left behind."""

import numpy as np
import pandas as pd
import pytest
from quick_estimators import DATA, PLAIN, both, fitted
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from blindauc import SYSTEMS, BlindAUCClassifier, PUErrorClassifier, make_system
from blindauc.losses import LOSSES, BarrierHinge

pytestmark = pytest.mark.usefixtures("few_mixtures")


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
    for scaling, factor in (("standard", 1.0), ("variance", 1.0), ("none", 1e6)):
        one, other = (Estimator(scaling=scaling, **params).fit(X, DATA.y_pu) for X in (DATA.X, 1e3 * DATA.X))
        assert other.l2_ / one.l2_ == pytest.approx(factor)
        np.testing.assert_allclose(1e3 * other.coef_, one.coef_, rtol=1e-5)


@both
def test_to_scale_by_variance_is_to_multiply_columns_by_their_standard_deviations(Estimator):
    params = {"prior": 0.2, "calibrate": False, "solver": "path", "tol": 1e-9}
    X = DATA.X * np.geomspace(0.3, 3.0, DATA.X.shape[1])
    factor = X.std(axis=0) / X.std(axis=0).max() ** 2
    scaled = Estimator(scaling="variance", l2=0.5, **params).fit(X, DATA.y_pu)
    multiplied = Estimator(scaling="none", l2=0.5, **params).fit(X * factor, DATA.y_pu)
    np.testing.assert_allclose(scaled.coef_, multiplied.coef_ * factor, rtol=1e-5)
