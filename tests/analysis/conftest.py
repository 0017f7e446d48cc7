"""A made-up ward, and what is found in it."""

import pytest
from patients import patients

from blindauc.analysis import analyse


@pytest.fixture(scope="module")
def table():
    return patients()


@pytest.fixture(scope="module")
def found(table):
    return analyse(
        table, "infected", id="patient", drop=["remark"], groups="(.*) day", name="<b>patients</b>", shape="linear"
    )
