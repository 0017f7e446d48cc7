"""Rules by which candidates are weighted, replayed on the records of `choice.py`; its docstring says how to run it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from families import half
from scipy.special import softmax
from scipy.stats import rankdata

from blindauc.choice import belief, search, space
from blindauc.choice.weights import POWER, gibbs_weights
from blindauc.evidence.likelihood import log_likelihood
from blindauc.rows.scaling import UNIT_FREE
from blindauc.scorers.mixed import SELECTING

SHAPES = tuple(space.SHAPES)


class Record:
    """One recorded draw."""

    def __init__(self, path: Path) -> None:
        stored = np.load(path)
        self.name, _, self.seed = path.stem.replace("~", "/").rpartition("/")
        self.repeats, self.fold = stored["ranks"].astype(np.float32), stored["fold"]
        self.screening = stored["screening"].astype(np.float32)
        self.shape, self.decade, self.scaling = stored["shape"], stored["decade"], stored["scaling"]
        self.share, self.n_columns = stored["share"], stored["n_columns"]
        self.n_coefficients, self.n_pos = stored["n_coefficients"], self.repeats.shape[2]
        self.columns, self.truth = stored["columns"], stored["truth"]
        self.scores, self.y_test = stored["scores"], stored["y_test"]
        self.counts = np.unique(self.n_columns)[::-1]
        self.selects = self.n_columns < self.counts[0]

    def auc(self, scores: np.ndarray) -> float:
        n_pos, n_neg = self.y_test.sum(), (~self.y_test).sum()
        return float((rankdata(scores)[self.y_test].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


@dataclass(frozen=True)
class Group:
    """The candidates of one branch that are left, their log weights and that of the branch."""

    shape: str
    index: np.ndarray
    log_weights: np.ndarray
    log_share: float


@dataclass(frozen=True)
class Rule:
    """A space and the weights of its candidates; the defaults are what the estimators do."""

    shapes: tuple[str, ...] = SHAPES
    decades: tuple[int, ...] = space.RIDGE_DECADES
    shares: tuple[float, ...] = space.OUTLIER_SHARES
    scalings: tuple[str, ...] = space.SCALINGS_TRIED
    every: int = 1
    only_all_columns: bool = False
    centre: float = belief.LIKELY_RIDGE
    by_coefficients: bool = True
    spread: float = 1.0
    in_units: float = belief.IN_UNITS_ODDS
    contamination: float = belief.CONTAMINATION_SCALE
    nonlinear: float = belief.NONLINEAR_ODDS
    selecting: float = 1.0
    has_branches: bool = True
    power: float = POWER
    by_mean_rank: bool = False
    by_screening: bool = True
    elimination_odds: float = search.ELIMINATION_ODDS
    min_shape_weight: float = search.MIN_SHAPE_WEIGHT
    n_repeats: int = 2
    is_best: bool = False

    def weights(self, record: Record) -> np.ndarray:
        groups = self._raced(record)
        shares = softmax([group.log_share for group in groups])
        shapes = np.array([group.shape for group in groups])
        shares *= [shares[shapes == shape].sum() >= self.min_shape_weight for shape in shapes]
        weights = np.zeros(len(record.shape))
        for group, share in zip(groups, shares / shares.sum(), strict=True):
            weights[group.index] = share * softmax(group.log_weights)
        return weights if not self.is_best else np.eye(len(weights))[weights.argmax()]

    def for_inclusion(self, record: Record) -> Rule:
        """The rule with equal odds of all numbers of columns."""
        n_counts = len(np.unique(record.n_columns[self._in_space(record)]))
        return replace(self, selecting=max(n_counts - 1, 1))

    def _raced(self, record: Record) -> list[Group]:
        """The candidates that remain after the race."""
        log_belief, fold = self._log_belief(record), record.fold[: self.n_repeats]
        groups, left, seen = [], np.flatnonzero(np.isfinite(log_belief)), np.full(fold.shape, False)
        for repeat, k in np.ndindex(len(fold), int(fold.max()) + 1):
            seen[repeat, fold[repeat] == k] = True
            groups = self._groups(record, log_belief, left, seen)
            left = self._survivors(groups)
        return [
            Group(group.shape, group.index[stays], group.log_weights[stays], group.log_share)
            for group in groups
            for stays in [np.isin(group.index, left)]
        ]

    def _survivors(self, groups: list[Group]) -> np.ndarray:
        limit, best = np.log(self.elimination_odds), max(group.log_share for group in groups)
        gaps = [limit if group.log_share >= best - limit else 0.0 for group in groups]
        kept = [g.index[g.log_weights >= g.log_weights.max() - gap] for g, gap in zip(groups, gaps, strict=True)]
        return np.concatenate(kept)

    def _groups(self, record: Record, log_belief: np.ndarray, left: np.ndarray, seen: np.ndarray) -> list[Group]:
        ranks = mean_seen(record.repeats[: self.n_repeats, left], seen)
        screening = mean_seen(record.screening[: self.n_repeats, left], seen)
        groups = []
        for (shape, selects), places in self._branches(record, left).items():
            log_weights = log_belief[left[places]] + self._evidence(ranks[places])
            if self.by_screening and not np.isnan(screening[places]).any():
                log_weights += self._evidence(screening[places])
            odds = (1.0 if shape == "linear" else self.nonlinear) * (self.selecting if selects else 1.0)
            average = softmax(log_weights) @ ranks[places]
            odds /= 1 + self.selecting if self.has_branches and shape in SELECTING else 1
            log_share = np.log(odds) + self._evidence(average[None])[0]
            groups.append(Group(shape, left[places], log_weights, log_share))
        return groups

    def _branches(self, record: Record, left: np.ndarray) -> dict[tuple[str, bool], np.ndarray]:
        shape, selects = record.shape[left], record.selects[left] & self.has_branches
        every = dict.fromkeys(zip(shape.tolist(), selects.tolist(), strict=True))
        return {(s, some): np.flatnonzero((shape == s) & (selects == some)) for s, some in every}

    def _evidence(self, ranks: np.ndarray) -> np.ndarray:
        """Log weights by the likelihood of the ranks, or by their sum."""
        if self.by_mean_rank:
            return (2 * ranks - 1).sum(axis=1)
        return self.power * log_likelihood(ranks, np.ones(ranks.shape[1]))

    def _log_belief(self, record: Record) -> np.ndarray:
        coefficients = np.log10(record.n_coefficients / record.n_pos) if self.by_coefficients else 0.0
        log_belief = -np.log1p(((record.decade - self.centre - coefficients) / self.spread) ** 2)
        log_belief += np.where(np.isin(record.scaling, UNIT_FREE), 0.0, np.log(self.in_units))
        log_belief -= record.share / self.contamination
        return np.where(self._in_space(record), log_belief, -np.inf)

    def _in_space(self, record: Record) -> np.ndarray:
        counts = record.counts[:1] if self.only_all_columns else record.counts[:: self.every]
        # Of scalings that coincide only one was recorded. Only linear scores have several.
        is_linear = record.shape == "linear"
        recorded = np.unique(record.scaling[is_linear])
        scalings = np.intersect1d(self.scalings, recorded) if np.isin(self.scalings, recorded).any() else recorded
        return (
            np.isin(record.shape, self.shapes)
            & (np.isin(record.decade, self.decades) | (record.shape == "trees"))
            & np.isin(record.share, self.shares)
            & (np.isin(record.scaling, scalings) | ~is_linear)
            & np.isin(record.n_columns, counts)
        )


def mean_seen(ranks: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The mean ranks, over repeats of shape (n_repeats, n_candidates, n_pos), of the positives seen so far."""
    times = seen.sum(axis=0)
    total = np.where(seen[:, None], ranks, 0.0).sum(axis=0)
    return total[:, times > 0] / times[times > 0]


ABLATION = {
    "the rule": Rule(),
    "power 1/6": Rule(power=POWER / 2),
    "power 2/3": Rule(power=2 * POWER),
    "weights by the mean rank": Rule(by_mean_rank=True),
    "no belief": Rule(spread=1e6, in_units=1.0, contamination=1e6),
    "no belief in ridges": Rule(spread=1e6),
    "no belief in scalings": Rule(in_units=1.0),
    "likely ridge 0.5": Rule(centre=0.5),
    "likely ridge 2": Rule(centre=2.0),
    "no belief in outliers": Rule(contamination=1e6),
    "contamination 0.075": Rule(contamination=0.075),
    "contamination 0.3": Rule(contamination=0.3),
    "scalings in units 0.05": Rule(in_units=0.05),
    "scalings in units 0.2": Rule(in_units=0.2),
    "likely ridge without p / n_pos": Rule(by_coefficients=False),
    "half-width of ridges 0.5": Rule(spread=0.5),
    "half-width of ridges 2": Rule(spread=2.0),
    "odds of bent shapes 1:10": Rule(nonlinear=0.1),
    "odds of bent shapes 1:2.5": Rule(nonlinear=0.4),
    "odds of bent shapes 1:1": Rule(nonlinear=1.0),
    "all columns one of their numbers": Rule(has_branches=False),
    "odds of selecting columns 1:2": Rule(selecting=0.5),
    "odds of selecting columns 2:1": Rule(selecting=2.0),
    "shapes from 2.5 % of the weight on": Rule(min_shape_weight=0.025),
    "shapes from 10 % of the weight on": Rule(min_shape_weight=0.1),
    "no evidence of screening fits": Rule(by_screening=False),
    "linear scores alone": Rule(shapes=("linear",)),
    "one candidate, no average": Rule(is_best=True),
    "eliminated at 500": Rule(elimination_odds=500.0),
    "eliminated at 2,000": Rule(elimination_odds=2000.0),
    "no race": Rule(elimination_odds=1e300),
    "one repeat of the folds": Rule(n_repeats=1),
    "half of the ridges": Rule(decades=(1, -3, -9)),
    "no ridge below -3 decades": Rule(decades=(3, 1, -1, -3)),
    "no outliers": Rule(shares=(0.0,)),
    "shares 0, 10, 30 %": Rule(shares=(0.0, 0.1, 0.3)),
    "all columns": Rule(only_all_columns=True),
    "half of the numbers of columns": Rule(every=2),
    "standard scaling only": Rule(scalings=("standard",)),
    "columns as given only": Rule(scalings=("none",)),
    "scaling by variance only": Rule(scalings=("variance",)),
    "no scaling by variance": Rule(scalings=("standard", "none")),
}


def replay(folder: Path, shapes: tuple[str, ...]) -> None:
    rules = {name: replace(rule, shapes=tuple(set(rule.shapes) & set(shapes))) for name, rule in ABLATION.items()}
    records = [Record(path) for path in sorted(folder.glob("*.npz"))]
    if not records:
        sys.exit(f"Nothing is recorded in {folder}: run `python benchmarks/choice.py record` first.")
    check_the_rule(records[0])
    of_the_rule = np.array([auc(rules["the rule"], record) for record in records])
    halves, kinds = np.array([half(r.name) for r in records]), np.array([r.name.partition("/")[0] for r in records])
    columns = [kinds == kind for kind in np.unique(kinds)] + [halves == "shaping", halves == "reporting"]
    heads = [*np.unique(kinds), "shaping", "reporting", "worst"]
    print(f"Test AUC in percent, {len(records)} draws; `worst` is the largest loss on a draw against the rule.")
    print(f"{'':<32}" + "".join(f"{head:>11}" for head in heads))
    for name, rule in rules.items():
        values = np.array([auc(rule, record) for record in records])
        cells = [100 * values[some].mean() for some in columns] + [100 * (values - of_the_rule).min()]
        print(f"{name:<32}" + "".join(f"{cell:>11.2f}" for cell in cells), flush=True)
    hindsight = [np.array([max(record.auc(one) for one in record.scores.T) for record in records])]
    print(
        f"{'the best candidate in hindsight':<32}" + "".join(f"{100 * hindsight[0][s].mean():>11.2f}" for s in columns)
    )
    print("\nF1 of the median probability model where the columns that matter are known and few")
    for name in ("the rule", "weights by the mean rank", "half of the numbers of columns"):
        print(f"{name:<32}" + "".join(f"{f1_of(rules[name], records, some):>11.2f}" for some in columns))


def check_the_rule(record: Record) -> None:
    """Without the race and the minimal weight of a shape, the replayed rule must equal that of the library."""
    rule = Rule(elimination_odds=1e300, min_shape_weight=0.0)
    ranks, screening = (each.mean(axis=0).astype(float) for each in (record.repeats, record.screening))
    likely = [belief.decade_by_size(n, record.n_pos) for n in record.n_coefficients.tolist()]
    within = belief.log_belief(record.decade - np.array(likely), ~np.isin(record.scaling, UNIT_FREE), record.share)
    every = list(zip(record.shape.tolist(), record.selects.tolist(), strict=True))
    branches = list(dict.fromkeys(every))
    between = belief.log_belief_in_branches(branches)
    branch = np.array([branches.index(each) for each in every])
    believed = belief.Belief(within, branch, between, np.ones(len(branches), dtype=int))
    weights = gibbs_weights(believed, ranks, np.ones(ranks.shape[1]), screening=screening)
    np.testing.assert_allclose(rule.weights(record), weights, atol=1e-3)


def auc(rule: Rule, record: Record) -> float:
    return record.auc(record.scores @ rule.weights(record))


def f1_of(rule: Rule, records: list[Record], some: np.ndarray) -> float:
    are_few = [record.truth.any() and record.truth.mean() < 0.5 for record in records]
    known = [record for record, is_one, few in zip(records, some, are_few, strict=True) if is_one and few]
    return float(np.mean([f1(rule, record) for record in known])) if known else np.nan


def f1(rule: Rule, record: Record) -> float:
    weights = rule.for_inclusion(record).weights(record) * np.isin(record.shape, SELECTING)
    if not weights.any():
        return 0.0
    inclusion = weights @ record.columns / weights.sum()
    support = inclusion >= min(0.5, inclusion.max())
    return 2 * (support & record.truth).sum() / (support.sum() + record.truth.sum())
