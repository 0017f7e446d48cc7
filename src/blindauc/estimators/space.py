"""The hyper-parameter space of a search, from parameters that are "auto", one value or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from blindauc.choice.space import (
    GAMMAS,
    MULTIPLES,
    N_LEAVES,
    N_ROUNDS,
    OUTLIER_SHARES,
    SCALINGS_TRIED,
    Choices,
    column_counts,
    share_of_multiple,
)
from blindauc.data import Data
from blindauc.estimators.inputs import check_number, check_share, check_whole, read_count, read_counts_per_group
from blindauc.estimators.reading import ScreenedRows
from blindauc.estimators.shapes import automatic_shapes, check_shapes
from blindauc.losses import get_loss
from blindauc.rows.scaling import SCALINGS
from blindauc.sparsity import resolve_groups


def read_choices(estimator: Any, rows: ScreenedRows) -> Choices:
    """The values to try of each hyper-parameter of an estimator."""
    losses = _several("loss", estimator.loss, lambda: ["logistic"])
    for loss in losses:
        get_loss(loss)
    return Choices(
        shapes=_shapes(estimator, rows),
        scalings=_scalings(estimator.scaling),
        losses=losses,
        ridges=_ridges(estimator.l2),
        outlier_shares=_outlier_shares(estimator.n_outliers, rows),
        **_column_counts(estimator, rows.data),
        gammas=_numbers("gamma", estimator.gamma, GAMMAS),
        n_leaves=_whole_numbers("n_leaves", estimator.n_leaves, N_LEAVES, at_least=2),
        n_rounds=_whole_numbers("n_rounds", estimator.n_rounds, N_ROUNDS, at_least=1),
        known_negative_shares=_known_negative_shares(estimator.known_negative_share, rows.data),
    )


def _shapes(estimator: Any, rows: ScreenedRows) -> list[str]:
    if _is_auto(estimator.shape):
        return automatic_shapes(estimator, rows)
    wanted = _several("shape", estimator.shape, list)
    check_shapes(wanted, estimator, rows)
    return list(dict.fromkeys(wanted))


def _numbers(name: str, chosen: Any, automatic: Sequence[float]) -> list[float]:
    wanted = _several(name, chosen, lambda: automatic)
    for number in wanted:
        check_number(name, number, above=0)
    return sorted({float(number) for number in wanted})


def _whole_numbers(name: str, chosen: Any, automatic: Sequence[int], *, at_least: int) -> list[int]:
    wanted = _several(name, chosen, lambda: automatic)
    for number in wanted:
        check_whole(name, number, at_least=at_least)
    return sorted({int(number) for number in wanted})


def _several(name: str, value: Any, automatic: Callable[[], Sequence[Any]]) -> list[Any]:
    if _is_auto(value):
        return list(automatic())
    several = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not several:
        raise ValueError(f'{name} must be "auto", one value or a list of values, not an empty list.')
    return several


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _scalings(chosen: Any) -> list[str]:
    wanted = _several("scaling", chosen, lambda: SCALINGS_TRIED)
    for name in wanted:
        if name not in SCALINGS:
            raise ValueError(f"scaling must be one of {', '.join(map(repr, SCALINGS))}, not {name!r}.")
    return wanted


def _ridges(chosen: Any) -> Sequence[float] | None:
    if _is_auto(chosen):
        return None
    wanted = _several("l2", chosen, list)
    for l2 in wanted:
        check_number("l2", l2, above=0)
    return sorted({float(l2) for l2 in wanted}, reverse=True)


def _outlier_shares(chosen: Any, rows: ScreenedRows) -> list[float]:
    n_labelled, n_unconfirmed = int(rows.data.is_labelled.sum()), rows.data.n_unconfirmed
    bearable = [share for share in OUTLIER_SHARES if n_labelled - round(share * n_labelled) >= 2]
    counts = {rows.n_left(each) for each in _several("n_outliers", chosen, lambda: bearable)}
    return [count / max(n_unconfirmed, 1) for count in sorted(counts)]


def _known_negative_shares(chosen: Any, data: Data) -> list[float | None]:
    wanted = _several("known_negative_share", chosen, list)
    for share in wanted:
        check_share("known_negative_share", share)
    if not data.is_known_negative.any():
        return [None]
    return [float(s) for s in wanted] or [None, *(share_of_multiple(data, multiple) for multiple in MULTIPLES)]


def _column_counts(estimator: Any, data: Data) -> dict[str, Any]:
    """Numbers of columns, of groups or (exclusive sparsity) of columns per group, in decreasing order.

    `all_columns` is the number of all columns or groups, or the numbers of columns of all groups.
    """
    p = data.n_features
    sizes = np.array([p])
    if estimator.groups is not None:
        sizes = np.bincount(resolve_groups(estimator.groups, p, getattr(estimator, "feature_names_in_", None)))
    chosen = estimator.n_features_to_select
    if estimator.sparsity == "exclusive_l0":
        shares = [count / sizes.max() for count in column_counts(int(sizes.max()))]
        wanted = _several("n_features_to_select", chosen, lambda: shares)
        per_group = {tuple(read_counts_per_group(1.0 if n is None else n, sizes).tolist()) for n in wanted}
        in_order = sorted(per_group, key=lambda n: (sum(n), n), reverse=True)
        return {"column_counts": in_order, "all_columns": tuple(sizes.tolist())}
    n_units, what = (len(sizes), "groups") if estimator.sparsity == "group_l0" else (p, "columns")
    wanted = _several("n_features_to_select", chosen, lambda: column_counts(n_units))
    counts = {n_units if n is None else read_count(n, n_units, what) for n in wanted}
    return {"column_counts": sorted(counts, reverse=True), "all_columns": n_units}
