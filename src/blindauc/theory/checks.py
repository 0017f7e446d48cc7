"""Validation of the arguments of the theorems: probabilities, shares and numbers of rows."""

from __future__ import annotations

from numbers import Real


def check_chance(name: str, value: float) -> None:
    """Raise unless a confidence, or a probability of failure, is strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {value!r}.")


def check_share(name: str, value: float, meaning: str) -> None:
    """Raise unless a share is in [0, 1)."""
    # Also rejects NaN: comparisons with it are false.
    if not (isinstance(value, Real) and 0 <= value < 1):
        raise ValueError(f"{name} is the {meaning}: it must lie in [0, 1), not {value!r}.")


def check_counts(n_pos: float, n_unl: float) -> None:
    """Raise unless both numbers of rows are positive."""
    if not (n_pos > 0 and n_unl > 0):
        raise ValueError(f"n_pos and n_unl are numbers of rows and must be positive, not {n_pos!r} and {n_unl!r}.")
