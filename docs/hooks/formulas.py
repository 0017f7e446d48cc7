"""Formulas as MathML, made when the site is built: browsers draw it by themselves, and nothing has to be fetched."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', flags=re.DOTALL)


def on_page_content(html: str, **page: Any) -> str:
    """Called by mkdocs with every page: what arithmatex marked as a formula becomes one."""
    return FORMULA.sub(_mathml, html)


def _mathml(match: re.Match[str]) -> str:
    tag, bracket, formula = match.groups()
    display = "block" if bracket == "[" else "inline"
    return f'<{tag} class="formula">{convert(_aligned(unescape(formula).strip()), display=display)}</{tag}>'


def _aligned(formula: str) -> str:
    """Lines of a formula that are aligned at `&` need an environment, which Sphinx adds by itself."""
    return rf"\begin{{align*}}{formula}\end{{align*}}" if "&" in formula else formula
