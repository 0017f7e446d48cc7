"""Charts as SVG, readable without a script and in print; the script adds tooltips."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence

from blindauc.report.counting import whole_range
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Curve, Expected, Feature, Histogram, TuningSlice
from blindauc.report.frame import BOTTOM, TOP, Frame, Tick, picture
from blindauc.report.words import PERCENT, does_turn, moved, number, percent, short

DRAWN_POINTS, TIP_POINTS = 201, 51
"""The most points of a curve that are drawn, and that have a tooltip (convention: more are not distinguishable)."""

BARS = 15
"""The most columns in the chart of weights (convention); the table has more."""

NO_BAR = 0.01
"""Columns whose bar would be a smaller share of the longest are left out: it would not be visible."""

BAR_STEP, BAR_HEIGHT, BARS_WIDTH, BARS_TOP = 38.0, 9.0, 400.0, 26.0
"""The layout of the bars, in SVG units."""

NAME_LENGTH = 34
"""Characters of a column name that fit beside its effect."""

SHARES = tuple(Tick(fifth / 5, percent(fifth / 5)) for fifth in range(6))


def thinned(curve: Curve, most: int = TIP_POINTS) -> Curve:
    """The curve at no more than `most` points, its ends included.

    Examples
    --------
    >>> from blindauc.report.charts import thinned
    >>> from blindauc.report.findings import Curve
    >>> x = [0.0, 0.1, 0.2, 0.3, 0.4]
    >>> thinned(Curve(x, x, x, x), 3).y
    [0.0, 0.2, 0.4]
    """
    last = len(curve.x) - 1
    kept = range(last + 1) if last < most else [round(i * last / (most - 1)) for i in range(most)]
    return Curve(*([line[i] for i in kept] for line in (curve.x, curve.y, curve.low, curve.high)))


def roc_chart(curve: Curve) -> Markup:
    """The ROC curve with its band, and the diagonal of a random ranking."""
    return _curve_chart(
        curve,
        title="ROC curve with its 95 % band",
        x_title="negatives taken for positive",
        y_title="positives found",
        tip="{x} of the negatives are taken for positive\n{y} of the positives are found ({low} to {high})",
        chance=([0, 1], [0, 1]),
    )


def _curve_chart(
    curve: Curve, *, title: str, x_title: str, y_title: str, tip: str, chance: tuple[list[float], list[float]]
) -> Markup:
    frame = Frame(400, 340, (0, 1), (0, 1))
    drawn, tips = thinned(curve, DRAWN_POINTS), thinned(curve)
    at, level = 0.74, _height_at(0.74, *chance)
    return picture(
        frame.width,
        frame.height,
        title,
        frame.axes(SHARES, SHARES, x_title, y_title),
        frame.band(drawn.x, drawn.low, drawn.high),
        frame.line(*chance, class_="chance"),
        # Below the line where it is high, above it where it is low.
        tag("text", "chance", x=frame.x(at), y=frame.y(level) + (18 if level > 0.5 else -7), class_="label quiet"),
        frame.line(drawn.x, drawn.y, class_="curve"),
        [
            frame.spot(x, y, tip.format(x=percent(x), y=percent(y), low=percent(low), high=percent(high)))
            for x, y, low, high in zip(tips.x, tips.y, tips.low, tips.high, strict=True)
        ],
    )


def found_chart(curve: Sequence[Expected], k: int, chance: float | None, title: str) -> Markup:
    """Expected positives by rows checked, as a line and a band; the band alone if `chance`, the prior, is None."""
    end, most = float(curve[-1].k), max(each.high for each in curve) or 1.0
    frame = Frame(400, 320, (0, end), (0, 1.05 * most))
    x, low, high = [each.k for each in curve], [each.low for each in curve], [each.high for each in curve]
    lines = [] if chance is None else _best_and_chance(frame, curve, chance)
    tips = _thinned_evenly(curve)
    return picture(
        frame.width,
        frame.height,
        f"Positives found: {title}",
        frame.axes(_counts(end), _counts(most), "rows checked", "positives found"),
        frame.band(x, low, high),
        lines,
        _marked(frame, k, f"{k:,} rows") if 0 < k < end else None,
        [frame.spot(each.k, each.high if chance is None else each.value, _found_tip(each, chance)) for each in tips],
    )


def _best_and_chance(frame: Frame, curve: Sequence[Expected], chance: float) -> list[Markup]:
    end = float(curve[-1].k)
    return [
        frame.line([0, end], [0, chance * end], class_="chance"),
        tag("text", "any rows", x=frame.x(0.8 * end), y=frame.y(0.8 * chance * end) + 16, class_="label quiet middle"),
        frame.line([each.k for each in curve], [each.value for each in curve], class_="curve"),
    ]


def _found_tip(expected: Expected, chance: float | None) -> str:
    between = whole_range(expected.low, expected.high)
    found = f"from {between} positive" if chance is None else f"about {expected.value:,.0f} positive ({between})"
    return f"of the first {expected.k:,} rows\n{found}"


def _thinned_evenly(curve: Sequence[Expected]) -> list[Expected]:
    """At most `TIP_POINTS` points, evenly spaced along the axis, with the first row among them."""
    step, kept = curve[-1].k / TIP_POINTS, list(curve[1:2])
    for each in curve[2:]:
        if each.k - kept[-1].k >= step:
            kept.append(each)
    return kept


def _counts(most: float) -> list[Tick]:
    return [Tick(at, f"{at:,.0f}") for at in round_steps(0, most) if at == round(at)]


def _marked(frame: Frame, x: float, words: str) -> list[Markup]:
    """A vertical line with its text on the side where there is more room."""
    low, high = frame.x_range
    side = "end" if x > (low + high) / 2 else "start"
    at = frame.x(x)
    return [
        tag("line", x1=at, x2=at, y1=TOP, y2=frame.height - BOTTOM, class_="chosen"),
        tag("text", words, x=at + (-6 if side == "end" else 6), y=TOP + 10, class_=f"label strong {side}"),
    ]


def rank_chart(ranks: Histogram) -> Markup:
    """Histogram of out-of-fold ranks: labelled rows as bars, unlabelled rows as an outline."""
    bins = list(zip(ranks.edges, ranks.edges[1:], ranks.labelled, ranks.unlabelled, strict=False))
    highest = max([*ranks.labelled, *ranks.unlabelled, 0.01])
    frame = Frame(400, 340, (ranks.edges[0], ranks.edges[-1]), (0, 1.12 * highest))
    outline_x = [x for low, high, _, _ in bins for x in (low, high)]
    outline_y = [y for *_, unlabelled in bins for y in (unlabelled, unlabelled)]
    tip = "ranks {} to {}\n{} of the labelled rows\n{} of the unlabelled rows"
    return picture(
        frame.width,
        frame.height,
        "Ranks of labelled and of unlabelled rows",
        frame.axes(
            [Tick(at, percent(at)) for at in _fifths(*frame.x_range)],
            [Tick(at, f"{100 * at:g}{PERCENT}") for at in round_steps(0, highest)],
            "rank among the unlabelled rows",
            "share of rows",
        ),
        [_bar(frame, low, high, labelled) for low, high, labelled, _ in bins],
        frame.line(outline_x, outline_y, class_="outline"),
        [
            frame.spot(
                (low + high) / 2,
                max(labelled, unlabelled),
                tip.format(percent(low), percent(high), percent(labelled), percent(unlabelled)),
            )
            for low, high, labelled, unlabelled in bins
        ],
    )


def tuning_chart(tried: TuningSlice, name: str, format_value: Callable[[float], str] = short) -> Markup:
    """Scores with standard errors by value, evenly spaced, and bars for the shares of the average."""
    places = [float(place) for place in range(len(tried.values))]
    bounds = [score + sign * error for score, error in zip(tried.scores, tried.errors, strict=True) for sign in (-1, 1)]
    low, high = min(bounds), max(bounds)
    room = max(0.1 * (high - low), 0.002)
    frame = Frame(340, 260, (-0.4, len(places) - 0.6), (low - room, high + 2.5 * room))
    chosen = place_of(tried.chosen, tried.values)
    every = math.ceil(len(places) / 6)
    shown = list(zip(places, tried.values, tried.scores, tried.errors, strict=True))
    return picture(
        frame.width,
        frame.height,
        f"Score by {name}",
        frame.axes(
            [Tick(place, format_value(value)) for place, value, *_ in shown[::every]],
            [Tick(at, number(at, 3)) for at in round_steps(low, high)],
            name,
            "score",
        ),
        [_share_bar(frame, place, share) for place, share in zip(places, tried.shares, strict=True)],
        _marked(frame, chosen, f"largest weight: {format_value(tried.chosen)}"),
        [_whisker(frame, place, score, error) for place, _, score, error in shown],
        frame.line(places, tried.scores, class_="curve thin"),
        [
            frame.spot(
                place,
                score,
                f"{name}: {format_value(value)}\nscore {number(score)} ± {number(error)}\n"
                f"{percent(share)} of the average",
            )
            for (place, value, score, error), share in zip(shown, tried.shares, strict=True)
        ],
    )


def _share_bar(frame: Frame, place: float, share: float) -> Markup:
    """A bar for the share of a value in the average; a share of 1 is a third of the chart high."""
    bottom = frame.height - BOTTOM
    height = share * (bottom - TOP) / 3
    return tag(
        "rect",
        x=frame.x(place - 0.3),
        y=round(bottom - height, 1),
        width=round(frame.x(place + 0.3) - frame.x(place - 0.3), 1),
        height=round(height, 1),
        class_="share",
    )


def weight_chart(features: Sequence[Feature], *, is_tested: bool = True) -> Markup:
    """Column weights as bars: to the right if the column raises the score, to the left if it lowers it.

    A column whose effect rises and falls has a bar centred on the axis.

    Parameters
    ----------
    features : sequence of Feature
        In decreasing order of weight.
    is_tested : bool, default=True
        Whether the inclusion probabilities were estimated.
    """
    largest = max([abs(feature.weight) for feature in features], default=0.0) or 1.0
    shown = [feature for feature in features if abs(feature.weight) > NO_BAR * largest][:BARS]
    height = BARS_TOP + BAR_STEP * len(shown) + 6
    middle = BARS_WIDTH / 2
    return picture(
        BARS_WIDTH,
        height,
        "Weights of the strongest columns",
        tag("text", "\u2190 against", x=middle - 8, y=14, class_="label against end"),
        tag("text", "for positive \u2192", x=middle + 8, y=14, class_="label for"),
        tag("line", x1=middle, x2=middle, y1=BARS_TOP - 4, y2=height, class_="zero"),
        [_weight_bar(feature, BARS_TOP + BAR_STEP * i, largest, is_tested) for i, feature in enumerate(shown)],
    )


def _weight_bar(feature: Feature, top: float, largest: float, is_tested: bool) -> Markup:
    middle = BARS_WIDTH / 2
    length = round(abs(feature.weight) / largest * (middle - 4), 1)
    kind = "both" if does_turn(feature) else "for" if feature.weight > 0 else "against"
    left = middle - length * {"for": 0, "against": 1, "both": 0.5}[kind]
    tip = f"{feature.column}\n{moved(feature)}"
    if is_tested:
        tip += f"\nbelongs in the ranking with probability {percent(feature.inclusion)}"
    if is_tested and feature.frequency is not None:
        tip += f"\nselected by {percent(feature.frequency)} of the half-samples"
    return tag(
        "g",
        # Names stand above the bars, not in a margin: there they can have their full length.
        tag("text", shortened(feature.column), x=2, y=top + 15, class_="label name"),
        tag("text", moved(feature), x=BARS_WIDTH - 2, y=top + 15, class_="label end"),
        tag("rect", x=left, y=top + 21, width=max(length, 1.0), height=BAR_HEIGHT, rx=2, class_=kind),
        tag(
            "circle",
            cx=left if kind == "against" else left + length,
            cy=top + 21 + BAR_HEIGHT / 2,
            r=2,
            class_="spot",
            data_tip=tip,
        ),
    )


def shortened(name: str) -> str:
    """A name cut to `NAME_LENGTH`; the table has the whole name."""
    return name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "\u2026"


def place_of(value: float, values: Sequence[float]) -> float:
    """The position of a value on an axis where these increasing values are evenly spaced.

    Examples
    --------
    >>> from blindauc.report.charts import place_of
    >>> place_of(10, [1, 10, 100]), place_of(55, [1, 10, 100]), place_of(500, [1, 10, 100])
    (1.0, 1.5, 2.0)
    """
    right = bisect_left(values, value)
    if right in (0, len(values)):
        return float(min(right, len(values) - 1))
    left, step = values[right - 1], values[right] - values[right - 1]
    return right - 1 + (value - left) / step


def round_steps(low: float, high: float) -> list[float]:
    """Three to six evenly spaced round numbers within a range.

    Examples
    --------
    >>> from blindauc.report.charts import round_steps
    >>> round_steps(0, 0.31)
    [0.0, 0.1, 0.2, 0.3]
    """
    span = high - low or 1.0
    size = 10.0 ** math.floor(math.log10(span))
    step = next(size * factor for factor in (0.1, 0.2, 0.25, 0.5, 1, 2) if span / (size * factor) <= 5)
    return [float(f"{i * step:.12g}") for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _fifths(low: float, high: float) -> list[float]:
    return [low + (high - low) * i / 5 for i in range(6)]


def _height_at(x: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    return ys[0] + (ys[1] - ys[0]) * (x - xs[0]) / (xs[1] - xs[0])


def _bar(frame: Frame, low: float, high: float, share: float) -> Markup:
    left, top = frame.x(low) + 0.5, frame.y(share)
    return tag("rect", x=left, y=top, width=frame.x(high) - left - 0.5, height=frame.y(0) - top, class_="bar")


def _whisker(frame: Frame, x: float, y: float, error: float) -> Markup:
    return tag("line", x1=frame.x(x), x2=frame.x(x), y1=frame.y(y - error), y2=frame.y(y + error), class_="whisker")
