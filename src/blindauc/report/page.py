"""One HTML file that needs nothing else: style and script inside, no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from pathlib import Path

from blindauc.files import write_whole
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Findings
from blindauc.report.sections import SECTIONS


def write(findings: Findings, path: str | Path) -> None:
    """Write the report, whole or not at all.

    Parameters
    ----------
    findings : Findings
    path : where to; what is there is replaced
    """
    write_whole(Path(path), as_html(findings).encode())


def as_html(findings: Findings) -> str:
    """The report as the text of an HTML page."""
    return document(f"{findings.asked.data}: blindauc report", [make(findings) for make in SECTIONS])


def document(title: str, sections: Child) -> str:
    """A whole HTML page that needs nothing else, with the style and the script of all our pages."""
    style, script = _packaged("style.css"), _packaged("behaviour.js")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", style),
    )
    body = tag("body", tag("main", sections), tag("script", script))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _packaged(name: str) -> Markup:
    """A file of this package that goes into the page as it is."""
    return Markup(resources.files("blindauc.report").joinpath(name).read_text(encoding="utf-8"))


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, and of styles and scripts only these two run."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
