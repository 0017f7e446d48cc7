"""The picture of time and memory by rows, from the table of a page: `python scale.py PAGE IMAGES`."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import BLUE, GREY, ORANGE, STYLE, plt
from matplotlib.ticker import LogLocator

COLORS = {"memory": GREY, "disk": BLUE, "dask": ORANGE}
PANELS = {"fit_s": "a fit with outliers, seconds", "memory_GB": "peak memory, GB"}


def measured(page: str) -> list[dict[str, str]]:
    """The rows of the table that `benchmarks/scale.py` printed."""
    lines = page.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("| engine | rows |"))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[first:]]
    last = next((k for k, row in enumerate(cells) if not row), len(cells))
    names, _, *rows = cells[:last]
    return [dict(zip(names, row, strict=True)) for row in rows]


def main(page: Path, images: Path) -> None:
    """Draw the table."""
    rows = measured(page.read_text())
    with plt.rc_context(STYLE | {"font.size": 11}):
        figure, axes = plt.subplots(1, 2, figsize=(8, 3))
        for axis, (name, title) in zip(axes, PANELS.items(), strict=True):
            for engine in dict.fromkeys(row["engine"] for row in rows):
                some = [row for row in rows if row["engine"] == engine]
                x, y = ([float(row[key]) for row in some] for key in ("rows", name))
                axis.loglog(x, y, "o-", color=COLORS[engine], label=engine)
            axis.set_title(title, fontsize=11, color=GREY)
            axis.set_xlabel("rows of 50 columns")
            axis.minorticks_off()
            axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.yaxis.set_major_formatter("{x:g}")
        axes[0].legend(frameon=False)
        figure.savefig(images / "scale.svg", transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
