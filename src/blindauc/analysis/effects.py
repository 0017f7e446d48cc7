"""Effects of columns on the score and interactions of pairs, as entries of `Findings`."""

from __future__ import annotations

import numpy as np

from blindauc.analysis.features import units
from blindauc.analysis.pipeline import Steps
from blindauc.explain import Effect, shape_in_words
from blindauc.preprocessing import feature_groups, group_names
from blindauc.report.findings import ColumnPair, EffectCurve

MOST_CURVES = 12
"""Columns whose effect curve the report shows (convention)."""

MOST_PAIRS = 10
"""Interactions that the report lists (convention)."""


def effect_curves(steps: Steps) -> list[EffectCurve]:
    """The effect curves of the strongest columns, the strongest first."""
    effects, names, unit = steps.ranking.effects_, steps.preprocessor.get_feature_names_out(), units(steps)
    sources = np.array(group_names(steps.preprocessor), dtype=object)[feature_groups(steps.preprocessor)]
    size = np.array([effect.size for effect in effects])
    strongest = np.argsort(-size, kind="stable")[:MOST_CURVES]
    return [_curve(effects[j], str(names[j]), str(sources[j]), str(unit[j])) for j in strongest.tolist() if size[j] > 0]


def _curve(effect: Effect, name: str, source: str, unit: str) -> EffectCurve:
    return EffectCurve(
        column=name,
        source=source,
        values=effect.values.tolist(),
        contribution=effect.contribution.tolist(),
        low=effect.low.tolist(),
        high=effect.high.tolist(),
        share=effect.share.tolist(),
        unit=unit,
        words=shape_in_words(effect, name, unit),
    )


def interaction_findings(steps: Steps) -> list[ColumnPair]:
    """The strongest interactions between columns, the strongest first.

    Pairs from the same table column are left out: one-hot columns exclude each other and a missing indicator marks
    the gaps of its own column, so that they interact by construction.
    """
    names, source = steps.preprocessor.get_feature_names_out(), feature_groups(steps.preprocessor)
    found = [pair for pair in steps.ranking.interactions_ if source[pair.columns[0]] != source[pair.columns[1]]]
    return [
        ColumnPair(str(names[pair.columns[0]]), str(names[pair.columns[1]]), pair.size) for pair in found[:MOST_PAIRS]
    ]
