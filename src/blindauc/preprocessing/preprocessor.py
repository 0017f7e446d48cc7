"""A scikit-learn transformer from mixed columns to numbers, and which of its columns belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Ints
from blindauc.preprocessing.dates import date_format_of
from blindauc.preprocessing.kinds import ColumnKind, Kind, check_frame, column_kinds
from blindauc.preprocessing.values import (
    as_pandas,
    distinct_texts,
    read_booleans,
    read_categories,
    read_dates,
    read_numbers,
    without_missing_words,
)

if TYPE_CHECKING:
    import pandas as pd

INDICATOR = "missingindicator_"
"""What SimpleImputer puts before the name of a column."""

RARE = "infrequent_sklearn"
"""What OneHotEncoder calls the rare categories together."""


MIN_FREQUENCY = 0.01
"""The share of the rows below which a category is rare (convention)."""


def make_preprocessor(
    frame: pd.DataFrame, *, kinds: Mapping[str, Kind | ColumnKind] | None = None, min_frequency: float = MIN_FREQUENCY
) -> ColumnTransformer:
    """An unfitted transformer that turns the columns of a table into numbers, none of them missing.

    - A numeric column keeps its name. What is missing is filled with the median, and a column such as "age missing"
      says where, if anything was missing in the rows that it was fitted to.
    - A date becomes days since 1 January 1970, a boolean column 1 for yes and 0 for no; otherwise they are treated
      alike, but a missing boolean is filled with the more frequent value.
    - A categorical column becomes one column of 0 and 1 per category, such as "race=Asian"; what is missing is a
      category too, "race missing". Rare ones share a column, "race rare", and with them those that were not there
      in fitting. Where none was rare, a new one is 0 in all columns.
    - Columns that are set aside, and those that are not in `frame`, are ignored.

    Cells are read by what they say, not by their type, so that a new table may hold numbers where there was text. What
    cannot be read counts as missing, and so do infinity and numbers beyond 1e100. In transforming, only a column that
    is not there at all is an error.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
        The training rows, without the label. Only the kinds of its columns are taken from it.
    kinds : dict, optional
        The kinds of some columns, as names such as "categorical" or as `column_kinds` gives them. The others are
        guessed, with a ValueError where that makes no sense, as in `column_kinds`. Dates that may begin with the day
        or with the month are read with the day first, where the kind is given.
    min_frequency : float or int, default=0.01
        Categories in a smaller share of the rows (or in fewer rows, if it is a whole number) are rare. A share keeps
        the table narrow whatever its length: no column becomes more than 1 / min_frequency + 1.

    Returns
    -------
    sklearn.compose.ColumnTransformer

    See Also
    --------
    column_kinds : the guess, with reasons.
    feature_groups : which columns of the result belong together.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.preprocessing import feature_groups, group_names, make_preprocessor
    >>> frame = pd.DataFrame({"race": ["A", "B", "A"], "age": [41, None, 58], "smokes": ["no", "yes", "no"]})
    >>> preprocessor = make_preprocessor(frame)
    >>> preprocessor.fit_transform(frame)
    array([[41. ,  0. ,  0. ,  1. ,  0. ],
           [49.5,  1. ,  1. ,  0. ,  1. ],
           [58. ,  0. ,  0. ,  1. ,  0. ]])
    >>> preprocessor.get_feature_names_out().tolist()
    ['age', 'age missing', 'smokes', 'race=A', 'race=B']
    >>> feature_groups(preprocessor).tolist(), group_names(preprocessor)
    ([0, 0, 1, 2, 2], ['age', 'smokes', 'race'])
    """
    frame = as_pandas(frame)
    check_frame(frame)
    known = _all_kinds(frame, kinds or {})
    columns: dict[str, list[str]] = {}
    for name in frame.columns:
        columns.setdefault(known[name].kind, []).append(name)
    formats = {name: _date_format(name, frame[name]) for name in columns.get("date", [])}
    steps = {
        "numeric": _filled(read_numbers, "median"),
        "boolean": _filled(read_booleans, "most_frequent"),
        "date": _filled(read_dates, "median", formats=formats),
        "categorical": _one_hot(min_frequency),
    }
    return ColumnTransformer(
        [(kind, step, columns[kind]) for kind, step in steps.items() if kind in columns],
        verbose_feature_names_out=name_of_number,
    )


def feature_groups(preprocessor: ColumnTransformer) -> Ints:
    """The group of every column that a fitted preprocessor gives: columns from the same input column are a group.

    Parameters
    ----------
    preprocessor : ColumnTransformer
        From `make_preprocessor`, fitted.

    Returns
    -------
    ndarray of shape (n_features_out,)
        Whole numbers from 0, in the order of `group_names`.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.preprocessing import feature_groups, make_preprocessor
    >>> frame = pd.DataFrame({"age": [41, 67, 58], "race": ["A", "B", "C"]})
    >>> feature_groups(make_preprocessor(frame).fit(frame))
    array([0, 1, 1, 1])
    """
    places = {name: place for place, name in enumerate(group_names(preprocessor))}
    return np.array([places[name] for name in _sources(preprocessor)], dtype=np.intp)


def group_names(preprocessor: ColumnTransformer) -> list[str]:
    """The input column that each group of a fitted preprocessor comes from, in the order of the groups' numbers."""
    return list(dict.fromkeys(_sources(preprocessor)))


def name_of_number(kind: str, name: str) -> str:
    """A column's name as a person would write it. Saved models name this function."""
    if kind != "categorical" and name.startswith(INDICATOR):
        return f"{name.removeprefix(INDICATOR)} missing"
    return name


def name_of_category(column: str, category: Any) -> str:
    """The name of the column of a category, which is NaN for missing ones. Saved models name this function."""
    if not isinstance(category, str):
        return f"{column} missing"
    return f"{column} rare" if category == RARE else f"{column}={category}"


def _all_kinds(frame: pd.DataFrame, given: Mapping[str, Kind | ColumnKind]) -> dict[str, ColumnKind]:
    absent = [name for name in given if name not in frame.columns]
    if absent:
        raise ValueError(f"kinds names {absent[:5]}, which are no columns of the table: remove them.")
    known = {name: kind if isinstance(kind, ColumnKind) else ColumnKind(kind, "given") for name, kind in given.items()}
    for name, kind in known.items():
        if kind.kind not in get_args(Kind):
            raise ValueError(f"kinds[{name!r}] must be one of {', '.join(get_args(Kind))}, not {kind.kind!r}.")
    known |= column_kinds(frame[[name for name in frame.columns if name not in known]])
    if not any(kind.is_used for kind in known.values()):
        reasons = "; ".join(kind.reason for kind in known.values())
        raise ValueError(f"No column of the table can be used ({reasons}): say with kinds= what they are.")
    return known


def _date_format(name: str, column: pd.Series) -> str:
    texts = without_missing_words(distinct_texts(column)[1])
    date_format = date_format_of(texts)
    if date_format is None:
        raise ValueError(
            f"{name!r} cannot be read as dates, for example {texts[0]!r}: write them as year-month-day, or say "
            "with kinds= what the column is."
        )
    return date_format


def _filled(read: Callable[..., Any], strategy: str, **options: Any) -> Pipeline:
    # A column may be empty in the training part of a table and must not vanish there.
    imputer = SimpleImputer(strategy=strategy, add_indicator=True, keep_empty_features=True)
    return make_pipeline(_reader(read, **options), imputer)


def _one_hot(min_frequency: float) -> Pipeline:
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=min_frequency,
        sparse_output=False,
        feature_name_combiner=name_of_category,
    )
    return make_pipeline(_reader(read_categories), encoder)


def _reader(read: Callable[..., Any], **options: Any) -> FunctionTransformer:
    return FunctionTransformer(read, feature_names_out="one-to-one", kw_args=options or None)


def _sources(preprocessor: ColumnTransformer) -> list[str]:
    """The input column of every output column."""
    # That function is in every preprocessor of ours, and in no other.
    if getattr(preprocessor, "verbose_feature_names_out", None) is not name_of_number:
        raise TypeError(
            f"A preprocessor from make_preprocessor is needed, not this {type(preprocessor).__name__}: "
            "take it out of its pipeline, for example with pipeline[0]."
        )
    check_is_fitted(preprocessor)
    sources: list[str] = []
    for _, steps, columns in preprocessor.transformers_:
        if steps != "drop":
            sources += _sources_of_step(steps[-1], columns)
    return sources


def _sources_of_step(step: Any, columns: list[str]) -> list[str]:
    if isinstance(step, SimpleImputer):
        return columns + [columns[place] for place in step.indicator_.features_]
    pairs = zip(columns, step.categories_, step.infrequent_categories_, strict=True)
    return [name for name, all_, rare in pairs for _ in range(len(all_) - (0 if rare is None else len(rare) - 1))]
