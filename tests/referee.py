"""Independent reference implementations, slow and obvious, of what the library computes fast."""

from itertools import combinations

import numpy as np
from scipy.special import expit

from blindauc.evidence.likelihood import SHARPNESS, WRONG_SHARES
from blindauc.prior.posterior import CONTAMINATION_SCALE


def best_by_exhaustion(X, is_positive, l2, shift_l2, n_features, n_outliers):
    """The least blind AUC objective (logistic) over all supports and outlier sets: (value, support, outliers)."""
    X_pos, X_unl = X[is_positive], X[~is_positive]
    differences = (X_pos[:, None] - X_unl).reshape(-1, X.shape[1])
    owner = np.repeat(np.arange(len(X_pos)), len(X_unl))
    marks = (owner[:, None] == np.arange(len(X_pos))).astype(float)
    supports = [list(s) for s in combinations(range(X.shape[1]), n_features)]
    best = (np.inf, None, None)
    for flagged in combinations(range(len(X_pos)), n_outliers):
        shifted = marks[:, list(flagged)]
        designs = np.array([np.hstack([differences[:, s], shifted]) for s in supports])
        ridge = np.repeat([l2, shift_l2], [n_features, n_outliers])
        values = minima(designs, ridge)
        at = int(values.argmin())
        if values[at] < best[0]:
            best = (float(values[at]), supports[at], list(flagged))
    return best


def minima(designs, ridge):
    """min_z mean(log(1 + exp(-D z))) + ridge/2 z^2 for a stack of designs D, by damped Newton steps."""
    z = np.zeros((len(designs), designs.shape[2]))

    def value(z):
        return np.logaddexp(0, -np.einsum("bpk,bk->bp", designs, z)).mean(1) + (ridge * z**2).sum(1) / 2

    now = value(z)
    for _ in range(60):
        m = np.einsum("bpk,bk->bp", designs, z)
        slope, bend = -expit(-m) / m.shape[1], expit(m) * expit(-m) / m.shape[1]
        gradient = np.einsum("bpk,bp->bk", designs, slope) + ridge * z
        if np.abs(gradient).max() < 1e-9:
            return now
        hessian = designs.transpose(0, 2, 1) @ (bend[..., None] * designs) + np.diag(ridge)
        step = -np.linalg.solve(hessian, gradient[..., None])[..., 0]
        share = np.ones(len(z))
        for _ in range(40):
            new = value(z + share[:, None] * step)
            worse = new > now + 1e-14  # rounding is not worse
            if not worse.any():
                break
            share[worse] /= 2
        z, now = z + share[:, None] * step, new
    raise AssertionError("The referee's Newton steps did not converge.")


def random_instance(seed):
    """A small problem with a weak signal, correlated columns and, mostly, some outliers."""
    rng = np.random.default_rng(seed)
    p, n_pos, n_unl = rng.integers(4, 11), rng.integers(5, 11), rng.integers(8, 25)
    s, t = int(rng.integers(1, 4)), int(rng.integers(0, 4))
    weights = rng.normal(size=p) * (rng.uniform(size=p) < 0.5)
    mixing = np.eye(p) + rng.uniform(0, 0.7) * rng.normal(size=(p, p))
    X = rng.normal(size=(n_pos + n_unl, p)) @ mixing
    X[:n_pos] += weights * rng.uniform(0, 1.5)
    X[:t] -= 3 * weights
    is_positive = np.arange(n_pos + n_unl) < n_pos
    l2, shift_l2 = 10 ** rng.uniform(-4, 0), 10 ** rng.uniform(-3, -1)
    return X, is_positive, l2, shift_l2, s, t


def evidence_of(ranks, weight):
    """A third of the log-likelihood of ranks: Beta(a, 1) if right, Beta(1, b) if wrong, by per cents.

    Only positives that were held out count. The distribution functions are x^a and 1 - (1 - x)^b.
    """
    held_out = ~np.isnan(ranks)
    low, times = np.minimum(np.floor(100 * np.asarray(ranks)[held_out]), 99) / 100, np.asarray(weight)[held_out]
    eta, a, b = (each[..., None] for each in np.meshgrid(WRONG_SHARES, SHARPNESS, SHARPNESS, indexing="ij"))
    right, wrong = (low + 0.01) ** a - low**a, (1 - low) ** b - np.maximum(1 - low - 0.01, 0) ** b
    likelihood = np.prod((100 * ((1 - eta) * right + eta * wrong)) ** times, axis=-1)
    return np.log(np.average(likelihood, weights=np.exp(-eta[..., 0] / CONTAMINATION_SCALE))) / 3
