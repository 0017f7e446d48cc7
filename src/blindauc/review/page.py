"""The page of a review: everything around a row, which is sent once."""

from __future__ import annotations

from blindauc.report.elements import Child, Markup, tag
from blindauc.report.words import name
from blindauc.review.desk import Desk

KEYS = (
    ("r", "right, or positive"),
    ("w", "wrong, or negative"),
    ("c", "cannot tell"),
    ("b", "back to the previous row"),
    ("s", "skip to the next row"),
    ("n", "write a note"),
    ("?", "this help"),
)

HELP = (
    "Rows are in the order of suspicion. Read the reasons, compare the row with other rows, check its record, and "
    "decide. The next row appears when your decision is saved. You can go back and decide again: your last decision "
    "counts, and all decisions remain in the record."
)


def document(desk: Desk) -> str:
    """The whole page, without a row."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"Review: {desk.about.data}"),
        tag("link", rel="icon", href="/icon.svg"),
        tag("link", rel="stylesheet", href="/style.css"),
        tag("link", rel="stylesheet", href="/review.css"),
        tag("script", src="/review.js", defer=True),
    )
    body = tag(
        "body",
        tag("a", "Skip to the row", href="#row", class_="skip"),
        _top(desk),
        tag(
            "main",
            tag(
                "div",
                _trouble(),
                tag("p", id="done", class_="note", hidden=True),
                tag("article", id="row", aria_busy="true"),
                class_="work",
            ),
            _side(desk),
        ),
        _decide(),
        tag("p", id="status", role="status", class_="unseen"),
        _name_dialog(desk),
        _help_dialog(),
        data_blind="yes" if desk.blind else None,
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _top(desk: Desk) -> Markup:
    labels, unlabelled = desk.queues
    tabs = [
        _tab("labels", f"Labels ({len(labels.items):,})", is_chosen=True),
        _tab("unlabelled", f"Unlabelled rows ({len(unlabelled.items):,})", is_chosen=False)
        if unlabelled.items
        else None,
    ]
    return tag(
        "header",
        tag("p", name(desk.about.data), class_="of"),
        tag("nav", tabs, aria_label="What to check"),
        tag(
            "div",
            tag("progress", id="progress", max=1, value=0, aria_labelledby="progress-text"),
            tag("span", id="progress-text"),
            class_="gone",
        ),
        tag("a", "Results so far", id="found-so-far", href="#results"),
        tag(
            "div",
            _button("who", "", title="Change the name"),
            _button("help-button", "Help ", _key("?")),
            class_="tools",
        ),
        class_="top",
    )


def _tab(queue: str, words: str, *, is_chosen: bool) -> Markup:
    return tag("button", words, type="button", data_queue=queue, aria_pressed="true" if is_chosen else "false")


def _button(id: str, *children: Child, class_: str | None = None, title: str | None = None) -> Markup:
    return tag("button", *children, type="button", id=id, class_=class_, title=title)


def _key(key: str) -> Markup:
    return tag("kbd", key, aria_hidden="true")


def _trouble() -> Markup:
    """An error message with a button to retry; hidden as long as there is no error."""
    return tag(
        "div", tag("p", id="trouble-words"), _button("retry", "Try again"), id="trouble", role="alert", hidden=True
    )


def _side(desk: Desk) -> Markup:
    kept = "Each reviewer sees only their own decisions." if desk.blind else None
    return tag(
        "aside",
        tag("h2", "Results so far", id="results"),
        tag("div", id="summary"),
        tag("section", tag("h2", "Disagreements"), tag("ul", id="disagreements"), id="disagreeing", hidden=True),
        tag("details", tag("summary", "All rows of this list"), tag("ol", id="list"), id="all-rows"),
        tag("p", tag("a", "Download the checked rows", href="/checked.csv", download="checked.csv", id="export")),
        tag("p", kept, class_="note") if kept else None,
    )


def _decide() -> Markup:
    """The note and the buttons of decisions, always at the bottom of the window, in reach of a thumb."""
    return tag(
        "footer",
        tag(
            "div",
            tag("label", "Note ", _key("n"), for_="note"),
            tag("input", type="text", id="note", maxlength=2000, placeholder="reason (optional)", autocomplete="off"),
            class_="why-not",
        ),
        tag(
            "div",
            _button("back", tag("span", "Back"), _key("b")),
            _button("right", tag("span", "Right"), _key("r"), class_="yes"),
            _button("wrong", tag("span", "Wrong"), _key("w"), class_="no"),
            _button("cannot-tell", tag("span", "Cannot tell"), _key("c")),
            _button("skip", tag("span", "Skip"), _key("s")),
            class_="choices",
            role="group",
            aria_label="Decision",
        ),
        class_="decide",
    )


def _name_dialog(desk: Desk) -> Markup:
    blind = "Reviewers do not see each other's decisions. " if desk.blind else ""
    return tag(
        "dialog",
        tag(
            "form",
            tag("h2", "Who is checking?", id="name-title"),
            tag("p", f"{blind}Your name is recorded with each of your decisions."),
            tag("label", "Name", for_="name"),
            tag("input", type="text", id="name", required=True, maxlength=80, autocomplete="name"),
            tag("button", "Begin", type="submit", class_="yes"),
            method="dialog",
            id="name-form",
        ),
        id="name-dialog",
        aria_labelledby="name-title",
    )


def _help_dialog() -> Markup:
    keys = [tag("div", tag("dt", tag("kbd", key)), tag("dd", words)) for key, words in KEYS]
    return tag(
        "dialog",
        tag("h2", "How to check", id="help-title"),
        tag("p", HELP),
        tag("dl", keys),
        tag("label", tag("input", type="checkbox", id="keys", checked=True), " Use these keys", class_="switch"),
        tag("form", tag("button", "Close", type="submit"), method="dialog"),
        id="help",
        aria_labelledby="help-title",
    )
