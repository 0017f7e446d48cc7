"""Coverage and width of the 95 % intervals, and the labels that are flagged.

`python benchmarks/intervals.py` fits linear scores with `BlindAUCClassifierCV` to random tables of 120 labelled and
1200 unlabelled rows (hours). With `--scores` it draws a score per row instead (minutes), from a random distribution
with a random AUC and prior. There is a line for clean labels, for 10 % ordinary negatives and for 10 % far negatives
among the labels; each for two samples and for one sample (whose labelled rows are missing among the unlabelled ones);
and each with the prior given or not.

The numbers of wrong labels and of hidden positives are random, and the truth is their expectation. `ratio` is the
width of the interval of the AUC divided by that of DeLong's for as many rows with true labels. `false` is the mean
share of correct labels among the flagged ones (0 if none is flagged), `pooled` that of all flagged labels together.

Three columns are limits that no method can exceed (`benchmarks/oracle.py`). `known` is the ratio if prior and
contamination are known exactly and every shape of the classes is possible, `ideal` if the family of shapes is known but
not the contamination, nor the prior unless it is given. `most` is the recall if both densities are known.

The bars: every interval holds the truth in 92 to 99 % of the draws; far labels are flagged to at least 95 %; `false` is
at most 0.3, and of clean labels at most 3 % are flagged. A ratio of 1.3 with the prior given cannot be reached by
intervals that hold the truth: it is below `known` and `ideal`.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from oracle import delong_width, ideal_flags, ideal_width, pair_of, theorem_width
from prior import DISTRIBUTIONS

from blindauc import BlindAUCClassifierCV, Estimate
from blindauc.datasets import make_correlated_data
from blindauc.prior import flag
from blindauc.ranks import Ranked, share_below
from blindauc.trust import assess_ranks

SHAPED_ON = ("normal", "normal, wide positives", "normal, narrow positives", "t with 4 degrees", "logistic")
"""Distributions on which the constants of `blindauc.prior` were set."""

KINDS = ("clean", "ordinary", "far")
SHARE = 0.1
PRIORS = (0.05, 0.1, 0.2, 0.3, 0.4)
AUCS = (0.75, 0.8, 0.85, 0.9, 0.95)
HEADER = (
    f"{'':28}auc                                 prior       contamination flagged\n"
    f"{'labels     design     prior':28}cover width ratio known ideal   bias cover width cover width   all recall most"
    " false pooled"
)


class Counts(NamedTuple):
    """Numbers of rows of each kind, and the expected shares."""

    n_pos: int
    n_wrong: int
    n_unl: int
    n_hidden: int
    prior: float
    contamination: float


class Run(NamedTuple):
    """The results of one draw."""

    auc_held: float
    auc_width: float
    ratio: float
    known: float
    ideal: float
    bias: float
    prior_held: float
    prior_width: float
    contamination_held: float
    contamination_width: float
    flagged: float
    recall: float
    most: float
    false: float
    n_false: float
    n_flagged: float


def drawn_counts(
    rng: np.random.Generator, design: str, n_pos: int, n_unl: int, prior: float, contamination: float
) -> Counts:
    """The number of rows of each kind; with one sample, every row is labelled or not at random."""
    if design == "two_sample":
        n_wrong, n_hidden = rng.binomial(n_pos, contamination), rng.binomial(n_unl, prior)
        return Counts(n_pos, n_wrong, n_unl, n_hidden, prior, contamination)
    expected = np.array([n_pos * (1 - contamination), n_pos * contamination, n_unl * prior, n_unl * (1 - prior)])
    right, wrong, hidden, negative = rng.multinomial(n_pos + n_unl, expected / expected.sum())
    return Counts(right + wrong, wrong, hidden + negative, hidden, prior, contamination)


class Limits(NamedTuple):
    """Widths of intervals of the AUC, and the recall, of oracles (`oracle.py`)."""

    delong: float
    known: float
    ideal: float
    recall: float


def widths_of(pos: np.ndarray, neg: np.ndarray, counts: Counts, is_far: bool) -> tuple[float, float]:
    """Width of DeLong's interval with true labels, and of that by Theorem 1, given many scores of each class."""
    n_right = counts.n_pos - counts.n_wrong
    n_taken, contamination = (n_right, 0.0) if is_far else (counts.n_pos, counts.contamination)
    return (
        delong_width(pos, neg, n_right, counts.n_unl - counts.n_hidden),
        theorem_width(pos, neg, n_taken, counts.n_unl, counts.prior, contamination),
    )


def run_of(
    counts: Counts,
    wrong: np.ndarray,
    suspicion: np.ndarray,
    true_auc: float,
    limits: Limits,
    auc: Estimate,
    prior: Estimate,
    contamination: Estimate,
) -> Run:
    flagged = flag(suspicion, max_fdr=0.2)
    n_flagged, n_hits = flagged.sum(), flagged[wrong].sum()
    return Run(
        auc.low <= true_auc <= auc.high,
        auc.high - auc.low,
        (auc.high - auc.low) / limits.delong,
        limits.known / limits.delong,
        limits.ideal / limits.delong,
        auc - true_auc,
        prior.low <= counts.prior <= prior.high,
        prior.high - prior.low,
        contamination.low <= counts.contamination <= contamination.high,
        contamination.high - contamination.low,
        flagged.mean(),
        n_hits / max(1, wrong.sum()),
        limits.recall,
        (n_flagged - n_hits) / max(1, n_flagged),
        n_flagged - n_hits,
        n_flagged,
    )


def run_on_scores(seed: int, names: list[str], kind: str, design: str, given: bool, sizes: tuple[int, int]) -> Run:
    rng = np.random.default_rng(seed)
    name, true_auc, prior = (options[rng.integers(len(options))] for options in (names, AUCS, PRIORS))
    pair = pair_of(name, true_auc)
    counts = drawn_counts(rng, design, *sizes, prior, 0.0 if kind == "clean" else SHARE)
    unl = np.concatenate([pair[1](rng, counts.n_hidden), pair[0](rng, counts.n_unl - counts.n_hidden)])
    # Far labels score around the lowest hundredth of the unlabelled rows and below.
    wrong = np.quantile(unl, 0.01) - unl.std() * rng.exponential(size=counts.n_wrong)
    if kind == "ordinary":
        wrong = pair[0](rng, counts.n_wrong)
    pos = np.concatenate([wrong, pair[1](rng, counts.n_pos - counts.n_wrong)])
    weight = np.ones(len(unl))
    ranked = Ranked(share_below(pos, unl, weight), share_below(unl, unl, weight), np.ones(len(pos)), weight)
    found = assess_ranks(ranked, prior if given else None)
    is_wrong, is_far = np.arange(counts.n_pos) < counts.n_wrong, kind == "far"
    ideal = ideal_width(pos[~is_wrong] if is_far else pos, unl, name, prior if given else None)
    told = is_wrong if is_far else ideal_flags(pos, pair, counts.contamination)
    recall = told[is_wrong].sum() / max(1, counts.n_wrong)
    limits = Limits(*widths_of(pair[1](rng, 5000), pair[0](rng, 5000), counts, is_far), ideal, recall)
    numbers = found.auc, found.estimate.prior, found.estimate.contamination
    return run_of(counts, is_wrong, found.suspicion, true_auc, limits, *numbers)


def run_on_fits(seed: int, names: list[str], kind: str, design: str, given: bool, sizes: tuple[int, int]) -> Run:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    counts = drawn_counts(rng, design, *sizes, prior=0.2, contamination=0.0 if kind == "clean" else SHARE)
    data = make_correlated_data(
        counts.n_wrong / counts.n_pos,
        outliers="far" if kind == "far" else "ordinary",
        n_pos=counts.n_pos,
        n_unlabelled=counts.n_unl,
        prior=counts.n_hidden / counts.n_unl,
        random_state=seed,
    )
    model = BlindAUCClassifierCV(shape="linear", prior=counts.prior if given else None, sampling=design, random_state=0)
    model.fit(data.X, data.y_pu)
    scores = model.decision_function(data.X_test)
    pos, neg = scores[data.y_test == 1], scores[data.y_test == 0]
    true_auc = float(share_below(pos, neg, np.ones(len(neg))).mean())
    is_wrong = np.isin(model.labelled_rows_, data.outliers)
    # A linear score of normal columns is normal in each class, but its ideal interval and flags are not computed here.
    limits = Limits(*widths_of(pos, neg, counts, kind == "far"), np.nan, np.nan)
    numbers = model.auc_, model.prior_, model.contamination_
    return run_of(counts, is_wrong, model.suspicion_, true_auc, limits, *numbers)


def line(runs: list[Run]) -> str:
    mean = Run(*(float(np.mean(column)) for column in zip(*runs, strict=True)))
    return (
        f"{mean.auc_held:5.3f}{mean.auc_width:6.3f}{mean.ratio:6.2f}{mean.known:6.2f}{mean.ideal:6.2f}{mean.bias:+7.3f}"
        f"{mean.prior_held:6.3f}{mean.prior_width:6.3f}{mean.contamination_held:6.3f}{mean.contamination_width:6.3f}"
        f"{mean.flagged:6.3f}{mean.recall:7.2f}{mean.most:5.2f}{mean.false:6.2f}"
        f"{mean.n_false / max(mean.n_flagged, 1e-9):7.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200, help="of every line")
    parser.add_argument("--scores", action="store_true", help="draw scores instead of fitting")
    parser.add_argument("--names", nargs="*", help="distributions of the scores; by default those not shaped on")
    parser.add_argument("--n-pos", type=int, default=120)
    parser.add_argument("--n-unl", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    names = asked.names or [name for name in DISTRIBUTIONS if name not in SHAPED_ON]
    one_run = run_on_scores if asked.scores else run_on_fits
    sizes = asked.n_pos, asked.n_unl
    print(f"{asked.n_pos} labelled, {asked.n_unl} unlabelled rows, {asked.draws} draws a line")
    print(HEADER)
    for kind, design, given in product(KINDS, ("two_sample", "one_sample"), (False, True)):
        runs = Parallel(n_jobs=asked.jobs)(
            delayed(one_run)(seed, names, kind, design, given, sizes)
            for seed in range(asked.seed, asked.seed + asked.draws)
        )
        print(f"{kind:11}{design:11}{'given' if given else '-':6}{line(runs)}", flush=True)


if __name__ == "__main__":
    main()
