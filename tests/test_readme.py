"""Every snippet of the README runs, and every make target it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_python_snippets_run(monkeypatch):
    """With few ridges to choose from: what a whole search finds is the matter of other tests."""
    monkeypatch.setattr("blindauc.estimators.space.L2_DECADES", (1, 0))
    monkeypatch.setattr("blindauc.estimators.tuned.MAX_REPEATS", 1)
    snippets = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), {})


def test_commands_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(re.findall(r"^make ([a-z-]+)", README, flags=re.MULTILINE))
    assert named == {"install", "demo", "test", "bench", "accuracy", "honesty"}
    assert named <= targets


def test_version_is_said_once():
    import blindauc

    assert f"version: {blindauc.__version__}" in (ROOT / "CITATION.cff").read_text()
