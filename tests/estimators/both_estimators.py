"""Both estimators, for tests that run on either of them."""

import pytest

from blindauc import BlindAUCClassifier, PUErrorClassifier

ESTIMATORS = [BlindAUCClassifier, PUErrorClassifier]
both = pytest.mark.parametrize("Estimator", ESTIMATORS)
