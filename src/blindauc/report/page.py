"""The report as one self-contained HTML file: style and script are inline, and it makes no network request."""

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
    """Write the report to a file, atomically.

    Parameters
    ----------
    findings : Findings
    path : str or Path
        An existing file is replaced.
    """
    write_whole(Path(path), as_html(findings).encode())


def as_html(findings: Findings) -> str:
    """The report as the text of an HTML page."""
    return document(f"{findings.asked.data}: blindauc report", [make(findings) for make in SECTIONS])


def document(title: str, sections: Child) -> str:
    """A self-contained HTML page with the style and the script that all pages share."""
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
    """The text of a file of this package, which is inserted without escaping."""
    return Markup(resources.files("blindauc.report").joinpath(name).read_text(encoding="utf-8"))


def _policy(style: str, script: str) -> str:
    """A content security policy that forbids all requests, and all styles and scripts but these two."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
