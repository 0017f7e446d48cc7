"""Random changes to texts of trees, read in a process of its own."""

import subprocess
import sys

FUZZ = """
import sys
import numpy as np
from blindauc.scorers.trees import TreeModel

seed, n_texts, n_columns = map(int, sys.argv[1:])
rng, whole, X = np.random.default_rng(seed), sys.stdin.read(), np.random.default_rng(0).normal(size=(20, n_columns))
X[::2] = np.round(20 * np.abs(X[::2]))  # numbers of categories
passed = refused = 0
for _ in range(n_texts):
    text = list(whole)
    for _ in range(rng.integers(1, 4)):
        place, width, kind = rng.integers(len(text)), rng.integers(1, 6), rng.integers(4)
        if kind == 0:
            text[place : place + width] = []
        elif kind == 1:
            text[place : place + width] = list("0123456789-. =\\n")[rng.integers(15)]
        elif kind == 2:
            text[place] = chr(ord(text[place]) ^ (1 << rng.integers(8)))
        else:
            start = rng.integers(len(text))
            text[place:place] = text[start : start + 40]
    model = TreeModel("".join(text), n_columns)
    try:
        scores, contributions = model.scores(X), model.contributions(X)
    except ValueError as error:
        assert "is damaged or was edited" in str(error) and len(str(error).splitlines()) == 1, error
        refused += 1
    else:
        assert np.isfinite(scores).all() and np.isfinite(contributions).all()
        passed += 1
print(passed, refused)
"""


def fuzz(seed, n_texts, text, n_columns=5):
    command = [sys.executable, "-c", FUZZ, str(seed), str(n_texts), str(n_columns)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return map(int, done.stdout.split())
