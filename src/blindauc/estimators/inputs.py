"""Validation of X and of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from blindauc._typing import Ints
from blindauc.estimators.categories import MAKE_PREPROCESSOR, known_categories, learnt_categories
from blindauc.rows.categories import is_table
from blindauc.rows.numbers import refuse_columns_that_are_no_numbers, refuse_too_large
from blindauc.rows.storage import columns_where
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0, SparsitySet, resolve_groups

NUMBERS_OF_FILES = "pass model.preprocessor_.transform(X), the numbers of a table as the model was fitted to them"


def read_matrix(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a dense or sparse matrix of float64 or float32, not copied if it already is one.

    Categories of tables become the numbers of their levels. With `reset`, the estimator learns the levels.
    """
    _refuse_what_files_hold(estimator, X)
    X = learnt_categories(estimator, X) if reset else known_categories(estimator, X)
    refuse_columns_that_are_no_numbers(X, _remedy(estimator))
    with _remedy_for_tables(estimator, X):
        X = validate_data(
            estimator,
            X,
            accept_sparse=("csr", "csc"),
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan" if takes_missing(estimator) else True,
            ensure_min_samples=2 if reset else 1,
            reset=reset,
        )
    refuse_too_large(X)
    return X


def is_in_files(X: Any) -> bool:
    """Whether X is a `ParquetRows`."""
    # Duck typing: importing the class would need pandas, which a fit to arrays does not.
    return callable(getattr(X, "prepared", None))


def _refuse_what_files_hold(estimator: Any, X: Any) -> None:
    """Raise for files, and for tables as they are in files, where their numbers are expected."""
    if is_in_files(X):
        raise TypeError(
            "ParquetRows are not in memory, and this needs rows in memory: pass the numbers of some of them, such as "
            "model.preprocessor_.transform(next(rows.frames(n_rows=1000)))."
        )
    is_of_files = hasattr(estimator, "preprocessor_") and is_table(X)
    if is_of_files and set(X.columns) != set(estimator.feature_names_in_):
        raise ValueError(f"The columns of X are not those of the fit: {NUMBERS_OF_FILES}.")


def _remedy(estimator: Any) -> str:
    return NUMBERS_OF_FILES if hasattr(estimator, "preprocessor_") else MAKE_PREPROCESSOR


def takes_missing(estimator: Any) -> bool:
    """Whether missing values are accepted: only if trees are the only shape."""
    shape = getattr(estimator, "shape", None)
    is_trees = shape == "trees" or (isinstance(shape, list | tuple) and list(shape) == ["trees"])
    return is_trees or hasattr(estimator, "categories_")


@contextmanager
def _remedy_for_tables(estimator: Any, X: Any) -> Iterator[None]:
    """A context that adds columns and the remedy to scikit-learn's errors about missing values, infinity and text."""
    try:
        yield
    except ValueError as error:
        what = str(error).splitlines()[0].rstrip(".")
        if "contains NaN" in what:
            may_be_trees = hasattr(estimator, "shape") and not hasattr(estimator, "preprocessor_")
            trees = '; or choose shape="trees", which takes missing values' if may_be_trees else ""
            raise ValueError(f"{what}{_columns_where(np.isnan, X)}: {_remedy(estimator)}{trees}.") from error
        if "contains infinity" in what:
            raise ValueError(f"{what}{_columns_where(np.isinf, X)}: replace these values.") from error
        if "could not convert string" in what:
            raise ValueError(f"{what}: {_remedy(estimator)}.") from error
        raise


def _columns_where(is_bad: Callable[[Any], Any], X: Any) -> str:
    """The first columns with such values, by name or number, in words; empty if they cannot be determined."""
    try:
        columns = columns_where(is_bad, X)
    except (TypeError, ValueError):  # pandas.NA, for example, is not a number
        return ""
    if len(columns) == 0:
        return ""
    names = getattr(X, "columns", None)
    first = ", ".join(str(column) if names is None else repr(names[column]) for column in columns[:5].tolist())
    more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
    return f" in column{'s' * (len(columns) > 1)} {first}{more}"


def read_outlier_count(n_outliers: Any, n_pos: int) -> int:
    """The number of outliers, from a number or a share of the positives."""
    _refuse_bool("n_outliers", n_outliers)
    if isinstance(n_outliers, Integral):
        count = int(n_outliers)
    elif isinstance(n_outliers, Real) and 0 <= float(n_outliers) < 1:
        count = round(float(n_outliers) * n_pos)
    else:
        raise ValueError(
            f"n_outliers must be a whole number, or a share of the positives from 0 up to 1, not {n_outliers!r}."
        )
    if count < 0 or n_pos - count < 2:
        raise ValueError(
            f"n_outliers={n_outliers!r} must leave at least two of the {n_pos} labelled positives: "
            f"choose it from 0 to {max(n_pos - 2, 0)}."
        )
    return count


def read_sparsity(
    n_features_to_select: Any, *, kind: Any, groups: Any, n_features: int, feature_names: Any, has_intercept: bool
) -> SparsitySet:
    """The sparsity set, from the parameters."""
    features = _features(kind, groups, n_features_to_select, n_features, feature_names)
    return features.with_free_column() if has_intercept else features


def _features(kind: Any, groups: Any, n_features_to_select: Any, n_features: int, feature_names: Any) -> SparsitySet:
    if kind not in ("l0", "group_l0", "exclusive_l0"):
        raise ValueError(f'sparsity must be "l0", "group_l0" or "exclusive_l0", not {kind!r}.')
    if kind == "l0":
        if groups is not None:
            raise ValueError(
                'The groups of the constructor are groups of columns, and sparsity="l0" has no use for them: choose '
                '"group_l0", or pass groups of rows, such as patients, to fit(groups=...).'
            )
        if n_features_to_select is None:
            return AllFeatures(n_features)
        return L0(n_features, read_count(n_features_to_select, n_features, "columns"))
    if groups is None:
        raise ValueError(f'sparsity="{kind}" needs groups: one id per column, or a list of lists of columns.')
    ids = resolve_groups(groups, n_features, feature_names)
    if n_features_to_select is None:
        return AllFeatures(n_features)
    if kind == "group_l0":
        return GroupL0(ids, read_count(n_features_to_select, int(ids.max()) + 1, "groups"))
    return ExclusiveL0(ids, read_counts_per_group(n_features_to_select, np.bincount(ids)))


def read_counts_per_group(chosen: Any, sizes: Ints) -> Ints:
    """The number of columns of each group, from one number or share, or from one per group."""
    if np.ndim(chosen) == 0 and isinstance(chosen, Integral):
        return np.full(len(sizes), read_count(chosen, int(sizes.max()), "columns of the largest group"))
    each = [chosen] * len(sizes) if np.ndim(chosen) == 0 else list(chosen)
    if len(each) != len(sizes):
        raise ValueError(
            f"n_features_to_select must be one number or one per group: expected {len(sizes)} numbers, got {len(each)}."
        )
    pairs = zip(each, sizes.tolist(), strict=True)
    return np.array([read_count(count, size, "columns of its group") for count, size in pairs])


def read_count(chosen: Any, largest: int, what: str) -> int:
    """A count, from a number or a share of the largest possible one."""
    _refuse_bool("n_features_to_select", chosen)
    if isinstance(chosen, Integral):
        if 1 <= int(chosen) <= largest:
            return int(chosen)
    elif isinstance(chosen, Real) and 0 < float(chosen) <= 1:
        return max(1, round(float(chosen) * largest))
    raise ValueError(
        f"n_features_to_select={chosen!r} must be a whole number from 1 to {largest} (the {what}), "
        "a share above 0 and up to 1, or None for all."
    )


def check_number(name: str, value: Any, *, above: float = -np.inf, at_least: float = -np.inf) -> None:
    """Raise unless the value is a finite number in the range."""
    _refuse_bool(name, value)
    number = float(value) if isinstance(value, Real) else np.nan
    if not (np.isfinite(number) and number > above and number >= at_least):
        bound = f"above {above:g}" if above > -np.inf else f"at least {at_least:g}"
        raise ValueError(f"{name} must be a number {bound}, not {value!r}.")


def check_whole(name: str, value: Any, *, at_least: int) -> None:
    """Raise unless the value is a whole number in the range."""
    _refuse_bool(name, value)
    if not isinstance(value, Integral) or value < at_least:
        raise ValueError(f"{name} must be a whole number, at least {at_least}, not {value!r}.")


def read_counts(name: str, value: Any, most: int, what: str) -> list[int]:
    """One or several whole numbers as a list, each from 1 to `most`."""
    numbers = list(value) if isinstance(value, Sequence | np.ndarray) else [value]
    for number in numbers:
        if isinstance(number, bool | np.bool_) or not isinstance(number, Integral) or not 1 <= int(number) <= most:
            raise ValueError(f"{name} must be a whole number from 1 to {most}, the number of {what}, not {number!r}.")
    return [int(number) for number in numbers]


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")


def check_prior(prior: Any) -> None:
    """Raise unless the prior is None or inside (0, 1)."""
    if prior is None:
        return
    _refuse_bool("prior", prior)
    if not isinstance(prior, Real) or not 0 < float(prior) < 1:
        raise ValueError(
            f"prior={prior!r} must lie strictly between 0 and 1: it is the share of positives among the "
            "unlabelled rows. Leave it out if you do not know it."
        )


def _refuse_bool(name: str, value: Any) -> None:
    if isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be a number, not {value!r}.")


def check_share(name: str, share: Any) -> None:
    """Raise unless the value is a share in [0, 1)."""
    _refuse_bool(name, share)
    if not isinstance(share, Real) or not 0 <= float(share) < 1:
        raise ValueError(f"{name} must be a share from 0 up to 1, without 1 itself, not {share!r}.")
