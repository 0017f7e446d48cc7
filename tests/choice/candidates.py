"""Candidates, made-up models of them, and the race that they run."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from instances import as_data
from referee import evidence_of

from blindauc.choice.belief import Belief
from blindauc.choice.search import race
from blindauc.datasets import make_paper_data
from blindauc.evidence.folds import fold_splits
from blindauc.scorers import Spec

PAPER = make_paper_data(n_features=9, n_outliers=4, n_relevant=6, n_pos=40, n_negatives=80, random_state=0)
DATA = as_data(PAPER.X, PAPER.y_pu == 1)


def specs_of(*triples):
    return [Spec("none", "logistic", *triple) for triple in triples]


def slow_weights(belief, ranks, weight):
    """Belief times evidence, by loops."""
    unnormalised = [np.exp(b + evidence_of(r, weight)) for b, r in zip(belief, ranks, strict=True)]
    return np.array(unnormalised) / sum(unnormalised)


@dataclass(frozen=True)
class FakeModels:
    """Candidates whose rankings mix a good column and a useless one, as their ridges say."""

    mix: tuple
    n_pos: int
    screening: "FakeModels | None" = None

    def __len__(self):
        return len(self.mix)

    def scores(self, X):
        mix = np.array(self.mix)
        return X[:, [0]] * mix + X[:, [1]] * (1 - mix)

    @property
    def columns(self):
        return np.array([[m > 0, m < 1] for m in self.mix])

    @property
    def outliers(self):
        return np.zeros((len(self.mix), self.n_pos), dtype=bool)

    def subset(self, index):
        screening = None if self.screening is None else self.screening.subset(index)
        return FakeModels(tuple(self.mix[k] for k in index), self.n_pos, screening)

    def joined(self, others):
        return FakeModels(sum((each.mix for each in others), self.mix), self.n_pos)


class FakeScorer:
    """Gives `FakeModels`, and remembers which specs were fitted to which rows."""

    def __init__(self):
        self.calls = []

    def path(self, data, specs):
        self.calls.append((frozenset(data.row), list(specs)))
        return FakeModels(tuple(spec.l2 for spec in specs), int(data.is_positive.sum()))

    def fitted_to(self, rows):
        return [spec for of, specs in self.calls if of == frozenset(rows) for spec in specs]


RACE = np.random.default_rng(0).normal(size=(200, 2))
RACE[:60, 0] += 4.0
RACERS = as_data(RACE, np.arange(200) < 60)
MIXES = specs_of(*product([1.0, 0.9, 0.7, 0.5, 0.3, 0.0], [0.0, 0.1], [2]))
RACE_BELIEF = np.random.default_rng(3).normal(size=len(MIXES))
RACE_SPLITS = fold_splits(RACERS, 4, seed=0) + fold_splits(RACERS, 4, seed=1)


def raced(
    scorer=None,
    data=RACERS,
    specs=MIXES,
    log_belief=RACE_BELIEF,
    splits=RACE_SPLITS,
    rule="average",
    n_jobs=None,
    belief=None,
    **options,
):
    scorer = scorer or FakeScorer()
    report = options.get("report", lambda *_: None)
    belief = Belief.of_one_branch(log_belief) if belief is None else belief
    return race(scorer, data, specs, belief, splits, rule=rule, n_jobs=n_jobs, report=report)
