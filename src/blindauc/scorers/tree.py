"""One tree of a boosted score, as arrays.

Notation, as in LightGBM: a tree of L leaves has L - 1 nodes, parents before their children. A child c >= 0 is a node,
c < 0 is the leaf ~c. A row goes left where its value is at most the threshold, or, where a column holds the numbers of
categories, where the bitset of the split holds its number: the threshold is then the place of the bitset. What is
missing, or in no bitset, goes right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from blindauc._typing import Bools, Floats, Ints

CATEGORICAL, DEFAULT_LEFT, MISSING_IS_NAN = 1, 2, 8
"""The bits of `decision_type` that we use: whether the split is by categories, where missing values go, and whether
there were any. Without any in the column, a missing number counts as zero."""

WORD, MAX_WORD = 32, 2**32 - 1
"""The bits of a word, of which bitsets have one or more, and its largest value."""


@dataclass(frozen=True)
class Tree:
    """One tree.

    Parameters
    ----------
    feature, threshold, decision_type, left, right : ndarrays of shape (n_leaves - 1,)
    leaf_value, leaf_count : ndarrays of shape (n_leaves,)
    bitsets : tuple of ndarrays of words, one for each split by categories, in the order of the nodes
    """

    feature: Ints
    threshold: Floats
    decision_type: Ints
    left: Ints
    right: Ints
    leaf_value: Floats
    leaf_count: Ints
    bitsets: tuple[Ints, ...] = ()

    @cached_property
    def text(self) -> str:
        """What LightGBM writes of the tree, but for its number; kept, since a tree is written in many a selection."""
        fields = {
            "num_leaves": [len(self.leaf_value)],
            "num_cat": [len(self.bitsets)],
            "split_feature": self.feature,
            "threshold": self.threshold,
            "decision_type": self.decision_type,
            "left_child": self.left,
            "right_child": self.right,
            "leaf_value": self.leaf_value,
            "leaf_count": self.leaf_count,
            "internal_count": _node_counts(self),
            "is_linear": [0],
            "shrinkage": [1],
        }
        if self.bitsets:
            fields["cat_boundaries"] = np.cumsum([0, *map(len, self.bitsets)])
            fields["cat_threshold"] = np.concatenate(self.bitsets)
        lines = [f"{name}={' '.join(map(repr, np.asarray(values).tolist()))}" for name, values in fields.items()]
        return "\n".join([*lines, "", ""])

    def scaled(self, factor: float) -> Tree:
        """The tree whose values are so many times larger."""
        return replace(self, leaf_value=factor * self.leaf_value)

    @property
    def mean_value(self) -> float:
        """The mean over the rows that it was fitted to."""
        return float(self.leaf_count @ self.leaf_value / self.leaf_count.sum())

    @property
    def is_by_category(self) -> Bools:
        """The nodes that split by categories."""
        return self.decision_type & CATEGORICAL > 0

    def goes_left(self, node: int, value: float) -> bool:
        """Where a value goes, as LightGBM decides it."""
        if self.decision_type[node] & CATEGORICAL:
            return value in levels_in(self.bitsets[int(self.threshold[node])])
        if np.isnan(value):
            if self.decision_type[node] & MISSING_IS_NAN:
                return bool(self.decision_type[node] & DEFAULT_LEFT)
            value = 0.0
        return bool(value <= self.threshold[node])

    def pruned(self, held: Bools, value: Floats) -> Tree:
        """The tree in which some columns have fixed values, and are no longer split on."""
        nodes: list[int] = []
        leaves: list[int] = []
        children: list[list[int]] = []
        ahead = [(0 if len(self.feature) else -1, [0], 0)]  # a child, and where its new number goes
        while ahead:
            child, siblings, side = ahead.pop()
            while child >= 0 and held[self.feature[child]]:
                child = int((self.left if self.goes_left(child, value[self.feature[child]]) else self.right)[child])
            if child < 0:
                leaves.append(~child)
                siblings[side] = -len(leaves)
            else:
                siblings[side] = len(nodes)
                nodes.append(child)
                children.append([0, 0])
                ahead += [(int(self.right[child]), children[-1], 1), (int(self.left[child]), children[-1], 0)]
        left, right = np.array(children, dtype=np.intp).reshape(-1, 2).T
        threshold, by_category = self.threshold[nodes], self.is_by_category[nodes]
        bitsets = tuple(self.bitsets[int(place)] for place in threshold[by_category])
        threshold[by_category] = np.arange(len(bitsets))
        return Tree(
            self.feature[nodes], threshold, self.decision_type[nodes], left, right,
            self.leaf_value[leaves], self.leaf_count[leaves], bitsets,
        )  # fmt: skip


def levels_in(bitset: Ints) -> Ints:
    """The numbers of the categories that a bitset holds.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.scorers.tree import levels_in
    >>> levels_in(np.array([5, 1])).tolist()
    [0, 2, 32]
    """
    return np.flatnonzero(bitset[:, None] >> np.arange(WORD) & 1)


_NONE = np.zeros(0, dtype=np.intp)
NOTHING = Tree(_NONE, np.zeros(0), _NONE, _NONE, _NONE, np.zeros(1), np.ones(1, dtype=np.intp))
"""A tree that adds nothing, since LightGBM reads no text without a tree."""


def _node_counts(tree: Tree) -> Ints:
    """The rows that pass each node."""
    counts = np.zeros(len(tree.feature), dtype=np.intp)
    for node in range(len(counts) - 1, -1, -1):  # children before parents
        sides = (int(tree.left[node]), int(tree.right[node]))
        counts[node] = sum(counts[c] if c >= 0 else tree.leaf_count[~c] for c in sides)
    return counts
