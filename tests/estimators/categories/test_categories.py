"""Categories of pandas and polars tables: read, split by trees, explained, stored, and refused."""

import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from forging import forged, members_of
from instances import as_data
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from test_trees import fuzz

from blindauc import (
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    PUErrorClassifier,
    PUErrorClassifierCV,
)
from blindauc.estimators import categories as reading
from blindauc.explain import bends, shape_in_words
from blindauc.explain.effects import packed, unpacked
from blindauc.model_files import ModelFileError, load, save
from blindauc.rows.categories import Categories
from blindauc.scorers import tree_text
from blindauc.scorers.forest import TreeModel
from blindauc.scorers.tree import levels_in

lightgbm = pytest.importorskip("lightgbm")

pytestmark = pytest.mark.usefixtures("few_mixtures")

N_WARDS = 12
WARDS = np.array([f"w{k:02d}" for k in range(N_WARDS)])
EFFECT = np.random.default_rng(9).permutation(np.linspace(-3, 3, N_WARDS))


def make_table(n_rows=600, seed=0):
    """Positives by ward, whose names say nothing of it, and by age; sex does not matter, and some wards are missing."""
    rng = np.random.default_rng(seed)
    ward, age = rng.integers(N_WARDS, size=n_rows), rng.normal(size=n_rows)
    risk = EFFECT[ward] + 0.7 * age + rng.logistic(size=n_rows)
    names = np.where(rng.random(n_rows) < 0.05, None, WARDS[ward])
    sex = rng.choice(["f", "m"], n_rows)
    table = pd.DataFrame({"ward": pd.Categorical(names), "age": age, "sex": pd.Categorical(sex)})
    return table, risk > np.quantile(risk, 0.7)


TABLE, TRUTH = make_table()
NEW, NEW_TRUTH = make_table(1000, seed=1)
Y = TRUTH & (np.random.default_rng(3).random(len(TRUTH)) < 0.4)
FEW = {"n_leaves": 4, "n_rounds": 20, "l2": 10.0, "n_outliers": 0.0, "cv": 3, "n_repeats": 1}


@pytest.fixture(scope="module")
def model():
    return BlindAUCClassifier(shape="trees", n_rounds=20).fit(TABLE, Y)


@pytest.fixture(scope="module")
def searched():
    return BlindAUCClassifierCV(**FEW).fit(TABLE, Y)


def as_polars(table, dtype=pl.Categorical):
    columns = {"ward": [None if pd.isna(name) else name for name in table["ward"]], "sex": table["sex"].tolist()}
    texts = {name: pl.Series(name, cells, dtype=dtype) for name, cells in columns.items()}
    return pl.DataFrame([texts["ward"], pl.Series("age", table["age"].to_numpy()), texts["sex"]])


# --- levels as numbers ---


def test_levels_are_numbered_by_their_texts_and_those_that_no_row_has_are_left_out():
    table = pd.DataFrame({"a": pd.Categorical(["y", "x", None, ""], categories=["z", "y", "x", ""])})
    categories = Categories.of(table)
    assert categories.columns == (0,)
    assert categories.levels[0].tolist() == ["x", "y"]
    np.testing.assert_array_equal(categories.encoded(table)["a"], [1, 0, np.nan, np.nan])
    assert table["a"].dtype == "category"


@pytest.mark.parametrize(
    ("cells", "others"),
    [
        ([7, 8, 7], [7.0, 8.0, 7.0]),
        ([True, False, True], ["True", "False", "True"]),
        (["b", "a", "b"], [" b", "a", "b "]),
    ],
)
def test_a_level_is_what_it_says_however_it_is_stored(cells, others):
    first, second = (pd.DataFrame({"a": pd.Categorical(each)}) for each in (cells, others))
    categories = Categories.of(first)
    np.testing.assert_array_equal(categories.encoded(first), categories.encoded(second))


def test_intervals_and_names_that_come_twice():
    table = pd.concat([pd.DataFrame({"a": pd.cut([1.0, 5.0, 9.0], 3)}), pd.DataFrame({"a": [1.5, 2.5, 3.5]})], axis=1)
    np.testing.assert_array_equal(Categories.of(table).encoded(table), [[0, 1.5], [1, 2.5], [2, 3.5]])


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["m", "f", *WARDS[::-1]])])
def test_pandas_and_polars_have_the_same_numbers(dtype):
    polars = as_polars(TABLE, dtype)
    categories = Categories.of(TABLE)
    again = Categories.of(polars)
    assert categories.columns == again.columns
    np.testing.assert_array_equal(again.encoded(polars).to_numpy(), categories.encoded(TABLE).to_numpy())


def test_too_many_levels_are_refused():
    table = pd.DataFrame({"code": pd.Categorical(np.arange(1001)), "age": 1.0})
    with pytest.raises(ValueError, match=r"'code' with 1,001: group them first, or leave") as caught:
        BlindAUCClassifier(shape="trees").fit(table, np.arange(1001) < 50)
    assert "\n" not in str(caught.value)


# --- the text ---


CODES = np.column_stack(
    [np.arange(400) % 40, np.random.default_rng(0).normal(size=400), np.arange(400) % 3, np.arange(400) % 2]
).astype(float)
CODES[::11, 0] = np.nan


def native_booster():
    options = {"verbosity": -1, "min_data_per_group": 1, "cat_smooth": 1, "min_data_in_leaf": 1, "num_threads": 1}
    dataset = lightgbm.Dataset(CODES, params=options, categorical_feature=[0, 2])
    booster = lightgbm.Booster({"objective": "none", "num_leaves": 6, **options}, dataset)
    target = np.sin(7 * np.nan_to_num(CODES[:, 0])) + CODES[:, 1] * (CODES[:, 2] == 1)
    for _ in range(5):
        booster.update(fobj=lambda scores, _: (scores - target, np.ones_like(scores)))
    return booster


NATIVE = native_booster()
TEXT = NATIVE.model_to_string()


def rows_to_score(n_rows=300):
    """With what is missing, and categories that no fit has seen."""
    rng = np.random.default_rng(5)
    X = np.column_stack(
        [rng.integers(0, 70, n_rows), rng.normal(size=n_rows), rng.integers(0, 5, n_rows), rng.integers(0, 2, n_rows)]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def test_what_is_written_scores_as_what_lightgbm_wrote():
    model, X = TreeModel.of(tree_text.read(TEXT, 4), 4), rows_to_score()
    assert "num_cat=0" not in TEXT.split("Tree=1")[0]
    np.testing.assert_array_equal(model.scores(X), NATIVE.predict(X))
    np.testing.assert_allclose(model.contributions(X), NATIVE.predict(X, pred_contrib=True)[:, :-1], atol=1e-12)
    assert tree_text.written(tree_text.read(model.text, 4), 4) == model.text


def walked(tree, row):
    """The value of the leaf that a row comes to, node by node."""
    node = 0
    while node >= 0:
        node = int((tree.left if tree.goes_left(node, row[tree.feature[node]]) else tree.right)[node])
    return tree.leaf_value[~node]


def test_a_row_goes_where_lightgbm_sends_it():
    X = rows_to_score(60)
    scores = [sum(walked(tree, row) for tree in tree_text.read(TEXT, 4)) for row in X]
    np.testing.assert_allclose(scores, NATIVE.predict(X), atol=1e-12)


@pytest.mark.parametrize("value", [np.nan, 0.0, 7.0, 39.0, 64.0])
def test_pruned_trees_are_those_with_fixed_categories(value):
    X, held = rows_to_score(), np.array([True, False, False, False])
    pruned = [tree.pruned(held, np.full(4, value)) for tree in tree_text.read(TEXT, 4)]
    fewer = TreeModel.of(pruned, 4)
    np.testing.assert_allclose(fewer.scores(X), NATIVE.predict(np.where(held, value, X)), atol=1e-12)
    assert not fewer.columns[0]


def test_restricted_models_hold_other_columns_at_their_commonest_category():
    data = as_data(CODES, np.arange(400) < 100)._replace(is_category=np.array([True, False, True, False]))
    model = TreeModel.of(tree_text.read(TEXT, 4), 4)
    data.X[:30, 0] = 17.0
    held = CODES.copy()
    held[:, 0] = 17.0
    fewer = model.restricted(np.array([False, True, True, True]), data)
    np.testing.assert_allclose(fewer.scores(CODES), model.scores(held), atol=1e-12)


def edited(**changes):
    """A tree of four leaves with two splits by categories, and what is wrong with it."""
    fields = {
        "num_leaves": "4", "num_cat": "2", "split_feature": "0 1 0", "threshold": "0 0.5 1", "decision_type": "9 2 1",
        "left_child": "1 -1 -2", "right_child": "2 -3 -4", "leaf_value": "1 2 3 4", "leaf_count": "5 5 5 5",
        "cat_boundaries": "0 1 3", "cat_threshold": "5 0 4294967295", "is_linear": "0",
    } | changes  # fmt: skip
    header = tree_text.written([], 2).split("Tree=0")[0]
    return header + "Tree=0\n" + "\n".join(f"{k}={v}" for k, v in fields.items()) + "\n\nend of trees\n"


def test_the_tree_that_is_edited_is_right():
    (tree,) = tree_text.read(edited(), 2)
    assert [levels_in(each).tolist() for each in tree.bitsets] == [[0, 2], list(range(32, 64))]
    X = np.array([[2.0, 0.0], [2.0, 1.0], [40.0, 0.0], [31.0, 0.0], [np.nan, 0.0], [64.0, 0.0]])
    assert TreeModel(edited(), 2).scores(X).tolist() == [1.0, 3.0, 2.0, 4.0, 4.0, 4.0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"num_cat": "1"}, "num_cat is not the number of splits by categories"),
        ({"num_cat": "-1"}, "num_cat holds a number out of range"),
        ({"num_cat": "two"}, "num_cat holds something that is not a number"),
        ({"decision_type": "0 2 0"}, "num_cat is not the number of splits by categories"),
        ({"decision_type": "9 2 0", "num_cat": "1"}, "splits a column of categories as one of numbers"),
        ({"decision_type": "9 2 3"}, "decision_type holds an unknown kind of split"),
        ({"cat_boundaries": "0 1"}, "cat_boundaries holds too many or too few numbers"),
        ({"cat_boundaries": "1 2 3"}, "cat_boundaries are not those of bitsets"),
        ({"cat_boundaries": "0 2 1"}, "cat_boundaries are not those of bitsets"),
        ({"cat_boundaries": "0 0 3"}, "cat_boundaries are not those of bitsets"),
        ({"cat_boundaries": "0 1 -3"}, "cat_boundaries holds a number out of range"),
        ({"cat_boundaries": "0 1 1e9"}, "cat_boundaries are not those of bitsets"),
        ({"cat_boundaries": "0 1 9"}, "cat_threshold holds too many or too few numbers"),
        ({"cat_threshold": "5 0"}, "cat_threshold holds too many or too few numbers"),
        ({"cat_threshold": "5 0 4294967296"}, "cat_threshold holds a number out of range"),
        ({"cat_threshold": "5 -1 7"}, "cat_threshold holds a number out of range"),
        ({"cat_threshold": "5 0.5 7"}, "cat_threshold holds a number that is not whole"),
        ({"threshold": "0 0.5 2"}, "threshold is not the place of a bitset"),
        ({"threshold": "1 0.5 0"}, "threshold is not the place of a bitset"),
        ({"threshold": "0.5 0.5 1"}, "threshold is not the place of a bitset"),
    ],
)
def test_edited_bitsets_are_refused(changes, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        tree_text.check(edited(**changes), 2)
    assert "\n" not in str(caught.value)


def test_a_bitset_longer_than_any_column_is_refused():
    words = " ".join(["1"] * (tree_text.MAX_WORDS + 1))
    with pytest.raises(ValueError, match="cat_boundaries are not those of bitsets"):
        tree_text.check(edited(cat_boundaries=f"0 1 {tree_text.MAX_WORDS + 2}", cat_threshold=f"5 {words}"), 2)


def test_no_text_that_passes_crashes_lightgbm():
    passed, refused = fuzz(0, 300, TreeModel.of(tree_text.read(TEXT, 4), 4).text, n_columns=4)
    assert passed > 10
    assert refused > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 3))
def test_no_text_of_many_that_passes_crashes_lightgbm(seed):
    passed, refused = fuzz(seed, 5000, TreeModel.of(tree_text.read(TEXT, 4), 4).text, n_columns=4)
    assert passed > 100
    assert refused > 100


# --- fits ---


def auc_of(estimator, table, new):
    return roc_auc_score(NEW_TRUTH, clone(estimator).fit(table, Y).decision_function(new))


def test_a_category_that_matters_is_found_better_than_by_its_numbers(model):
    def as_numbers(table):
        return table.assign(ward=table["ward"].cat.codes.astype(float), sex=table["sex"].cat.codes.astype(float))

    numbers = auc_of(BlindAUCClassifier(shape="trees", n_rounds=20), as_numbers(TABLE), as_numbers(NEW))
    assert roc_auc_score(NEW_TRUTH, model.decision_function(NEW)) > numbers + 0.02
    assert model.importance_.argmax() == 0


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_levels_does_not_matter(model, seed):
    order = np.random.default_rng(seed).permutation([*WARDS, "w99"])
    permuted = TABLE.assign(ward=TABLE["ward"].cat.set_categories(order))
    again = BlindAUCClassifier(shape="trees", n_rounds=20).fit(permuted, Y)
    np.testing.assert_array_equal(again.decision_function(NEW), model.decision_function(NEW))
    np.testing.assert_array_equal(model.decision_function(NEW.assign(ward=NEW["ward"].cat.set_categories(order))),
                                  model.decision_function(NEW))  # fmt: skip


def test_polars_tables_are_fitted_and_scored_alike(model):
    again = BlindAUCClassifier(shape="trees", n_rounds=20).fit(as_polars(TABLE), Y)
    np.testing.assert_array_equal(again.decision_function(as_polars(NEW)), model.decision_function(NEW))
    np.testing.assert_array_equal(model.decision_function(as_polars(NEW)), model.decision_function(NEW))


def test_a_category_that_was_not_there_counts_as_missing(model):
    unseen = NEW.assign(ward=pd.Categorical(["w99"] * len(NEW)))
    missing = NEW.assign(ward=pd.Categorical([None] * len(NEW), categories=["w01"]))
    np.testing.assert_array_equal(model.decision_function(unseen), model.decision_function(missing))
    assert len(set(model.decision_function(unseen))) > 1


@pytest.mark.parametrize(
    "table",
    [TABLE[["ward"]], TABLE[["ward", "sex"]], TABLE.assign(age=np.where(TABLE["age"] > 1, np.nan, TABLE["age"]))],
    ids=["one category", "categories alone", "missing numbers"],
)
def test_tables_of_categories_and_of_missing_numbers(table):
    fitted = BlindAUCClassifier(shape="trees", n_rounds=5).fit(table, Y)
    scores = fitted.decision_function(table)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(fitted.reasons(table).sum(axis=1), scores, atol=1e-9)


@pytest.mark.parametrize("cells", [["a"] * 600, [None] * 600], ids=["one level", "none"])
def test_a_category_that_says_nothing_gives_a_score_of_nothing(cells):
    table = pd.DataFrame({"a": pd.Categorical(cells)})
    fitted = BlindAUCClassifier(shape="trees", n_rounds=5).fit(table, Y)
    assert len(set(fitted.decision_function(table))) == 1


def test_numbers_that_are_float32_stay_so():
    table = TABLE.assign(age=TABLE["age"].astype(np.float32))
    assert reading.learnt_categories(BlindAUCClassifier(shape="trees"), table).to_numpy().dtype == np.float32


# --- what can be asked of a fit ---


def test_effects_are_by_the_names_of_levels(model):
    ward, age, sex = model.effects_
    assert ward.levels == tuple(WARDS)
    assert sex.levels == ("f", "m")
    assert age.levels == ()
    assert np.corrcoef(ward.contribution, EFFECT)[0, 1] > 0.8
    assert abs(ward.share @ ward.contribution) < 1e-12
    assert ward.share.sum() == pytest.approx(1.0)
    assert ward.size == ward.weight > 5 * sex.size
    assert ((ward.low < ward.contribution) & (ward.contribution < ward.high)).all()
    np.testing.assert_array_equal(ward.at(["w03", "w99"]), [ward.contribution[3], np.nan])
    assert bends(ward) == 1.0
    highest, lowest = WARDS[ward.contribution.argmax()], WARDS[ward.contribution.argmin()]
    words = f"The score is highest where ward is {highest} and lowest where it is {lowest}."
    assert shape_in_words(ward, "ward") == words


def test_the_effect_of_a_level_is_the_mean_over_rows_moved_to_it(model):
    """By partial dependence over the reference rows, here all unlabelled ones."""
    ward, unlabelled = model.effects_[0], TABLE[~Y]
    means = np.array([model.decision_function(unlabelled.assign(ward=pd.Categorical([name] * len(unlabelled)))).mean()
                      for name in WARDS])  # fmt: skip
    # The reference rows are 300 of these.
    assert np.corrcoef(means, ward.contribution)[0, 1] > 0.999


def test_effects_are_packed_with_their_levels(model):
    for effect, again in zip(model.effects_, unpacked(packed(model.effects_)), strict=True):
        assert again.levels == effect.levels
        np.testing.assert_array_equal(again.contribution, effect.contribution)
    assert "levels" not in packed(model.effects_[1:2])


def test_reasons_add_up_and_interactions_are_found(model):
    reasons = model.reasons(NEW)
    np.testing.assert_allclose(reasons.sum(axis=1), model.decision_function(NEW), atol=1e-9)
    assert np.abs(reasons[:, :-1]).mean(axis=0).argmax() == 0
    assert {0} < {column for pair in model.interactions() for column in pair.columns}


def test_a_search_over_a_table_with_categories_tries_trees_alone(searched):
    assert searched.shapes_ == {"trees": 1.0}
    assert len(searched.baselines_) == 2
    assert roc_auc_score(NEW_TRUTH, searched.decision_function(NEW)) > 0.8
    # Simpler methods see the wards as columns of 0 and 1, and are no worse than chance.
    assert all(baseline.score > 0.6 for baseline in searched.baselines_)
    np.testing.assert_allclose(searched.reasons(NEW).sum(axis=1), searched.decision_function(NEW), atol=1e-9)
    assert searched.best_estimator_.decision_function(NEW).shape == (len(NEW),)
    assert "ward" in searched._repr_html_()
    assert "trees" in searched.summary().lower()


def test_columns_are_named_and_selected_as_everywhere(model):
    assert model.get_feature_names_out().tolist() == TABLE.columns[model.support_].tolist()
    kept = clone(model).set_output(transform="pandas").fit(TABLE, Y).transform(NEW)
    assert kept["ward"].dtype == "category"
    assert np.isnan(model.spread_).tolist() == [True, False, True]


def test_rows_with_leverage_are_found_among_the_numbers():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(600, 6)), columns=list("abcdef")).assign(ward=TABLE["ward"])
    far = np.flatnonzero(Y)[:2]
    table.iloc[far, :6] = 50.0
    fitted = BlindAUCClassifier(shape="trees", n_rounds=5, calibrate=False).fit(table, Y)
    assert set(far) <= set(fitted.outliers_)
    assert fitted.leverage_.max() == 6


@pytest.mark.parametrize("Estimator", [PUErrorClassifier, PUErrorClassifierCV])
def test_the_pu_error_takes_categories(Estimator):
    params = {"n_rounds": 20} if Estimator is PUErrorClassifier else FEW
    fitted = Estimator(shape="trees", **params).fit(TABLE, Y)
    assert roc_auc_score(NEW_TRUTH, fitted.decision_function(NEW)) > 0.75


# --- model files ---


def test_models_come_back_from_files(model, tmp_path):
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(as_polars(NEW)), model.decision_function(NEW))
    assert again.effects_[0].levels == tuple(WARDS)
    np.testing.assert_array_equal(again.reasons(NEW), model.reasons(NEW))


def levels_replaced(content, old, new):
    """A model file in which the levels of a column are others."""
    members, found = members_of(content), 0
    arrays = {name: np.load(io.BytesIO(members[name]), allow_pickle=False) for name in members if name.endswith(".npy")}
    for name in [name for name, array in arrays.items() if array.tolist() == list(old)]:
        stream = io.BytesIO()
        np.save(stream, new, allow_pickle=False)
        members[name], found = stream.getvalue(), found + 1
    assert found
    return forged(members)


@pytest.mark.parametrize(
    "levels",
    [WARDS[:3], np.zeros(0, dtype="<U1"), np.arange(12.0), np.full(12, "w00")],
    ids=["few", "none", "numbers", "one"],
)
def test_levels_that_do_not_go_with_the_trees_are_refused(model, tmp_path, levels):
    path = tmp_path / "model.skops"
    save(clone(model).set_params(calibrate=False).fit(TABLE, Y), path)
    path.write_bytes(levels_replaced(path.read_bytes(), WARDS, levels))
    with pytest.raises(ModelFileError, match=r"cannot be used\. The trees .* do not match its categories") as caught:
        load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"), [("decision_type=9", "decision_type=1"), ("cat_boundaries=0 1", "cat_boundaries=0 9")]
)
def test_forged_texts_are_refused_or_do_no_harm(model, tmp_path, old, new):
    path = tmp_path / "model.skops"
    save(clone(model).set_params(calibrate=False).fit(TABLE, Y), path)
    members = members_of(path.read_bytes())
    schema = members["schema.json"].decode()
    assert old in schema
    path.write_bytes(forged(members | {"schema.json": schema.replace(old, new, 1).encode()}))
    if "boundaries" in new:
        with pytest.raises(ModelFileError, match="cat_") as caught:
            load(path)
        assert "\n" not in str(caught.value)
    else:
        assert np.isfinite(load(path).decision_function(NEW)).all()


def test_categories_that_are_no_categories_are_refused(model, tmp_path):
    path = tmp_path / "model.skops"
    save(clone(model).set_params(calibrate=False).fit(TABLE, Y), path)
    members = members_of(path.read_bytes())
    schema = json.loads(members["schema.json"])
    schema["content"]["content"]["categories_"] = schema["content"]["content"]["n_features_in_"]
    path.write_bytes(forged(members | {"schema.json": json.dumps(schema).encode()}))
    with pytest.raises(ModelFileError) as caught:
        load(path)
    assert "\n" not in str(caught.value)


# --- what cannot be done ---


@pytest.mark.parametrize(
    ("estimator", "line"),
    [
        (BlindAUCClassifier(), "The column 'ward' of X holds categories, which shape=\"linear\" cannot take"),
        (PUErrorClassifier(shape="kernel", prior=0.2), 'which shape="kernel" cannot take'),
        (BlindAUCClassifierCV(shape=["trees", "curves"]), 'which shape="curves" cannot take'),
        (BiasedSVM(), "which BiasedSVM cannot take"),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("table", [TABLE, as_polars(TABLE)], ids=["pandas", "polars"])
def test_what_takes_no_categories_says_so_in_one_line(estimator, line, table):
    with pytest.raises(ValueError, match="make_preprocessor") as caught:
        clone(estimator).fit(table, Y)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_lightgbm_a_search_says_what_to_install(monkeypatch):
    monkeypatch.setattr(reading, "is_installed", lambda: False)
    with pytest.raises(ValueError, match=r"'ward' .* trees alone can take: .*pip install 'blindauc\[trees\]'"):
        BlindAUCClassifierCV().fit(TABLE, Y)


@pytest.mark.parametrize(
    ("params", "line"),
    [({"n_features_to_select": 2}, "selects no columns"), ({"groups": [0, 0, 1], "sparsity": "group_l0"}, "groups")],
)
def test_a_search_that_trees_cannot_make_is_refused(params, line):
    with pytest.raises(ValueError, match=line):
        BlindAUCClassifierCV(**params).fit(TABLE, Y)


def test_text_stays_refused():
    table = TABLE.assign(name="x")
    with pytest.raises(ValueError, match="1 column that is not numeric, 'name'"):
        BlindAUCClassifier(shape="trees").fit(table, Y)


@pytest.mark.parametrize(
    ("new", "line"),
    [
        (NEW.assign(ward=NEW["ward"].astype(str)), r"'ward' of X held categories in the fit .* X\.astype\(\{'ward'"),
        (NEW.assign(ward=1.0), "'ward' of X held categories in the fit"),
        (NEW.assign(age=pd.Categorical(["a"] * len(NEW))), "'age' of X holds categories, and held numbers in the fit"),
        (Categories.of(NEW).encoded(NEW).to_numpy(), "fitted to a table in which the column 'ward' holds categories"),
        (NEW[["age", "ward", "sex"]], "same order"),
        (NEW[["age", "sex"]], "ward"),
        (NEW.assign(age=np.inf), "infinity"),
    ],
    ids=["text", "numbers", "category", "array", "order", "fewer", "infinity"],
)
@pytest.mark.parametrize("ask", ["decision_function", "reasons", "transform"])
def test_new_rows_that_are_not_those_of_the_fit_get_one_line(model, new, line, ask):
    with pytest.raises(ValueError, match=line):
        getattr(model, ask)(new)


def test_categories_where_a_model_has_none():
    numbers = BlindAUCClassifier(shape="trees", n_rounds=5, calibrate=False).fit(TABLE[["age"]], Y)
    with pytest.raises(ValueError, match="'age' of X holds categories, and held numbers in the fit"):
        numbers.decision_function(pd.DataFrame({"age": pd.Categorical([1, 2])}))


def test_rows_that_are_not_in_memory_are_refused(model):
    frame = pytest.importorskip("dask.dataframe").from_pandas(NEW, npartitions=2)
    with pytest.raises(ValueError, match="worked out in memory"):
        model.decision_function(frame)


def test_a_fit_that_fails_leaves_the_categories_as_they_were():
    fitted = BlindAUCClassifier(shape="trees", n_rounds=2, calibrate=False).fit(TABLE, Y)
    with pytest.raises(ValueError, match="y"):
        fitted.fit(NEW[["sex"]])
    assert fitted.categories_.columns == (0, 2)
    assert not hasattr(fitted.fit(TABLE[["age"]], Y), "categories_")
