"""Packages that only some people need, asked for when they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(module: str, *, otherwise: str) -> Any:
    """A module of an optional extra; where it is not there, one line, with the module filled in, says how to get it.

    Examples
    --------
    >>> from blindauc.extras import imported
    >>> line = "Reading tables needs {}: pip install 'blindauc[cli]'."
    >>> imported("json", otherwise=line).__name__
    'json'
    >>> imported("no_such_module", otherwise=line)
    Traceback (most recent call last):
    ModuleNotFoundError: Reading tables needs no_such_module: pip install 'blindauc[cli]'.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(otherwise.format(module)) from error
