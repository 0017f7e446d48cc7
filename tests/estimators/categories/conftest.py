"""A model of trees of a table with categories."""

import pytest
from wards import TABLE, Y

from blindauc import BlindAUCClassifier


@pytest.fixture(scope="module")
def model():
    return BlindAUCClassifier(shape="trees", n_rounds=20).fit(TABLE, Y)
