"""A model that is the sum of trees, stored as LightGBM's model text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.rows.matrix import Matrix
from blindauc.rows.storage import dense
from blindauc.scorers import tree_text
from blindauc.scorers.boosting import as_lightgbm_takes_it, lightgbm, threads_for
from blindauc.scorers.tree import Tree, levels_in

PARSED = 128
"""Number of parsed texts that are cached (convention): enough for a search, with 8 fits to each of 11 sets of rows, and
its averages."""


class Forest:
    """A list of trees, with LightGBM's booster to evaluate them."""

    def __init__(self, trees: Sequence[Tree], n_features: int) -> None:
        self.trees, self.n_features = trees, n_features

    @cached_property
    def _booster(self) -> Any:
        # LightGBM's parser trusts its input. It gets a text written from checked trees, never a text from a file.
        return lightgbm().Booster(model_str=tree_text.written(self.trees, self.n_features))

    @cached_property
    def n_levels(self) -> Ints:
        """For each column, one more than the largest category code in its splits; 0 if it has no categorical split."""
        n_levels = np.zeros(self.n_features, dtype=np.intp)
        for tree in self.trees:
            for column, bitset in zip(tree.feature[tree.is_by_category], tree.bitsets, strict=True):
                n_levels[column] = max(n_levels[column], levels_in(bitset).max(initial=0) + 1)
        return n_levels

    @cached_property
    def splits_on(self) -> Bools:
        """The columns that each tree splits on, of shape (n_trees, p)."""
        used = np.zeros((len(self.trees), self.n_features), dtype=bool)
        for of_tree, tree in zip(used, self.trees, strict=True):
            of_tree[tree.feature] = True
        return used

    def scores(self, X: Any, start: int = 0, end: int | None = None) -> Floats:
        """The sum of the trees `[start:end]`; equal rows have equal scores."""
        n_trees = (len(self.trees) if end is None else end) - start
        # LightGBM reads num_iteration=0 as all iterations.
        return self._predicted(X, start_iteration=start, num_iteration=n_trees) if n_trees else np.zeros(X.shape[0])

    def contributions(self, X: Any) -> Floats:
        """The contribution of each column to each score, and the mean score as the last column: shape (n, p + 1)."""
        return dense(self._predicted(X, pred_contrib=True))

    def _predicted(self, X: Any, **options: Any) -> Any:
        if X.shape[0] == 0:
            return np.zeros((0, self.n_features + 1) if "pred_contrib" in options else 0)
        return self._booster.predict(as_lightgbm_takes_it(X), raw_score=True, num_threads=threads_for(X), **options)


@lru_cache(maxsize=PARSED)
def forest(text: str, n_features: int) -> Forest:
    """The trees of a text, parsed once. They are cached here, so that models store only the text."""
    return Forest(tree_text.read(text, n_features), n_features)


@dataclass(frozen=True)
class TreeModel:
    """The sum of the trees in a LightGBM model text.

    Parameters
    ----------
    text : str
    n_features : int

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.scorers.tree_text import written
    >>> from blindauc.scorers.forest import TreeModel
    >>> nothing = TreeModel(written([], n_features=2), n_features=2)
    >>> nothing.scores(np.ones((3, 2))).tolist()
    [0.0, 0.0, 0.0]
    """

    text: str
    n_features: int

    @classmethod
    def of(cls, trees: Iterable[Tree], n_features: int) -> TreeModel:
        """The model whose score is the sum of the given trees."""
        return cls(tree_text.written(list(trees), n_features), n_features)

    @property
    def _forest(self) -> Forest:
        return forest(self.text, self.n_features)

    def scores(self, X: Any) -> Floats:
        return self._forest.scores(X)

    @property
    def columns(self) -> Bools:
        return np.asarray(self._forest.splits_on.any(axis=0))

    def blended(self, others: Sequence[TreeModel], share: Floats) -> TreeModel:
        parts = zip([self, *others], share.tolist(), strict=True)
        return TreeModel.of(
            (tree.scaled(factor) for part, factor in parts for tree in part._forest.trees), self.n_features
        )

    def restricted(self, columns: Bools, data: Data) -> TreeModel:
        """The trees with all other columns fixed at their median or most frequent category in these rows."""
        held = self.columns & ~columns
        if not held.any():
            return self
        value = np.zeros(self.n_features)
        is_category = np.zeros_like(held) if data.is_category is None else data.is_category
        for column in np.flatnonzero(held):
            fixed_value = _most_frequent if is_category[column] else _median
            value[column] = fixed_value(data.X[:, [column]], data.weight)
        return TreeModel.of((tree.pruned(held, value) for tree in self._forest.trees), self.n_features)

    def probe(self, X: Any) -> TreeProbe:
        return TreeProbe(self._forest, dense(X))

    def contributions(self, X: Any) -> Floats:
        """TreeSHAP values over the rows that the trees were fitted to, as LightGBM computes them.

        Lundberg et al., From local explanations to global understanding with explainable AI for trees, Nat. Mach.
        Intell. 2020.
        """
        return self._forest.contributions(X)[:, :-1]

    @property
    def base(self) -> float:
        return float(sum(tree.mean_value for tree in self._forest.trees))


def _median(column: Any, weight: Floats) -> float:
    """The weighted median of the values that are not missing; NaN if all are."""
    values = dense(column)
    present = np.flatnonzero(~np.isnan(values[:, 0]))
    return float(Matrix(values).median(present, weight[present])[0]) if len(present) else np.nan


def _most_frequent(column: Any, weight: Floats) -> float:
    """The category with the largest weight; NaN if all are missing."""
    present = ~np.isnan(column[:, 0])
    codes = column[present, 0].astype(np.intp)
    return float(np.bincount(codes, weight[present]).argmax()) if len(codes) else np.nan


class TreeProbe:
    """Scores of fixed rows by trees. If values of columns change, only trees that split on them are evaluated again."""

    def __init__(self, trees: Forest, X: Floats) -> None:
        self._forest, self._X = trees, X
        self._parts: dict[tuple[int, ...], TreeProbe] = {}
        self.scores: Floats = trees.scores(X)

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        columns = tuple(columns)
        if columns not in self._parts:
            self._parts[columns] = self._part(np.any(self._forest.splits_on[:, columns], axis=1))
        part = self._parts[columns]
        return self.scores + (part._evaluated(columns, values) - part.scores)

    def interaction(self, j: int, k: int, values: Floats) -> Floats:
        part = self._part(np.all(self._forest.splits_on[:, [j, k]], axis=1))
        one, other = part._evaluated([j], values[:, :1]), part._evaluated([k], values[:, 1:])
        return part.scores - one - other + part._evaluated([j, k], values)

    def _part(self, chosen: Any) -> TreeProbe:
        """The probe of some of the trees."""
        trees = [self._forest.trees[k] for k in np.flatnonzero(chosen).tolist()]
        return TreeProbe(Forest(trees, self._forest.n_features), self._X)

    def _evaluated(self, columns: Sequence[int], values: Floats) -> Floats:
        """The scores by all trees if these columns held `values`."""
        X = self._X.copy()
        X[:, columns] = values
        return self._forest.scores(X)
