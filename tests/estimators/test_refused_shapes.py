"""What a shape cannot do is said in one line, and it competes only where it can."""

import numpy as np
import pytest
import scipy.sparse as sp
from bent_rows import BENT, FEW, NEW, NEW_TRUTH, TRUTH, X, Y
from both_estimators import both
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, extras
from blindauc.estimators import shapes as shapes_module

pytestmark = pytest.mark.usefixtures("few_mixtures")

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
