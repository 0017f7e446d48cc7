"""A scikit-learn transformer that encodes mixed columns as numbers, and the groups of its output columns."""

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
"""Prefix of SimpleImputer for the name of a missing indicator."""

RARE = "infrequent_sklearn"
"""Name of OneHotEncoder for all rare categories together."""

MIN_FREQUENCY = 0.01
"""Share of the rows below which a category is rare (convention)."""


def make_preprocessor(
    frame: pd.DataFrame, *, kinds: Mapping[str, Kind | ColumnKind] | None = None, min_frequency: float = MIN_FREQUENCY
) -> ColumnTransformer:
    """An unfitted transformer that encodes the columns of a table as numbers without missing values.

    - A numeric column keeps its name. Missing values are imputed with the median. If the training rows have missing
      values, an indicator column such as "age missing" is added.
    - A date becomes days since 1 January 1970; otherwise it is treated as a number.
    - A boolean column becomes 1 for yes and 0 for no. Missing values are imputed with the more frequent value, with
      an indicator as above.
    - A categorical column is one-hot encoded, with names such as "race=Asian"; missing values form a category,
      "race missing". Rare categories share a column, "race rare", which also takes categories that are not in the
      training rows. If no category is rare, a new one is 0 in all columns.
    - Constants, identifiers, free text and columns that are not in `frame` are ignored.

    Cells are read by their content, not by their type, so that a new table may hold numbers where the training table
    held text. Cells that cannot be read count as missing, and so do infinity and numbers beyond 1e100. `transform`
    raises only if a column is absent.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
        The training rows, without the label. Only the kinds and date formats of its columns are taken from it.
    kinds : dict, optional
        The kinds of some columns, as names such as "categorical" or as `column_kinds` returns them. All others are
        guessed, which may raise a ValueError as in `column_kinds`. Ambiguous dates are read with the day first if
        their kind is given.
    min_frequency : float or int, default=0.01
        Categories in a smaller share of the rows (or in fewer rows, if an int) are rare. A share bounds the width of
        the result: no column becomes more than 1 / min_frequency + 1.

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
    """The group of every output column of a fitted preprocessor: columns from the same input column form a group.

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
    """The input column of each group of a fitted preprocessor, in the order of `feature_groups`."""
    return list(dict.fromkeys(_sources(preprocessor)))


def name_of_number(kind: str, name: str) -> str:
    """A readable name of an output column. Saved models refer to this function by its name."""
    if kind != "categorical" and name.startswith(INDICATOR):
        return f"{name.removeprefix(INDICATOR)} missing"
    return name


def name_of_category(column: str, category: Any) -> str:
    """The name of the column of a category (NaN means missing). Saved models refer to this function by its name."""
    if not isinstance(category, str):
        return f"{column} missing"
    return f"{column} rare" if category == RARE else f"{column}={category}"


def _all_kinds(frame: pd.DataFrame, given: Mapping[str, Kind | ColumnKind]) -> dict[str, ColumnKind]:
    absent = [name for name in given if name not in frame.columns]
    if absent:
        raise ValueError(f"kinds names {absent[:5]}, which are not columns of the table: remove them.")
    known = {name: kind if isinstance(kind, ColumnKind) else ColumnKind(kind, "given") for name, kind in given.items()}
    for name, kind in known.items():
        if kind.kind not in get_args(Kind):
            raise ValueError(f"kinds[{name!r}] must be one of {', '.join(get_args(Kind))}, not {kind.kind!r}.")
    known |= column_kinds(frame[[name for name in frame.columns if name not in known]])
    if not any(kind.is_used for kind in known.values()):
        reasons = "; ".join(kind.reason for kind in known.values())
        raise ValueError(f"No column of the table can be used ({reasons}): declare their kinds with kinds=.")
    return known


def _date_format(name: str, column: pd.Series) -> str:
    texts = without_missing_words(distinct_texts(column)[1])
    date_format = date_format_of(texts)
    if date_format is None:
        raise ValueError(
            f"{name!r} cannot be read as dates, for example {texts[0]!r}: write them as year-month-day, or declare "
            "another kind of the column with kinds=."
        )
    return date_format


def _filled(read: Callable[..., Any], strategy: str, **options: Any) -> Pipeline:
    # A column may be empty in a training fold; it must not vanish there.
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
    # Only preprocessors of `make_preprocessor` use this function.
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
