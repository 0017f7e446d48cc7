"""Time-domain measures of signals: non-linear energy, RMS, zero crossings and Hjorth's three parameters.

All functions work along the last axis, on any number of signals at once. A ratio with a denominator of zero is zero, so
that a constant signal has finite measures.
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats


def nonlinear_energy(signals: Floats) -> Floats:
    """The mean of `x[t]**2 - x[t-1] * x[t+1]`, which is large for signals of high amplitude and frequency.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.signals import nonlinear_energy
    >>> float(nonlinear_energy(np.array([1.0, 3.0, 2.0])))
    7.0
    """
    middle = signals[..., 1:-1]
    return (_dot(middle, middle) - _dot(signals[..., :-2], signals[..., 2:])) / middle.shape[-1]


def rms(signals: Floats) -> Floats:
    """The root mean square.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.signals import rms
    >>> float(rms(np.array([1.0, -7.0])))
    5.0
    """
    return np.sqrt(_dot(signals, signals) / signals.shape[-1])


def zero_crossings(signals: Floats, sampling_rate: float) -> Floats:
    """The number of sign changes per second; zero counts as positive.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)
    sampling_rate : float
        In Hz.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.signals import zero_crossings
    >>> float(zero_crossings(np.array([-1.0, 0.0, 1.0, 2.0, -1.0]), sampling_rate=4.0))
    2.0
    """
    negative = signals < 0
    changes = np.count_nonzero(negative[..., 1:] != negative[..., :-1], axis=-1)
    return changes * (sampling_rate / (signals.shape[-1] - 1))


def hjorth(signals: Floats, sampling_rate: float) -> tuple[Floats, Floats, Floats]:
    """Hjorth's activity, mobility and complexity.

    Activity is the variance. Mobility is the standard deviation of the derivative divided by that of the signal, per
    second. Complexity is the mobility of the derivative divided by that of the signal; it is 1 for a sine. The
    derivative is the difference of neighbouring samples times the sampling rate.

    Parameters
    ----------
    signals : ndarray of shape (..., n_samples)
    sampling_rate : float
        In Hz.

    Returns
    -------
    activity, mobility, complexity : ndarrays of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.signals import hjorth
    >>> time = np.arange(1000) / 1000.0
    >>> [round(float(value), 2) for value in hjorth(np.sin(2 * np.pi * 5 * time), sampling_rate=1000.0)]
    [0.5, 31.4, 1.0]
    """
    slope = np.diff(signals)
    activity, first, second = _variance(signals), _variance(slope), _variance(np.diff(slope))
    mobility, mobility_of_slope = np.sqrt(ratio(first, activity)), np.sqrt(ratio(second, first))
    return activity, sampling_rate * mobility, ratio(mobility_of_slope, mobility)


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, with zero where the denominator is zero.

    Parameters
    ----------
    above, below : ndarrays that broadcast, non-negative

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.signals import ratio
    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    result = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    return np.divide(above, below, out=result, where=below > 0)


def _variance(signals: Floats) -> Floats:
    centred = signals - signals.mean(axis=-1, keepdims=True)
    return _dot(centred, centred) / signals.shape[-1]


def _dot(left: Floats, right: Floats) -> Floats:
    # In one pass, without an array of products.
    return np.einsum("...t,...t->...", left, right)
