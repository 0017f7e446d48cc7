"""Tables and figures from rows, beside the paper's numbers."""

from dataclasses import replace

import pytest
from numpy.testing import assert_array_equal
from small_tasks import SMALL

from blindauc.experiments import figure1
from blindauc.experiments.figures import auc_lines, draw, error_line, families_selected, roc_lines
from blindauc.experiments.paper import TABLE1, TABLE2, TABLE3
from blindauc.experiments.systems import SYSTEMS
from blindauc.experiments.tables import as_csv, as_markdown, findings, summarised

pytestmark = pytest.mark.usefixtures("few_candidates", "two_folds")

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
