"""The 264 features of an EEG window: non-linear energy, FFT, RMS, zero crossings, Hjorth's parameters, entropies.

The paper names these families, the window (2056 samples at 2 kHz) and the number 264, and refers to B. Greene et al.,
"A comparison of quantitative EEG features for neonatal seizure detection", Clinical Neurophysiology (2008). It does not
say how the number is composed. Here it is

- 120 from the FFT: the power in 60 bands of 1 Hz, from 0 to 60 Hz, and the share of each in the whole power;
- 24 for each of six signals, the window and its parts in the delta, theta, alpha, beta and gamma bands: non-linear
  energy, RMS, zero crossings, activity, mobility and complexity, each of the whole signal and the lowest and the
  highest among its eight equal parts (18), and six entropies.

Other decompositions of 264 were rejected. With 256 frequencies and one feature of each other family, the paper's
finding that most FFT features are not selected would be trivial. Four electrodes with 66 features each are impossible
with one channel.

Every window is centred first. Powers, energies and activities are in squared units of the signal: transform them
before a linear model if they span orders of magnitude. Bands above half the sampling rate are empty, and all their
features are zero. Approximate and sample entropy are left out because their cost grows with the square of the length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.fft import rfftfreq

from blindauc._typing import Floats, Ints
from blindauc.features.entropies import (
    N_ORDERINGS,
    amplitude_counts,
    collision_entropy,
    ordering_counts,
    shannon_entropy,
    singular_values,
)
from blindauc.features.signals import hjorth, nonlinear_energy, ratio, rms, zero_crossings
from blindauc.features.spectra import BANDS, power_spectrum, unit_bands, with_band_parts, within

N_UNIT_BANDS = 60
N_PARTS = 8
SHORTEST = 8 * N_PARTS
SAMPLES_PER_BLOCK = 2**15  # the six signals of each window then fit into a typical cache
MEASURES = {
    "non-linear energy": "non-linear energy",
    "RMS": "RMS",
    "zero crossings": "zero crossings",
    "activity": "Hjorth",
    "mobility": "Hjorth",
    "complexity": "Hjorth",
}
SUMMARIES = ("", " lowest eighth", " highest eighth")
ENTROPIES = ("amplitude", "ordering", "singular value", "energy", "spectral", "spectral collision")


def eeg_features(windows: Any, sampling_rate: float) -> Floats:
    """The 264 features of each window, in the order of `feature_names`.

    Parameters
    ----------
    windows : array-like of shape (n_windows, n_samples)
        One channel, at least 64 finite samples each. They are processed in blocks, to save memory.
    sampling_rate : float
        In Hz.

    Returns
    -------
    ndarray of shape (n_windows, 264)
        Zero in every column for a constant window.

    See Also
    --------
    cut_windows : windows from longer recordings.
    feature_families : which feature belongs to which family.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features import eeg_features, feature_names
    >>> time = np.arange(2056) / 173.61
    >>> features = eeg_features(np.sin(2 * np.pi * 10.5 * time)[None, :], sampling_rate=173.61)
    >>> features.shape
    (1, 264)
    >>> for name in ("RMS", "alpha RMS", "power 10-11 Hz", "share of power 10-11 Hz", "zero crossings"):
    ...     print(f"{name:25}{features[0, feature_names().index(name)]:6.2f}")
    RMS                        0.71
    alpha RMS                  0.71
    power 10-11 Hz             0.50
    share of power 10-11 Hz    1.00
    zero crossings            21.04
    """
    windows = _checked_numbers("windows", windows)
    if windows.shape[1] < SHORTEST:
        raise ValueError(
            f"windows must be of at least {SHORTEST} samples, but they have {windows.shape[1]}; cut longer windows, "
            "with the samples along the second axis."
        )
    if not 0 < sampling_rate < np.inf:
        raise ValueError(f"sampling_rate must be a positive number of samples per second, not {sampling_rate!r}.")
    n_windows, n_samples = windows.shape
    per_block = max(1, SAMPLES_PER_BLOCK // n_samples)
    features = np.empty((n_windows, len(feature_names())))
    for start in range(0, n_windows, per_block):
        block = np.asarray(windows[start : start + per_block], dtype=np.float64)
        _check_finite(block, start)
        features[start : start + per_block] = _block_features(_centred(block), float(sampling_rate))
    return features


def feature_names() -> tuple[str, ...]:
    """The names of the columns of `eeg_features`.

    Returns
    -------
    tuple of 264 strings

    Examples
    --------
    >>> from blindauc.features import feature_names
    >>> names = feature_names()
    >>> len(names), names[3], names[63], names[120], names[-1]
    (264, 'power 3-4 Hz', 'share of power 3-4 Hz', 'non-linear energy', 'gamma spectral collision entropy')
    """
    return tuple(name for name, _ in _catalogue())


def feature_families() -> tuple[str, ...]:
    """The family of each column of `eeg_features`.

    Returns
    -------
    tuple of 264 strings

    Examples
    --------
    >>> from collections import Counter
    >>> from blindauc.features import feature_families
    >>> for family, n_features in Counter(feature_families()).items():
    ...     print(f"{family:20}{n_features:>4}")
    FFT                  120
    non-linear energy     18
    RMS                   18
    zero crossings        18
    Hjorth                54
    entropy               36
    """
    return tuple(family for _, family in _catalogue())


def cut_windows(signals: Any, length: int = 2056) -> tuple[Floats, Ints]:
    """Cut recordings into windows that follow each other without overlap; an incomplete rest is dropped.

    Parameters
    ----------
    signals : array-like of shape (n_recordings, n_samples)
    length : int, default=2056
        Samples in a window; the default is the paper's.

    Returns
    -------
    windows : ndarray of shape (n_windows, length)
        All windows of the first recording, then those of the second, and so on.
    recording : ndarray of shape (n_windows,)
        The row of `signals` that each window came from. Windows of one recording belong in one fold.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.features import cut_windows
    >>> windows, recording = cut_windows(np.arange(14.0).reshape(2, 7), length=3)
    >>> windows.tolist()
    [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]
    >>> recording.tolist()
    [0, 0, 1, 1]
    """
    signals = _checked_numbers("signals", signals)
    if not 1 <= length <= signals.shape[1]:
        raise ValueError(
            f"length must be from 1 to the {signals.shape[1]} samples of a recording, not {length!r}; ask for shorter "
            "windows or give longer recordings, with the samples along the second axis."
        )
    n_recordings, per_recording = len(signals), signals.shape[1] // length
    windows = signals[:, : per_recording * length].reshape(-1, length).astype(np.float64)
    return windows, np.repeat(np.arange(n_recordings), per_recording)


def _catalogue() -> list[tuple[str, str]]:
    """Name and family of every feature, in the order of `_block_features`."""
    unit_band_names = [f"power {low}-{low + 1} Hz" for low in range(N_UNIT_BANDS)]
    catalogue = [(name, "FFT") for name in unit_band_names] + [(f"share of {name}", "FFT") for name in unit_band_names]
    for signal in ("", *(f"{band} " for band in BANDS)):
        catalogue += [(signal + name + end, family) for name, family in MEASURES.items() for end in SUMMARIES]
        catalogue += [(f"{signal}{name} entropy", "entropy") for name in ENTROPIES]
    return catalogue


def _block_features(windows: Floats, sampling_rate: float) -> Floats:
    power = power_spectrum(windows)
    signals = with_band_parts(windows, sampling_rate)
    blocks = [
        _summarised_measures(signals, sampling_rate),
        _entropies(signals),
        _spectral_entropies(power, windows.shape[1], sampling_rate),
    ]
    of_signals = np.concatenate(blocks, axis=-1).reshape(len(windows), -1)
    band_power = power @ unit_bands(windows.shape[1], sampling_rate, N_UNIT_BANDS)
    share = ratio(band_power, power.sum(axis=1, keepdims=True))
    return np.hstack([band_power, share, of_signals])


def _summarised_measures(signals: Floats, sampling_rate: float) -> Floats:
    of_parts = _measures(_eighths(signals), sampling_rate)
    summaries = [_measures(signals, sampling_rate), of_parts.min(axis=-2), of_parts.max(axis=-2)]
    return np.stack(summaries, axis=-1).reshape(*signals.shape[:-1], -1)


def _measures(signals: Floats, sampling_rate: float) -> Floats:
    crossings = zero_crossings(signals, sampling_rate)
    return np.stack([nonlinear_energy(signals), rms(signals), crossings, *hjorth(signals, sampling_rate)], axis=-1)


def _entropies(signals: Floats) -> Floats:
    return np.stack(
        [
            shannon_entropy(amplitude_counts(signals)),
            shannon_entropy(ordering_counts(signals), n_cells=N_ORDERINGS),
            shannon_entropy(singular_values(signals)),
            shannon_entropy(rms(_eighths(signals)) ** 2),
        ],
        axis=-1,
    )


def _spectral_entropies(power: Floats, n_samples: int, sampling_rate: float) -> Floats:
    frequency = rfftfreq(n_samples, 1 / sampling_rate)
    cells = [power, *(power[:, within(frequency, band)] for band in BANDS.values())]
    return np.stack([np.stack([shannon_entropy(c), collision_entropy(c)], axis=-1) for c in cells], axis=1)


def _eighths(signals: Floats) -> Floats:
    length = signals.shape[-1] // N_PARTS
    return signals[..., : N_PARTS * length].reshape(*signals.shape[:-1], N_PARTS, length)


def _centred(windows: Floats) -> Floats:
    # The first sample is subtracted before the mean, so that a constant window is exactly zero.
    shifted = windows - windows[:, :1]
    return shifted - shifted.mean(axis=1, keepdims=True)


def _checked_numbers(name: str, values: Any) -> Any:
    values = np.asarray(values)
    if values.ndim != 2:
        raise ValueError(
            f"{name} must be two-dimensional, not of shape {values.shape}; for a single one pass {name}[None, :], for "
            "several channels one at a time."
        )
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, not {values.dtype}; convert them to float first.")
    return values


def _check_finite(block: Floats, start: int) -> None:
    finite = np.isfinite(block).all(axis=1)
    if not finite.all():
        raise ValueError(
            f"windows must be finite, but window {start + int(np.argmin(finite))} holds NaN or infinity; drop such "
            "windows or fill their gaps first."
        )
