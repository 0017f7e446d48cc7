"""What the score learnt of the columns, as `Findings` hold it: curves in words and numbers, and pairs."""

from __future__ import annotations

import numpy as np

from blindauc.analysis.features import units
from blindauc.analysis.pipeline import Steps
from blindauc.explain import Effect, shape_in_words
from blindauc.preprocessing import feature_groups, group_names
from blindauc.report.findings import EffectCurve, PairTold

MOST_CURVES = 12
"""Columns whose curves are told."""

MOST_PAIRS = 10
"""Pairs that are told."""


def effect_curves(steps: Steps) -> list[EffectCurve]:
    """The effects of the strongest columns, the strongest first."""
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


def interaction_findings(steps: Steps) -> list[PairTold]:
    """The pairs of columns that interact most, the strongest first.

    Columns that come from the same column of the table exclude each other, or one says that the other is missing:
    that they do not add up is no finding.
    """
    names, source = steps.preprocessor.get_feature_names_out(), feature_groups(steps.preprocessor)
    found = [pair for pair in steps.ranking.interactions_ if source[pair.columns[0]] != source[pair.columns[1]]]
    return [
        PairTold(str(names[pair.columns[0]]), str(names[pair.columns[1]]), pair.size) for pair in found[:MOST_PAIRS]
    ]
