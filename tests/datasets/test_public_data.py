"""The public data sets as loaded: sizes, classes and quirks as counted in ../shared/data/README.md."""

import lzma
import sys
import tarfile

import numpy as np
import pytest
from places import DATA

from blindauc.datasets import (
    load_arrhythmia,
    load_bonn_eeg,
    load_diabetes130,
    load_hill_valley,
    load_physionet2012,
    load_spectf,
)

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")


def counts(labels):
    return dict(zip(*(values.tolist() for values in np.unique(labels, return_counts=True)), strict=True))


@needs_data
def test_arrhythmia():
    data = load_arrhythmia(DATA)
    assert data.X.shape == (452, 279)
    expected = {1: 245, 2: 44, 3: 15, 4: 15, 5: 13, 6: 25, 7: 3, 8: 2, 9: 9, 10: 50, 14: 4, 15: 5, 16: 22}
    assert counts(data.y) == expected
    missing = np.isnan(data.X).sum(axis=0)
    assert {data.columns[j]: int(missing[j]) for j in np.flatnonzero(missing)} == {
        "T angle": 8,
        "P angle": 22,
        "QRST angle": 1,
        "J angle": 376,
        "heart rate": 1,
    }


@needs_data
def test_arrhythmia_columns_as_described():
    # Numbers as in arrhythmia.names, from 1.
    columns = dict(enumerate(load_arrhythmia(DATA).columns, start=1))
    assert len(set(columns.values())) == 279
    assert [columns[j] for j in (1, 9, 10, 15, 16, 20)] == [
        "age",
        "P interval",
        "QRS angle",
        "heart rate",
        "DI Q width",
        "DI S' width",
    ]
    assert [columns[j] for j in (21, 22, 23, 24, 27, 28)] == [
        "DI intrinsic deflections",
        "DI ragged R",
        "DI diphasic R",
        "DI ragged P",
        "DI diphasic T",
        "DII Q width",
    ]
    assert [columns[j] for j in (88, 159, 160, 167, 168, 169, 170, 279)] == [
        "V1 Q width",
        "V6 diphasic T",
        "DI JJ amplitude",
        "DI T amplitude",
        "DI QRSA",
        "DI QRSTA",
        "DII JJ amplitude",
        "V6 QRSTA",
    ]


@needs_data
def test_spectf():
    train, test = load_spectf(DATA)
    assert train.X.shape == (80, 44)
    assert test.X.shape == (187, 44)
    assert counts(train.y) == {0: 40, 1: 40}
    assert counts(test.y) == {0: 15, 1: 172}
    assert train.columns == test.columns
    assert (train.columns[0], train.columns[-1]) == ("F1R", "F22S")
    assert test.X[0, :3].tolist() == [67, 68, 73]


@needs_data
@pytest.mark.parametrize(
    ("noise", "train", "test"),
    [(True, {0: 307, 1: 299}, {0: 299, 1: 307}), (False, {0: 305, 1: 301}, {0: 295, 1: 311})],
)
def test_hill_valley(noise, train, test):
    data = load_hill_valley(noise, DATA)
    assert data.X.shape == (1212, 100)
    assert data.columns == tuple(f"X{j}" for j in range(1, 101))
    assert counts(data.y[:606]) == train
    assert counts(data.y[606:]) == test
    assert np.isfinite(data.X).all()


@needs_data
def test_diabetes130():
    data = load_diabetes130(DATA)
    assert data.shape == (101766, 50)
    assert data["readmitted"].value_counts().to_dict() == {"NO": 54864, ">30": 35545, "<30": 11357}
    assert data["patient_nbr"].nunique() == 71518
    missing = data.isna().sum()
    assert missing[missing > 0].to_dict() == {
        "race": 2273,
        "weight": 98569,
        "payer_code": 40256,
        "medical_specialty": 49949,
        "diag_1": 21,
        "diag_2": 358,
        "diag_3": 1423,
    }
    assert set(data["A1Cresult"]) == {"None", "Norm", ">7", ">8"}
    assert "None" in set(data["max_glu_serum"])
    assert data["num_medications"].dtype.kind == "i"


@needs_data
def test_bonn_eeg():
    eeg = load_bonn_eeg(DATA)
    assert eeg.signals.shape == (500, 4097)
    assert counts(eeg.sets) == dict.fromkeys("FNOSZ", 100)
    assert (eeg.names[0], eeg.names[-1]) == ("F001", "Z100")
    with tarfile.open(DATA / "bonn_eeg" / "bonn_eeg.tar.xz") as packed:
        first_of_n = np.loadtxt(packed.extractfile("N/N001.TXT"))
    np.testing.assert_array_equal(eeg.signals[np.flatnonzero(eeg.names == "N001")[0]], first_of_n)


@needs_data
@pytest.mark.parametrize(("part", "n_rows", "n_died"), [("a", 1757980, 554), ("b", 1762535, 568)])
def test_physionet2012(part, n_rows, n_died):
    care = load_physionet2012(part, DATA)
    table = care.measurements
    assert table.shape == (n_rows, 4)
    assert table["RecordID"].nunique() == 4000
    assert set(table["RecordID"].unique()) == set(care.died.index)
    assert len(care.died) == 4000
    assert care.died.sum() == n_died
    assert table["Parameter"].nunique() == 42
    assert table["Time"].between(0, 48 * 60).all()
    with lzma.open(DATA / "physionet2012" / f"set-{part}.csv.xz", "rt") as text:
        lines = [next(text) for _ in range(60)]
    for line, row in zip(lines[1:], table.itertuples(index=False), strict=False):
        record, time, parameter, value = line.strip().split(",")
        hours, minutes = time.split(":")
        assert tuple(row) == (int(record), 60 * int(hours) + int(minutes), parameter, float(value))


def test_an_unknown_part():
    with pytest.raises(ValueError, match='part must be "a" or "b"'):
        load_physionet2012("c")


@needs_data
@pytest.mark.parametrize("load", [load_diabetes130, load_physionet2012])
def test_without_pandas(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'need pandas: pip install "blindauc\[data\]"'):
        load(data_folder=DATA)


def test_a_folder_without_the_file(tmp_path):
    with pytest.raises(OSError, match=r"arrhythmia/arrhythmia.data is not in .*data_folder="):
        load_arrhythmia(tmp_path)
