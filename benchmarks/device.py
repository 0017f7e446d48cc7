"""Timings of rows on a GPU, one table. Needs the extra `[torch]` and a CUDA device.

    python benchmarks/device.py                      # 5e7 x 100 float32, 1e5 positives: for a card of 80 GB and more
    python benchmarks/device.py --rows 5000000       # for a smaller one

1. Value and gradient of the objective, and where the time goes.
2. A fit to a relative gradient of 1e-6, against scikit-learn's LogisticRegression (lbfgs) on the same arrays.
3. From a fiftieth to twice as many rows.
4. Coefficients on the GPU against those on the host.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

# scikit-learn asks for it before it works with arrays on a device.
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import sklearn
import torch
from sklearn.linear_model import LogisticRegression
from speed import side_by_side

from blindauc import BlindAUCClassifier
from blindauc.losses import LOSSES, Logistic
from blindauc.objectives import Objective
from blindauc.pairwise.cells import CellSummary
from blindauc.risks import PU_ERROR_RISKS, BlindAUCRisk, Risk
from blindauc.rows.device.engine import DeviceRows
from blindauc.rows.device.libraries import Traffic
from blindauc.rows.memory import MemoryRows
from blindauc.rows.view import PartedView
from blindauc.solvers import exchange
from blindauc.sparsity import L0

ROWS_AT_A_TIME = 5_000_000
L2, TOLERANCE = 1e-3, 1e-6
BAR_MS, BAR_FIT, BAR_LINEAR = 45.0, 2.0, 1.2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=50_000_000)
    options.add_argument("--columns", type=int, default=100)
    options.add_argument("--positives", type=int, default=100_000)
    options.add_argument("--repeats", type=int, default=7)
    asked = options.parse_args()
    print(f"torch {torch.__version__}, scikit-learn {sklearn.__version__}, {torch.cuda.get_device_name()}")
    X, y = drawn(asked.rows, asked.columns, asked.positives)
    gradient(X, y, asked.repeats)
    fit(X, y)
    del X, y
    growth(asked.rows, asked.columns, asked.positives, asked.repeats)
    against_the_host()


def drawn(n: int, p: int, n_pos: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of float32 on the GPU, of which those with the highest noisy scores are labelled."""
    device = torch.Generator("cuda").manual_seed(seed)
    X = torch.empty(n, p, device="cuda")
    truth = torch.empty(n, device="cuda")
    weights = torch.randn(p, device="cuda", generator=device) / 10
    for rows in (slice(start, start + ROWS_AT_A_TIME) for start in range(0, n, ROWS_AT_A_TIME)):
        X[rows].normal_(generator=device)
        noise = torch.rand(len(X[rows]), device="cuda", generator=device).clamp_(1e-6, 1 - 1e-6)
        truth[rows] = X[rows] @ weights + torch.logit(noise) / 2
    y = torch.zeros(n, dtype=torch.bool, device="cuda")
    y[torch.topk(truth, n_pos).indices] = True
    return X, y


def objective_of(X: torch.Tensor, y: torch.Tensor) -> Objective:
    return Objective(BlindAUCRisk(Logistic()), PartedView.of(DeviceRows(X, y)), l2=L2)


class Gradients:
    """An objective's value and gradient at one point after the other, so that no scores are known before."""

    def __init__(self, objective: Objective) -> None:
        self.objective, self.step = objective, 0
        self.no_shift = np.zeros(objective.n_positives)

    def __call__(self) -> None:
        self.step += 1
        self.objective.gradient(np.full(self.objective.n_columns, 0.05 + 1e-6 * self.step), self.no_shift)


def gradient(X: torch.Tensor, y: torch.Tensor, repeats: int) -> None:
    n, p = X.shape
    task = Gradients(objective_of(X, y))
    rows = task.objective.rows
    part, pos = rows.stats.rows.part, rows.pos_matrix
    coef = np.full(p, 0.05)
    a, b = pos.scores(coef), part.scores(coef, 0.0)
    share, q = np.full(len(a), 1 / len(a)), torch.full((n,), 1 / n, dtype=torch.float64, device="cuda")
    of_pos, of_unl = CellSummary.of(a, share), CellSummary.of(b, q)
    by_unl = of_pos.sums("logistic", 1, -1, b)
    parts = {
        "X @ w": lambda: part.scores(coef, 0.0),
        "spread unlabelled scores": lambda: CellSummary.of(b, q),
        "evaluate at unlabelled scores": lambda: of_pos.sums("logistic", 1, -1, b),
        "X.T @ r": lambda: part.adjoint(by_unl),
        "positives, products on the GPU": lambda: (pos.scores(coef), pos.adjoint(share)),
        "positives, sums on the host": lambda: (
            CellSummary.of(a, share),
            of_unl.sums("logistic", 1, 1, a),
            of_pos.pair_sum("logistic", of_unl),
        ),
    }
    before = Traffic.n_entries
    task()
    moved = Traffic.n_entries - before
    torch.cuda.reset_peak_memory_stats()
    seconds = side_by_side(*map(finished, (task, *parts.values())), repeats=repeats)
    beside = (torch.cuda.max_memory_allocated() - X.nbytes) / n
    print(f"value and gradient, {n:.0e} x {p} float32, {len(a)} positives, logistic")
    print(f"  whole                              {1e3 * seconds[0]:.1f} ms  (bar: at most {BAR_MS:.0f})")
    for name, each in zip(parts, seconds[1:], strict=True):
        print(f"    {name:<33}{1e3 * each:.1f} ms")
    print(f"    the rest                         {1e3 * (seconds[0] - sum(seconds[1:])):.1f} ms")
    print(f"  numbers that came to the host      {moved}, {moved - len(a)} beside one for each positive")
    print(f"  memory beside X                    {beside:.0f} bytes a row")


def fit(X: torch.Tensor, y: torch.Tensor) -> None:
    n, p = X.shape
    labels = y.to(torch.int64)
    slopes = (X.T @ (labels.to(torch.float32).mean() - labels.to(torch.float32))).abs().max() / n
    logistic = LogisticRegression(
        solver="lbfgs", C=1 / (L2 * n), tol=TOLERANCE * float(slopes), max_iter=1000, fit_intercept=True
    )
    found = {}

    def ours() -> None:
        model = BlindAUCClassifier(l2=L2, scaling="none", tol=TOLERANCE, calibrate=False)
        found["ours"] = model.fit(DeviceRows(X, y))

    def theirs() -> None:
        with sklearn.config_context(array_api_dispatch=True):
            found["theirs"] = logistic.fit(X, labels)

    mine, other = side_by_side(finished(ours), finished(theirs), repeats=3)
    objective = objective_of(X, y)
    no_shift = np.zeros(objective.n_positives)
    ends = [np.linalg.norm(objective.gradient(w, no_shift).coef) for w in (np.zeros(p), found["ours"].coef_)]
    print(f"fit, {n:.0e} x {p} float32, l2 = {L2}, to a gradient of {TOLERANCE:.0e} of that at zero")
    print(f"  blindauc                           {mine:.2f} s, relative gradient {ends[1] / ends[0]:.1e}")
    print(f"  LogisticRegression(lbfgs)          {other:.2f} s, {int(logistic.n_iter_[0])} iterations")
    print(f"  ratio                              {mine / other:.2f}  (bar: at most {BAR_FIT:.0f})")


def growth(most: int, p: int, n_pos: int, repeats: int) -> None:
    print(f"value and gradient, {p} columns, more and more rows")
    sizes = [most // 50, most // 5, 2 * most]
    seconds = []
    for n in sizes:
        X, y = drawn(n, p, n_pos)
        (each,) = side_by_side(finished(Gradients(objective_of(X, y))), repeats=repeats)
        seconds.append(each)
        print(f"  {n:.0e} rows                         {1e3 * each:.1f} ms, {1e9 * each / n:.2f} ns a row")
        del X, y
    ratio = (seconds[-1] / seconds[0]) / (sizes[-1] / sizes[0])
    print(f"  against linear                     {ratio:.2f}  (bar: at most {BAR_LINEAR})")


def against_the_host() -> None:
    """Fits with outliers, selected columns and weights, on the GPU and on the host; a large one without outliers."""
    print("coefficients on the GPU against the host, the largest relative difference of all fits")
    logistic, hinge, sigmoid = (BlindAUCRisk(LOSSES[name]) for name in ("logistic", "squared_hinge", "sigmoid"))
    pu_error = PU_ERROR_RISKS["paper"](LOSSES["logistic"], 0.2)
    fits = ((logistic, True), (logistic, False), (hinge, True), (sigmoid, True), (pu_error, True))
    for dtype, n, p, bar in ((np.float64, 20_000, 20, 1e-8), (np.float32, 20_000, 20, 1e-5)):
        off = max(_difference(risk, trim, n, p, dtype, n // 1000) for risk, trim in fits)
        print(f"  {n} x {p} {np.dtype(dtype).name}                 {off:.1e}  (bar: {bar:.0e})")
    off = max(_difference(risk, True, 300_000, 60, np.float32, 0) for risk in (logistic, pu_error))
    print(f"  300000 x 60 float32                {off:.1e}  (bar: 1e-05)")


def _difference(risk: Risk, trim: bool, n: int, p: int, dtype: type, n_outliers: int) -> float:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)).astype(dtype), np.arange(n) % 100 == 7
    X[y, :4] += 1
    X[np.flatnonzero(y)[:20]] -= 2
    weight = rng.integers(1, 4, n).astype(float)
    there = DeviceRows(*(torch.as_tensor(each, device="cuda") for each in (X, y, weight)))
    coefs = []
    for rows in (MemoryRows.of(X, y, weight), PartedView.of(there)):
        objective = Objective(risk, rows, l2=0.1, trim=trim)
        features = L0(p, 6).with_free_column() if risk.has_intercept else L0(p, 6)
        coefs.append(exchange(objective, features, L0(n // 100, n_outliers), max_swaps=0).coef)
    return float(abs(coefs[1] - coefs[0]).max() / abs(coefs[0]).max())


def finished(task: Callable[[], object]) -> Callable[[], None]:
    """The task, until the device has done it."""

    def run() -> None:
        task()
        torch.cuda.synchronize()

    return run


if __name__ == "__main__":
    main()
