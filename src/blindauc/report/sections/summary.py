"""The top of the page: what was asked and what was found, for someone who reads nothing else."""

from __future__ import annotations

from blindauc.report.cautions import cautions
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Baseline, Feature, Findings
from blindauc.report.words import count, listed, name, number, number_range, percent, percent_range

STRONGEST = 3
"""Columns named in the summary."""

GRADES = ((0.9, "very good"), (0.8, "good"), (0.7, "fair"), (0.6, "weak"), (0.0, "hardly better than chance"))
"""The least AUC that is called so."""


def summary(findings: Findings) -> Markup:
    """The question, the key numbers, and the answer in words."""
    return tag(
        "header",
        tag("p", "blindauc report", class_="eyebrow"),
        tag("h1", "Which rows of ", name(findings.asked.data), " are like those labelled positive?"),
        tag("p", _asked(findings), class_="lead"),
        tag("div", _key_numbers(findings), class_="keys"),
        tag("h2", "What was found"),
        tag("ul", [tag("li", sentence) for sentence in _found(findings)], class_="found"),
        _careful(findings),
        id="summary",
    )


def selected_sources(features: list[Feature]) -> list[str]:
    """The columns of the table that are selected, the strongest first."""
    return list(dict.fromkeys(feature.source for feature in features if feature.selected))


def _asked(findings: Findings) -> list[Child]:
    asked = findings.asked
    return [
        f"The table has {count(asked.n_rows, 'row', 'rows')}. ",
        f"{count(asked.n_labelled, 'is', 'are')} labelled positive (",
        name(asked.label),
        " = ",
        name(asked.positive),
        f"). Of the other {asked.n_rows - asked.n_labelled:,} nothing is known: some are positive, too. Which of them, "
        "which labels are wrong, and which columns tell?",
    ]


def _key_numbers(findings: Findings) -> list[Markup]:
    auc, prior, asked = findings.auc, findings.prior, findings.asked
    n_selected = len(selected_sources(findings.features))
    return [
        _key("Estimated AUC", number(auc.value, 2), f"95 % interval {number_range(auc)}"),
        _key("Labels to re-check", f"{findings.n_doubtful:,}", f"of {asked.n_labelled:,} labelled rows"),
        _key("Positives among unlabelled", percent(prior.value), f"95 % interval {percent_range(prior)}"),
        _key("Columns selected", f"{n_selected:,}", f"of {asked.n_columns:,} that were looked at"),
    ]


def _key(title: str, value: str, note: str) -> Markup:
    return tag("div", tag("p", title, class_="title"), tag("p", value, class_="value"), tag("p", note, class_="note"))


def _found(findings: Findings) -> list[list[Child]]:
    return [
        _about_ranking(findings),
        _about_hidden(findings),
        _about_labels(findings),
        _about_columns(findings),
        *_about_baselines(findings),
    ]


def _about_ranking(findings: Findings) -> list[Child]:
    auc = findings.auc
    grade = next(words for least, words in GRADES if auc.value >= least)
    verdict = f"is {grade}" if auc.low > 0.5 else "may be no better than chance"
    return [
        tag("strong", f"The ranking {verdict}. "),
        "Of a positive row and one that is not, it puts the positive one first in about "
        f"{round(100 * auc.value)} of 100 cases (AUC {number(auc.value, 2)}, 95 % interval {number_range(auc)}; "
        "chance would be 50 of 100).",
    ]


def _about_hidden(findings: Findings) -> list[Child]:
    prior, n_unlabelled = findings.prior, findings.asked.n_rows - findings.asked.n_labelled
    low, middle, high = (round(share * n_unlabelled) for share in (prior.low, prior.value, prior.high))
    return [
        tag("strong", f"About {count(middle, 'unlabelled row is', 'unlabelled rows are')} positive, too: "),
        f"{percent(prior.value)} of them. The 95 % interval goes from {low:,} to {high:,} rows.",
    ]


def _about_labels(findings: Findings) -> list[Child]:
    contamination, n = findings.contamination, findings.n_doubtful
    overall = (
        f"In all, about {percent(contamination.value)} of the labels may be wrong ({percent_range(contamination)})."
    )
    if not n:
        return [tag("strong", "No single label is doubtful enough to be checked. "), overall]
    several = f"Expect about {findings.n_false_alarms} of them to be correct. "
    return [
        tag("strong", f"{count(n, 'label', 'labels')} should be checked again. "),
        several if n > 1 else "It is more likely wrong than right. ",
        overall,
        " ",
        tag("a", "See which", href="#doubts"),
        ".",
    ]


def _about_columns(findings: Findings) -> list[Child]:
    selected = selected_sources(findings.features)
    if not selected:
        return [tag("strong", "No column helps. "), "The ranking is the same for every row."]
    strongest = [name(source) for source in selected[:STRONGEST]]
    return [
        tag("strong", f"{count(len(selected), 'column tells', 'columns tell')} the rows apart. "),
        "The strongest: " if len(selected) > 1 else "It is ",
        [(", " if i else None, each) for i, each in enumerate(strongest)],
        ".",
    ]


def _about_baselines(findings: Findings) -> list[list[Child]]:
    as_good = [baseline for baseline in findings.baselines if baseline.is_as_good]
    if as_good:
        return [
            [
                tag("strong", "A simpler method may do as well. "),
                f"The ranking here scores {_compared(as_good)}: that may be chance.",
            ]
        ]
    if findings.baselines:
        return [
            [
                tag("strong", "Simpler methods do not do as well. "),
                f"The ranking here scores {_compared(findings.baselines)}.",
            ]
        ]
    return []


def _compared(baselines: list[Baseline]) -> str:
    return listed([_advantage(each) for each in baselines])


def _advantage(baseline: Baseline) -> str:
    by = baseline.advantage
    size = f"{number(abs(by.value))} {'higher' if by.value >= 0 else 'lower'}"
    return f"{size} than {baseline.name} (95 % interval {number_range(by, 3)})"


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
