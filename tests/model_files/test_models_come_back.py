"""Models come back as they were, to the last bit and type, in files that anyone can inspect."""

import json
import pickle
import zipfile
from importlib import import_module

import numpy as np
import pytest
from same_models import assert_same
from saved_models import DATA, MODELS, NAMES, X, Y, made, pd, skops_io
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer

import blindauc
from blindauc import BlindAUCClassifier, Estimate
from blindauc.model_files import FORMAT, KNOWN_TYPES, MANIFEST, load, save
from blindauc.preprocessing import feature_groups

pytestmark = pytest.mark.usefixtures("few_candidates")


def rows_for(name):
    """New rows, with what was not there in fitting, for the model of this name."""
    if name != "mixed columns":
        return pd.DataFrame(DATA.X_test, columns=NAMES) if name == "columns with names" else DATA.X_test
    return pd.DataFrame(
        {
            "age": ["41", "NA", None, "7.5"],
            "race": ["B", "C", "", "A"],
            "smokes": [True, False, None, True],
            "admitted": ["03.04.2021", "2021-04-03", "soon", None],
        }
    )


def answers(model, rows):
    asked = ("decision_function", "predict", "predict_proba")
    given = [getattr(model, name)(rows) for name in asked if hasattr(model, name)]
    last = model[-1] if hasattr(model, "steps") else model
    told = [getattr(last, name)() for name in ("doubtful_labels", "summary") if hasattr(last, name)]
    return given + told


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_as_it_was(name, tmp_path):
    model = made(name)
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(vars(loaded), vars(model))
    assert_same(vars(clone(loaded)), vars(clone(model)))
    if name != "not fitted":
        assert_same(answers(loaded, rows_for(name)), answers(model, rows_for(name)))
    save(loaded, tmp_path / "again.skops")
    assert_same(vars(load(tmp_path / "again.skops")), vars(model))


def test_what_a_search_found_is_kept(tmp_path):
    model = made("a row with leverage")
    assert model.leverage_.tolist() == [0] * (len(model.leverage_) - 1) + [8]
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    for name in ("inclusion_", "support_", "support_cost_", "leverage_", "suspicion_", "cv_results_", "baselines_"):
        assert_same(getattr(loaded, name), getattr(model, name))
    assert isinstance(loaded.support_cost_, Estimate)
    assert_same(loaded.best_estimator_.coef_, model.best_estimator_.coef_)
    again = clone(loaded.best_estimator_).fit(np.r_[X, 1e3 * np.ones((1, 8))], np.r_[Y, 1])
    assert_same(again.coef_, model.best_estimator_.coef_)


def test_groups_of_a_loaded_preprocessor(tmp_path):
    model = made("mixed columns")
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(feature_groups(loaded[0]), feature_groups(model[0]))
    assert_same(loaded[0].get_feature_names_out(), model[0].get_feature_names_out())


@pytest.mark.parametrize("extrapolation", ["constant", "periodic"])
def test_steps_of_scikit_learn_come_back(extrapolation, path):
    table = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(
        d=pd.Series(np.where(X[:, 3] > 0, "u", "v"), dtype=object)
    )
    columns = make_column_transformer(
        (SplineTransformer(extrapolation=extrapolation), make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(), make_column_selector("^d$", dtype_include=object)),
    )
    model = make_pipeline(columns, BlindAUCClassifier(calibrate=False)).fit(table, Y)
    save(model, path)
    assert (load(path).decision_function(table) == model.decision_function(table)).all()


def test_every_estimator_is_among_the_models():
    estimators = {each for each in vars(import_module("blindauc.estimators")).values() if isinstance(each, type)}
    public = {each for each in estimators if issubclass(each, BaseEstimator)}
    assert public == {type(made(name)) for name in MODELS if "mixed" not in name and name != "scaled"}


def test_only_types_of_ours_of_scikit_learn_and_of_numpy_are_known():
    for known in KNOWN_TYPES:
        module, _, name = known.rpartition(".")
        assert module.split(".")[0] in ("blindauc", "sklearn", "numpy") or known == "builtins.object"
        assert hasattr(import_module(module), name)


def test_the_file_says_its_format_and_version(tmp_path):
    save(made("difference of means"), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        manifest = json.loads(archive.read(MANIFEST))
    assert manifest["format"] == FORMAT
    assert manifest["blindauc"] == blindauc.__version__


def test_it_is_a_skops_file(tmp_path):
    save(made("blind AUC, tuned"), tmp_path / "model.skops")
    model = skops_io.load(tmp_path / "model.skops", trusted=list(KNOWN_TYPES))
    assert_same(vars(model), vars(made("blind AUC, tuned")))


def test_nothing_is_pickled(tmp_path, monkeypatch):
    model = made("mixed columns")

    def refuse(*args, **options):
        raise AssertionError("pickle was asked for")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(answers(loaded, rows_for("mixed columns")), answers(model, rows_for("mixed columns")))
