"""Quick searches of the systems."""

import pytest


@pytest.fixture(scope="module")
def two_folds():
    """Systems are tuned by fewer folds than in the paper; what is done with the folds is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blindauc.experiments.systems.N_FOLDS", 2)
        yield
