"""The demo compares with the truth: what it says is true; test_readme_demo.py holds README to it."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from command_line import run

from blindauc.analysis.against_truth import compare_with_truth
from blindauc.choice.baselines import BASELINES
from blindauc.cli.fit import fit
from blindauc.datasets import make_patients
from blindauc.model_files import load

pytestmark = pytest.mark.usefixtures("few_candidates")


@pytest.fixture(scope="module")
def demo(tmp_path_factory, few_candidates):
    folder = tmp_path_factory.mktemp("demo") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blindauc.cli.demo.fit", partial(fit, shape=["linear"]))
        result = run("demo", "--out", folder)
    assert result.exit_code == 0, result.output
    return folder, result.stdout


def test_the_demo_counts_what_its_files_say(demo):
    folder, said = demo
    patients = make_patients(random_state=0)
    assert "the truth is known" in said
    counts = re.search(r"(\d+) of the (\d+) wrong labels are among the first (\d+) of doubtful_labels.csv", said)
    found, wrong, checked = map(int, counts.groups())
    rows = pd.read_csv(folder / "doubtful_labels.csv")["row"].to_numpy()[:checked] - 1
    assert (found, wrong) == (patients.miscoded[rows].sum(), patients.miscoded.sum())
    assert found >= 0.7 * wrong
    infected = int(re.search(r"(\d+) of the first 50 patients without a label were truly infected", said)[1])
    ranking = pd.read_csv(folder / "ranking.csv")
    labelled = patients.table["infection"].eq("yes").to_numpy()[ranking["row"] - 1]
    top = ranking["row"].to_numpy()[~labelled][:50] - 1
    assert infected == patients.infected[top].sum()
    assert re.search(r"The best simple method, chosen with the truth, is [a-z0-9 ]+: \d+ of its first 50", said)


def test_the_simple_method_is_the_best_of_all(demo):
    folder, _ = demo
    patients = make_patients(random_state=0)
    model, table = load(folder / "model.skops"), pd.read_csv(folder / "patients.csv", dtype=str)
    is_labelled = (patients.table["infection"] == "yes").to_numpy()
    envelope = compare_with_truth(model, table, is_labelled, patients.infected)
    assert envelope.simple.name in BASELINES
    X = model[0].transform(table)
    scale = X.std(axis=0)
    by_means = X @ ((X[is_labelled].mean(axis=0) - X[~is_labelled].mean(axis=0)) / scale**2)
    unlabelled = np.flatnonzero(~is_labelled)
    top = unlabelled[np.argsort(-by_means[unlabelled])[:50]]
    assert envelope.simple.n_true >= patients.infected[top].sum()
    assert envelope.simple.n_wrong <= envelope.n_wrong
