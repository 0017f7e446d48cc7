"""Lists of column names and shapes on the command line: comma-separated, or by repeating the option."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def listed_columns(values: Iterable[str] | None, columns: Collection[str]) -> list[str]:
    """The columns named by values such as "ward,payer"; a column name may itself contain a comma.

    Examples
    --------
    >>> from blindauc.cli.names import listed_columns
    >>> listed_columns(["ward, payer", "age"], ["age", "ward", "payer"])
    ['ward', 'payer', 'age']
    >>> listed_columns(["name, first"], ["name, first", "age"])
    ['name, first']
    """
    names = [name for value in values or () for name in ([value] if value in columns else value.split(","))]
    return [name if name in columns else name.strip() for name in names]


def listed_shapes(values: Iterable[str] | None) -> str | list[str]:
    """The shapes named by values such as "linear,curves", or "auto".

    Examples
    --------
    >>> from blindauc.cli.names import listed_shapes
    >>> listed_shapes(None), listed_shapes(["auto"]), listed_shapes(["linear, curves", "trees"])
    ('auto', 'auto', ['linear', 'curves', 'trees'])
    """
    names = [name.strip() for value in values or () for name in value.split(",")]
    return names if names and names != ["auto"] else "auto"
