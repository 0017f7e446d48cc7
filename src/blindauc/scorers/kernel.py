"""Kernels: scores that depend on how near a row is to landmark rows.

    score(x) = sum_l alpha_l exp(-gamma * mean_j ((x_j - l_j) / spread_j)^2)

It is linear in Nystroem's derived columns (Williams and Seeger, Using the Nystroem method to speed up kernel machines,
NIPS 2001), and a ridge on those is the norm of the kernel's function space. A kernel uses all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.evidence.folds import in_random_order
from blindauc.rows.digests import row_digests
from blindauc.rows.matrix import Matrix
from blindauc.scorers.derived import DerivedModel

N_LANDMARKS = 200

N_NODES = 20
"""Of the quadrature along the way from the mean row to a row."""

NOTHING = 36.0
"""A similarity of exp(-36) is lost in the rounding of one."""


@dataclass(frozen=True)
class Kernel:
    """Derived columns of a Gaussian kernel.

    Parameters
    ----------
    gamma : float, times the mean squared difference of the standardised columns
    mean, spread : ndarray of shape (p,)
    landmarks : ndarray of shape (n_landmarks, p), standardised
    whiten : ndarray of shape (n_landmarks, n_landmarks), from similarities to derived columns
    used : mask of shape (p,), the columns that are looked at; the others are taken to be at their means
    """

    gamma: float
    mean: Floats
    spread: Floats
    landmarks: Floats
    whiten: Floats
    used: Bools

    @property
    def n_derived(self) -> int:
        return int(self.whiten.shape[1])

    def __call__(self, X: Any) -> Floats:
        return self.similarity(self.standardised(X)) @ self.whiten

    def standardised(self, X: Any) -> Floats:
        return np.where(self.used, (np.asarray(X, dtype=np.float64) - self.mean) / self.spread, 0.0)

    def similarity(self, Z: Floats) -> Floats:
        """The kernel of standardised rows and landmarks, of shape (n, n_landmarks)."""
        return rbf_kernel(Z, self.landmarks, self.gamma / len(self.mean))

    def columns(self, coef: Floats) -> Bools:
        return np.any(coef != 0, axis=1, keepdims=True) & self.used

    def restricted(self, coef: Floats, columns: Bools, data: Data) -> DerivedModel:
        return DerivedModel(replace(self, used=self.used & columns), coef)

    def probe(self, X: Floats, coef: Floats) -> KernelProbe:
        return KernelProbe(self, X, coef)

    def contributions(self, X: Floats, coef: Floats) -> Floats:
        """Integrated gradients from the mean row (Sundararajan, Taly and Yan, ICML 2017)."""
        Z, alpha = self.standardised(X), self.whiten @ coef
        nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
        # Further out no landmark is near, and the score is level: nodes there would say nothing.
        reach = np.linalg.norm(self.landmarks, axis=1).max() + np.sqrt(NOTHING * len(self.mean) / self.gamma)
        way = np.minimum(1.0, reach / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), reach))
        slopes = np.zeros_like(Z)
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            there = node * way * Z
            pull = self.similarity(there) * alpha
            slopes += weight * way * (pull @ self.landmarks - pull.sum(axis=1, keepdims=True) * there)
        parts = 2 * self.gamma / len(self.mean) * slopes * Z
        total = self.similarity(Z) @ alpha - self.base(coef)
        # What the quadrature misses goes to the columns by their sizes.
        sizes = np.abs(parts)
        lost = total - parts.sum(axis=1)
        return parts + lost[:, None] * sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1e-300)

    def base(self, coef: Floats) -> float:
        return float(self.similarity(np.zeros((1, len(self.mean))))[0] @ (self.whiten @ coef))


class KernelProbe:
    """Similarities are kept: where a column changes, each is multiplied by what the change makes of it."""

    def __init__(self, kernel: Kernel, X: Floats, coef: Floats) -> None:
        self._kernel, self._alpha = kernel, kernel.whiten @ coef
        self._Z = kernel.standardised(X)
        self._similarity = kernel.similarity(self._Z)
        self.scores: Floats = self._similarity @ self._alpha

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        kernel = self._kernel
        exponent = np.zeros_like(self._similarity)
        for column, new in zip(columns, values.T, strict=True):
            if kernel.used[column]:
                at = kernel.landmarks[:, column]
                z = (new - kernel.mean[column]) / kernel.spread[column]
                exponent += (z[:, None] - at) ** 2 - (self._Z[:, column, None] - at) ** 2
        return (self._similarity * np.exp(-kernel.gamma / len(kernel.mean) * exponent)) @ self._alpha


@dataclass(frozen=True)
class Landmarks:
    """Rows that kernels of all widths compare with.

    Parameters
    ----------
    data : Data, the rows to choose from by what they hold
    seed : int, draws other landmarks
    """

    data: Data
    seed: int = 0

    @cached_property
    def _spread(self) -> tuple[Floats, Floats]:
        X, share = self.data.X, self.data.weight / self.data.weight.sum()
        return Matrix(X).adjoint(share), Matrix(X).spread(share)

    @cached_property
    def _rows(self) -> Floats:
        X = self.data.X
        # Equal rows would be the same landmark twice.
        digests, first = np.unique(row_digests(X, self.seed), return_index=True)
        chosen = first[in_random_order(np.arange(len(first)), digests)[:N_LANDMARKS]]
        mean, spread = self._spread
        return (np.asarray(X[np.sort(chosen)], dtype=np.float64) - mean) / spread

    def kernel(self, gamma: float) -> Kernel:
        mean, spread = self._spread
        rows = self._rows
        nystroem = Nystroem(gamma=gamma / len(mean), n_components=len(rows), random_state=self.seed).fit(rows)
        return Kernel(
            gamma, mean, spread, nystroem.components_, nystroem.normalization_.T, np.ones(len(mean), dtype=bool)
        )
