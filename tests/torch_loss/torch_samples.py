"""Samples as torch and as `pairwise_loss` take them."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make test-torch")

from numpy.testing import assert_allclose  # noqa: E402

from blindauc import pairwise_loss  # noqa: E402
from blindauc.losses import PiecewiseLoss  # noqa: E402


def value_and_gradient(values, is_positive, weight=None, loss="logistic", kept=1.0):
    """What `pairwise_loss` says, in the order of the rows."""
    weight = np.ones(len(values)) if weight is None else weight
    found = pairwise_loss(
        values[is_positive],
        values[~is_positive],
        loss=loss,
        pos_weight=weight[is_positive] * kept,
        unl_weight=weight[~is_positive],
    )
    gradient = np.empty(len(values))
    gradient[is_positive], gradient[~is_positive] = found.pos_gradient, found.unl_gradient
    return found.value, gradient


class Sample:
    """Rows in a random order, with the samples that `pairwise_loss` takes of them."""

    def __init__(self, scores, is_positive, weight=None, device="cpu"):
        order = np.random.default_rng(0).permutation(len(scores))
        self.is_positive, self.weight = is_positive[order], None if weight is None else weight[order]
        self.values = scores[order]
        self.scores = torch.tensor(self.values, device=device, requires_grad=True)
        self.labels = torch.tensor(self.is_positive.astype(int), device=device)
        self.weights = None if weight is None else torch.tensor(self.weight, device=device)

    @property
    def arguments(self):
        return self.scores, self.labels, self.weights

    def batches(self, sizes):
        """The rows in parts of these sizes, as arguments."""
        split = [[None] * len(sizes) if x is None else x.split(sizes) for x in self.arguments]
        return list(zip(*split, strict=True))

    def expected(self, loss, kept=1.0):
        """Value and gradient, with the positives' weights times `kept`."""
        return value_and_gradient(self.values, self.is_positive, self.weight, loss, kept)

    def assert_found(self, value, loss, kept=1.0):
        """The value, and the gradient that was left in the scores."""
        expected, gradient = self.expected(loss, kept)
        assert_allclose(float(value), expected, rtol=1e-10, atol=self.rounding(loss, 0))
        atol = 1e-10 * np.abs(gradient).max() + self.rounding(loss, 1)
        assert_allclose(self.scores.grad.cpu(), gradient, rtol=1e-10, atol=atol)

    def rounding(self, loss, order):
        """What the order of additions makes of powers that cancel, as the two squares of a rounded hinge do.

        The mean size of the terms times the rounding of a number. At scores of 1e9 `pairwise_loss` itself is off by as
        much, in double precision: 1e-8 of the mean of a rounded hinge.
        """
        if not isinstance(loss, PiecewiseLoss):
            return 0.0
        margins = np.abs(self.values[self.is_positive][:, None] - self.values[~self.is_positive])
        powers = loss.powers_of_order(order)
        return np.finfo(float).eps * sum(abs(power.coef) * np.mean(margins**power.degree) for power in powers)


def drawn(n_pos=60, n_unl=170, *, span=3.0, offset=0.0, decimals=None, weighted=False, device="cpu"):
    rng = np.random.default_rng(1)
    scores = offset + span * rng.normal(size=n_pos + n_unl)
    weight = np.where(rng.random(n_pos + n_unl) < 0.2, 0.0, rng.uniform(0.1, 3, n_pos + n_unl)) if weighted else None
    return Sample(
        scores if decimals is None else np.round(scores, decimals), np.arange(len(scores)) < n_pos, weight, device
    )
