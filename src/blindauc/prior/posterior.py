"""The posterior of the class prior, the contamination and the AUC, over a library of class shapes.

    labelled   ~ (1 - eta) f1 + eta f0            eta: contamination
    unlabelled ~ prior f1 + (1 - prior) f0        a:   share of labelled among all scores

The pooled samples have the density A f1 + (1 - A) f0 with A = a (1 - eta) + (1 - a) prior. Its distribution function
is known from the pooled ranks. Therefore a shape (f0, f1) and A determine the mass of f0 and of f1 in each bin, and the
likelihood of (shape, prior, eta) is that of two multinomial samples:

    sum_b labelled_b log((1 - eta) f1_b + eta f0_b) + unlabelled_b log(prior f1_b + (1 - prior) f0_b)

Checked labels add the probability of the results of the checks, given their scores: in each bin, (1 - eta) f1 or eta f0
divided by their sum. The selection of the checked labels may depend on the scores (Rubin, Inference and missing data,
Biometrika 1976).

Without negatives none of the three parameters is identified by the data alone (Scott, Blanchard & Handy 2013): a shape
with a bounded ratio f1/f0 and a smaller prior fits the same ranks. Therefore an interval contains every value with
which some mixture fits the ranks nearly as well as the best one:

    { x : 2 (max l - max_{mixtures with x} l) <= chi2_1(confidence) },    l = log-likelihood + log-prior

This interval also covers parameters that are only partially identified (Chen, Christensen & Tamer, Econometrica 2018,
procedure 3), while central quantiles of the posterior would depend on the prior over shapes. Estimates, probabilities
and suspicion are posterior averages over all mixtures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import ndtr

from blindauc._typing import Floats, Ints
from blindauc.estimate import Estimate
from blindauc.prior.plausible import REACH, Plausible, limit_of, onto_limit, outermost
from blindauc.prior.samples import Counts
from blindauc.prior.shapes import SEPARATIONS, ShapeLibrary, shape_library

PRIOR_CELLS = np.linspace(0, 1, 41) ** 2
"""Edges of the cells of the class prior, all of equal weight: its square root is uniform, because positives are mostly
the rarer class (convention)."""

CONTAMINATION_CELLS = np.array([0.0, 0.015, 0.03, 0.05, 0.07, 0.09, 0.12, 0.15, 0.19, 0.24, 0.3, 0.38, 0.5])
"""Edges of the cells of the contamination (convention); labels are assumed to be mostly right."""

CLEAN_WEIGHT = 0.5
"""Prior probability that no label is wrong (convention)."""

CONTAMINATION_SCALE = 0.15
"""Mean of the exponential prior of the contamination, if some labels are wrong.

Measured by `benchmarks/intervals.py --scores` with 120 labelled rows and the prior given: with a tenth of wrong labels,
the interval of the AUC contains the true AUC in 89 % of draws at 0.1, and in 94 % at 0.15; without wrong labels, in
97 % at both values.
"""

COARSENING = 500.0
"""The likelihood of n pairs of scores is raised to the power `1 / (1 + n / COARSENING)`.

No library contains the true shape, and a large sample rejects every member. The coarsened posterior assumes only that
the sample is close to a sample from the model (Miller & Dunson, JASA 2019). At 1000 the interval of the prior contains
the true prior in 89 to 93 % of draws with 500 labelled rows (`benchmarks/intervals.py --scores`).
"""

STRAY_SHARE = 1e-3
"""Share of every class that is spread evenly over the pooled ranks, so that no single score can rule out a shape
(convention)."""

LEAST_WRONG = 1e-6
"""The contamination is at least this in the likelihood of a label found wrong, whose logarithm is then finite
(convention)."""

NEGLIGIBLE = 1e-5
"""Mixtures with a smaller posterior weight are left out of averages, to save time (convention)."""


@dataclass(frozen=True)
class Grid:
    """Grid of one parameter: values, edges of their cells, log-prior mass and log-prior density of each cell."""

    values: Floats
    low: Floats
    high: Floats
    log_weight: Floats
    log_density: Floats

    def quantile(self, mass: Floats, level: float) -> float:
        """The quantile of a distribution that is uniform inside each cell."""
        cumulative = np.cumsum(mass) / mass.sum()
        k = min(int(np.searchsorted(cumulative, level)), len(mass) - 1)
        below = cumulative[k - 1] if k else 0.0
        inside = (level - below) / (cumulative[k] - below) if cumulative[k] > below else 0.0
        return float(self.low[k] + np.clip(inside, 0, 1) * (self.high[k] - self.low[k]))

    def interval(self, profile: Floats, confidence: float) -> Ends:
        """Return the profile likelihood interval; from the outermost values it extends to the edges of their cells."""
        low, high = likely(self.values, profile, confidence)
        return (
            float(self.low[0]) if low == self.values[0] else low,
            float(self.high[-1]) if high == self.values[-1] else high,
        )


def fixed(value: float) -> Grid:
    """Return the one-point grid of a parameter that is given."""
    point, zero = np.array([value]), np.zeros(1)
    return Grid(point, point, point, zero, zero)


def prior_grid() -> Grid:
    """Return the grid of an unknown class prior."""
    low, high = PRIOR_CELLS[:-1], PRIOR_CELLS[1:]
    return Grid((low + high) / 2, low, high, np.full(len(low), -np.log(len(low))), np.zeros(len(low)))


def contamination_grid() -> Grid:
    """Return the grid of an unknown contamination: zero itself, and cells above zero."""
    low, high = CONTAMINATION_CELLS[:-1], CONTAMINATION_CELLS[1:]
    weight = np.exp(-low / CONTAMINATION_SCALE) - np.exp(-high / CONTAMINATION_SCALE)
    weight = np.append(CLEAN_WEIGHT, (1 - CLEAN_WEIGHT) * weight / weight.sum())
    values = np.append(0.0, (low + high) / 2)
    return Grid(values, np.append(0.0, low), np.append(0.0, high), np.log(weight), -values / CONTAMINATION_SCALE)


@dataclass(frozen=True)
class Posterior:
    """Posterior estimates, and the posterior means of each bin.

    Parameters
    ----------
    prior, contamination, auc : Estimate
    positive_share : ndarray of shape (n_bins,)
        The share of positives among the unlabelled rows; non-decreasing.
    wrong_share : ndarray of shape (n_bins,)
        The share of wrong labels among the labelled rows; non-increasing.
    plausible : Plausible
        The mixtures that determine the intervals of quantities of the bins.
    """

    prior: Estimate
    contamination: Estimate
    auc: Estimate
    positive_share: Floats
    wrong_share: Floats
    plausible: Plausible


def posterior(counts: Counts, prior: Grid, contamination: Grid, confidence: float) -> Posterior:
    """Compute the posterior over shape, class prior and contamination, given the counts.

    The estimate of the class prior is the posterior median. That of the contamination is the posterior mean, because
    the median is often zero, which has half of the prior probability. The estimate of the AUC is the centre of its 95 %
    interval: if labels may be wrong, the posterior mean is biased upwards.
    """
    library = shape_library()
    mixtures = Mixtures(counts, prior.values, contamination.values, library)
    log_likelihood = _power(counts) * mixtures.log_likelihood()
    log_weight = prior.log_weight[:, None] + contamination.log_weight[:, None, None]
    pure, short_tailed = (
        _normalised(log_likelihood + log_weight + belief) for belief in (library.pure, library.short_tailed)
    )
    # l in the docstring of this module.
    penalised = log_likelihood + contamination.log_density[:, None, None] + library.pure
    return Posterior(
        _estimate(
            prior.quantile(pure.sum(axis=(0, 2)), 0.5),
            prior.interval(penalised.max(axis=(0, 2)), confidence),
            confidence,
        ),
        _estimate(
            float(short_tailed.sum(axis=(1, 2)) @ contamination.values),
            contamination.interval(penalised.max(axis=(1, 2)), confidence),
            confidence,
        ),
        _estimate(sum(_auc_interval(penalised, 0.95)) / 2, _auc_interval(penalised, confidence), confidence),
        # Monotone for every shape, up to errors of the interpolation in Mixtures.
        np.maximum.accumulate(mixtures.average_positive_share(pure)),
        np.minimum.accumulate(mixtures.average_wrong_share(short_tailed)),
        _plausible(mixtures, penalised, confidence),
    )


def _plausible(mixtures: Mixtures, penalised: Floats, confidence: float) -> Plausible:
    """Return the plausible mixtures, reduced to those that can determine the end of an interval."""
    root = np.sqrt(2 * (penalised.max() - penalised))
    places = np.nonzero(root <= REACH * limit_of(confidence))
    log_ratio, far = mixtures.log_ratios(places), np.zeros(len(mixtures.counts.labelled))
    prior, contamination = mixtures.prior[places[1]], mixtures.contamination[places[0]]
    found = onto_limit(Plausible(prior, contamination, log_ratio, root[places], far, confidence))
    return outermost(found, mixtures.counts.labelled, mixtures.counts.unlabelled)


Ends = tuple[float, float]


def likely(places: Floats, profile: Floats, confidence: float) -> Ends:
    """Return the ends of the profile likelihood interval `{x : 2 (max profile - profile(x)) <= chi2_1}`.

    The square root of the deviance is interpolated linearly: for a normal likelihood it is linear in x.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior.posterior import likely
    >>> x = np.linspace(-4, 4, 9)
    >>> low, high = likely(x, -(x**2) / 2, confidence=0.95)
    >>> round(low, 2), round(high, 2)
    (-1.96, 1.96)
    """
    limit = limit_of(confidence)
    root = np.sqrt(2 * (profile.max() - profile))
    inside = np.flatnonzero(root <= limit)
    return _crossing(places, root, inside[0], -1, limit), _crossing(places, root, inside[-1], 1, limit)


def _crossing(places: Floats, root: Floats, last: int, step: int, limit: float) -> float:
    """Return where the interpolated root crosses the limit, from the last place inside to the next one outside."""
    beyond = last + step
    if not 0 <= beyond < len(places):
        return float(places[last])
    fraction = (limit - root[last]) / (root[beyond] - root[last])
    return float(places[last] + fraction * (places[beyond] - places[last]))


def _auc_interval(penalised: Floats, confidence: float) -> Ends:
    """Return the interval of the AUC, interpolated on the scale of the separation of the normal pair."""
    profile = penalised.reshape(-1, len(SEPARATIONS)).max(axis=0)
    low, high = likely(SEPARATIONS, profile, confidence)
    return float(ndtr(low / np.sqrt(2))), 1.0 if high == SEPARATIONS[-1] else float(ndtr(high / np.sqrt(2)))


def _estimate(value: float, ends: Ends, confidence: float) -> Estimate:
    """Return the estimate, with the interval extended if it does not contain the value."""
    return Estimate(value, min(value, ends[0]), max(value, ends[1]), confidence)


def _power(counts: Counts) -> float:
    pairs = 1 / (1 / counts.labelled.sum() + 1 / counts.unlabelled.sum())
    return float(1 / (1 + pairs / COARSENING))


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
        # The class masses of the bins are tabulated at a few shares A of positives in the pool, the nodes, and
        # interpolated. The nodes are chosen such that this is exact without wrong labels, and if the prior is given.
        nodes = np.unique(np.concatenate([share[0], share[:, 0] if len(prior) == 1 else share[-1:, 0]]))
        nodes = np.append(nodes, nodes[-1] + 1e-6)
        self._table = _class_masses(library, nodes, pooled / pooled.sum())
        self._node = np.clip(np.searchsorted(nodes, share, side="right") - 1, 0, len(nodes) - 2)
        self._fraction = (share - nodes[self._node]) / np.diff(nodes)[self._node]
        self._labelled_share = labelled_share

    def log_likelihood(self) -> Floats:
        """Return the log-likelihood of the counts under each mixture."""
        n_shapes = self._table.shape[2]
        result = np.empty((len(self.contamination), len(self.prior), n_shapes))
        # Single precision takes half the time, and its errors are negligible in the weights.
        table, fractions = self._table.astype(np.float32), self._fraction.astype(np.float32)
        labelled, unlabelled = self.counts.labelled.astype(np.float32), self.counts.unlabelled.astype(np.float32)
        # One contamination and one prior at a time: their shapes fit into the cache, which saves a quarter of the time.
        for (e, eta), (p, pi) in product(
            enumerate(self.contamination.astype(np.float32)), enumerate(self.prior.astype(np.float32))
        ):
            node, fraction = self._node[e, p], fractions[e, p]
            f0, f1 = (1 - fraction) * table[:, node] + fraction * table[:, node + 1]
            f_lab, f_unl = eta * f0 + (1 - eta) * f1, (1 - pi) * f0 + pi * f1
            # The exact pool is constant; dividing by the interpolated one cancels its errors.
            f_pool = self._labelled_share * f_lab + (1 - self._labelled_share) * f_unl
            log_lab, log_unl = np.log(f_lab / f_pool), np.log(f_unl / f_pool)
            # OpenBLAS sometimes reports an invalid operation although all factors are finite (numpy issue 24067).
            with np.errstate(invalid="ignore"):
                result[e, p] = log_lab @ labelled + log_unl @ unlabelled
            if self.counts.right is not None and self.counts.wrong is not None:
                # For checked labels: the probability of the result of the check, given the score.
                result[e, p] += np.log((1 - eta) * f1 / f_lab) @ self.counts.right
                result[e, p] += np.log(max(eta, LEAST_WRONG) * f0 / f_lab) @ self.counts.wrong
        return result

    def average_positive_share(self, belief: Floats) -> Floats:
        """Return the posterior mean of the share of positives among the unlabelled rows of each bin."""
        mean = np.zeros(self._table.shape[3])
        for mass, _, pi, f0, f1 in self._not_negligible(belief):
            mean += mass @ (pi * f1 / ((1 - pi) * f0 + pi * f1))
        return np.clip(mean, 0, 1)

    def average_wrong_share(self, belief: Floats) -> Floats:
        """Return the posterior mean of the share of wrong labels among the labelled rows of each bin."""
        mean = np.zeros(self._table.shape[3])
        for mass, eta, _, f0, f1 in self._not_negligible(belief):
            mean += mass @ (eta * f0 / (eta * f0 + (1 - eta) * f1))
        return np.clip(mean, 0, 1)

    def _not_negligible(self, belief: Floats) -> Iterator[tuple[Floats, ...]]:
        """Yield the mixtures that are not negligible: their mass, contamination, prior and the masses of f0 and f1."""
        e, p, shape = np.nonzero(belief > NEGLIGIBLE)
        mass = belief[e, p, shape] / belief[e, p, shape].sum()
        # In batches: all mixtures at once would take more memory than the rest of the fit.
        for piece in np.array_split(np.arange(len(e)), 1 + len(e) // 5000):
            f0, f1 = self._classes(e[piece], p[piece], shape[piece])
            yield mass[piece], self.contamination[e[piece]][:, None], self.prior[p[piece]][:, None], f0, f1

    def log_ratios(self, places: tuple[Ints, ...]) -> Floats:
        """Return log f1 - log f0 in each bin, for mixtures given by their (contamination, prior, shape) indices."""
        f0, f1 = np.log(self._classes(*places))
        # Monotone for every shape, as in `posterior`.
        return np.maximum.accumulate(f1 - f0, axis=1)

    def _classes(self, e: Ints, p: Ints, shape: Ints) -> Floats:
        """Return the masses of f0 and f1 in each bin, of shape (2, n_mixtures, n_bins)."""
        node, fraction = self._node[e, p], self._fraction[e, p][:, None]
        return (1 - fraction) * self._table[:, node, shape] + fraction * self._table[:, node + 1, shape]


def _class_masses(library: ShapeLibrary, nodes: Floats, pooled: Floats) -> Floats:
    """Return the masses of f0 and f1 in each bin, of shape (2, n_nodes, n_shapes, n_bins)."""
    edges = np.append(0.0, np.cumsum(pooled))
    below = np.empty((2, len(nodes), len(library.auc), len(edges)))
    classes = (library.negative, library.positive)
    for i, share in enumerate(nodes):
        # Interpolate the rarer class, and compute the other from the pool: dividing by the larger share is stable.
        one, other, part = (1, 0, share) if share <= 0.5 else (0, 1, 1 - share)
        for k, pool in enumerate(share * library.positive + (1 - share) * library.negative):
            below[one, i, k] = np.interp(edges, pool, classes[one][k])
        below[other, i] = (edges - part * below[one, i]) / (1 - part)
    return (1 - STRAY_SHARE) * np.maximum(np.diff(below), 0.0) + STRAY_SHARE * pooled
