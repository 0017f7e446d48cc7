"""README and its picture show what the whole demo says."""

import re

import pytest
from command_line import run
from PIL import Image
from places import ROOT

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 700


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "out"
    result = run("demo", "--out", folder)
    assert result.exit_code == 0, result.output
    return folder, result.stdout


def test_readme_shows_what_the_demo_prints(demo):
    """Word by word; numbers may differ by two in the last decimal shown, as they do between machines."""
    said = {NUMBER.sub("#", line).strip(): line for line in demo[1].splitlines()}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(block for block in readme.split("```") if "the truth is known" in block).strip().splitlines()
    assert len(shown) >= 6
    for line in filter(str.strip, shown):
        printed = said.get(NUMBER.sub("#", line).strip())
        assert printed, f"The demo does not print this line of README: {line}"
        for ours, theirs in zip(NUMBER.findall(line), NUMBER.findall(printed), strict=True):
            tolerance = 2.5 * 10.0 ** -len(ours.partition(".")[2]) if "." in ours else 0
            assert abs(float(ours) - float(theirs)) <= tolerance, f"README shows {line!r}, the demo prints {printed!r}"


def test_the_picture_shows_the_demo_as_it_is(demo):
    """`make pictures` notes the numbers at the top of the report in the file."""
    values = re.findall(r'<p class="value[^"]*">([^<]*)<', (demo[0] / "report.html").read_text(encoding="utf-8"))
    with Image.open(ROOT / "docs" / "images" / "report.png") as picture:
        assert picture.info["values"] == ", ".join(values), "The picture is older than the demo: make pictures"
