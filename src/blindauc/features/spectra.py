"""Frequency-domain features: the power spectrum, its sums over 1 Hz bands, and the components in five bands."""

from __future__ import annotations

import numpy as np
from scipy.fft import dct, idct, rfft, rfftfreq
from scipy.signal.windows import hann

from blindauc._typing import Bools, Floats

BANDS = {
    "delta": (0.5, 4.0),
    "theta": (4.0, 8.0),
    "alpha": (8.0, 13.0),
    "beta": (13.0, 30.0),
    "gamma": (30.0, 60.0),
}
"""The usual EEG bands, in Hz (convention)."""


def power_spectrum(windows: Floats) -> Floats:
    """The power at the frequencies of the real FFT; its sum is the mean square of a stationary signal.

    A Hann window reduces leakage of slow drift into the high frequencies.

    Parameters
    ----------
    windows : ndarray of shape (n_windows, n_samples)

    Returns
    -------
    ndarray of shape (n_windows, n_samples // 2 + 1)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.spectra import power_spectrum
    >>> power = power_spectrum(np.cos(2 * np.pi * np.arange(64) / 8)[None, :])
    >>> int(power.argmax()), round(float(power.sum()), 6)
    (8, 0.5)
    """
    n_samples = windows.shape[1]
    taper = hann(n_samples, sym=False)
    transform = rfft(windows * taper, axis=1)
    power = (transform.real**2 + transform.imag**2) / (n_samples * (taper**2).sum())
    # All frequencies count twice, for the negative ones, except the first and, for even lengths, the last.
    power[:, 1 : (n_samples + 1) // 2] *= 2.0
    return power


def unit_bands(n_samples: int, sampling_rate: float, n_bands: int) -> Floats:
    """Weights to sum a power spectrum over the bands 0-1 Hz, 1-2 Hz, and so on.

    The power at a frequency is spread evenly over half a step to either side, within zero and half the sampling rate.
    So bands are also filled if the steps are wider than 1 Hz, and bands above half the rate are empty.

    Parameters
    ----------
    n_samples : int
        The length of the windows.
    sampling_rate : float
        In Hz.
    n_bands : int

    Returns
    -------
    ndarray of shape (n_samples // 2 + 1, n_bands)

    Examples
    --------
    >>> from blindauc.features.spectra import unit_bands
    >>> unit_bands(8, sampling_rate=8.0, n_bands=3).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    """
    step = sampling_rate / n_samples
    centre = rfftfreq(n_samples, 1 / sampling_rate)[:, None]
    low, high = np.maximum(centre - step / 2, 0.0), np.minimum(centre + step / 2, sampling_rate / 2)
    start = np.arange(n_bands)
    return np.maximum(np.minimum(high, start + 1) - np.maximum(low, start), 0.0) / (high - low)


def with_band_parts(windows: Floats, sampling_rate: float) -> Floats:
    """Each window, followed by its components in the five bands of `BANDS`.

    The components come from the discrete cosine transform, which extends a window by its mirror image. Unlike the FFT
    it has no jump from the end to the start, which would add power to the high bands.

    Parameters
    ----------
    windows : ndarray of shape (n_windows, n_samples)
    sampling_rate : float
        In Hz.

    Returns
    -------
    ndarray of shape (n_windows, 6, n_samples)
        The component of a band without a frequency of the transform is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.signals import rms
    >>> from blindauc.features.spectra import with_band_parts
    >>> wave = np.cos(2 * np.pi * 10 * np.arange(500) / 250)
    >>> rms(with_band_parts(wave[None, :], sampling_rate=250.0)).round(1).tolist()
    [[0.7, 0.0, 0.0, 0.7, 0.0, 0.0]]
    """
    n_samples = windows.shape[1]
    frequency = np.arange(n_samples) * (sampling_rate / 2 / n_samples)
    transform = dct(windows, axis=1)
    signals = np.empty((len(windows), 1 + len(BANDS), n_samples))
    signals[:, 0] = windows
    for place, band in enumerate(BANDS.values(), start=1):
        signals[:, place] = idct(np.where(within(frequency, band), transform, 0.0), axis=1)
    return signals


def within(frequency: Floats, band: tuple[float, float]) -> Bools:
    """Mask of the frequencies from the lower edge of a band up to, not including, its upper edge.

    Parameters
    ----------
    frequency : ndarray
    band : pair of floats

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features.spectra import within
    >>> within(np.array([3.0, 4.0, 7.9, 8.0]), (4.0, 8.0)).tolist()
    [False, True, True, False]
    """
    return (band[0] <= frequency) & (frequency < band[1])
