"""CONTRIBUTING, the import floors and the tree agree: every module is on its floor, and no file is long."""

import ast
import re
import tomllib

from places import ROOT

SOURCE = ROOT / "src" / "blindauc"
LONGEST = 350
WITHOUT_A_MATRIX = ("objectives", "solvers", "prior", "evidence", "choice", "explain", "trust", "report")


def floors_of_the_table():
    """The modules of each row of CONTRIBUTING's table, from the ground up."""
    rows = re.findall(r"^\| ((?:`[\w./]+`(?:, )?)+) \|", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    return [re.findall(r"`(\w+)(?:\.py|/)`", row) for row in rows]


def floors_of_the_linter():
    """The number of the highest layer of each module, from the ground up."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    layers = [re.findall(r"blindauc\.(\w+)", layer) for layer in reversed(contract["layers"])]
    return {name: floor for floor, layer in enumerate(layers) for name in layer}


def test_table_layers_and_tree_have_the_same_modules():
    tree = {path.stem for path in SOURCE.iterdir() if path.suffix in ("", ".py")} - {
        "__init__",
        "__main__",
        "__pycache__",
    }
    assert {name for floor in floors_of_the_table() for name in floor} == tree
    assert floors_of_the_linter().keys() == tree


def test_rows_of_the_table_are_in_the_order_of_the_layers():
    layers = floors_of_the_linter()
    highest = [max(layers[name] for name in floor) for floor in floors_of_the_table()]
    assert highest == sorted(highest)


def test_no_file_is_long():
    files = [
        path for folder in ("src", "tests", "benchmarks", "docs", "tools") for path in (ROOT / folder).rglob("*.py")
    ]
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_what_learns_from_rows_never_sees_how_they_are_stored():
    files = [path for name in WITHOUT_A_MATRIX for path in (SOURCE / name).rglob("*.py")]
    # In code only: examples in docstrings pass X to estimators. The l1 baseline hands its rows to scikit-learn.
    raw = {
        path.relative_to(SOURCE).as_posix()
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "X"
    }
    assert raw == {"choice/baselines.py"}
    outside = [path for path in SOURCE.rglob("*.py") if "rows" not in path.parts]
    assert [path.name for path in outside if "issparse" in path.read_text(encoding="utf-8")] == []
