"""A table whose positives are found by scores that bend only."""

from functools import cache

import numpy as np
import pandas as pd

from blindauc.analysis import analyse

N = 160
BENT = ("curves", "kernel", "trees")
ALL = ("linear", *BENT)


def patients(seed=0):
    """Much fluid is as bad as little, which no straight line can say."""
    rng = np.random.default_rng(seed)
    fluid = rng.normal(size=N)
    table = pd.DataFrame(
        {
            "fluid": fluid.round(2),
            "age": rng.integers(20, 90, N),
            "ward": rng.choice(["A", "B", "C"], N),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D"),
        }
    )
    return table.assign(infected=np.where((np.abs(fluid) > 1.1) & (rng.random(N) < 0.6), "yes", ""))


TABLE = patients()


@cache
def analysed(*shapes):
    return analyse(TABLE, "infected", shape=list(shapes))


def encoded(analysis):
    X = analysis.model[0].transform(TABLE)
    return X, X[(TABLE["infected"] == "").to_numpy()]
