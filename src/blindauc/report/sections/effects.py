"""Effect curves of the strongest columns, and the pairs of columns that interact."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.effect_charts import common_range, curve_rows, drawn, effect_chart
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import ColumnPair, EffectCurve, Findings
from blindauc.report.scales import value_formatter
from blindauc.report.sections.parts import figure
from blindauc.report.tables import Column, as_details
from blindauc.report.words import name, percent

MOST_CHARTS = 12
"""The most charts on the page (convention): a reader cannot compare more."""

READING = (
    "What each of the strongest columns adds to a row\u2019s score, by its value. One unit is about one standard "
    "deviation of the scores; 0 is the mean of the unlabelled rows. All charts have the same scale, so that sizes "
    "compare."
)
TOGETHER = (
    "What two columns add together, beyond what each adds alone, as a share of the variance of the score. The charts "
    "do not show it."
)
SHOWN_SIZE = 0.005
"""Smaller interactions would be printed as 0 %."""

HEADS = (
    Column("value", True),
    Column("adds", True),
    Column("95 % from", True),
    Column("to", True),
    Column("rows", True),
)


def effects(findings: Findings) -> list[Markup]:
    """Small charts on a common scale, and a list of interacting pairs; empty if neither was computed."""
    shown = [effect for effect in findings.effects if effect.values][:MOST_CHARTS]
    pairs = [pair for pair in findings.interactions if pair.size >= SHOWN_SIZE]
    return [*(_charts(shown) if shown else []), *(_pairs(pairs) if pairs else [])]


def _charts(shown: Sequence[EffectCurve]) -> list[Markup]:
    y_range = common_range(shown)
    return [
        tag("h3", "What the columns do"),
        tag("p", READING, class_="note"),
        tag(
            "p",
            tag("span", "added to the score", class_="key lines"),
            tag("span", "95\u00a0% interval", class_="key bands"),
            tag("span", "where the unlabelled rows lie", class_="key rows"),
            class_="legend",
        ),
        tag("div", [_effect(effect, y_range) for effect in shown], class_="trio effects"),
    ]


def _effect(effect: EffectCurve, y_range: tuple[float, float]) -> Markup:
    numbers = as_details(f"What {effect.column} adds to the score", HEADS, curve_rows(effect))
    return figure(effect.column, f"{effect.words}{_not_drawn(effect)}", effect_chart(effect, y_range), numbers=numbers)


def _not_drawn(effect: EffectCurve) -> str:
    """A sentence that says which values the chart leaves out."""
    format_value, shown, every = value_formatter(effect.unit, effect.values), drawn(effect).values, effect.values
    parts = [f"below {format_value(shown[0])}"] if shown[0] > every[0] else []
    parts += [f"above {format_value(shown[-1])}"] if shown[-1] < every[-1] else []
    return f" Values {' and '.join(parts)} are in the table only." if parts else ""


def _pairs(pairs: Sequence[ColumnPair]) -> list[Markup]:
    return [
        tag("h3", "Columns that act together"),
        tag("p", TOGETHER, class_="note"),
        tag(
            "ul",
            [tag("li", name(pair.first), " and ", name(pair.second), f": {percent(pair.size)}") for pair in pairs],
        ),
    ]
