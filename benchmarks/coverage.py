"""Coverage of the 95 % interval of `pu_auc_score`, over 500 simulated data sets per line.

Scores are normal with a known AUC. "one sample" draws rows with an overall prior of 0.3 and labels some of the
positives (and, if contaminated, of the negatives) at random; the prior among the unlabelled rows then comes from
`prior_among_unlabelled_from_counts`. "two samples" draws labelled positives separately from unlabelled rows with a
prior of 0.3. An uncertain prior is drawn around the true one, with its standard error.

Run with `python benchmarks/coverage.py` (minutes). The bar: every line within 92 to 98 %.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from blindauc import Estimate
from blindauc.metrics import pu_auc_score
from blindauc.theory import prior_among_unlabelled_from_counts

N_SETS = 500
PRIOR = 0.3
PRIOR_ERROR = 0.04


class Draw(NamedTuple):
    y_pu: np.ndarray
    y_true: np.ndarray
    prior: float


def one_sample(rng: np.random.Generator, n_pos: int, n_unl: int, contamination: float) -> Draw:
    n = n_pos + n_unl
    y_true = rng.uniform(size=n) < PRIOR
    n_labelled = np.array([n_pos * contamination, n_pos * (1 - contamination)])
    chance = n_labelled / (n * np.array([1 - PRIOR, PRIOR]))
    y_pu = rng.uniform(size=n) < chance[y_true.astype(int)]
    counts = {"n_pos": int(y_pu.sum()), "n_unl": int((~y_pu).sum())}
    return Draw(y_pu, y_true, prior_among_unlabelled_from_counts(PRIOR, **counts, contamination=contamination))


def two_samples(rng: np.random.Generator, n_pos: int, n_unl: int, contamination: float) -> Draw:
    y_pu = np.arange(n_pos + n_unl) < n_pos
    y_true = rng.uniform(size=n_pos + n_unl) < np.where(y_pu, 1 - contamination, PRIOR)
    return Draw(y_pu, y_true, PRIOR)


def uncertain_prior(rng: np.random.Generator, n_pos: int, n_unl: int, contamination: float) -> Draw:
    y_pu, y_true, prior = two_samples(rng, n_pos, n_unl, contamination)
    given = rng.normal(prior, PRIOR_ERROR)
    return Draw(y_pu, y_true, Estimate(given, given - 1.96 * PRIOR_ERROR, given + 1.96 * PRIOR_ERROR))


def coverage(
    scenario: Callable[..., Draw], n_pos: int, n_unl: int, contamination: float, auc: float, methods: tuple[str, ...]
) -> list[tuple[float, float]]:
    """Coverage and mean width of the interval of each method."""
    shift = NormalDist().inv_cdf(auc) * 2**0.5
    intervals: dict[str, list[Estimate]] = {method: [] for method in methods}
    for seed in range(N_SETS):
        rng = np.random.default_rng(seed)
        y_pu, y_true, prior = scenario(rng, n_pos, n_unl, contamination)
        scores = rng.normal(size=len(y_true)) + shift * y_true
        for method, mine in intervals.items():
            mine.append(
                pu_auc_score(y_pu, scores, prior=prior, contamination=contamination, method=method, random_state=seed)
            )
    return [
        (float(np.mean([e.low <= auc <= e.high for e in mine])), float(np.mean([e.high - e.low for e in mine])))
        for mine in intervals.values()
    ]


def main(methods: tuple[str, ...] = ("delong", "bootstrap")) -> None:
    warnings.simplefilter("ignore", UserWarning)  # an estimate above 1 is part of the experiment
    heads = "".join(f"{method:>12}{'width':>8}" for method in methods)
    print(f"{'scenario':<17}{'contaminated':>13}{'rows':>12}{'AUC':>6}{heads}")
    for scenario, contamination, (n_pos, n_unl), auc in product(
        (one_sample, two_samples, uncertain_prior), (0.0, 0.1), ((30, 300), (100, 1000)), (0.75, 0.9)
    ):
        cells = coverage(scenario, n_pos, n_unl, contamination, auc, methods)
        line = "".join(f"{100 * covered:>10.1f} %{width:>8.3f}" for covered, width in cells)
        name = scenario.__name__.replace("_", " ")
        print(f"{name:<17}{100 * contamination:>11.0f} %{f'{n_pos} / {n_unl}':>12}{auc:>6}{line}", flush=True)


if __name__ == "__main__":
    main()
