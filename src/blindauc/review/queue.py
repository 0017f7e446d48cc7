"""The lists of rows to check: labels in the order of suspicion, and unlabelled rows in the order of the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from blindauc.report.counting import among_first
from blindauc.report.findings import Expected, Findings
from blindauc.review.decisions import LABELLED, UNLABELLED
from blindauc.review.estimates import Prospect

MOST_QUEUED = 2_000
"""The most labels of a list (convention): more than anyone checks by hand."""


@dataclass(frozen=True)
class Item:
    """A row to check.

    Attributes
    ----------
    row, name : the number of the row, from 1, and its name
    label : "positive" or "unlabelled", as in the table
    chance : the probability that the label is wrong, or that an unlabelled row is positive; None if the model has too
        few labels to estimate it
    reason : why the row is in the list, in words
    """

    row: int
    name: str
    label: str
    chance: float | None
    reason: str


@dataclass(frozen=True)
class Queue:
    """A list of rows to check, in order.

    Attributes
    ----------
    label : the label of its rows, "positive" or "unlabelled"
    items : the rows
    n_advised : how many of them the model advises to check
    prospect : the model's expectation for all rows of this kind, of which `items` may be only the first
    n_before, n_found_before : how many rows of this kind were checked before the fit, which are not in the list, and
        how many of these labels were wrong, or of these unlabelled rows positive
    """

    label: str
    items: tuple[Item, ...]
    n_advised: int
    prospect: Prospect
    n_before: int = 0
    n_found_before: int = 0

    @cached_property
    def places(self) -> dict[int, int]:
        """The index of each row in the list."""
        return {item.row: place for place, item in enumerate(self.items)}


def queues_of(findings: Findings) -> tuple[Queue, Queue]:
    """The list of labels and the list of unlabelled rows to check.

    Parameters
    ----------
    findings : Findings

    Returns
    -------
    labels, unlabelled : Queue
    """
    return _labels(findings), _unlabelled(findings)


def _labels(findings: Findings) -> Queue:
    is_known, checks = findings.is_auc_known, findings.checks
    n_before, n_wrong = (0, 0) if checks is None else (checks.n_labels, checks.n_wrong)
    # Labels that were checked before the fit come last in `findings.doubts`.
    doubts = findings.doubts[: len(findings.doubts) - n_before]
    items = tuple(
        Item(doubt.row, _encodable(doubt.name), LABELLED, doubt.suspicion if is_known else None, doubt.reason)
        for doubt in doubts[:MOST_QUEUED]
    )
    wrong = among_first(findings.wrong, len(findings.doubts)) if is_known and findings.wrong else None
    prospect = _prospect([doubt.suspicion for doubt in doubts], wrong, n_wrong)
    return Queue(LABELLED, items, min(findings.n_doubtful, len(items)), prospect, n_before, n_wrong)


def _unlabelled(findings: Findings) -> Queue:
    is_known, cases = findings.is_auc_known, findings.cases
    # If the prior is not identified, only the interval of a probability can be reported.
    is_stated = is_known and findings.is_prior_known
    items = tuple(
        Item(case.row, _encodable(case.name), UNLABELLED, case.probability.value if is_stated else None, case.reason)
        for case in cases
    )
    found = among_first(findings.found, len(cases)) if is_stated and findings.found else None
    prospect = _prospect([case.probability.value for case in cases], found)
    checks = findings.checks
    before = (0, 0) if checks is None else (checks.n_others, checks.n_positive)
    return Queue(UNLABELLED, items, min(findings.capacity or 0, len(items)), prospect, *before)


def _encodable(name: str) -> str:
    """A name that can be encoded as UTF-8; lone surrogates are replaced."""
    return name.encode(errors="replace").decode()


def _prospect(chances: list[float], in_all: Expected | None, n_known: int = 0) -> Prospect:
    """The expectation for rows with these probabilities; `in_all` are the expected hits, `n_known` of them known."""
    if not chances or in_all is None:
        return Prospect((), 0.0, 0.0)
    return Prospect(tuple(chances), max(in_all.low - n_known, 0.0), max(in_all.high - n_known, 0.0))
