"""Import of optional dependencies, with an error that names the install command."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(module: str, *, otherwise: str) -> Any:
    """Import a module of an optional extra.

    Parameters
    ----------
    module : str
    otherwise : str
        The message of the ModuleNotFoundError if the module is not installed; `{}` stands for its name.

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
