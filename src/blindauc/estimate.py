"""An estimate with its confidence interval."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

MIN_POSITIVES = 15
"""The fewest distinct labelled positives for which estimates are reported and hyper-parameters are tuned (convention).

With fewer, differences between candidates are noise. The constant is defined in this module because all others, from
tuning to the report, import from it.
"""

TOO_FEW = f"cannot be estimated: at least {MIN_POSITIVES} different rows have to be labelled to evaluate the ranking"
"""Printed in the place of an estimate when there are too few labelled rows."""


class Estimate(float):
    """A float with a confidence interval. Arithmetic gives plain floats.

    Parameters
    ----------
    value : float
    low, high : float
        The ends of the interval; `low <= value <= high`.
    confidence : float, default=0.95
        The nominal coverage of the interval.

    Examples
    --------
    >>> from blindauc import Estimate
    >>> auc = Estimate(0.9, 0.86, 0.93)
    >>> auc
    Estimate(0.9, 0.86, 0.93, confidence=0.95)
    >>> print(auc)
    0.900 (95 % interval 0.860 to 0.930)
    >>> print(Estimate(15.424, 3.0, 18.0), Estimate(0.29, 0.29, 0.29), sep="; ")  # a count; a number that was given
    15.4 (95 % interval 3 to 18); 0.290
    >>> auc.low <= 0.87 <= auc.high, round(auc.standard_error, 4)
    (True, 0.0179)
    """

    __slots__ = ("confidence", "high", "low")

    low: float
    high: float
    confidence: float

    def __new__(cls, value: float, low: float, high: float, confidence: float = 0.95) -> Estimate:
        if not low <= value <= high:
            raise ValueError(f"An interval must hold its estimate: {value} is not between {low} and {high}.")
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must lie strictly between 0 and 1, not {confidence!r}.")
        self = super().__new__(cls, value)
        for name, number in (("low", low), ("high", high), ("confidence", confidence)):
            object.__setattr__(self, name, float(number))
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"An Estimate is frozen: {name} cannot be set.")

    def __getnewargs__(self) -> tuple[float, float, float, float]:  # type: ignore[override]
        return float(self), self.low, self.high, self.confidence

    # Pickle restores an Estimate from the arguments of __new__; there is no other state.
    def __getstate__(self) -> None:
        return None

    @property
    def standard_error(self) -> float:
        """The standard error of a normal distribution with an interval of this width."""
        return (self.high - self.low) / (2 * NormalDist().inv_cdf((1 + self.confidence) / 2))

    def __repr__(self) -> str:
        numbers = f"{float(self)!r}, {self.low!r}, {self.high!r}"
        return f"Estimate({numbers}, confidence={self.confidence!r})"

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{float(self):.3f}"
        is_count = self.high > 1 and self.low.is_integer() and self.high.is_integer()
        of_value, of_ends = (".1f", ".0f") if is_count else (".3f", ".3f")
        ends = f"{self.low:{of_ends}} to {self.high:{of_ends}}"
        return f"{float(self):{of_value}} ({100 * self.confidence:g} % interval {ends})"
