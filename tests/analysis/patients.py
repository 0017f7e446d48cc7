"""A made-up ward with known answers."""

import numpy as np
import pandas as pd

N_ROWS = 200
WRONG = {f"=P{i}" for i in range(N_ROWS - 4, N_ROWS)}


def patients(n=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    is_ill = np.arange(n) < n // 3
    is_labelled = (np.arange(n) < n // 6) | (np.arange(n) >= n - 4)  # the last four are wrong
    table = pd.DataFrame(
        {
            "patient": [f"=P{i}" for i in range(n)],
            "crp day 1": np.round(rng.gamma(2, 10, n) + 60 * is_ill, 1),
            "crp day 2": np.round(rng.gamma(2, 10, n) + 60 * is_ill, 1),
            "fever": np.where(rng.random(n) < np.where(is_ill, 0.9, 0.1), "yes", "no"),
            "ward": rng.choice(["A", "B", "C"], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(20, 90, n)),
            "site": "Bonn",
            "remark": "nothing",
            "infected": np.where(is_labelled, "yes", None),
        }
    )
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)
