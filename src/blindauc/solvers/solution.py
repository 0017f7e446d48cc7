"""The interfaces between solvers and their problems, and the results of solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from blindauc._typing import Bools, Floats, Ints


class HessianProduct(Protocol):
    """A Hessian as a linear operator, with an approximation of its diagonal."""

    @property
    def approximate_diagonal(self) -> Floats: ...
    def __call__(self, direction: Floats) -> Floats: ...


class Restricted(Protocol):
    """An objective of only the variables that may be nonzero; see `objectives.restricted`."""

    scale: Floats
    has_flat_stretches: bool

    @property
    def value_at_zero(self) -> float: ...
    @property
    def hessian_is_exact(self) -> bool: ...
    @property
    def is_whole(self) -> bool: ...
    @property
    def sample(self) -> Restricted: ...
    def pack(self, coef: Floats, shift: Floats) -> Floats: ...
    def unpack(self, z: Floats) -> tuple[Floats, Floats]: ...
    def gradient(self, z: Floats) -> tuple[float, Floats]: ...
    def hessian(self, z: Floats) -> Floats: ...
    def hessian_product(self, z: Floats) -> HessianProduct: ...


class Objective(Protocol):
    """The methods of an objective that solvers use; see `objectives.objective`."""

    @property
    def n_columns(self) -> int: ...
    @property
    def n_positives(self) -> int: ...
    @property
    def n_unlabelled(self) -> int: ...
    @property
    def is_smooth(self) -> bool: ...
    @property
    def is_convex(self) -> bool: ...
    @property
    def column_spread(self) -> Floats: ...
    @property
    def curvature_scale(self) -> Floats: ...
    @property
    def gradient_at_zero(self) -> Floats: ...
    @property
    def robust_directions(self) -> list[Floats]: ...
    @property
    def ridge_unit(self) -> float: ...
    @property
    def sample(self) -> Any: ...
    def with_ridge(self, factor: float) -> Any: ...
    def value(self, coef: Floats, shift: Floats) -> float: ...
    def pos_scores(self, coef: Floats) -> Floats: ...
    def median_separation(self, coef: Floats) -> float: ...
    def gradient(self, coef: Floats, shift: Floats) -> Any: ...
    def smoothed(self, width: float) -> Any: ...
    def restricted(self, support: Bools, outliers: Bools) -> Any: ...
    def outlyingness(self, coef: Floats) -> Any: ...
    def column_curvature(self, coef: Floats, shift: Floats) -> Floats: ...
    def on_unlabelled(self, index: Ints) -> Any: ...


class Sparsity(Protocol):
    """The methods of a set of allowed supports that solvers use; see `sparsity`."""

    is_everything: bool
    is_nothing: bool

    @property
    def n_units(self) -> int: ...
    def is_within(self, other: Any) -> bool: ...
    def support(self, importance: Floats) -> Bools: ...
    def loosened(self, factor: float) -> Any: ...
    def swaps(self, support: Bools, gain: Floats, cost: Floats, limit: int) -> Iterator[Bools]: ...


@dataclass(frozen=True)
class Solution:
    """The result of a solver.

    Attributes
    ----------
    coef, shift : the solution; a trimmed positive has an infinite shift
    support, outliers : masks of the coefficients and shifts that may be nonzero
    value : the objective at the solution
    values : the objective after each stage
    gradient_norm : norm of the gradient with respect to the free variables, relative to that at zero
    converged : whether the solver met its own criterion: for Newton fits, the gradient is within the tolerance or no
        step lowers the objective by more than rounding; for `psg`, the objective stopped decreasing
    n_iter : Newton steps, or epochs of `psg`, over all stages
    """

    coef: Floats
    shift: Floats
    support: Bools
    outliers: Bools
    value: float
    values: tuple[float, ...]
    gradient_norm: float
    converged: bool
    n_iter: int


@dataclass(frozen=True)
class Progress:
    """One stage of a fit, as reported to callbacks."""

    stage: str
    n_iter: int
    objective: float
    n_features: int
    n_outliers: int

    def __str__(self) -> str:
        return (
            f"{self.stage:<18} objective {self.objective:.8g}  features {self.n_features}  "
            f"outliers {self.n_outliers}  steps {self.n_iter}"
        )


Callback = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """The default callback, which does nothing."""
