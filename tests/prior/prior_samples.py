"""Scores of samples of which the prior is known."""

from __future__ import annotations

import numpy as np


def samples(seed=0, n_lab=200, n_unl=800, prior=0.3, contamination=0.0, distance=2.5):
    rng = np.random.default_rng(seed)
    labelled = rng.normal(np.where(rng.random(n_lab) < contamination, 0.0, distance))
    unlabelled = rng.normal(np.where(rng.random(n_unl) < prior, distance, 0.0))
    return labelled, unlabelled


SMALL = {
    "two and one": ([1.0, 2.0], [0.0]),
    "one and one": ([0.0], [0.0]),
    "wrong way round": ([0.0, 0.1], [1.0, 2.0]),
    "five and ten": (np.arange(5.0) + 7, np.arange(10.0)),
    "all equal": (np.ones(30), np.ones(100)),
    "two values": (np.array([0.0] * 3 + [1.0] * 20), np.array([0.0] * 70 + [1.0] * 30)),
    "one unlabelled": (np.arange(50.0), [25.0]),
    "one labelled": ([40.0], np.arange(50.0)),
    "huge range": ([1e300, -1e300, 0.0], [1e-300, -1e300, 5.0]),
}


def gamma_sample(seed, kind, n_lab=120, n_unl=1200, prior=0.2, share=0.1):
    """Scores of a distribution by which no constant was set, with an AUC of 0.87; wrong labels come first."""
    rng = np.random.default_rng(seed)
    n_wrong = 0 if kind == "clean" else rng.binomial(n_lab, share)
    unlabelled = rng.gamma(3, np.where(rng.random(n_unl) < prior, 2.6, 1.0))
    wrong = rng.gamma(3, 1.0, n_wrong) if kind == "ordinary" else -rng.random(n_wrong)
    return np.concatenate([wrong, rng.gamma(3, 2.6, n_lab - n_wrong)]), unlabelled, n_wrong
