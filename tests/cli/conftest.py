"""Patients, and a fit to their table."""

from dataclasses import replace

import pytest
from command_line import FIT, run
from small_ward import FEW_LABS, small

from blindauc.datasets import make_patients


@pytest.fixture(scope="module")
def patients():
    """Narrow, so that fits are quick."""
    made = make_patients(300, random_state=0)
    useless = [name for name in made.table if name.startswith("lab_") and name not in FEW_LABS]
    return replace(made, table=made.table.drop(columns=useless))


@pytest.fixture(scope="module")
def table(patients, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "patients.csv"
    patients.table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def fitted(table):
    folder = table.parent / "fitted"
    result = run(*FIT, table, "--label", "infection", "--id", "patient", "--out", folder, "--jobs", "1")
    assert result.exit_code == 0, result.output
    return folder, result


@pytest.fixture
def small_table(tmp_path):
    path = tmp_path / "small.csv"
    path.write_bytes(small())
    return path
