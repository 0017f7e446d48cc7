"""The estimators that choose by themselves: what was chosen is what was fitted, whatever rows look like."""

from copy import copy
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from instances import THREES, as_data
from joblib import parallel_config
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedKFold

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV
from blindauc.choice.baselines import BASELINES, L1_PENALTIES
from blindauc.choice.search import ELIMINATION_ODDS
from blindauc.choice.space import column_counts, space_of
from blindauc.datasets import make_paper_data
from blindauc.estimators import tuning as tuning_module
from blindauc.estimators.reading import screened
from blindauc.estimators.space import read_choices
from blindauc.losses import BarrierHinge
from blindauc.report.comparing import verdict
from blindauc.scorers import Spec
from blindauc.scorers.projection import Projection

pytestmark = pytest.mark.usefixtures("few_mixtures")

PAPER = make_paper_data(n_features=9, n_outliers=4, n_relevant=6, n_pos=40, n_negatives=80, random_state=0)
DATA = as_data(PAPER.X, PAPER.y_pu == 1)
FEW = {
    "cv": 3,
    "n_repeats": 1,
    "shape": "linear",
    "scaling": "none",
    "l2": [10.0, 1000.0],
    "n_outliers": [0, 4],
    "n_features_to_select": [1.0, 0.5, 0.2],
    "prior": 0.2,
}
"""Choices enough for a search to have some of each kind; other shapes are the matter of test_shapes.py.

Where the prior is given, what scores mean is learnt in less time.
"""


def tuned(Estimator=BlindAUCClassifierCV, X=PAPER.X, y=PAPER.y_pu, sample_weight=None, **params):
    return Estimator(**{**FEW, **params}).fit(X, y, sample_weight)


VARIANTS = {
    "default": (BlindAUCClassifierCV, {}),
    "no prior": (BlindAUCClassifierCV, {"prior": None}),
    "rule best": (BlindAUCClassifierCV, {"rule": "best"}),
    "by support": (BlindAUCClassifierCV, {"rank_by": "support"}),
    "best by support": (BlindAUCClassifierCV, {"rank_by": "support", "rule": "best"}),
    "scalings and losses": (
        BlindAUCClassifierCV,
        {
            "scaling": "auto",
            "loss": ["logistic", BarrierHinge(slope=3.0)],
            "n_outliers": 0,
            "n_features_to_select": [9, 2],
        },
    ),
    "automatic ridges": (BlindAUCClassifierCV, {"l2": "auto", "n_outliers": 0, "n_features_to_select": [9, 3]}),
    "groups": (BlindAUCClassifierCV, {"sparsity": "group_l0", "groups": THREES, "n_features_to_select": "auto"}),
    "exclusive": (BlindAUCClassifierCV, {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": "auto"}),
    "exclusive, all": (
        BlindAUCClassifierCV,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": None},
    ),
    "counts per group": (
        BlindAUCClassifierCV,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": [[3, 3, 3], [2, 1, 1]]},
    ),
    "shifts": (BlindAUCClassifierCV, {"outlier_handling": "shift"}),
    "growing": (BlindAUCClassifierCV, {"grow_unlabelled": True}),
    "one candidate": (BlindAUCClassifierCV, {"l2": 10.0, "n_outliers": 0, "n_features_to_select": None}),
    "repeats": (BlindAUCClassifierCV, {"n_repeats": 2}),
    "PU error": (PUErrorClassifierCV, {}),
    "PU error, best": (PUErrorClassifierCV, {"rule": "best"}),
    "PU error, unbiased": (PUErrorClassifierCV, {"risk": "unbiased", "rank_by": "support"}),
    "PU error, no prior": (PUErrorClassifierCV, {"risk": "nonnegative", "prior": None}),
}


@pytest.fixture(scope="module", autouse=True)
def one_penalty():
    """A simpler method is tuned less than it is for users; what is told of it is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blindauc.choice.baselines.L1_PENALTIES", (0.03,))
        yield


@pytest.fixture(scope="module")
def fits():
    """Each variant fitted once for all tests."""
    made = {}

    def fit(name):
        if name not in made:
            Estimator, params = VARIANTS[name]
            made[name] = tuned(Estimator, **params)
        return made[name]

    return fit


def linear_scorer(model, data):
    return model._scorer(data, ["linear"], [])


def log_weights_by_hand(model):
    """Belief and evidence of the candidates that were judged by every split, by the table."""
    table = model.cv_results_
    space = space_of(linear_scorer(model, DATA), DATA, read_choices(model, screened(DATA, False)))
    believed = dict(zip(space.specs, space.log_belief, strict=True))
    finished = table["n_splits"] == table["n_splits"].max()
    belief = np.array([believed[Spec(**params)] for params in table["params"]])
    return np.where(finished, belief + table["evidence"], -np.inf)


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
        if model.rule == "best":
            assert weight[logs >= logs.max() - 1e-9].sum() == 1
        else:
            taken = weight > 0
            expected = np.exp(logs - logs.max())
            np.testing.assert_allclose(weight[taken] / weight.max(), expected[taken], rtol=1e-6)
            assert (expected[~taken] < 0.01).all()
        assert weight[model.best_index_] == weight.max()

    def test_the_scores_are_the_weighted_sum_of_the_candidates(self, fits, variant):
        model = fits(variant)
        scorer, table = linear_scorer(model, DATA), model.cv_results_
        # All that are left, even where one is taken: a rough fit depends on its neighbours a little.
        logs = log_weights_by_hand(model)
        left = logs >= logs.max() - np.log(ELIMINATION_ODDS)
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

NAMES = [f"c{k}" for k in range(9)]
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


# --- what must not matter ---


def assert_same(one, other):
    assert one.best_params_ == other.best_params_
    for name in ("mean_test_score", "std_error_test_score", "weight", "n_splits"):
        np.testing.assert_array_equal(one.cv_results_[name], other.cv_results_[name])
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.suspicion_, other.suspicion_)
    assert [repr(each) for each in one.baselines_] == [repr(each) for each in other.baselines_]


def test_jobs_side_by_side_give_the_same(monkeypatch):
    monkeypatch.setattr("blindauc.choice.baselines.L1_PENALTIES", L1_PENALTIES)  # other processes know no other
    alone = tuned()
    assert_same(tuned(n_jobs=2), alone)
    with parallel_config("threading", n_jobs=2):
        assert_same(tuned(), alone)


def test_seeds_draw_other_folds(fits):
    default, (one, same, other) = fits("default"), (tuned(random_state=seed) for seed in (1, 1, 2))
    assert_same(one, same)
    scores = {model.cv_results_["mean_test_score"].tobytes() for model in (default, one, other)}
    assert len(scores) == 3
    assert_same(default, tuned(random_state=None))


def assert_about_the_same(one, other):
    """But for rounding."""
    for name, value in one.best_params_.items():
        same = value == other.best_params_[name]
        assert same or value == pytest.approx(other.best_params_[name], rel=1e-6)
    np.testing.assert_allclose(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=1e-6)
    np.testing.assert_allclose(one.cv_results_["weight"], other.cv_results_["weight"], rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-4, atol=1e-6 * np.abs(one.coef_).max())


@pytest.mark.parametrize("variant", ["default", "by support", "groups", "PU error"])
def test_the_order_of_rows_does_not_matter(fits, variant):
    order = np.random.default_rng(0).permutation(len(PAPER.X))
    Estimator, params = VARIANTS[variant]
    one, other = fits(variant), tuned(Estimator, PAPER.X[order], PAPER.y_pu[order], **params)
    assert_about_the_same(one, other)
    np.testing.assert_array_equal(np.sort(order[other.outliers_]), one.outliers_)
    np.testing.assert_allclose(other.held_out_rank_, one.held_out_rank_[order], atol=1e-9)
    assert other.auc_ == pytest.approx(one.auc_)


SINGLE = PAPER.X.astype(np.float32).astype(np.float64)
"""What all containers can hold."""


@pytest.fixture(scope="module")
def reference():
    return tuned(X=SINGLE, leverage_screen=False, n_outliers=0)


@pytest.mark.parametrize("kind", ["csr", "csc", "float32", "pandas"])
def test_every_container_gives_the_same_choice(kind, reference):
    container = {
        "csr": lambda: sp.csr_array(SINGLE),
        "csc": lambda: sp.csc_matrix(SINGLE),
        "float32": lambda: SINGLE.astype(np.float32),
        "pandas": lambda: pd.DataFrame(SINGLE, columns=NAMES),
    }[kind]()
    assert_about_the_same(reference, tuned(X=container, leverage_screen=False, n_outliers=0))


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
def test_integer_weights_equal_repeated_rows(Estimator):
    weight = np.random.default_rng(0).integers(0, 3, len(PAPER.X))
    weighted = tuned(Estimator, sample_weight=weight)
    repeated = tuned(Estimator, PAPER.X.repeat(weight, axis=0), PAPER.y_pu.repeat(weight))
    assert not weighted.leverage_.any()
    assert_about_the_same(weighted, repeated)
    row_of = np.arange(len(PAPER.X)).repeat(weight)
    np.testing.assert_allclose(repeated.held_out_rank_, weighted.held_out_rank_[row_of], atol=1e-9)
    assert repr(weighted.auc_) == repr(repeated.auc_)
    np.testing.assert_array_equal(np.flatnonzero(weighted.shift_), weighted.outliers_)


def test_only_proportions_count_of_weights_that_are_no_counts(fits):
    assert_about_the_same(fits("default"), tuned(sample_weight=np.full(len(PAPER.X), 0.25)))


# --- splits of one's own ---

PATIENTS = np.arange(len(PAPER.X)) // 2
SPLITTERS = {
    "splitter": StratifiedKFold(3, shuffle=True, random_state=0),
    "list": list(StratifiedKFold(3).split(PAPER.X, PAPER.y_pu)),
    "generator": None,
    "groups": list(GroupKFold(3).split(PAPER.X, PAPER.y_pu, PATIENTS)),
    "masks": [(np.arange(len(PAPER.X)) % 3 != k, np.arange(len(PAPER.X)) % 3 == k) for k in range(3)],
}


@pytest.mark.parametrize("kind", SPLITTERS)
def test_splits_of_ones_own(kind):
    cv = StratifiedKFold(3).split(PAPER.X, PAPER.y_pu) if kind == "generator" else SPLITTERS[kind]
    model = tuned(cv=cv)
    assert model.cv_results_["n_splits"].max() == 3
    if kind == "generator":
        assert_same(model, tuned(cv=SPLITTERS["list"]))


def test_splits_are_used_as_given():
    pairs = SPLITTERS["list"]
    model = tuned(cv=pairs, n_features_to_select=[9], n_outliers=0, l2=[100.0])
    rank = np.empty(len(PAPER.X))
    for fitted, held_out in pairs:
        data = as_data(PAPER.X[fitted], PAPER.y_pu[fitted] == 1)
        models = linear_scorer(model, data).path(data, [Spec("none", "logistic", 100.0, 0.0, 9)])
        scores = models.scores(PAPER.X[held_out])[:, 0]
        unl = scores[PAPER.y_pu[held_out] == 0]
        rank[held_out] = [np.mean((score > unl) + 0.5 * (score == unl)) for score in scores]
    assert model.cv_results_["mean_test_score"][0] == pytest.approx(rank[:40].mean())
    assert model.best_score_ == pytest.approx(rank[:40].mean())


def test_splits_may_hold_out_only_some_positives():
    pos, unl = np.arange(40), np.arange(40, len(PAPER.X))
    halves = [
        (np.r_[pos[1::2], unl[1::2]], np.r_[pos[:20:2], unl[::2]]),
        (np.r_[pos[::2], unl[::2]], np.r_[pos[1:20:2], unl[1::2]]),
    ]
    model = tuned(cv=halves)
    np.testing.assert_array_equal(np.isnan(model.held_out_rank_), np.isin(np.arange(len(PAPER.X)), pos[20:]))
    assert model.best_score_ == pytest.approx(model.held_out_rank_[:20].mean(), abs=0.05)
    # Those that were never held out have their ranks in the sample.
    assert np.isfinite(model.suspicion_).all()
    assert model.suspicion_.shape == (40,)
    assert_same(model, tuned(cv=halves))


def test_splits_by_row_number_know_rows_of_weight_zero():
    """Rows without weight are nowhere, wherever they stand; the numbers are those of the user's X."""
    pairs = SPLITTERS["list"]
    for rows in (np.arange(10), np.arange(len(PAPER.X) - 10, len(PAPER.X))):
        weight = np.ones(len(PAPER.X))
        weight[rows] = 0
        kept = np.flatnonzero(weight)
        moved = [tuple(np.flatnonzero(np.isin(kept, part)) for part in pair) for pair in pairs]
        without = tuned(cv=moved, X=PAPER.X[kept], y=PAPER.y_pu[kept], l2=10.0)
        weighted = tuned(cv=pairs, sample_weight=weight, l2=10.0)
        assert_same(weighted, without)
        np.testing.assert_array_equal(weighted.outliers_, kept[without.outliers_])
        assert np.isnan(weighted.held_out_rank_[rows]).all()


def test_splits_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="cv"):
        tuned(cv=[(np.arange(40), np.arange(40, len(PAPER.X)))])


@pytest.mark.parametrize(("n_repeats", "n_splits"), [(1, 3), (3, 9), ("auto", 6)])
def test_folds_are_repeated(n_repeats, n_splits):
    model = tuned(n_repeats=n_repeats, l2=10.0, n_outliers=0)
    assert model.cv_results_["n_splits"].max() == n_splits


def test_automatic_choices_leave_nothing_out():
    model = BlindAUCClassifierCV(shape="linear", cv=2, n_repeats=1).fit(PAPER.X, PAPER.y_pu)
    table = model.cv_results_
    assert set(table["param_n_features_to_select"]) == set(column_counts(9))
    assert {"standard"} <= set(table["param_scaling"]) <= {"none", "standard", "robust"}
    n_each = [len(set(table[f"param_{name}"])) for name in ("n_outliers", "n_features_to_select")]
    for scaling in set(table["param_scaling"]):
        ridges = set(table["param_l2"][table["param_scaling"] == scaling])
        assert (table["param_scaling"] == scaling).sum() == np.prod(n_each) * len(ridges)


# --- what makes no sense is refused ---

BAD_SPACES = [
    ("l2", [0]), ("l2", [-1.0]), ("l2", ["x"]), ("l2", [1.0, "x"]), ("l2", [None]), ("l2", [1.0, None]),
    ("l2", [True]), ("l2", [np.nan]), ("l2", []),
    ("n_outliers", [-1]), ("n_outliers", [39]), ("n_outliers", [1.0]), ("n_outliers", ["x"]), ("n_outliers", [None]),
    ("n_outliers", []), ("n_outliers", [True]),
    ("scaling", ["minmax"]), ("scaling", [None]), ("scaling", []), ("scaling", [3]),
    ("loss", ["squared"]), ("loss", [None]), ("loss", []),
    ("n_features_to_select", []), ("n_features_to_select", [3, "x"]), ("n_features_to_select", [{}]),
    ("n_features_to_select", [3, {}]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values"), BAD_SPACES, ids=[f"{n}={v}"[:40] for n, v in BAD_SPACES])
def test_bad_spaces_are_refused_by_name(name, values):
    for value in [values, *values]:
        if value == 3 or (value == 1.0 and name == "l2"):
            continue  # a good one among bad ones
        with pytest.raises(ValueError, match=name):
            BlindAUCClassifierCV(**{**FEW, name: value}).fit(PAPER.X, PAPER.y_pu)


BAD_PARAMETERS = {
    "rule": "one_standard_error", "rank_by": "best", "cv": 1, "n_repeats": 0, "prior": 1.0, "threshold": "half",
    "sampling": "three", "outlier_handling": "drop", "sparsity": "l1", "tol": 0, "max_iter": 0,
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameters_are_refused_by_name(name):
    with pytest.raises(ValueError, match=name):
        tuned(**{name: BAD_PARAMETERS[name]})


def test_a_kernel_alone_has_no_support_to_rank_by():
    with pytest.raises(ValueError, match='choose rank_by="all"'):
        tuned(shape="kernel", n_features_to_select="auto", rank_by="support")


def test_shifts_are_refused_where_they_do_not_work():
    with pytest.raises(ValueError, match="outlier_handling"):
        tuned(PUErrorClassifierCV, risk="unbiased", outlier_handling="shift")
    tuned(PUErrorClassifierCV, risk="unbiased", outlier_handling="shift", n_outliers=0)


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("step", ["race", "averaged", "compare"])
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(step, refit, fits, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    model = copy(fits("default")) if refit else BlindAUCClassifierCV(**FEW)
    before = dict(vars(model))
    monkeypatch.setattr(tuning_module, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(PAPER.X[:, :5], PAPER.y_pu)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


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
