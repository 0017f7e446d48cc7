"""Pictures of the report and of the review page, taken in Chromium: `python screenshots.py DEMO IMAGES`.

DEMO is the folder that `blindauc demo` wrote. Numbers on an orange ground are set by this script; the page that shows
the picture explains them.
"""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from PIL.PngImagePlugin import PngInfo

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import chromium

N_COLORS = 64
"""Enough for text and two or three hues, at a third of the size."""

PREPARE = """(is_marked => {
  // What is far below the window has its full height, too. The report allows no other style sheet.
  for (const section of document.querySelectorAll("section")) section.style.contentVisibility = "visible"
  if (is_marked) document.body.style.paddingLeft = "16px"
})"""

MARK = """(([selector, text]) => {
  const found = document.querySelector(selector).getBoundingClientRect()
  const mark = document.createElement("div")
  mark.textContent = text
  mark.style = `position: absolute; left: ${Math.max(found.x - 30, 3)}px; top: ${found.y + scrollY - 4}px; width: 26px;
    height: 26px; border-radius: 50%; background: #c2410c; color: white; font: bold 16px/26px sans-serif;
    text-align: center; z-index: 9`
  document.body.append(mark)
})"""

ENDS = """(([first, last]) => {
  const box = selector => document.querySelector(selector).getBoundingClientRect()
  return [box(first).top + scrollY, last ? box(last).bottom + scrollY : innerHeight - 32]
})"""


VALUES = "[...document.querySelectorAll('#summary .value')].map(value => value.textContent).join(', ')"
"""The numbers at the top of a report: a test compares them with the demo's."""


class Picture(NamedTuple):
    """From the top of one element to the bottom of another (or of the window), with numbers beside some."""

    name: str
    width: int
    first: str
    last: str
    marks: Sequence[str] = ()
    before: str = "null"


REPORT = (
    Picture("report", 1000, "#summary", ".cases li:nth-child(6)"),
    Picture(
        "report-top",
        760,
        "#summary .keys",
        "#summary .answers",
        [
            ".keys div:nth-child(1)",
            ".keys div:nth-child(2)",
            ".keys div:nth-child(3)",
            ".keys div:nth-child(4)",
            ".answers div:nth-child(1)",
        ],
    ),
    Picture(
        "report-rows",
        760,
        "#cases .cases",
        "#cases li:nth-child(3)",
        ["#cases li:nth-child(1) .place", "#cases li:nth-child(1) .chance", "#cases li:nth-child(1) .cells"],
        "document.querySelector('#cases details').open = true",
    ),
    Picture(
        "report-labels",
        760,
        "#doubts .filter",
        "#doubts tbody tr:nth-child(6)",
        [
            "#doubts .filter",
            "#doubts tbody tr:nth-child(1) td:nth-child(1)",
            "#doubts tbody tr:nth-child(1) td:nth-child(6)",
        ],
    ),
    Picture(
        "report-columns",
        760,
        "#features .pair",
        "#features .effects figure:nth-child(3)",
        ["#features .pair figure", "#features .pair table", "#features .effects figure"],
    ),
    Picture(
        "report-trust",
        760,
        "#trust .careful",
        "#trust table",
        ["#trust .careful", "#trust tbody tr:nth-child(3)", "#trust tbody tr:nth-child(4)"],
    ),
)


def main(demo: Path, images: Path) -> None:
    """Take all pictures of one demo."""
    with tempfile.TemporaryDirectory() as profile, chromium.started(profile) as page:
        for picture in REPORT:
            page.open(demo / "report.html", width=picture.width)
            page.evaluate(picture.before)
            _save(page, picture, images)
        with _review(demo) as address:
            page.open(address, width=900, height=1000)
            _until(page, "document.getElementById('name-dialog')?.open")
            page.type("Ada")
            page.press("Enter")
            _until(page, "document.querySelector('#row h2, #row h1')")
            _save(page, Picture("review", 900, "body", ""), images)


def _save(page: Any, picture: Picture, images: Path) -> None:
    page.evaluate(f"{PREPARE}({json.dumps(bool(picture.marks))})")
    if picture.last:  # a window as tall as the page, so that nothing moves when it is taken
        height = page.evaluate("document.documentElement.scrollHeight")
        size = {"width": picture.width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.send("Emulation.setDeviceMetricsOverride", **size)
    page.evaluate("new Promise(done => setTimeout(done, 500))")  # until nothing fades in
    for number, selector in enumerate(picture.marks, start=1):
        page.evaluate(f"{MARK}({json.dumps([selector, str(number)])})")
    top, bottom = page.evaluate(f"{ENDS}({json.dumps([picture.first, picture.last])})")
    clip = {"x": 0, "y": max(top - 16, 0), "width": picture.width, "height": bottom - top + 32, "scale": 1}
    taken = page.send("Page.captureScreenshot", clip=clip)["data"]
    image = Image.open(io.BytesIO(base64.b64decode(taken))).convert("RGB")
    values = PngInfo()
    values.add_text("values", page.evaluate(VALUES))
    fewer = image.quantize(N_COLORS, dither=Image.Dither.NONE)
    fewer.save(images / f"{picture.name}.png", optimize=True, pnginfo=values)


def _until(page: Any, condition: str) -> None:
    end = time.monotonic() + chromium.PATIENCE
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            raise RuntimeError(f"The review page never came to this: {condition}")
        time.sleep(0.1)


@contextmanager
def _review(demo: Path) -> Iterator[str]:
    """The address of a review of a copy of the demo."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "demo"
        shutil.copytree(demo, copy)
        command = [str(Path(sys.executable).with_name("blindauc")), "review", str(copy)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            yield next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main(*(Path(each).resolve() for each in sys.argv[1:]))
