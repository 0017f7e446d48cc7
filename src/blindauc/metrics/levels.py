"""Two samples sorted once: all that metrics and resamples of them need is the weight at each distinct score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.metrics.inputs import PUSamples, Sample


class Levels(NamedTuple):
    """The weight of either sample at each distinct score, the highest score first."""

    scores: Floats
    pos: Floats
    unl: Floats

    @property
    def blind_auc(self) -> float:
        """The share of pairs in which the positive is higher; ties count one half."""
        # From the highest down, what a positive outranks is what has not come yet.
        not_higher = np.cumsum(self.unl[::-1])[::-1]
        return float(self.pos @ (not_higher - self.unl / 2) / (self.pos.sum() * not_higher[0]))

    @property
    def shares_above(self) -> tuple[Floats, Floats]:
        """The shares of labelled and of unlabelled rows at or above no level, the first, the first two, ..."""
        pos, unl = (np.append(0.0, np.cumsum(weight)) for weight in (self.pos, self.unl))
        return pos / pos[-1], unl / unl[-1]

    @property
    def occupied(self) -> Levels:
        """Without the scores at which there is no weight."""
        there = self.pos + self.unl > 0
        return Levels(self.scores[there], self.pos[there], self.unl[there])


def levels_of(samples: PUSamples) -> Levels:
    """The levels of two samples."""
    scores, pos, unl = _places(samples)
    pos_weight, unl_weight = (
        _add_up(place, sample.weight, len(scores)) for place, sample in zip((pos, unl), samples, strict=True)
    )
    return Levels(scores, pos_weight, unl_weight).occupied


def resampled_levels(samples: PUSamples, n_resamples: int, rng: np.random.RandomState) -> Iterator[Levels]:
    """Levels of bootstrap samples: each sample drawn from itself with replacement, and nothing sorted again."""
    # A row of weight zero is not there, and must not be drawn.
    pos, unl = (Sample(values[weight > 0], weight[weight > 0]) for values, weight in samples)
    scores, pos_place, unl_place = _places(PUSamples(pos, unl))

    def draw(place: Ints, weight: Floats) -> Floats:
        rows = rng.randint(len(place), size=len(place))
        return _add_up(place[rows], weight[rows], len(scores))

    for _ in range(n_resamples):
        yield Levels(scores, draw(pos_place, pos.weight), draw(unl_place, unl.weight))


def _places(samples: PUSamples) -> tuple[Floats, Ints, Ints]:
    """The distinct scores, the highest first, and the place of each row of either sample among them."""
    negated, place = np.unique(-np.concatenate([samples.pos.values, samples.unl.values]), return_inverse=True)
    n_pos = len(samples.pos.values)
    return -negated, place[:n_pos], place[n_pos:]


def _add_up(place: Ints, weight: Floats, n_places: int) -> Floats:
    return np.bincount(place, weight, n_places).astype(np.float64, copy=False)
