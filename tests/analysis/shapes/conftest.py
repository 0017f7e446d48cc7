"""Few candidates of every shape."""

import pytest

FEW = {
    "choice.space.RIDGE_DECADES": (1, -1),
    "choice.space.NONLINEAR_RIDGE_DECADES": (1, -1),
    "estimators.space.OUTLIER_SHARES": (0.0, 0.1),
    "estimators.space.N_LEAVES": (4,),
    "estimators.space.N_ROUNDS": (5, 20),
    "estimators.tuning.REPEATED_BELOW": 0,
}


@pytest.fixture(scope="module", autouse=True)
def few_candidates():
    """So that searches are quick."""
    with pytest.MonkeyPatch.context() as patch:
        for name, values in FEW.items():
            patch.setattr(f"blindauc.{name}", values)
        yield
