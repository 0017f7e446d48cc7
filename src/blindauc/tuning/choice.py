"""From the criterion to what is taken: one candidate, or an average of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.tuning.criterion import HeldOut
from blindauc.tuning.grid import Candidate

SURE = 1.5
"""Standard errors by which outlier handling must be better than none to be chosen."""

CLEARLY = 3.0
"""Standard errors below the best at which a candidate is not tried any more, however likely it was believed to be."""

OTHER_ROWS = 2.0
"""The variance of a difference of scores, compared to that over held-out positives with the fits as they are.

Other rows would have made other fits, and those of the folds share most of theirs. The correction of Nadeau and Bengio
(Inference for the generalization error, Mach. Learn. 2003), 1 + k / (k - 1) for k folds, is about this much.
"""


def best(candidates: Sequence[Candidate], held_out: HeldOut) -> int:
    """The candidate with the highest score; among equals the simplest."""
    scores = held_out.scores()
    return max(_by_simplicity(candidates), key=lambda index: scores[index])


def posterior(candidates: Sequence[Candidate], held_out: HeldOut, belief: Floats) -> Floats:
    """How far each may be the right one: belief times exp(-z^2 / (2 OTHER_ROWS)), z standard errors below the best."""
    top = best(candidates, held_out)
    scores, errors = held_out.scores(), held_out.standard_errors_below(top)
    below = (scores[top] - scores) / np.maximum(errors, 1e-9)
    return belief * np.where(np.arange(len(scores)) == top, 1.0, np.exp(-(below**2) / OTHER_ROWS / 2))


def _average(candidates: Sequence[Candidate], held_out: HeldOut, belief: Floats) -> Floats:
    """Each as far as it may be the right one, with as few outliers as may do.

    Leaving out a few too many good positives is hardly seen in a score, and costs.
    """
    may_be = np.flatnonzero(within(held_out, best(candidates, held_out), 1.0))
    fewest = min(candidates[int(index)].n_outliers for index in may_be)
    some = np.flatnonzero([candidate.n_outliers == fewest for candidate in candidates])
    importance = np.zeros(len(candidates))
    importance[some] = posterior([candidates[int(index)] for index in some], held_out.of(some), belief[some])
    return importance / importance.max()


def _best(candidates: Sequence[Candidate], held_out: HeldOut, belief: Floats) -> Floats:
    return _only(best(candidates, held_out), len(candidates))


def _one_standard_error(candidates: Sequence[Candidate], held_out: HeldOut, belief: Floats) -> Floats:
    """The simplest candidate within one standard error of the highest score.

    The standard error is that of the difference, which is smaller than that of a score: the candidates are judged
    by the same rows. (The rule is that of Breiman et al., Classification and Regression Trees, 1984.)
    """
    good = within(held_out, best(candidates, held_out), 1.0)
    return _only(next(i for i in _by_simplicity(candidates) if good[i]), len(candidates))


def _only(index: int, n: int) -> Floats:
    return (np.arange(n) == index).astype(np.float64)


RULES: dict[str, Callable[[Sequence[Candidate], HeldOut, Floats], Floats]] = {
    "average": _average,
    "best": _best,
    "one_standard_error": _one_standard_error,
}


def importances(
    candidates: Sequence[Candidate], held_out: HeldOut, belief: Floats, rule: str, fewest_outliers: float
) -> Floats:
    """How much each candidate counts by a rule; those with outlier handling only where it is surely better.

    Clean positives are the common case, and leaving out good ones costs: candidates with the fewest outliers that may
    be chosen are given up only where the best of them is clearly below the best of all. Where outliers are many, more
    of the lowest ranks have to be left out to see that. Where it is not sure, candidates without outliers alone decide
    on features and ridge.
    """
    is_plain = np.array([candidate.n_outliers == fewest_outliers for candidate in candidates])
    for trimmed in _trimmed(candidates, held_out):
        if not within(trimmed, best(candidates, trimmed), SURE)[is_plain].any():
            return RULES[rule](candidates, trimmed, belief)
    plain = np.flatnonzero(is_plain)
    importance = np.zeros(len(candidates))
    importance[plain] = RULES[rule]([candidates[int(i)] for i in plain], held_out.of(plain), belief[plain])
    return importance


def _trimmed(candidates: Sequence[Candidate], held_out: HeldOut) -> list[HeldOut]:
    """What was held out as it is, and with as many of the lowest ranks left out as there may be outliers."""
    most = max(candidate.n_outliers for candidate in candidates)
    return [replace(held_out, trim=trim) for trim in sorted({held_out.trim, max(held_out.trim, most)})]


def in_question(candidates: Sequence[Candidate], held_out: HeldOut) -> Bools:
    """The candidates that are not clearly worse than the best."""
    judged = _trimmed(candidates, held_out)
    return np.any([within(each, best(candidates, each), CLEARLY) for each in judged], axis=0)


def within(held_out: HeldOut, index: int, n_errors: float) -> Bools:
    """The candidates whose score is at most so many standard errors of the difference below that of one."""
    scores = held_out.scores()
    return scores[index] - scores <= n_errors * held_out.standard_errors_below(index)


def _by_simplicity(candidates: Sequence[Candidate]) -> list[int]:
    """Few features first, then few outliers, then a large ridge."""

    def key(index: int) -> tuple[float, float, float]:
        c = candidates[index]
        return float(np.sum(c.n_features_to_select)), c.n_outliers, -c.l2

    return sorted(range(len(candidates)), key=key)
