"""Drawn numbers that are the same on every processor."""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats

# The last digit of an exponential or of a matrix product depends on the processor, and folds depend on every digit of
# a row. One number in 1e9 lies so close to a boundary of the sixth decimal that it may still be rounded either way.
DECIMALS = 6


def six_decimals(values: Floats) -> Floats:
    """Round to six decimals."""
    return np.round(values, DECIMALS)
