"""Boosted trees that are fitted without the positives of lowest out-of-fold rank.

Boosting memorises wrong labels: in its own scores, they soon rank as high as right labels. A fit therefore leaves out
the positives with the lowest out-of-fold ranks among the unlabelled rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.evidence.folds import fold_splits
from blindauc.ranks import share_below
from blindauc.risks import Risk
from blindauc.rows.matrix import spread_of
from blindauc.scorers import tree_text
from blindauc.scorers.boosting import Boosting, RowRisk, is_installed
from blindauc.scorers.forest import TreeModel, forest
from blindauc.scorers.spec import Spec
from blindauc.scorers.tree import Tree
from blindauc.scorers.tree_text import MAX_LEAVES

__all__ = ["TreeModel", "TreeModels", "TreeScorer", "is_installed"]

TRIM_FOLDS, TRIM_SEED = 3, 2**33
"""Number of folds for the out-of-fold ranks, and a seed that no search uses (convention)."""

TRIM_LEAVES, TRIM_L2, TRIM_ROUNDS = 2, 10.0, 50
"""Settings of the fits that rank the positives: stumps, regardless of the size of the trees in the fit itself.

A cluster of wrong labels far from the other rows is usually divided over several folds, and larger trees learn from the
other folds to rank it high. Over 7 simulated families of the shaping half, leaving out 20 % of the labels catches 64 %
of the wrong ones with stumps and 36 % with trees of 8 leaves. Over 8 real data sets it catches 69 % and 73 %.
"""


class Boosted(NamedTuple):
    """The first `n_trees` trees of a text, times a factor. Fits that differ only in rounds share a text."""

    text: str
    n_trees: int
    scale: float


@dataclass(frozen=True)
class TreeModels:
    """Tree models, one for each `Boosted`.

    Parameters
    ----------
    boosted : tuple of n_models `Boosted`
    n_features : int
    outliers : mask of shape (n_models, n_pos)
    """

    boosted: tuple[Boosted, ...]
    n_features: int
    outliers: Bools
    screening: ClassVar[None] = None

    def __len__(self) -> int:
        return len(self.boosted)

    def _by_text(self) -> dict[str, list[int]]:
        """The indices of the models of each text, those with fewer trees first."""
        places: dict[str, list[int]] = {}
        for k in sorted(range(len(self)), key=lambda k: self.boosted[k].n_trees):
            places.setdefault(self.boosted[k].text, []).append(k)
        return places

    def scores(self, X: Any) -> Floats:
        scores = np.empty((X.shape[0], len(self)))
        for text, places in self._by_text().items():
            total, done = np.zeros(X.shape[0]), 0
            for k in places:  # each tree is evaluated once: the models have increasing numbers of trees
                _, n_trees, scale = self.boosted[k]
                if n_trees > done:
                    total += forest(text, self.n_features).scores(X, done, n_trees)
                    done = n_trees
                scores[:, k] = scale * total
        return scores

    @property
    def columns(self) -> Bools:
        used = [forest(text, self.n_features).splits_on[:n].any(axis=0) for text, n, _ in self.boosted]
        return np.array(used).reshape(len(self), self.n_features)

    def inclusion(self, weight: Floats) -> Floats:
        return self.columns.T.astype(np.float64) @ weight

    def subset(self, index: Ints) -> TreeModels:
        return TreeModels(tuple(self.boosted[k] for k in index), self.n_features, self.outliers[index])

    def joined(self, others: Sequence[TreeModels]) -> TreeModels:
        every = [self, *others]
        boosted = tuple(each for models in every for each in models.boosted)
        return TreeModels(boosted, self.n_features, np.vstack([models.outliers for models in every]))

    def average(self, weight: Floats) -> TreeModel:
        """The averaged model, also a sum of trees. Each tree occurs once, with the total weight of its models."""
        trees: list[Tree] = []
        for text, places in self._by_text().items():
            factor = np.zeros(self.boosted[places[-1]].n_trees)
            for k in places:
                factor[: self.boosted[k].n_trees] += weight[k] * self.boosted[k].scale
            shared = zip(forest(text, self.n_features).trees, factor.tolist(), strict=False)
            trees += [tree.scaled(f) for tree, f in shared if f != 0]
        return TreeModel.of(trees, self.n_features)


@dataclass(frozen=True)
class TreeScorer:
    """Boosted trees that minimise a risk.

    The `l2` of a spec is a ridge on the values of leaves, in units of one labelled positive.

    Parameters
    ----------
    risk : callable that returns the risk of a loss
    sample : Data, optional
        All positives and some other rows, in memory. If the rows are not in memory, trees are fitted to this sample:
        LightGBM needs every row in each of its rounds, and more than a few unlabelled rows per positive hardly change a
        fit (`blindauc.theory.enough_unlabelled`).

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.data import Data
    >>> from blindauc.losses import Logistic
    >>> from blindauc.risks import BlindAUCRisk
    >>> from blindauc.scorers.spec import Spec
    >>> from blindauc.scorers.trees import TreeScorer
    >>> x, rows = np.linspace(-1, 1, 201), np.arange(201)
    >>> data = Data(x[:, None], abs(x) > 0.8, np.ones(201), rows, rows[abs(x) > 0.8])
    >>> spec = Spec("none", "logistic", 1.0, 0.0, None, "trees", n_leaves=4, n_rounds=20)
    >>> model = TreeScorer(lambda loss: BlindAUCRisk(Logistic())).path(data, [spec]).average(np.ones(1))
    >>> low, middle, high = model.scores(np.array([[-0.9], [0.0], [0.9]]))
    >>> bool(middle < min(low, high))
    True
    """

    risk: Callable[[Any], Risk]
    sample: Data | None = None

    def ridge_unit(self, data: Any, spec: Spec) -> float:
        """One labelled positive."""
        return 1.0

    def n_coefficients(self, data: Any, spec: Spec) -> int:
        """The values of the leaves of all trees."""
        return (spec.n_leaves or 0) * (spec.n_rounds or 0)

    def path(self, data: Any, specs: Sequence[Spec]) -> TreeModels:
        """Fit every spec to the rows that are in memory. Specs that differ only in rounds are stages of one fit."""
        data = self.in_memory(data)
        runs: dict[_Run, list[int]] = {}
        for spec in specs:
            runs.setdefault(_run_of(spec), []).append(_checked("n_rounds", spec.n_rounds, 1, np.inf))
        fits = _Fits(self.risk, data)
        grown = {run: fits(run, rounds) for run, rounds in runs.items()}
        every = [grown[_run_of(spec)][spec.n_rounds or 0] for spec in specs]
        outliers = np.array([each.outliers for each in every])
        return TreeModels(tuple(each.boosted for each in every), data.n_features, outliers)

    def in_memory(self, data: Any) -> Data:
        """The rows that trees are fitted to: these, or the sample if these are not in memory."""
        if isinstance(data, Data):
            return data
        assert self.sample is not None
        return self.sample


class _Run(NamedTuple):
    """The common settings of fits that differ only in rounds."""

    loss: Any
    n_leaves: int
    l2: float
    n_outliers: float
    known_negative_share: float | None


def _run_of(spec: Spec) -> _Run:
    n_leaves = _checked("n_leaves", spec.n_leaves, 2, MAX_LEAVES)
    return _Run(spec.loss, n_leaves, spec.l2, spec.n_outliers, spec.known_negative_share)


def _checked(name: str, value: int | None, low: int, high: float) -> int:
    if value is None or not low <= value <= high:
        bounds = f"from {low} to {high}" if np.isfinite(high) else f"of at least {low}"
        raise ValueError(f"{name} must be a whole number {bounds} for trees, not {value!r}.")
    return value


class _Fit(NamedTuple):
    boosted: Boosted
    outliers: Bools


class _Fits:
    """Fits to fixed rows. Binning, and the ranks by which positives are left out, are computed once for all of them."""

    def __init__(self, risk: Callable[[Any], Risk], data: Data) -> None:
        self._risk, self._data = risk, data
        self._boosting, self._counts = Boosting(data.X, data.is_category), data.counts
        self._ranks: dict[Any, Floats] = {}

    def __call__(self, run: _Run, rounds: Sequence[int]) -> dict[int, _Fit]:
        """The fits of one run, by the number of their rounds."""
        data, outliers = self._data, self._outliers(run)
        weighed = data.weighing(run.known_negative_share)
        weight = self._counts.copy() if weighed is data else weighed.counts.copy()
        weight[np.flatnonzero(data.is_positive)[outliers]] = 0.0
        risk = self._risk(run.loss).with_known_negatives(weighed.known_negative_share)
        of_rows = RowRisk(risk, data.is_positive, weight)
        grown = self._boosting.run(of_rows, n_leaves=run.n_leaves, l2=run.l2, rounds=rounds)
        # The text is written again without those parts of LightGBM's text that scores do not need.
        text = tree_text.written(tree_text.read(grown.text, data.n_features), data.n_features)
        unl = data.is_unlabelled
        scale = [1 / spread_of(stage.scores[unl], data.weight[unl]) for stage in grown.stages]
        boosted = [Boosted(text, stage.n_trees, s) for stage, s in zip(grown.stages, scale, strict=True)]
        return {stage.n_rounds: _Fit(b, outliers) for stage, b in zip(grown.stages, boosted, strict=True)}

    def _outliers(self, run: _Run) -> Bools:
        """The positives with the lowest out-of-fold ranks; none if there are too few positives for folds.

        In-sample ranks would mark the labels that the fit has not memorised yet, right or wrong.
        """
        n_pos = int(self._data.is_positive.sum())
        n_outliers = min(round(run.n_outliers * self._data.n_unconfirmed), n_pos - 1)
        outliers = np.zeros(n_pos, dtype=bool)
        if n_outliers:
            ranks, confirmed = self._ranks_by(run.loss), self._data.is_confirmed[self._data.is_positive]
            # Confirmed positives come last: they are left out only after all others.
            order = np.lexsort((ranks, confirmed))
            outliers[order[:n_outliers]] = not np.isnan(ranks).all()
        return outliers

    def _ranks_by(self, loss: Any) -> Floats:
        if loss not in self._ranks:
            self._ranks[loss] = self._out_of_fold_ranks(self._risk(loss))
        return self._ranks[loss]

    def _out_of_fold_ranks(self, risk: Risk) -> Floats:
        """The rank of each positive among the unlabelled rows of its fold, by a fit to the other folds; else NaN."""
        data, ranks = self._data, np.full(len(self._counts), np.nan)
        # Times are ignored: all rows here are training rows, earlier than the rows on which the fit is evaluated.
        for split in fold_splits(data._replace(time=None), TRIM_FOLDS, TRIM_SEED):
            seen = data.subset(split.fitted)
            of_risk = risk.with_known_negatives(seen.known_negative_share)
            of_rows = RowRisk(of_risk, seen.is_positive, self._counts[split.fitted])
            boosting = Boosting(seen.X, seen.is_category)
            fit = boosting.run(of_rows, n_leaves=TRIM_LEAVES, l2=TRIM_L2, rounds=[TRIM_ROUNDS])
            held_out = data.subset(split.held_out)
            scores = held_out.scored_by(TreeModel(fit.text, data.n_features))
            of_unl, weight = scores[held_out.is_unlabelled], held_out.weight[held_out.is_unlabelled]
            ranks[split.held_out] = share_below(scores, of_unl, weight)
        return ranks[data.is_positive]
