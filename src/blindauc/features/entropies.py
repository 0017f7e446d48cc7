"""Normalised entropies, from 0 (all weight in one cell) to 1 (the same weight in each).

The distributions are those of samples over amplitudes, of neighbourhoods over orderings, of energy over time, of power
over frequencies and of singular values. The functions of this module compute the weights of such cells from signals.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import entr

from blindauc._typing import Floats
from blindauc.features.signals import ratio

# Conventions: the paper names entropies, but not their parameters.
N_AMPLITUDES = 32
ORDER = 4
N_ORDERINGS = math.factorial(ORDER)
N_DELAYS = 10


def shannon_entropy(weights: Floats, n_cells: int | None = None) -> Floats:
    """Shannon's entropy of the normalised weights, divided by its maximum.

    Parameters
    ----------
    weights : ndarray of shape (..., n_cells), non-negative
    n_cells : int, optional
        The number of cells that can be nonzero, if that is fewer than the weights.

    Returns
    -------
    ndarray of shape (...)
        Zero where all weights are.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.entropies import shannon_entropy
    >>> shannon_entropy(np.array([[1.0, 1, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]])).tolist()
    [1.0, 0.5, 0.0]
    """
    return entr(_shares(weights)).sum(axis=-1) / _most(n_cells or weights.shape[-1])


def collision_entropy(weights: Floats) -> Floats:
    """Renyi's entropy of order two, minus the logarithm of the sum of squared shares, divided by its maximum.

    Parameters
    ----------
    weights : ndarray of shape (..., n_cells), non-negative

    Returns
    -------
    ndarray of shape (...)
        Zero where all weights are.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.entropies import collision_entropy
    >>> collision_entropy(np.array([[1.0, 1, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]])).tolist()
    [1.0, 0.5, 0.0]
    """
    squares = (_shares(weights) ** 2).sum(axis=-1)
    # Subtracting from 0.0 avoids a negative zero.
    return 0.0 - np.log(np.where(squares > 0, squares, 1.0)) / _most(weights.shape[-1])


def amplitude_counts(signals: Floats) -> Floats:
    """Histogram of the samples in 32 equal bins from a signal's minimum to its maximum.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)

    Returns
    -------
    ndarray of shape (..., 32)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.entropies import amplitude_counts
    >>> amplitude_counts(np.array([0.0, 0.0, 1.0, 0.999]))[[0, 31]].tolist()
    [2.0, 2.0]
    """
    lowest = signals.min(axis=-1, keepdims=True)
    place = ratio(signals - lowest, signals.max(axis=-1, keepdims=True) - lowest)
    return _counts(np.minimum(N_AMPLITUDES * place, N_AMPLITUDES - 1).astype(np.uint8), N_AMPLITUDES)


def ordering_counts(signals: Floats) -> Floats:
    """Counts of the orderings of four neighbouring samples; of equal samples the earlier one counts as lower.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)

    Returns
    -------
    ndarray of shape (..., 64)
        One cell for each outcome of six comparisons, of which 24 are possible.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.entropies import ordering_counts
    >>> counts = ordering_counts(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 0.0]))
    >>> counts[counts > 0].tolist()
    [2.0, 1.0]
    """
    n_places = signals.shape[-1] - ORDER + 1
    code = np.zeros((*signals.shape[:-1], n_places), dtype=np.uint8)
    for lag in range(1, ORDER):
        falls = signals[..., lag:] < signals[..., :-lag]
        for first in range(ORDER - lag):
            code = 2 * code + falls[..., first : first + n_places]
    return _counts(code, 2 ** math.comb(ORDER, 2))


def singular_values(signals: Floats) -> Floats:
    """The singular values of the matrix whose rows are all windows of ten neighbouring samples.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)

    Returns
    -------
    ndarray of shape (..., 10)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.entropies import singular_values
    >>> wave = np.sin(np.arange(500.0))
    >>> int((singular_values(wave) > 1e-6).sum())
    2
    """
    rows = sliding_window_view(signals, N_DELAYS, axis=-1)
    gram = np.swapaxes(rows, -1, -2) @ rows
    # Rounding errors may make the squares of small values negative.
    return np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0.0))


def _shares(weights: Floats) -> Floats:
    return ratio(weights, weights.sum(axis=-1, keepdims=True))


def _most(n_cells: int) -> float:
    return math.log(max(n_cells, 2))


def _counts(cells: NDArray[np.uint8], n_cells: int) -> Floats:
    rows = cells.reshape(-1, cells.shape[-1])
    numbered = rows + n_cells * np.arange(len(rows))[:, None]
    counts = np.bincount(numbered.ravel(), minlength=n_cells * len(rows))
    return counts.reshape(*cells.shape[:-1], n_cells).astype(np.float64)
