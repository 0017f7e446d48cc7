"""One tree of a boosted model, as arrays.

The notation is LightGBM's. A tree of L leaves has L - 1 nodes, parents before their children. A child c >= 0 is a node,
and c < 0 is the leaf ~c. In a split on numbers, a row goes left if its value is at most the threshold; `decision_type`
says where missing values go. In a split on categories, the threshold is the index of a bitset. A row goes left if the
bitset holds its category code, and right otherwise or if the value is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from blindauc._typing import Bools, Floats, Ints

CATEGORICAL, DEFAULT_LEFT, MISSING_IS_NAN = 1, 2, 8
"""Bits of LightGBM's `decision_type`: the split is on categories; missing values go left; the column had missing values
in training. If it had none, LightGBM treats a missing number as zero."""

WORD, MAX_WORD = 32, 2**32 - 1
"""The number of bits in one word of a bitset, and the largest word (LightGBM's format)."""


@dataclass(frozen=True)
class Tree:
    """One tree.

    Parameters
    ----------
    feature, threshold, decision_type, left, right : ndarrays of shape (n_leaves - 1,)
    leaf_value, leaf_count : ndarrays of shape (n_leaves,)
    bitsets : tuple of ndarrays of words, one for each split on categories, in the order of the nodes
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
        """The tree in LightGBM's model text, without its number. It is cached, because many models share a tree."""
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
        """The tree with its leaf values multiplied by a factor."""
        return replace(self, leaf_value=factor * self.leaf_value)

    @property
    def mean_value(self) -> float:
        """The mean value over the rows that the tree was fitted to."""
        return float(self.leaf_count @ self.leaf_value / self.leaf_count.sum())

    @property
    def is_by_category(self) -> Bools:
        """The nodes that split on categories."""
        return self.decision_type & CATEGORICAL > 0

    def goes_left(self, node: int, value: float) -> bool:
        """Whether a value goes left, by LightGBM's rules."""
        if self.decision_type[node] & CATEGORICAL:
            return value in levels_in(self.bitsets[int(self.threshold[node])])
        if np.isnan(value):
            if self.decision_type[node] & MISSING_IS_NAN:
                return bool(self.decision_type[node] & DEFAULT_LEFT)
            value = 0.0
        return bool(value <= self.threshold[node])

    def pruned(self, held: Bools, value: Floats) -> Tree:
        """The tree with the `held` columns fixed at `value`: splits on them are replaced by the side that is taken."""
        nodes: list[int] = []
        leaves: list[int] = []
        children: list[list[int]] = []
        # A stack of children, each with the list and the index at which its new number is stored.
        stack = [(0 if len(self.feature) else -1, [0], 0)]
        while stack:
            child, siblings, side = stack.pop()
            while child >= 0 and held[self.feature[child]]:
                child = int((self.left if self.goes_left(child, value[self.feature[child]]) else self.right)[child])
            if child < 0:
                leaves.append(~child)
                siblings[side] = -len(leaves)
            else:
                siblings[side] = len(nodes)
                nodes.append(child)
                children.append([0, 0])
                stack += [(int(self.right[child]), children[-1], 1), (int(self.left[child]), children[-1], 0)]
        left, right = np.array(children, dtype=np.intp).reshape(-1, 2).T
        threshold, by_category = self.threshold[nodes], self.is_by_category[nodes]
        bitsets = tuple(self.bitsets[int(place)] for place in threshold[by_category])
        threshold[by_category] = np.arange(len(bitsets))
        return Tree(
            self.feature[nodes], threshold, self.decision_type[nodes], left, right,
            self.leaf_value[leaves], self.leaf_count[leaves], bitsets,
        )  # fmt: skip


def levels_in(bitset: Ints) -> Ints:
    """The category codes that a bitset holds.

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
"""A single leaf of value zero. It stands for a model without trees, because LightGBM cannot read a text without any."""


def _node_counts(tree: Tree) -> Ints:
    """The number of training rows that reach each node."""
    counts = np.zeros(len(tree.feature), dtype=np.intp)
    for node in range(len(counts) - 1, -1, -1):  # children before parents
        sides = (int(tree.left[node]), int(tree.right[node]))
        counts[node] = sum(counts[c] if c >= 0 else tree.leaf_count[~c] for c in sides)
    return counts
