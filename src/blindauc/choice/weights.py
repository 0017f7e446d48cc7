r"""Weights of the candidates: out-of-fold evidence times a prior over settings.

    weight of m  ~  belief in m  *  exp(evidence for m)
    evidence for m  =  POWER * log-likelihood of its ranks, and of those by its screening fit, if it has one

The rank r_mi is the share of held-out unlabelled rows that candidate m scores below labelled positive i. The likelihood
is that of a mixture of right labels, which rank high, and wrong ones, which rank low (`likelihood.py`). The weights are
a Gibbs posterior (Catoni, PAC-Bayesian supervised classification, 2007; Bissiri, Holmes and Walker, JRSS B 2016). The
mean rank alone cannot distinguish a candidate that ranks wrong labels low from one that ranks them high at the expense
of the right ones: if 30 % of the labels are wrong and far from the others, both have the same blind AUC.

Nor can the ranks of a nonlinear candidate decide whether it should leave labels out: a nonlinear score can rank a
cluster of wrong labels as high as the right ones. The screening fit, the linear fit that decides which labels a
nonlinear candidate leaves out, adds its evidence. If these labels are wrong, its likelihood is far higher when they are
left out: they then rank last, and the others higher. If they are right, and only the true score is nonlinear, it is
hardly higher.

Candidates are compared within their branch: a shape with all columns, or with selected ones. Branches are compared by
the likelihood of the averaged ranks of their candidates, so that a branch gains nothing by having many candidates.
Among candidates of the same branch and equal belief, more evidence never gives less weight.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from blindauc._typing import Bools, Floats
from blindauc.choice.belief import Belief
from blindauc.evidence.likelihood import log_likelihood

POWER = 1 / 3
"""Power of the likelihood, less than 1 because the ranks of one fold depend on the same fit and are not independent.

The posterior is then a fractional one (Bissiri, Holmes and Walker, A general framework for updating belief
distributions, JRSS B 2016). Over 83 recorded draws (`benchmarks/choice.py`), powers of 0.3, 0.4, 0.5 and 0.7 reach a
mean test AUC of 83.30, 83.24, 83.13 and 83.00.
"""


def evidence_for(ranks: Floats, weight: Floats, screening: Floats | None = None) -> Floats:
    """The evidence for each candidate, in nats.

    Parameters
    ----------
    ranks : array of shape (n_candidates, n_pos), NaN for positives never held out
    weight : array of shape (n_pos,)
    screening : array of shape (n_candidates, n_pos), optional
        The ranks by the screening fits; NaN for candidates without one.
    """
    is_held_out = ~np.isnan(ranks[0])
    held_out = weight[is_held_out]
    nats = log_likelihood(ranks[:, is_held_out], held_out)
    if screening is not None:
        is_screened = ~np.isnan(screening[:, is_held_out]).any(axis=1)
        nats[is_screened] += log_likelihood(screening[np.ix_(is_screened, is_held_out)], held_out)
    return POWER * nats


def gibbs_weights(
    belief: Belief,
    ranks: Floats,
    weight: Floats,
    kept: Bools | None = None,
    *,
    screening: Floats | None = None,
) -> Floats:
    """The weights of the candidates; they sum to one.

    Parameters
    ----------
    belief : Belief
    ranks : array of shape (n_candidates, n_pos), NaN for positives never held out
    weight : array of shape (n_pos,)
    kept : mask of shape (n_pos,), optional
        The positives whose ranks are used, with weights scaled up to the total of all ranked positives; all by default.
        If none is kept, the evidence is zero.
    screening : array of shape (n_candidates, n_pos), optional
        The ranks by the screening fits, see `evidence_for`.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import Belief
    >>> from blindauc.choice.weights import gibbs_weights
    >>> ranks = np.array([[0.9, 0.8], [0.7, 0.8]])
    >>> gibbs_weights(Belief.of_one_branch(np.zeros(2)), ranks, np.ones(2)).round(2).tolist()
    [0.58, 0.42]
    """
    ranked = ~np.isnan(ranks[0])
    some = np.where(ranked if kept is None else ranked & kept, weight, 0.0)
    scale = weight[ranked].sum() / some.sum() if some.any() else 0.0
    within, of_branches = branch_log_weights(belief, ranks, scale * some, screening)
    shares, weights = softmax(list(of_branches.values())), np.zeros(len(ranks))
    for share, index in zip(shares, belief.members().values(), strict=True):
        weights[index] = share * softmax(within[index])
    return weights


def branch_log_weights(
    belief: Belief, ranks: Floats, weight: Floats, screening: Floats | None = None
) -> tuple[Floats, dict[int, float]]:
    """Log weights of the candidates within their branches, and of the branches; each up to a constant.

    The parameters are those of `gibbs_weights`.

    Returns
    -------
    within : array of shape (n_candidates,)
    of_branches : dict from branch to number
        By the evidence of the averaged ranks of the candidates of a branch.
    """
    within, of_branches = belief.log_within.copy(), {}
    for branch, index in belief.members().items():
        within[index] += evidence_for(ranks[index], weight, None if screening is None else screening[index])
        averaged = softmax(within[index]) @ ranks[index]
        of_branches[branch] = float(belief.log_between[branch] + evidence_for(averaged[None], weight)[0])
    return within, of_branches
