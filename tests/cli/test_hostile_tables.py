"""Hostile names, cells and links steer no terminal, no spreadsheet and no browser."""

import csv
import os
import shutil

import pytest
from command_line import FIT, run, told
from small_ward import WRITTEN, names_in

pytestmark = pytest.mark.usefixtures("few_candidates")

ATTACK = "window.hacked = true"
SCRIPT, IMAGE = f"<script>{ATTACK}</script>", f"<img src=x onerror='{ATTACK}'>"
FORMULA, QUOTED = "=cmd|' /C calc'!A0", f'"><svg onload="{ATTACK}">'


@pytest.fixture(scope="module")
def hostile(patients, tmp_path_factory):
    """The folder of a fit to a table whose name, columns and cells all try something."""
    place = tmp_path_factory.mktemp("hostile")
    names = {"lab_1": SCRIPT, "temperature": FORMULA, "lab_2": "@SUM(A1)", "hospital": "\x1b[2J", "infection": QUOTED}
    table = patients.table.rename(columns=names)
    table["patient"] = ["=1+1", IMAGE, "@SUM(A1)", "+1", "-1", SCRIPT, *table["patient"][6:]]
    table["ward"] = table["ward"].replace({"bowel": IMAGE, "heart": "-2+3"})
    path = place / f"{IMAGE}.csv".replace("/", "")
    table.to_csv(path, index=False)
    out = place / "a" / ".." / "out"
    result = run(*FIT, path, "--label", QUOTED, "--id", "patient", "--out", out, "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert names_in(place) == {path.name, "out"}
    assert names_in(place / "out") == WRITTEN
    return place / "out", result


def test_a_terminal_is_not_steered(hostile):
    assert "  ?[2J: '\\x1b[2J' is 'North' in every row" in hostile[1].stdout
    assert "\x1b" not in hostile[1].output


@pytest.mark.parametrize("name", ["ranking.csv", "doubtful_labels.csv", "features.csv"])
def test_a_spreadsheet_runs_nothing(hostile, name):
    with (hostile[0] / name).open(encoding="utf-8", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert any(cell.startswith("'=") for cell in cells)
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r")) and not _is_number(cell)]


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_browser_runs_nothing(hostile, browser):
    browser.open(hostile[0] / "report.html", width=1280)
    words = browser.evaluate("document.body.textContent")
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.evaluate("document.querySelectorAll('img, svg[onload], script:not(:last-child)').length") == 0
    assert browser.complaints() == []
    assert len(browser.requests()) == 1
    for attack in (SCRIPT, IMAGE, FORMULA, QUOTED):
        assert attack in words


def test_names_that_are_no_unicode(small_table, tmp_path):
    odd = os.fsdecode("Müller".encode("latin1"))
    try:
        shutil.copy(small_table, tmp_path / f"{odd}.csv")
    except OSError:
        pytest.skip("needs a disk that takes any name")
    told(run("fit", tmp_path / f"{odd}.csv", "--label", "infection"), "M?ller.csv has a name that is not valid UTF-8")
    result = run(*FIT, small_table, "--label", "infection", "--out", tmp_path / odd)
    assert result.exit_code == 0, result.output
    assert "M?ller/report.html" in result.stdout
    assert names_in(tmp_path / odd) == WRITTEN


def test_links_are_not_followed_out_of_the_folder(small_table, fitted, table, tmp_path):
    label = ("--label", "infection")
    (tmp_path / "elsewhere").write_text("kept", encoding="utf-8")
    (tmp_path / "link").symlink_to("elsewhere")
    (tmp_path / "to nothing").symlink_to("nothing")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").symlink_to("../elsewhere")
    before = names_in(tmp_path)
    told(run("fit", small_table, *label, "--out", tmp_path / "out"), "report.html is a folder, a link or a device")
    told(run("fit", small_table, *label, "--out", tmp_path / "link"), "is not a folder")
    told(run("fit", small_table, *label, "--out", tmp_path / "to nothing"), "is not a folder")
    told(run("score", fitted[0], table, "--out", tmp_path / "link"), "is a folder, a link or a device")
    told(run("score", fitted[0], table, "--out", os.devnull), "is a folder, a link or a device")
    assert names_in(tmp_path) == before
    assert (tmp_path / "elsewhere").read_text(encoding="utf-8") == "kept"


def test_a_link_to_a_folder_and_a_name_of_two_lines_are_folders(small_table, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for folder in (tmp_path / "link", tmp_path / "two\nlines"):
        result = run(*FIT, small_table, "--label", "infection", "--out", folder)
        assert result.exit_code == 0, result.output
        assert names_in(folder) == WRITTEN
    assert names_in(tmp_path) == {"small.csv", "folder", "link", "two\nlines"}
    told(run("fit", small_table, "--label", "infection", "--out", tmp_path / "two\nlines" / "run.json"), "two lines")
