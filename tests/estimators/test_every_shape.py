"""Estimators of every shape: fits, outliers, probabilities, reasons and containers, as all others."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from bent_rows import BENT, NEW, NEW_TRUTH, SOME, X, Y, every_shape
from both_estimators import both
from instances import THREES
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier

pytestmark = pytest.mark.usefixtures("few_mixtures")


def quick(Estimator, shape, **params):
    """Without folds, for the prior or for anything else."""
    return Estimator(**{"shape": shape, "calibrate": False, "prior": 0.2, **SOME, **params})


@pytest.fixture(scope="module")
def fits():
    """Each shape of each estimator fitted and calibrated once."""
    made = {}

    def fit(Estimator, shape):
        if (Estimator, shape) not in made:
            made[Estimator, shape] = quick(Estimator, shape, calibrate=True).fit(X, Y)
        return made[Estimator, shape]

    return fit


@both
@every_shape
class TestEveryShape:
    def test_new_rows_are_ranked_where_the_shape_can_say_it(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        auc = roc_auc_score(NEW_TRUTH, model.decision_function(NEW))
        if shape == "linear":
            assert auc < 0.7
        else:
            assert auc > 0.8

    def test_probabilities_rise_with_the_score(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        scores, probability = model.decision_function(NEW), model.predict_proba(NEW)
        np.testing.assert_allclose(probability.sum(axis=1), 1)
        assert ((probability >= 0) & (probability <= 1)).all()
        assert (np.diff(probability[np.argsort(scores), 1]) >= -1e-12).all()
        np.testing.assert_array_equal(model.predict(NEW), scores > 0)
        low, high = model.predict_proba_interval(NEW)
        assert ((low <= probability[:, 1]) & (probability[:, 1] <= high)).all()

    def test_suspicion_is_known_of_every_label(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        assert model.suspicion_.shape == (60,)
        assert ((model.suspicion_ >= 0) & (model.suspicion_ <= 1)).all()
        assert len(model.doubtful_labels(k=5)) == 5

    def test_reasons_add_up_to_the_decision(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        reasons = model.reasons(NEW)
        assert reasons.shape == (len(NEW), 6)
        np.testing.assert_allclose(reasons.sum(axis=1), model.decision_function(NEW), rtol=1e-6, atol=1e-8)
        assert np.ptp(reasons[:, -1]) == 0
        # On average over unlabelled rows a column adds nothing.
        np.testing.assert_allclose(model.reasons(X[~Y])[:, :-1].mean(axis=0), 0, atol=1e-6)
        np.testing.assert_allclose(reasons[:, 4], 0, atol=1e-8)  # the constant one
        if shape != "linear":
            assert np.abs(reasons[:, :-1]).mean(axis=0).argmax() == 0

    def test_effects_and_importance_name_the_column_that_matters(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        assert len(model.effects_) == 5
        sizes = np.array([effect.size for effect in model.effects_])
        assert sizes[4] == pytest.approx(0, abs=1e-9)
        if shape != "linear":
            assert sizes.argmax() == 0
            assert model.importance_.argmax() == 0
            effect = model.effects_[0]
            middle = np.interp(0.0, effect.values, effect.contribution)
            assert middle < min(effect.contribution[0], effect.contribution[-1])

    def test_only_straight_lines_have_coefficients(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        assert hasattr(model, "coef_") == (shape == "linear")

    def test_columns_that_are_used(self, fits, Estimator, shape):
        model = fits(Estimator, shape)
        np.testing.assert_array_equal(model.support_[:4], model.model_.columns[:4])
        assert model.support_[0]
        assert model.transform(NEW).shape == (len(NEW), model.support_.sum())

    def test_the_container_does_not_matter(self, Estimator, shape):
        names = list("abcde")
        table = X.astype(np.float32).astype(np.float64)
        scores = quick(Estimator, shape).fit(table, Y).decision_function(table)
        for container in (table.astype(np.float32), pd.DataFrame(table, columns=names), pl.DataFrame(table, names)):
            again = quick(Estimator, shape).fit(container, Y)
            np.testing.assert_allclose(again.decision_function(container), scores, rtol=1e-5, atol=1e-5)

    def test_the_order_of_rows_does_not_matter(self, fits, Estimator, shape):
        order = np.random.default_rng(0).permutation(len(X))
        one, other = fits(Estimator, shape), quick(Estimator, shape, calibrate=True).fit(X[order], Y[order])
        np.testing.assert_allclose(other.decision_function(NEW), one.decision_function(NEW), rtol=1e-3, atol=1e-3)
        assert other.auc_ == pytest.approx(one.auc_, abs=1e-3)

    def test_a_row_of_weight_two_is_two_rows(self, Estimator, shape):
        weight = np.random.default_rng(0).integers(0, 3, len(X))
        # LightGBM's sums are in single precision: after many rounds rounding decides on a split, and on all after it.
        few = {"n_rounds": 5}
        weighted = quick(Estimator, shape, **few).fit(X, Y, sample_weight=weight)
        repeated = quick(Estimator, shape, **few).fit(X.repeat(weight, axis=0), Y.repeat(weight))
        for method in ("decision_function", "predict"):
            np.testing.assert_allclose(
                getattr(weighted, method)(NEW), getattr(repeated, method)(NEW), rtol=1e-3, atol=1e-3
            )

    def test_rows_that_say_nothing_have_scores_that_say_nothing(self, Estimator, shape):
        nothing = np.full((60, 3), 0.1)
        model = quick(Estimator, shape, calibrate=True).fit(nothing, np.arange(60) < 20)
        scores = model.decision_function(nothing + np.arange(60)[:, None])
        assert np.isfinite(scores).all()
        # Coefficients of constant columns are rounding errors of the gradient.
        assert np.ptp(scores) < 1e-14
        assert np.isfinite(model.predict_proba(nothing)).all()

    def test_two_values_are_enough(self, Estimator, shape):
        rng = np.random.default_rng(0)
        rows = rng.integers(0, 2, (240, 3)) * 5.0
        truth = (rows[:, 0] > 0) & (rng.random(240) < 0.8)
        model = quick(Estimator, shape).fit(rows, truth & (rng.random(240) < 0.5))
        scores = model.decision_function(np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]]))
        assert scores[1] > scores[0]

    def test_far_wrong_labels_are_left_out_and_suspected(self, Estimator, shape):
        rng = np.random.default_rng(0)
        rows = np.concatenate([rng.normal(1, 1, (90, 4)), rng.normal(-2, 1, (10, 4)), rng.normal(0, 1, (300, 4))])
        wrong = np.arange(90, 100)
        model = quick(Estimator, shape, n_outliers=10, calibrate=True, leverage_screen=False)
        model.fit(rows, np.arange(400) < 100)
        assert len(model.outliers_) == 10 or (shape in ("curves", "kernel") and len(model.outliers_) < 10)
        assert len(set(model.outliers_) & set(wrong)) >= 8
        np.testing.assert_array_equal(np.flatnonzero(model.shift_), model.outliers_)
        is_wrong = np.isin(model.labelled_rows_, wrong)
        assert model.suspicion_[is_wrong].mean() > 2 * model.suspicion_[~is_wrong].mean()
        # What lies far out is near no landmark, and bends may go up again: only others are sure of themselves.
        assert model.suspicion_[is_wrong].mean() > 0.5 or shape in ("curves", "kernel")


# --- groups of columns ---


@both
@pytest.mark.parametrize(("sparsity", "count"), [("group_l0", 1), ("group_l0", 2), ("exclusive_l0", [1, 2, 1])])
@pytest.mark.parametrize("solver", ["exchange", "path"])
def test_columns_of_a_group_bend_and_go_in_and_out_together(Estimator, sparsity, count, solver):
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(200, 9)), np.arange(200) < 50
    rows[:50, 4] = rng.choice([-2.5, 2.5], 50) + 0.3 * rng.normal(size=50)
    model = quick(Estimator, "curves", sparsity=sparsity, groups=THREES, n_features_to_select=count, solver=solver).fit(
        rows, y
    )
    per_group = np.bincount(THREES, model.support_)
    expected = count if sparsity == "exclusive_l0" else np.where(per_group > 0, 3, 0)
    np.testing.assert_array_equal(per_group, expected)
    assert model.support_[4]
    assert model.support_.sum() == (4 if sparsity == "exclusive_l0" else 3 * count)
    parts = model.model_.contributions(rows)
    assert not parts[:, ~model.support_].any()
    assert np.abs(np.corrcoef(parts[:, 4], rows[:, 4])[0, 1]) < 0.5  # it bends


# --- scikit-learn's own checks ---

CHECKED = [
    # What scores mean is learnt in the same way whatever the shape and the risk, and a search goes on in the same way:
    # both are checked with linear scores. Curves and kernels are columns to both risks; trees are boosted by each.
    BlindAUCClassifier(shape="curves", calibrate=False),
    BlindAUCClassifier(shape="trees", n_rounds=5, calibrate=False),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        BlindAUCClassifier(shape="kernel", calibrate=False),
        BlindAUCClassifier(shape="trees", n_rounds=5, prior=0.1),
        PUErrorClassifier(shape="trees", n_rounds=5, prior=0.1, calibrate=False),
        BlindAUCClassifierCV(
            cv=2,
            n_repeats=1,
            shape=BENT,
            gamma=0.3,
            n_leaves=4,
            n_rounds=5,
            l2=1.0,
            n_outliers=0,
            n_features_to_select=None,
            prior=0.1,
        ),
    ]
)
def test_scikit_learn_checks_of_pairs(estimator, check):
    check(estimator)
