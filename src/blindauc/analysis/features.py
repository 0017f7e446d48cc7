"""The columns that the ranking uses, and how."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats
from blindauc.analysis.pipeline import Steps
from blindauc.preprocessing import feature_groups, group_names
from blindauc.ranks import share_below

FLAG, DAYS = "yes", "days"
"""The units of columns of 0 and 1, and of dates."""


def feature_table(steps: Steps, frequency: Floats | None, unlabelled_score: Floats) -> pd.DataFrame:
    """Every column with its weight, the largest first.

    Parameters
    ----------
    steps : Steps
    frequency : ndarray of shape (n_sources,) or None
        From `selection_frequency`.
    unlabelled_score : ndarray of shape (n_unlabelled,)
        The scores of the unlabelled rows.

    Returns
    -------
    pandas.DataFrame
        `column`, `source`, `weight` for a column of unit spread, `direction`, which is "raises" or "lowers" the score
        or blank, `inclusion`, the probability that the column belongs in the score, `selected`, which columns with an
        inclusion of at least one half are, `frequency`, missing where it was not computed, and what the weight means:
        `step` of `unit` more, one standard deviation, or a yes in the place of a no, takes a row from the middle of
        the unlabelled rows past a share `climb` of them, or back by it.
    """
    source = feature_groups(steps.preprocessor)
    # Not the spread of the whole table: a row that was set apart for its leverage would widen it.
    weight = steps.ranking.coef_ * steps.ranking.spread_
    unit = _units(steps)
    step = np.where(unit == FLAG, 1.0, steps.ranking.spread_)
    table = pd.DataFrame(
        {
            "column": steps.preprocessor.get_feature_names_out(),
            "source": np.array(group_names(steps.preprocessor), dtype=object)[source],
            "weight": weight,
            "direction": np.select([weight > 0, weight < 0], ["raises", "lowers"], ""),
            "inclusion": steps.ranking.inclusion_,
            "selected": steps.ranking.support_,
            "frequency": np.nan if frequency is None else frequency[source],
            "step": step,
            "unit": unit,
            "climb": _climb(steps.ranking.coef_ * step, unlabelled_score),
        }
    )
    return table.iloc[np.argsort(-np.abs(weight), kind="stable")].reset_index(drop=True)


def _units(steps: Steps) -> Any:
    """What a step of each column is counted in; a number's own unit is not known, and blank."""
    kinds = steps.kinds
    # What comes from a number besides the number itself says where it is missing.
    return np.array(
        [
            {"numeric": "", "date": DAYS}.get(kinds.get(column, ""), FLAG)
            for column in steps.preprocessor.get_feature_names_out()
        ],
        dtype=object,
    )


def _climb(moves: Floats, scores: Floats) -> Floats:
    """The share of scores that lie between their median and the median moved so far, with the sign of the move."""
    middle = np.median(scores)
    climb = share_below(middle + moves, scores, np.ones(len(scores)))
    return climb - share_below(np.array([middle]), scores, np.ones(len(scores)))
