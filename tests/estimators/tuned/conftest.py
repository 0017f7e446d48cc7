"""Fits of small searches."""

import pytest
from paper_search import VARIANTS, tuned


@pytest.fixture(scope="module", autouse=True)
def one_penalty():
    """A simpler method is tuned less than it is for users; what is told of it is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blindauc.choice.baselines.L1_PENALTIES", (0.03,))
        yield


@pytest.fixture(scope="module")
def fits():
    """Each variant fitted once for all tests."""
    made = {}

    def fit(name):
        if name not in made:
            Estimator, params = VARIANTS[name]
            made[name] = tuned(Estimator, **params)
        return made[name]

    return fit
