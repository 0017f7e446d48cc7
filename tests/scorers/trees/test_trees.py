"""Trees: the gradient that they are boosted by, the fits, the scores, and the text that keeps them."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from instances import PRIOR, RISKS, RISKS_OF_LOSS, SMOOTH_RISKS, as_data, as_matrix, numerical_jacobian

from blindauc.losses import Logistic
from blindauc.risks import BlindAUCRisk, NonnegativePURisk
from blindauc.scorers import tree_text
from blindauc.scorers.boosting import RowRisk, is_installed
from blindauc.scorers.node_risk import NODE_STEP, NodeRisk
from blindauc.scorers.spec import Spec
from blindauc.scorers.tree import Tree
from blindauc.scorers.trees import TreeModel, TreeScorer

lightgbm = pytest.importorskip("lightgbm")


def make_rows(n_rows=400, n_columns=5, seed=0, missing=0.1):
    """Positives where two columns have the same sign; the last column is constant, some values are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    is_positive = (X[:, 0] * X[:, 1] > 0) & (rng.random(n_rows) < 0.4)
    X[rng.random(n_rows) < missing, 0] = np.nan
    X[:, -1] = 1.0
    return as_data(X, is_positive)


DATA = make_rows()
UNLABELLED = ~DATA.is_positive
SCORER = TreeScorer(RISKS_OF_LOSS["blind AUC"])


def spec_of(n_leaves=4, n_rounds=10, l2=1.0, n_outliers=0.0, loss="logistic"):
    return Spec("none", loss, l2, n_outliers, None, "trees", n_leaves=n_leaves, n_rounds=n_rounds)


SPECS = [
    spec_of(n_leaves, n_rounds, l2, share)
    for n_leaves, l2, share in ((2, 1.0, 0.0), (4, 10.0, 0.2), (4, 1.0, 0.0))
    for n_rounds in (20, 5)
]


@pytest.fixture(scope="module")
def models():
    return SCORER.path(DATA, SPECS)


@pytest.fixture(scope="module")
def model(models):
    return models.average(np.linspace(0.1, 0.4, len(SPECS)))


# --- what is boosted ---


def scores_and_kinds(n_rows=24, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n_rows), np.arange(n_rows) % 3 == 0, rng.uniform(0.5, 2.0, n_rows)


@pytest.mark.parametrize("name", SMOOTH_RISKS)
def test_the_gradient_is_that_of_the_value(name):
    scores, is_positive, weight = scores_and_kinds()
    of_rows = RowRisk(SMOOTH_RISKS[name].risk, is_positive, weight)
    gradient, _ = of_rows(scores)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, numerical_jacobian(of_rows.value, scores), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in SMOOTH_RISKS if name.startswith("auc_")])
def test_the_value_is_the_risk_in_units_of_the_curvature_of_a_positive(name):
    scores, is_positive, weight = scores_and_kinds()
    p, q = weight[is_positive] / weight[is_positive].sum(), weight[~is_positive] / weight[~is_positive].sum()
    plain = RISKS[name].plain(scores[is_positive], scores[~is_positive], p, q)
    in_units = weight[is_positive].sum() * plain / (2 * RISKS[name].risk.loss.max_curvature)
    assert RowRisk(RISKS[name].risk, is_positive, weight).value(scores) == pytest.approx(in_units, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in SMOOTH_RISKS if "nonnegative" not in name])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_at_least_the_hessian(name, seed):
    scores, is_positive, weight = scores_and_kinds(seed=seed)
    risk, of_rows = SMOOTH_RISKS[name].risk, RowRisk(SMOOTH_RISKS[name].risk, is_positive, weight)
    p, q = weight[is_positive] / weight[is_positive].sum(), weight[~is_positive] / weight[~is_positive].sum()
    _, bound = of_rows(scores)
    bound = np.append(bound[is_positive], bound[~is_positive]).astype(np.float64)
    shifted = scores + of_rows._intercept
    hessian = of_rows._scale * as_matrix(risk.hessian(shifted[is_positive], shifted[~is_positive], p, q))
    lowest = np.linalg.eigvalsh(np.diag(bound) - hessian).min()
    assert lowest > -1e-6 * bound.max()


def test_half_the_bound_is_not():
    """At zero, where the logistic loss bends most: two scores that move apart feel all of it."""
    of_rows = RowRisk(BlindAUCRisk(Logistic()), np.array([True, False]), np.ones(2))
    hessian = of_rows._scale * as_matrix(BlindAUCRisk(Logistic()).hessian(*np.zeros((2, 1)), *np.ones((2, 1))))
    _, bound = of_rows(np.zeros(2))
    assert np.linalg.eigvalsh(np.diag(bound) - hessian).min() == pytest.approx(0.0, abs=1e-7)


def test_rows_without_weight_have_no_part():
    scores, is_positive, weight = scores_and_kinds()
    weight[:6] = 0.0
    gradient, bound = RowRisk(BlindAUCRisk(Logistic()), is_positive, weight)(scores)
    rest, rest_bound = RowRisk(BlindAUCRisk(Logistic()), is_positive[6:], weight[6:])(scores[6:])
    assert not gradient[:6].any()
    assert not bound[:6].any()
    np.testing.assert_allclose(gradient[6:], rest, rtol=1e-6)
    np.testing.assert_allclose(bound[6:], rest_bound, rtol=1e-6)


@pytest.mark.parametrize(
    ("risk", "far"),
    [(BlindAUCRisk(Logistic()), 0.0), (BlindAUCRisk(Logistic()), 1e6), (NonnegativePURisk.of(Logistic(), PRIOR), 0.0)],
)
def test_nodes_are_right_to_single_precision(risk, far):
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 1, 300) + far, np.append(rng.uniform(-2, 2, 60_000), np.arange(-2, 2, NODE_STEP)) + far
    p, q = rng.uniform(0, 1, len(a)), rng.uniform(0, 1, len(b))
    q[::7] = 0.0
    p, q = p / p.sum(), q / q.sum()
    exact, found = risk(a, b, p, q), NodeRisk(risk)(a, b, p, q)
    assert found.by_unl.tobytes() != exact.by_unl.tobytes()
    assert found.value == pytest.approx(exact.value, abs=1e-7)
    np.testing.assert_allclose(found.by_pos, exact.by_pos, rtol=0, atol=5e-8 * p.max())
    np.testing.assert_allclose(found.by_unl, exact.by_unl, rtol=0, atol=5e-8 * q.max())


@pytest.mark.parametrize("name", RISKS)
def test_few_scores_need_no_nodes(name):
    rng = np.random.default_rng(0)
    a, b, p, q = rng.normal(size=20), rng.normal(size=40), np.full(20, 0.05), np.full(40, 0.025)
    exact, found = RISKS[name].risk(a, b, p, q), NodeRisk(RISKS[name].risk)(a, b, p, q)
    np.testing.assert_array_equal(found.by_unl, exact.by_unl)


# --- fits ---


def values_by_round(risk, loss):
    rounds, of_loss = [1, 2, 4, 8, 16, 32], RISKS_OF_LOSS[risk]
    models = TreeScorer(of_loss).path(DATA, [spec_of(4, n_rounds, loss=loss) for n_rounds in rounds])
    of_rows = RowRisk(of_loss(loss), DATA.is_positive, DATA.weight)
    raw = models.scores(DATA.X) / [each.scale for each in models.boosted]
    return [of_rows.value(scores) for scores in (np.zeros(len(DATA.row)), *raw.T)]


@pytest.mark.parametrize("risk", RISKS_OF_LOSS)
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_every_round_lowers_the_objective(risk, loss):
    """A step to the minimum of a bound lowers what is bounded, and so does a tenth of it."""
    assert np.all(np.diff(values_by_round(risk, loss)) < 0)


@pytest.mark.parametrize("risk", [name for name in RISKS_OF_LOSS if name != "paper"])
@pytest.mark.parametrize("loss", ["sigmoid", "hinge"])
def test_losses_that_are_not_convex_or_have_a_kink_are_lowered(risk, loss):
    """The paper's risk is not among them: with such a loss it gives up one side, and a constant score is best."""
    values = values_by_round(risk, loss)
    assert values[-1] < values[0]


def test_the_scores_have_a_spread_of_one_and_the_outliers_are_as_many_as_asked_for(models):
    scores = models.scores(DATA.X)
    assert scores.shape == (len(DATA.row), len(SPECS))
    np.testing.assert_allclose(scores[UNLABELLED].std(axis=0), 1.0)
    n_pos = DATA.is_positive.sum()
    assert models.outliers.sum(axis=1).tolist() == [round(spec.n_outliers * n_pos) for spec in SPECS]
    assert models.columns.shape == (len(SPECS), DATA.X.shape[1])
    assert not models.columns[:, -1].any()


def test_the_order_of_specs_and_their_company_do_not_matter(models):
    order = np.random.default_rng(0).permutation(len(SPECS))
    shuffled = SCORER.path(DATA, [SPECS[k] for k in order])
    np.testing.assert_allclose(shuffled.scores(DATA.X), models.scores(DATA.X)[:, order], rtol=1e-12)
    for k, spec in enumerate(SPECS):
        alone = SCORER.path(DATA, [spec])
        np.testing.assert_allclose(alone.scores(DATA.X)[:, 0], models.scores(DATA.X)[:, k], rtol=1e-12)
        np.testing.assert_array_equal(alone.outliers[0], models.outliers[k])


def test_a_product_of_columns_is_found_by_trees_and_not_by_stumps():
    data, fresh = make_rows(2000, missing=0.0), make_rows(2000, seed=1, missing=0.0)
    models = SCORER.path(data, [spec_of(2, 60), spec_of(8, 60)])
    same_sign = fresh.X[:, 0] * fresh.X[:, 1] > 0
    apart = [column[same_sign].mean() - column[~same_sign].mean() for column in models.scores(fresh.X).T]
    assert apart[0] < 0.3
    assert apart[1] > 1.0


@pytest.mark.parametrize("store", [sp.csr_array, sp.csc_matrix, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_every_container_gives_the_same_scores(store):
    X = np.where(np.abs(DATA.X) < 0.3, 0.0, DATA.X).astype(np.float32).astype(np.float64)
    data, stored = (as_data(each, DATA.is_positive) for each in (X, store(X)))
    one, other = SCORER.path(data, SPECS[:4]), SCORER.path(stored, SPECS[:4])
    np.testing.assert_allclose(other.scores(stored.X), one.scores(X), rtol=1e-9)
    weight = np.full(4, 0.25)
    np.testing.assert_allclose(
        other.average(weight).contributions(stored.X), one.average(weight).contributions(X), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("n_leaves", "weight"),
    [
        (2, np.random.default_rng(0).integers(1, 4, len(DATA.row))),
        # LightGBM draws thresholds first for the leaf that has fewer rows: only if all count the same, so do leaves.
        (8, np.full(len(DATA.row), 2)),
    ],
)
def test_a_row_of_weight_two_is_two_rows(n_leaves, weight):
    X = np.round(DATA.X, 1)  # at most 255 values: else bins are placed by how many rows there are
    weighted = as_data(X, DATA.is_positive, weight)
    repeated = as_data(X.repeat(weight, axis=0), DATA.is_positive.repeat(weight))
    specs = [spec_of(n_leaves, n_rounds) for n_rounds in (5, 30)]
    one, other = (SCORER.path(data, specs).scores(X) for data in (weighted, repeated))
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_weights_that_are_not_whole_are_relative():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(DATA.row))
    one, other = (SCORER.path(as_data(DATA.X, DATA.is_positive, w), SPECS[:2]) for w in (weight, 10.5 * weight))
    np.testing.assert_allclose(one.scores(DATA.X), other.scores(DATA.X), rtol=1e-5, atol=1e-5)


def test_equal_rows_have_equal_scores_wherever_they_stand(model, models):
    order = np.random.default_rng(0).permutation(len(DATA.row))
    for scores in (model.scores, models.scores):
        np.testing.assert_array_equal(scores(DATA.X[order]), scores(DATA.X)[order])
        np.testing.assert_array_equal(scores(DATA.X[:7]), scores(DATA.X)[:7])


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_columns_that_say_nothing_give_a_score_of_nothing(value):
    data = as_data(np.full((60, 2), value), np.arange(60) < 20)
    models = SCORER.path(data, [spec_of(n_outliers=share) for share in (0.0, 0.1)])
    assert not models.scores(data.X).any()
    assert not models.columns.any()


def far_rows(seed):
    """Positives about 1, unlabelled about 0, and a tenth of the labels on rows about -2, in each of four columns."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(1, 1, (90, 4)), rng.normal(-2, 1, (10, 4)), rng.normal(0, 1, (400, 4))])
    return as_data(X, np.arange(500) < 100), np.arange(100) >= 90


@pytest.mark.parametrize("seed", range(3))
def test_far_outliers_are_left_out(seed):
    data, wrong = far_rows(seed)
    (outliers,) = SCORER.path(data, [spec_of(8, 30, n_outliers=0.1)]).outliers
    assert outliers.sum() == 10
    assert outliers[wrong].sum() >= 8


def test_what_is_left_out_is_not_learnt_from():
    data, _ = far_rows(0)
    (outliers,) = SCORER.path(data, [spec_of(n_outliers=0.1)]).outliers
    kept = np.ones(500, dtype=bool)
    kept[:100] = ~outliers
    with_all, without = SCORER.path(data, [spec_of(n_outliers=0.1)]), SCORER.path(data.subset(kept), [spec_of()])
    # The bins differ by those of ten rows.
    correlation = np.corrcoef(with_all.scores(data.X)[:, 0], without.scores(data.X)[:, 0])[0, 1]
    assert correlation > 0.95


def test_time_does_not_keep_early_positives_from_being_ranked():
    data, _ = far_rows(0)
    timed = data._replace(time=np.arange(500.0))
    one, other = (SCORER.path(each, [spec_of(n_outliers=0.1)]).outliers for each in (data, timed))
    np.testing.assert_array_equal(one, other)


def test_too_few_positives_to_rank_are_all_kept():
    data = as_data(np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) < 3)
    assert not SCORER.path(data, [spec_of(n_outliers=0.4)]).outliers.any()


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"n_leaves": 1}, "n_leaves must be a whole number from 2 to 1024 for trees, not 1."),
        ({"n_leaves": 2000}, "n_leaves must be a whole number from 2 to 1024 for trees, not 2000."),
        ({"n_leaves": None}, "n_leaves must be a whole number from 2 to 1024 for trees, not None."),
        ({"n_rounds": 0}, "n_rounds must be a whole number of at least 1 for trees, not 0."),
    ],
)
def test_settings_that_make_no_trees(settings, line):
    with pytest.raises(ValueError, match="must be") as caught:
        SCORER.path(DATA, [spec_of(**settings)])
    assert str(caught.value) == line


def test_nothing_is_printed(capfd):
    data = make_rows(seed=3)
    models = SCORER.path(data, [spec_of(n_outliers=0.1)])
    models.average(np.ones(1)).contributions(data.X)
    assert capfd.readouterr() == ("", "")


def test_without_lightgbm_one_line_says_what_to_install(monkeypatch):
    assert is_installed()
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    assert not is_installed()
    with pytest.raises(ModuleNotFoundError) as caught:
        SCORER.path(DATA, [spec_of()])
    assert str(caught.value) == "Trees need lightgbm: pip install 'blindauc[trees]'."


# --- models ---


def test_subsets_and_unions_keep_their_scores(models):
    scores = models.scores(DATA.X)
    index = np.array([3, 0, 5])
    some, rest = models.subset(index), models.subset(np.array([1, 2]))
    np.testing.assert_allclose(some.scores(DATA.X), scores[:, index], rtol=1e-12)
    both = some.joined([rest])
    assert len(both) == 5
    np.testing.assert_allclose(both.scores(DATA.X), scores[:, [3, 0, 5, 1, 2]], rtol=1e-12)
    np.testing.assert_array_equal(both.outliers, models.outliers[[3, 0, 5, 1, 2]])
    np.testing.assert_array_equal(both.columns, models.columns[[3, 0, 5, 1, 2]])


def test_the_average_is_the_sum_of_the_scores(models):
    weight = np.array([0.3, 0.0, 0.2, -0.1, 0.0, 0.5])
    model = models.average(weight)
    np.testing.assert_allclose(model.scores(DATA.X), models.scores(DATA.X) @ weight, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.columns, models.columns[weight != 0].any(axis=0))
    np.testing.assert_allclose(models.inclusion(weight), models.columns.T @ weight)
    # Pairs of models are stages of one fit: every tree is there once, and none without weight.
    assert model.text.count("Tree=") == 20 + 20 + 5


def test_blended_models_add_up(models):
    one, two, three = (models.average(weight) for weight in np.eye(6)[:3])
    blend = one.blended([two, three], np.array([0.5, 0.3, 0.2]))
    expected = 0.5 * one.scores(DATA.X) + 0.3 * two.scores(DATA.X) + 0.2 * three.scores(DATA.X)
    np.testing.assert_allclose(blend.scores(DATA.X), expected, rtol=1e-9, atol=1e-12)


def test_contributions_add_up(model):
    contributions = model.contributions(DATA.X)
    assert contributions.shape == DATA.X.shape
    np.testing.assert_allclose(contributions.sum(axis=1) + model.base, model.scores(DATA.X), rtol=0, atol=1e-9)
    assert not contributions[:, ~model.columns].any()


def test_contributions_of_stumps_are_what_each_column_adds(models):
    """Without interactions, what a column adds is the change of the score when it alone changes."""
    model = models.average(np.eye(6)[0])
    other = DATA.X[::-1]
    for column in range(4):
        changed = DATA.X.copy()
        changed[:, column] = other[:, column]
        by_score = model.scores(changed) - model.scores(DATA.X)
        by_column = (model.contributions(changed) - model.contributions(DATA.X))[:, column]
        np.testing.assert_allclose(by_column, by_score, rtol=0, atol=1e-9)


@pytest.mark.parametrize("columns", [[1], [0, 1], [2, 0], [4], [0, 1, 2, 3, 4]])
def test_a_probe_replaces_columns(model, columns):
    probe, values = model.probe(DATA.X), DATA.X[::-1][:, columns]
    by_hand = DATA.X.copy()
    by_hand[:, columns] = values
    np.testing.assert_array_equal(probe.scores, model.scores(DATA.X))
    for _ in range(2):
        np.testing.assert_allclose(probe.replaced(columns, values), model.scores(by_hand), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(probe.replaced(columns, DATA.X[:, columns]), probe.scores)
    dense = np.nan_to_num(DATA.X)
    of_sparse = model.probe(sp.csr_array(dense)).replaced(columns, dense[:, columns])
    np.testing.assert_array_equal(of_sparse, model.scores(dense))


@pytest.mark.parametrize("kept", [[0], [1, 2], [0, 1, 2, 3, 4], []])
def test_restricted_models_hold_the_other_columns_at_their_medians(model, kept):
    columns = np.isin(np.arange(5), kept)
    fewer = model.restricted(columns, DATA)
    held = DATA.X.copy()
    for column in np.flatnonzero(~columns):
        known = np.sort(DATA.X[~np.isnan(DATA.X[:, column]), column])
        held[:, column] = known[(len(known) - 1) // 2]
    np.testing.assert_array_equal(fewer.scores(DATA.X), model.scores(held))
    assert not fewer.columns[~columns].any()
    np.testing.assert_allclose(
        fewer.contributions(DATA.X).sum(axis=1) + fewer.base, fewer.scores(DATA.X), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_a_column_that_is_all_missing_is_held_missing(model, value):
    X = DATA.X.copy()
    X[:, 0] = value
    columns = np.arange(5) > 0
    fewer = model.restricted(columns, DATA._replace(X=X))
    np.testing.assert_array_equal(fewer.scores(DATA.X), model.scores(X))


def test_restricted_models_of_sparse_rows(model):
    X = np.where(np.abs(np.nan_to_num(DATA.X)) < 0.5, 0.0, np.nan_to_num(DATA.X))
    columns = np.array([True, False, False, True, True])
    dense, sparse = (model.restricted(columns, DATA._replace(X=each)) for each in (X, sp.csr_array(X)))
    # Of sparse columns the nonzero values are few: what counts is that both are the same.
    np.testing.assert_array_equal(dense.scores(X), sparse.scores(X))


def test_no_rows_have_no_scores(model, models):
    assert model.scores(DATA.X[:0]).shape == (0,)
    assert models.scores(DATA.X[:0]).shape == (0, 6)
    assert model.contributions(DATA.X[:0]).shape == (0, 5)


def test_models_are_pickled_as_text(model, models):
    model.scores(DATA.X)
    again, every = pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(models))
    assert again == model
    np.testing.assert_array_equal(again.scores(DATA.X), model.scores(DATA.X))
    np.testing.assert_array_equal(every.scores(DATA.X), models.scores(DATA.X))
    # Stages of a fit share their text, there and back.
    assert len({id(each.text) for each in every.boosted}) == 3


def test_models_come_back_from_files_that_run_no_code(model):
    skops_io = pytest.importorskip("skops.io")
    model.scores(DATA.X)
    content = skops_io.dumps(model)
    assert skops_io.get_untrusted_types(data=content) == ["blindauc.scorers.forest.TreeModel"]
    again = skops_io.loads(content, trusted=["blindauc.scorers.forest.TreeModel"])
    np.testing.assert_array_equal(again.scores(DATA.X), model.scores(DATA.X))
    assert vars(again) == {"text": model.text, "n_features": 5}


# --- the text ---


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


FUZZ = """
import sys
import numpy as np
from blindauc.scorers.trees import TreeModel

seed, n_texts, n_columns = map(int, sys.argv[1:])
rng, whole, X = np.random.default_rng(seed), sys.stdin.read(), np.random.default_rng(0).normal(size=(20, n_columns))
X[::2] = np.round(20 * np.abs(X[::2]))  # numbers of categories
passed = refused = 0
for _ in range(n_texts):
    text = list(whole)
    for _ in range(rng.integers(1, 4)):
        place, width, kind = rng.integers(len(text)), rng.integers(1, 6), rng.integers(4)
        if kind == 0:
            text[place : place + width] = []
        elif kind == 1:
            text[place : place + width] = list("0123456789-. =\\n")[rng.integers(15)]
        elif kind == 2:
            text[place] = chr(ord(text[place]) ^ (1 << rng.integers(8)))
        else:
            start = rng.integers(len(text))
            text[place:place] = text[start : start + 40]
    model = TreeModel("".join(text), n_columns)
    try:
        scores, contributions = model.scores(X), model.contributions(X)
    except ValueError as error:
        assert "is damaged or was edited" in str(error) and len(str(error).splitlines()) == 1, error
        refused += 1
    else:
        assert np.isfinite(scores).all() and np.isfinite(contributions).all()
        passed += 1
print(passed, refused)
"""


def fuzz(seed, n_texts, text, n_columns=5):
    command = [sys.executable, "-c", FUZZ, str(seed), str(n_texts), str(n_columns)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return map(int, done.stdout.split())


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
