"""The columns that the ranking uses, and how."""

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
"""The units of columns of 0 and 1, and of dates."""

BOTH_WAYS = "raises or lowers"
"""The direction of a column that raises the score at some of its values and lowers it at others."""


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
        `column`, `source`, `weight`, the standard deviation over unlabelled rows of what the column adds to the score,
        negative where it mostly falls as the column grows, `direction`, which is "raises" or "lowers" the score,
        "raises or lowers" where it does both, or blank, `inclusion`, the probability that the column belongs in the
        score, `selected`, which columns with an inclusion of at least one half are, `frequency`, missing where it was
        not computed, what the weight means: `step` of `unit` more, one standard deviation, or a yes in the place of a
        no, takes a row from the middle of the unlabelled rows past a share `climb` of them, or back by it, and `bends`,
        the share of the variance of what it adds that a straight line misses. For a linear score the weight is the
        coefficient for a column of unit spread.
    """
    source = feature_groups(steps.preprocessor)
    effects = steps.ranking.effects_
    weight, bent = np.array([(effect.weight, bends(effect)) for effect in effects]).T
    unit = units(steps)
    # Not the spread of the whole table: a row that was set apart for its leverage would widen it.
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


def _moves(effects: Sequence[Effect], unit: Any, step: Floats) -> Floats:
    """What a step from the median of each column, or from a no, adds to the score."""
    start = np.where(unit == FLAG, 0.0, [_median(effect) for effect in effects])
    return np.array(
        [effect.at(to) - effect.at(at) for effect, at, to in zip(effects, start, start + step, strict=True)]
    )


def _median(effect: Effect) -> float:
    """The median of a column over the reference rows, as near as its grid has it; 0 where nothing is known."""
    place = int(np.searchsorted(np.cumsum(effect.share), 0.5))
    return float(effect.values[min(place, len(effect.values) - 1)]) if len(effect.values) else 0.0


def _climb(moves: Floats, scores: Floats) -> Floats:
    """The share of scores that lie between their median and the median moved so far, with the sign of the move."""
    middle = np.median(scores)
    climb = share_below(middle + moves, scores, np.ones(len(scores)))
    return climb - share_below(np.array([middle]), scores, np.ones(len(scores)))
