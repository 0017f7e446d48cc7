"""blindauc: ranking from labelled positives and unlabelled rows, with wrong labels and useless columns."""

from blindauc.estimate import Estimate
from blindauc.estimators import (
    SYSTEMS,
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    DifferenceOfMeans,
    OneClassRanker,
    PUErrorClassifier,
    PUErrorClassifierCV,
    make_system,
)
from blindauc.pairwise import PairwiseLoss, pairwise_loss, summarize
from blindauc.solvers import Progress

__version__ = "0.1.0"

__all__ = [
    "SYSTEMS",
    "BiasedSVM",
    "BlindAUCClassifier",
    "BlindAUCClassifierCV",
    "DifferenceOfMeans",
    "Estimate",
    "OneClassRanker",
    "PUErrorClassifier",
    "PUErrorClassifierCV",
    "PairwiseLoss",
    "Progress",
    "__version__",
    "make_system",
    "pairwise_loss",
    "summarize",
]
