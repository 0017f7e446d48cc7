"""Kernel models: scores that depend on the distances of a row to landmark rows.

    score(x) = sum_l alpha_l exp(-gamma * mean_j ((x_j - l_j) / spread_j)^2)

The score is linear in the derived columns of the Nystroem approximation (Williams and Seeger, Using the Nystroem method
to speed up kernel machines, NIPS 2001). The squared norm of their coefficients is the squared norm of the score in the
reproducing kernel Hilbert space. A kernel model uses all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.evidence.folds import first_in_random_order
from blindauc.rows.digests import row_digests
from blindauc.rows.matrix import Matrix
from blindauc.scorers.contract import mixed_difference
from blindauc.scorers.derived import DerivedModel

N_LANDMARKS = 200
"""Number of landmark rows (convention)."""

N_NODES = 20
"""Nodes of the Gauss-Legendre quadrature along the line from the mean row to a row (convention)."""

NOTHING = 36.0
"""A similarity of exp(-36) counts as zero: it is about the rounding error of 1.0 in double precision, 2^-52."""


@dataclass(frozen=True)
class Kernel:
    """The Nystroem basis of a Gaussian kernel.

    Parameters
    ----------
    gamma : float, the factor of the mean squared difference of the standardised columns
    mean, spread : ndarray of shape (p,)
    landmarks : ndarray of shape (n_landmarks, p), standardised
    whiten : ndarray of shape (n_landmarks, n_landmarks), from similarities to derived columns
    used : mask of shape (p,), the columns that are used; the others are set to their means
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

    @property
    def mix(self) -> Floats:
        return self.whiten

    @property
    def offset(self) -> Floats:
        return np.zeros(self.n_derived)

    def functions(self, X: Any) -> Floats:
        """The similarities to the landmarks."""
        return self.similarity(self.standardised(X))

    def __call__(self, X: Any) -> Floats:
        return self.functions(X) @ self.mix

    def standardised(self, X: Any) -> Floats:
        return np.where(self.used, (np.asarray(X, dtype=np.float64) - self.mean) / self.spread, 0.0)

    def similarity(self, Z: Floats) -> Floats:
        """The kernel between standardised rows and landmarks, of shape (n, n_landmarks)."""
        # In place, which takes half the time of scikit-learn's rbf_kernel. Passes over all rows spend their time here.
        gamma, landmarks = self.gamma / len(self.mean), self.landmarks
        exponent: Floats = Z @ (2 * gamma * landmarks.T)
        exponent -= gamma * np.einsum("ij,ij->i", Z, Z)[:, None]
        exponent -= gamma * np.einsum("ij,ij->i", landmarks, landmarks)
        np.minimum(exponent, 0.0, out=exponent)  # by rounding, a squared distance may be negative
        return np.exp(exponent, out=exponent)

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
        # Beyond this distance from the mean row, all similarities vanish and the score is constant. The path of
        # integration ends there, because nodes further out would contribute nothing.
        reach = np.linalg.norm(self.landmarks, axis=1).max() + np.sqrt(NOTHING * len(self.mean) / self.gamma)
        share = np.minimum(1.0, reach / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), reach))
        slopes = np.zeros_like(Z)
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            point = node * share * Z
            terms = self.similarity(point) * alpha
            slopes += weight * share * (terms @ self.landmarks - terms.sum(axis=1, keepdims=True) * point)
        parts = 2 * self.gamma / len(self.mean) * slopes * Z
        total = self.similarity(Z) @ alpha - self.base(coef)
        # Contributions must sum to the score. The quadrature error is distributed in proportion to their sizes.
        sizes = np.abs(parts)
        error = total - parts.sum(axis=1)
        return parts + error[:, None] * sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1e-300)

    def base(self, coef: Floats) -> float:
        return float(self.similarity(np.zeros((1, len(self.mean))))[0] @ (self.whiten @ coef))


class KernelProbe:
    """Scores of fixed rows by a kernel model.

    Each similarity is a product of one factor per column. If values of a column change, the similarities are multiplied
    by the ratio of its new and old factors, and the other columns are not read again.
    """

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

    def interaction(self, j: int, k: int, values: Floats) -> Floats:
        return mixed_difference(self, j, k, values)


@dataclass(frozen=True)
class Landmarks:
    """Landmark rows, shared by kernels of all widths.

    Parameters
    ----------
    data : Data, the rows to choose from. The choice depends on their values, not on their order.
    seed : int
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
        # Equal rows have equal digests: only the first of them can become a landmark.
        digests, first = np.unique(row_digests(X, self.seed), return_index=True)
        chosen = first[first_in_random_order(np.arange(len(first)), digests, N_LANDMARKS)]
        mean, spread = self._spread
        return (np.asarray(X[np.sort(chosen)], dtype=np.float64) - mean) / spread

    def kernel(self, gamma: float) -> Kernel:
        mean, spread = self._spread
        rows = self._rows
        nystroem = Nystroem(gamma=gamma / len(mean), n_components=len(rows), random_state=self.seed).fit(rows)
        return Kernel(
            gamma, mean, spread, nystroem.components_, nystroem.normalization_.T, np.ones(len(mean), dtype=bool)
        )
