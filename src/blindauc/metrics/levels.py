"""The weight of both samples at each distinct score: sorted once, for metrics and bootstrap samples."""

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
        # Scores are in descending order, so the sum over later levels is the weight at or below a score.
        not_higher = np.cumsum(self.unl[::-1])[::-1]
        return float(self.pos @ (not_higher - self.unl / 2) / (self.pos.sum() * not_higher[0]))

    @property
    def shares_above(self) -> tuple[Floats, Floats]:
        """The cumulative shares of labelled and unlabelled rows from the highest score down, starting at 0."""
        pos, unl = (np.append(0.0, np.cumsum(weight)) for weight in (self.pos, self.unl))
        return pos / pos[-1], unl / unl[-1]

    @property
    def occupied(self) -> Levels:
        """The levels of positive weight."""
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
    """Levels of bootstrap samples, each sample resampled with replacement; nothing is sorted again."""
    # Rows of weight zero do not belong to the sample, and must not be drawn.
    pos, unl = (Sample(values[weight > 0], weight[weight > 0]) for values, weight in samples)
    scores, pos_place, unl_place = _places(PUSamples(pos, unl))

    def draw(place: Ints, weight: Floats) -> Floats:
        rows = rng.randint(len(place), size=len(place))
        return _add_up(place[rows], weight[rows], len(scores))

    for _ in range(n_resamples):
        yield Levels(scores, draw(pos_place, pos.weight), draw(unl_place, unl.weight))


def _places(samples: PUSamples) -> tuple[Floats, Ints, Ints]:
    """The distinct scores, the highest first, and the index of each row's score among them."""
    negated, place = np.unique(-np.concatenate([samples.pos.values, samples.unl.values]), return_inverse=True)
    n_pos = len(samples.pos.values)
    return -negated, place[:n_pos], place[n_pos:]


def _add_up(place: Ints, weight: Floats, n_places: int) -> Floats:
    return np.bincount(place, weight, n_places).astype(np.float64, copy=False)
