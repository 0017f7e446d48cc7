"""The search: all settings together, in a race on evidence.

Every candidate is fitted to the first fold's rows; those whose odds against the leader are hopeless by what was held
out so far are not fitted to the next (a sequential probability ratio test, Wald 1945, as a race, Maron and Moore,
Hoeffding races, NIPS 1994). The leader of each shape stays in any case, so that shapes can be compared. Those that are
left at the end are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from joblib import delayed
from scipy.special import softmax

from blindauc._typing import Bools, Floats, Ints
from blindauc.choice.parallel import ReportedParallel
from blindauc.choice.verdicts import belief_by_verdicts
from blindauc.choice.weights import evidence_for, gibbs_weights, log_shape_weight, of_shapes
from blindauc.data import Data
from blindauc.evidence.folds import Split
from blindauc.evidence.out_of_fold import held_out_ranks, mean_estimate
from blindauc.scorers.contract import Model, Models, Scorer
from blindauc.scorers.spec import Spec

HOPELESS = 1000.0
"""Odds against the leader at which a candidate leaves the race, and below which it has no part in the average.

Ten times Jeffreys' "decisive" (Theory of Probability, 1961). Halved and doubled in the ablation table.
"""

LEAST_SHARE = 0.05
"""A shape with less of the weight has no part in the average: the score would be harder to read, and rank the same."""

RULES: dict[str, Callable[[Floats], Floats]] = {
    "average": lambda weights: weights,
    "best": lambda weights: (np.arange(len(weights)) == weights.argmax()).astype(np.float64),
}
"""From weights to what is taken: all candidates by their weights, or the one with the largest."""

Report = Callable[[str, int, int], None]
"""(stage, tasks done, tasks in all)"""


@dataclass(frozen=True)
class Search:
    """Candidates that were left at the end of the race, and the evidence for them.

    Parameters
    ----------
    data : Data
    specs : the candidates
    log_belief : array of shape (n_candidates,)
    ranks : array of shape (n_candidates, n_pos)
        Out-of-fold ranks of the labelled positives, averaged over repeats; NaN where one was never held out.
    splits : what was held out
    models : for each split, the candidates fitted to its other rows
    tried : every candidate of the race with its blind AUC and the number of splits that it was judged by
    rule : {"average", "best"}
    negative_ranks : array of shape (n_candidates, n_known_negatives), likewise, or None where none is known
    """

    data: Data
    specs: Sequence[Spec]
    log_belief: Floats
    ranks: Floats
    splits: Sequence[Split]
    models: Sequence[Models]
    tried: Sequence[Tried]
    rule: str = "average"
    negative_ranks: Floats | None = None

    @cached_property
    def weights(self) -> Floats:
        """The share of each candidate in the average."""
        return self._weights(None)

    def _taken(self, weights: Floats) -> Floats:
        """What is taken by the rule, without shapes of hardly any weight: they were there to be compared with."""
        taken = RULES[self.rule](weights)
        for places in of_shapes([spec.shape for spec in self.specs]).values():
            taken[places] *= taken[places].sum() >= LEAST_SHARE
        return taken / taken.sum()

    @property
    def leader(self) -> Spec:
        """The candidate with the largest weight."""
        return self.specs[int(self.weights.argmax())]

    def by_shape(self) -> dict[str, float]:
        """The share of each shape in the average."""
        shapes = np.array([spec.shape for spec in self.specs])
        return {shape: float(self.weights[shapes == shape].sum()) for shape in dict.fromkeys(shapes.tolist())}

    def weights_without(self, held_out: Bools) -> Floats:
        """The weights by the positives that a split did not hold out or, with times, that were earlier."""
        time = self.data.time
        return self._weights(~held_out if time is None else time < time[held_out].min())

    def _weights(self, voting: Bools | None) -> Floats:
        shapes, is_positive = [spec.shape for spec in self.specs], self.data.is_positive
        kept, weight = None if voting is None else voting[is_positive], self.data.counts[is_positive]
        weights = gibbs_weights(self.log_belief, self.ranks, weight, kept, shapes=shapes)
        if self.data.verdict is not None:
            belief = self.log_belief + belief_by_verdicts(self.data, self.specs, self._mean_ranks(weights), voting)
            weights = gibbs_weights(belief, self.ranks, weight, kept, shapes=shapes)
        return self._taken(weights)

    def _mean_ranks(self, weights: Floats) -> Floats:
        """The averaged rank of each row; NaN of rows without one."""
        ranks = np.full(len(self.data.row), np.nan)
        ranks[self.data.is_positive] = weights @ self.ranks
        if self.negative_ranks is not None:
            ranks[self.data.is_known_negative] = weights @ self.negative_ranks
        return ranks

    def only(self, index: Ints) -> Search:
        """The search as if it had had only some of the candidates that were left."""
        return replace(
            self,
            specs=[self.specs[int(k)] for k in index],
            log_belief=self.log_belief[index],
            ranks=self.ranks[index],
            negative_ranks=None if self.negative_ranks is None else self.negative_ranks[index],
            models=[models.subset(index) for models in self.models],
        )

    def averages(self) -> list[Model]:
        """For each split, the average of its models by evidence that the split did not hold out."""
        pairs = zip(self.splits, self.models, strict=True)
        return [models.average(self.weights_without(split.held_out)) for split, models in pairs]


@dataclass(frozen=True)
class Tried:
    """A candidate of the race: its blind AUC out of fold, the evidence for it, and by how many splits."""

    spec: Spec
    blind_auc: float
    standard_error: float
    evidence: float
    n_splits: int


def race(
    scorer: Scorer,
    data: Data,
    specs: Sequence[Spec],
    log_belief: Floats,
    splits: Sequence[Split],
    *,
    rule: str,
    n_jobs: int | None,
    report: Report,
) -> Search:
    """Judge the specs by one split after the other, and give up those that are hopeless."""
    course = _Course(scorer, data, specs, log_belief, n_jobs, report)
    for number, split in enumerate(splits):
        course.run(split, f"fold {number + 1} of {len(splits)}")
    return course.end(splits, rule)


class _Course:
    """A race under way."""

    def __init__(
        self,
        scorer: Scorer,
        data: Data,
        specs: Sequence[Spec],
        log_belief: Floats,
        n_jobs: int | None,
        report: Report,
    ) -> None:
        self.scorer, self.data, self.specs, self.log_belief = scorer, data, specs, log_belief
        self.n_jobs, self.report = n_jobs, report
        self.left = np.arange(len(specs))
        self.models: list[tuple[Ints, Models]] = []
        self.ranked = data.is_positive | data.is_known_negative
        self.is_positive = data.is_positive[self.ranked]
        self.rank_sums = np.zeros((len(specs), len(self.is_positive)))
        self.times = np.zeros(self.rank_sums.shape, dtype=int)
        self.n_splits = np.zeros(len(specs), dtype=int)
        self.pos_weight = data.counts[data.is_positive]

    def run(self, split: Split, stage: str) -> None:
        """Fit those that are left to a split and see who may go on."""
        parts = _side_by_side(self.specs, self.left)
        run = ReportedParallel(self.n_jobs, lambda n_done: self.report(stage, n_done, len(parts)))
        ends: Any = run(
            delayed(_judged)(self.scorer, self.data, split, [self.specs[index] for index in part]) for part in parts
        )
        everyone = np.concatenate(parts)
        held_out = np.flatnonzero(split.held_out[self.ranked])
        self.rank_sums[np.ix_(everyone, held_out)] += np.vstack([ranks for ranks, _ in ends])
        self.times[np.ix_(everyone, held_out)] += 1
        self.n_splits[everyone] += 1
        first, *others = [models for _, models in ends]
        self.models.append((everyone, first.joined(others)))
        self.left = np.sort(self._hopeful(everyone))
        self.models = [_only(self.left, *each) for each in self.models]

    def _hopeful(self, index: Ints) -> Ints:
        """Of each shape its leader and, unless the shape itself is hopeless, all who are not against the leader."""
        ranks, places = self._ranks(index)[:, self.is_positive], of_shapes([self.specs[k].shape for k in index])
        weight = self.pos_weight
        weights = {k: self.log_belief[index[at]] + evidence_for(ranks[at], weight) for k, at in places.items()}
        shares = {k: log_shape_weight(k, softmax(weights[k]), ranks[at], weight) for k, at in places.items()}
        worst = {k: np.log(HOPELESS) if shares[k] >= max(shares.values()) - np.log(HOPELESS) else 0.0 for k in places}
        return np.concatenate([index[at[weights[k] >= weights[k].max() - worst[k]]] for k, at in places.items()])

    def _ranks(self, index: Ints) -> Floats:
        times = self.times[index]
        return np.where(times > 0, self.rank_sums[index] / np.maximum(times, 1), np.nan)

    def end(self, splits: Sequence[Split], rule: str) -> Search:
        """The candidates that are left, with their models of every split."""
        left, models = self.left, [models for _, models in self.models]
        specs = [self.specs[int(k)] for k in left]
        ranks, is_positive = self._ranks(left), self.is_positive
        negative_ranks = None if is_positive.all() else ranks[:, ~is_positive]
        of_positives = ranks[:, is_positive]
        belief = self.log_belief[left]
        return Search(self.data, specs, belief, of_positives, splits, models, self._tried(), rule, negative_ranks)

    def _tried(self) -> list[Tried]:
        ranks = self._ranks(np.arange(len(self.specs)))[:, self.is_positive]
        means = [mean_estimate(r[~np.isnan(r)], self.pos_weight[~np.isnan(r)]) for r in ranks]
        evidence = [float(evidence_for(r[None], self.pos_weight)[0]) for r in ranks]
        rows = zip(self.specs, means, evidence, self.n_splits.tolist(), strict=True)
        return [Tried(spec, float(mean), mean.standard_error, nats, n_splits) for spec, mean, nats, n_splits in rows]


def _only(left: Ints, of: Ints, models: Models) -> tuple[Ints, Models]:
    """The models of those that are left, in their order."""
    order = np.argsort(of)
    return left, models.subset(order[np.searchsorted(of[order], left)])


def without_search(data: Data, spec: Spec) -> Search:
    """The search that tried nothing, where positives are too few to compare candidates by."""
    return Search(data, [spec], np.zeros(1), np.full((1, int(data.is_positive.sum())), np.nan), [], [], [])


def _side_by_side(specs: Sequence[Spec], index: Ints) -> list[Ints]:
    """The specs in paths that share nothing, so that they can be fitted side by side."""
    paths: dict[Any, list[int]] = {}
    for k in index:
        spec = specs[k]
        paths.setdefault((spec.kind, spec.n_outliers, spec.known_negative_share), []).append(int(k))
    return [np.array(path) for path in paths.values()]


def _judged(scorer: Scorer, data: Data, split: Split, specs: Sequence[Spec]) -> tuple[Floats, Models]:
    models, held_out = scorer.path(data.subset(split.fitted), specs), data.subset(split.held_out)
    return held_out_ranks(models, held_out, held_out.is_positive | held_out.is_known_negative), models
