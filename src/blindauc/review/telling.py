"""What the decisions so far say, in words."""

from __future__ import annotations

from blindauc.report.counting import how_many
from blindauc.report.elements import Child, Markup, tag, together
from blindauc.report.words import count, number, percent, percent_range
from blindauc.review.decisions import LABELLED
from blindauc.review.knowledge import Known
from blindauc.review.queue import Queue


def known_told(known: Known, queue: Queue) -> Markup:
    """How many of those checked were of the kind looked for, how many were expected, and what to expect of the rest.

    Examples
    --------
    >>> from blindauc.review.knowledge import Prospect
    >>> from blindauc.review.queue import Queue
    >>> from blindauc.review.telling import known_told
    >>> labels = Queue("positive", (), 0, Prospect((0.9, 0.8, 0.5, 0.2, 0.1), 1.0, 4.0))
    >>> "2 of 2 labels were wrong" in known_told(labels.prospect.after({0: True, 1: True}), labels)
    True
    """
    is_labels = queue.label == LABELLED
    what, found = ("label", "wrong") if is_labels else ("unlabelled row", "positive")
    return together(_so_far(known, what, found), _rest(known, what, found))


def _so_far(known: Known, what: str, found: str) -> Child:
    if known.share is None:
        return tag("p", "Nothing is checked yet.")
    were = "was" if known.n_found == 1 else "were"
    expected = "" if known.expected is None else f" {_about(known.expected)} expected."
    return [
        tag("p", f"{known.n_found:,} of {count(known.n_checked, what, f'{what}s')} {were} {found}", class_="so-far"),
        tag(
            "p", f"{percent(known.share.value)} (95 % interval {percent_range(known.share)}).{expected}", class_="note"
        ),
    ]


def _about(expected: float) -> str:
    digits = 0 if expected >= 10 else 1
    told = number(expected, digits)
    return f"{told} {'was' if told in ('1', '1.0') else 'were'}"


def _rest(known: Known, what: str, found: str) -> Child:
    if known.rest is None:
        return tag("p", f"There are too few labels to say how many of the rest are {found}.", class_="note")
    if known.rest.k == 0:
        return tag("p", "All of them are checked.")
    rest = "the one that is" if known.rest.k == 1 else f"the {known.rest.k:,} {what}s that are"
    return tag("p", f"Of {rest} not checked expect {how_many(known.rest, is_known=True)} to be {found}.")
