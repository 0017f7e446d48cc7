"""scikit-learn estimators: the systems of the paper, tuned versions of them, and baselines."""

from blindauc.estimators.baselines import BiasedSVM, DifferenceOfMeans, OneClassRanker
from blindauc.estimators.blind_auc import BlindAUCClassifier
from blindauc.estimators.capacity import expected_found
from blindauc.estimators.pu_error import PUErrorClassifier
from blindauc.estimators.systems import SYSTEMS, make_system
from blindauc.estimators.tuned import BlindAUCClassifierCV, PUErrorClassifierCV

__all__ = [
    "SYSTEMS",
    "BiasedSVM",
    "BlindAUCClassifier",
    "BlindAUCClassifierCV",
    "DifferenceOfMeans",
    "OneClassRanker",
    "PUErrorClassifier",
    "PUErrorClassifierCV",
    "expected_found",
    "make_system",
]
