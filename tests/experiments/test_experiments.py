"""The paper, re-run: tasks as they are described, runs that survive being killed, tables and figures from rows."""

import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import run
from numpy.testing import assert_array_equal
from places import DATA
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier
from blindauc.choice.space import column_counts
from blindauc.datasets import make_paper_data
from blindauc.experiments import EXPERIMENTS, eeg, figure1, ssi, table1, table2
from blindauc.experiments.experiment import Experiment
from blindauc.experiments.figures import auc_lines, draw, error_line, families_selected, roc_lines
from blindauc.experiments.greedy import OUTLIER_SHARES, WORTH_WHILE, fitted_greedily, performance, steps
from blindauc.experiments.paper import TABLE1, TABLE2, TABLE3
from blindauc.experiments.running import ROC_POINTS, Cell, cells, run_cell, run_missing, runs_made
from blindauc.experiments.systems import NINE, SYSTEMS, tuning_folds
from blindauc.experiments.tables import as_csv, as_markdown, findings, summarised
from blindauc.experiments.task import Task, pu_labels
from blindauc.metrics.scorers import scores_of

pytestmark = pytest.mark.usefixtures("few_candidates", "two_folds")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the data sets are not in {DATA}")


@pytest.fixture(scope="module")
def two_folds():
    """Systems are tuned by fewer folds than in the paper; what is done with the folds is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blindauc.experiments.systems.N_FOLDS", 2)
        yield


def small_task(row="20", seed=0):
    data = make_paper_data(
        12,
        2,
        n_relevant=8,
        n_pos=int(row),
        n_hidden_pos=5,
        n_negatives=45,
        n_test_pos=100,
        n_test_negatives=200,
        random_state=seed,
    )
    return Task.of(data)


SMALL = Experiment(
    name="small",
    title="A small one",
    row_name="positives",
    rows=["20", "25"],
    draw=small_task,
    systems=["Difference of means", "One-class SVM"],
    repeats=2,
    paper={("20", "One-class SVM"): 60.0},
)


# --- tasks ------------------------------------------------------------------------------------------------------------


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


# --- runs -------------------------------------------------------------------------------------------------------------


def wanted():
    return cells(SMALL, SMALL.rows, SMALL.systems, None)


def test_one_run_is_one_line_with_its_provenance(tmp_path):
    path = tmp_path / "sub" / "small.jsonl"
    made = list(run_missing(SMALL, wanted(), path, n_jobs=1))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == made
    assert len(lines) == 8
    assert {"row", "seed", "system", "auc", "seconds", "parameters", "versions"} <= set(lines[0])
    assert {Cell.of(line) for line in lines} == set(wanted())


def test_what_is_there_is_not_run_again_and_a_torn_line_is_dropped(tmp_path):
    path = tmp_path / "small.jsonl"
    list(run_missing(SMALL, wanted(), path, n_jobs=1))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    assert len(runs_made(path, wanted())) == 3
    again = list(run_missing(SMALL, wanted(), path, n_jobs=1))
    assert len(again) == 5
    assert path.read_bytes().startswith(b"".join(lines[:3]))

    def table(content):
        other = tmp_path / "other.jsonl"
        other.write_bytes(content)
        return as_csv(summarised(SMALL, runs_made(other, wanted())))

    assert table(path.read_bytes()) == table(whole) == table(b"".join(lines[::-1]))


def test_a_run_tells_what_was_found():
    experiment = replace(SMALL, systems=["BAUC-OF"], keeps_roc=True, measure=lambda model, task: {"more": 1})
    made = run_cell(experiment, Cell("20", 0, "BAUC-OF"))
    assert made["wrong_labels"] == 2
    assert 0 <= made["left_out_rightly"] <= made["left_out"]
    assert 0 <= made["doubted_rightly"] <= made["doubted"]
    assert len(made["roc"]) == len(ROC_POINTS)
    assert made["more"] == 1
    assert json.loads(json.dumps(made)) == made


KILLED = """
import os, signal, sys
from blindauc.cli.app import app
from blindauc.experiments import running

append, moments = running._append, [(1, 1.0), (3, 0.5)]

def killed(path, row):
    append(path, row)
    lines = path.read_bytes().splitlines(keepends=True)
    if len(lines) == n_lines:
        os.truncate(path, sum(map(len, lines[:-1])) + int(share * len(lines[-1])))
        os.kill(os.getpid(), signal.SIGKILL)

running._append = killed
for n_lines, share in moments:
    if (child := os.fork()) == 0:
        app(sys.argv[1:])
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
"""
"""Kills the command after its first line, and once more in the middle of the third; imports take long, so once."""


def test_a_killed_experiment_ends_with_the_same_table(tmp_path):
    command = [
        *("reproduce", "table2", "--repeats", "4", "--jobs", "1"),
        *("--systems", "Difference of means", "--rows", "1", "--out"),
    ]
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    subprocess.run([sys.executable, "-c", KILLED, *command, broken], check=True, stdout=subprocess.DEVNULL)
    assert not (broken / "table2.csv").exists()
    assert (broken / "table2.jsonl").read_bytes().count(b"\n") == 2
    for folder in (broken, whole):
        assert run(*command, folder).exit_code == 0
    for name in ("table2.csv", "table2.md"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


def test_rows_that_take_long_are_run_once():
    slow = replace(SMALL, once=SMALL.rows[:1])
    systems = SMALL.systems[:1]
    made = cells(slow, SMALL.rows, systems, None)
    assert [cell.row for cell in made].count(SMALL.rows[0]) == 1
    assert [cell.row for cell in made].count(SMALL.rows[1]) == SMALL.repeats
    assert len(cells(slow, SMALL.rows[:1], systems, 3)) == 3


# --- tables and figures -----------------------------------------------------------------------------------------------

RUNS = [
    {"row": row, "seed": seed, "system": system, "auc": auc + 0.01 * seed, "roc": [0.5] * 101, "selected": ["a 1"]}
    | {"left_out": 3, "left_out_rightly": 2, "doubted": 2 * seed, "doubted_rightly": seed, "wrong_labels": 4}
    for (row, system), auc in {
        ("20", "SVM (ideal)"): 0.90,
        ("20", "BAUC"): 0.80,
        ("20", "BAUC-OF"): 0.85,
        ("20", "Oracle"): 0.88,
        ("25", "BAUC"): 0.82,
        ("25", "BAUC-OF"): 0.81,
        ("25", "Oracle"): 0.86,
    }.items()
    for seed in (0, 1)
]
MADE_UP = replace(SMALL, systems=list(SYSTEMS), paper={("20", "BAUC"): 78.9})


def test_tables_hold_means_spreads_and_the_papers_numbers():
    table = summarised(MADE_UP, RUNS)
    assert table.rows == ["20", "25"]
    assert table.systems == ["SVM (ideal)", "BAUC", "BAUC-OF", "Oracle"]
    entry = table.entries["20", "BAUC"]
    assert (entry.mean, entry.deviation, entry.n, entry.paper) == pytest.approx((80.5, 0.5**0.5, 2, 78.9))
    assert [table.best(row) for row in table.rows] == ["BAUC-OF", "BAUC"]
    assert table.mean_gap_to_oracle() == pytest.approx({"SVM (ideal)": -2.0, "BAUC": 6.0, "BAUC-OF": 4.0})


def test_tables_are_written_with_the_best_in_bold():
    table = summarised(MADE_UP, RUNS)
    lines = as_csv(table).splitlines()
    assert lines[0] == "positives,system,auc_mean,auc_std,repeats,paper"
    assert len(lines) == 8
    text = as_markdown(table, RUNS)
    assert text.startswith("| positives | 20 | 25 | below the oracle |\n")
    assert "| BAUC | 80.50 ± 0.71 (78.90) | **82.50** ± 0.71 | 6.00 |" in text
    assert "| SVM (ideal) | 90.50 ± 0.71 |  | -2.00 |" in text
    assert text.endswith("| 25 | 1.0 | 3.0 (2.0) | 1.0 (0.5) | 4.0 |\n")


def test_tables_show_what_else_was_measured():
    runs = [{**run, "f1": 0.25 + 0.5 * run["seed"]} for run in RUNS]
    table = summarised(replace(MADE_UP, measured={"f1": "F1", "unknown": "?"}), runs)
    assert [(line["positives"], line["F1"]) for line in findings(table, runs)] == [("20", "0.500"), ("25", "0.500")]
    assert all(line["?"] == "" for line in findings(table, runs))
    by_columns = summarised(replace(MADE_UP, row_name="columns"), runs)
    assert [line["columns"] for line in findings(by_columns, runs)] == ["20", "25"]
    without = [run for run in runs if run["system"] == "BAUC"]
    assert summarised(MADE_UP, without).ours == "BAUC"


def test_both_readings_of_the_prior_stand_beside_the_papers_number():
    run = {"row": "20", "seed": 0, "system": "ERR (test prior)", "auc": 0.7}
    table = summarised(replace(MADE_UP, paper={("20", "ERR"): 66.0}), [run])
    assert table.entries["20", "ERR (test prior)"].paper == 66.0


def test_figures_are_data_first():
    table = summarised(MADE_UP, RUNS)
    line = next(line for line in auc_lines(table) if line.label == "BAUC")
    assert_array_equal(line.x, [20, 25])
    assert line.y == pytest.approx([80.5, 82.5])
    runs = [{**run, "estimate": run["auc"] + 0.02} for run in RUNS]
    assert error_line(runs, ["20", "25"], "estimate").y == pytest.approx([2.0, 2.0])
    assert [line.label for line in roc_lines(RUNS, "25", table.systems)] == ["BAUC", "BAUC-OF", "Oracle"]
    counted = replace(MADE_UP, family=lambda column: column[0])
    assert families_selected(counted, RUNS, "20") == {"a": 1.0}


@pytest.mark.parametrize(
    ("experiment", "rows"),
    [
        (MADE_UP, {"20": "20", "25": "25"}),
        (replace(MADE_UP, keeps_roc=True, family=lambda column: column[0]), {"20": "20", "25": "25"}),
        (replace(MADE_UP, rows=["x", "y"]), {"20": "x", "25": "y"}),
        (replace(figure1.experiment(), systems=["BAUC"]), {"20": "20", "25": "50"}),
    ],
    ids=["lines", "application", "dots", "figure1"],
)
def test_every_kind_of_figure_can_be_drawn(experiment, rows, tmp_path):
    pytest.importorskip("matplotlib")
    estimates = {"auc_by_training_rows": 0.9, "auc_estimated": 0.8}
    runs = [{**run, **estimates, "row": rows[run["row"]]} for run in RUNS if run["system"] in experiment.systems]
    draw(summarised(experiment, runs), runs).savefig(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text().lstrip().startswith("<?xml")


def test_long_titles_stay_inside_narrow_figures():
    backend = pytest.importorskip("matplotlib.backends.backend_agg")
    experiment = replace(MADE_UP, title="a title of many words " * 8, keeps_roc=True, family=str)
    runs = [run for run in RUNS if run["row"] == "20"]
    figure = draw(replace(summarised(experiment, runs), rows=["20"]), runs)
    canvas = backend.FigureCanvasAgg(figure)
    canvas.draw()
    extent = figure._suptitle.get_window_extent(canvas.get_renderer())
    assert 0 <= extent.x0 < extent.x1 <= figure.bbox.width


def test_no_two_systems_look_the_same():
    pytest.importorskip("matplotlib")
    systems = list(SYSTEMS)
    runs = [{**RUNS[0], "system": system} for system in systems]
    figure = draw(summarised(replace(MADE_UP, systems=systems), runs), runs)
    lines = [drawn.lines[0] for drawn in figure.axes[0].containers]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(systems)


def test_the_papers_numbers_are_its_own():
    assert (len(TABLE1), len(TABLE2), len(TABLE3)) == (90, 72, 90)
    assert TABLE1["40", "BAUC-OF"] == 88.21
    assert TABLE2["8", "SVM (ideal)"] == 81.63
    assert TABLE3["Hill-Valley(noise)", "BAUC"] == 84.28
