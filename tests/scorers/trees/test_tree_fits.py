"""Fits of trees: every round lowers the objective, and containers, order and weights are those of others."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from instances import RISKS_OF_LOSS, as_data
from tree_data import DATA, SCORER, SPECS, make_rows, spec_of

from blindauc.scorers.boosting import RowRisk, is_installed
from blindauc.scorers.trees import TreeScorer

UNLABELLED = ~DATA.is_positive


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
