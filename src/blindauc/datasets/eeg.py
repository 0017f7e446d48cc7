"""Simulated EEG with known seizures, in place of the paper's recordings of mice, which are private."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, rfft, rfftfreq
from sklearn.utils import check_random_state

from blindauc._typing import Bools, Floats

SPIKE_WIDTH = 0.015  # the standard deviation of its bell, in seconds


@dataclass(frozen=True)
class EEGRecordings:
    """Single-channel recordings, with the mask of those that hold a seizure.

    Attributes
    ----------
    signals : ndarray of shape (n_recordings, n_samples), in microvolts
    is_seizure : mask of shape (n_recordings,)
    sampling_rate : float, in Hz
    """

    signals: Floats
    is_seizure: Bools
    sampling_rate: float


def make_eeg(
    n_recordings: int = 500,
    n_seizures: int = 100,
    *,
    n_samples: int = 4112,
    sampling_rate: float = 173.61,
    random_state: int | np.random.RandomState | None = None,
) -> EEGRecordings:
    """Draw recordings of background activity, some of them with a seizure.

    The background is noise whose power falls with frequency; its amplitude and slope vary between recordings. Some
    recordings also have bursts of alpha waves, theta waves, isolated spikes, muscle activity or electrode drift. A
    seizure adds spike-and-wave complexes at 3 to 8 Hz that slow down, weaker or stronger than the background. No single
    feature separates seizures: amplitudes vary anyway, and spikes and waves of the same frequency also occur without
    a seizure.

    Parameters
    ----------
    n_recordings, n_seizures : int
        The defaults are the numbers of the Bonn recordings.
    n_samples : int, default=4112
        The default is two windows of the paper.
    sampling_rate : float, default=173.61
        In Hz, at least 50. The default is that of the Bonn recordings.
    random_state : int, RandomState or None

    Returns
    -------
    EEGRecordings
        The seizures are at random positions.

    See Also
    --------
    blindauc.features.cut_windows : cut the recordings into windows.
    blindauc.features.eeg_features : the features of each window.

    Examples
    --------
    >>> from blindauc.datasets.eeg import make_eeg
    >>> eeg = make_eeg(20, 5, random_state=0)
    >>> eeg.signals.shape, int(eeg.is_seizure.sum()), eeg.sampling_rate
    ((20, 4112), 5, 173.61)
    """
    if not 0 <= n_seizures <= n_recordings:
        raise ValueError(f"n_seizures must be from 0 to n_recordings = {n_recordings}, not {n_seizures}.")
    if not 50 <= sampling_rate < np.inf:
        raise ValueError(
            f"sampling_rate must be at least 50 Hz, or spikes fall between samples, not {sampling_rate!r}."
        )
    if n_samples < sampling_rate:
        raise ValueError(
            f"n_samples must be at least a second's worth, {np.ceil(sampling_rate):.0f} at this sampling rate, not "
            f"{n_samples}."
        )
    rng = check_random_state(random_state)
    is_seizure = rng.permutation(n_recordings) < n_seizures
    time = np.arange(n_samples) / sampling_rate
    signals = np.array([_recording(rng, time, seizure) for seizure in is_seizure]).reshape(n_recordings, n_samples)
    return EEGRecordings(signals, is_seizure, float(sampling_rate))


def _recording(rng: np.random.RandomState, time: Floats, seizure: bool) -> Floats:
    signal = _coloured_noise(rng, time, slope=rng.uniform(1.0, 2.2))
    for event, chance in EVENTS.items():
        if rng.uniform() < chance:
            signal += event(rng, time)
    if seizure:
        signal += _spikes_and_waves(rng, time)
    return rng.lognormal(np.log(50.0), 0.5) * signal


def _spikes_and_waves(rng: np.random.RandomState, time: Floats) -> Floats:
    frequency = rng.uniform(4.0, 8.0)
    cycle = _cycles(rng, time, frequency, slowing=rng.uniform(0.0, 0.25))
    since_spike = (cycle - np.round(cycle)) / frequency
    shape = rng.uniform(1.0, 3.0) * _spike(since_spike) - np.sin(np.pi * cycle) ** 2
    waxing = 1.0 + 0.4 * np.sin(2 * np.pi * rng.uniform(0.05, 0.2) * time + rng.uniform(0.0, 2 * np.pi))
    return rng.lognormal(0.0, 0.4) * waxing * _standardised(shape)


def _alpha_bursts(rng: np.random.RandomState, time: Floats) -> Floats:
    wave = np.sin(2 * np.pi * _cycles(rng, time, rng.uniform(8.0, 12.0)))
    return rng.uniform(0.5, 2.0) * wave * np.sum([_swell(rng, time) for _ in range(4)], axis=0)


def _theta_waves(rng: np.random.RandomState, time: Floats) -> Floats:
    wave = np.sin(2 * np.pi * _cycles(rng, time, rng.uniform(3.0, 8.0)))
    return rng.lognormal(0.0, 0.4) * wave


def _lone_spikes(rng: np.random.RandomState, time: Floats) -> Floats:
    n_spikes = 1 + rng.poisson(time[-1])
    centres = rng.uniform(0.0, time[-1], n_spikes)
    return rng.uniform(1.0, 5.0) * np.sum([_spike(time - centre) for centre in centres], axis=0)


def _muscle(rng: np.random.RandomState, time: Floats) -> Floats:
    return rng.uniform(0.3, 1.5) * _swell(rng, time) * np.diff(rng.standard_normal(len(time) + 1))


def _drift(rng: np.random.RandomState, time: Floats) -> Floats:
    return rng.uniform(1.0, 3.0) * np.sin(2 * np.pi * rng.uniform(0.1, 0.6) * time + rng.uniform(0.0, 2 * np.pi))


# Events that may occur on any background, with the share of recordings that have them (chosen by us).
EVENTS: dict[Callable[[np.random.RandomState, Floats], Floats], float] = {
    _alpha_bursts: 0.5,
    _theta_waves: 0.3,
    _lone_spikes: 0.3,
    _muscle: 0.2,
    _drift: 0.2,
}


def _coloured_noise(rng: np.random.RandomState, time: Floats, slope: float) -> Floats:
    frequency = rfftfreq(len(time), time[1])
    # Flat below 1 Hz, so that the amplitude does not depend on the length of the recording.
    spectrum = rfft(rng.standard_normal(len(time))) * np.maximum(frequency, 1.0) ** (-slope / 2)
    return _standardised(irfft(spectrum, len(time)))


def _cycles(rng: np.random.RandomState, time: Floats, frequency: float, slowing: float = 0.0) -> Floats:
    """The phase in cycles: starts at `frequency`, slows down by the share `slowing` to the end, with some jitter."""
    jitter = 0.04 * np.sqrt(time[1]) * np.cumsum(rng.standard_normal(len(time)))
    return rng.uniform() + frequency * time * (1.0 - slowing / 2 * time / time[-1]) + jitter


def _spike(since: Floats) -> Floats:
    return np.exp(-0.5 * (since / SPIKE_WIDTH) ** 2)


def _swell(rng: np.random.RandomState, time: Floats) -> Floats:
    """A Gaussian envelope of 0.5 to 2 seconds at a random time."""
    return np.exp(-0.5 * ((time - rng.uniform(0.0, time[-1])) / rng.uniform(0.5, 2.0)) ** 2)


def _standardised(signal: Floats) -> Floats:
    return (signal - signal.mean()) / signal.std()
