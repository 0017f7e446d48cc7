"""The best that can be done with one score per row: intervals and flags of oracles, which know more than the data.

An interval of the AUC needs the prior, the contamination and the shape of the classes. `ideal_width` is for an oracle
that knows the family of shapes, and which labels are far, but neither the AUC nor the share of ordinary wrong labels;
it is that of the central 95 % of the posterior. `ideal_flags` is for an oracle that knows both densities and the
contamination.

Even with the prior and the contamination known, no valid interval is narrower than that of Theorem 1 of the paper if
all shapes are possible: two samples and two unknown densities make a saturated model, so the plain estimate is
efficient (Bickel, Klaassen, Ritov & Wellner, Efficient and adaptive estimation for semiparametric models, 1993).
`theorem_width` is the width of its interval.
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import numpy as np
from prior import DISTRIBUTIONS, pair_with_auc
from scipy.special import ndtr

from blindauc.prior import flag
from blindauc.prior.posterior import Mixtures, contamination_grid, fixed, prior_grid
from blindauc.prior.samples import count
from blindauc.prior.score_model import N_BINS
from blindauc.prior.shapes import ShapeLibrary
from blindauc.ranks import share_below

SEPARATIONS = np.arange(0.05, 4.5, 0.1)
"""AUCs from 0.51 to 0.999, as the distance of the means of the normal pair of the same AUC."""

N_DRAWN = 50_000
N_POINTS = 300

pair_of = cache(pair_with_auc)


@cache
def family_of_shapes(name: str) -> ShapeLibrary:
    """All members of a family of distributions, one for each AUC, by their distribution functions."""
    shapes, aucs = [], []
    for separation in np.linspace(0, 6, 31):
        shapes.append(_distribution_functions(DISTRIBUTIONS[name](separation)))
        aucs.append(np.trapezoid(*shapes[-1]))
    wanted = ndtr(SEPARATIONS / np.sqrt(2))
    place = np.interp(wanted, np.maximum.accumulate(aucs), np.arange(len(shapes)))
    whole, part = np.divmod(np.minimum(place, len(shapes) - 1.001), 1)
    table, k, part = np.array(shapes), whole.astype(int), part[:, None, None]
    negative, positive = np.moveaxis((1 - part) * table[k] + part * table[k + 1], 1, 0)
    return ShapeLibrary(negative, positive, wanted, np.zeros(len(wanted)), np.zeros(len(wanted)))


def _distribution_functions(pair: tuple) -> np.ndarray:
    rng = np.random.default_rng(0)
    classes = [np.sort(law(rng, N_DRAWN)) for law in pair]
    points = np.quantile(np.concatenate(classes), np.linspace(0, 1, N_POINTS)[1:-1])
    inner = [np.searchsorted(scores, points) / N_DRAWN for scores in classes]
    return np.array([np.concatenate([[0.0], each, [1.0]]) for each in inner])


def ideal_width(pos: np.ndarray, unl: np.ndarray, name: str, prior: float | None) -> float:
    """Width of the interval of the AUC of an oracle that knows the family of shapes; `pos` without far labels."""
    counts, _ = count(pos, unl)[1].merged(N_BINS)
    priors, contaminations = prior_grid() if prior is None else fixed(prior), contamination_grid()
    explained = Mixtures(counts, priors.values, contaminations.values, family_of_shapes(name)).log_likelihood()
    explained += priors.log_weight[:, None] + contaminations.log_weight[:, None, None]
    mass = np.cumsum(np.exp(explained - explained.max()).sum(axis=(0, 1)))
    edges = np.append(SEPARATIONS - 0.05, SEPARATIONS[-1] + 0.05)
    low, high = np.interp([0.025, 0.975], np.append(0.0, mass / mass[-1]), edges)
    return float(ndtr(high / np.sqrt(2)) - ndtr(low / np.sqrt(2)))


def ideal_flags(pos: np.ndarray, pair: tuple, contamination: float) -> np.ndarray:
    """The labels flagged at a false discovery rate of 20 % by an oracle that knows both densities."""
    rng = np.random.default_rng(0)
    classes = [law(rng, N_DRAWN) for law in pair]
    edges = np.quantile(np.concatenate(classes), np.linspace(0, 1, N_POINTS)[1:-1])
    negative, positive = (np.bincount(np.searchsorted(edges, each), minlength=N_POINTS - 1) for each in classes)
    wrong = contamination * negative
    wrong = wrong / np.maximum(wrong + (1 - contamination) * positive, 1e-9)
    return flag(wrong[np.searchsorted(edges, pos)], max_fdr=0.2)


def delong_width(pos: np.ndarray, neg: np.ndarray, n_pos: int, n_neg: int) -> float:
    """Width of DeLong's interval of the AUC for these numbers of rows, from many scores of each sample."""
    above = share_below(pos, neg, np.ones(len(neg))).var() / n_pos
    below = share_below(neg, pos, np.ones(len(pos))).var() / n_neg
    return float(2 * NormalDist().inv_cdf(0.975) * np.sqrt(above + below))


def theorem_width(
    pos: np.ndarray, neg: np.ndarray, n_pos: int, n_unl: int, prior: float, contamination: float
) -> float:
    """Width of the interval by Theorem 1 if prior and contamination are known, from many scores of each class."""
    n = min(len(pos), len(neg))
    labelled, unlabelled = (
        np.concatenate([pos[: round(share * n)], neg[: n - round(share * n)]]) for share in (1 - contamination, prior)
    )
    return delong_width(labelled, unlabelled, n_pos, n_unl) / (1 - prior - contamination)
