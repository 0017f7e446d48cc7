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
    """

    label: str
    items: tuple[Item, ...]
    n_advised: int
    prospect: Prospect

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
    is_known, doubts = findings.is_auc_known, findings.doubts
    items = tuple(
        Item(doubt.row, _encodable(doubt.name), LABELLED, doubt.suspicion if is_known else None, doubt.reason)
        for doubt in doubts[:MOST_QUEUED]
    )
    prospect = _prospect([doubt.suspicion for doubt in doubts], findings.wrong if is_known else [])
    return Queue(LABELLED, items, min(findings.n_doubtful, len(items)), prospect)


def _unlabelled(findings: Findings) -> Queue:
    is_known, cases = findings.is_auc_known, findings.cases
    # If the prior is not identified, only the interval of a probability can be reported.
    is_stated = is_known and findings.is_prior_known
    items = tuple(
        Item(case.row, _encodable(case.name), UNLABELLED, case.probability.value if is_stated else None, case.reason)
        for case in cases
    )
    prospect = _prospect([case.probability.value for case in cases], findings.found if is_stated else [])
    return Queue(UNLABELLED, items, min(findings.capacity or 0, len(items)), prospect)


def _encodable(name: str) -> str:
    """A name that can be encoded as UTF-8; lone surrogates are replaced."""
    return name.encode(errors="replace").decode()


def _prospect(chances: list[float], curve: list[Expected]) -> Prospect:
    """The expectation for rows with these probabilities; the curve has the expected hits among the first rows."""
    if not chances or not curve:
        return Prospect((), 0.0, 0.0)
    in_all = among_first(curve, len(chances))
    return Prospect(tuple(chances), in_all.low, in_all.high)
