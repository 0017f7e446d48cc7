"""Support for the categories of tables: which estimators accept them, and checks that new rows match the fit."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from blindauc.rows.categories import Categories, category_columns, is_table
from blindauc.scorers.boosting import is_installed

MAKE_PREPROCESSOR = (
    "put blindauc.make_preprocessor(X) before the estimator, as in make_pipeline(make_preprocessor(X), estimator): it "
    "encodes text and dates and fills in what is missing, in tables of pandas and polars"
)


def learnt_categories(estimator: Any, X: Any) -> Any:
    """The table of a fit with numbers for its categories, which the estimator keeps as `categories_`."""
    columns = category_columns(X)
    if not columns:
        return X
    if reason := _cannot_take_them(estimator):
        raise ValueError(f"The column {X.columns[columns[0]]!r} of X holds categories, {reason}.")
    estimator.categories_ = Categories.of(X)
    return estimator.categories_.encoded(X)


def _cannot_take_them(estimator: Any) -> str | None:
    """Why an estimator does not accept categories, with a remedy; None if it accepts them."""
    shape = getattr(estimator, "shape", None)
    if shape is None:
        return f"which {type(estimator).__name__} cannot take: {MAKE_PREPROCESSOR}"
    shapes = list(shape) if isinstance(shape, list | tuple) else [shape]
    others = [each for each in shapes if each not in ("auto", "trees")]
    if others:
        return f'which shape="{others[0]}" cannot take: {MAKE_PREPROCESSOR}; or choose shape="trees"'
    if "auto" in shapes and not is_installed():
        return f"which trees alone can take: {MAKE_PREPROCESSOR}; or get them by pip install 'blindauc[trees]'"
    return None


def known_categories(estimator: Any, X: Any) -> Any:
    """New rows with numbers for the categories that occurred in the fit; others count as missing."""
    known, columns = getattr(estimator, "categories_", None), category_columns(X)
    if known is None and not columns:
        return X
    if known is not None and not is_table(X):
        raise ValueError(
            f"The model was fitted to a table in which {_named(estimator, known.columns[0])} holds categories, and "
            f"cannot read a {type(X).__name__}: pass a table of pandas or polars with the same columns."
        )
    validate_data(estimator, X, reset=False, skip_check_array=True)  # says which columns are missing or misplaced
    expected = () if known is None else known.columns
    if lost := sorted(set(expected) - set(columns)):
        name = X.columns[lost[0]]
        raise ValueError(
            f"The column {name!r} of X held categories in the fit and holds none now: make it one again, in pandas "
            f"with X.astype({{{name!r}: 'category'}})."
        )
    if new := sorted(set(columns) - set(expected)):
        raise ValueError(f"The column {X.columns[new[0]]!r} of X holds categories, and held numbers in the fit.")
    return X if known is None else known.encoded(X)


def _named(estimator: Any, column: int) -> str:
    names = getattr(estimator, "feature_names_in_", None)
    return f"column {column}" if names is None else f"the column {names[column]!r}"
