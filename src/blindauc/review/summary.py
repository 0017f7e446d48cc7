"""The summary of the checks so far, in words."""

from __future__ import annotations

from blindauc.report.counting import how_many
from blindauc.report.elements import Child, Markup, tag, together
from blindauc.report.words import count, number, percent, percent_range, were
from blindauc.review.decisions import LABELLED
from blindauc.review.estimates import CheckSummary
from blindauc.review.queue import Queue


def summary_html(summary: CheckSummary, queue: Queue) -> Markup:
    """How many of the checked rows were hits, how many were expected, and how many to expect among the rest.

    Examples
    --------
    >>> from blindauc.review.estimates import Prospect
    >>> from blindauc.review.queue import Queue
    >>> from blindauc.review.summary import summary_html
    >>> labels = Queue("positive", (), 0, Prospect((0.9, 0.8, 0.5, 0.2, 0.1), 1.0, 4.0))
    >>> "2 of 2 labels were wrong" in summary_html(labels.prospect.after({0: True, 1: True}), labels)
    True
    """
    is_labels = queue.label == LABELLED
    what, found = ("label", "wrong") if is_labels else ("unlabelled row", "positive")
    before = _before(queue, what, found)
    return together(before, _so_far(summary, what, found, queue), _rest(summary, what, found, queue))


def _before(queue: Queue, what: str, found: str) -> Child:
    if not queue.n_before:
        return None
    checked = count(queue.n_before, f"{what} was", f"{what}s were")
    n_found = queue.n_found_before
    return tag("p", f"{checked} checked before this fit, and {n_found:,} of them {were(n_found)} {found}.")


def _so_far(summary: CheckSummary, what: str, found: str, queue: Queue) -> Child:
    if summary.share is None:
        return tag("p", f"Nothing is checked {'since' if queue.n_before else 'yet'}.")
    n_found, share = summary.n_found, summary.share
    expected = "" if summary.expected is None else f" {_about(summary.expected)} expected."
    return [
        tag(
            "p", f"{n_found:,} of {count(summary.n_checked, what, f'{what}s')} {were(n_found)} {found}", class_="so-far"
        ),
        tag("p", f"{percent(share.value)} (95 % interval {percent_range(share)}).{expected}", class_="note"),
    ]


def _about(expected: float) -> str:
    digits = 0 if expected >= 10 else 1
    words = number(expected, digits)
    return f"{words} {'was' if words in ('1', '1.0') else 'were'}"


def _rest(summary: CheckSummary, what: str, found: str, queue: Queue) -> Child:
    if queue.n_before and not queue.items:
        return tag("p", "All of them are checked.")
    if summary.rest is None:
        return tag("p", f"There are too few labels to estimate how many of the rest are {found}.", class_="note")
    if summary.rest.k == 0:
        return tag("p", "All of them are checked.")
    rest = "the one that is" if summary.rest.k == 1 else f"the {summary.rest.k:,} {what}s that are"
    return tag("p", f"Of {rest} not checked, expect {how_many(summary.rest, is_known=True)} to be {found}.")
