"""Translate parameter names in messages of the library to options of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    "label": "--label",
    "positive": "--positive",
    "id": "--id",
    "groups": "--groups",
    "rows_by": "--rows-by",
    "time": "--time",
    "checked": "--checked",
    "data_folder": "--data",
    "memory": "--memory",
    "cache": "--cache",
    "prior": "--prior",
    "drop": "--drop COLUMN",
    "allow_leaks": "--allow-leak COLUMN",
    "categorical": "--categorical COLUMN",
    "numeric": "--numeric COLUMN",
    "date": "--date COLUMN",
    "show": "--show COLUMN",
    "shape": "--shape",
    "capacity": "--capacity",
    "sheet": "--sheet",
    "header_row": "--header-row",
}
ROW_NUMBERS = "Rows are counted from 1, the first below the header, and through all files of a folder."

LEAVE_OUT = ("frame.drop(columns=...)", "drop=[...]")
"""How messages of the library name the option that leaves out columns: for tables in memory, and in files."""

_NAMES = "|".join(OPTIONS)
_PARAMETER = re.compile(
    rf"(?<= )(?P<named>{_NAMES})=(?=[\s,.;:)]|$)"  # name it with positive=.
    rf"|(?<=\()(?P<bracketed>{_NAMES})(?=\)(?:[.,:]| should))"  # say which row holds the names (header_row)
    rf"|^(?P<first>{_NAMES})(?==\S+ must | must |=\S+ selects )"  # prior=2.0 must lie between 0 and 1
)


def as_options(message: str) -> str:
    """A message of the library with command-line options in place of parameter names.

    Examples
    --------
    >>> from blindauc.cli.wording import as_options
    >>> as_options("name it with positive=.")
    'name it with --positive.'
    >>> as_options("leave such columns out with frame.drop(columns=...).")
    'leave such columns out with --drop COLUMN.'
    >>> as_options("leave such columns out with drop=[...].")
    'leave such columns out with --drop COLUMN.'
    >>> as_options("say which row holds the names (header_row).")
    'say which row holds the names (--header-row).'
    """
    for words in LEAVE_OUT:
        message = message.replace(words, OPTIONS["drop"])
    return _PARAMETER.sub(lambda found: OPTIONS[str(found[0]).rstrip("=")], message)
