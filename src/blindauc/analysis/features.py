"""The columns that the ranking uses, and how."""

from __future__ import annotations

import numpy as np
import pandas as pd

from blindauc._typing import Floats
from blindauc.analysis.pipeline import Steps
from blindauc.preprocessing import feature_groups, group_names


def feature_table(steps: Steps, frequency: Floats | None) -> pd.DataFrame:
    """Every column with its weight, the largest first.

    Parameters
    ----------
    steps : Steps
    frequency : ndarray of shape (n_sources,) or None
        From `selection_frequency`.

    Returns
    -------
    pandas.DataFrame
        `column`, `source`, `weight` for a column of unit spread, `direction`, which is "raises" or "lowers" the score
        or blank, `inclusion`, the probability that the column belongs in the score, `selected`, which columns with an
        inclusion of at least one half are, and `frequency`, missing where it was not computed.
    """
    source = feature_groups(steps.preprocessor)
    # Not the spread of the whole table: a row that was set apart for its leverage would widen it.
    weight = steps.ranking.coef_ * steps.ranking.spread_
    table = pd.DataFrame(
        {
            "column": steps.preprocessor.get_feature_names_out(),
            "source": np.array(group_names(steps.preprocessor), dtype=object)[source],
            "weight": weight,
            "direction": np.select([weight > 0, weight < 0], ["raises", "lowers"], ""),
            "inclusion": steps.ranking.inclusion_,
            "selected": steps.ranking.support_,
            "frequency": np.nan if frequency is None else frequency[source],
        }
    )
    return table.iloc[np.argsort(-np.abs(weight), kind="stable")].reset_index(drop=True)
