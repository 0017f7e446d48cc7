"""How candidates are weighed: record searches once, replay any rule over them in seconds.

    python benchmarks/choice.py record                    # every family, seeds 100 and 101: an hour or two on 2 cores
    python benchmarks/choice.py record --only keel/       # some of them
    python benchmarks/choice.py replay                    # the ablation table, from what was recorded

A record holds, for one draw of one family (`families.py`), the out-of-fold ranks of every labelled positive by every
candidate that the estimators may choose, and every candidate's scores on the test rows. The race is left out, so that
it can be replayed, too. Families are split in two by a fixed rule: shape on one half and report the other. (The present
constants were set with both halves of seeds 100 to 106 in view: report them on other seeds.) The scores of a candidate
are the mean over its fits to all rows and to the folds, as in the estimators. Test labels are read by `replay` alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from families import FAMILIES, half
from joblib import Parallel, delayed
from scipy.special import softmax
from scipy.stats import rankdata

from blindauc.choice import belief, search, space
from blindauc.choice.likelihood import log_likelihood
from blindauc.choice.weights import POWER, gibbs_weights
from blindauc.data import Data
from blindauc.estimators.blind_auc import blind_auc_risk
from blindauc.estimators.reading import screened
from blindauc.estimators.tuning import REPEATED_BELOW
from blindauc.evidence.folds import fold_splits
from blindauc.evidence.out_of_fold import held_out_ranks
from blindauc.scorers import LinearScorer, Spec
from blindauc.scorers.contract import Models
from blindauc.sparsity import L0, AllFeatures

FOLDER = Path("build/choice")
MOST_TESTED = 2000


# --- record -----------------------------------------------------------------------------------------------------------


def record(name: str, seed: int) -> str:
    """Fit every candidate to every fold and to all rows of one draw, and keep what they say."""
    path = FOLDER / f"{name.replace('/', '~')}~{seed}.npz"
    if path.exists():
        return f"{path.name}: already there"
    start, draw = perf_counter(), FAMILIES[name].draw(seed)
    y = np.asarray(draw.y_pu) == 1
    everyone = Data(np.asarray(draw.X, dtype=float), y, np.ones(len(y)), np.arange(len(y)), np.flatnonzero(y))
    data = screened(everyone, is_wanted=True).data
    scorer = linear_scorer(data.X.shape[1])
    specs, decades = candidates(scorer, data)
    tested = np.random.default_rng(0).permutation(len(draw.y_test))[:MOST_TESTED]
    committee = Committee(np.asarray(draw.X_test, dtype=float)[tested])
    repeats = [out_of_fold_ranks(scorer, data, specs, seed, committee) for seed in range(search_repeats(data))]
    models = scorer.path(data, specs)
    committee.add(models, data)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        ranks=np.array([ranks for ranks, _ in repeats], dtype=np.float16),
        fold=np.array([fold for _, fold in repeats]),
        decade=decades,
        scaling=np.array([spec.scaling for spec in specs]),
        share=np.array([spec.n_outliers for spec in specs]),
        n_columns=np.array([spec.n_features_to_select for spec in specs]),
        columns=models.columns,
        truth=np.zeros(0, dtype=bool) if draw.support is None else draw.support,
        scores=committee.scores.astype(np.float32),
        y_test=np.asarray(draw.y_test)[tested] == 1,
    )
    return f"{path.name}: {len(specs)} candidates, {perf_counter() - start:.0f} s"


def linear_scorer(p: int) -> LinearScorer:
    return LinearScorer(blind_auc_risk, lambda n: AllFeatures(p) if n in (None, p) else L0(p, n), 1e-3, trim=True)


def candidates(scorer: LinearScorer, data: Data) -> tuple[list[Spec], np.ndarray]:
    """All of the estimators' space, with their ridges' decades."""
    choices = space.Choices(
        shapes=("linear",),
        scalings=("standard", "none"),
        losses=("logistic",),
        ridges=None,
        outlier_shares=space.OUTLIER_SHARES,
        column_counts=space.column_counts(data.X.shape[1]),
    )
    tried = space.space_of(scorer, data, choices)
    unit = {spec.kind: scorer.ridge_unit(data, spec) for spec in {spec.kind: spec for spec in tried.specs}.values()}
    return tried.specs, np.array([round(np.log10(spec.l2 / unit[spec.kind])) for spec in tried.specs])


def search_repeats(data: Data) -> int:
    return 1 if data.is_positive.sum() >= REPEATED_BELOW else 2


class Committee:
    """The scores of test rows by each candidate, averaged over fits by the labelled positives that each has seen."""

    def __init__(self, X_test: np.ndarray) -> None:
        self.X_test, self.total, self.n_seen = X_test, 0.0, 0

    def add(self, models: Models, fitted: Data) -> None:
        n_pos = int(fitted.is_positive.sum())
        self.total, self.n_seen = self.total + n_pos * models.scores(self.X_test), self.n_seen + n_pos

    @property
    def scores(self) -> np.ndarray:
        return self.total / self.n_seen


def out_of_fold_ranks(
    scorer: LinearScorer, data: Data, specs: list[Spec], seed: int, committee: Committee
) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each labelled positive by each candidate, and the fold that held it out."""
    n_pos = int(data.is_positive.sum())
    ranks, fold = np.full((len(specs), n_pos), np.nan), np.zeros(n_pos, dtype=int)
    for k, split in enumerate(fold_splits(data, 5, seed)):
        held_out = split.held_out[data.is_positive]
        fitted = data.subset(split.fitted)
        models = scorer.path(fitted, specs)
        committee.add(models, fitted)
        ranks[:, held_out], fold[held_out] = held_out_ranks(models, data.subset(split.held_out)), k
    return ranks, fold


# --- replay -----------------------------------------------------------------------------------------------------------


class Record:
    """One recorded draw."""

    def __init__(self, path: Path) -> None:
        stored = np.load(path)
        self.name, _, self.seed = path.stem.replace("~", "/").rpartition("/")
        self.repeats, self.fold = stored["ranks"].astype(np.float32), stored["fold"]
        self.decade, self.scaling, self.share = stored["decade"], stored["scaling"], stored["share"]
        self.n_columns, self.columns, self.truth = stored["n_columns"], stored["columns"], stored["truth"]
        self.scores, self.y_test = stored["scores"], stored["y_test"]
        self.counts = np.unique(self.n_columns)[::-1]

    def auc(self, scores: np.ndarray) -> float:
        n_pos, n_neg = self.y_test.sum(), (~self.y_test).sum()
        return float((rankdata(scores)[self.y_test].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


@dataclass(frozen=True)
class Rule:
    """A space and the weights of its candidates; the defaults are what the estimators do."""

    decades: tuple[int, ...] = space.RIDGE_DECADES
    shares: tuple[float, ...] = space.OUTLIER_SHARES
    scalings: tuple[str, ...] = ("standard", "none")
    every: int = 1
    only_all_columns: bool = False
    centre: float = belief.LIKELY_RIDGE
    spread: float = 1.0
    unscaled: float = belief.UNSCALED_ODDS
    contamination: float = belief.CONTAMINATION_SCALE
    power: float = POWER
    by_mean_rank: bool = False
    elimination_odds: float = search.ELIMINATION_ODDS
    n_repeats: int = 2
    is_best: bool = False

    def weights(self, record: Record) -> np.ndarray:
        belief = -np.log1p(((record.decade - self.centre) / self.spread) ** 2)
        belief += np.where(record.scaling == "none", np.log(self.unscaled), 0.0) - record.share / self.contamination
        belief = np.where(self._in_space(record), belief, -np.inf)
        evidence = self._raced(record, belief)
        return softmax(evidence) if not self.is_best else np.eye(len(evidence))[evidence.argmax()]

    def _in_space(self, record: Record) -> np.ndarray:
        counts = record.counts[:1] if self.only_all_columns else record.counts[:: self.every]
        # Where all scalings coincide one was recorded.
        scalings = self.scalings if np.isin(record.scaling, self.scalings).any() else np.unique(record.scaling)
        return (
            np.isin(record.decade, self.decades)
            & np.isin(record.share, self.shares)
            & np.isin(record.scaling, scalings)
            & np.isin(record.n_columns, counts)
        )

    def _raced(self, record: Record, belief: np.ndarray) -> np.ndarray:
        """Log weights at the end of the race; minus infinity for those that left it."""
        ranks, fold = record.repeats[: self.n_repeats], record.fold[: self.n_repeats]
        seen = np.full(ranks.shape[::2], False)
        left, weight = np.flatnonzero(np.isfinite(belief)), np.zeros(0)
        for repeat, k in np.ndindex(len(ranks), int(fold.max()) + 1):
            seen[repeat, fold[repeat] == k] = True
            weight = belief[left] + self._evidence(ranks[:, left], seen)
            stays = weight >= weight.max() - np.log(self.elimination_odds)
            left, weight = left[stays], weight[stays]
        every = np.full(len(belief), -np.inf)
        every[left] = weight
        return every

    def _evidence(self, ranks: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """By the mean ranks of the positives seen so far: their likelihood, or their sum."""
        times = seen.sum(axis=0)
        mean = (ranks * seen[:, None]).sum(axis=0)[:, times > 0] / times[times > 0]
        if self.by_mean_rank:
            return (2 * mean - 1).sum(axis=1)
        return self.power * log_likelihood(mean, np.ones(mean.shape[1]))


ABLATION = {
    "the rule": Rule(),
    "power 1/6": Rule(power=POWER / 2),
    "power 2/3": Rule(power=2 * POWER),
    "weights by the mean rank": Rule(by_mean_rank=True),
    "no belief": Rule(spread=1e6, unscaled=1.0, contamination=1e6),
    "no belief in ridges": Rule(spread=1e6),
    "no belief in scalings": Rule(unscaled=1.0),
    "likely ridge 0.5": Rule(centre=0.5),
    "likely ridge 2": Rule(centre=2.0),
    "no belief in outliers": Rule(contamination=1e6),
    "contamination 0.075": Rule(contamination=0.075),
    "contamination 0.3": Rule(contamination=0.3),
    "unscaled 0.05": Rule(unscaled=0.05),
    "unscaled 0.2": Rule(unscaled=0.2),
    "half-width of ridges 0.5": Rule(spread=0.5),
    "half-width of ridges 2": Rule(spread=2.0),
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
}


def replay() -> None:
    records = [Record(path) for path in sorted(FOLDER.glob("*.npz"))]
    if not records:
        sys.exit(f"Nothing is recorded in {FOLDER}: run `python benchmarks/choice.py record` first.")
    check_the_rule(records[0])
    of_the_rule = np.array([auc(Rule(), record) for record in records])
    halves, kinds = np.array([half(r.name) for r in records]), np.array([r.name.partition("/")[0] for r in records])
    columns = [kinds == kind for kind in np.unique(kinds)] + [halves == "shaping", halves == "reporting"]
    heads = [*np.unique(kinds), "shaping", "reporting", "worst"]
    print(f"Test AUC in percent, {len(records)} draws; `worst` is the largest loss on a draw against the rule.")
    print(f"{'':<32}" + "".join(f"{head:>11}" for head in heads))
    for name, rule in ABLATION.items():
        values = np.array([auc(rule, record) for record in records])
        cells = [100 * values[some].mean() for some in columns] + [100 * (values - of_the_rule).min()]
        print(f"{name:<32}" + "".join(f"{cell:>11.2f}" for cell in cells), flush=True)
    hindsight = [np.array([max(record.auc(one) for one in record.scores.T) for record in records])]
    print(
        f"{'the best candidate in hindsight':<32}" + "".join(f"{100 * hindsight[0][s].mean():>11.2f}" for s in columns)
    )
    print("\nF1 of the median probability model where the columns that matter are known and few")
    for name in ("the rule", "weights by the mean rank", "half of the numbers of columns"):
        print(f"{name:<32}" + "".join(f"{f1_of(ABLATION[name], records, some):>11.2f}" for some in columns))


def check_the_rule(record: Record) -> None:
    """Without its race, the rule that is replayed must be that of the library."""
    rule = Rule(elimination_odds=1e300)
    some = rule._in_space(record)
    ranks = record.repeats.mean(axis=0)[some].astype(float)
    settings = record.decade[some].astype(float), record.scaling[some] == "none", record.share[some]
    log_belief = belief.log_belief(*settings)
    np.testing.assert_allclose(
        rule.weights(record)[some], gibbs_weights(log_belief, ranks, np.ones(ranks.shape[1])), atol=1e-3
    )


def auc(rule: Rule, record: Record) -> float:
    return record.auc(record.scores @ rule.weights(record))


def f1_of(rule: Rule, records: list[Record], some: np.ndarray) -> float:
    are_few = [record.truth.any() and record.truth.mean() < 0.5 for record in records]
    known = [record for record, is_one, few in zip(records, some, are_few, strict=True) if is_one and few]
    return float(np.mean([f1(rule, record) for record in known])) if known else np.nan


def f1(rule: Rule, record: Record) -> float:
    inclusion = rule.weights(record) @ record.columns
    support = inclusion >= min(0.5, inclusion.max())
    return 2 * (support & record.truth).sum() / (support.sum() + record.truth.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "replay"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101], help="seeds to draw, from 100 on")
    parser.add_argument("--only", default="", help="families whose name starts like this")
    arguments = parser.parse_args()
    if arguments.what == "replay":
        replay()
    else:
        jobs = [(name, seed) for seed in arguments.seeds for name in FAMILIES if name.startswith(arguments.only)]
        done: Callable = Parallel(n_jobs=2, return_as="generator_unordered")
        for line in done(delayed(record)(*job) for job in jobs):
            print(line, flush=True)
