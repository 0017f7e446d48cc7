"""Tasks as the paper describes them: priors, wrong labels, sizes and blocks."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from places import DATA

from blindauc.experiments import EXPERIMENTS, eeg, figure1, table1, table2
from blindauc.experiments.task import pu_labels

pytestmark = pytest.mark.usefixtures("few_candidates", "two_folds")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the data sets are not in {DATA}")


def test_a_task_knows_its_priors_and_its_wrong_labels():
    task = table1.experiment().draw("40", 3)
    assert task.prior_among_unlabelled == pytest.approx(20 / 300)
    assert task.prior_in_test == pytest.approx(0.3)
    assert len(task.outliers) == 7
    assert_array_equal(task.y_true[task.outliers], 0)
    assert task.support.sum() == 40


def test_the_second_reading_moves_outliers_in_all_columns():
    first, second = (table2.experiment(reading=reading).draw("8", 0) for reading in (1, 2))
    useless = slice(40, None)
    assert abs(first.X[first.outliers, useless].mean()) < 1
    assert second.X[second.outliers, useless].mean() < -9


def test_figure1_has_a_tenth_of_positives_among_the_unlabelled():
    task = figure1.experiment().draw("500", 0)
    assert (task.y_pu.sum(), (task.y_pu == 0).sum()) == (50, 500)
    assert task.prior_among_unlabelled == pytest.approx(0.1)


def test_figure1_shows_by_how_much_training_rows_flatter_without_a_warning():
    figure = figure1.experiment()
    task = figure.draw("10", 0)
    overfitted = SimpleNamespace(decision_function=lambda X: task.y_pu, auc_=0.9)
    # One of the ten unlabelled rows is a positive, which this model ranks below all labelled ones.
    expected = {"auc_by_training_rows": pytest.approx(0.5 + 0.5 / 0.9), "auc_estimated": 0.9}
    assert figure.measure(overfitted, task) == expected


def test_labels_are_given_to_positives_and_to_those_that_shall_be_wrong():
    y_true = np.array([1, 1, 1, 1, 0, 0, 0])
    y_pu = pu_labels(y_true, 2, np.random.default_rng(0), mislabelled=np.array([5]))
    assert y_pu[y_true == 1].sum() == 2
    assert_array_equal(y_pu[4:], [0, 1, 0])


def test_no_recording_of_eeg_is_on_both_sides():
    task = eeg.experiment().draw("simulated", 1)
    assert (task.y_pu.sum(), (task.y_pu == 0).sum(), len(task.outliers)) == (140, 160, 5)
    features, _ = eeg._windows("simulated")
    recording = {row.tobytes(): number for number, windows in enumerate(features) for row in windows}
    train, test = ({recording[row.tobytes()] for row in part} for part in (task.X, task.X_test))
    assert not train & test
    assert len(train | test) == len(features)


@needs_data
@pytest.mark.parametrize(
    ("name", "row", "n_labelled", "n_unlabelled", "n_test"),
    [
        ("table3", "disease 1 vs disease 2", 15, 25, 54),
        ("table3", "disease 1 vs health", 15, 85, 195),
        ("table3", "disease 2 vs health", 15, 85, 189),
        ("table3", "health vs disease 1,2", 15, 45, 279),
        ("table3", "health vs all", 15, 85, 352),
        ("table3", "SPECTF", 30, 50, 187),
        ("table3", "Readmission", 15, 35, 10_000),
        ("table3", "Readmission(outlier)", 18, 35, 10_000),
        ("table3", "Hill-Valley", 38, 162, 1012),
        ("table3", "Hill-Valley(noise)", 38, 162, 1012),
        ("ssi", "simulated cohort", 35, 45, 384),
        ("ssi", "PhysioNet 2012", 35, 45, 3920),
        ("eeg", "Bonn", 140, 160, 700),
    ],
)
def test_sizes_of_the_real_tasks_are_the_papers(name, row, n_labelled, n_unlabelled, n_test, monkeypatch):
    monkeypatch.setenv("BLINDAUC_DATA", str(DATA))
    task = EXPERIMENTS[name]().draw(row, 0)
    assert (task.y_pu.sum(), (task.y_pu == 0).sum(), len(task.y_test)) == (n_labelled, n_unlabelled, n_test)
    assert np.isfinite(task.X).all()
    assert np.isfinite(task.X_test).all()
    assert len(task.outliers) == {"Readmission(outlier)": 3, "Bonn": 5}.get(row, 0)
    assert (task.blocks is not None) == (name == "eeg")
    if task.groups is not None:
        assert len(task.groups) == task.X.shape[1] == len(task.columns)
