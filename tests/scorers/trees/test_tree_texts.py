"""The text that keeps trees scores as LightGBM does; tampered and edited texts are refused."""

import numpy as np
import pytest
from instances import as_data
from tree_data import DATA
from tree_fuzz import fuzz

from blindauc.scorers import tree_text
from blindauc.scorers.tree import Tree
from blindauc.scorers.trees import TreeModel

lightgbm = pytest.importorskip("lightgbm")


def native_booster():
    booster = lightgbm.Booster(
        {"objective": "none", "num_leaves": 6, "verbosity": -1, "min_data_in_leaf": 1, "num_threads": 1},
        lightgbm.Dataset(DATA.X, params={"verbosity": -1}),
    )
    target = np.nan_to_num(DATA.X[:, 0]) * DATA.X[:, 1]
    for _ in range(5):
        booster.update(fobj=lambda scores, _: (scores - target, np.ones_like(scores)))
    return booster


NATIVE = native_booster()


def test_what_is_written_scores_as_what_lightgbm_wrote():
    trees = tree_text.read(NATIVE.model_to_string(), 5)
    model = TreeModel.of(trees, 5)
    X = np.random.default_rng(1).normal(size=(1000, 5))
    X[::3, 0] = X[::5, 1] = np.nan
    np.testing.assert_array_equal(model.scores(X), NATIVE.predict(X))
    np.testing.assert_allclose(model.contributions(X), NATIVE.predict(X, pred_contrib=True)[:, :-1], atol=1e-12)
    np.testing.assert_allclose(model.base, NATIVE.predict(X[:1], pred_contrib=True)[0, -1], atol=1e-12)
    assert tree_text.written(tree_text.read(model.text, 5), 5) == model.text


def test_pruned_trees_are_those_with_fixed_values():
    X = np.random.default_rng(2).normal(size=(200, 5))
    X[::4, 1] = np.nan
    for value in (np.nan, -0.7, 0.0, 0.9):
        held = np.array([True, False, True, False, False])
        fixed = np.where(held, value, X)
        pruned = [tree.pruned(held, np.full(5, value)) for tree in tree_text.read(NATIVE.model_to_string(), 5)]
        np.testing.assert_array_equal(TreeModel.of(pruned, 5).scores(X), NATIVE.predict(fixed))


def chain(n_leaves):
    """A tree as deep as may be: each node has a leaf on its left."""
    n_nodes = n_leaves - 1
    node = np.arange(n_nodes)
    return Tree(
        np.zeros(n_nodes, dtype=int), node / n_nodes, np.zeros(n_nodes, dtype=int), ~node,
        np.append(node[1:], -n_leaves), np.arange(float(n_leaves)), np.ones(n_leaves, dtype=int),
    )  # fmt: skip


def test_the_deepest_tree_is_read_and_a_deeper_one_refused():
    model = TreeModel.of([chain(tree_text.MAX_LEAVES)], 2)
    X = np.array([[0.5, 0.0], [2.0, 0.0]])
    assert model.scores(X)[1] == tree_text.MAX_LEAVES - 1
    np.testing.assert_allclose(model.contributions(X)[:, 0] + model.base, model.scores(X))
    pruned = model.restricted(np.array([False, True]), as_data(X, np.array([True, False])))
    assert len(set(pruned.scores(X))) == 1
    with pytest.raises(ValueError, match="num_leaves holds a number out of range"):
        TreeModel.of([chain(tree_text.MAX_LEAVES + 1)], 2).scores(X)


TEXT = NATIVE.model_to_string()
TAMPERED = {
    "not a text": (b"tree", "it is not ASCII text"),
    "letters": (TEXT.replace("tree", "tr\u00e9e", 1), "it is not ASCII text"),
    "empty": ("", "no line says 'end of trees'"),
    "cut": (TEXT[:800], "no line says 'end of trees'"),
    "another file": ("end of trees", "its first line is not 'tree'"),
    "no tree": (TEXT[: TEXT.index("Tree=0")] + "end of trees\n", "there is no tree"),
}
for _old, _new, _reason in (
    ("version=v4", "version=v9", "header: expected version=v4, got 'v9'"),
    ("num_class=1", "num_class=3", "header: expected num_class=1, got '3'"),
    ("max_feature_idx=4", "max_feature_idx=7", "header: expected max_feature_idx=4, got '7'"),
    ("max_feature_idx=4\n", "", "header: expected max_feature_idx=4, got 'nothing'"),
    ("label_index", "average_output\nlabel_index", "header: unexpected line 'average_output'"),
    ("label_index", "linear=1\nlabel_index", "header: unexpected 'linear'"),
    ("Tree=1\n", "Tree=2\n", "expected 'Tree=1', got 'Tree=2'"),
    ("num_cat=0", "num_cat=0\nnum_cat=0", "tree 0: unexpected line 'num_cat=0'"),
    ("num_cat=0", "num_cat=1", "tree 0: num_cat is not the number of splits by categories"),
    ("is_linear=0", "is_linear=1", "tree 0: expected is_linear=0"),
    ("is_linear=0", "is_linear=0\nleaf_const=1", "tree 0: unexpected 'leaf_const'"),
    ("num_leaves=6", "num_leaves=7", "tree 0: split_feature holds too many or too few numbers"),
    ("num_leaves=6", "num_leaves=0", "tree 0: num_leaves holds a number out of range"),
    ("num_leaves=6", "num_leaves=1e9", "tree 0: num_leaves holds a number out of range"),
    ("threshold=", "threshold=x", "threshold holds something that is not a number"),
    ("split_feature=", "split_feature=9", "tree 0: split_feature holds a number out of range"),
    ("split_feature=", "split_feature=.5", "tree 0: split_feature holds a number that is not whole"),
    ("leaf_count=", "ignored=", "tree 0: leaf_count holds too many or too few numbers"),
    ("decision_type=", "decision_type=1", "tree 0: decision_type holds an unknown kind of split"),
):
    TAMPERED[f"{_old.strip()} to {_new.strip()}"] = (TEXT.replace(_old, _new, 1), _reason)


def test_no_tampering_is_missing_its_target():
    assert all(text != TEXT for text, _ in TAMPERED.values())


@pytest.mark.parametrize("case", TAMPERED)
def test_a_tampered_text_gets_one_line(case):
    text, reason = TAMPERED[case]
    with pytest.raises(ValueError, match="LightGBM") as caught:
        tree_text.check(text, 5)
    line = str(caught.value)
    assert line.startswith("The LightGBM text in the model is damaged or was edited (")
    assert reason in line
    assert line.endswith("): get the model file again, or fit the model again.")
    assert "\n" not in line


def edited(**changes):
    """A tree of four leaves, and what is wrong with it."""
    fields = {
        "num_leaves": "4", "num_cat": "0", "split_feature": "0 1 0", "threshold": "0 1 2", "decision_type": "2 2 2",
        "left_child": "1 -1 -2", "right_child": "2 -3 -4", "leaf_value": "1 2 3 4", "leaf_count": "5 5 5 5",
        "is_linear": "0",
    } | changes  # fmt: skip
    header = tree_text.written([], 2).split("Tree=0")[0]
    return header + "Tree=0\n" + "\n".join(f"{k}={v}" for k, v in fields.items()) + "\n\nend of trees\n"


def test_the_tree_that_is_edited_is_right():
    tree_text.check(edited(), 2)
    tree_text.check(edited(left_child="-1 -2 -3", right_child="1 2 -4"), 2)


def test_leaves_without_rows_leave_contributions_finite():
    model = TreeModel(edited(leaf_count="0 0 0 7"), 2)
    X = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(model.contributions(X).sum(axis=1) + model.base, model.scores(X), atol=1e-12)


@pytest.mark.parametrize(
    "changes",
    [
        {"left_child": "0 -1 -2"},  # a node below itself
        {"left_child": "2 -1 -2", "right_child": "2 -3 -4"},  # a node with two parents
        {"left_child": "1 2 -2", "right_child": "-1 1 -4"},  # a circle
        {"left_child": "1 -1 -1"},  # a leaf with two parents
        {"right_child": "2 -3 -5"},  # a leaf that is not there
        {"right_child": "3 -3 -4"},  # a node that is not there
        {"right_child": "2 -3 99999999999999999999"},
        {"leaf_value": "1 2 3 1e200"},
        {"leaf_count": "2147483647 1 1 1"},
        {"leaf_value": "1 2 3 nan"},
        {"threshold": "0 inf 1"},
        {"decision_type": "2 2 3"},
        {"split_feature": "0 1 -1"},
    ],
)
def test_edited_trees_are_refused(changes):
    with pytest.raises(ValueError, match="tree 0: "):
        tree_text.check(edited(**changes), 2)


@pytest.mark.parametrize(
    "text", [TEXT[: TEXT.index("feature_importances")], TreeModel.of(tree_text.read(TEXT, 5), 5).text]
)
def test_no_text_that_passes_crashes_lightgbm(text):
    """In a process of its own, since that is what a crash would end."""
    passed, refused = fuzz(0, 150, text)
    assert passed > 10
    assert refused > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_no_text_of_many_that_passes_crashes_lightgbm(seed):
    passed, refused = fuzz(seed, 5000, TreeModel.of(tree_text.read(TEXT, 5), 5).text)
    assert passed > 100
    assert refused > 100
