"""Try what `python -m build` left in dist/ as a user would: in a clean environment, in an empty folder, no checkout.

The wheel and the sdist are each installed with `[cli]` into an environment of their own, and must print the version,
run the demo and fit from Python. What the sdist holds is compared with what git tracks.

    python tools/try_release.py                       # both, by this Python
    python tools/try_release.py --python python3.13   # by another one
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEFT_OUT = {".gitignore", ".ci/run"}
"""Tracked files of the checkout that a source distribution need not have."""

FIT = """
from importlib.resources import files
import blindauc
from blindauc.datasets import make_patients
patients = make_patients(300, random_state=0).table
X, y = patients[["age", "temperature", "white_cells"]].fillna(0.0), patients["infection"]
model = blindauc.BlindAUCClassifier().fit(X, y)
assert model.score(X, y) > 0.5
assert files(blindauc).joinpath("py.typed").is_file()
print(blindauc.__version__, blindauc.__file__)
"""


def main() -> None:
    """Try both distributions; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="the Python to make environments with")
    chosen = parser.parse_args()
    wheel, sdist = _only("*.whl"), _only("*.tar.gz")
    check_contents(sdist)
    for archive in (wheel, sdist):
        try_archive(archive, chosen.python)
        print(f"{archive.name}: installs and works", flush=True)


def check_contents(sdist: Path) -> None:
    """Raise where a tracked file is missing from the sdist, or it has one that git does not track."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = set(listed.stdout.splitlines())
    stray, missing = held - tracked - {"PKG-INFO"}, tracked - held - LEFT_OUT
    if stray or missing:
        raise SystemExit(f"{sdist.name} has stray files {sorted(stray)} and lacks {sorted(missing)}.")


def try_archive(archive: Path, python: str) -> None:
    """Install one distribution into a clean environment, and use it in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment, empty = Path(folder, "environment"), Path(folder, "empty")
        empty.mkdir()
        _run([python, "-m", "venv", str(environment)], empty)
        program = environment / ("Scripts" if os.name == "nt" else "bin")
        _run([str(program / "pip"), "install", "--quiet", f"{archive}[cli]"], empty)
        _run([str(program / "blindauc"), "--version"], empty)
        _run([str(program / "blindauc"), "demo"], empty)
        _run([str(program / "python"), "-c", FIT], empty)


def _run(command: list[str], folder: Path) -> None:
    # A PYTHONPATH to the checkout would stand in for what was installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, cwd=folder, env=environment, check=True)


def _only(pattern: str) -> Path:
    found = sorted((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"dist/ must hold one {pattern}, not {len(found)}: make release builds it.")
    return found[0]


if __name__ == "__main__":
    main()
