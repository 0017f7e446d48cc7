"""README and docs keep their word: Python runs and prints what they show; commands, targets and links exist."""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import tempfile
from typing import NamedTuple

import pytest
import typer
from places import DATA, ROOT
from printed import differences

from blindauc import __version__
from blindauc.cli.app import app

README, DOCS = ROOT / "README.md", ROOT / "docs"
GALLERY = DOCS / "gallery.md"
TORCH_PAGE = DOCS / "how-to" / "train-a-net.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]

FENCED = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", flags=re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """What is between two fences, and what is said after the first."""

    language: str
    text: str


def blocks(page):
    return [Block(*found) for found in FENCED.findall(page.read_text(encoding="utf-8"))]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("page", PAGES, ids=name_of)

SLOW = {DOCS / "index.md", DOCS / "tutorial.md"}
"""Pages that show what a default search of all shapes finds, which takes long."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else []) for page in PAGES], ids=name_of
)
def test_python_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch):
    """A block of text is what the block before it prints, word by word; numbers as near as machines differ."""
    if page == TORCH_PAGE:
        pytest.importorskip("torch", reason="torch is not installed: make test-torch")
    if page == GALLERY and not os.environ.get("BLINDAUC_DATA"):
        if not DATA.is_dir():
            pytest.skip("needs ../shared/data, or the folder in BLINDAUC_DATA")
        monkeypatch.setenv("BLINDAUC_DATA", str(DATA))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names, printed = {"__name__": "__main__"}, ""
    for number, block in enumerate(blocks(page)):
        if block.language == "python":
            printed = _printed_by(block.text, f"{name_of(page)}, block {number}", names)
        elif block.language == "text":
            wrong = differences(block.text, printed)
            assert not wrong, f"{name_of(page)}, block {number}: {', '.join(wrong)}. This is printed:\n{printed}"


def _printed_by(code, place, names):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, place, "exec"), names)
    return output.getvalue()


@pytest.mark.parametrize(
    ("shown", "printed", "wrong"),
    [
        ("AUC 0.872 of x9", "AUC  0.874 of x9\n", []),
        ("AUC 0.872 of x9", "AUC 0.875 of x9", ["0.872 (printed 0.875)"]),
        ("AUC 0.872 of x9", "AUC 0.872 of x8", ["other words"]),
        ("AUC 0.872", "AUC nan", ["other words"]),
        ("P1 0.99\nP2 0.98", "P2 0.98\nP1 0.98", []),
        ("12 labels of 9,000", "13 labels of 9,180", []),
        ("12 labels of 9,000", "14 labels of 9,181", ["12 (printed 14)", "9,000 (printed 9,181)"]),
        ("[-0.0, 1e-05]", "[0.1, 3e-05]", []),
        ("3.1e-05", "3.4e-05", ["3.1e-05 (printed 3.4e-05)"]),
        ("90 rows in P0608 of 0.2.0", "90 rows in P0609 of 0.2.0", ["other words"]),
    ],
)
def test_numbers_are_compared_and_not_passed_over(shown, printed, wrong):
    assert differences(shown, printed) == wrong


@every_page
def test_no_python_is_exempt(page):
    """A word after the language, or another name for it, would keep a block from being run."""
    assert {block.language for block in blocks(page)} <= {"", "python", "text", "console"}


@every_page
def test_commands_and_options_exist(page):
    group = typer.main.get_command(app)
    for words in _commands(page, "blindauc"):
        named = [word for word in words if not word.startswith("-")]
        assert not named or named[0] in group.commands, f"There is no command 'blindauc {named[0]}'"
        command = group.commands[named[0]] if named else group
        options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}
        unknown = {word.partition("=")[0] for word in words if word.startswith("-")} - options
        assert not unknown, f"'blindauc {' '.join(words)}' has no option {', '.join(unknown)}"


@every_page
def test_make_targets_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert {words[0] for words in _commands(page, "make")} <= targets


def _commands(page, program):
    """The words after the program's name in each line that runs it."""
    for block in blocks(page):
        if block.language in ("", "console"):
            for line in block.text.replace("\\\n", " ").splitlines():
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if words[:1] == [program]:
                    yield words[1:]


@every_page
def test_links_lead_somewhere(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    targets = {target.partition("#")[0] for target in LINK.findall(text) if not re.match("[a-z]+:", target)} - {""}
    assert [target for target in targets if not (page.parent / target).is_file()] == []


def test_every_page_is_in_the_navigation():
    in_navigation = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE))
    assert {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} <= in_navigation


@pytest.fixture
def docstring_hook():
    pytest.importorskip("griffe", reason="the site's tools are not installed")
    spec = importlib.util.spec_from_file_location("docstrings", DOCS / "hooks" / "docstrings.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    return hook


def test_formulas_of_docstrings_become_markdown(docstring_hook):
    written = "So:\n\n.. math::\n\n    a &= b \\\\\n    c &= d\n\nand\n\n.. math:: e + f\n\nfor :math:`g`."
    wanted = "So:\n\n$$\na &= b \\\\\nc &= d\n$$\n\nand\n\n$$\ne + f\n$$\n\nfor $g$."
    assert docstring_hook.in_markdown(written) == wanted


def test_parameters_of_one_entry_get_one_each(docstring_hook):
    head = "Sums.\n\nParameters\n----------\n"
    tail = "\n\nReturns\n-------\na, b : int"
    written = f"{head}a, b : int\n    Counts.\nc,\nd\n    As there.\ne : float{tail}"
    one_each = "a : int\n    Counts.\nb : int\n    Counts.\nc\n    As there.\nd\n    As there.\ne : float"
    assert docstring_hook.one_by_one(written) == f"{head}{one_each}{tail}"


def test_version_is_said_once():
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text()
