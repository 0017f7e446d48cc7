"""From the criterion to one candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from blindauc._typing import Bools
from blindauc.tuning.criterion import HeldOut
from blindauc.tuning.grid import Candidate

SURE = 2.0
"""Standard errors by which outlier handling must be better than none to be chosen."""


def best(candidates: Sequence[Candidate], held_out: HeldOut) -> int:
    """The candidate with the highest score; among equals the simplest."""
    scores = held_out.scores()
    return max(_by_simplicity(candidates), key=lambda index: scores[index])


def central(candidates: Sequence[Candidate], held_out: HeldOut) -> int:
    """The candidate nearest to the middle of those within one standard error of the highest score.

    Among hundreds of candidates the highest score is partly luck. Those that are as good as the best lie together,
    and their middle, on the logarithmic scales of ridge and features, moves less from sample to sample.
    """
    good = within(held_out, best(candidates, held_out), 1.0)
    places = np.array([_place(candidate) for candidate in candidates])
    distance = ((places - places[good].mean(axis=0)) ** 2).sum(axis=1)
    return min((i for i in _by_simplicity(candidates) if good[i]), key=lambda index: round(distance[index], 9))


def one_standard_error(candidates: Sequence[Candidate], held_out: HeldOut) -> int:
    """The simplest candidate within one standard error of the highest score.

    The standard error is that of the difference, which is smaller than that of a score: the candidates are judged
    by the same rows. (The rule is that of Breiman et al., Classification and Regression Trees, 1984.)
    """
    good = within(held_out, best(candidates, held_out), 1.0)
    return next(i for i in _by_simplicity(candidates) if good[i])


RULES: dict[str, Callable[[Sequence[Candidate], HeldOut], int]] = {
    "central": central,
    "best": best,
    "one_standard_error": one_standard_error,
}


def choose(candidates: Sequence[Candidate], held_out: HeldOut, rule: str) -> int:
    """The candidate by a rule, without outlier handling unless that is surely better.

    Clean positives are the common case, and leaving out good ones costs: candidates without outliers are given up
    only where the best of them is clearly below the best of all. Where outliers are many, more of the lowest ranks have
    to be left out to see that.
    """
    most_outliers = max(candidate.n_outliers for candidate in candidates)
    plain = np.flatnonzero([candidate.n_outliers == 0 for candidate in candidates])
    for trim in sorted({held_out.trim, max(held_out.trim, most_outliers)}):
        trimmed = replace(held_out, trim=trim)
        if not within(trimmed, best(candidates, trimmed), SURE)[plain].any():
            return RULES[rule](candidates, trimmed)
    return int(plain[RULES[rule]([candidates[int(i)] for i in plain], held_out.of(plain))])


def within(held_out: HeldOut, index: int, n_errors: float) -> Bools:
    """The candidates whose score is at most so many standard errors of the difference below that of one."""
    scores = held_out.scores()
    return scores[index] - scores <= n_errors * held_out.standard_errors_below(index)


def _place(candidate: Candidate) -> tuple[float, float, float]:
    """Where a candidate lies: a decade of the ridge is as far as a factor of two in features or a tenth of outliers."""
    n_features = float(np.sum(candidate.n_features_to_select))
    return float(np.log10(candidate.l2)), float(np.log2(n_features)), 10 * candidate.n_outliers


def _by_simplicity(candidates: Sequence[Candidate]) -> list[int]:
    """Few features first, then few outliers, then a large ridge."""

    def key(index: int) -> tuple[float, float, float]:
        c = candidates[index]
        return float(np.sum(c.n_features_to_select)), c.n_outliers, -c.l2

    return sorted(range(len(candidates)), key=key)
