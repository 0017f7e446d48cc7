"""From the criterion to what is taken: one candidate, or an average of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.tuning.criterion import HeldOut
from blindauc.tuning.grid import Candidate

SURE = 2.0
"""Standard errors by which outlier handling must be better than none to be chosen."""

ENOUGH_TO_TELL = 300
"""Positives by which one scaling can be chosen."""

CLEARLY = 3.0
"""Standard errors below the best at which a candidate is not tried any more: it would count a hundredth at most."""


def best(candidates: Sequence[Candidate], held_out: HeldOut) -> int:
    """The candidate with the highest score; among equals the simplest."""
    scores = held_out.scores()
    return max(_by_simplicity(candidates), key=lambda index: scores[index])


def contenders(candidates: Sequence[Candidate], held_out: HeldOut) -> list[Candidate]:
    """Of each scaling and loss that may be the right one, the strongest ridge that may be.

    Which scaling is right can not be told by a few positives, and a wrong one costs more than what it does to an
    average; of many positives, only the best is left. Too weak a ridge costs more than one too strong.
    """
    top = best(candidates, held_out)
    may_be = within(held_out, top, SURE)
    is_sure = held_out.ranks.shape[1] >= ENOUGH_TO_TELL
    found = {}
    for kind in dict.fromkeys(candidate.kind for candidate in candidates):
        of_kind = [index for index, candidate in enumerate(candidates) if candidate.kind == kind]
        if may_be[of_kind].any() and (kind == candidates[top].kind or not is_sure):
            some, judged = [candidates[index] for index in of_kind], held_out.of(of_kind)
            good = within(judged, best(some, judged), 1.0)
            found[kind] = max((some[int(index)] for index in np.flatnonzero(good)), key=lambda each: each.l2)
    return list(found.values())


def _average(candidates: Sequence[Candidate], held_out: HeldOut) -> Floats:
    """Each as far as it may be the best, exp(-z^2 / 2) for one z standard errors below, with as few outliers as may do.

    Leaving out a few too many good positives is hardly seen in a score, and costs.
    """
    may_be = np.flatnonzero(within(held_out, best(candidates, held_out), 1.0))
    fewest = min(candidates[int(index)].n_outliers for index in may_be)
    some = np.flatnonzero([candidate.n_outliers == fewest for candidate in candidates])
    judged = held_out.of(some)
    top = best([candidates[int(index)] for index in some], judged)
    scores, errors = judged.scores(), judged.standard_errors_below(top)
    below = (scores[top] - scores) / np.maximum(errors, 1e-9)
    importance = np.zeros(len(candidates))
    importance[some] = np.where(np.arange(len(some)) == top, 1.0, np.exp(-(below**2) / 2))
    return importance


def _best(candidates: Sequence[Candidate], held_out: HeldOut) -> Floats:
    return _only(best(candidates, held_out), len(candidates))


def _one_standard_error(candidates: Sequence[Candidate], held_out: HeldOut) -> Floats:
    """The simplest candidate within one standard error of the highest score.

    The standard error is that of the difference, which is smaller than that of a score: the candidates are judged
    by the same rows. (The rule is that of Breiman et al., Classification and Regression Trees, 1984.)
    """
    good = within(held_out, best(candidates, held_out), 1.0)
    return _only(next(i for i in _by_simplicity(candidates) if good[i]), len(candidates))


def _only(index: int, n: int) -> Floats:
    return (np.arange(n) == index).astype(np.float64)


RULES: dict[str, Callable[[Sequence[Candidate], HeldOut], Floats]] = {
    "average": _average,
    "best": _best,
    "one_standard_error": _one_standard_error,
}


def importances(candidates: Sequence[Candidate], held_out: HeldOut, rule: str, fewest_outliers: float) -> Floats:
    """How much each candidate counts by a rule; in an average, all scalings and losses the same."""
    if rule != "average":
        return _importances(candidates, held_out, rule, fewest_outliers)
    result = np.zeros(len(candidates))
    for kind in {candidate.kind for candidate in candidates}:
        index = np.flatnonzero([candidate.kind == kind for candidate in candidates])
        part = _importances([candidates[int(i)] for i in index], held_out.of(index), rule, fewest_outliers)
        result[index] = part / part.sum()
    return result / result.max()


def _importances(candidates: Sequence[Candidate], held_out: HeldOut, rule: str, fewest_outliers: float) -> Floats:
    """Candidates with outlier handling count only where it is surely better.

    Clean positives are the common case, and leaving out good ones costs: candidates with the fewest outliers that may
    be chosen are given up only where the best of them is clearly below the best of all. Where outliers are many, more
    of the lowest ranks have to be left out to see that. Where it is not sure, candidates without outliers alone decide
    on features and ridge.
    """
    shares = sorted({candidate.n_outliers for candidate in candidates})
    is_plain = np.array([candidate.n_outliers == fewest_outliers for candidate in candidates])
    for trimmed in _trimmed(candidates, held_out):
        if not within(trimmed, best(candidates, trimmed), SURE)[is_plain].any():
            return RULES[rule](candidates, trimmed)
    plain = np.flatnonzero(is_plain)
    importance = np.zeros(len(candidates))
    importance[plain] = RULES[rule]([candidates[int(i)] for i in plain], held_out.of(plain))
    if rule == "average" and len(shares) > 1:
        importance += _of_twins(candidates, importance, shares[1], held_out.scores())
    return importance


def _trimmed(candidates: Sequence[Candidate], held_out: HeldOut) -> list[HeldOut]:
    """What was held out as it is, and with as many of the lowest ranks left out as there may be outliers."""
    most = max(candidate.n_outliers for candidate in candidates)
    return [replace(held_out, trim=trim) for trim in sorted({held_out.trim, max(held_out.trim, most)})]


def in_question(candidates: Sequence[Candidate], held_out: HeldOut) -> Bools:
    """The candidates that are not clearly worse than the best."""
    judged = _trimmed(candidates, held_out)
    return np.any([within(each, best(candidates, each), CLEARLY) for each in judged], axis=0)


def _of_twins(candidates: Sequence[Candidate], importance: Floats, n_outliers: float, scores: Floats) -> Floats:
    """To the twin of each candidate with so many outliers its importance, where the twin does not score lower.

    A mislabelled positive then counts half, and a good one that some twins leave out is in all the others. Where
    positives are few and good, twins score lower: each of those that they leave out is missed.
    """
    place = {candidate: index for index, candidate in enumerate(candidates)}
    twins = np.zeros(len(candidates))
    for index in np.flatnonzero(importance):
        twin = place[replace(candidates[int(index)], n_outliers=n_outliers)]
        if scores[twin] >= scores[index]:
            twins[twin] = importance[index]
    return twins


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
