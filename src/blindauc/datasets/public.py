"""Loaders of the public data sets of the experiments.

Every loader takes `data_folder`, a folder with the files. Without it, and without BLINDAUC_DATA, the files are
downloaded once, verified and cached (see `blindauc.datasets.fetching`).
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.datasets import sources
from blindauc.datasets.fetching import Folder, fetch, imported

if TYPE_CHECKING:
    import pandas as pd

_LEADS = ("DI", "DII", "DIII", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6")
_OF_PATIENT = ["age", "sex", "height", "weight", "QRS duration"]
_INTERVALS = [f"{wave} interval" for wave in ("P-R", "Q-T", "T", "P")]
_ANGLES = [f"{wave} angle" for wave in ("QRS", "T", "P", "QRST", "J")]
_WIDTHS = [f"{wave} width" for wave in ("Q", "R", "S", "R'", "S'")]
_SHAPES = [f"{shape} {wave}" for wave in "RPT" for shape in ("ragged", "diphasic")]
_AMPLITUDES = [f"{wave} amplitude" for wave in ("JJ", "Q", "R", "S", "R'", "S'", "P", "T")]


@dataclass(frozen=True)
class LabelledTable:
    """Rows with their classes.

    Attributes
    ----------
    X : ndarray of shape (n, p), NaN for missing values
    y : ndarray of shape (n,), the classes as published
    columns : the names of the p columns
    """

    X: Floats
    y: Ints
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Recordings:
    """Single-channel signals.

    Attributes
    ----------
    signals : ndarray of shape (n, n_samples)
    sets : ndarray of n letters, the set each recording belongs to
    names : ndarray of the n names of the recordings
    sampling_rate : float, samples per second
    """

    signals: Floats
    sets: np.ndarray[tuple[int], np.dtype[np.str_]]
    names: np.ndarray[tuple[int], np.dtype[np.str_]]
    sampling_rate: float


@dataclass(frozen=True)
class IntensiveCare:
    """Stays in intensive care.

    Attributes
    ----------
    measurements : DataFrame with the columns RecordID, Time (minutes since admission), Parameter, Value
    died : Series of bool, whether the patient died in hospital, by RecordID
    """

    measurements: pd.DataFrame
    died: pd.Series


def load_arrhythmia(data_folder: Folder | None = None) -> LabelledTable:
    """Load the UCI Arrhythmia data: 452 electrocardiograms.

    Class 1 is normal, 2 to 15 are kinds of arrhythmia (11, 12 and 13 do not occur), 16 is unclassified.

    Parameters
    ----------
    data_folder : path, optional

    Returns
    -------
    LabelledTable
        With 279 columns.

    Examples
    --------
    >>> from blindauc.datasets import load_arrhythmia
    >>> data = load_arrhythmia()  # doctest: +SKIP
    >>> data.X.shape, int((data.y == 1).sum())  # doctest: +SKIP
    ((452, 279), 245)
    """
    # "?" means missing; NumPy reads it as NaN.
    rows = np.genfromtxt(io.BytesIO(fetch(sources.ARRHYTHMIA, data_folder)), delimiter=",")
    return LabelledTable(rows[:, :-1], rows[:, -1].astype(np.intp), _arrhythmia_columns())


def load_spectf(data_folder: Folder | None = None) -> tuple[LabelledTable, LabelledTable]:
    """Load the UCI SPECTF Heart data: 22 regions in images of the heart, at rest and under stress.

    Class 1 is abnormal, 0 normal.

    Parameters
    ----------
    data_folder : path, optional

    Returns
    -------
    train, test : LabelledTable
        The 80 and 187 rows as published, with 44 columns.

    Examples
    --------
    >>> from blindauc.datasets import load_spectf
    >>> train, test = load_spectf()  # doctest: +SKIP
    >>> train.X.shape, test.X.shape  # doctest: +SKIP
    ((80, 44), (187, 44))
    """
    columns = tuple(f"F{region}{state}" for region in range(1, 23) for state in "RS")

    def load(file: sources.DataFile) -> LabelledTable:
        rows = np.loadtxt(io.BytesIO(fetch(file, data_folder)), delimiter=",")
        return LabelledTable(rows[:, 1:], rows[:, 0].astype(np.intp), columns)

    return load(sources.SPECTF_TRAIN), load(sources.SPECTF_TEST)


def load_hill_valley(noise: bool, data_folder: Folder | None = None) -> LabelledTable:
    """Load the UCI Hill-Valley data, as packed by PMLB: 100 points in a row that form a hill (1) or a valley (0).

    Parameters
    ----------
    noise : bool
        Whether the terrain is rough or smooth.
    data_folder : path, optional

    Returns
    -------
    LabelledTable
        The 606 rows published for training, then the 606 for testing.

    Examples
    --------
    >>> from blindauc.datasets import load_hill_valley
    >>> load_hill_valley(noise=True).X.shape  # doctest: +SKIP
    (1212, 100)
    """
    file = sources.HILL_VALLEY_WITH_NOISE if noise else sources.HILL_VALLEY_WITHOUT_NOISE
    lines = fetch(file, data_folder).decode().splitlines()
    rows = np.loadtxt(lines[1:], delimiter="\t")
    return LabelledTable(rows[:, :-1], rows[:, -1].astype(np.intp), tuple(lines[0].split("\t")[:-1]))


def load_diabetes130(data_folder: Folder | None = None) -> pd.DataFrame:
    """Load the UCI data of diabetes patients in 130 US hospitals, 1999-2008.

    Parameters
    ----------
    data_folder : path, optional

    Returns
    -------
    DataFrame of 101,766 encounters and 50 columns
        A patient (`patient_nbr`) may have several. `readmitted` is "NO", ">30" or "<30" (days). "?" is read as
        missing; "None" in `max_glu_serum` and `A1Cresult` is a category: not measured.

    Examples
    --------
    >>> from blindauc.datasets import load_diabetes130
    >>> int((load_diabetes130()["readmitted"] == "NO").sum())  # doctest: +SKIP
    54864
    """
    content = io.BytesIO(fetch(sources.DIABETES130, data_folder))
    return imported("pandas").read_csv(content, keep_default_na=False, na_values=["?"], low_memory=False)


def load_bonn_eeg(data_folder: Folder | None = None) -> Recordings:
    """Load the University of Bonn's EEG recordings (Andrzejak et al. 2001, Phys. Rev. E 64, 061907).

    Five sets of 100 recordings of 23.6 seconds: Z (healthy, eyes open), O (healthy, eyes closed), N (between seizures,
    opposite hemisphere), F (between seizures, where they start), S (seizure). Free for research and education only.

    Parameters
    ----------
    data_folder : path, optional

    Returns
    -------
    Recordings
        In alphabetical order.

    Examples
    --------
    >>> from blindauc.datasets import load_bonn_eeg
    >>> eeg = load_bonn_eeg()  # doctest: +SKIP
    >>> eeg.signals.shape, eeg.names[-1]  # doctest: +SKIP
    ((500, 4097), 'Z100')
    """
    lines = fetch(sources.BONN_EEG, data_folder).decode().splitlines()
    names, signals = zip(*(line.split(" ", maxsplit=1) for line in lines), strict=True)
    return Recordings(
        signals=np.loadtxt(signals),
        sets=np.array([name[0] for name in names]),
        names=np.array(names),
        sampling_rate=173.61,
    )


def load_physionet2012(part: str = "a", data_folder: Folder | None = None) -> IntensiveCare:
    """Load a part of the PhysioNet/CinC Challenge 2012: 4000 stays in intensive care, the first 48 hours.

    Parameters
    ----------
    part : {"a", "b"}
    data_folder : path, optional

    Returns
    -------
    IntensiveCare

    Examples
    --------
    >>> from blindauc.datasets import load_physionet2012
    >>> care = load_physionet2012("a")  # doctest: +SKIP
    >>> len(care.measurements), int(care.died.sum())  # doctest: +SKIP
    (1757980, 554)
    """
    if part not in sources.PHYSIONET2012_STAYS:
        raise ValueError(f'part must be "a" or "b", not {part!r}.')
    pandas = imported("pandas")
    stays = io.BytesIO(fetch(sources.PHYSIONET2012_STAYS[part], data_folder))
    outcomes = io.BytesIO(fetch(sources.PHYSIONET2012_OUTCOMES[part], data_folder))
    measurements = pandas.read_csv(stays, dtype={"Time": "category", "Parameter": "category"})
    # There are at most 2881 distinct times (48 hours of minutes): convert each of them once.
    minutes = np.array([60 * int(time[:2]) + int(time[3:]) for time in measurements["Time"].cat.categories])
    measurements["Time"] = minutes[measurements["Time"].cat.codes]
    died = pandas.read_csv(outcomes, index_col="RecordID")["In-hospital_death"] == 1
    return IntensiveCare(measurements, died)


def _arrhythmia_columns() -> tuple[str, ...]:
    """The column names, from the description published with the data (arrhythmia.names)."""
    of_time = [*_WIDTHS, "intrinsic deflections", *_SHAPES]
    of_height = [*_AMPLITUDES, "QRSA", "QRSTA"]
    in_leads = [f"{lead} {what}" for of_lead in (of_time, of_height) for lead in _LEADS for what in of_lead]
    return (*_OF_PATIENT, *_INTERVALS, *_ANGLES, "heart rate", *in_leads)
