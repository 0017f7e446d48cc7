"""The search: candidates of all settings in a race, fold by fold.

All candidates are fitted to the first fold. After each fold, candidates whose weight is too small relative to the
leader of their branch are eliminated (a sequential probability ratio test, Wald 1945, run as a race: Maron and Moore,
Hoeffding races, NIPS 1994). The leader of each branch always stays, so that branches can be compared. The candidates
that remain after the last fold are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from joblib import delayed

from blindauc._typing import Bools, Floats, Ints
from blindauc.choice.belief import Belief
from blindauc.choice.parallel import ReportedParallel
from blindauc.choice.verdicts import belief_by_verdicts
from blindauc.choice.weights import branch_log_weights, evidence_for, gibbs_weights
from blindauc.data import Data
from blindauc.evidence.folds import Split
from blindauc.evidence.out_of_fold import held_out_ranks, mean_estimate
from blindauc.scorers.contract import Model, Models, Scorer
from blindauc.scorers.spec import Spec

ELIMINATION_ODDS = 1000.0
"""Odds against a candidate, relative to the leader of its branch, at which it is eliminated.

Ten times what Jeffreys calls decisive (Theory of Probability, 1961). `docs/concepts/how-tuning-works.md` reports the
effect of halving and doubling it.
"""

MIN_SHAPE_WEIGHT = 0.05
"""A shape with less weight is left out of the average (convention): it would make the score harder to read and hardly
change the ranking."""

RULES: dict[str, Callable[[Floats], Floats]] = {
    "average": lambda weights: weights,
    "best": lambda weights: (np.arange(len(weights)) == weights.argmax()).astype(np.float64),
}
"""Maps weights of the candidates to shares in the final score: all in proportion to weight, or only the heaviest."""

Report = Callable[[str, int, int], None]
"""Progress callback: (stage, completed tasks, all tasks)."""


@dataclass(frozen=True)
class Search:
    """The candidates that remain after a race, and the evidence for them.

    Parameters
    ----------
    data : Data
    specs : the candidates
    belief : Belief in the candidates
    ranks : array of shape (n_candidates, n_pos)
        Out-of-fold ranks of the labelled positives, averaged over repeats; NaN for positives never held out.
    splits : the folds of the race
    models : for each split, the candidates fitted to the rows that it did not hold out
    tried : every candidate of the race, eliminated ones included
    rule : {"average", "best"}
    negative_ranks : array of shape (n_candidates, n_known_negatives)
        Out-of-fold ranks of the rows known to be negative; None if there are none.
    screening_ranks : array of shape (n_candidates, n_pos)
        Out-of-fold ranks of the labelled positives by the screening fits (`weights.py`); NaN without such a fit.
    """

    data: Data
    specs: Sequence[Spec]
    belief: Belief
    ranks: Floats
    splits: Sequence[Split]
    models: Sequence[Models]
    tried: Sequence[Tried]
    rule: str = "average"
    negative_ranks: Floats | None = None
    screening_ranks: Floats | None = None

    @cached_property
    def weights(self) -> Floats:
        """The share of each candidate in the average."""
        return self._weights(None)

    def _shares(self, weights: Floats) -> Floats:
        """The shares by the rule; 0 for shapes with less than `MIN_SHAPE_WEIGHT`."""
        shares, shapes = RULES[self.rule](weights), np.array([spec.shape for spec in self.specs])
        for shape in np.unique(shapes):
            shares[shapes == shape] *= shares[shapes == shape].sum() >= MIN_SHAPE_WEIGHT
        return shares / shares.sum()

    @property
    def leader(self) -> Spec:
        """The candidate with the largest weight."""
        return self.specs[int(self.weights.argmax())]

    def by_shape(self) -> dict[str, float]:
        """The share of each shape in the average."""
        shapes = np.array([spec.shape for spec in self.specs])
        return {shape: float(self.weights[shapes == shape].sum()) for shape in dict.fromkeys(shapes.tolist())}

    def weights_without(self, held_out: Bools) -> Floats:
        """The weights computed without the rows that a split held out; if rows have times, from earlier rows only.

        An average with these weights has not seen the held-out rows, neither in its fits nor in its weights.
        """
        time = self.data.time
        return self._weights(~held_out if time is None else time < time[held_out].min())

    def _weights(self, used: Bools | None) -> Floats:
        """The shares of the candidates, from the ranks and verdicts of the `used` rows; all rows if None."""
        is_positive, screening = self.data.is_positive, self.screening_ranks
        kept, weight = None if used is None else used[is_positive], self.data.counts[is_positive]
        weights = gibbs_weights(self.belief, self.ranks, weight, kept, screening=screening)
        if self.data.verdict is not None:
            # The probability of the verdicts depends on the ranks of the average, and these depend on the weights. This
            # is one step of the fixed-point iteration.
            factors = belief_by_verdicts(self.data, self.specs, self._mean_ranks(weights), used)
            weights = gibbs_weights(self.belief.updated(factors), self.ranks, weight, kept, screening=screening)
        return self._shares(weights)

    def _mean_ranks(self, weights: Floats) -> Floats:
        """The rank of each row, averaged over the candidates; NaN for unlabelled rows, which are not ranked."""
        ranks = np.full(len(self.data.row), np.nan)
        ranks[self.data.is_positive] = weights @ self.ranks
        if self.negative_ranks is not None:
            ranks[self.data.is_known_negative] = weights @ self.negative_ranks
        return ranks

    def only(self, index: Ints) -> Search:
        """The search with a subset of its candidates."""
        return replace(
            self,
            specs=[self.specs[int(k)] for k in index],
            belief=self.belief.only(index),
            ranks=self.ranks[index],
            negative_ranks=None if self.negative_ranks is None else self.negative_ranks[index],
            screening_ranks=None if self.screening_ranks is None else self.screening_ranks[index],
            models=[models.subset(index) for models in self.models],
        )

    def for_inclusion(self) -> Search:
        """The search with the weights that decide about columns (`belief.py`); the same if one candidate has it all."""
        return self if self.rule == "best" else replace(self, belief=self.belief.for_inclusion())

    def averages(self) -> list[Model]:
        """For each split, the average of its models, weighted without the rows that the split held out."""
        pairs = zip(self.splits, self.models, strict=True)
        return [models.average(self.weights_without(split.held_out)) for split, models in pairs]


@dataclass(frozen=True)
class Tried:
    """A candidate of the race: its out-of-fold blind AUC and the evidence for it, over `n_splits` splits."""

    spec: Spec
    blind_auc: float
    standard_error: float
    evidence: float
    n_splits: int


def race(
    scorer: Scorer,
    data: Data,
    specs: Sequence[Spec],
    belief: Belief,
    splits: Sequence[Split],
    *,
    rule: str,
    n_jobs: int | None,
    report: Report,
) -> Search:
    """Fit the specs to one split after another, and eliminate those with too little weight."""
    state = _Race(scorer, data, specs, belief, n_jobs, report)
    for number, split in enumerate(splits):
        state.run(split, f"fold {number + 1} of {len(splits)}")
    return state.end(splits, rule)


class _Race:
    """The state of a race: remaining candidates, sums of their ranks, and their models."""

    def __init__(
        self,
        scorer: Scorer,
        data: Data,
        specs: Sequence[Spec],
        belief: Belief,
        n_jobs: int | None,
        report: Report,
    ) -> None:
        self.scorer, self.data, self.specs, self.belief = scorer, data, specs, belief
        self.n_jobs, self.report = n_jobs, report
        self.remaining = np.arange(len(specs))
        self.models: list[tuple[Ints, Models]] = []
        self.ranked = data.is_positive | data.is_known_negative
        self.is_positive = data.is_positive[self.ranked]
        # Repeated folds hold a row out several times: its ranks are summed, then divided by the number of times.
        self.rank_sums = np.zeros((len(specs), len(self.is_positive)))
        self.screening_sums = np.zeros((len(specs), int(self.is_positive.sum())))
        self.n_held_out = np.zeros(self.rank_sums.shape, dtype=int)
        self.n_splits = np.zeros(len(specs), dtype=int)
        self.pos_weight = data.counts[data.is_positive]

    def run(self, split: Split, stage: str) -> None:
        """Fit the remaining candidates to a split, add up their ranks, and eliminate some."""
        parts = _independent_paths(self.specs, self.remaining)
        run = ReportedParallel(self.n_jobs, lambda n_done: self.report(stage, n_done, len(parts)))
        results: Any = run(
            delayed(_fold_ranks)(self.scorer, self.data, split, [self.specs[index] for index in part]) for part in parts
        )
        fitted = np.concatenate(parts)
        held_out = np.flatnonzero(split.held_out[self.ranked])
        self.rank_sums[np.ix_(fitted, held_out)] += np.vstack([ranks for ranks, _, _ in results])
        self.n_held_out[np.ix_(fitted, held_out)] += 1
        positives = np.flatnonzero(split.held_out[self.data.is_positive])
        self.screening_sums[np.ix_(fitted, positives)] += np.vstack([screening for _, screening, _ in results])
        self.n_splits[fitted] += 1
        first, *others = [models for *_, models in results]
        self.models.append((fitted, first.joined(others)))
        self.remaining = np.sort(self._survivors(fitted))
        # The models of eliminated candidates are dropped, also those of earlier folds.
        self.models = [_selected(self.remaining, *each) for each in self.models]

    def _survivors(self, index: Ints) -> Ints:
        """The candidates of each branch that are within `ELIMINATION_ODDS` of its leader.

        If a branch is beyond these odds relative to the best branch, only its leader remains.
        """
        ranks, belief = self._ranks(index)[:, self.is_positive], self.belief.only(index)
        within, branches = branch_log_weights(belief, ranks, self.pos_weight, self._screening_ranks(index))
        max_gap, best = np.log(ELIMINATION_ODDS), max(branches.values())
        kept = []
        for branch, at in belief.members().items():
            gap = max_gap if branches[branch] >= best - max_gap else 0.0
            kept.append(index[at[within[at] >= within[at].max() - gap]])
        return np.concatenate(kept)

    def _ranks(self, index: Ints) -> Floats:
        n_held_out = self.n_held_out[index]
        return np.where(n_held_out > 0, self.rank_sums[index] / np.maximum(n_held_out, 1), np.nan)

    def _screening_ranks(self, index: Ints) -> Floats:
        n_held_out = self.n_held_out[np.ix_(index, np.flatnonzero(self.is_positive))]
        return self.screening_sums[index] / np.maximum(n_held_out, 1)

    def end(self, splits: Sequence[Split], rule: str) -> Search:
        """The remaining candidates, with their models of every split."""
        index, models = self.remaining, [models for _, models in self.models]
        specs = [self.specs[int(k)] for k in index]
        ranks, is_positive = self._ranks(index), self.is_positive
        negative_ranks = None if is_positive.all() else ranks[:, ~is_positive]
        of_positives = ranks[:, is_positive]
        belief = self.belief.only(index)
        screening = self._screening_ranks(index)
        tried = self._tried()
        return Search(self.data, specs, belief, of_positives, splits, models, tried, rule, negative_ranks, screening)

    def _tried(self) -> list[Tried]:
        every = np.arange(len(self.specs))
        ranks, screening = self._ranks(every)[:, self.is_positive], self._screening_ranks(every)
        means = [mean_estimate(r[~np.isnan(r)], self.pos_weight[~np.isnan(r)]) for r in ranks]
        pairs = zip(ranks, screening, strict=True)
        evidence = [float(evidence_for(r[None], self.pos_weight, s[None])[0]) for r, s in pairs]
        rows = zip(self.specs, means, evidence, self.n_splits.tolist(), strict=True)
        return [Tried(spec, float(mean), mean.standard_error, nats, n_splits) for spec, mean, nats, n_splits in rows]


def _selected(wanted: Ints, fitted: Ints, models: Models) -> tuple[Ints, Models]:
    """The models of the `wanted` candidates, in their order; `models` holds those of the `fitted` candidates."""
    order = np.argsort(fitted)
    return wanted, models.subset(order[np.searchsorted(fitted[order], wanted)])


def without_search(data: Data, spec: Spec) -> Search:
    """A search with a single candidate and no splits, for data with too few positives to compare candidates."""
    belief = Belief.of_one_branch(np.zeros(1))
    return Search(data, [spec], belief, np.full((1, int(data.is_positive.sum())), np.nan), [], [], [])


def _independent_paths(specs: Sequence[Spec], index: Ints) -> list[Ints]:
    """The specs grouped into paths, which can be fitted in parallel: warm starts happen only within a path."""
    paths: dict[Any, list[int]] = {}
    for k in index:
        spec = specs[k]
        paths.setdefault((spec.kind, spec.n_outliers, spec.known_negative_share), []).append(int(k))
    return [np.array(path) for path in paths.values()]


def _fold_ranks(scorer: Scorer, data: Data, split: Split, specs: Sequence[Spec]) -> tuple[Floats, Floats, Models]:
    """Fit the specs to a split. Returns out-of-fold ranks by the models and by their screening fits, and the models.

    The models rank positives and known negatives. The screening fits rank positives; without a screening fit, these
    ranks are NaN. The specs are those of one path, and share a screening fit.
    """
    models, held_out = scorer.path(data.subset(split.fitted), specs), data.subset(split.held_out)
    ranks = held_out_ranks(models, held_out, held_out.is_positive | held_out.is_known_negative)
    screening = np.full((1, int(held_out.is_positive.sum())), np.nan)
    if models.screening is not None:
        screening = held_out_ranks(models.screening.subset(np.zeros(1, dtype=np.intp)), held_out)
    return ranks, np.tile(screening, (len(specs), 1)), models
