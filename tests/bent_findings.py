"""Examples of `Findings` of scores that bend: effects of every kind, ordinary, hostile and hard to draw."""

import math
from dataclasses import replace

from findings_examples import HOSTILE, example, hostile

from blindauc.report import ColumnPair, EffectCurve, Interval


def bent():
    """The example with a nonlinear score: curves of all kinds, interactions, and the gain in blind AUC."""
    findings = example()
    turning = ("age", "operation_minutes")
    return replace(
        findings,
        features=[replace(each, bends=0.8 * (each.column in turning)) for each in findings.features],
        effects=effects(),
        interactions=[
            ColumnPair("temperature_day_3", "c_reactive_protein_day_4", 0.12),
            ColumnPair("age", "diabetes=yes", 0.031),
            ColumnPair("age", "operation_minutes", 0.0004),
        ],
        bending=Interval(0.021, 0.010, 0.033),
        shapes={"linear": 0.18, "curves": 0.57, "kernel": 0.25, "trees": 0.0},
    )


def hostile_bent():
    """The nonlinear example with names that try to break out of the page, and with numbers that are hard to draw."""
    findings, plain = hostile(), bent()
    hard = [
        replace(effect, column=bad, source=bad, words=f"The score rises with {bad} above 38.")
        for effect, bad in zip([*plain.effects, *plain.effects], HOSTILE, strict=False)
    ]
    return replace(
        findings,
        effects=[*hard[:8], *hard_to_draw()],
        interactions=[ColumnPair(a, b, 0.1) for a, b in zip(HOSTILE, HOSTILE[::-1], strict=True)],
        bending=plain.bending,
        shapes=plain.shapes,
    )


def effects():
    """One of each kind: a hinge, a valley, dates, a yes or no, a count, a long tail, a line."""
    return [
        _effect(
            "temperature_day_3",
            36,
            40.6,
            lambda v: 0.9 * max(v - 38, 0),
            lambda v: math.exp(-((v - 37.4) ** 2)),
            words="The score rises with temperature_day_3 above 38.",
        ),
        _effect(
            "age",
            19,
            96,
            lambda v: ((v - 55) / 30) ** 2,
            lambda v: math.exp(-(((v - 60) / 20) ** 2)),
            words="The score is lowest where age is near 55.",
        ),
        _effect(
            "c_reactive_protein_day_4",
            0,
            1,
            lambda v: 0.35 * math.log1p(v),
            None,
            values=[1, 2, 4, 6, 8, 11, 14, 17, 21, 25, 30, 36, 43, 52, 64, 80, 105, 150, 230, 2400],
            share=[0.5 / 19, *[1 / 19] * 18, 0.5 / 19],
            words="The score rises with c_reactive_protein_day_4, most below 80.",
        ),
        _effect(
            "admitted",
            18993,
            20450,
            lambda v: 0.6 * math.sin((v - 18993) / 300),
            lambda v: 1.0,
            unit="days",
            words="The score goes up and down with admitted: it is highest near 2023-04-16 and lowest near 2025-12-01.",
        ),
        _effect(
            "wound_discharge=purulent",
            0,
            1,
            lambda v: 1.1 * v,
            None,
            values=[0, 1],
            share=[0.93, 0.07],
            unit="yes",
            words="The score is higher where wound_discharge=purulent is yes.",
        ),
        _effect(
            "earlier_operations",
            0,
            6,
            lambda v: 0.7 * (v > 1) + 0.05 * v,
            None,
            values=list(range(7)),
            share=[0.5, 0.25, 0.12, 0.06, 0.04, 0.02, 0.01],
            words="The score is higher where earlier_operations is above 1.5.",
        ),
        _effect(
            "haemoglobin_before_surgery",
            7.1,
            17.4,
            lambda v: -0.12 * v,
            lambda v: math.exp(-(((v - 13) / 2) ** 2)),
            words="The score falls with haemoglobin_before_surgery.",
        ),
        _effect(
            "days_in_intensive_care",
            0,
            14,
            lambda v: min(v, 5) / 8,
            None,
            values=list(range(15)),
            share=[0.44] + [0.04] * 14,
            words="The score rises with days_in_intensive_care up to 5.",
        ),
    ]


def hard_to_draw():
    """One value, no effect at all, very wide bands, numbers of any size, dates of all times."""
    return [
        _effect("constant", 3, 3, lambda v: 0.0, None, values=[3], share=[1.0]),
        _effect("vast", 1e9, 1e9 + 8, lambda v: (v - 1e9) / 9, lambda v: 1.0, half=40.0),
        _effect("tiny", 1e-14, 9e-14, lambda v: -v * 1e13, lambda v: 1.0),
        _effect("until", -700000, 2932896, lambda v: 0.1 * (v > 19000), lambda v: 1.0, unit="days"),
    ]


def _effect(column, low, high, adds, density, *, values=None, share=None, unit="", half=0.18, words="It does."):
    """An effect on a grid of quantiles, as a search would find them, centred as it would be."""
    if values is None:
        values, share = _quantiles(low, high, density)
    share = share or [1 / len(values)] * len(values)
    curve = [adds(value) for value in values]
    mean = sum(a * b for a, b in zip(curve, share, strict=True))
    width = [half * (1 + 2 * abs(2 * i / max(len(values) - 1, 1) - 1) ** 3) for i in range(len(values))]
    centred = [value - mean for value in curve]
    return EffectCurve(
        column,
        column.partition("=")[0],
        [float(value) for value in values],
        centred,
        [value - reach for value, reach in zip(centred, width, strict=True)],
        [value + reach for value, reach in zip(centred, width, strict=True)],
        share,
        unit,
        words,
    )


def _quantiles(low, high, density, n=20, cells=2000):
    """Values with as many rows between any two neighbours, and the share of rows that are nearest to each."""
    middles = [low + (high - low) * (i + 0.5) / cells for i in range(cells)]
    total, reached, values = sum(map(density, middles)), 0.0, [low]
    for middle in middles:
        reached += density(middle) / total
        if reached >= len(values) / (n - 1) - 1e-9 and len(values) < n - 1:
            values.append(middle)
    return [*values, high], [0.5 / (n - 1), *[1 / (n - 1)] * (n - 2), 0.5 / (n - 1)]
