"""Models whose scores are known functions of their columns."""

import numpy as np

from blindauc.scorers.contract import mixed_difference


class Fake:
    """Any function of the rows as a model that counts how often it is evaluated."""

    def __init__(self, function, columns):
        self.scores, self.columns, self.n_evaluations = function, np.asarray(columns, dtype=bool), 0

    def probe(self, X):
        return FakeProbe(self, X)


class FakeProbe:
    def __init__(self, model, X):
        self.model, self.X, self.scores = model, X, model.scores(X)

    def replaced(self, columns, values):
        assert values.shape == (len(self.X), len(columns))
        self.model.n_evaluations += 1
        changed = self.X.copy()
        changed[:, columns] = values
        return self.model.scores(changed)

    def interaction(self, j, k, values):
        return mixed_difference(self, j, k, values)


def linear(*coef):
    return Fake(lambda X: X @ np.array(coef), np.array(coef) != 0)


def some_rows(n=300, seed=0):
    """A normal column, a skewed one, counts, an indicator and one that is mostly zero."""
    rng = np.random.default_rng(seed)
    mostly_zero = np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n))
    return np.column_stack(
        [rng.normal(size=n), rng.lognormal(size=n), rng.poisson(2, n), rng.random(n) < 0.2, mostly_zero]
    )


CURVES = [np.sin, lambda x: np.minimum(x, 3) ** 2, np.sqrt, lambda x: 2 * x, lambda x: 1.0 * (x > 0.5)]
ADDITIVE = Fake(lambda X: 10 + sum(curve(X[:, j]) for j, curve in enumerate(CURVES)), [True] * 5)
PRODUCT = Fake(lambda X: X[:, 0] * X[:, 1] + np.exp(X[:, 2] / 4) * X[:, 0] + X[:, 4], [True, True, True, False, True])
