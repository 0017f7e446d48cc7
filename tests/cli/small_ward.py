"""Tables of a small ward, and what a fit writes."""

import pandas as pd

WRITTEN = {
    "model.skops",
    "ranking.csv",
    "doubtful_labels.csv",
    "features.csv",
    "findings.json",
    "run.json",
    "report.html",
    "results.xlsx",
}

FEW_LABS = [f"lab_{number}" for number in (1, 2, 3)]

N_SMALL = 60
SMALL = pd.DataFrame(
    {
        "id": [f"P{k}" for k in range(N_SMALL)],
        "age": [30 + 7 * k % 41 for k in range(N_SMALL)],
        "infection": ["yes" if k % 20 == 0 else "" for k in range(N_SMALL)],
    }
)
"""So few positives that there is nothing to choose, and a fit takes no time."""


def small(**columns):
    return SMALL.assign(**columns).to_csv(index=False).encode()


def names_in(folder):
    return {path.name for path in folder.iterdir()}
