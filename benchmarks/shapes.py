"""Accuracy and findings of nonlinear scores, ours and those of the peers (`peers.py`).

    python benchmarks/shapes.py keel                # ten public sets, 15 % of the labels wrong; --wrong 0 or 0.3
    python benchmarks/shapes.py unseen              # 31 more, on which no constant was set (unseen.py)
    python benchmarks/shapes.py straight            # where the truth is linear: is "auto" worse than "linear"?
    python benchmarks/shapes.py additive            # curves, columns and an interaction that are known
    python benchmarks/shapes.py diabetes            # 101,766 rows, 2,000 labelled: AUC, time and memory

`keel`, `unseen` and `straight` append every fit to --out when it ends, and skip fits that the file already holds. So an
interrupted run can be continued, and runs of different methods can share a file. After a change of the library, use
another file. Our methods are `BlindAUCClassifierCV(shape=...)` with its defaults otherwise. Test labels are used once,
at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter

import numpy as np
from bent import (
    BENT,
    FAR_SHARE,
    N_COLUMNS,
    PAIR,
    UNLABELLED_FOR_EACH,
    bent_draw,
    curve_correlation,
    oracle_correlations,
)
from families import FAMILIES, KEEL, Draw, keel_split
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from peers import PEERS
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from unseen import UNSEEN, unseen_split

from blindauc import BlindAUCClassifierCV
from blindauc.analysis.grouping import sparsity_of
from blindauc.datasets import load_diabetes130
from blindauc.preprocessing import make_preprocessor

SHAPES = ("linear", "curves", "kernel", "trees")
OURS = ("auto", *SHAPES)
METHODS = (*OURS, *PEERS)
PU_METHODS = tuple(name for name in METHODS if name != "lightgbm-true")


# --- runs, stored as they end -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One fit of one method to one draw."""

    case: str
    draw: Callable[[int], Draw]
    seed: int
    method: str

    @property
    def key(self) -> tuple[str, int, str]:
        return self.case, self.seed, self.method


Results = dict[tuple[str, int, str], dict]


def run(job: Job) -> dict:
    draw = job.draw(job.seed)
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of candidates that the search then does not take
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # LightGBM names columns itself
        scores = fitted(job.method, draw)(draw.X_test)
    seconds = perf_counter() - start
    about = {"case": job.case, "seed": job.seed, "method": job.method, "blindauc": version("blindauc")}
    return about | {"auc": 100 * roc_auc_score(draw.y_test, scores), "seconds": seconds}


def fitted(method: str, draw: Draw) -> Callable[[np.ndarray], np.ndarray]:
    if method in PEERS:
        return PEERS[method](draw)
    return BlindAUCClassifierCV(shape=method).fit(draw.X, draw.y_pu).decision_function


def results_of(jobs: list[Job], path: Path, n_jobs: int) -> Results:
    """Read the finished runs from the file, run the others and append them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    wanted = {job.key for job in jobs}
    held = {key: row for key, row in stored(path).items() if key in wanted}
    missing = [job for job in jobs if job.key not in held]
    print(f"{len(held)} of {len(jobs)} fits are in {path}", flush=True)
    for row in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(delayed(run)(job) for job in missing):
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        held[row["case"], row["seed"], row["method"]] = row
    return held


def stored(path: Path) -> Results:
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(row["case"], row["seed"], row["method"]): row for row in rows}


def means(results: Results, what: str, cases: list[str], methods: list[str], seeds: range) -> np.ndarray:
    """Of shape (n_cases, n_methods)."""
    return np.array([[np.mean([results[c, s, m][what] for s in seeds]) for m in methods] for c in cases])


def print_table(names: list[str], heads: list[str], cells: np.ndarray, decimals: int = 2) -> None:
    widths = [max(len(head) + 2, 8) for head in heads]
    first = max(map(len, names)) + 2
    print(" " * first + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)))
    for name, row in zip(names, cells, strict=True):
        texts = ["" if np.isnan(cell) else f"{cell:.{decimals}f}" for cell in row]
        values = (f"{cell:>{width}}" for cell, width in zip(texts, widths, strict=True))
        print(f"{name:<{first}}" + "".join(values), flush=True)


def verdict(value: float, bar: float) -> str:
    return f"{value:+.2f} ({'met' if value >= bar else 'missed'}, bar {bar:+.1f})"


# --- public sets ------------------------------------------------------------------------------------------------------

BAR_MEAN, BAR_BEST_SHAPE, BAR_LINEAR = 84.5, -1.5, -1.0


def keel(asked: argparse.Namespace) -> None:
    public(asked, "keel", list(KEEL), keel_split, is_barred=asked.wrong == 0.15)


def unseen(asked: argparse.Namespace) -> None:
    public(asked, "unseen", list(UNSEEN), unseen_split, is_barred=False)


def public(asked: argparse.Namespace, kind: str, every: list[str], draw: Callable, is_barred: bool) -> None:
    sets = asked.only.split(",") if asked.only else every
    if unknown := set(sets) - set(every):
        sys.exit(f"--only: {', '.join(sorted(unknown))} is not among {', '.join(every)}")
    cases = [f"{kind}/{name}/{asked.wrong:g}" for name in sets]
    draws = [partial(draw, name, asked.wrong) for name in sets]
    methods, seeds = asked.methods or list(METHODS), asked.range
    jobs = [Job(c, d, s, m) for s in seeds for c, d in zip(cases, draws, strict=True) for m in methods]
    results = results_of(jobs, asked.out, asked.n_jobs)
    auc = means(results, "auc", cases, methods, seeds)
    seconds = means(results, "seconds", cases, methods, seeds).mean(axis=0)
    print(
        f"Public sets, 20 % of the positives labelled, {100 * asked.wrong:g} % of the labels wrong: AUC in percent on"
    )
    print(f"the other half of the rows, mean over seeds {seeds[0]} to {seeds[-1]}; nnpu is given the true prior")
    print_table([*sets, "mean", "seconds a fit"], methods, np.vstack([auc, auc.mean(axis=0), seconds]))
    if {"auto", "linear"} <= set(methods):
        print_checks(sets, dict(zip(methods, auc.T, strict=True)), is_barred)


def print_checks(sets: list[str], auc: dict[str, np.ndarray], is_barred: bool) -> None:
    """Check "auto" against its bars: the best single shape in hindsight, "linear", and the mean of all others."""
    best = np.max([auc[shape] for shape in SHAPES if shape in auc], axis=0)
    print(f"\n{'auto minus':<16}{'the best single shape':>32}{'linear':>32}")
    for name, to_best, to_linear in zip(sets, auc["auto"] - best, auc["auto"] - auc["linear"], strict=True):
        print(f"{name:<16}{verdict(to_best, BAR_BEST_SHAPE):>32}{verdict(to_linear, BAR_LINEAR):>32}")
    mean = {name: float(values.mean()) for name, values in auc.items() if name in PU_METHODS}
    others = max((name for name in mean if name not in OURS), key=mean.__getitem__, default=None)
    print(f"mean of auto: {mean['auto']:.2f}" + f" (bar {BAR_MEAN})" * is_barred)
    first = max(mean, key=mean.__getitem__)
    print(f"first on average of the methods without true labels: {first} ({mean[first]:.2f})")
    if others:
        print(f"the best of the others: {others} ({mean[others]:.2f})")


# --- where the truth is linear ----------------------------------------------------------------------------------------

BAR_STRAIGHT = -0.3
PAPER_CASES = [f"paper/p={p} t=7 relevant" for p in (40, 200, 400)] + [f"paper/p=200 t={t} relevant" for t in (1, 4, 8)]
STRAIGHT = PAPER_CASES + [name for name in FAMILIES if name.startswith("sparse/")]


def straight(asked: argparse.Namespace) -> None:
    cases = [name for name in STRAIGHT if name.startswith(tuple(asked.only.split(",")))]
    if not cases:
        sys.exit(f"--only: no name starts with {asked.only}; there are {', '.join(STRAIGHT)}")
    methods, seeds = ["auto", "linear"], asked.range
    jobs = [Job(c, FAMILIES[c].draw, s, m) for s in seeds for c in cases for m in methods]
    results = results_of(jobs, asked.out, asked.n_jobs)
    auc = means(results, "auc", cases, methods, seeds)
    seconds = means(results, "seconds", cases, methods, seeds)
    difference = auc[:, 0] - auc[:, 1]
    print(f"Where the truth is linear: AUC in percent, mean over seeds {seeds[0]} to {seeds[-1]}")
    cells = np.column_stack([auc, difference, seconds])
    heads = [*methods, "auto - linear", "s, auto", "s, linear"]
    print_table([*cases, "mean"], heads, np.vstack([cells, cells.mean(axis=0)]))
    worst = int(difference.argmin())
    print(f"auto - linear, the lowest: {verdict(difference[worst], BAR_STRAIGHT)} in {cases[worst]}")


# --- a known additive truth -------------------------------------------------------------------------------------------

BAR_CURVE, BAR_F1 = 0.95, 0.9


def additive_run(seed: int, n_labelled: int) -> list[list[float]]:
    """Correlations of the curves, F1 of the columns and AUC; and the correlations that an oracle reaches."""
    draw = bent_draw(seed, n_labelled, has_pair=False)
    model = BlindAUCClassifierCV(shape="curves").fit(draw.X, draw.y_pu)
    effects = [model.effects_[j] for j in range(len(BENT))]
    curves = [
        curve_correlation(effect.values, effect.contribution, effect.share, bend)
        for effect, bend in zip(effects, BENT.values(), strict=True)
    ]
    f1 = 2.0 * (model.support_ & draw.support).sum() / (model.support_.sum() + draw.support.sum())
    auc = 100 * roc_auc_score(draw.y_test, model.decision_function(draw.X_test))
    return [[*curves, f1, auc], [*oracle_correlations(draw), np.nan, np.nan]]


def pair_run(seed: int, n_labelled: int, is_clean: bool) -> tuple[float, float]:
    """The rank of the known interaction among those found, and the AUC; with or without the wrong labels."""
    draw = bent_draw(seed, n_labelled, has_pair=True)
    rows = np.setdiff1d(np.arange(len(draw.X)), draw.outliers if is_clean else [])
    model = BlindAUCClassifierCV(shape="auto").fit(draw.X[rows], draw.y_pu[rows])
    found = [tuple(sorted(each.columns)) for each in model.interactions()]
    place = found.index(PAIR) + 1 if PAIR in found else np.nan
    return place, 100 * roc_auc_score(draw.y_test, model.decision_function(draw.X_test))


def additive(asked: argparse.Namespace) -> None:
    n_labelled, seeds = asked.labelled, [f"seed {seed}" for seed in asked.range]
    side_by_side = Parallel(n_jobs=asked.n_jobs)
    print(
        f"{len(BENT)} bent columns of {N_COLUMNS}, {n_labelled} labelled, {100 * FAR_SHARE:g} % of them far wrong, ",
        end="",
    )
    print(f'{UNLABELLED_FOR_EACH * n_labelled} unlabelled; shape="curves": correlation of each curve with the truth')
    print("between the 5 and 95 % quantiles, F1 of support_, AUC in percent. The oracle knows the columns and the")
    print("wrong labels.")
    runs = np.array(side_by_side(delayed(additive_run)(seed, n_labelled) for seed in asked.range))
    cells = np.vstack([runs[:, 0], runs[:, 0].mean(axis=0), runs[:, 0].min(axis=0), runs[:, 1].mean(axis=0)])
    cells = np.vstack([cells, runs[:, 1].min(axis=0)])
    names = [*seeds, "mean", "lowest", "oracle, mean", "oracle, lowest"]
    print_table(names, [*BENT, "F1", "AUC"], cells, decimals=3)
    print(f"bars: {BAR_CURVE} for each curve, {BAR_F1} for F1")
    print(f'\nWith the product of columns {PAIR[0]} and {PAIR[1]} as well, shape="auto": its place in interactions()')
    for is_clean, labels in ((False, "far wrong labels"), (True, "none wrong")):
        pairs = np.array(side_by_side(delayed(pair_run)(seed, n_labelled, is_clean) for seed in asked.range))
        print_table(seeds, [f"place, {labels}", "AUC"], pairs)
    print("bar: place 1")


# --- Diabetes 130 -----------------------------------------------------------------------------------------------------

N_READMITTED_LABELLED = 2000
BAR_MINUTES, BAR_GIGABYTES = 8.0, 4.0


@cache
def readmissions(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict, np.ndarray]:
    """The encoded table, PU labels, true labels, groups of columns and patients.

    2,000 of the 11,357 encounters with a readmission within 30 days are labelled. The table is encoded as `blindauc
    fit` does it, with the encoded columns of a table column as a group.
    """
    frame = load_diabetes130()
    y = (frame["readmitted"] == "<30").to_numpy()
    table = frame.drop(columns=["readmitted", "encounter_id", "patient_nbr"])
    table = table.loc[:, table.nunique(dropna=False) > 1]
    preprocessor = make_preprocessor(table)
    y_pu = np.zeros(len(y), dtype=int)
    y_pu[np.random.default_rng(seed).permutation(np.flatnonzero(y))[:N_READMITTED_LABELLED]] = 1
    X = preprocessor.fit_transform(table)
    return X, y_pu, y, sparsity_of(preprocessor, {}), frame["patient_nbr"].to_numpy()


def diabetes_run(method: str, seed: int, n_jobs: int) -> tuple[float, float, float]:
    """AUC in percent over all unlabelled rows, minutes and gigabytes of a fit in a separate process."""
    X, y_pu, y, groups_of_columns, patients = readmissions(seed)
    start = perf_counter()
    if method in PEERS:
        scores = PEERS[method](Draw(X, y_pu, X, y, np.zeros(0, dtype=int), y_true=y))(X)
    else:
        model = BlindAUCClassifierCV(shape=method, n_jobs=n_jobs, **groups_of_columns)
        scores = model.fit(X, y_pu, groups=patients).decision_function(X)
    minutes = (perf_counter() - start) / 60.0
    gigabytes, is_unlabelled = peak_memory(), y_pu == 0
    get_reusable_executor().shutdown()  # otherwise this process would wait until idle workers end
    return 100 * roc_auc_score(y[is_unlabelled], scores[is_unlabelled]), minutes, gigabytes


def peak_memory() -> float:
    """Gigabytes: the sum of the peaks of this process and of its workers, which may have been at different times."""
    workers = [task for tasks in Path("/proc/self/task").glob("*/children") for task in tasks.read_text().split()]
    lines = [line for task in workers for line in Path(f"/proc/{task}/status").read_text().splitlines()]
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return (getrusage(RUSAGE_SELF).ru_maxrss + sum(kilobytes)) / 2**20


def diabetes(asked: argparse.Namespace) -> None:
    print(f"Diabetes 130, early readmission, 101,766 rows, {N_READMITTED_LABELLED} labelled, {os.cpu_count()} cores;")
    print(f"bars: auto above the others, within {BAR_MINUTES:g} minutes and {BAR_GIGABYTES:g} GB")
    methods = asked.methods or ["auto", "linear", "lightgbm"]
    for seed in asked.range:
        cells = []
        for method in methods:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own_process:
                cells.append(own_process.submit(diabetes_run, method, seed, asked.n_jobs).result())
        print_table([f"seed {seed}, {method}" for method in methods], ["AUC", "minutes", "GB"], np.array(cells))


COMMANDS = {each.__name__: each for each in (keel, unseen, straight, additive, diabetes)}
SEEDS = {"keel": 5, "unseen": 1, "straight": 3, "additive": 5, "diabetes": 1}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(COMMANDS))
    parser.add_argument("--seeds", type=int, help="how many, by default 5, 1, 3, 5 and 1")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--wrong", type=float, default=0.15, help="keel, unseen: the share of the labels that is wrong")
    parser.add_argument(
        "--methods", type=lambda names: names.split(","), help="some of them; not for straight, additive"
    )
    parser.add_argument("--labelled", type=int, default=1000, help="additive: rows; ten times as many are unlabelled")
    parser.add_argument("--only", default="", help="keel, unseen: sets; straight: how the names of families start")
    parser.add_argument("--out", type=Path, default=Path("build/shapes.json"), help="one JSON object a line")
    parser.add_argument("--n-jobs", type=int, default=2, help="fits side by side; of the one search in diabetes")
    asked = parser.parse_args()
    if unknown := set(asked.methods or ()) - set(METHODS):
        parser.error(f"--methods: {', '.join(sorted(unknown))} is not among {', '.join(METHODS)}")
    asked.range = range(asked.first, asked.first + (asked.seeds or SEEDS[asked.what]))
    COMMANDS[asked.what](asked)
