"""What must not matter to a search: jobs, order, containers and units of weights."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from paper_search import NAMES, PAPER, VARIANTS, assert_same, tuned

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV
from blindauc.choice.baselines import L1_PENALTIES

pytestmark = pytest.mark.usefixtures("few_mixtures")


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
