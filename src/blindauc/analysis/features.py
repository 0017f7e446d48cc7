"""The table of columns: weight, direction, inclusion probability and what a step of each column does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats
from blindauc.analysis.pipeline import Steps
from blindauc.explain import Effect, bends
from blindauc.preprocessing import feature_groups, group_names
from blindauc.ranks import share_below
from blindauc.report.words import TURNS

FLAG, DAYS = "yes", "days"
"""The units of 0/1 columns and of dates."""

STRAIGHT = 1e-6
"""A smaller share of the variance that a line leaves unexplained is a rounding error, written as 0 (convention)."""

BOTH_WAYS = "raises or lowers"
"""Direction of a column whose effect is not monotone."""


def feature_table(steps: Steps, frequency: Floats | None, unlabelled_score: Floats) -> pd.DataFrame:
    """One row per encoded column, the largest absolute weight first.

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
        - `column`: the name of the encoded column, and `source`, the table column that it comes from.
        - `weight`: the standard deviation of the column's contribution to the score over the unlabelled rows, negative
          if the contribution mostly falls as the column grows. For a linear score this is the coefficient of the
          column scaled to unit spread.
        - `direction`: "raises", "lowers", "raises or lowers" if the effect is not monotone, or blank.
        - `inclusion`: the posterior probability that the column belongs in the score.
        - `selected`: whether `inclusion` is at least one half.
        - `frequency`: how often half-samples of the rows select it; missing if that was not computed.
        - `step`, `unit` and `climb`: a row at the median of the unlabelled rows that has `step` `unit` more (one
          standard deviation, or yes instead of no) overtakes the share `climb` of them, or falls behind if negative.
        - `bends`: the share of the variance of the contribution that a straight line does not explain.
    """
    source = feature_groups(steps.preprocessor)
    effects = steps.ranking.effects_
    weight, bent = np.array([(effect.weight, bends(effect)) for effect in effects]).T
    bent = np.where(bent < STRAIGHT, 0.0, bent)
    unit = units(steps)
    # Not the spread of the whole table: the rows excluded for their leverage would widen it.
    step = np.where(unit == FLAG, 1.0, steps.ranking.spread_)
    table = pd.DataFrame(
        {
            "column": steps.preprocessor.get_feature_names_out(),
            "source": np.array(group_names(steps.preprocessor), dtype=object)[source],
            "weight": weight,
            "direction": np.select([bent > TURNS, weight > 0, weight < 0], [BOTH_WAYS, "raises", "lowers"], ""),
            "inclusion": steps.ranking.inclusion_,
            "selected": steps.ranking.support_,
            "frequency": np.nan if frequency is None else frequency[source],
            "step": step,
            "unit": unit,
            "climb": _climb(_moves(effects, unit, step), unlabelled_score),
            "bends": bent,
        }
    )
    return table.iloc[np.argsort(-np.abs(weight), kind="stable")].reset_index(drop=True)


def units(steps: Steps) -> Any:
    """The unit of each encoded column: "days", "yes" for a 0/1 column, blank for a number (its unit is unknown)."""
    kinds = steps.kinds
    # An encoded column that is not itself a table column is a category or a missing indicator.
    return np.array(
        [
            {"numeric": "", "date": DAYS}.get(kinds.get(column, ""), FLAG)
            for column in steps.preprocessor.get_feature_names_out()
        ],
        dtype=object,
    )


def _moves(effects: Sequence[Effect], unit: Any, step: Floats) -> Floats:
    """The change of the score for one step of each column, from its median or from no to yes."""
    start = np.where(unit == FLAG, 0.0, [_median(effect) for effect in effects])
    return np.array(
        [effect.at(to) - effect.at(at) for effect, at, to in zip(effects, start, start + step, strict=True)]
    )


def _median(effect: Effect) -> float:
    """The median of a column over the reference rows, rounded to the grid of its effect; 0 for an empty grid."""
    place = int(np.searchsorted(np.cumsum(effect.share), 0.5))
    return float(effect.values[min(place, len(effect.values) - 1)]) if len(effect.values) else 0.0


def _climb(moves: Floats, scores: Floats) -> Floats:
    """The share of scores between their median and the median plus each move, with the sign of the move."""
    middle = np.median(scores)
    climb = share_below(middle + moves, scores, np.ones(len(scores)))
    return climb - share_below(np.array([middle]), scores, np.ones(len(scores)))
