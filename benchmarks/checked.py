"""What checked labels bring. Run with `python benchmarks/checked.py [--seeds N] [--tuned] [--draws N]`.

Simulated reviewers, who know the true labels, check 10, 20, 50 and 100 rows in all, with a fit after each: labels in
order of suspicion, labels at random, or what `next_to_check(for_="ranking")` names. Families: ordinary and far wrong
labels among 200 labelled rows, and two public tables, each with 10 and 20 % of the labels wrong. AUC is on true labels
of test rows; "right" is the share of right ones among the labels that are not known to be wrong. "set to 0" is what one
did before: labels found wrong in order of suspicion are written as 0, and nothing else is known. "all known" is a fit
with every label checked.

The bars: after 50 checks in order of suspicion AUC is never lower than before on average, at least that of random
checks in every family, and in the far families at least half of what knowing all labels brings; known negatives beat
"set to 0" in the mean. The numbers of wrong labels among the first 20 and 50 are within their 90 % intervals in at
least 85 % of draws (`--draws`, per family).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

import numpy as np
from families import MEDIUM, Draw, sklearn_split
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV

STAGES = (10, 20, 50, 100)
FIRST_SEED = 100
FAMILIES: dict[str, Callable[[int], Draw]] = {
    f"{kind} {share:.0%}": lambda seed, kind=kind, share=share: replace(MEDIUM, wrong=share).draw(kind, seed)
    for kind in ("ordinary", "far")
    for share in (0.1, 0.2)
} | {
    f"{name} {share:.0%}": lambda seed, name=name, share=share: sklearn_split(name, share, seed)
    for name in ("breast cancer", "digits: 8 or 3")
    for share in (0.1, 0.2)
}
ORDERS = ("suspicion", "random", "ranking")
COLUMNS = [f"{order} {n}" for order in ORDERS for n in STAGES]
OF_90_PERCENT = 1.6449 / 1.96
"""From the ends of a 95 % interval to those of a 90 % one, for normal errors."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2, help="draws of each family")
    parser.add_argument("--tuned", action="store_true", help="BlindAUCClassifierCV instead of BlindAUCClassifier")
    parser.add_argument("--draws", type=int, default=0, help="draws of each family for the numbers of wrong labels")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = {name: family_row(name, asked.seeds, asked.tuned) for name in FAMILIES}
    tell_bars(rows)
    if asked.draws:
        tell_counts(asked.draws, asked.tuned)


def new_model(tuned: bool) -> BlindAUCClassifier | BlindAUCClassifierCV:
    return BlindAUCClassifierCV(shape="linear", n_repeats=1) if tuned else BlindAUCClassifier(n_outliers=0.1)


def family_row(name: str, n_seeds: int, tuned: bool) -> dict[str, tuple[float, float]]:
    """The mean AUC and share of right labels of every way to check, printed as they come."""
    ends = [one_draw(FAMILIES[name](FIRST_SEED + seed), seed, tuned) for seed in range(n_seeds)]
    row = {column: tuple(fmean(end[column][k] for end in ends) for k in (0, 1)) for column in ends[0]}
    print(name)
    for column, (auc, right) in row.items():
        print(f"    {column:16} AUC {auc:.4f}   labels right {right:.3f}", flush=True)
    return row


def one_draw(data: Draw, seed: int, tuned: bool) -> dict[str, tuple[float, float]]:
    first = new_model(tuned).fit(data.X, data.y_pu)
    unchecked = np.full(len(data.y_pu), np.nan)
    ends = {"no check": judged(first, data, unchecked)}
    for order in ORDERS:
        model, checked = first, unchecked.copy()
        rng = np.random.default_rng(seed)
        for n_checked in STAGES:
            rows = to_check(model, data, checked, n_checked - int((~np.isnan(checked)).sum()), order, rng)
            checked[rows] = data.y_true[rows]
            model = new_model(tuned).fit(data.X, data.y_pu, checked=checked)
            ends[f"{order} {n_checked}"] = judged(model, data, checked)
            if order == "suspicion":
                y = np.where(checked == 0, 0, data.y_pu)
                ends[f"set to 0 {n_checked}"] = judged(new_model(tuned).fit(data.X, y), data, checked)
    every = np.where(data.y_pu == 1, data.y_true, np.nan)
    ends["all known"] = judged(new_model(tuned).fit(data.X, data.y_pu, checked=every), data, every)
    return ends


def to_check(model, data: Draw, checked: np.ndarray, n_more: int, order: str, rng: np.random.Generator) -> np.ndarray:
    if order == "random":
        return rng.permutation(np.flatnonzero((data.y_pu == 1) & np.isnan(checked)))[:n_more]
    return model.next_to_check(n_more, for_="labels" if order == "suspicion" else "ranking")


def judged(model, data: Draw, checked: np.ndarray) -> tuple[float, float]:
    kept = (data.y_pu == 1) & (checked != 0)
    return roc_auc_score(data.y_test, model.decision_function(data.X_test)), float(data.y_true[kept].mean())


def tell_bars(rows: dict[str, dict[str, tuple[float, float]]]) -> None:
    print(
        "\nafter 50 checks      before  suspicion  random  ranking  set to 0  all known  share of what all labels bring"
    )
    names = ("no check", "suspicion 50", "random 50", "ranking 50", "set to 0 50", "all known")
    table = {family: [row[name][0] for name in names] for family, row in rows.items()}
    for family, (before, *_, known) in table.items():
        gained = (table[family][1] - before) / (known - before) if known != before else np.nan
        print(f"{family:20}", "  ".join(f"{auc:.4f}" for auc in table[family]), f"{gained:10.2f}")
    print(f"{'mean':20}", "  ".join(f"{auc:.4f}" for auc in np.mean(list(table.values()), axis=0)))


def tell_counts(n_draws: int, tuned: bool) -> None:
    print("\nwrong labels among the first 20 and 50, expected and found, and draws within the 90 % interval")
    within = []
    for name, draw in FAMILIES.items():
        found = [counts(draw(FIRST_SEED + seed), tuned) for seed in range(n_draws)]
        within += [inside for each in found for *_, inside in each]
        for k, of_k in zip((20, 50), zip(*found, strict=True), strict=True):
            means = np.mean(np.array(of_k, dtype=float), axis=0)
            print(
                f"{name:20} {k:3}  expected {means[0]:5.1f}  found {means[1]:5.1f}  within {means[2]:.2f}", flush=True
            )
    print(f"within in {fmean(within):.3f} of {len(within)}")


def counts(data: Draw, tuned: bool) -> list[tuple[float, int, bool]]:
    """For the first 20 and 50 labels: wrong ones expected, wrong ones found, and whether these are in the interval."""
    model = new_model(tuned).fit(data.X, data.y_pu)
    ends = []
    for k in (20, min(50, int(data.y_pu.sum()))):
        expected = model.expected_wrong(k)
        found = int((data.y_true[model.next_to_check(k)] == 0).sum())
        low, high = (float(expected) + OF_90_PERCENT * (end - float(expected)) for end in (expected.low, expected.high))
        ends.append((float(expected), found, bool(np.floor(low) <= found <= np.ceil(high))))
    return ends


if __name__ == "__main__":
    main()
