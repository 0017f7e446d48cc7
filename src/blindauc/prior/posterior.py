"""What two samples of scores say about the prior and the contamination, over a library of class shapes.

    labelled   ~ (1 - eta) f1 + eta f0            eta: contamination
    unlabelled ~ prior f1 + (1 - prior) f0        a:   share of labelled among all scores

The samples pooled are A f1 + (1 - A) f0 with A = a (1 - eta) + (1 - a) prior. Their common distribution function is
known from the pooled ranks, so every shape (f0, f1) together with A says which part of f0 and of f1 falls into each
bin, and the likelihood of (shape, prior, eta) is that of two multinomial samples:

    sum_b labelled_b log((1 - eta) f1_b + eta f0_b) + unlabelled_b log(prior f1_b + (1 - prior) f0_b)

Without negatives neither number is identified by data alone (Scott, Blanchard & Handy 2013): a shape whose ratio
f1/f0 stays bounded, and a smaller prior, explain the same ranks. So nothing is maximised. The answer is the average
over all that explain the ranks, and its spread says what is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats
from blindauc.estimate import Estimate
from blindauc.prior.samples import Counts
from blindauc.prior.shapes import ShapeLibrary, shape_library

PRIOR_CELLS = np.linspace(0, 1, 51) ** 2
"""Cells of equal weight: uniform in the square root, since positives are mostly the rarer class."""

CONTAMINATION_CELLS = np.array([0.0, 0.015, 0.03, 0.05, 0.07, 0.09, 0.12, 0.15, 0.19, 0.24, 0.3, 0.38, 0.5])

CLEAN_WEIGHT = 0.5
"""Belief, before any data, that not one label is wrong."""

CONTAMINATION_SCALE = 0.1
"""Otherwise the contamination is believed to be exponential with this mean."""

CREDULITY = 50.0
"""Up to so many pairs of scores the likelihood counts in full, beyond with the square root of what it should weigh.

No library holds the true shape. Against a large sample every member is wrong, and the least wrong one would be
believed alone.
"""

STRAY_SHARE = 1e-3
"""Part of every class spread evenly over the pooled ranks, so that no single score can rule out a shape."""

N_SHARES = 40
"""Nodes of the interpolation over the share of positives in the pool."""

NEGLIGIBLE = 1e-7
"""Mixtures believed less than this do not count in averages."""


@dataclass(frozen=True)
class Grid:
    """Values of one parameter, the cells they stand for and the log-belief in each."""

    values: Floats
    low: Floats
    high: Floats
    log_weight: Floats

    def quantile(self, mass: Floats, level: float) -> float:
        """Where the cumulated mass, spread evenly inside each cell, reaches the level."""
        above = np.cumsum(mass) / mass.sum()
        k = min(int(np.searchsorted(above, level)), len(mass) - 1)
        below = above[k - 1] if k else 0.0
        inside = (level - below) / (above[k] - below) if above[k] > below else 0.0
        return float(self.low[k] + np.clip(inside, 0, 1) * (self.high[k] - self.low[k]))


def fixed(value: float) -> Grid:
    """Return the grid of a parameter that is given."""
    return Grid(np.array([value]), np.array([value]), np.array([value]), np.zeros(1))


def prior_grid() -> Grid:
    """Return the cells of an unknown prior."""
    low, high = PRIOR_CELLS[:-1], PRIOR_CELLS[1:]
    return Grid((low + high) / 2, low, high, np.full(len(low), -np.log(len(low))))


def contamination_grid() -> Grid:
    """Return zero and the cells of an unknown contamination."""
    low, high = CONTAMINATION_CELLS[:-1], CONTAMINATION_CELLS[1:]
    weight = np.exp(-low / CONTAMINATION_SCALE) - np.exp(-high / CONTAMINATION_SCALE)
    weight = np.append(CLEAN_WEIGHT, (1 - CLEAN_WEIGHT) * weight / weight.sum())
    return Grid(np.append(0.0, (low + high) / 2), np.append(0.0, low), np.append(0.0, high), np.log(weight))


@dataclass(frozen=True)
class Posterior:
    """Belief in every prior and contamination, and what it says about the rows in each bin.

    Parameters
    ----------
    prior, contamination : Estimate
    positive_share : ndarray of shape (n_bins,)
        Of the unlabelled rows; non-decreasing.
    wrong_share : ndarray of shape (n_bins,)
        Of the labelled rows; non-increasing.
    """

    prior: Estimate
    contamination: Estimate
    positive_share: Floats
    wrong_share: Floats


def posterior(counts: Counts, prior: Grid, contamination: Grid, confidence: float) -> Posterior:
    """Weigh every shape, prior and contamination by how well it explains the counts.

    The prior is a median. The contamination is a mean: its median is mostly the spike at zero.
    """
    library = shape_library()
    mixtures = Mixtures(counts, prior.values, contamination.values, library)
    evidence = _power(counts) * mixtures.log_likelihood()
    evidence += prior.log_weight[:, None] + contamination.log_weight[:, None, None]
    plain, pure, short_tailed = (
        _normalised(evidence + belief) for belief in (library.plain, library.pure, library.short_tailed)
    )
    beliefs = np.array([plain, pure, short_tailed])
    prior_masses, contamination_masses = beliefs.sum(axis=(1, 3)), beliefs.sum(axis=(2, 3))
    positive_share, _ = mixtures.average_shares(pure)
    _, wrong_share = mixtures.average_shares(short_tailed)
    return Posterior(
        _estimate(prior, prior_masses, prior.quantile(prior_masses[1], 0.5), confidence),
        _estimate(
            contamination, contamination_masses, float(contamination_masses[2] @ contamination.values), confidence
        ),
        # Monotone for every shape; the interpolation in Mixtures may break that by a hair.
        np.maximum.accumulate(positive_share),
        np.minimum.accumulate(wrong_share),
    )


def _estimate(grid: Grid, masses: Floats, value: float, confidence: float) -> Estimate:
    """Return the value with an interval that holds the central quantiles of every belief."""
    low = min(grid.quantile(mass, (1 - confidence) / 2) for mass in masses)
    high = max(grid.quantile(mass, (1 + confidence) / 2) for mass in masses)
    return Estimate(min(high, max(low, value)), low, high, confidence)


def _power(counts: Counts) -> float:
    pairs = 1 / (1 / counts.labelled.sum() + 1 / counts.unlabelled.sum())
    return min(1.0, float(np.sqrt(CREDULITY / pairs)))


def _normalised(log_mass: Floats) -> Floats:
    mass = np.exp(log_mass - log_mass.max())
    return mass / mass.sum()


class Mixtures:
    """All mixtures of a library's shapes on given counts; arrays over them are (contamination, prior, shape)."""

    def __init__(self, counts: Counts, prior: Floats, contamination: Floats, library: ShapeLibrary) -> None:
        self.counts, self.prior, self.contamination = counts, prior, contamination
        pooled = counts.labelled + counts.unlabelled
        labelled_share = float(counts.labelled.sum() / pooled.sum())
        share = labelled_share * (1 - contamination[:, None]) + (1 - labelled_share) * prior
        # The classes of every bin are tabulated over the share A of positives in the pool, and interpolated.
        # Dense near zero, where the bins change fastest.
        n_nodes = min(N_SHARES, share.size + 1)
        nodes = np.linspace(np.sqrt(share.min()), np.sqrt(share.max() + 1e-6), n_nodes) ** 2
        self._table = _class_masses(library, nodes, pooled / pooled.sum())
        self._node = np.clip(np.searchsorted(nodes, share, side="right") - 1, 0, len(nodes) - 2)
        self._beyond = (share - nodes[self._node]) / np.diff(nodes)[self._node]
        self._labelled_share = labelled_share

    def log_likelihood(self) -> Floats:
        """Return that of the counts under each mixture."""
        n_shapes = self._table.shape[2]
        result = np.empty((len(self.contamination), len(self.prior), n_shapes))
        # Single precision takes half the time, and errs by far less than a mixture's weight can tell.
        table, pi = self._table.astype(np.float32), self.prior[:, None, None].astype(np.float32)
        labelled, unlabelled = self.counts.labelled.astype(np.float32), self.counts.unlabelled.astype(np.float32)
        for e, eta in enumerate(self.contamination.astype(np.float32)):
            node, beyond = self._node[e], self._beyond[e][:, None, None].astype(table.dtype)
            f0, f1 = (1 - beyond) * table[:, node] + beyond * table[:, node + 1]
            f_lab, f_unl = eta * f0 + (1 - eta) * f1, (1 - pi) * f0 + pi * f1
            # The pool is constant but for errors of the interpolation, which cancel by dividing by it.
            f_pool = self._labelled_share * f_lab + (1 - self._labelled_share) * f_unl
            result[e] = np.log(f_lab / f_pool) @ labelled + np.log(f_unl / f_pool) @ unlabelled
        return result

    def average_shares(self, belief: Floats) -> tuple[Floats, Floats]:
        """Return the share of positives among the unlabelled and of negatives among the labelled, in each bin."""
        positive = np.zeros(self._table.shape[3])
        wrong = np.zeros_like(positive)
        e, p, shape = np.nonzero(belief > NEGLIGIBLE)
        mass = belief[e, p, shape] / belief[e, p, shape].sum()
        # In pieces: all the mixtures at once would take more memory than the rest of the fit.
        for piece in np.array_split(np.arange(len(e)), 1 + len(e) // 5000):
            node, beyond = self._node[e[piece], p[piece]], self._beyond[e[piece], p[piece]][:, None]
            k = shape[piece]
            f0, f1 = (1 - beyond) * self._table[:, node, k] + beyond * self._table[:, node + 1, k]
            pi, eta = self.prior[p[piece]][:, None], self.contamination[e[piece]][:, None]
            positive += mass[piece] @ (pi * f1 / ((1 - pi) * f0 + pi * f1))
            wrong += mass[piece] @ (eta * f0 / (eta * f0 + (1 - eta) * f1))
        return np.clip(positive, 0, 1), np.clip(wrong, 0, 1)


def _class_masses(library: ShapeLibrary, nodes: Floats, pooled: Floats) -> Floats:
    """Return the parts of f0 and of f1 in each bin, of shape (2, n_nodes, n_shapes, n_bins)."""
    edges = np.append(0.0, np.cumsum(pooled))
    steps = np.arange(library.positive.shape[1], dtype=np.float64)
    place = np.empty((len(nodes), len(library.plain), len(edges)))
    for i, share in enumerate(nodes):
        for k, distribution in enumerate(share * library.positive + (1 - share) * library.negative):
            place[i, k] = np.interp(edges, distribution, steps)
    # Both classes are linear between the same points, so one search serves the two.
    point = np.minimum(place.astype(np.intp), len(steps) - 2)
    beyond, shape = place - point, np.arange(len(library.plain))[:, None]
    table = np.array(
        [(1 - beyond) * f[shape, point] + beyond * f[shape, point + 1] for f in (library.negative, library.positive)]
    )
    return (1 - STRAY_SHARE) * np.diff(table) + STRAY_SHARE * pooled
