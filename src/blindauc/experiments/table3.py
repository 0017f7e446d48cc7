"""Table 3: public data with small training sets; three quarters of the positives are labelled."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.datasets import load_arrhythmia, load_diabetes130, load_hill_valley, load_spectf
from blindauc.experiments import paper
from blindauc.experiments.experiment import WITHOUT_TRUTH, Experiment
from blindauc.experiments.splits import drawn_rows, drawn_task
from blindauc.experiments.task import Task, pu_labels
from blindauc.preprocessing import feature_groups, make_preprocessor

LABELLED_SHARE = 0.75
HEALTH, DISEASE_1, DISEASE_2 = 1, 10, 2


class Scenario(NamedTuple):
    """Two sets of classes of Arrhythmia; `against=None` means all other classes."""

    positive: int
    against: tuple[int, ...] | None
    n_negatives: int


ARRHYTHMIA = {
    "disease 1 vs disease 2": Scenario(DISEASE_1, (DISEASE_2,), 20),
    "disease 1 vs health": Scenario(DISEASE_1, (HEALTH,), 80),
    "disease 2 vs health": Scenario(DISEASE_2, (HEALTH,), 80),
    "health vs disease 1,2": Scenario(HEALTH, (DISEASE_1, DISEASE_2), 40),
    "health vs all": Scenario(HEALTH, None, 80),
}
N_ARRHYTHMIA_POSITIVES = 20

READMISSION_POSITIVES, READMISSION_NEGATIVES, READMISSION_OUTLIERS = 20, 30, 3
N_READMISSION_TEST = 10_000
"""Test rows out of about 100,000: enough for the AUC to half a percentage point; encoding all takes minutes."""

HILLS, VALLEYS = 50, 150


_electrocardiograms = cache(load_arrhythmia)


def _arrhythmia(scenario: Scenario, rng: np.random.Generator) -> Task:
    data = _electrocardiograms()
    is_positive = data.y == scenario.positive
    taken = is_positive | (np.isin(data.y, scenario.against) if scenario.against else ~is_positive)
    return drawn_task(
        data.X[taken],
        is_positive[taken],
        n_pos=N_ARRHYTHMIA_POSITIVES,
        n_neg=scenario.n_negatives,
        n_labelled=round(LABELLED_SHARE * N_ARRHYTHMIA_POSITIVES),
        rng=rng,
        columns=data.columns,
    )


def _spectf(rng: np.random.Generator) -> Task:
    """The published split; only the labelled positives (normal hearts) are drawn at random."""
    train, test = load_spectf()
    y_true, y_test = ((part.y == 0).astype(np.intp) for part in (train, test))
    y_pu = pu_labels(y_true, round(LABELLED_SHARE * int(y_true.sum())), rng)
    return Task(train.X, y_pu, y_true, test.X, y_test, columns=train.columns)


@cache
def _readmissions() -> tuple[Any, Bools]:
    """Encounters without identifiers, and the mask of those that were not followed by a readmission."""
    frame = load_diabetes130()
    is_positive = (frame["readmitted"] == "NO").to_numpy()
    return frame.drop(columns=["readmitted", "encounter_id", "patient_nbr"]), is_positive


def _readmission(n_outliers: int, rng: np.random.Generator) -> Task:
    frame, is_positive = _readmissions()
    train, others = drawn_rows(is_positive, READMISSION_POSITIVES, READMISSION_NEGATIVES + n_outliers, rng)
    test = others[:N_READMISSION_TEST]
    rows = frame.iloc[train]
    rows = rows.loc[:, rows.nunique(dropna=False) > 1]  # in a small sample, a column such as weight may be empty
    preprocessor = make_preprocessor(rows, min_frequency=2)
    X = preprocessor.fit_transform(rows)
    y_true = is_positive[train].astype(np.intp)
    mislabelled = np.arange(len(train) - n_outliers, len(train))
    y_pu = pu_labels(y_true, round(LABELLED_SHARE * READMISSION_POSITIVES), rng, mislabelled)
    return Task(
        X,
        y_pu,
        y_true,
        preprocessor.transform(frame.iloc[test]),
        is_positive[test].astype(np.intp),
        groups=feature_groups(preprocessor),
        columns=tuple(preprocessor.get_feature_names_out()),
    )


@cache
def _terrain(noise: bool) -> tuple[Floats, Bools]:
    data = load_hill_valley(noise=noise)
    return data.X, data.y == 1


def _hill_valley(noise: bool, rng: np.random.Generator) -> Task:
    X, is_hill = _terrain(noise)
    return drawn_task(X, is_hill, n_pos=HILLS, n_neg=VALLEYS, n_labelled=round(LABELLED_SHARE * HILLS), rng=rng)


def _draw(row: str, seed: int) -> Task:
    rng = np.random.default_rng(seed)
    if row in ARRHYTHMIA:
        return _arrhythmia(ARRHYTHMIA[row], rng)
    if row == "SPECTF":
        return _spectf(rng)
    if row.startswith("Readmission"):
        return _readmission(READMISSION_OUTLIERS if "outlier" in row else 0, rng)
    return _hill_valley("noise" in row, rng)


def experiment() -> Experiment:
    """The experiment of Table 3."""
    rows = [
        *ARRHYTHMIA,
        "SPECTF",
        "Readmission",
        "Readmission(outlier)",
        "Hill-Valley",
        "Hill-Valley(noise)",
    ]
    return Experiment(
        name="table3",
        title="Table 3: AUC on public data with few labels",
        row_name="data set",
        rows=rows,
        draw=_draw,
        systems=WITHOUT_TRUTH,
        repeats=20,
        paper=paper.TABLE3,
    )
