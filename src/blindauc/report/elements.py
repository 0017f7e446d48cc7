"""HTML and SVG elements as function calls. All text is escaped, unless this module built it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import TypeAlias

Child: TypeAlias = "str | int | Iterable[Child] | None"

VOID = frozenset({"br", "col", "hr", "input", "link", "meta", "wbr"})
"""Elements that have no end tag."""

# Control characters, bidirectional overrides and lone surrogates: they can disguise a name, or cannot be encoded as
# UTF-8.
UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is HTML already. Results of `+`, `join` and f-strings are plain text again, and get escaped."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Text escaped for HTML content and attributes, with unreadable characters replaced.

    Examples
    --------
    >>> from blindauc.report.elements import escaped
    >>> escaped('</script>"')
    '&lt;/script&gt;&quot;'
    """
    return html.escape(readable(text))


def readable(text: str) -> str:
    """Text with characters that are unreadable, or could disguise it, replaced by U+FFFD.

    Examples
    --------
    >>> from blindauc.report.elements import readable
    >>> readable("abc\\u202egnp.exe")
    'abc\ufffdgnp.exe'
    """
    return UNREADABLE.sub("\ufffd", text)


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """An HTML or SVG element. Plain text children and attribute values are escaped.

    Parameters
    ----------
    name : str
        The name of the element.
    *children
        Texts, elements and lists of them; None adds nothing.
    **attributes
        `class_` stands for class, `data_tip` for data-tip. None and False omit the attribute.

    Examples
    --------
    >>> from blindauc.report.elements import tag
    >>> tag("p", "a < b ", tag("b", "c"), class_="note", hidden=True)
    '<p class="note" hidden>a &lt; b <b>c</b></p>'
    """
    opening = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    return Markup(f"<{opening}>" if name in VOID else f"<{opening}>{together(*children)}</{name}>")


def together(*children: Child) -> Markup:
    """Children concatenated, without an enclosing element."""
    return Markup("".join(map(_child, children)))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return escaped(str(child))
    return together(*child)


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{escaped(f"{value:.6g}" if isinstance(value, float) else str(value))}"'
