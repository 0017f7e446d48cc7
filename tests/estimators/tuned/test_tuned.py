"""The estimators that choose by themselves: what was chosen is what was fitted."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from instances import THREES, as_data
from paper_search import FEW, NAMES, PAPER, VARIANTS, linear_scorer, tuned
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV
from blindauc.choice.baselines import BASELINES
from blindauc.choice.search import ELIMINATION_ODDS
from blindauc.choice.space import space_of
from blindauc.datasets import make_paper_data
from blindauc.estimators.reading import screened
from blindauc.estimators.space import read_choices
from blindauc.report.comparing import verdict
from blindauc.scorers import Spec
from blindauc.scorers.projection import Projection

pytestmark = pytest.mark.usefixtures("few_mixtures")

DATA = as_data(PAPER.X, PAPER.y_pu == 1)


def log_weights_by_hand(model):
    """Belief and evidence of the candidates that were judged by every split, by the table."""
    table = model.cv_results_
    space = space_of(linear_scorer(model, DATA), DATA, read_choices(model, screened(DATA, False)))
    believed = dict(zip(space.specs, space.belief.log_within, strict=True))
    finished = table["n_splits"] == table["n_splits"].max()
    belief = np.array([believed[Spec(**params)] for params in table["params"]])
    return np.where(finished, belief + table["evidence"], -np.inf)


def branches(model):
    """The candidates with all columns and those with selected ones, as far as there are such."""
    all_columns = read_choices(model, screened(DATA, False)).all_columns
    selects = np.array([params["n_features_to_select"] != all_columns for params in model.cv_results_["params"]])
    return [np.flatnonzero(selects == value) for value in np.unique(selects)]


@pytest.mark.parametrize("variant", VARIANTS)
class TestEveryTunedFit:
    def test_the_table_is_whole(self, fits, variant):
        model = fits(variant)
        table = model.cv_results_
        n = len(table["params"])
        assert all(len(column) == n for column in table.values())
        assert len(pd.DataFrame(table)) == n
        for name, value in table["params"][0].items():
            assert table[f"param_{name}"][0] == value
        assert ((table["mean_test_score"] >= 0) & (table["mean_test_score"] <= 1)).all()
        assert (table["std_error_test_score"] >= 0).all()
        assert table["n_splits"].max() == 3 * (2 if variant == "repeats" else 1)
        assert table["n_splits"].min() >= 1
        # Those that stayed longer come first: scores by few splits and by many do not compare.
        known = list(zip(table["n_splits"], table["mean_test_score"], strict=True))
        assert table["rank_test_score"].tolist() == [1 + sum(other > mine for other in known) for mine in known]
        assert table["weight"].sum() == pytest.approx(1)
        assert (table["weight"] >= 0).all()

    def test_the_leader_is_fitted_as_an_estimator_of_its_own(self, fits, variant):
        model = fits(variant)
        plain = BlindAUCClassifier if isinstance(model, BlindAUCClassifierCV) else PUErrorClassifier
        best = model.best_estimator_
        assert type(best) is plain
        for name, value in model.best_params_.items():
            assert getattr(best, name) == value
        again = clone(best).fit(PAPER.X, PAPER.y_pu)
        np.testing.assert_array_equal(again.coef_, best.coef_)
        np.testing.assert_array_equal(again.outliers_, best.outliers_)

    def test_columns_and_outliers_are_those_with_half_of_the_weight(self, fits, variant):
        model = fits(variant)
        assert ((model.inclusion_ >= 0) & (model.inclusion_ <= 1 + 1e-12)).all()
        assert model.inclusion_.max() > 0
        np.testing.assert_array_equal(model.support_, model.inclusion_ >= min(0.5, model.inclusion_.max()) - 1e-12)
        if model.rank_by == "support":
            assert not model.coef_[~model.support_].any()
        assert (PAPER.y_pu[model.outliers_] == 1).all()
        assert model.shift_.shape == (40,)
        np.testing.assert_array_equal(np.flatnonzero(model.shift_), model.outliers_)  # the first 40 rows are labelled
        assert model.support_cost_.low <= model.support_cost_ <= model.support_cost_.high

    def test_what_is_known_comes_from_ranks_of_rows_that_were_held_out(self, fits, variant):
        model = fits(variant)
        known = ~np.isnan(model.held_out_rank_)
        assert known[:40].all()
        assert known.all() or variant == "growing"
        ranks = model.held_out_rank_[known]
        assert ((ranks >= 0) & (ranks <= 1)).all()
        # Ranked once more among the ranks of the unlabelled rows, whose mean is one half then.
        assert ranks[40:].mean() == pytest.approx(0.5)
        assert model.best_score_ == pytest.approx(ranks[:40].mean(), abs=0.05)
        # Higher ranks are never more suspicious.
        order = np.argsort(model.held_out_rank_[:40], kind="stable")
        assert (np.diff(model.suspicion_[order]) <= 1e-12).all()

    def test_baselines_and_summary(self, fits, variant):
        model = fits(variant)
        assert [each.name for each in model.baselines_] == list(BASELINES)
        text = model.summary()
        assert str(model.auc_) in text
        assert f"{model.support_.sum()} of 9 columns" in text
        for each in model.baselines_:
            assert verdict(each) in text
            assert each.advantage == pytest.approx(model.best_score_ - each.score)


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "growing"])
class TestEveryTunedFitOfAllRows:
    def test_candidates_weigh_what_evidence_and_belief_say(self, fits, variant):
        model = fits(variant)
        assert model.cv_results_["params"][model.best_index_] == model.best_params_
        logs, weight = log_weights_by_hand(model), model.cv_results_["weight"]
        for branch in branches(model):
            expected, found = np.exp(logs[branch] - logs[branch].max()), weight[branch]
            if model.rule == "best":
                assert found[expected >= 1 - 1e-9].sum() == (model.best_index_ in branch)
                continue
            taken = found > 0
            np.testing.assert_allclose(found[taken] / found.max(), expected[taken], rtol=1e-6)
            assert (expected[~taken] < 0.01).all()
        assert weight[model.best_index_] == weight.max()

    def test_the_scores_are_the_weighted_sum_of_the_candidates(self, fits, variant):
        model = fits(variant)
        scorer, table = linear_scorer(model, DATA), model.cv_results_
        # All that are left, even where one is taken: a rough fit depends on its neighbours a little.
        logs, left = log_weights_by_hand(model), np.zeros(len(table["params"]), dtype=bool)
        for branch in branches(model):
            left[branch] = logs[branch] >= logs[branch].max() - np.log(ELIMINATION_ODDS)
        specs = [Spec(**table["params"][k]) for k in np.flatnonzero(left)]
        weight = table["weight"][left]
        coef = scorer.path(DATA, specs).average(weight).coef
        if weight.max() < 1:
            # The fits of the folds, too, each by the positives that it has seen.
            n_seen, coef = [40], [coef]
            for split in model._splits(DATA, len(DATA.row)):
                fitted = DATA.subset(split.fitted)
                n_seen.append(fitted.is_positive.sum())
                coef.append(scorer.path(fitted, specs).average(weight).coef)
            coef = np.average(coef, axis=0, weights=n_seen)
        if model.rank_by == "support" and coef[~model.support_].any():
            coef = Projection(DATA)(coef, model.support_)
        np.testing.assert_allclose(model.coef_, coef, rtol=1e-9, atol=1e-12)
        scores = model.decision_function(PAPER.X_test) - model.intercept_
        np.testing.assert_allclose(scores, PAPER.X_test @ coef, rtol=1e-9, atol=1e-9)


# --- what was chosen, fitted again ---

FRAME = pd.DataFrame(PAPER.X, columns=NAMES)
AS_GIVEN = {
    "plain": (PAPER.X, PAPER.y_pu, None, {}),
    "weights": (PAPER.X, PAPER.y_pu, np.random.default_rng(0).uniform(0.5, 2, len(PAPER.X)), {}),
    "counts": (PAPER.X, PAPER.y_pu, np.random.default_rng(0).integers(0, 3, len(PAPER.X)), {}),
    "names": (FRAME, PAPER.y_pu, None, {}),
    "strings": (PAPER.X, np.where(PAPER.y_pu == 1, "case", "other"), None, {"pos_label": "case"}),
    "missing": (PAPER.X, np.where(PAPER.y_pu == 1, 1.0, np.nan), None, {}),
    "sparse": (sp.csr_array(PAPER.X), PAPER.y_pu, None, {}),
    "groups by name": (
        FRAME,
        PAPER.y_pu,
        None,
        {"sparsity": "group_l0", "groups": [NAMES[:3], NAMES[3:6], NAMES[6:]], "n_features_to_select": [3, 1]},
    ),
    "numbers for groups": (
        PAPER.X,
        PAPER.y_pu,
        None,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": [[1, 2, 1], [2, 1, 1]]},
    ),
}


@pytest.mark.parametrize(
    ("Estimator", "case"),
    [*product([BlindAUCClassifierCV], AS_GIVEN), *product([PUErrorClassifierCV], ["plain", "counts"])],
)
def test_the_best_estimator_can_be_fitted_again_by_its_parameters_alone(Estimator, case):
    X, y, weight, params = AS_GIVEN[case]
    model = tuned(Estimator, X, y, weight, **params)
    again = clone(model.best_estimator_).fit(X, y, weight)
    for name in ("coef_", "support_", "outliers_", "shift_", "intercept_", "objective_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model.best_estimator_, name))
    np.testing.assert_array_equal(again.predict(X), model.best_estimator_.predict(X))
    assert again.classes_.tolist() == model.classes_.tolist()
    if "groups by name" in case:
        assert set(model.support_.reshape(3, 3).sum(axis=1)) <= {0, 3}
    if X is FRAME:
        assert list(model.get_feature_names_out()) == [n for n, kept in zip(NAMES, model.support_, strict=True) if kept]


def test_refits_forget_what_an_earlier_one_left():
    model = tuned(grow_unlabelled=True)
    assert len(model.growth_path_) >= 1
    model.set_params(grow_unlabelled=False).fit(PAPER.X, PAPER.y_pu)
    assert not hasattr(model, "growth_path_")
    # As if it were the first.
    np.testing.assert_array_equal(model.coef_, tuned().coef_)


def test_growing_uses_only_as_many_unlabelled_rows_as_it_takes(fits):
    model = fits("growing")
    n_used = model.growth_path_[-1].n_unlabelled
    assert (~np.isnan(model.held_out_rank_[40:])).sum() == n_used
    assert model.growth_path_[0].n_unlabelled == 40


# --- few positives ---


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
@pytest.mark.parametrize("n_pos", [2, 3, 14])
def test_with_few_positives_nothing_is_chosen(Estimator, n_pos):
    X, y = PAPER.X[40 - n_pos :], PAPER.y_pu[40 - n_pos :]
    model = Estimator(shape="linear", prior=0.2).fit(X, y)
    assert model.cv_results_ == {}
    assert model.baselines_ == []
    assert np.isnan(model.best_score_)
    assert "plain fit" in model.summary()
    assert model.best_params_["n_outliers"] == 0
    assert model.best_params_["n_features_to_select"] == 9
    assert model.support_.all()
    assert np.isfinite(model.predict_proba(X)).all()
    assert np.isnan(model.held_out_rank_).all() == (n_pos < 4)


def test_copies_of_a_positive_are_not_many_positives():
    X = np.r_[np.repeat(PAPER.X[:14], 4, axis=0), PAPER.X[40:]]
    y = np.r_[np.ones(56, int), PAPER.y_pu[40:]]
    assert tuned(X=X, y=y).cv_results_ == {}
    assert tuned(X=np.r_[X, PAPER.X[14:15]], y=np.append(y, 1)).cv_results_ != {}


# --- what it is for ---


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
@pytest.mark.parametrize(("handling", "offset"), [("trim", 100.0), ("shift", 0.0), ("shift", 100.0)])
def test_outliers_of_an_average_are_the_positives_that_rank_lowest(Estimator, handling, offset):
    data = make_paper_data(n_features=12, n_outliers=4, n_relevant=10, n_pos=60, n_negatives=80, random_state=0)
    params = {
        **FEW,
        "n_outliers": [0.1, 0.2],
        "outlier_handling": handling,
        "l2": [1000.0, 100.0],
        "cv": 2,
        "prior": 0.1,
    }
    model = Estimator(**params).fit(data.X + offset, data.y_pu)
    scores = model.decision_function(data.X[:60] + offset)
    # Each candidate leaves out its lowest; where those of two differ, about as many are above.
    lowest = np.argsort(scores)[: len(model.outliers_)]
    assert len(set(lowest) & set(model.outliers_)) >= 0.8 * len(model.outliers_)
    assert set(data.outliers) <= set(model.outliers_)


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_wrong_labels_are_doubtful_and_new_rows_ranked_as_well_as_said(Estimator, seed):
    data = make_paper_data(n_features=20, n_outliers=7, n_relevant=15, random_state=seed)
    params = {**FEW, "scaling": "standard", "l2": [1.0, 100.0], "prior": 20 / 300}
    model = Estimator(**params).fit(data.X, data.y_pu)
    assert set(data.outliers) <= set(model.doubtful_labels())
    auc = roc_auc_score(data.y_test, model.decision_function(data.X_test))
    assert model.auc_.low < auc < model.auc_.high
