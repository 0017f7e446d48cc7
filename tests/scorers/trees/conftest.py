"""Models of trees."""

import numpy as np
import pytest
from tree_data import DATA, SCORER, SPECS


@pytest.fixture(scope="module")
def models():
    return SCORER.path(DATA, SPECS)


@pytest.fixture(scope="module")
def model(models):
    return models.average(np.linspace(0.1, 0.4, len(SPECS)))
