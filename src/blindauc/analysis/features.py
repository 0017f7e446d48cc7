"""The columns that the ranking uses, and how."""

from __future__ import annotations

import numpy as np
import pandas as pd

from blindauc._typing import Floats
from blindauc.analysis.pipeline import Steps
from blindauc.design import Design
from blindauc.preprocessing import feature_groups, group_names


def feature_table(steps: Steps, X: Floats, frequency: Floats | None) -> pd.DataFrame:
    """Every column with its weight, the largest first.

    Parameters
    ----------
    steps : Steps
    X : ndarray of shape (n, p)
        The rows of the table, encoded.
    frequency : ndarray of shape (n_sources,) or None
        From `selection_frequency`.

    Returns
    -------
    pandas.DataFrame
        `column`, `source`, `weight` for a column of unit spread, `direction`, which is "raises" or "lowers" the score
        or blank, `selected` and `frequency`, missing where that was not asked.
    """
    source = feature_groups(steps.preprocessor)
    spread = Design(X).spread(np.full(len(X), 1 / len(X)))
    weight = steps.ranking.coef_ * spread
    table = pd.DataFrame(
        {
            "column": steps.preprocessor.get_feature_names_out(),
            "source": np.array(group_names(steps.preprocessor), dtype=object)[source],
            "weight": weight,
            "direction": np.select([weight > 0, weight < 0], ["raises", "lowers"], ""),
            "selected": steps.ranking.support_,
            "frequency": np.nan if frequency is None else frequency[source],
        }
    )
    return table.iloc[np.argsort(-np.abs(weight), kind="stable")].reset_index(drop=True)
