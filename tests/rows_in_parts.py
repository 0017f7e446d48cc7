"""Rows in memory and in parts, for tests that compare the two."""

import numpy as np

RNG = np.random.default_rng(0)
N, P = 3000, 5
IS_POSITIVE = np.isin(np.arange(N), RNG.choice(N, 90, replace=False))
X = RNG.normal(size=(N, P)) + 1.2 * (IS_POSITIVE[:, None] & (np.arange(P) < 2))
X[np.flatnonzero(IS_POSITIVE)[:6]] -= 2.5
X[np.flatnonzero(IS_POSITIVE)[6]] = -12.0
Y = IS_POSITIVE.astype(int)
WEIGHT = RNG.integers(1, 4, N).astype(float)
