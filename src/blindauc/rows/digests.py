"""Hashes of rows, which depend on their values only."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc.rows.matrix import BLOCK_ROWS


def row_digests(X: Any, seed: int) -> Any:
    """A 64-bit hash of each row; two different rows share one with a probability of about 2^-64.

    It is the sum over columns of a random odd number times the bits of the value, a multilinear hash (Lemire and Kaser,
    Strongly universal string hashing is fast, Comput. J. 2014), followed by mixing. Zeros add nothing, so that a sparse
    row has the same hash as the equal dense row.
    """
    factor = row_factors(X.shape[1], seed)
    if sp.issparse(X):
        X = X.tocsr()
        before = np.append(np.uint64(0), np.cumsum(bits_of(X.data) * factor[X.indices], dtype=np.uint64))
        return mixed(before[X.indptr[1:]] - before[X.indptr[:-1]])
    blocks = (X[start : start + BLOCK_ROWS] for start in range(0, X.shape[0], BLOCK_ROWS))
    return mixed(np.concatenate([bits_of(block) @ factor for block in blocks]))


def row_factors(n_columns: int, seed: int) -> Any:
    """A random odd number for each column."""
    rng = np.random.default_rng(seed)
    return rng.integers(2**63, size=n_columns, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def bits_of(values: Any) -> Any:
    """The bits of each value, with the high half XORed into the low half: small whole numbers have high bits only."""
    # Adding zero turns -0.0 into 0.0, so that both have the same bits.
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    return bits ^ (bits >> np.uint64(32))


def mixed(bits: Any) -> Any:
    """The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every bit depends on all others."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
