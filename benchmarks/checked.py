"""The gain by checked labels. Run with `python benchmarks/checked.py [--seeds N] [--stages N ...] [--tuned]` (and
`--orders suspicion random`, to save time), and `python benchmarks/checked.py --draws 200` for the numbers of wrong
labels.

Simulated reviewers, who know the true labels, check 10, 20, 50 and 100 rows in all, with a fit after each: labels in
order of suspicion, labels at random, or what `next_to_check(for_="ranking")` names. Families: ordinary and far wrong
labels among 200 labelled rows, and two public tables, each with 10 and 20 % of the labels wrong; these have 50 to 65
labels, so that 50 checks are nearly all of them. AUC is on true labels of test rows; "right" is the share of right ones
among the labels that are not known to be wrong. "set to 0" is the approach without `checked`: labels found wrong in
order of suspicion are written as 0, and the fit is repeated with the same settings. "0, told" is the same, but the fit
leaves out fewer labels, by the number found wrong (tuned fits choose how many to leave out). "all known" is a fit with
every label checked.

Differences are paired by draw, and come with their standard errors.

The bars: after 50 checks in order of suspicion AUC is never lower than before on average, at least that of random
checks in every family, and in the far families at least half of the gain by knowing all labels; known negatives are
better than "set to 0" and "0, told" on average. The numbers of wrong labels among the first 20 and 50 are within their
90 % intervals in at least 85 % of draws.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from families import Design, Draw, sklearn_split
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV

STAGES = (10, 20, 50, 100)
FIRST_SEED = 100
SIMULATED = Design(30, 6, n_unlabelled=600)
FAMILIES: dict[str, Callable[[int], Draw]] = {
    f"{kind} {share:.0%}": lambda seed, kind=kind, share=share: replace(SIMULATED, wrong=share).draw(kind, seed)
    for kind in ("ordinary", "far")
    for share in (0.1, 0.2)
} | {
    f"{name} {share:.0%}": lambda seed, name=name, share=share: sklearn_split(name, share, seed)
    for name in ("breast cancer", "digits: 8 or 3")
    for share in (0.1, 0.2)
}
ORDERS = ("suspicion", "random", "ranking")
BEFORE = {True: ("set to 0",), False: ("set to 0", "0, told")}
"""The approach without `checked` to labels found wrong, for tuned and for plain fits."""

LEFT_OUT = 0.1
"""The share of the labels that plain fits leave out."""

OF_90_PERCENT = 1.6449 / 1.96
"""From the ends of a 95 % interval to those of a 90 % one, for normal errors."""

Ends = dict[str, tuple[float, float]]
"""The AUC and the share of right labels of every way to check."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="draws of each family")
    parser.add_argument("--stages", type=int, nargs="+", default=STAGES, help="numbers of checks")
    parser.add_argument("--orders", nargs="+", default=ORDERS, choices=ORDERS, help="ways to choose what is checked")
    parser.add_argument("--tuned", action="store_true", help="BlindAUCClassifierCV instead of BlindAUCClassifier")
    parser.add_argument("--draws", type=int, default=0, help="count wrong labels in so many draws, and do nothing else")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.draws:
        tell_counts(asked.draws, asked.tuned)
        return
    ends: dict[str, list[Ends]] = {name: [] for name in FAMILIES}
    n_checked = 50 if 50 in asked.stages else asked.stages[-1]
    for seed in range(asked.seeds):
        for name, draw in FAMILIES.items():
            ends[name].append(one_draw(draw(FIRST_SEED + seed), seed, asked.stages, asked.orders, asked.tuned))
            tell_draw(name, seed, ends[name][-1])
    tell_means(ends)
    tell_bars(ends, n_checked, asked.orders, asked.tuned)


def new_model(tuned: bool, n_outliers: float = LEFT_OUT) -> BlindAUCClassifier | BlindAUCClassifierCV:
    return BlindAUCClassifierCV(shape="linear", n_repeats=1) if tuned else BlindAUCClassifier(n_outliers=n_outliers)


def tell_draw(name: str, seed: int, end: Ends) -> None:
    told = "  ".join(f"{way} {auc:.4f}" for way, (auc, _) in end.items())
    print(f"{name}, draw {seed}: {told}", flush=True)


def tell_means(ends: dict[str, list[Ends]]) -> None:
    for name, of_family in ends.items():
        print(f"\n{name}")
        for way in of_family[0]:
            auc, right = (fmean(end[way][k] for end in of_family) for k in (0, 1))
            print(f"    {way:16} AUC {auc:.4f}   labels right {right:.3f}")


def one_draw(data: Draw, seed: int, stages: Sequence[int], orders: Sequence[str], tuned: bool) -> Ends:
    first = new_model(tuned).fit(data.X, data.y_pu)
    unchecked = np.full(len(data.y_pu), np.nan)
    ends = {"no check": judged(first, data, unchecked)}
    for order in orders:
        model, checked = first, unchecked.copy()
        rng = np.random.default_rng(seed)
        for n_checked in stages:
            rows = to_check(model, data, checked, n_checked - int((~np.isnan(checked)).sum()), order, rng)
            checked[rows] = data.y_true[rows]
            model = new_model(tuned).fit(data.X, data.y_pu, checked=checked)
            ends[f"{order} {n_checked}"] = judged(model, data, checked)
            if order == "suspicion":
                for way in BEFORE[tuned]:
                    ends[f"{way} {n_checked}"] = judged(set_to_zero(data, checked, tuned, way), data, checked)
    every = np.where(data.y_pu == 1, data.y_true, np.nan)
    ends["all known"] = judged(new_model(tuned).fit(data.X, data.y_pu, checked=every), data, every)
    return ends


def set_to_zero(data: Draw, checked: np.ndarray, tuned: bool, way: str) -> BlindAUCClassifier | BlindAUCClassifierCV:
    """A fit in which labels found wrong are unlabelled rows, optionally with as many fewer labels left out."""
    y = np.where(checked == 0, 0, data.y_pu)
    if way == "set to 0":
        return new_model(tuned).fit(data.X, y)
    n_left = max(0, round(LEFT_OUT * int(data.y_pu.sum())) - int((checked == 0).sum()))
    return new_model(tuned, n_left).fit(data.X, y)


def to_check(model, data: Draw, checked: np.ndarray, n_more: int, order: str, rng: np.random.Generator) -> np.ndarray:
    if order == "random":
        return rng.permutation(np.flatnonzero((data.y_pu == 1) & np.isnan(checked)))[:n_more]
    return model.next_to_check(n_more, for_="labels" if order == "suspicion" else "ranking")


def judged(model, data: Draw, checked: np.ndarray) -> tuple[float, float]:
    kept = (data.y_pu == 1) & (checked != 0)
    return roc_auc_score(data.y_test, model.decision_function(data.X_test)), float(data.y_true[kept].mean())


def tell_bars(ends: dict[str, list[Ends]], n_checked: int, orders: Sequence[str], tuned: bool) -> None:
    """AUC of each way to check, and the gain of checks in order of suspicion over the others."""
    ways = {way: f"{way} {n_checked}" for way in (*orders, *(BEFORE[tuned] if "suspicion" in orders else ()))}
    ways = {"no check": "no check"} | ways | {"all known": "all known"}
    aucs = {name: {way: auc_of(of, key) for way, key in ways.items()} for name, of in ends.items()}
    aucs["mean"] = {way: np.concatenate([of[way] for of in aucs.values()]) for way in ways}
    print(f"\n{f'AUC after {n_checked} checks':20}", "  ".join(f"{way:>9}" for way in ways))
    for name, each in aucs.items():
        print(f"{name:20}", "  ".join(f"{auc.mean():9.4f}" for auc in each.values()))
    if "suspicion" not in orders:
        return
    others = [way for way in ways if way not in ("suspicion", "all known")]
    print(f"\n{'suspicion minus':20}", "  ".join(f"{way:>17}" for way in others), " share of all known")
    for name, each in aucs.items():
        told = "  ".join(difference(each["suspicion"] - each[way]) for way in others)
        gained, known = (float((each[way] - each["no check"]).mean()) for way in ("suspicion", "all known"))
        print(f"{name:20} {told}  {gained / known:18.2f}")


def auc_of(ends: list[Ends], way: str) -> np.ndarray:
    return np.array([end[way][0] for end in ends])


def difference(paired: np.ndarray) -> str:
    """A mean and its standard error."""
    error = paired.std(ddof=1) / np.sqrt(len(paired)) if len(paired) > 1 else np.nan
    return f"{paired.mean():+.4f} +- {error:.4f}"


def tell_counts(n_draws: int, tuned: bool) -> None:
    print("wrong labels among the first 20 and 50, expected and found, and the share of draws within the 90 % interval")
    within: dict[int, list[bool]] = {20: [], 50: []}
    for place, (name, draw) in enumerate(FAMILIES.items()):
        seeds = range(place, n_draws, len(FAMILIES))
        found = [counts(draw(FIRST_SEED + seed), tuned) for seed in seeds]
        for k, of_k in zip((20, 50), zip(*found, strict=True), strict=True):
            within[k] += [inside for *_, inside in of_k]
            means = np.mean(np.array(of_k, dtype=float), axis=0)
            print(
                f"{name:20} {k:3}  expected {means[0]:5.1f}  found {means[1]:5.1f}  within {means[2]:.2f}", flush=True
            )
    for k, inside in within.items():
        print(f"among the first {k}: within in {fmean(inside):.3f} of {len(inside)} draws")


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
