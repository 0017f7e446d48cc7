"""Timings relative to a reference measured in the same run. Run with `make bench`.

1. All pairs of a million positives with a million unlabelled scores, against two passes over the data matrix.
2. Few pairs, as in the paper's tables, that share exponentials and logarithms, against each by itself.
3. A whole fit of 200,000 rows, against scikit-learn's logistic regression on the same matrix.
4. A whole search, against scikit-learn's search for the penalty of an l1 logistic regression, and its memory.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, pairwise_loss
from blindauc.datasets import make_correlated_data
from blindauc.losses import Logistic
from blindauc.objectives import BlindAUCObjective
from blindauc.pairwise.formed import formed


def main() -> None:
    pairs()
    few_pairs()
    fit()
    search()
    large_search()


def side_by_side(*tasks: Callable[[], object], repeats: int = 5) -> list[float]:
    """The median seconds of each task, run in turns so that a busy moment affects all of them."""
    for task in tasks:
        task()
    seconds: list[list[float]] = [[] for _ in tasks]
    for _ in range(repeats):
        for task, mine in zip(tasks, seconds, strict=True):
            start = perf_counter()
            task()
            mine.append(perf_counter() - start)
    return [median(mine) for mine in seconds]


def pairs() -> None:
    rng = np.random.default_rng(0)
    n, p = 1_000_000, 100
    X, v, r = rng.standard_normal((n, p)), rng.standard_normal(p), rng.standard_normal(n)
    pos, unl = rng.normal(1, 3, n), rng.normal(0, 3, n)
    few_pos, few_unl = pos[: n // 10], unl[: n // 10]
    passes, whole, tenth = side_by_side(
        lambda: (X @ v, X.T @ r),
        lambda: pairwise_loss(pos, unl),
        lambda: pairwise_loss(few_pos, few_unl),
        repeats=15,
    )
    tracemalloc.start()
    pairwise_loss(pos, unl)
    peak = tracemalloc.get_traced_memory()[1] / (2 * n)
    tracemalloc.stop()
    print("pairwise_loss, logistic, value and both gradients")
    print(f"  1e6 x 1e6 pairs                    {whole:.3f} s  ({n * n / whole:.1e} pairs a second)")
    print(f"  X @ v and X.T @ r, 1e6 x 100       {passes:.3f} s")
    print(f"  ratio                              {whole / passes:.2f}  (bar: below 1)")
    print(f"  10 times the rows cost             {whole / tenth:.1f} times the time  (bar: at most 12)")
    print(f"  peak memory, results included      {peak:.1f} bytes a score  (bar: below 40)")


def few_pairs() -> None:
    rng = np.random.default_rng(0)
    n_pos, n_unl = 100, 300
    pos, unl = rng.normal(1, 1, n_pos), rng.normal(0, 1, n_unl)
    p, q, loss = np.full(n_pos, 1 / n_pos), np.full(n_unl, 1 / n_unl), Logistic()

    def together() -> None:
        for _ in range(1000):
            formed(loss, pos, unl).mean_and_slopes(p, q)

    def by_themselves() -> None:
        for _ in range(1000):
            value, _slopes = loss.value_and_derivative(pos[:, None] - unl)
            float(p @ value @ q)

    shared, single = side_by_side(together, by_themselves)
    print(f"{n_pos} x {n_unl} pairs, logistic, value and slopes, a thousand times")
    print(f"  together                           {shared:.3f} s")
    print(f"  against each pair by itself        {shared / single:.2f}")


def fit() -> None:
    rng = np.random.default_rng(0)
    n, p, n_pos, l2 = 200_000, 100, 5_000, 1e-3
    X = rng.standard_normal((n, p))
    truth = X @ (rng.standard_normal(p) / 10) + 0.5 * rng.logistic(size=n)
    y = truth > np.sort(truth)[-n_pos - 1]
    # scikit-learn stops at an absolute gradient; this is the same 1e-6 of the gradient at zero weights.
    tol = 1e-6 * np.abs(X.T @ (y.mean() - y)).max() / n
    logistic = LogisticRegression(solver="lbfgs", C=1 / (l2 * n), tol=tol, max_iter=1000)
    # By default a fit is also evaluated by five fits to folds, which logistic regression does not do.
    judged, model = (
        BlindAUCClassifier(l2=l2, scaling="none", tol=1e-6, calibrate=calibrate) for calibrate in (True, False)
    )
    whole, ours, theirs = side_by_side(*(lambda m=m: m.fit(X, y) for m in (judged, model, logistic)), repeats=5)
    objective, no_shift = BlindAUCObjective(X, y, l2=l2), np.zeros(n_pos)
    at_zero, at_end = (np.linalg.norm(objective.gradient(coef, no_shift).coef) for coef in (np.zeros(p), model.coef_))
    reached = at_end / at_zero
    print(f"BAUC fit, n = {n}, p = {p}, {n_pos} positives, l2 = {l2}, relative gradient norm reached {reached:.1e}")
    print(f"  blindauc                           {ours:.2f} s, judged by folds {whole:.2f} s")
    print(f"  LogisticRegression(lbfgs)          {theirs:.2f} s")
    print(f"  ratio                              {ours / theirs:.2f}  (bar: at most 3)")
    print(f"  ratio, judged by folds             {whole / theirs:.2f}")


def search() -> None:
    data = make_correlated_data(
        0.1, outliers="far", n_features=200, n_relevant=20, n_pos=500, n_unlabelled=4500, random_state=0
    )
    logistic = LogisticRegressionCV(
        Cs=9, l1_ratios=(1.0,), solver="liblinear", scoring="roc_auc", cv=5, use_legacy_attributes=False
    )
    seconds = []
    for model in (BlindAUCClassifierCV(shape="linear"), BlindAUCClassifierCV(shape="linear", n_jobs=2), logistic):
        start = perf_counter()
        model.fit(data.X, data.y_pu)
        seconds.append(perf_counter() - start)
    alone, both, theirs = seconds
    print("BlindAUCClassifierCV, n = 5000, p = 200, 500 positives, default linear search")
    print(f"  in one process                     {alone:.1f} s  (bar: at most 30)")
    print(f"  n_jobs=2                           {both:.1f} s")
    print(f"  LogisticRegressionCV(l1)           {theirs:.1f} s")
    print(f"  ratio of one process to that       {alone / theirs:.1f}")


def large_search() -> None:
    data = make_correlated_data(
        0.1, outliers="far", n_features=100, n_relevant=20, n_pos=5000, n_unlabelled=95_000, random_state=0
    )
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    start = perf_counter()
    BlindAUCClassifierCV(shape="linear").fit(data.X, data.y_pu)
    seconds = perf_counter() - start
    peak = (tracemalloc.get_traced_memory()[1] - before) / data.X.nbytes
    tracemalloc.stop()
    print(
        "BlindAUCClassifierCV, n = 100000, p = 100, 5000 positives, default linear search, one process, memory traced"
    )
    print(f"  seconds                            {seconds:.0f}  (bar: at most 600)")
    print(f"  peak memory beside X               {peak:.2f} times X  (bar: at most 3)")


if __name__ == "__main__":
    main()
