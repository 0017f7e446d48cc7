"""A simulated table of patients after surgery, as untidy as a real one. Needs pandas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

from blindauc._typing import Bools

if TYPE_CHECKING:
    import pandas as pd

N_USELESS = 10
"""Columns of pure noise."""


@dataclass(frozen=True)
class Patients:
    """A table of patients, with the truth.

    Attributes
    ----------
    table : pandas.DataFrame; its column "infection" is "yes" for a recorded infection, otherwise missing
    infected : mask of shape (n,), the patients who really had an infection
    miscoded : mask of shape (n,), the patients with a wrong record
    """

    table: pd.DataFrame
    infected: Bools
    miscoded: Bools


def make_patients(n: int = 900, *, random_state: int | np.random.RandomState | None = None) -> Patients:
    """Draw patients after surgery: one in four gets an infection, and half of these are recorded.

    Infections raise temperature, C-reactive protein and white cells, and are more frequent after long operations, in
    smokers and on the bowel ward. About 3 % of the patients without an infection, all healthier than most, are recorded
    as infected by mistake. The laboratory values are noise, and one in five values of C-reactive protein is missing.

    Parameters
    ----------
    n : int, default=900
        The number of patients.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    Patients

    Examples
    --------
    >>> from blindauc.datasets import make_patients
    >>> patients = make_patients(random_state=0)
    >>> patients.table.shape, list(patients.table.columns[:4])
    ((900, 21), ['patient', 'age', 'sex', 'ward'])
    """
    import pandas as pd

    rng = check_random_state(random_state)
    infected = rng.uniform(size=n) < 0.25
    miscoded = ~infected & (rng.uniform(size=n) < 0.03)
    illness = np.where(miscoded, -1.5, infected)
    table = pd.DataFrame(
        {
            "patient": [f"P{number:04d}" for number in range(1, n + 1)],
            "age": (rng.normal(60, 12, n) + 6 * illness).round(),
            "sex": rng.choice(["female", "male"], n),
            "ward": np.where(rng.uniform(size=n) < 0.5 * infected, "bowel", rng.choice(["bowel", "heart", "hip"], n)),
            "smoker": np.where(rng.uniform(size=n) < 0.3 + 0.2 * infected, "yes", "no"),
            "operation_minutes": (rng.normal(120, 30, n) + 25 * illness).round(),
            "temperature": (rng.normal(36.9, 0.5, n) + 0.7 * illness).round(1),
            "c_reactive_protein": np.exp(rng.normal(3.0, 0.7, n) + 0.9 * illness).round(),
            "white_cells": (rng.normal(9, 2, n) + 2 * illness).round(1),
            "hospital": "North",
        }
    )
    for number in range(1, N_USELESS + 1):
        table[f"lab_{number}"] = rng.normal(size=n).round(2)
    table.loc[rng.uniform(size=n) < 0.2, "c_reactive_protein"] = np.nan
    is_recorded = (infected & (rng.uniform(size=n) < 0.5)) | miscoded
    table["infection"] = pd.Series("yes", index=table.index).where(is_recorded)
    return Patients(table, infected, miscoded)
