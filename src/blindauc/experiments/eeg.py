"""The paper's second application: seizures in windows of EEG, 264 features, 5 wrong labels among 140.

The paper's recordings of mice are private. Simulated recordings and those of the University of Bonn, set S (seizure)
against all others, take their place. A recording gives two windows, one at its start and one at its end; both are in
the training set, or both in the test set.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.datasets import load_bonn_eeg, make_eeg
from blindauc.experiments.experiment import WITHOUT_TRUTH, Experiment
from blindauc.experiments.task import Task, pu_labels
from blindauc.features.eeg import eeg_features, feature_families, feature_names

WINDOW = 2056
"""Samples of a window, as in the paper."""

N_LABELLED, N_WRONG, N_UNLABELLED = 140, 5, 160
"""Labelled windows, wrong labels among them, and unlabelled windows, as in the paper."""

N_HIDDEN = 13
"""Seizures among the unlabelled windows: their share in the paper's recordings is 21,673 of 261,673."""


@cache
def _windows(row: str) -> tuple[Floats, Bools]:
    """Features of the two windows of each recording, shape (n_recordings, 2, 264), and the mask of seizures."""
    if row == "simulated":
        # A fixed population, from which every repeat draws its training recordings.
        recordings = make_eeg(random_state=0)
        signals, is_seizure, rate = recordings.signals, recordings.is_seizure, recordings.sampling_rate
    else:
        bonn = load_bonn_eeg()
        signals, is_seizure, rate = bonn.signals, bonn.sets == "S", bonn.sampling_rate
    both = np.stack([signals[:, :WINDOW], signals[:, -WINDOW:]], axis=1)
    features = eeg_features(both.reshape(-1, WINDOW), rate)
    return features.reshape(len(signals), 2, -1), is_seizure


def _draw(row: str, seed: int) -> Task:
    features, is_seizure = _windows(row)
    rng = np.random.default_rng(seed)
    seizures, others = (rng.permutation(np.flatnonzero(kind)) for kind in (is_seizure, ~is_seizure))
    n_pos = N_LABELLED - N_WRONG + N_HIDDEN
    n_neg = N_LABELLED + N_UNLABELLED - n_pos
    train = np.concatenate([seizures[: n_pos // 2], others[: n_neg // 2]])
    test = np.setdiff1d(np.arange(len(features)), train)
    y_true, y_test = (np.repeat(is_seizure[part], 2).astype(np.intp) for part in (train, test))
    mislabelled = rng.permutation(np.flatnonzero(y_true == 0))[:N_WRONG]
    return Task(
        features[train].reshape(len(y_true), -1),
        pu_labels(y_true, N_LABELLED - N_WRONG, rng, mislabelled),
        y_true,
        features[test].reshape(len(y_test), -1),
        y_test,
        columns=feature_names(),
        blocks=np.repeat(train, 2),
    )


def _wrong_among_most_suspicious(model: Any, task: Task) -> dict[str, Any]:
    """The number of wrong labels among the most suspicious ones, twice as many as there are wrong labels."""
    if not hasattr(model, "suspicion_"):
        return {}
    checked = model.labelled_rows_[np.argsort(-model.suspicion_, kind="stable")[: 2 * N_WRONG]]
    return {"wrong_among_checked": len(np.intersect1d(checked, task.outliers))}


def experiment() -> Experiment:
    """The experiment on seizures in EEG, with substitutes for the private data."""
    families = dict(zip(feature_names(), feature_families(), strict=True))
    return Experiment(
        name="eeg",
        title="Seizures in EEG (stand-ins): AUC with 140 labelled windows, 5 of them wrong, and 160 unlabelled ones",
        row_name="recordings",
        rows=["simulated", "Bonn"],
        draw=_draw,
        systems=WITHOUT_TRUTH,
        measure=_wrong_among_most_suspicious,
        measured={"wrong_among_checked": f"wrong among the {2 * N_WRONG} most suspicious"},
        keeps_roc=True,
        family=families.__getitem__,
    )
