"""Quick estimators, and the data that they are fitted to."""

import pytest

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV
from blindauc.datasets import make_paper_data

DATA = make_paper_data(n_features=30, n_outliers=4, n_relevant=15, n_pos=60, n_negatives=160, random_state=1)
ESTIMATORS = [BlindAUCClassifier, PUErrorClassifier]
both = pytest.mark.parametrize("Estimator", ESTIMATORS)

PLAIN = {"l2": 100.0, "calibrate": False, "prior": 0.2}
"""No folds for calibration nor for the prior: what scores mean is the matter of test_calibrated_fits.py."""

FEW = {
    "cv": 2,
    "n_repeats": 1,
    "shape": "linear",
    "scaling": "standard",
    "l2": [100.0],
    "n_outliers": [0, 4],
    "n_features_to_select": [1.0, 0.2],
}
"""A search with little to choose: choosing is the matter of test_tuned.py."""

QUICK = {
    BlindAUCClassifier: {"l2": 100.0},
    PUErrorClassifier: {"l2": 100.0, "prior": 0.2},
    BlindAUCClassifierCV: FEW,
    PUErrorClassifierCV: {**FEW, "prior": 0.2},
}
"""Every estimator, with parameters that make it fast."""
every = pytest.mark.parametrize("Estimator", QUICK)


def fitted(Estimator, X=DATA.X, y=DATA.y_pu, **params):
    return Estimator(**{"max_swaps": 5, **PLAIN, **params}).fit(X, y)
