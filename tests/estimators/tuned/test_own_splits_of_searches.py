"""Searches by splits of one's own."""

import numpy as np
import pytest
from instances import as_data
from paper_search import PAPER, assert_same, linear_scorer, tuned
from sklearn.model_selection import GroupKFold, StratifiedKFold

from blindauc import BlindAUCClassifierCV
from blindauc.choice.space import SCALINGS_TRIED, column_counts
from blindauc.scorers import Spec

pytestmark = pytest.mark.usefixtures("few_mixtures")

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
    assert {"standard"} <= set(table["param_scaling"]) <= set(SCALINGS_TRIED)
    n_each = [len(set(table[f"param_{name}"])) for name in ("n_outliers", "n_features_to_select")]
    for scaling in set(table["param_scaling"]):
        ridges = set(table["param_l2"][table["param_scaling"] == scaling])
        assert (table["param_scaling"] == scaling).sum() == np.prod(n_each) * len(ridges)
