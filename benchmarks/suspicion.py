"""False discovery rate of the flagged labels. Run with `python benchmarks/suspicion.py [--repeats N]`.

The labels are clean, or include ordinary negatives, or far ones (scores below all negatives); 10 % of them are wrong,
or the share given by `--share`. `flag` controls the expected false discovery rate at 0.2; a data set without a flagged
label counts as 0.

The bars: at most 3 % of clean labels are flagged, the false discovery rate is at most 0.3, and the recall of far labels
is at least 0.95.
"""

from __future__ import annotations

import argparse
from statistics import fmean

import numpy as np
from prior import DISTRIBUTIONS, Pair, pair_with_auc

from blindauc.prior import fit_score_model, flag

PRIORS = (0.05, 0.3, 0.6)
SIZES = ((300, 3000), (100, 300))
AUCS = (0.85, 0.9, 0.95)
KINDS = ("clean", "ordinary", "far")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2, help="samples for each prior and AUC")
    parser.add_argument("--share", type=float, default=0.1, help="of wrong labels")
    asked = parser.parse_args()
    print(f"{'':42}  clean       ordinary contamination        far contamination")
    print(f"{'labelled / unlabelled, scores':42}flagged     fdr  recall            fdr  recall")
    for sizes in SIZES:
        for name in DISTRIBUTIONS:
            print(f"{sizes[0]:>6} / {sizes[1]:<6} {name:26}", row(name, sizes, asked.repeats, asked.share), flush=True)


def row(name: str, sizes: tuple[int, int], repeats: int, share: float) -> str:
    rng = np.random.default_rng(0)
    measured: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in KINDS}
    for auc in AUCS:
        pair = pair_with_auc(name, auc)
        for prior in PRIORS * repeats:
            for kind in KINDS:
                measured[kind].append(
                    one_set(pair, rng, sizes, prior, 0.0 if kind == "clean" else share, kind == "far")
                )
    clean, ordinary, far = ([fmean(column) for column in zip(*measured[kind], strict=True)] for kind in KINDS)
    return f"{clean[0]:5.3f}  {ordinary[1]:8.3f}  {ordinary[2]:6.3f}  {far[1]:13.3f}  {far[2]:6.3f}"


def one_set(
    pair: Pair, rng: np.random.Generator, sizes: tuple[int, int], prior: float, share: float, far: bool
) -> tuple[float, float, float]:
    """The share of labels flagged, the share of correct ones among these, and the share of wrong labels flagged."""
    n_lab, n_unl = sizes
    n_wrong = round(share * n_lab)
    n_pos = rng.binomial(n_unl, prior)
    unlabelled = np.concatenate([pair[1](rng, n_pos), pair[0](rng, n_unl - n_pos)])
    wrong = pair[0](rng, n_wrong)
    if far:
        wrong = unlabelled.min() - 1 - rng.exponential(size=n_wrong)
    labelled = np.concatenate([wrong, pair[1](rng, n_lab - n_wrong)])
    flagged = flag(fit_score_model(labelled, unlabelled).suspicion(labelled), max_fdr=0.2)
    n_flagged, n_hits = flagged.sum(), flagged[:n_wrong].sum()
    return flagged.mean(), (n_flagged - n_hits) / max(1, n_flagged), n_hits / max(1, n_wrong)


if __name__ == "__main__":
    main()
