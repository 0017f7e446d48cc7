"""blindauc: learn to rank from labelled positives and unlabelled rows, despite wrong labels and useless columns.

Names are imported on first access, so that the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from blindauc.datasets.tables import read_table
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
        expected_found,
        make_system,
    )
    from blindauc.model_files import load, save
    from blindauc.pairwise import PairwiseLoss, pairwise_loss, summarize
    from blindauc.preprocessing import make_preprocessor
    from blindauc.rows.disk.parquet import ParquetRows
    from blindauc.solvers import Progress
    from blindauc.trust import judge

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
    "ParquetRows",
    "Progress",
    "__version__",
    "expected_found",
    "judge",
    "load",
    "make_preprocessor",
    "make_system",
    "pairwise_loss",
    "read_table",
    "save",
    "summarize",
]

_HOMES = {
    "Estimate": "estimate",
    "PairwiseLoss": "pairwise",
    "ParquetRows": "rows.disk.parquet",
    "Progress": "solvers",
    "judge": "trust",
    "load": "model_files",
    "make_preprocessor": "preprocessing",
    "pairwise_loss": "pairwise",
    "read_table": "datasets.tables",
    "save": "model_files",
    "summarize": "pairwise",
}
"""The modules of names that are not estimators."""

_PARTS = (
    "analysis",
    "datasets",
    "estimators",
    "experiments",
    "features",
    "metrics",
    "preprocessing",
    "prior",
    "report",
    "theory",
    "torch",
    "trust",
)


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"blindauc.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'blindauc' has no attribute {name!r}")
    return getattr(import_module(f"blindauc.{_HOMES.get(name, 'estimators')}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS])
