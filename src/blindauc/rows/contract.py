"""The one door to the data. Nobody above asks whether rows are sparse, on disk, on a cluster or on a device."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, Self

from blindauc._typing import Bools, Floats, Ints


class Grouped(NamedTuple):
    """The group of each row of a kind, as a whole number, and its weight there."""

    group: Any
    weight: Any


class Rows(Protocol):
    """Labelled positives and unlabelled rows with their weights, and an optional column of ones behind their columns.

    A number for each positive is an array on the host, in the order of the rows. A number for each unlabelled row is an
    array where the rows are in memory, and else `Deferred`: it stays where the rows are, and takes the same arithmetic.
    """

    @property
    def n_features(self) -> int:
        """Columns without the column of ones."""

    @property
    def n_columns(self) -> int:
        """Columns with it."""

    @property
    def n_positives(self) -> int: ...

    @property
    def n_unlabelled(self) -> int: ...

    @property
    def pos_weight(self) -> Floats:
        """The weights of the positives."""

    @property
    def unl_share(self) -> Any:
        """The weights of the unlabelled rows as shares of their sum."""

    def shares(self, kept: Bools) -> Floats:
        """The positives' weights as shares of those that are kept."""

    def scores(self, coef: Floats) -> tuple[Floats, Any]:
        """X @ coef of the positives and of the unlabelled rows."""

    def adjoint(self, by_pos: Floats, by_unl: Any) -> Floats:
        """X.T @ residual, of shape (n_columns,)."""

    @property
    def spread(self) -> Floats:
        """The standard deviation of each column over all rows; 1 for a constant one."""

    def scales(self, scaling: str) -> Floats:
        """The scale of each column, of shape (n_features,): see `scaling.py`."""

    def unl_spread(self, coef: Floats) -> float:
        """The standard deviation of the unlabelled scores; 1 where they are all equal."""

    def columns(self, index: Ints) -> Self:
        """The same rows with some of the columns, in ascending order."""

    def with_ones(self) -> Self:
        """The same rows with a column of ones behind their columns."""

    def subset(self, pos: Ints, unl: Ints) -> Any:
        """Some positives and some unlabelled rows, by their positions among their own kind, in memory."""

    @property
    def sample(self) -> Any:
        """All positives and fewer unlabelled rows, where products with them are fast; None where that is of no use."""

    def gram(self, by_pos: Floats, by_unl: Any, *, centred: bool) -> Floats:
        """X.T @ diag(weights) @ X, of columns as they are or about a point near the rows."""

    def sums_by_group(self, pos: Grouped, unl: Grouped, n_groups: int) -> tuple[Floats, Floats]:
        """The weighted sums of the rows of each group, about the same point, and the weight of each behind them."""

    def pos_rows(self, index: Ints, *, centred: bool) -> Floats:
        """Some positives, as a dense array, as they are or about that point."""

    def pos_median(self) -> Floats:
        """The median of each column over the positives, of shape (n_columns,)."""

    def are_within(self, coef: Floats, a: Floats, b: Any, largest: float) -> bool:
        """Whether all of these scores are at most so large."""

    @property
    def is_in_memory(self) -> bool: ...
