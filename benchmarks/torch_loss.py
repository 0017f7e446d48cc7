"""Timings of the torch loss, relative to the layers of a net. Needs the extra `[torch]`.

    python benchmarks/torch_loss.py                                # 1e6 x 1e6 pairs on the CPU
    python benchmarks/torch_loss.py --device cuda --rows 50000000  # on a GPU

The bar on a CPU is the time of two linear layers (100 to 100), forward and backward, for as many rows. On an H200 it is
twice the time to spread the scores over the subcells and to evaluate the polynomials there: 10.9 ms and 5.0 ms for 5e7
scores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
from speed import side_by_side

from blindauc import pairwise_loss
from blindauc.losses import Logistic
from blindauc.torch import BlindAUCLoss
from blindauc.torch.rows import read_rows
from blindauc.torch.summary import slopes, summaries

WIDTH = 100
ROWS_AT_A_TIME = 200_000
"""Batch size of the net: 2e6 rows at once would take gigabytes, and more time."""

LIMIT = (10.9e-3 + 5.0e-3) / 5e7
"""Seconds per score on an H200 (measured, see above)."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cpu")
    options.add_argument("--rows", type=int, default=2_000_000, help="half of them positives")
    options.add_argument("--repeats", type=int, default=5)
    asked = options.parse_args()
    where = torch.cuda.get_device_name() if asked.device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"torch {torch.__version__}, {where}")
    accuracy(asked.device)
    against_layers(asked.device, asked.rows, asked.repeats)
    if asked.device == "cuda":
        against_the_limit(asked.rows, asked.repeats)


def drawn(n: int, device: str, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores of n rows, half of them positive."""
    torch.manual_seed(0)
    labels = torch.arange(n, device=device) % 2 == 0
    return (3 * torch.randn(n, device=device, dtype=dtype) + labels).requires_grad_(), labels


def accuracy(device: str, n: int = 200_000) -> None:
    scores, labels = drawn(n, device, torch.float64)
    value = BlindAUCLoss()(scores, labels)
    value.backward()
    values, is_positive = scores.detach().cpu().numpy(), labels.cpu().numpy()
    exact = pairwise_loss(values[is_positive], values[~is_positive])
    gradient = scores.grad.cpu().numpy()
    off = max(
        abs(gradient[is_positive] / exact.pos_gradient - 1).max(),
        abs(gradient[~is_positive] / exact.unl_gradient - 1).max(),
    )
    print(f"against pairwise_loss, {n} rows, float64, relative")
    print(f"  value                              {abs(value.item() / exact.value - 1):.1e}  (bar: 1e-10)")
    print(f"  gradient, the largest difference   {off:.1e}  (bar: 1e-10)")


def against_layers(device: str, n: int, repeats: int) -> None:
    scores, labels = drawn(n, device)
    rows, slopes = torch.randn(2, ROWS_AT_A_TIME, WIDTH, device=device)
    net = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH)).to(device)

    def pairs() -> None:
        scores.grad = None
        BlindAUCLoss()(scores, labels).backward()

    def layers() -> None:
        for start in range(0, n, ROWS_AT_A_TIME):
            output = net(rows[: n - start])
            output.backward(slopes[: len(output)])

    ours, theirs = side_by_side(finished(pairs, device), finished(layers, device), repeats=repeats)
    print(f"{n // 2:.0e} x {n // 2:.0e} pairs, logistic, value and backward, float32 scores")
    print(f"  BlindAUCLoss                       {1e3 * ours:.1f} ms")
    print(f"  two layers, {WIDTH} to {WIDTH}, {n:.0e} rows   {1e3 * theirs:.1f} ms")
    print(f"  ratio                              {ours / theirs:.2f}  (bar on a CPU: below 1)")


def against_the_limit(n: int, repeats: int) -> None:
    """The time of the loss and of its parts, in float64 as the limit was measured."""
    scores, labels = drawn(n, "cuda", torch.float64)
    rows = read_rows(scores, labels)
    pos, unl = summaries(Logistic(), rows)

    def whole() -> None:
        scores.grad = None
        BlindAUCLoss()(scores, labels).backward()

    parts: list[Callable[[], object]] = [
        lambda: read_rows(scores, labels),
        lambda: summaries(Logistic(), rows),
        lambda: slopes(Logistic(), pos, unl, rows),
    ]
    torch.cuda.reset_peak_memory_stats()
    seconds = side_by_side(*(finished(task, "cuda") for task in [whole, *parts]), repeats=repeats)
    peak = torch.cuda.max_memory_allocated() / n
    limit = LIMIT * n
    print(f"{n:.0e} scores on the GPU, float64")
    print(f"  value and backward                 {1e3 * seconds[0]:.2f} ms")
    for name, each in zip(("read", "spread", "evaluate"), seconds[1:], strict=True):
        print(f"    {name:<33}{1e3 * each:.2f} ms")
    print(f"  limit (H200)                       {1e3 * limit:.2f} ms")
    print(f"  ratio                              {seconds[0] / limit:.2f}  (bar: at most 2)")
    print(f"  peak memory                        {peak:.0f} bytes a score")


def finished(task: Callable[[], object], device: str) -> Callable[[], None]:
    """Run the task and wait until the device has finished it."""

    def run() -> None:
        task()
        if device == "cuda":
            torch.cuda.synchronize()

    return run


if __name__ == "__main__":
    main()
