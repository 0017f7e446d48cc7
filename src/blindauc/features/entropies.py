"""Entropies: how evenly something is spread over cells, from 0 (all in one cell) to 1 (the same in each).

What is spread: the samples over amplitudes, their neighbourhoods over orderings, the energy over time, the power over
frequencies, the singular values over directions. The functions here turn signals into the weights of such cells.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import entr

from blindauc._typing import Floats
from blindauc.features.signals import ratio

N_AMPLITUDES = 32
ORDER = 4
N_ORDERINGS = math.factorial(ORDER)
N_DELAYS = 10


def shannon_entropy(weights: Floats, n_cells: int | None = None) -> Floats:
    """Shannon's entropy of the shares of the weights, over its largest value.

    Parameters
    ----------
    weights : ndarray of shape (..., n_cells), non-negative
    n_cells : int, optional
        How many cells can be filled at all, where fewer than there are weights.

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
    """Renyi's entropy of order two, minus the logarithm of the sum of squared shares, over its largest value.

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
    # Adding 0.0 turns the minus zero of a single filled cell into zero.
    return 0.0 - np.log(np.where(squares > 0, squares, 1.0)) / _most(weights.shape[-1])


def amplitude_counts(signals: Floats) -> Floats:
    """How many samples lie in each of 32 equal steps from a signal's lowest to its highest value.

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
    """How often four neighbours come in each order; of equal ones the earlier counts as the lower.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)

    Returns
    -------
    ndarray of shape (..., 64)
        One cell for each outcome of six comparisons, of which 24 can be.

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
    """The singular values of the matrix whose rows are all stretches of ten neighbours.

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
    # The squares of the small ones may come out below zero by rounding.
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
