"""How candidates are weighted: searches are recorded once, and any rule is replayed on them in seconds.

    python benchmarks/choice.py record                    # every family, seeds 100 and 101: some hours on 2 cores
    python benchmarks/choice.py record --only keel/       # some of them
    python benchmarks/choice.py replay                    # the ablation table, from what was recorded

A record holds, for one draw of one family (`families.py`), the out-of-fold ranks of every labelled positive by every
candidate of every shape that the estimators may choose, and every candidate's scores on the test rows. The race is left
out, so that it can be replayed, too. Families are split into two halves by a fixed rule: set constants on one half and
report results on the other. (The present constants were set on both halves of seeds 100 to 106, and the ridge's on seed
130: report them on other seeds.) The scores of a candidate are the mean over its fits to all rows and to the folds, as
in the estimators. Test labels are read by `replay` alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

import numpy as np
from families import FAMILIES
from joblib import Parallel, delayed
from rules import SHAPES, replay

from blindauc.choice import belief, search, space
from blindauc.choice.search import Search, race
from blindauc.data import Data
from blindauc.estimators.blind_auc import blind_auc_risk
from blindauc.estimators.reading import screened
from blindauc.estimators.shapes import scorer_of
from blindauc.estimators.tuning import REPEATED_BELOW
from blindauc.evidence.folds import fold_splits
from blindauc.scorers import LinearScorer, Spec
from blindauc.scorers.contract import Models
from blindauc.scorers.mixed import MixedScorer
from blindauc.sparsity import L0, AllFeatures

FOLDER = Path("build/choice")
MOST_TESTED = 2000


# --- record -----------------------------------------------------------------------------------------------------------


def record(name: str, seed: int, shapes: tuple[str, ...] = SHAPES) -> str:
    """Fit every candidate to every fold and to all rows of one draw, and keep the results."""
    path = FOLDER / f"{name.replace('/', '~')}~{seed}.npz"
    if path.exists():
        return f"{path.name}: already there"
    start, draw = perf_counter(), FAMILIES[name].draw(seed)
    y = np.asarray(draw.y_pu) == 1
    everyone = Data(np.asarray(draw.X, dtype=float), y, np.ones(len(y)), np.arange(len(y)), np.flatnonzero(y))
    data = screened(everyone, is_wanted=True).data
    scorer = scorer_of(linear_scorer(data.n_features), data, shapes, space.GAMMAS, has_intercept=False, seed=0)
    tried = candidates(scorer, data, shapes)
    tested = np.random.default_rng(0).permutation(len(draw.y_test))[:MOST_TESTED]
    committee = Committee(np.asarray(draw.X_test, dtype=float)[tested])
    searches = [search_without_race(scorer, data, tried, seed) for seed in range(search_repeats(data))]
    for each in searches:
        for split, models in zip(each.splits, each.models, strict=True):
            committee.add(models, data.subset(split.fitted))
    models = scorer.path(data, tried.specs)
    committee.add(models, data)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        ranks=np.array([each.ranks for each in searches], dtype=np.float16),
        screening=np.array([each.screening_ranks for each in searches], dtype=np.float16),
        fold=np.array([fold_of_positives(each) for each in searches]),
        shape=np.array([spec.shape for spec in tried.specs]),
        decade=decades(scorer, data, tried.specs),
        n_coefficients=np.array([scorer.n_coefficients(data, spec) for spec in tried.specs]),
        scaling=np.array([spec.scaling for spec in tried.specs]),
        share=np.array([spec.n_outliers for spec in tried.specs]),
        n_columns=np.array([spec.n_features_to_select or data.n_features for spec in tried.specs]),
        columns=models.columns,
        truth=np.zeros(0, dtype=bool) if draw.support is None else draw.support,
        scores=committee.scores.astype(np.float32),
        y_test=np.asarray(draw.y_test)[tested] == 1,
    )
    return f"{path.name}: {len(tried.specs)} candidates, {perf_counter() - start:.0f} s"


def linear_scorer(p: int) -> LinearScorer:
    return LinearScorer(blind_auc_risk, lambda n: AllFeatures(p) if n in (None, p) else L0(p, n), 1e-3, trim=True)


def candidates(scorer: MixedScorer, data: Data, shapes: tuple[str, ...]) -> space.Space:
    """All of the estimators' space of these shapes."""
    choices = space.Choices(
        shapes=shapes,
        scalings=space.SCALINGS_TRIED,
        losses=("logistic",),
        ridges=None,
        outlier_shares=space.OUTLIER_SHARES,
        column_counts=space.column_counts(data.n_features),
        all_columns=data.n_features,
    )
    return space.space_of(scorer, data, choices)


def decades(scorer: MixedScorer, data: Data, specs: Sequence[Spec]) -> np.ndarray:
    """The power of ten of each ridge, in units of the data's curvature; those of trees are all as probable."""
    unit = {spec.kind: 1.0 if spec.shape == "trees" else scorer.ridge_unit(data, spec) for spec in specs}
    return np.array(
        [
            belief.likeliest_decade(scorer, data, s) if s.shape == "trees" else round(np.log10(s.l2 / unit[s.kind]))
            for s in specs
        ]
    )


def search_repeats(data: Data) -> int:
    return 1 if data.is_positive.sum() >= REPEATED_BELOW else 2


def search_without_race(scorer: MixedScorer, data: Data, tried: space.Space, seed: int) -> Search:
    with patch.object(search, "ELIMINATION_ODDS", np.inf):
        splits = fold_splits(data, 5, seed)
        return race(scorer, data, tried.specs, tried.belief, splits, rule="average", n_jobs=1, report=lambda *_: None)


class Committee:
    """The scores of test rows by each candidate, averaged over fits with weights by their labelled positives."""

    def __init__(self, X_test: np.ndarray) -> None:
        self.X_test, self.total, self.n_seen = X_test, 0.0, 0

    def add(self, models: Models, fitted: Data) -> None:
        n_pos = int(fitted.is_positive.sum())
        self.total, self.n_seen = self.total + n_pos * models.scores(self.X_test), self.n_seen + n_pos

    @property
    def scores(self) -> np.ndarray:
        return self.total / self.n_seen


def fold_of_positives(found: Search) -> np.ndarray:
    """The fold that held out each labelled positive."""
    held_out = np.array([split.held_out for split in found.splits])
    return held_out[:, found.data.is_positive].argmax(axis=0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "replay"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101], help="seeds to draw, from 100 on")
    parser.add_argument("--only", default="", help="families whose name starts like this")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES, help="shapes to replay, all by default")
    arguments = parser.parse_args()
    if arguments.what == "replay":
        replay(FOLDER, tuple(arguments.shapes))
    else:
        jobs = [(name, seed) for seed in arguments.seeds for name in FAMILIES if name.startswith(arguments.only)]
        done: Callable = Parallel(n_jobs=2, return_as="generator_unordered")
        for line in done(delayed(record)(*job) for job in jobs):
            print(line, flush=True)
