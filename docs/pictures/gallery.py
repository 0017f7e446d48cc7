"""The pictures of the gallery, drawn from what the code of its page computes: `python gallery.py IMAGES`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("agg")

import matplotlib.pyplot as plt
from figures import BLUE, GREY, ORANGE, STYLE
from PIL import Image

PAGE = Path(__file__).parents[1] / "gallery.md"
PYTHON = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def computed() -> dict[str, Any]:
    """The names that the code of the page leaves behind."""
    names: dict[str, Any] = {}
    for code in PYTHON.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(code, PAGE.name, "exec"), names)
    return names


def scores(axes: Any, score: Any, y: Any, is_positive: Any) -> None:
    """A strip of dots for each kind of row."""
    kinds = {
        "right labels": (y == 1) & is_positive,
        "wrong labels": (y == 1) & ~is_positive,
        "hidden positives": (y == 0) & is_positive,
        "negatives": (y == 0) & ~is_positive,
    }
    shown = {name: rows for name, rows in kinds.items() if rows.any()}
    rng = np.random.default_rng(0)
    score = (score - score[y == 0].mean()) / score[y == 0].std()
    for line, (name, rows) in enumerate(reversed(shown.items())):
        color = {"right labels": BLUE, "hidden positives": BLUE}.get(name, ORANGE if "wrong" in name else GREY)
        up = line + rng.uniform(-0.28, 0.28, rows.sum())
        axes.scatter(score[rows], up, s=14, color=color, alpha=0.6, linewidths=0)
    axes.set(yticks=range(len(shown)), yticklabels=list(reversed(shown)), xlabel="score", xticks=[])
    axes.spines["left"].set_visible(False)
    axes.tick_params(left=False)


def images_of(panels: Any, digits: Any, rows: Any) -> None:
    """Digits with their names."""
    for panel, row in zip(panels, rows, strict=True):
        panel.imshow(digits.images[row], cmap="gray_r")
        panel.set_title(digits.target[row], color=BLUE if digits.target[row] == 3 else ORANGE)
        panel.axis("off")


def profiles_of(panels: Any, heights: Any, score: Any, y: Any) -> None:
    """The unlabelled profiles that rank first and last."""
    order = np.flatnonzero(y == 0)[np.argsort(-score[y == 0])]
    for panel, row, color in zip(panels, [*order[:3], *order[-3:]], [BLUE] * 3 + [ORANGE] * 3, strict=True):
        panel.plot(heights[row], color=color, lw=2)
        panel.axis("off")


def save(figure: Any, path: Path) -> None:
    """As a small PNG with a transparent ground."""
    figure.savefig(path, transparent=True, dpi=140, metadata={"Software": None})
    plt.close(figure)
    with Image.open(path) as image:
        fewer = image.convert("RGBA").quantize(64, method=Image.Quantize.FASTOCTREE)
    fewer.save(path, optimize=True)


def main(images: Path) -> None:
    """Draw all of them."""
    found = computed()
    with mpl.rc_context(STYLE):
        for name, data in {"tumours": "tumours", "hearts": "hearts_scores", "spectf": "images"}.items():
            figure, axes = plt.subplots(figsize=(6, 2.8))
            scores(axes, *found[data])
            save(figure, images / f"gallery-{name}.png")
        figure, panels = plt.subplots(1, 9, figsize=(7, 1.2))
        images_of(panels, found["digits"], found["suspicious"])
        save(figure, images / "gallery-threes.png")
        figure, panels = plt.subplots(2, 3, figsize=(6, 2.6))
        y = found["pu_labels"](found["is_hill"], 150, 0)
        profiles_of(panels.ravel(), found["heights"], found["profile_scores"], y)
        save(figure, images / "gallery-hills.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
