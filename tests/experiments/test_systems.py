"""Every system of the paper learns something; the greedy walk and its recipe."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from small_tasks import small_task

from blindauc import BlindAUCClassifier
from blindauc.choice.space import column_counts
from blindauc.experiments import ssi
from blindauc.experiments.greedy import OUTLIER_SHARES, WORTH_WHILE, fitted_greedily, performance, steps
from blindauc.experiments.paper import TABLE1
from blindauc.experiments.systems import NINE, SYSTEMS, tuning_folds
from blindauc.metrics.scorers import scores_of

pytestmark = pytest.mark.usefixtures("few_candidates", "two_folds")


# --- systems ----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_learns_something(name):
    system = SYSTEMS[name]
    if system.needs:
        pytest.importorskip(system.needs)
    task = small_task("40")
    scores = scores_of(system.fitted(task), task.X_test)
    assert roc_auc_score(task.y_test, scores) > (0.4 if name == "One-class SVM" else 0.55)


def test_pu_systems_never_see_true_labels():
    task = small_task("40")
    blind = replace(task, y_true=np.full_like(task.y_true, 1 - task.y_true[0]))
    for name in ("One-class SVM", "BAUC", "Difference of means"):
        one, other = (SYSTEMS[name].fitted(each) for each in (task, blind))
        assert_array_equal(scores_of(one, task.X_test), scores_of(other, task.X_test))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["SVM (ideal)", "BAUC-OF", "nnPU"])
def test_tuning_leaves_blocks_whole(name):
    task = replace(small_task("40"), blocks=np.arange(len(small_task("40").X)) // 2)
    assert not any_torn(task)
    assert any_torn(task, tuning_folds(replace(task, blocks=None), task.y_pu))
    SYSTEMS[name].fitted(task)


def any_torn(task, folds=None):
    folds = folds or tuning_folds(task, task.y_pu)
    return any(set(task.blocks[fitted]) & set(task.blocks[held_out]) for fitted, held_out in folds)


def test_the_nine_are_the_papers_with_two_readings_of_the_prior():
    assert len(NINE) == 12
    assert {name.removesuffix(" (test prior)") for name in NINE} == {system for _, system in TABLE1}


# --- the paper's recipe -----------------------------------------------------------------------------------------------


def slow_performance(model, task):
    """By the definition: how often a positive that is not left out scores above an unlabelled row."""
    scores = model.decision_function(task.X)
    kept = [row for row in np.flatnonzero(task.y_pu) if row not in model.outliers_]
    unlabelled = scores[task.y_pu == 0]
    above = [np.mean(scores[row] > unlabelled) + np.mean(scores[row] == unlabelled) / 2 for row in kept]
    return np.mean(above)


@pytest.mark.parametrize("grouped", [False, True])
def test_the_greedy_walk_grows_and_stops(grouped):
    task = small_task("40")
    groups = {"sparsity": "group_l0", "groups": np.arange(12) // 3} if grouped else {}
    walk = list(steps(BlindAUCClassifier(solver="path", **groups), task.X, task.y_pu))
    counts, shares = column_counts(4 if grouped else 12)[::-1], list(OUTLIER_SHARES)
    assert (walk[0].n_features_to_select, walk[0].n_outliers) == (1, 0.0)
    reached = [slow_performance(model, task) for model in walk]
    assert [performance(model, task.X, task.y_pu == 1) for model in walk] == pytest.approx(reached)
    assert len(walk) > 2
    assert (np.diff(reached) > WORTH_WHILE).all()
    # One step in one direction at a time.
    places = np.array([(counts.index(m.n_features_to_select), shares.index(m.n_outliers)) for m in walk])
    assert_array_equal(np.sort(np.diff(places, axis=0)), np.tile([0, 1], (len(walk) - 1, 1)))
    # And no step from the last one is worth while.
    for name, values in (("n_features_to_select", counts), ("n_outliers", shares)):
        for value in values[values.index(getattr(walk[-1], name)) + 1 :][:1]:
            further = clone(walk[-1]).set_params(**{name: value}).fit(task.X, task.y_pu)
            assert slow_performance(further, task) <= reached[-1] + WORTH_WHILE


def test_the_recipe_fits_the_last_step_to_all_rows():
    task, estimator = small_task("40"), BlindAUCClassifier(solver="path", l2=1.0)
    *_, last = steps(estimator, task.X, task.y_pu)
    model = fitted_greedily(estimator, task.X, task.y_pu)
    assert_array_equal(model.coef_, last.coef_)
    assert (model.calibrate, hasattr(model, "auc_"), hasattr(last, "auc_")) == (True, True, False)
    assert (model.l2, estimator.n_features_to_select, estimator.n_outliers) == (1.0, None, 0)


def test_whole_variables_are_measured_for_every_system_that_selects_them():
    cohort = ssi.experiment()
    task = replace(small_task("40"), groups=np.arange(12) // 3)
    for name in ("BAUC-OF", "BAUC-OF (greedy)", "BAUC"):
        measured = cohort.measure(SYSTEMS[name].fitted(task), task)
        assert set(measured) == (set() if name == "BAUC" else set(cohort.measured))
