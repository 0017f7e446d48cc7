r"""From out-of-fold ranks to the weights of an average.

    weight of m  ~  belief of m  *  exp(evidence of m)

Let r_mi be the share of held-out unlabelled rows that candidate m ranks below labelled positive i. Among straight lines
the evidence is sum_i (2 r_mi - 1). The mean of 2 r - 1 is the Gini coefficient of the blind AUC, 0 for a candidate that
knows nothing and 1 for a perfect one, and every labelled row counts one nat of it: a Gibbs posterior (Catoni,
PAC-Bayesian supervised classification, 2007; Guedj, A primer on PAC-Bayesian learning, 2019). A wrong label ranks low
under every good straight line and lowers them all alike, so nothing is trimmed.

A score that bends can learn where wrong labels lie. There, and between shapes, the evidence is half of the
log-likelihood of the ranks (`likelihood.py`); that of a shape is by the averaged ranks of its candidates. A candidate
with more evidence and equal belief never weighs less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from blindauc._typing import Bools, Floats, Ints
from blindauc.choice.belief import log_belief_in_shape
from blindauc.choice.likelihood import log_likelihood

POWER = 0.5
"""Of the likelihood of ranks: those of one fold share a fit, and say less than as many independent ones (a fractional
posterior, Bissiri, Holmes and Walker, A general framework for updating belief distributions, JRSS B 2016)."""


def log_weights(shape: str, log_belief: Floats, ranks: Floats, weight: Floats) -> Floats:
    """The logarithm of each weight among candidates of one shape, up to a constant.

    Parameters
    ----------
    shape : str
    log_belief : array of shape (n_candidates,)
    ranks : array of shape (n_candidates, n_pos), NaN where a positive was never held out
    weight : array of shape (n_pos,)
    """
    known = ~np.isnan(ranks[0])
    ranks, weight = ranks[:, known], weight[known]
    evidence = (2 * ranks - 1) @ weight if shape == "linear" else POWER * log_likelihood(ranks, weight)
    return log_belief + evidence


def gibbs_weights(
    log_belief: Floats, ranks: Floats, weight: Floats, kept: Bools | None = None, *, shapes: Sequence[str] | None = None
) -> Floats:
    """Weights that sum to one, by the ranks of some positives, which then stand for all.

    Where none is kept, the belief alone decides. Without `shapes`, all candidates are of one.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.weights import gibbs_weights
    >>> ranks = np.array([[0.9, 0.8], [0.7, 0.8]])
    >>> gibbs_weights(np.zeros(2), ranks, np.ones(2)).round(2).tolist()
    [0.6, 0.4]
    """
    known = ~np.isnan(ranks[0])
    some = np.where(known if kept is None else known & kept, weight, 0.0)
    scale = weight[known].sum() / some.sum() if some.any() else 0.0
    return _weights(log_belief, ranks, scale * some, of_shapes(shapes or ["linear"] * len(ranks)))


def of_shapes(shapes: Sequence[str]) -> dict[str, Ints]:
    """The places of the candidates of each shape."""
    every = np.array(shapes)
    return {shape: np.flatnonzero(every == shape) for shape in dict.fromkeys(shapes)}


def _weights(log_belief: Floats, ranks: Floats, weight: Floats, places: dict[str, Ints]) -> Floats:
    weights = np.zeros(len(log_belief))
    for shape, index in places.items():
        weights[index] = softmax(log_weights(shape, log_belief[index], ranks[index], weight))
    shares = softmax([log_shape_weight(shape, weights[k], ranks[k], weight) for shape, k in places.items()])
    for share, index in zip(shares, places.values(), strict=True):
        weights[index] *= share
    return weights


def log_shape_weight(shape: str, weights: Floats, ranks: Floats, pos_weight: Floats) -> float:
    """The logarithm of the weight of a shape whose candidates have these weights, up to a constant."""
    known = ~np.isnan(ranks[0])
    likelihood = log_likelihood((weights @ ranks[:, known])[None], pos_weight[known])
    return log_belief_in_shape(shape) + POWER * float(likelihood[0])
