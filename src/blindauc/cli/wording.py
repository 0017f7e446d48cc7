"""The parameters that the library names in its messages, as options of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    "label": "--label",
    "positive": "--positive",
    "id": "--id",
    "groups": "--groups",
    "rows_by": "--rows-by",
    "time": "--time",
    "prior": "--prior",
    "drop": "--drop COLUMN",
    "allow_leaks": "--allow-leak COLUMN",
    "categorical": "--categorical COLUMN",
    "numeric": "--numeric COLUMN",
    "date": "--date COLUMN",
    "show": "--show COLUMN",
}
LEAVE_OUT = "frame.drop(columns=...)"

_PARAMETER = re.compile(rf"(?<= )({'|'.join(OPTIONS)})=(?=[\s,.;:)]|$)")


def as_options(message: str) -> str:
    """A message of the library with the options of the command line in the place of parameters.

    Examples
    --------
    >>> from blindauc.cli.wording import as_options
    >>> as_options("name it with positive=.")
    'name it with --positive.'
    >>> as_options("leave such columns out with frame.drop(columns=...).")
    'leave such columns out with --drop COLUMN.'
    """
    return _PARAMETER.sub(lambda found: OPTIONS[found[1]], message.replace(LEAVE_OUT, OPTIONS["drop"]))
