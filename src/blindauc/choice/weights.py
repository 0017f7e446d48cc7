"""From out-of-fold ranks to the weights of an average.

    weight of m  ~  belief of m  *  exp(sum_i (2 r_mi - 1))

where r_mi is the share of held-out unlabelled rows that candidate m ranks below labelled positive i. The mean of
2 r - 1 is the Gini coefficient of the blind AUC, 0 for a candidate that knows nothing and 1 for a perfect one. Every
labelled row counts one nat of it: a Gibbs posterior (Catoni, PAC-Bayesian supervised classification, 2007; Guedj, A
primer on PAC-Bayesian learning, 2019). A wrong label ranks low under every good candidate and lowers them all alike,
so nothing is trimmed. A candidate with more evidence and equal belief never weighs less.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from blindauc._typing import Bools, Floats


def log_weights(log_belief: Floats, ranks: Floats, weight: Floats) -> Floats:
    """The logarithm of each weight, up to a constant.

    Parameters
    ----------
    log_belief : array of shape (n_candidates,)
    ranks : array of shape (n_candidates, n_pos), NaN where a positive was never held out
    weight : array of shape (n_pos,)
    """
    return log_belief + np.nansum((2 * ranks - 1) * weight, axis=1)


def gibbs_weights(log_belief: Floats, ranks: Floats, weight: Floats, kept: Bools | None = None) -> Floats:
    """Weights that sum to one, by the ranks of some positives, which then stand for all.

    Where none is kept, the belief alone decides.

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
    return softmax(log_weights(log_belief, ranks, scale * some))
