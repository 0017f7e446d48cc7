"""The contract of rows. Code above this package does not depend on how rows are stored, or where they are."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, Self

from blindauc._typing import Bools, Floats, Ints


class Grouped(NamedTuple):
    """The group of each row, as a whole number, and its weight."""

    group: Any
    weight: Any


class Rows(Protocol):
    """Labelled positives and unlabelled rows with their weights, and an optional last column of ones.

    A vector over the positives is a NumPy array, in the order of the rows. A vector over the unlabelled rows is a NumPy
    array if the rows are in memory. Otherwise it is `Deferred`: it stays where the rows are, with the same arithmetic.
    """

    @property
    def n_features(self) -> int:
        """The number of columns without the column of ones."""

    @property
    def n_columns(self) -> int:
        """The number of columns with the column of ones."""

    @property
    def n_positives(self) -> int: ...

    @property
    def n_unlabelled(self) -> int: ...

    @property
    def pos_weight(self) -> Floats:
        """The weights of the positives."""

    @property
    def unl_share(self) -> Any:
        """The weights of the unlabelled rows, divided by their sum."""

    def shares(self, kept: Bools) -> Floats:
        """The weights of the kept positives, divided by their sum; 0 for the others."""

    def scores(self, coef: Floats) -> tuple[Floats, Any]:
        """X @ coef of the positives and of the unlabelled rows."""

    def adjoint(self, by_pos: Floats, by_unl: Any) -> Floats:
        """X.T @ residual, of shape (n_columns,)."""

    @property
    def pos_mean(self) -> Floats:
        """The mean of each column over the positives, of shape (n_columns,)."""

    @property
    def unl_mean(self) -> Floats:
        """The mean of each column over the unlabelled rows, of shape (n_columns,)."""

    @property
    def spread(self) -> Floats:
        """The standard deviation of each column over all rows; 1 for a constant column."""

    def scales(self, scaling: str) -> Floats:
        """The scale of each column, of shape (n_features,): see `scaling.py`."""

    def unl_spread(self, coef: Floats) -> float:
        """The standard deviation of the unlabelled scores; 1 if they are all equal."""

    def columns(self, index: Ints) -> Self:
        """The same rows with a subset of the columns, in ascending order."""

    def with_ones(self) -> Self:
        """The same rows with a last column of ones."""

    def subset(self, pos: Ints, unl: Ints) -> Any:
        """Some rows in memory, by their indices among the positives and among the unlabelled rows."""

    @property
    def sample(self) -> Any:
        """All positives and fewer unlabelled rows, stored where products with them are fast; None if not worthwhile."""

    def gram(self, by_pos: Floats, by_unl: Any, *, centred: bool) -> Floats:
        """X.T @ diag(weights) @ X; `centred` subtracts an origin near the rows from X first."""

    def sums_by_group(self, pos: Grouped, unl: Grouped, n_groups: int) -> tuple[Floats, Floats]:
        """The weighted sums of the centred rows of each group, with the weight of the group as the last column."""

    def pos_rows(self, index: Ints, *, centred: bool) -> Floats:
        """Some positives as a dense array; `centred` subtracts the same origin."""

    def pos_median(self) -> Floats:
        """The median of each column over the positives, of shape (n_columns,)."""

    def are_within(self, coef: Floats, a: Floats, b: Any, largest: float) -> bool:
        """Whether the scores `a` and `b` of `coef` are at most `largest` in absolute value."""

    @property
    def is_in_memory(self) -> bool: ...
