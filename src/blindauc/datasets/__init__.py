"""Simulated data with known true labels, and loaders of public data sets."""

from blindauc.datasets.cohort import Cohort, make_cohort
from blindauc.datasets.eeg import EEGRecordings, make_eeg
from blindauc.datasets.fetching import DataNotFoundError
from blindauc.datasets.patients import Patients, make_patients
from blindauc.datasets.public import (
    IntensiveCare,
    LabelledTable,
    Recordings,
    load_arrhythmia,
    load_bonn_eeg,
    load_diabetes130,
    load_hill_valley,
    load_physionet2012,
    load_spectf,
)
from blindauc.datasets.simulated import Dataset, make_correlated_data, make_paper_data

__all__ = [
    "Cohort",
    "DataNotFoundError",
    "Dataset",
    "EEGRecordings",
    "IntensiveCare",
    "LabelledTable",
    "Patients",
    "Recordings",
    "load_arrhythmia",
    "load_bonn_eeg",
    "load_diabetes130",
    "load_hill_valley",
    "load_physionet2012",
    "load_spectf",
    "make_cohort",
    "make_correlated_data",
    "make_eeg",
    "make_paper_data",
    "make_patients",
]
