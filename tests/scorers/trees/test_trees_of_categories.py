"""Trees that split by categories: their text is read, scored, pruned and checked as that of other trees."""

import numpy as np
import pytest
from instances import as_data
from tree_fuzz import fuzz

from blindauc.scorers import tree_text
from blindauc.scorers.forest import TreeModel
from blindauc.scorers.tree import levels_in

lightgbm = pytest.importorskip("lightgbm")

pytestmark = pytest.mark.usefixtures("few_mixtures")

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
