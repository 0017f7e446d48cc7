"""Tables with a category that matters, and the same as polars keeps them."""

import numpy as np
import pandas as pd
import polars as pl

N_WARDS = 12
WARDS = np.array([f"w{k:02d}" for k in range(N_WARDS)])
EFFECT = np.random.default_rng(9).permutation(np.linspace(-3, 3, N_WARDS))


def make_table(n_rows=600, seed=0):
    """Positives by ward, whose names say nothing of it, and by age; sex does not matter, and some wards are missing."""
    rng = np.random.default_rng(seed)
    ward, age = rng.integers(N_WARDS, size=n_rows), rng.normal(size=n_rows)
    risk = EFFECT[ward] + 0.7 * age + rng.logistic(size=n_rows)
    names = np.where(rng.random(n_rows) < 0.05, None, WARDS[ward])
    sex = rng.choice(["f", "m"], n_rows)
    table = pd.DataFrame({"ward": pd.Categorical(names), "age": age, "sex": pd.Categorical(sex)})
    return table, risk > np.quantile(risk, 0.7)


TABLE, TRUTH = make_table()
NEW, NEW_TRUTH = make_table(1000, seed=1)
Y = TRUTH & (np.random.default_rng(3).random(len(TRUTH)) < 0.4)


def as_polars(table, dtype=pl.Categorical):
    columns = {"ward": [None if pd.isna(name) else name for name in table["ward"]], "sex": table["sex"].tolist()}
    texts = {name: pl.Series(name, cells, dtype=dtype) for name, cells in columns.items()}
    return pl.DataFrame([texts["ward"], pl.Series("age", table["age"].to_numpy()), texts["sex"]])
