"""Solvers: minimise an objective over supports and outliers. They use objectives and sets by their methods only."""

from blindauc.solvers.exchange import exchange
from blindauc.solvers.path import feature_path, path, robust_start, tightened
from blindauc.solvers.psg import psg
from blindauc.solvers.solution import Progress, Solution

__all__ = ["Progress", "Solution", "exchange", "feature_path", "path", "psg", "robust_start", "tightened"]
