"""The drawings of the concepts, from data: `python figures.py IMAGES`.

They are SVG files of a few kilobytes. Text is grey and the ground is empty, so that they can be read on white and on
black.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("svg")

import matplotlib.pyplot as plt

from blindauc import BlindAUCClassifierCV
from blindauc.datasets import make_paper_data
from blindauc.theory import blind_auc_from_auc

BLUE, ORANGE, GREY = "#3b82c4", "#d9722e", "#8a8f98"
STYLE = {
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 13,
    "svg.fonttype": "none",
    "svg.hashsalt": "blindauc",  # the same file for the same data
    "text.color": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
}


def pairs(axes: Any) -> None:
    """Every labelled row against every unlabelled one: a pair counts where the labelled row ranks higher."""
    labelled, unlabelled = [0.86, 0.74, 0.61, 0.33], [0.80, 0.55, 0.45, 0.38, 0.24, 0.12]
    hidden = 0
    axes.hlines([1, 0], 0, 1, color=GREY, lw=1)
    axes.plot(labelled, np.ones(4), "o", ms=13, color=BLUE)
    axes.plot(unlabelled, np.zeros(6), "o", ms=13, mfc="none", mec=GREY, mew=2)
    axes.plot(unlabelled[hidden], 0, "o", ms=6, color=BLUE)
    for b in unlabelled:
        axes.plot([labelled[2], b], [1, 0], color=BLUE if b < labelled[2] else ORANGE, lw=1.6, alpha=0.8)
    axes.text(0, 1.15, "labelled")
    axes.text(0, -0.3, "unlabelled")
    axes.text(unlabelled[hidden], -0.3, "hidden positive", ha="center")
    axes.text(labelled[2], 1.15, "outranks 5 of 6", ha="center")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.45, 1.35))
    axes.axis("off")


def lines(axes: Any) -> None:
    """The blind AUC as a line in the AUC, by the theorem."""
    auc = np.linspace(0.5, 1, 2)
    for line, (prior, contamination, color) in enumerate(((0, 0, GREY), (0.3, 0, BLUE), (0.3, 0.2, ORANGE))):
        blind = [blind_auc_from_auc(each, prior=prior, contamination=contamination) for each in auc]
        axes.plot(auc, blind, color=color, lw=2.5)
        said = f"{prior:.0%} hidden, {contamination:.0%} wrong".replace("%", " %")
        axes.text(0.515, 0.96 - 0.05 * line, said, color=color)
    axes.set(xlabel="AUC on true labels", ylabel="blind AUC", xlim=(0.5, 1), ylim=(0.5, 1))


def ranks(axes: Any) -> None:
    """Held-out ranks of right and of wrong labels among the unlabelled rows."""
    rng = np.random.default_rng(0)
    unlabelled = np.where(rng.random(100_000) < 0.1, 1.8, 0.0) + rng.normal(size=100_000)
    unlabelled.sort()
    for mean, color, name, at in ((1.8, BLUE, "right labels", 0.62), (-0.3, ORANGE, "wrong labels", 0.05)):
        rank = np.searchsorted(unlabelled, rng.normal(mean, 1, 100_000)) / len(unlabelled)
        height, edges = np.histogram(rank, bins=25, range=(0, 1), density=True)
        axes.stairs(height, edges, fill=True, color=color, alpha=0.55)
        axes.text(at, 3.1 if color == BLUE else 2.1, name, color=color)
    axes.set(xlabel="held-out rank: share of unlabelled rows below", xlim=(0, 1), yticks=[])
    axes.spines["left"].set_visible(False)


def samples(above: Any, below: Any) -> None:
    """One sample: labels are taken out of it. Two samples: the unlabelled rows are the population."""
    rng = np.random.default_rng(3)
    x, y = np.meshgrid(np.arange(10), np.arange(6))
    is_positive = rng.permutation(60) < 24
    is_labelled = is_positive & (rng.permutation(60) < 30)
    _dots(above, x.ravel(), y.ravel(), is_positive, is_labelled)
    above.set_title("one sample", color=GREY)
    more = np.arange(12)
    xs, ys = np.r_[x.ravel(), 11.5 + more % 2], np.r_[y.ravel(), more // 2]
    _dots(below, xs, ys, np.r_[is_positive, np.ones(12, bool)], np.r_[np.zeros(60, bool), np.ones(12, bool)])
    below.set_title("two samples", color=GREY)


def _dots(axes: Any, x: Any, y: Any, is_positive: Any, is_labelled: Any) -> None:
    axes.scatter(x[~is_positive], y[~is_positive], s=70, facecolors="none", edgecolors=GREY, linewidths=1.5)
    hidden = is_positive & ~is_labelled
    axes.scatter(x[hidden], y[hidden], s=70, facecolors="none", edgecolors=BLUE, linewidths=2.2)
    axes.scatter(x[is_labelled], y[is_labelled], s=70, color=BLUE)
    share = hidden.sum() / (~is_labelled).sum()
    axes.text(6, -1.6, f"prior among the unlabelled: {share:.2f}", ha="center")
    axes.set(xlim=(-0.7, 13.2), ylim=(-2, 5.6), aspect="equal")
    axes.axis("off")


def weights(axes: Any) -> None:
    """The weight of the candidates of one search, summed over ridges; 7 of its 100 labels are wrong."""
    data = make_paper_data(n_features=30, n_relevant=15, n_outliers=7, random_state=1)
    tried = BlindAUCClassifierCV(shape="linear", scaling="none").fit(data.X, data.y_pu).cv_results_
    places = [(each["n_features_to_select"], each["n_outliers"]) for each in tried["params"]]
    distinct = sorted(set(places))
    total = [sum(tried["weight"][k] for k, place in enumerate(places) if place == each) for each in distinct]
    columns, shares = zip(*distinct, strict=True)
    axes.scatter(columns, shares, s=4, color=GREY)
    axes.scatter(columns, shares, s=6000 * np.array(total), color=BLUE, alpha=0.6, linewidths=0)
    axes.set(xlabel="columns", ylabel="labels left out", xlim=(0, 33), ylim=(-0.06, 0.37))
    axes.set_yticks([0, 0.1, 0.2, 0.3], ["0", "10 %", "20 %", "30 %"])


def flow(axes: Any) -> None:
    """Down once, up once."""
    down = ["table", "Rows", "Scorer", "scores"]
    up = ["report", "findings", "weights, suspicion,\ncalibration", "out-of-fold ranks"]
    for x, names, color in ((0, down, BLUE), (1.2, up, ORANGE)):
        for y, name in enumerate(reversed(names)):
            axes.text(
                x, y, name, ha="center", va="center", bbox={"boxstyle": "round,pad=.45", "fc": "none", "ec": color}
            )
        for y in range(3):
            ends = ((x, y + 0.72), (x, y + 0.3)) if x == 0 else ((x, y + 0.3), (x, y + 0.7))
            _arrow(axes, *ends, color)
    _arrow(axes, (0.3, 0), (0.78, 0), GREY)
    axes.set(xlim=(-0.5, 1.8), ylim=(-0.4, 3.4))
    axes.axis("off")


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2})


FIGURES: dict[str, tuple[Callable[..., None], tuple[float, float], int]] = {
    "pairs": (pairs, (6, 2.8), 1),
    "blind-auc": (lines, (5.5, 4), 1),
    "ranks": (ranks, (6, 3.2), 1),
    "samples": (samples, (5, 5.4), 2),
    "weights": (weights, (6, 3.4), 1),
    "flow": (flow, (6, 4), 1),
}


def main(images: Path) -> None:
    """Draw all of them."""
    with mpl.rc_context(STYLE):
        for name, (draw, size, n_axes) in FIGURES.items():
            figure, axes = plt.subplots(n_axes, 1, figsize=size)
            draw(*np.atleast_1d(axes))
            figure.savefig(images / f"{name}.svg", transparent=True, metadata={"Date": None})
            plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
