"""Charts of effects: scales, ticks, bands, bars and numbers in the units of the column."""

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from bent_findings import bent, hard_to_draw
from findings_examples import example
from sections_of_pages import features_section, text_of

from blindauc import report
from blindauc.report import EffectCurve, Feature
from blindauc.report.charts import round_steps, weight_chart
from blindauc.report.effect_charts import BINS, common_range, curve_rows, densities, drawn, effect_chart, is_discrete
from blindauc.report.scales import day, fitting, ticks, value_formatter
from blindauc.report.sections.effects import MOST_CHARTS
from blindauc.report.words import moved, signed

# What columns do ------------------------------------------------------------------------------------------------------


def test_a_column_that_turns_goes_neither_up_nor_down():
    age = Feature("age", "age", 0.4, 1.0, True, None, 12.34, "", 0.02, bends=0.51)
    straight = replace(age, bends=0.5)
    assert moved(age) == "up or down"
    assert moved(straight) == "+12.3: up 2.0\u00a0%"
    assert moved(replace(straight, climb=0.0)) == "+12.3: no move"
    for feature, kind, x in (
        (age, "both", 102),
        (straight, "for", 200),
        (replace(straight, weight=-0.4), "against", 4),
    ):
        assert f'<rect x="{x}" y="47" width="196" height="9" rx="2" class="{kind}"></rect>' in weight_chart([feature])
    section = features_section(bent())
    assert section.count("up or down</td>") == 2
    assert "“up or down” stands for a column" in section
    assert "up or down" not in features_section(example())


def test_every_effect_has_a_chart_a_sentence_and_a_table_of_all_its_numbers():
    findings = bent()
    figures = features_section(findings).split('<div class="trio effects">')[1].split("<figure>")[1:]
    assert len(figures) == len(findings.effects)
    for effect, shown in zip(findings.effects, (each.split("</figure>")[0] for each in figures), strict=True):
        assert f"<strong>{effect.column}</strong><span>{effect.words}" in shown
        assert f'aria-label="What {effect.column} adds to the score"' in shown
        assert f"<caption>What {effect.column} adds to the score</caption>" in shown
        rows = [re.findall(r'<td class="number">([^<]*)</td>', row) for row in shown.split("<tr>")[2:]]
        assert rows == [list(row) for row in curve_rows(effect)]
        assert len(rows) == len(effect.values)
        assert shown.count("data-tip=") == len(drawn(effect).values)
        assert ('class="band"' in shown) != ('class="point"' in shown)
        assert (
            shown.count('class="point"')
            == shown.count('class="reach"')
            == len(effect.values) * is_discrete(effect.values)
        )


def test_numbers_are_told_in_the_units_of_the_column():
    temperature, _, crp, admitted, discharge, operations, *_ = bent().effects
    assert curve_rows(temperature)[0][0] == "36"
    assert curve_rows(admitted)[0][0] == "2022-01-01"
    assert [row[0] for row in curve_rows(discharge)] == ["no", "yes"]
    assert [row[0] for row in curve_rows(operations)] == list("0123456")
    assert curve_rows(discharge)[1][1:] == ("+1.02", "+0.48", "+1.56", "7.0\u00a0%")
    assert '<text x="46" y="228" class="tick middle">2022</text>' in effect_chart(admitted, (-1, 1))
    for label in ("no", "yes"):
        assert f">{label}</text>" in effect_chart(discharge, (-1, 1))
    assert "Values above 230 are in the table only." in features_section(bent())
    assert "2400" not in [tick.text for tick in ticks("", drawn(crp).values[0], drawn(crp).values[-1], 280)]


def test_all_charts_have_one_scale():
    findings = bent()
    charts = features_section(findings).split("<figure>")[2:]
    axes = [re.findall(r'y="([0-9.]+)" class="tick end">([^<]*)', chart) for chart in charts]
    assert all(axis == axes[0] for axis in axes)
    assert [text for _, text in axes[0]] == ["\u22121", "0", "+1", "+2"]


def test_only_the_strongest_are_drawn_and_those_without_values_are_not():
    several = [replace(bent().effects[0], column=f"c{i}") for i in range(MOST_CHARTS + 3)]
    section = features_section(replace(bent(), effects=several))
    assert section.count("adds to the score</text>") == MOST_CHARTS
    empty = EffectCurve("gone", "gone", [], [], [], [], [], "", "")
    assert "What the columns do" not in report.as_html(replace(bent(), effects=[empty]))


def test_pairs_are_listed_only_where_there_are_any():
    text = text_of(features_section(bent()))
    assert "temperature_day_3 and c_reactive_protein_day_4: 12 %" in text
    assert "age and diabetes=yes: 3.1 %" in text
    assert "age and operation_minutes" not in text  # it would be told as 0 %
    assert "Columns that act together" not in report.as_html(replace(bent(), interactions=[]))


def test_far_values_that_hardly_a_row_has_are_not_drawn():
    values = [float(i) / 2 for i in range(20)]
    share, none = [0.05] * 20, [0.0] * 20
    effect = EffectCurve("a", "a", values, none, none, none, share, "", "")
    assert drawn(effect) == effect
    for far in ([-1e6, *values[1:]], [*values[:-1], 1e6]):
        many = replace(effect, values=far)
        assert drawn(many) == many
        few = replace(many, share=[0.04, *share[1:-1], 0.04])
        kept = [value for value in far if abs(value) < 1e6]
        assert drawn(few).values == kept
        assert len(drawn(few).share) == len(drawn(few).low) == 19
    both = replace(effect, values=[-1e9, *values[1:-1], 1e6], share=[0.01, *share[1:-1], 0.01])
    assert drawn(both).values == values[1:-1]
    assert "Values below 0.5 and above 9 are in the table only." in text_of(
        features_section(replace(bent(), effects=[both]))
    )
    discrete = replace(bent().effects[5], values=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 1e6])
    assert drawn(discrete) == discrete  # its values are at equal distances


def test_wide_bands_are_cut_and_curves_never():
    flat = EffectCurve("a", "a", [0.0, 1.0], [0.0, 0.0], [-5.0, -0.1], [0.1, 5.0], [0.5, 0.5], "", "")
    assert common_range([flat]) == (-1.0, 1.0)
    nothing = replace(flat, low=flat.contribution, high=flat.contribution)
    assert common_range([nothing]) == (-1.0, 1.0)
    steep = replace(flat, contribution=[-1.0, 3.0], low=[-9.0, 2.0], high=[-0.5, 3.5])
    assert common_range([steep]) == (-3.0, 3.5)
    for effect in [*bent().effects, *hard_to_draw()]:
        chart = effect_chart(effect, common_range([effect]))
        assert "nan" not in chart
        y = [float(pair.split(",")[1]) for points in re.findall(r'points="([^"]*)"', chart) for pair in points.split()]
        assert 30 <= min(y) <= max(y) <= 212


@pytest.mark.parametrize("seed", range(5))
def test_bars_are_the_shares_of_rows(seed):
    """Against rows that are spread evenly between the middles to the neighbours."""
    rng = np.random.default_rng(seed)
    values, n_each = np.sort(rng.normal(size=20)), rng.integers(0, 2000, 20)
    edges = [values[0], *(values[1:] + values[:-1]) / 2, values[-1]]
    rows = [
        low + (high - low) * (np.arange(n) + 0.5) / n for low, high, n in zip(edges, edges[1:], n_each, strict=False)
    ]
    slow = np.histogram(np.concatenate(rows), bins=np.linspace(values[0], values[-1], BINS + 1))[0] / n_each.sum()
    none = [0.0] * 20
    fast = densities(EffectCurve("", "", values.tolist(), none, none, none, (n_each / n_each.sum()).tolist(), "", ""))
    # A row of a value is on one side of an edge of a bin or on the other.
    assert np.abs(fast - slow).max() <= 20 / n_each.sum()
    assert sum(fast) == pytest.approx(1)


def test_values_between_which_there_is_no_number_are_drawn_too():
    values, none = [1.0 + i * 2.0**-52 for i in range(12)], [0.0] * 12
    chart = effect_chart(EffectCurve("", "", values, none, none, none, [1 / 12] * 12, "", ""), (-1.0, 1.0))
    assert "nan" not in chart


# Axes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "texts"),
    [
        ("2022-01-08", "2022-02-07", ["8 Jan 2022", "28 Jan 2022"]),
        ("2019-04-14", "2020-05-18", ["Jul 2019", "Oct 2019", "Jan 2020", "Apr 2020"]),
        ("2011-01-26", "2022-01-08", ["2012", "2014", "2016", "2018", "2020", "2022"]),
        ("1942-08-15", "2022-01-08", ["1960", "1980", "2000", "2020"]),
        ("0001-01-01", "9999-12-31", ["1000", "3000", "5000", "7000", "9000"]),
    ],
)
def test_dates_are_round(start, end, texts):
    low, high = ((date.fromisoformat(each) - date(1970, 1, 1)).days for each in (start, end))
    found = ticks("days", low, high, 280)
    assert all(low <= tick.value <= high for tick in found)
    assert all(str(day(tick.value).year) in tick.text for tick in found)
    assert [tick.text for tick in found] == texts


@pytest.mark.parametrize("seed", range(20))
def test_ticks_are_different_in_order_and_do_not_overlap(seed):
    rng = np.random.default_rng(seed)
    low = float(rng.normal() * 10.0 ** rng.integers(-8, 10))
    high = low + float(rng.uniform(0.1, 10) * 10.0 ** rng.integers(-3, 5) * abs(low))
    for unit, bounds in (("", (low, high)), ("days", (min(low, 2e4) % 2e4, min(low, 2e4) % 2e4 + 1 + abs(high) % 1e5))):
        found = ticks(unit, *bounds, 280)
        assert len({tick.text for tick in found}) == len(found)
        assert all(bounds[0] - 1e-9 * abs(low) <= tick.value <= bounds[1] + 1e-9 * abs(high) for tick in found)
        assert found == sorted(found)
        assert sum(7 * (len(tick.text) + 1) for tick in found) <= 280 or len(found) == 1


def test_numbers_have_as_many_digits_as_tell_them_apart():
    near = value_formatter("", [1e9, 1e9 + 8])
    assert near(1e9 + 3) == "1,000,000,003"
    assert value_formatter("", [0.0, 3e7])(1.23e7) == "1.23e7"
    assert value_formatter("", [-4e-9, 3e-9])(-1.5e-9) == "\u22121.5e\u22129"
    assert value_formatter("", [-40.0, 30.0])(-12.345) == "\u221212.3"
    assert value_formatter("", [5.0, 5.0])(5.0) == "5"
    assert value_formatter("yes", [0.0, 0.5])(0.5) == "0.5"
    assert fitting([], 280) == []
    assert round_steps(0, 8e-14) == [0.0, 2e-14, 4e-14, 6e-14, 8e-14]
    assert (signed(-0.4), signed(0.004), signed(-0.004)) == ("\u22120.40", "0.00", "0.00")
