"""Each EEG feature against its definition in plain loops; the simulator; windows; what is refused."""

import cmath
import math
import tarfile
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import pvariance

import numpy as np
import pytest
from places import DATA
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc.datasets.eeg import make_eeg
from blindauc.features import cut_windows, eeg_features, feature_families, feature_names

BONN = DATA / "bonn_eeg" / "bonn_eeg.tar.xz"
BANDS = {"delta": (0.5, 4), "theta": (4, 8), "alpha": (8, 13), "beta": (13, 30), "gamma": (30, 60)}
# Odd and even lengths; half the rate above and below 60 Hz; steps of the FFT below and above 1 Hz; eighths with a rest.
CASES = ((211, 173.61), (256, 100.0), (300, 512.0))


# --- the definitions --------------------------------------------------------------------------------------------------


def power_at_frequencies(x):
    n = len(x)
    taper = [math.sin(math.pi * t / n) ** 2 for t in range(n)]
    total = sum(h**2 for h in taper)
    powers = []
    for k in range(n // 2 + 1):
        transform = sum(x[t] * taper[t] * cmath.exp(-2j * math.pi * k * t / n) for t in range(n))
        both_signs = 2 if 0 < 2 * k < n else 1
        powers.append(both_signs * abs(transform) ** 2 / n / total)
    return powers


def power_between(powers, low, high, n, rate):
    total = 0.0
    for k, power in enumerate(powers):
        left, right = max((k - 0.5) * rate / n, 0), min((k + 0.5) * rate / n, rate / 2)
        total += power * max(min(right, high) - max(left, low), 0) / (right - left)
    return total


def part_in_band(x, low, high, rate):
    n = len(x)
    part = np.zeros(n)
    for k in range(1, n):
        if low <= k * rate / (2 * n) < high:
            cosine = np.array([math.cos(math.pi * k * (t + 0.5) / n) for t in range(n)])
            part += 2 / n * sum(cosine * x) * cosine
    return part.tolist()


def differences(x):
    return [after - before for before, after in pairwise(x)]


def nonlinear_energy(x, rate):
    return sum(x[t] ** 2 - x[t - 1] * x[t + 1] for t in range(1, len(x) - 1)) / (len(x) - 2)


def rms(x, rate):
    return math.sqrt(sum(value**2 for value in x) / len(x))


def zero_crossings(x, rate):
    return sum((x[t - 1] < 0) != (x[t] < 0) for t in range(1, len(x))) / ((len(x) - 1) / rate)


def activity(x, rate):
    return pvariance(x)


def mobility(x, rate):
    return math.sqrt(pvariance([rate * d for d in differences(x)]) / pvariance(x)) if any(x) else 0.0


def complexity(x, rate):
    return mobility(differences(x), rate) / mobility(x, rate) if any(x) else 0.0


def shares(weights):
    return [weight / sum(weights) for weight in weights if weight > 0]


def shannon(weights, n_cells):
    return -sum(p * math.log(p) for p in shares(weights)) / math.log(n_cells)


def collision(weights, n_cells):
    return -math.log(sum(p**2 for p in shares(weights))) / math.log(n_cells) if any(weights) else 0.0


def amplitude_entropy(x):
    return shannon(np.histogram(x, bins=32)[0], 32)


def ordering_entropy(x):
    orders = Counter(tuple(np.argsort(x[t : t + 4], kind="stable")) for t in range(len(x) - 3))
    return shannon(orders.values(), math.factorial(4))


def singular_value_entropy(x):
    matrix = np.array([x[t : t + 10] for t in range(len(x) - 9)])
    return shannon(np.linalg.svd(matrix, compute_uv=False), 10)


def eighths(x):
    length = len(x) // 8
    return [x[part * length : (part + 1) * length] for part in range(8)]


def energy_entropy(x):
    return shannon([sum(value**2 for value in part) for part in eighths(x)], 8)


MEASURES = {
    "non-linear energy": nonlinear_energy,
    "RMS": rms,
    "zero crossings": zero_crossings,
    "activity": activity,
    "mobility": mobility,
    "complexity": complexity,
}
ENTROPIES = {
    "amplitude entropy": amplitude_entropy,
    "ordering entropy": ordering_entropy,
    "singular value entropy": singular_value_entropy,
    "energy entropy": energy_entropy,
}


def definitions(window, rate):
    n = len(window)
    x = (window - window.mean()).tolist()
    powers = power_at_frequencies(x)
    features = {}
    for low in range(60):
        power = power_between(powers, low, low + 1, n, rate)
        features[f"power {low}-{low + 1} Hz"] = power
        features[f"share of power {low}-{low + 1} Hz"] = power / sum(powers)
    signals = {"": (x, powers)}
    for name, (low, high) in BANDS.items():
        inside = [power for k, power in enumerate(powers) if low <= k * rate / n < high]
        signals[f"{name} "] = (part_in_band(x, low, high, rate), inside)
    for name, (signal, spectrum) in signals.items():
        for measure, value in MEASURES.items():
            features[name + measure] = value(signal, rate)
            features[f"{name}{measure} lowest eighth"] = min(value(part, rate) for part in eighths(signal))
            features[f"{name}{measure} highest eighth"] = max(value(part, rate) for part in eighths(signal))
        for entropy, value in ENTROPIES.items():
            features[name + entropy] = value(signal)
        features[f"{name}spectral entropy"] = shannon(spectrum, len(spectrum))
        features[f"{name}spectral collision entropy"] = collision(spectrum, len(spectrum))
    return features


@cache
def both(n_samples, rate):
    """Some windows' features, and the same by definition."""
    rng = np.random.default_rng(n_samples)
    noise = rng.standard_normal((2, n_samples))
    windows = np.array([noise[0] + 3, noise[1].cumsum()])
    return eeg_features(windows, rate), [definitions(window, rate) for window in windows]


@pytest.mark.parametrize("name", feature_names())
def test_feature_is_its_definition(name):
    # Of smooth signals the smallest singular values are lost in the rounding of their squares.
    lost = 1e-6 if "singular value" in name else 1e-9
    for case in CASES:
        features, expected = both(*case)
        column = features[:, feature_names().index(name)]
        assert column == pytest.approx([window[name] for window in expected], rel=1e-7, abs=lost)


def test_every_definition_has_a_column():
    assert sorted(both(*CASES[0])[1][0]) == sorted(feature_names())
    assert len(set(feature_names())) == len(feature_families()) == 264


# --- promises of the extractor ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.0, 0.1, -1e6])
def test_constant_windows_have_zero_features(value):
    assert not eeg_features(np.full((2, 200), value), 173.61).any()


def test_windows_constant_in_part_have_finite_features():
    windows = np.zeros((3, 200))
    windows[0, 100:], windows[1, 7], windows[2] = 1.0, 1.0, np.arange(200)
    assert np.isfinite(eeg_features(windows, 173.61)).all()


def test_short_windows_have_empty_bands_and_finite_features():
    features = eeg_features(np.random.default_rng(0).standard_normal((3, 64)), 2000.0)
    assert np.isfinite(features).all()
    assert not features[:, [name.startswith("theta") for name in feature_names()]].any()


def test_offset_does_not_matter_and_the_unit_only_where_it_should():
    window = np.random.default_rng(0).standard_normal((1, 500))
    features = eeg_features(window, 173.61)
    np.testing.assert_allclose(eeg_features(window + 10, 173.61), features, rtol=1e-6, atol=1e-12)
    squared = ("power", "non-linear", "activity")
    for name, one, doubled in zip(feature_names(), features[0], eeg_features(2 * window, 173.61)[0], strict=True):
        power = 2 if any(word in name for word in squared) and "share" not in name else 1 if "RMS" in name else 0
        assert doubled == pytest.approx(2**power * one, rel=1e-6), name


def test_blocks_do_not_matter(monkeypatch):
    windows = np.random.default_rng(0).standard_normal((7, 300))
    whole = eeg_features(windows, 173.61)
    monkeypatch.setattr("blindauc.features.eeg.SAMPLES_PER_BLOCK", 700)
    np.testing.assert_allclose(eeg_features(windows, 173.61), whole, rtol=1e-10, atol=1e-13)


def test_takes_lists_integers_and_single_precision_and_leaves_them_alone():
    counts = np.random.default_rng(0).integers(-50, 50, (2, 100))
    before = counts.copy()
    expected = eeg_features(counts.astype(float), 173.61)
    for windows in (counts, counts.tolist(), counts.astype(np.float32)):
        np.testing.assert_array_equal(eeg_features(windows, 173.61), expected)
    np.testing.assert_array_equal(counts, before)


def test_no_windows_no_rows():
    assert eeg_features(np.empty((0, 2056)), 173.61).shape == (0, 264)


@pytest.mark.parametrize(
    ("windows", "rate", "message"),
    [
        (np.zeros(2056), 173.61, r"two-dimensional, not of shape \(2056,\)"),
        (np.zeros((3, 63)), 173.61, "at least 64 samples, but they have 63"),
        (np.zeros((1, 64), dtype=complex), 173.61, "real numbers, not complex128"),
        (np.zeros((1, 64)), 0.0, "sampling_rate must be a positive number"),
        (np.zeros((1, 64)), math.nan, "sampling_rate must be a positive number"),
    ],
)
def test_refuses(windows, rate, message):
    with pytest.raises(ValueError, match=message):
        eeg_features(windows, rate)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_names_the_window_that_is_not_finite(bad):
    windows = np.zeros((50, 2056))
    windows[40, 5] = bad
    with pytest.raises(ValueError, match="window 40 holds NaN or infinity"):
        eeg_features(windows, 173.61)


# --- windows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 3, 5, 10])
def test_windows_lie_in_their_recordings_in_order(length):
    signals = np.random.default_rng(0).standard_normal((4, 10))
    windows, recording = cut_windows(signals, length)
    expected = [(row, start) for row in range(4) for start in range(0, 10 - length + 1, length)]
    assert recording.tolist() == [row for row, _ in expected]
    np.testing.assert_array_equal(windows, [signals[row, start : start + length] for row, start in expected])


def test_windows_are_copies():
    signals = np.zeros((1, 4))
    cut_windows(signals, 2)[0][:] = 1.0
    assert not signals.any()


@pytest.mark.parametrize("length", [0, 11])
def test_windows_must_fit(length):
    with pytest.raises(ValueError, match="length must be from 1 to the 10 samples"):
        cut_windows(np.zeros((2, 10)), length)


def test_windows_need_recordings():
    with pytest.raises(ValueError, match="signals must be two-dimensional"):
        cut_windows(np.zeros(5000))


# --- simulated and real recordings ------------------------------------------------------------------------------------


def test_simulated_recordings():
    eeg, same = (make_eeg(30, 7, n_samples=1000, sampling_rate=250.0, random_state=3) for _ in range(2))
    assert eeg.signals.shape == (30, 1000)
    assert eeg.is_seizure.sum() == 7
    assert eeg.sampling_rate == 250.0
    assert np.isfinite(eeg.signals).all()
    np.testing.assert_array_equal(eeg.signals, same.signals)
    assert make_eeg(0, 0).signals.shape == (0, 4112)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_seizures": 501}, "n_seizures must be from 0 to n_recordings = 500, not 501"),
        ({"n_samples": 173}, "at least a second's worth, 174 at this sampling rate, not 173"),
        ({"sampling_rate": 20.0}, "sampling_rate must be at least 50 Hz"),
    ],
)
def test_simulator_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_eeg(**arguments)


def auc_either_way(y, score):
    auc = roc_auc_score(y, score)
    return max(auc, 1 - auc)


def test_simulated_seizures_need_more_than_one_feature():
    eeg = make_eeg(300, 100, n_samples=1028, random_state=0)
    X, y = eeg_features(eeg.signals, eeg.sampling_rate), eeg.is_seizure
    best = max(auc_either_way(y, column) for column in X.T)
    model = make_pipeline(StandardScaler(), Ridge(300.0))
    together = roc_auc_score(y, cross_val_predict(model, X, y, cv=5))
    assert 0.75 < best < together - 0.03
    assert together > 0.9


@pytest.mark.skipif(not BONN.exists(), reason="the Bonn recordings are not in ../shared/data")
def test_bonn_seizures_stand_out():
    with tarfile.open(BONN) as archive:
        members = [member for member in archive.getmembers() if member.isfile() and member.name[3:6] <= "010"]
        signals = np.array([archive.extractfile(member).read().split() for member in members], dtype=float)
    windows, recording = cut_windows(signals, 2048)
    y = np.array([member.name.startswith("S") for member in members])[recording]
    X = eeg_features(windows, 173.61)
    assert np.isfinite(X).all()
    assert roc_auc_score(y, X[:, feature_names().index("theta RMS")]) > 0.9
