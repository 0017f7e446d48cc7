"""What docstrings say in the manner of Sphinx and numpydoc, as the tools behind the reference pages understand it."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

from griffe import Extension, Object

DISPLAYED = re.compile(r"^( *)\.\. math:: *(.*)\n((?: *\n|\1 +\S.*\n)*)", flags=re.MULTILINE)
INLINE = re.compile(r":math:`([^`]+)`")
SECTION = re.compile(r"^Parameters\n-+\n((?:.*\n)*?)(?=\S.*\n---|\Z)", flags=re.MULTILINE)
SEVERAL = re.compile(
    r"""
    ^((?:\w+(?:,[ ]\w+)*,?\n)*    # lines of names only
    \w+(?:,[ ]\w+)*)              # and one more, perhaps
    ([ ]:[ ].*)?\n                # with a type,
    ((?:[ ]+.*\n)*)               # then what is said of them
    """,
    flags=re.MULTILINE | re.VERBOSE,
)


class ReadableDocstrings(Extension):
    """Every docstring with `$` around its formulas and one entry for each name."""

    def on_object(self, *, obj: Object, **others: Any) -> None:
        """Called with each module, class and function that was read."""
        if obj.docstring:
            obj.docstring.value = one_by_one(in_markdown(obj.docstring.value))


def in_markdown(text: str) -> str:
    """The text with formulas between dollars."""
    return INLINE.sub(r"$\1$", DISPLAYED.sub(_displayed, text + "\n")).rstrip("\n")


def _displayed(match: re.Match[str]) -> str:
    indent, first, rest = match.groups()
    lines = [line for line in [first, *dedent(rest).split("\n")] if line.strip()]
    return "\n".join(f"{indent}{line}" for line in ["$$", *lines, "$$"]) + "\n\n"


def one_by_one(text: str) -> str:
    """The text with parameters that share an entry in one each: griffe gives all of them the default of the first."""
    return SECTION.sub(lambda section: SEVERAL.sub(_separately, section[0]), text + "\n").rstrip("\n")


def _separately(match: re.Match[str]) -> str:
    names, kind, said = match.groups()
    return "".join(f"{name}{kind or ''}\n{said}" for name in re.findall(r"\w+", names))
