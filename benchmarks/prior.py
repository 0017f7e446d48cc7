"""Error of the estimated prior and coverage of its interval. Run with `python benchmarks/prior.py [--repeats N]`.

Every line is one distribution of the scores, averaged over two separations and priors from 0.05 to 0.6, with new
samples for each. The truth is the share in the population, not the count in the sample. pulearn's histogram matching
gets the same scores as its only column; it is left out, with a note, if pulearn is not installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import fmean
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from blindauc.prior import best_bin_prior, mixture_prior

try:
    from pulearn.priors import HistogramMatchPriorEstimator
except ImportError:
    HistogramMatchPriorEstimator = None

PRIORS = (0.05, 0.15, 0.3, 0.45, 0.6)
SIZES = ((300, 3000), (1000, 3000), (100, 300))
SEPARATIONS = {"well": (0.92, 0.97), "badly": (0.62, 0.72)}
CONTAMINATIONS = (0.0, 0.1)
HEADER = """\
                                prior, default estimator    contamination        best bin       pulearn
                               error    bias  cover  width    error  cover      error  cover     error"""

Law = Callable[[np.random.Generator, int], np.ndarray]
Pair = tuple[Law, Law]


def shifted(law: stats.rv_continuous) -> Callable[[float], Pair]:
    return lambda d: (lambda r, n: law.rvs(n, random_state=r), lambda r, n: d + law.rvs(n, random_state=r))


def two_humps(rng: np.random.Generator, n: int, low: float, high: float, share_low: float) -> np.ndarray:
    return rng.normal(np.where(rng.random(n) < share_low, low, high), 1.0)


DISTRIBUTIONS: dict[str, Callable[[float], Pair]] = {
    "normal": shifted(stats.norm()),
    "normal, wide positives": lambda d: (lambda r, n: r.normal(0, 1, n), lambda r, n: r.normal(d, 1.5, n)),
    "normal, narrow positives": lambda d: (lambda r, n: r.normal(0, 1, n), lambda r, n: r.normal(d, 0.7, n)),
    "t with 4 degrees": shifted(stats.t(4)),
    "logistic": shifted(stats.logistic()),
    "Gumbel, long low tail": shifted(stats.gumbel_l()),
    "gamma, by scale": lambda d: (lambda r, n: r.gamma(3, 1, n), lambda r, n: r.gamma(3, np.exp(d), n)),
    "beta, mirrored": lambda d: (lambda r, n: r.beta(1.5, 1.5 + d, n), lambda r, n: r.beta(1.5 + d, 1.5, n)),
    "uniform / power": lambda d: (lambda r, n: r.random(n), lambda r, n: r.random(n) ** np.exp(-d)),
    "Laplace": shifted(stats.laplace()),
    "two humps of positives": lambda d: (
        lambda r, n: r.normal(0, 1, n),
        lambda r, n: two_humps(r, n, d / 2, 3 * d / 2, 0.4),
    ),
    "two humps of negatives": lambda d: (
        lambda r, n: two_humps(r, n, -d / 2, d / 2, 0.7),
        lambda r, n: r.normal(d, 1, n),
    ),
}


def auc(pair: Pair) -> float:
    rng = np.random.default_rng(12345)
    negative, positive = pair[0](rng, 100_000), pair[1](rng, 100_000)
    return float(np.searchsorted(np.sort(negative), positive).mean() / len(negative))


def pair_with_auc(name: str, target: float) -> Pair:
    family = DISTRIBUTIONS[name]
    return family(optimize.brentq(lambda d: auc(family(d)) - target, 0.0, 12.0, xtol=0.005))


def sample(
    pair: Pair, rng: np.random.Generator, sizes: tuple[int, int], prior: float, contamination: float
) -> tuple[np.ndarray, np.ndarray]:
    """Labelled and unlabelled scores; every row is a positive or not independently of the others."""
    drawn = []
    for n, share in zip(sizes, (1 - contamination, prior), strict=True):
        n_pos = rng.binomial(n, share)
        drawn.append(np.concatenate([pair[1](rng, n_pos), pair[0](rng, n - n_pos)]))
    return drawn[0], drawn[1]


class Run(NamedTuple):
    """Results of one sample: absolute errors, and coverage and width of the 95 % intervals."""

    error: float
    bias: float
    covered: float
    width: float
    contamination_error: float
    contamination_covered: float
    best_bin_error: float
    best_bin_covered: float
    peer_error: float


def one_run(pair: Pair, rng: np.random.Generator, sizes: tuple[int, int], prior: float, contamination: float) -> Run:
    labelled, unlabelled = sample(pair, rng, sizes, prior, contamination)
    ours, best_bin = mixture_prior(labelled, unlabelled), best_bin_prior(labelled, unlabelled)
    wrong = ours.contamination
    return Run(
        abs(ours.prior - prior),
        ours.prior - prior,
        ours.prior.low <= prior <= ours.prior.high,
        ours.prior.high - ours.prior.low,
        abs(wrong - contamination),
        wrong.low <= contamination <= wrong.high,
        abs(best_bin.prior - prior),
        best_bin.prior.low <= prior <= best_bin.prior.high,
        abs(peer_prior(labelled, unlabelled) - prior),
    )


def peer_prior(labelled: np.ndarray, unlabelled: np.ndarray) -> float:
    """pulearn's estimate of the share of positives among the unlabelled rows."""
    if HistogramMatchPriorEstimator is None:
        return np.nan
    scores = np.concatenate([labelled, unlabelled])[:, None]
    labels = np.repeat([1, 0], [len(labelled), len(unlabelled)])
    return HistogramMatchPriorEstimator().estimate(scores, labels).metadata["hidden_positive_fraction"]


def measure(sizes: tuple[int, int], aucs: tuple[float, ...], contamination: float, repeats: int) -> None:
    worst = [0.0, 1.0, 1.0]
    for name in DISTRIBUTIONS:
        rng = np.random.default_rng(0)
        runs = [
            one_run(pair, rng, sizes, prior, contamination)
            for pair in [pair_with_auc(name, auc) for auc in aucs]
            for prior in PRIORS * repeats
        ]
        mean = Run(*map(fmean, zip(*runs, strict=True)))
        worst = [
            max(worst[0], mean.error),
            min(worst[1], mean.covered),
            min(worst[2], mean.contamination_covered),
        ]
        print(
            f"  {name:26}{mean.error:6.3f}{mean.bias:+8.3f}{mean.covered:7.2f}{mean.width:7.2f}"
            f"{mean.contamination_error:11.3f}{mean.contamination_covered:7.2f}"
            f"{mean.best_bin_error:11.3f}{mean.best_bin_covered:7.2f}{mean.peer_error:10.3f}",
            flush=True,
        )
    print(f"  {'worst':26}{worst[0]:6.3f}{'':8}{worst[1]:7.2f}{'':18}{worst[2]:7.2f}")


def speed() -> None:
    rng = np.random.default_rng(0)
    labelled, unlabelled = sample(pair_with_auc("normal", 0.92), rng, (1000, 5000), 0.3, 0.0)
    mixture_prior(labelled, unlabelled)
    start = perf_counter()
    mixture_prior(labelled, unlabelled)
    print(f"one estimate with its intervals, 1000 and 5000 scores: {perf_counter() - start:.2f} s  (bar: below 0.5)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2, help="samples for each prior and AUC")
    repeats = parser.parse_args().repeats
    speed()
    if HistogramMatchPriorEstimator is None:
        print("pulearn is not installed, so its column is empty; pip install pulearn fills it")
    for sizes in SIZES:
        for separation, aucs in SEPARATIONS.items():
            for contamination in CONTAMINATIONS:
                print(f"\n{sizes[0]} labelled, {sizes[1]} unlabelled, {separation} separated (AUC {aucs}), ", end="")
                print(f"contamination {contamination}, {2 * repeats * len(PRIORS)} samples a row")
                print(HEADER)
                measure(sizes, aucs, contamination, repeats)


if __name__ == "__main__":
    main()
