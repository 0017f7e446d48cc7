"""The top of the page: which rows to check first, how many positives to expect, and which labels to re-check."""

from __future__ import annotations

from blindauc.estimate import MIN_POSITIVES
from blindauc.report.bending import bending_sentence, does_select
from blindauc.report.cautions import cautions
from blindauc.report.comparing import SIMPLER_TELLS_NO_WRONG_LABELS, verdict
from blindauc.report.counting import how_many, positives_first, whole_range, wrong_first
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Findings
from blindauc.report.sections.parts import key_number
from blindauc.report.stating import stated_checks
from blindauc.report.words import count, name, number, number_range

STRONGEST = 3
"""The number of columns, and of rows, named in the summary (convention)."""

PROBABLE = 0.5
"""A label with this suspicion is as likely wrong as not."""

GRADES = ((0.9, "very good"), (0.8, "good"), (0.7, "fair"), (0.6, "weak"), (0.0, "hardly better than chance"))
"""The smallest AUC for each word (convention)."""


def summary(findings: Findings) -> Markup:
    """The question, the key numbers, and the answers in words."""
    return tag(
        "header",
        tag("p", "blindauc report", class_="eyebrow"),
        tag("h1", "Which rows of ", name(findings.asked.data), " are like those labelled positive?"),
        tag("p", _asked(findings), class_="lead"),
        tag("div", _key_numbers(findings), class_="keys"),
        tag(
            "div",
            _answer("Which rows do I check first?", _about_rows(findings)),
            _answer("How many will I find?", _about_positives(findings)),
            _answer("Which labels do I check?", _about_labels(findings)),
            class_="answers",
        ),
        tag(
            "ul",
            tag("li", _about_columns(findings)),
            _about_bending(findings),
            _about_baselines(findings),
            class_="found",
        ),
        _careful(findings),
        id="summary",
    )


def _asked(findings: Findings) -> list[Child]:
    asked = findings.asked
    groups = "" if asked.n_groups is None else f" of {count(asked.n_groups, 'group', 'groups')}"
    return [
        f"The table has {count(asked.n_rows, 'row', 'rows')}{groups}. ",
        f"{count(asked.n_labelled, 'is', 'are')} labelled positive (",
        name(asked.label),
        " = ",
        name(asked.positive),
        f"). {_others(findings)}",
    ]


def _others(findings: Findings) -> str:
    checks, n_others = findings.checks, findings.asked.n_rows - findings.asked.n_labelled
    if checks is None:
        return f"Of the other {n_others:,} nothing is known: some are positive, too."
    n_left = n_others - checks.n_positive - checks.n_negative
    return f"{stated_checks(checks)} Of {n_left:,} other rows nothing is known: some are positive, too."


def _key_numbers(findings: Findings) -> list[Markup]:
    n_selected = len(findings.selected_columns)
    columns = key_number("Columns selected", f"{n_selected:,}", f"of {findings.asked.n_columns:,} that were used")
    if not does_select(findings.shapes):
        columns = key_number("Columns used", f"{findings.asked.n_columns:,}", "none is selected")
    if not findings.is_auc_known:
        return [
            key_number("Labelled rows", f"{findings.asked.n_labelled:,}", "too few to estimate anything"),
            columns,
        ]
    auc = findings.auc
    return [
        *_key_counts(findings),
        key_number("Estimated AUC", number(auc.value, 2), f"95 % interval {number_range(auc)}"),
        columns,
    ]


def _key_counts(findings: Findings) -> list[Markup]:
    shown = []
    if found := positives_first(findings):
        between, title = whole_range(found.low, found.high), f"Positives, first {found.k:,} rows"
        if findings.is_prior_known:
            shown.append(key_number(title, f"{round(found.value):,}", f"95 % interval {between}"))
        else:
            shown.append(key_number(title, between, "narrower if you give the prior"))
    if wrong := wrong_first(findings):
        note = f"95 % interval {whole_range(wrong.low, wrong.high)}"
        shown.append(key_number(f"Wrong, first {wrong.k:,} labels", f"{round(wrong.value):,}", note))
    return shown


def _answer(question: str, answer: list[Child]) -> Markup:
    return tag("div", tag("h2", question), tag("p", answer))


def _about_rows(findings: Findings) -> list[Child]:
    first = findings.cases[:STRONGEST]
    if not first:
        return ["No unlabelled row was ranked."]
    return [
        [(", then " if i else None, name(case.name)) for i, case in enumerate(first)],
        ". Go on in the order of ",
        tag("a", "the list", href="#cases"),
        ". ",
        _about_ranking(findings),
    ]


def _about_ranking(findings: Findings) -> str:
    if not findings.is_auc_known:
        return (
            f"How good this order is cannot be estimated: at least {MIN_POSITIVES} different rows have to be labelled "
            "to evaluate it."
        )
    auc = findings.auc
    grade = next(words for least, words in GRADES if auc.value >= least)
    is_good = f"is {grade}" if auc.low > 0.5 else "may be no better than chance"
    return (
        f"The order {is_good}: of a positive row and one that is not, it puts the positive one first in about "
        f"{round(100 * auc.value)} of 100 cases ({round(100 * auc.low)} to {round(100 * auc.high)}; chance is 50)."
    )


def _about_positives(findings: Findings) -> list[Child]:
    found = positives_first(findings)
    if found is None:
        return ["That cannot be estimated from so few labels."]
    every = findings.found[-1]
    open_rows = "rows without a label" if findings.checks is None else "rows without a label or a check"
    see = [" ", tag("a", "Other numbers of rows", href="#capacity"), "."]
    if findings.is_prior_known:
        return [
            tag(
                "strong",
                f"Of the first {found.k:,} {open_rows} expect {how_many(found, is_known=True)} to be positive. ",
            ),
            f"In all, {how_many(every, is_known=True)} of the {every.k:,} unlabelled rows are.",
            see,
        ]
    return [
        tag("strong", "That cannot be estimated from these data alone. "),
        f"Of the first {found.k:,} {open_rows} anything {how_many(found, is_known=False)} may be positive; of all "
        f"{every.k:,} unlabelled rows, {how_many(every, is_known=False)}. The order of the rows does not depend on it. "
        "If you know what share of the unlabelled rows is positive, fit again with ",
        tag("span", "--prior", class_="code"),
        " (in Python ",
        tag("span", "prior=", class_="code"),
        ").",
        see,
    ]


def _about_labels(findings: Findings) -> list[Child]:
    wrong = wrong_first(findings)
    order = [" ", tag("a", "The order", href="#doubts"), "."]
    if wrong is None:
        return ["Those that rank lowest. How many of them are wrong cannot be estimated from so few labels.", order]
    expected = f"of the first {wrong.k:,} in the list expect {how_many(wrong, is_known=True)} to be wrong. "
    if all(doubt.suspicion < PROBABLE for doubt in findings.doubts[:1]):  # the most suspicious one
        return [tag("strong", "No single label is probably wrong; "), expected, "Check them in this order.", order]
    return [
        tag("strong", expected[0].upper() + expected[1:]),
        "Check them in this order, and stop once most of them turn out to be correct.",
        order,
    ]


def _about_columns(findings: Findings) -> list[Child]:
    if not does_select(findings.shapes):
        return _about_all_columns(findings)
    selected = findings.selected_columns
    if not selected:
        return [tag("strong", "No column helps. "), "The ranking is the same for every row."]
    strongest = [name(source) for source in selected[:STRONGEST]]
    tell = f"{count(len(selected), 'column is', 'columns are')} selected. "
    # Without held-out rows it is unknown whether the columns predict anything.
    rests = f"The order rests on {count(len(selected), 'column', 'columns')}; none could be tested. "
    return [
        tag("strong", tell if findings.is_auc_known else rests),
        "The strongest of them: " if len(selected) > 1 else "It is ",
        [(", " if i else None, each) for i, each in enumerate(strongest)],
        ".",
        _about_unselected(findings),
    ]


def _about_unselected(findings: Findings) -> list[Child]:
    """The unselected columns with a larger weight than any selected one, because the average uses all columns."""
    sources = [feature.source for feature in findings.features]
    heavier = list(dict.fromkeys(sources[: sources.index(findings.selected_columns[0])]))[:STRONGEST]
    if not heavier:
        return []
    names = [(", " if i else None, name(source)) for i, source in enumerate(heavier)]
    return [" With a larger weight, but not selected: ", names, "."]


def _about_all_columns(findings: Findings) -> list[Child]:
    strongest = list(dict.fromkeys(feature.source for feature in findings.features))[:STRONGEST]
    return [
        tag("strong", f"The order rests on {count(findings.asked.n_columns, 'column', 'columns')}; none is selected. "),
        "The strongest: ",
        [(", " if i else None, name(source)) for i, source in enumerate(strongest)],
        ".",
    ]


def _about_bending(findings: Findings) -> Markup | None:
    bent = bending_sentence(findings.shapes, findings.bending)
    return tag("li", tag("strong", "Do nonlinear scores help? "), bent) if bent else None


def _about_baselines(findings: Findings) -> Markup | None:
    if not findings.baselines:
        return None
    compared = "; ".join(map(verdict, findings.baselines))
    return tag("li", tag("strong", "Simpler methods: "), f"{compared}. {SIMPLER_TELLS_NO_WRONG_LABELS}")


def _careful(findings: Findings) -> Markup | None:
    found = cautions(findings)
    if not found:
        return None
    return tag(
        "aside",
        tag("p", tag("strong", "Read with care")),
        tag("ul", [tag("li", caution.title) for caution in found]),
        tag("p", tag("a", "What follows from this", href="#trust")),
        class_="careful",
    )
