"""The section on how reliable the numbers are."""

from __future__ import annotations

from functools import partial

from blindauc.report.bending import is_mostly_linear
from blindauc.report.cautions import cautions
from blindauc.report.comparing import SIMPLER_TELLS_NO_WRONG_LABELS, verdict
from blindauc.report.counting import whole_range
from blindauc.report.elements import Child, Markup, tag, together
from blindauc.report.findings import Baseline, Checks, Findings
from blindauc.report.sections.parts import section
from blindauc.report.tables import Column, table
from blindauc.report.words import PERCENT, count, number, number_range, percent, percent_range, short
from blindauc.theory import auc_error_shape, phi_l0

INDEPENDENT = "Rows are independent. Where a patient has several rows, the intervals are too narrow."
GROUPED = "Rows of different groups are independent; those of one group were held out together."
OPTIMISTIC = (
    "The AUC is that of models that were not fitted to the rows, but the same rows determined the weight of each "
    "model: it is slightly optimistic."
)
ASSUMPTIONS = (
    "Labelled positives are like the unlabelled positives. Where only severe cases were labelled, mild ones "
    "rank too low, and their share is estimated too low.",
    "Unlabelled rows are drawn from those that the ranking is meant for. In another hospital or year it may do worse.",
    INDEPENDENT,
    OPTIMISTIC,
    "A doubtful label is a reason to look again. It is not a finding about a patient.",
)

NO_PRIOR = (
    "Needs no prior, but these rows are not a random sample of negatives: labels found wrong in the order of suspicion "
    "rank lower than most."
)
BY_RANKS = "The interval is estimated from the ranks of these labels by models that were not fitted to them."

SCORE = "The score is how often a labelled row that was held out ranks above an unlabelled one."
COMPARED = (Column("Method"), Column("Score", True), Column("What was found"))

NOT_JUDGED = (
    "With so few labels no rows could be held out to evaluate the ranking. There is no AUC, no count of positives and "
    "no count of wrong labels. The order of the rows and the columns come from a single fit with default settings."
)


def trust(findings: Findings) -> Markup:
    """Cautions first, then what the numbers rest on."""
    found = cautions(findings)
    return section(
        "trust",
        "How far to trust it",
        None if found else "Nothing in these numbers calls for special care.",
        [tag("div", tag("h3", each.title), tag("p", each.advice), class_="careful") for each in found],
        tag("h3", "What the numbers rest on"),
        table(
            "What the numbers rest on",
            [Column("Quantity"), Column("Estimate", True), Column("95 % interval", True), Column("What it means")],
            _grounds(findings),
            class_="wordy",
        ),
        tag("p", more_rows(findings) if findings.is_auc_known else NOT_JUDGED),
        tag("h3", "Simpler methods"),
        _baselines(findings.baselines),
        tag("h3", "What the numbers assume"),
        tag("ul", [tag("li", text) for text in _assumptions(findings)]),
    )


def _assumptions(findings: Findings) -> list[str]:
    is_grouped = findings.asked.n_groups is not None
    shown = [text for text in ASSUMPTIONS if findings.is_auc_known or text != OPTIMISTIC]
    return [GROUPED if is_grouped and text == INDEPENDENT else text for text in shown]


def _grounds(findings: Findings) -> list[list[Child]]:
    asked, auc, prior, contamination = findings.asked, findings.auc, findings.prior, findings.contamination
    rows: list[list[Child]] = [
        ["Labelled rows", f"{asked.n_labelled:,}", None, "What is learned from. Intervals depend mostly on these."],
        ["Unlabelled rows", f"{asked.n_rows - asked.n_labelled:,}", None, "What they are compared with."],
    ]
    if not findings.is_auc_known:
        return rows
    share, between, meaning = percent(prior.value), percent_range(prior), "The share of positives."
    if prior.low == prior.high:
        share, between, meaning = f"{short(100 * prior.value)}{PERCENT}", "", "As given."
    elif not findings.is_prior_known:
        share, meaning = "not known", "Cannot be estimated from these data alone; give it to the fit."
    return [
        *rows,
        ["AUC", number(auc.value), number_range(auc, 3), "0.5 is chance, 1 is perfect, on true labels."],
        *_by_checks(findings.checks),
        ["Positives among unlabelled", share, between, meaning],
        ["Wrong labels", percent(contamination.value), percent_range(contamination), _among(findings.checks)],
    ]


def _by_checks(checks: Checks | None) -> list[list[Child]]:
    """Estimates from the rows that were checked."""
    rows: list[list[Child]] = []
    if checks is not None and checks.auc is not None:
        rows.append(["AUC against known negatives", number(checks.auc.value), number_range(checks.auc, 3), NO_PRIOR])
    if checks is not None and checks.n_labels:
        expected = checks.expected
        between = "" if expected is None else f"{whole_range(expected.low, expected.high)} were expected"
        rows.append(["Wrong among checked labels", f"{checks.n_wrong:,} of {checks.n_labels:,}", between, BY_RANKS])
    return rows


def _among(checks: Checks | None) -> str:
    return "Among the labelled rows." if checks is None else "Among the labelled rows that nobody has checked."


def more_rows(findings: Findings) -> str:
    """How the error bound of the paper's Theorem 2 shrinks with more rows, in words.

    The bound has an unknown constant, so only ratios are reported.
    """
    if not is_mostly_linear(findings.shapes):
        return "More rows would help. The theory of the method, which covers linear scores only, does not say how much."
    asked = findings.asked
    n_pos, n_unl = asked.n_labelled, asked.n_rows - asked.n_labelled
    n_selected = sum(feature.selected for feature in findings.features)
    if not n_selected or findings.prior.value >= 1:
        return "More rows would help, but how much cannot be estimated here."
    # The bound is infinite with fewer rows than free weights, and its ratios mean nothing near that.
    if min(n_pos, n_unl) < 2 * n_selected:
        rows = f"{n_pos:,} labelled rows" if n_pos <= n_unl else f"{n_unl:,} unlabelled rows"
        columns = count(n_selected, "selected column", "selected columns")
        return (
            f"{rows} are few for {columns}, each category counted: get at least {2 * n_selected:,}, or leave out "
            "columns that cannot matter."
        )
    shape = partial(
        auc_error_shape,
        partial(phi_l0, n_features=len(findings.features), n_nonzero=n_selected),
        prior=findings.prior.value,
    )
    now = shape(n_pos=n_pos, n_unl=n_unl)
    labelled, unlabelled = shape(n_pos=2 * n_pos, n_unl=n_unl) / now, shape(n_pos=n_pos, n_unl=2 * n_unl) / now
    return (
        f"More rows would help. By the theory of the method, the error shrinks to about {percent(labelled)} of what it "
        f"is with twice as many labelled rows, and to {percent(unlabelled)} with twice as many unlabelled ones."
    )


def _baselines(baselines: list[Baseline]) -> Markup:
    if not baselines:
        return tag("p", "None was compared.")
    compared = table(
        "Simpler methods, evaluated on the same folds",
        COMPARED,
        [[each.name, number(each.score), verdict(each)] for each in baselines],
        class_="wordy",
    )
    return together(tag("p", f"{SCORE} {SIMPLER_TELLS_NO_WRONG_LABELS}"), compared)
