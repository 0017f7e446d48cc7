"""Estimators of every shape: fits, outliers, probabilities, reasons, containers, searches, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from instances import THREES
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV, extras
from blindauc.choice.space import SHAPES
from blindauc.estimators import shapes as shapes_module

pytest.importorskip("lightgbm")

pytestmark = pytest.mark.usefixtures("few_mixtures")

SHAPE_NAMES = list(SHAPES)
BENT = [shape for shape in SHAPE_NAMES if shape != "linear"]
SOME = {"gamma": 1.0, "n_leaves": 4, "n_rounds": 20}
"""Parameters of the shapes, each of which uses its own."""

every_shape = pytest.mark.parametrize("shape", SHAPE_NAMES)
both = pytest.mark.parametrize("Estimator", [BlindAUCClassifier, PUErrorClassifier])


def bent_rows(n_labelled=60, n_unlabelled=200, seed=0):
    """Positives have a large or a small first column; of four others one has two values, and one is constant."""
    rng = np.random.default_rng(seed)
    is_positive = np.r_[np.ones(n_labelled, dtype=bool), rng.random(n_unlabelled) < 0.2]
    X = rng.normal(size=(len(is_positive), 5))
    X[is_positive, 0] = rng.choice([-2.5, 2.5], is_positive.sum()) + 0.5 * rng.normal(size=is_positive.sum())
    X[:, 3], X[:, 4] = rng.integers(0, 2, len(X)), 3.0
    return X, is_positive, np.arange(len(X)) < n_labelled


X, TRUTH, Y = bent_rows()
NEW, NEW_TRUTH, _ = bent_rows(0, 1000, seed=1)


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
            assert auc > 0.85

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
        assert np.ptp(scores) == 0
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
        assert len(model.outliers_) == 10
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


# --- searches ---

FEW = {
    "cv": 2,
    "n_repeats": 1,
    "l2": [0.01, 10.0],
    "n_outliers": [0, 0.1],
    "gamma": 1.0,
    "n_leaves": 4,
    "n_rounds": [10, 20],
    "scaling": "standard",
    "prior": 0.2,
}


@pytest.fixture(scope="module", params=[BlindAUCClassifierCV, PUErrorClassifierCV])
def searched(request):
    return request.param(**FEW).fit(X, Y)


def test_a_search_compares_all_shapes(searched):
    table = searched.cv_results_
    assert set(table["param_shape"]) == set(SHAPES) == set(searched.shapes_)
    for shape, share in searched.shapes_.items():
        assert share == pytest.approx(table["weight"][table["param_shape"] == shape].sum())
    assert sum(searched.shapes_.values()) == pytest.approx(1)
    assert searched.shapes_["linear"] < 1e-6
    # The leader of each shape stays to the end, so that they can be compared.
    finished = table["n_splits"] == table["n_splits"].max()
    assert set(table["param_shape"][finished]) == set(SHAPES)
    assert searched.bending_.low > 0
    assert roc_auc_score(NEW_TRUTH, searched.decision_function(NEW)) > 0.85
    np.testing.assert_allclose(searched.reasons(NEW).sum(axis=1), searched.decision_function(NEW), atol=1e-6)


def test_settings_that_a_shape_has_no_use_for_are_left_open(searched):
    for params, shape in zip(searched.cv_results_["params"], searched.cv_results_["param_shape"], strict=True):
        assert ("gamma" in params) == (shape == "kernel")
        assert ("n_leaves" in params) == ("n_rounds" in params) == (shape == "trees")


@pytest.mark.parametrize("wanted", ["curves", ["linear"], ["kernel", "linear"], ("trees", "curves", "trees")])
def test_shapes_to_choose_from(wanted):
    model = BlindAUCClassifierCV(**{**FEW, "shape": wanted, "n_outliers": 0}).fit(X, Y)
    expected = [wanted] if isinstance(wanted, str) else list(dict.fromkeys(wanted))
    assert list(model.shapes_) == expected
    assert (model.bending_ is None) == (wanted != ["kernel", "linear"])


@every_shape
@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
def test_the_best_estimator_can_be_fitted_again_by_its_parameters_alone(Estimator, shape):
    weight = np.random.default_rng(0).integers(1, 3, len(X))
    model = Estimator(**{**FEW, "shape": [shape], "random_state": 3}).fit(X, Y, weight)
    best = model.best_estimator_
    assert best.shape == shape
    again = clone(best).fit(X, Y, weight)
    np.testing.assert_array_equal(again.decision_function(NEW), best.decision_function(NEW))
    np.testing.assert_array_equal(again.outliers_, best.outliers_)


@pytest.mark.parametrize("shape", BENT)
def test_the_order_of_rows_does_not_matter_to_a_search(shape):
    order = np.random.default_rng(0).permutation(len(X))
    one, other = (
        BlindAUCClassifierCV(**{**FEW, "shape": shape}).fit(X[rows], Y[rows]) for rows in (np.arange(len(X)), order)
    )
    np.testing.assert_allclose(other.decision_function(NEW), one.decision_function(NEW), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(other.held_out_rank_, one.held_out_rank_[order], atol=1e-3)


def test_columns_are_selected_by_the_shapes_that_select():
    model = BlindAUCClassifierCV(**{**FEW, "shape": ["curves", "kernel"], "n_outliers": 0}).fit(X, Y)
    counts = set(model.cv_results_["param_n_features_to_select"][model.cv_results_["param_shape"] == "curves"])
    assert counts == {5, 4, 3, 2, 1}
    assert model.inclusion_.argmax() == 0
    assert model.inclusion_[1:3].max() < 0.9
    by_support = BlindAUCClassifierCV(**{**FEW, "shape": ["curves", "kernel"], "n_outliers": 0, "rank_by": "support"})
    by_support.fit(X, Y)
    assert not by_support.model_.columns[~by_support.support_].any()


@pytest.mark.parametrize("chosen", [[5, 2], np.array([5, 2]), 3])
def test_where_columns_are_to_be_selected_only_shapes_that_select_compete(chosen):
    model = BlindAUCClassifierCV(**{**FEW, "n_features_to_select": chosen, "n_outliers": 0}).fit(X, Y)
    assert list(model.shapes_) == ["linear", "curves"]


def test_what_is_possible_competes():
    sparse = BlindAUCClassifierCV(**{**FEW, "n_outliers": 0}).fit(sp.csr_array(X), Y)
    assert list(sparse.shapes_) == ["linear", "trees"]
    shifting = BlindAUCClassifierCV(**{**FEW, "outlier_handling": "shift", "n_features_to_select": None}).fit(X, Y)
    assert list(shifting.shapes_) == ["linear"]


def test_groups_of_columns_go_together_where_columns_are_selected():
    groups = [0, 0, 1, 1, 2]
    model = BlindAUCClassifierCV(**{**FEW, "sparsity": "group_l0", "groups": groups, "n_outliers": 0}).fit(X, Y)
    assert model.support_[0] == model.support_[1]
    assert clone(model.best_estimator_).fit(X, Y).shape == model.best_params_["shape"]


def test_with_few_positives_the_plainest_shape_is_fitted():
    model = BlindAUCClassifierCV().fit(X[50:], Y[50:])
    assert model.cv_results_ == {}
    assert model.best_params_["shape"] == "linear"
    assert model.shapes_ == {"linear": 1.0}


# --- what cannot be had ---

BAD_SHAPES = ["cubic", None, 3, "", "Linear", np.nan, ["linear"], "auto"]


@both
@pytest.mark.parametrize("shape", BAD_SHAPES, ids=repr)
def test_bad_shapes_are_named(Estimator, shape):
    with pytest.raises(ValueError, match=r"shape must be one of 'linear', 'curves', 'kernel', 'trees', not") as error:
        Estimator(shape=shape).fit(X, Y)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("shape", ["cubic", None, [], ["linear", "cubic"], ["curves", None], [["curves"]]], ids=repr)
def test_bad_shapes_of_a_search_are_named(shape):
    model = BlindAUCClassifierCV(**{**FEW, "shape": shape})
    with pytest.raises(ValueError, match="shape must be"):
        model.fit(X, Y)
    assert not [name for name in vars(model) if name.endswith("_")]


BAD_SETTINGS = {
    "gamma": [0.0, -1.0, np.nan, np.inf, "wide", None],
    "n_leaves": [1, 2.5, "many", None, True],
    "n_rounds": [0, 1.5, "many", None],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD_SETTINGS.items() for value in values]
)
def test_bad_settings_of_a_shape_are_named(name, value):
    shape = "kernel" if name == "gamma" else "trees"
    for model in (
        BlindAUCClassifier(shape=shape, **{name: value}),
        BlindAUCClassifierCV(**{**FEW, "shape": shape, name: value}),
        BlindAUCClassifierCV(**{**FEW, "shape": shape, name: [4, value]}),
    ):
        with pytest.raises(ValueError, match=name):
            model.fit(X, Y)


REFUSED = {
    "groups with trees": (
        "trees",
        X,
        {"groups": [0, 0, 1, 1, 2], "sparsity": "group_l0"},
        "has no use for groups of columns",
    ),
    "groups with a kernel": ("kernel", X, {"groups": [0, 0, 1, 1, 2], "sparsity": "group_l0"}, "no use for groups"),
    "selection by a kernel": ("kernel", X, {"n_features_to_select": 2}, "selects no columns: leave n_features_to_se"),
    "selection by trees": ("trees", X, {"n_features_to_select": 0.5}, "selects no columns: leave n_features_to_select"),
    "selections by trees": ("trees", X, {"n_features_to_select": np.array([5, 2])}, "selects no columns"),
    "sparse curves": ("curves", sp.csr_array(X), {}, r"takes no sparse X: pass X.toarray\(\)"),
    "a sparse kernel": ("kernel", sp.csc_matrix(X), {}, r"takes no sparse X: pass X.toarray\(\)"),
    **{f"shifts of {shape}": (shape, X, {"outlier_handling": "shift"}, 'outlier_handling="trim"') for shape in BENT},
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_shape_that_cannot_do_what_is_asked_says_so_in_one_line(case):
    shape, rows, params, line = REFUSED[case]
    for model in (BlindAUCClassifier(shape=shape, **params), BlindAUCClassifierCV(**{**FEW, "shape": shape} | params)):
        with pytest.raises(ValueError, match=line) as error:
            model.fit(rows, Y)
        assert "\n" not in str(error.value)
        assert f'shape="{shape}"' in str(error.value)


@pytest.mark.parametrize("shape", ["linear", "curves", "kernel"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused_where_a_shape_cannot_take_them(shape, value):
    rows = X.copy()
    rows[3, 2] = value
    for model in (
        BlindAUCClassifier(shape=shape),
        BlindAUCClassifierCV(shape=[shape, "trees"]),
        BlindAUCClassifierCV(),
    ):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            model.fit(rows, Y)


def test_infinite_values_are_refused_by_trees():
    rows = X.copy()
    rows[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        BlindAUCClassifier(shape="trees").fit(rows, Y)


@pytest.mark.parametrize(
    "model",
    [
        BlindAUCClassifier(shape="trees", n_rounds=20),
        PUErrorClassifier(shape="trees", n_rounds=20, prior=0.2),
        BlindAUCClassifierCV(**{**FEW, "shape": ["trees"]}),
    ],
    ids=lambda model: type(model).__name__,
)
def test_trees_take_missing_values_as_they_are(model):
    """Here it is a sign of positives that the first column is missing."""
    rng = np.random.default_rng(0)
    rows, new = X.copy(), NEW.copy()
    rows[TRUTH & (rng.random(len(X)) < 0.5), 0] = np.nan
    rows[rng.random(len(X)) < 0.1, 1] = np.nan
    new[NEW_TRUTH, 0] = np.nan
    fitted = clone(model).fit(rows, Y)
    scores = fitted.decision_function(new)
    assert roc_auc_score(NEW_TRUTH, scores) > 0.85
    np.testing.assert_allclose(fitted.reasons(new).sum(axis=1), scores, atol=1e-6)
    assert np.isfinite(fitted.decision_function(np.full((3, 5), np.nan))).all()
    assert all(np.isfinite(effect.contribution).all() for effect in fitted.effects_)
    assert np.isfinite(fitted.importance_).all()
    assert fitted.importance_.argmax() == 0


@pytest.fixture
def without_lightgbm(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(extras, "import_module", missing)


def test_where_lightgbm_is_missing_one_line_says_how_to_get_it(without_lightgbm):
    for model in (BlindAUCClassifier(shape="trees"), BlindAUCClassifierCV(**{**FEW, "shape": ["linear", "trees"]})):
        with pytest.raises(ImportError, match=r"Trees need lightgbm: pip install 'blindauc\[trees\]'") as error:
            model.fit(X, Y)
        assert "\n" not in str(error.value)


def test_where_lightgbm_is_missing_the_other_shapes_compete(without_lightgbm):
    model = BlindAUCClassifierCV(**{**FEW, "n_outliers": 0}).fit(X, Y)
    assert list(model.shapes_) == ["linear", "curves", "kernel"]


def test_what_is_not_affordable_does_not_compete(monkeypatch):
    monkeypatch.setattr(shapes_module, "AFFORDABLE", 100)
    model = BlindAUCClassifierCV(**{**FEW, "n_outliers": 0}).fit(X, Y)
    assert list(model.shapes_) == ["linear", "kernel"]
    asked_for = BlindAUCClassifierCV(**{**FEW, "n_outliers": 0, "shape": "curves"}).fit(X, Y)
    assert list(asked_for.shapes_) == ["curves"]


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
