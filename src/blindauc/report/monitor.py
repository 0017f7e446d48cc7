"""The HTML page on the drift of new rows, in the style of the report."""

from __future__ import annotations

from pathlib import Path

from blindauc.files import write_whole
from blindauc.report.charts import round_steps
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.frame import Frame, Tick, picture
from blindauc.report.monitor_findings import ColumnDrift, Monitoring, ScoreDrift
from blindauc.report.page import document
from blindauc.report.sections.parts import ROWS_AT_FIRST, figure, key_number, not_shown, section
from blindauc.report.tables import Cell, Column, as_details, table
from blindauc.report.words import NOTHING, PERCENT, count, name, number, number_range, percent, percent_range

MOST_COLUMNS = 200
"""The most rows of the table of columns (convention)."""

MOST_CATEGORIES = 3
"""The most new categories named for a column (convention); the JSON has all."""


def write_monitoring(monitoring: Monitoring, path: str | Path) -> None:
    """Write the page to a file, atomically.

    Parameters
    ----------
    monitoring : Monitoring
        From `blindauc.analysis.monitor`.
    path : str or Path
        An existing file is replaced.
    """
    write_whole(Path(path), monitoring_as_html(monitoring).encode())


def monitoring_as_html(monitoring: Monitoring) -> str:
    """The page as HTML text."""
    title = f"{monitoring.data}: blindauc monitor"
    return document(title, [make(monitoring) for make in (_summary, _scores, _columns)])


def drift_in_words(column: ColumnDrift) -> str:
    """The drift of a column as text; empty if there is none.

    Examples
    --------
    >>> from blindauc.report.monitor import drift_in_words
    >>> from blindauc.report.monitor_findings import ColumnDrift
    >>> drift_in_words(ColumnDrift("ward", 0.3, 1e-9, "hip 50 %", "bowel 60 %", 0.0, 0.2, {"eye": 9}, True, True, True))
    'values moved (typically hip 50 %, now bowel 60 %); missing 0 % to 20 %; never seen: eye'
    """
    words = []
    if column.is_shifted:
        words.append(f"values moved (typically {column.before}, now {column.after})")
    if column.has_gaps:
        words.append(f"missing {100 * column.missing_before:.0f} % to {100 * column.missing_after:.0f} %")
    if column.has_unseen:
        words.append(f"never seen: {_categories(column)}")
    return "; ".join(words)


def _categories(column: ColumnDrift) -> str:
    named = ", ".join(list(column.unseen)[:MOST_CATEGORIES])
    more = len(column.unseen) - MOST_CATEGORIES
    return f"{named} and {more:,} more" if more > 0 else named


def _summary(found: Monitoring) -> Markup:
    verdict = "Something changed" if found.has_drifted else "No drift was found"
    return tag(
        "header",
        tag("p", "blindauc monitor", class_="eyebrow"),
        tag("h1", "Are the rows of ", name(found.data), " like those of the fit?"),
        tag(
            "p",
            f"{count(found.n_rows, 'new row', 'new rows')}, compared with {found.rows_before}. "
            "Only changes that are statistically significant and large enough to matter count as drift.",
            class_="lead",
        ),
        tag("div", _key_numbers(found), class_="keys"),
        tag("h2", verdict),
        tag("ul", [tag("li", sentence) for sentence in _sentences(found)], class_="found"),
        id="summary",
    )


def _key_numbers(found: Monitoring) -> list[Markup]:
    labels = found.labels
    n_unseen = sum(len(column.unseen) for column in found.columns)
    auc = found.fitted_auc if labels is None or labels.auc is None else labels.auc
    source = "of the fit" if labels is None or labels.auc is None else "on these rows"
    return [
        key_number("Columns that drifted", f"{len(found.drifted):,}", f"of {len(found.columns):,}"),
        key_number("Drift of scores (PSI)", number(found.scores.psi, 2), "0.1 is moderate, 0.25 large"),
        key_number("Categories never seen", f"{n_unseen:,}", "in the columns of the fit"),
        key_number(
            f"AUC {source}",
            NOTHING if auc is None else number(auc.value, 2),
            "not known" if auc is None else f"95 % interval {number_range(auc)}",
        ),
    ]


def _sentences(found: Monitoring) -> list[Child]:
    moved = "moved" if found.scores.is_shifted else "are spread as before"
    return [
        [
            tag("strong", f"The scores {moved}. "),
            f"Their population stability index (PSI) is {number(found.scores.psi, 2)}.",
        ],
        *([name(column.column), f": {drift_in_words(column)}."] for column in found.drifted[:ROWS_AT_FIRST]),
        found.expectation,
        *_about_labels(found),
    ]


def _about_labels(found: Monitoring) -> list[Child]:
    labels = found.labels
    if labels is None:
        return []
    return [
        f"A labelled row comes before an unlabelled one in {percent(labels.after.value)} of all pairs "
        f"({percent_range(labels.after)}); in the fit it was {percent(labels.before.value)} "
        f"({percent_range(labels.before)})."
    ]


def _scores(found: Monitoring) -> Markup:
    chart = figure(
        "Scores of the new rows",
        "In tenths of the scores of the fit, from the lowest up: without a drift all bars are as high as the line.",
        score_chart(found.scores),
        legend=tag(
            "p", tag("span", "new", class_="key bars"), tag("span", "fit", class_="key outlines"), class_="legend"
        ),
        numbers=as_details(
            "Share of rows by tenths of the scores",
            [Column("tenth", True), Column("fit", True), Column("new", True)],
            [
                [f"{k + 1}", percent(before), percent(after)]
                for k, (before, after) in enumerate(zip(found.scores.before, found.scores.after, strict=True))
            ],
        ),
    )
    return section("scores", "Where the new rows rank", None, tag("div", chart, class_="pair"))


def score_chart(scores: ScoreDrift) -> Markup:
    """Shares of rows by decile: the new rows as bars, those of the fit as an outline."""
    n, highest = len(scores.before), max([*scores.before, *scores.after, 0.01])
    frame = Frame(460, 320, (0, n), (0, 1.12 * highest))
    tip = "tenth {} of the scores\n{} of the new rows\n{} of the rows of the fit"
    return picture(
        frame.width,
        frame.height,
        "Scores of the new rows in tenths of those of the fit",
        frame.axes(
            [Tick(k + 0.5, f"{k + 1}") for k in range(n)],
            [Tick(at, f"{100 * at:g}{PERCENT}") for at in round_steps(0, highest)],
            "tenth of the scores of the fit",
            "share of rows",
        ),
        [_bar(frame, k, share) for k, share in enumerate(scores.after)],
        frame.line(
            [x for k in range(n) for x in (k, k + 1)], [y for y in scores.before for _ in range(2)], class_="outline"
        ),
        [
            frame.spot(k + 0.5, max(before, after), tip.format(k + 1, percent(after), percent(before)))
            for k, (before, after) in enumerate(zip(scores.before, scores.after, strict=True))
        ],
    )


def _bar(frame: Frame, place: int, share: float) -> Markup:
    left, top = frame.x(place) + 0.5, frame.y(share)
    return tag("rect", x=left, y=top, width=frame.x(place + 1) - left - 0.5, height=frame.y(0) - top, class_="bar")


def _columns(found: Monitoring) -> Markup:
    shown = found.columns[:MOST_COLUMNS]
    return section(
        "columns",
        "Column by column",
        "The population stability index (PSI) says how far values moved: 0.1 is moderate, 0.25 large. Dates are shown "
        "but not counted, since time goes on.",
        table(
            "Columns and how they changed",
            [
                Column("Column"),
                Column("PSI", True),
                Column("Missing in the fit", True),
                Column("Missing now", True),
                Column("Typical in the fit"),
                Column("Typical now"),
                Column("Drift"),
            ],
            [_row(column) for column in shown],
            class_="sortable",
            data_first=max(ROWS_AT_FIRST, len(found.drifted)),
        ),
        not_shown(len(shown), len(found.columns), "column without a drift is", "columns without a drift are"),
    )


def _row(column: ColumnDrift) -> list[Child | Cell]:
    drift = drift_in_words(column)
    few = f"a few rows never seen: {_categories(column)}" if column.unseen and not column.has_unseen else None
    return [
        name(column.column),
        Cell(number(column.psi, 2), column.psi),
        Cell(percent(column.missing_before), column.missing_before),
        Cell(percent(column.missing_after), column.missing_after),
        column.before,
        column.after,
        tag("strong", drift) if drift else few,
    ]
