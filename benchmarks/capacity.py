"""Coverage and width of the 95 % interval of `expected_found`.

Each draw fits `BlindAUCClassifier` to 150 labelled and 1500 unlabelled rows, of which a fifth are positive, with an AUC
of 0.85. It then estimates the number of positives among the first k unlabelled training rows ("training"), and among
the first k of 1500 rows drawn like them ("new"). The last columns are the same for `expected_wrong` among the first 20
labels.

Run with `python benchmarks/capacity.py [--draws N] [--jobs N]` (200 draws take some minutes). The bar: every interval
holds the truth in at least 90 % of the draws, with the prior given and without; without it, intervals may be wide.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from blindauc import BlindAUCClassifier, Estimate, expected_found
from blindauc.datasets import make_correlated_data

PRIOR = 0.2
CAPACITIES = (20, 50, 200)
N_CHECKED = 20
SIZES = {"n_features": 10, "n_relevant": 5, "n_pos": 150, "n_unlabelled": 1500, "auc": 0.85}


class Asked(NamedTuple):
    """An estimated number with its interval, and the true number."""

    expected: Estimate
    truth: int

    @property
    def is_held(self) -> bool:
        return self.expected.low <= self.truth <= self.expected.high

    @property
    def width(self) -> float:
        return self.expected.high - self.expected.low


def draw(seed: int, contamination: float, prior: float | None) -> dict[str, list[Asked]]:
    """One fit, and all its estimates."""
    data = make_correlated_data(contamination, prior=PRIOR, random_state=seed, **SIZES)
    model = BlindAUCClassifier(prior=prior).fit(data.X, data.y_pu)
    unlabelled = data.y_pu == 0
    fresh, truth = like_unlabelled(data, np.random.default_rng(seed))
    checked = model.doubtful_labels(k=N_CHECKED)
    return {
        "training": found(model, data.X[unlabelled], data.y_true[unlabelled], data.X, training=True),
        "new": found(model, fresh, truth, fresh, training=False),
        "wrong": [Asked(model.expected_wrong(N_CHECKED), int((data.y_true[checked] == 0).sum()))],
    }


def like_unlabelled(data, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Test rows with the class prior of the unlabelled rows."""
    n_rows = SIZES["n_unlabelled"]
    n_positive = rng.binomial(n_rows, PRIOR)
    positives, negatives = (np.flatnonzero(data.y_test == kind) for kind in (1, 0))
    rows = np.append(positives[:n_positive], negatives[: n_rows - n_positive])
    return data.X_test[rows], data.y_test[rows]


def found(model, X: np.ndarray, truth: np.ndarray, asked: np.ndarray, *, training: bool) -> list[Asked]:
    ranked = truth[np.argsort(-model.decision_function(X), kind="stable")]
    expected = expected_found(model, asked, CAPACITIES, training=training)
    return [Asked(each, int(ranked[:k].sum())) for k, each in zip(CAPACITIES, expected, strict=True)]


def line(asked: list[list[Asked]]) -> str:
    """Coverage and mean width of each estimate."""
    cells = [
        f"{100 * np.mean([each.is_held for each in column]):>6.1f} %{np.mean([each.width for each in column]):>7.1f}"
        for column in zip(*asked, strict=True)
    ]
    return "".join(f"{cell:>17}" for cell in cells)


def main(n_draws: int, n_jobs: int) -> None:
    heads = [f"k = {k}" for k in CAPACITIES]
    print(f"{'labels':<12}{'prior':<8}{'rows':<10}" + "".join(f"{head:>17}" for head in heads))
    print(" " * 30 + f"{'held   width':>17}" * len(heads))
    for contamination, prior in product((0.0, 0.1), (PRIOR, None)):
        runs = Parallel(n_jobs)(delayed(draw)(seed, contamination, prior) for seed in range(n_draws))
        labels, given = f"{100 * contamination:.0f} % wrong", "given" if prior else "unknown"
        for rows in ("training", "new", "wrong"):
            print(f"{labels:<12}{given:<8}{rows:<10}{line([run[rows] for run in runs])}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1, help="draws side by side")
    options = parser.parse_args()
    main(options.draws, options.jobs)
