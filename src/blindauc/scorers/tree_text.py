"""Reading and writing trees in LightGBM's model text.

LightGBM's parser trusts its input: an index out of range makes it read out of bounds, and a node that is its own child
makes it loop forever. Stored texts are therefore never passed to it. This module parses a text by a strict grammar and
checks every number, and LightGBM gets a text that is written from these numbers. The written text is in LightGBM's
format, without the parts that neither scores nor contributions need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.preprocessing.faults import MOST_CATEGORIES
from blindauc.scorers.tree import CATEGORICAL, DEFAULT_LEFT, MAX_WORD, MISSING_IS_NAN, NOTHING, WORD, Tree

MAX_LEAVES = 1024
"""Larger trees are rejected (convention): LightGBM's recursion needs memory quadratic in their depth."""

MAX_COUNT = 2**31 - 1
"""LightGBM counts rows in signed 32-bit integers."""

MAX_VALUE = 1e100
"""Larger leaf values are rejected (convention): no fit has them, and sums of values must be finite."""

DECISION_TYPES = (
    *(0, DEFAULT_LEFT, MISSING_IS_NAN, DEFAULT_LEFT + MISSING_IS_NAN),
    *(CATEGORICAL, CATEGORICAL + MISSING_IS_NAN),
)
"""The allowed values of `decision_type`. The others treat zeros as missing, which our fits never do."""

MAX_WORDS = -(-MOST_CATEGORIES // WORD)
"""The largest number of words of a bitset; it follows from the largest number of categories of a column."""

HEADER = ("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "feature_names",
          "feature_infos", "tree_sizes")  # fmt: skip
FIXED = {"version": "v4", "num_class": "1", "num_tree_per_iteration": "1", "label_index": "0"}
END = "end of trees"

IGNORED = {"split_gain", "leaf_weight", "internal_value", "internal_weight", "internal_count", "shrinkage"}
"""Fields that LightGBM writes and that are not needed, or can be computed from others."""


def check(text: str, n_features: int) -> None:
    """Raise a ValueError if a text was not written by LightGBM or by `written`.

    Parameters
    ----------
    text : str
    n_features : int

    Examples
    --------
    >>> from blindauc.scorers.tree_text import check, written
    >>> text = written([], n_features=2)
    >>> check(text, n_features=2)
    >>> check(text[:-5], n_features=2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: The LightGBM text in the model is damaged or was edited (no line says 'end of trees'): get ...
    """
    read(text, n_features)


def read(text: str, n_features: int) -> list[Tree]:
    """The trees in a text; see `check`."""
    try:
        return _read(text, n_features)
    except _Damaged as damage:
        raise ValueError(
            f"The LightGBM text in the model is damaged or was edited ({damage}): get the model file again, or fit the "
            "model again."
        ) from damage


class _Damaged(Exception):
    """A text is not a valid model; the message describes the first defect."""


def _read(text: Any, n_features: int) -> list[Tree]:
    if not isinstance(text, str) or not text.isascii():
        raise _Damaged("it is not ASCII text")
    lines = text.split("\n")
    if END not in lines:
        raise _Damaged(f"no line says {END!r}")
    # After this line LightGBM writes importances and the parameters of the fit, which are not needed.
    header, *blocks = _blocks(lines[: lines.index(END)])
    _check_header(header, n_features)
    if not blocks:
        raise _Damaged("there is no tree")
    return _trees([_fields(f"tree {number}", block) for number, block in enumerate(blocks)], n_features)


def _blocks(lines: Iterable[str]) -> list[list[str]]:
    """The lines of the header, then those of each tree."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("Tree="):
            if line != f"Tree={len(blocks) - 1}":
                raise _Damaged(f"expected 'Tree={len(blocks) - 1}', got {_shown(line)}")
            blocks.append([])
        elif line:
            blocks[-1].append(line)
    return blocks


def _fields(where: str, lines: Iterable[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or name in fields:
            raise _Damaged(f"{where}: unexpected line {_shown(line)}")
        fields[name] = value
    return fields


def _check_header(lines: list[str], n_features: int) -> None:
    if not lines or lines[0] != "tree":
        raise _Damaged("its first line is not 'tree'")
    fields = _fields("header", lines[1:])
    expected = FIXED | {"max_feature_idx": str(n_features - 1)}
    for name, value in expected.items():
        if fields.get(name) != value:
            raise _Damaged(f"header: expected {name}={value}, got {_shown(fields.get(name, 'nothing'))}")
    # Otherwise a short text could claim any number of columns, and arrays of that length would be allocated.
    if len(fields.get("feature_names", "").split()) != n_features:
        raise _Damaged("header: feature_names holds too many or too few names")
    unknown = set(fields) - set(HEADER)
    if unknown:
        raise _Damaged(f"header: unexpected {_shown(min(unknown))}")


def _trees(fields: list[dict[str, str]], n_features: int) -> list[Tree]:
    """The trees, from the fields of each. All trees are checked at once: Python loops over many trees are slow."""
    n_leaves = _numbers(fields, "num_leaves", np.ones(len(fields)), np.intp, 1, MAX_LEAVES)
    n_nodes = n_leaves - 1
    feature = _numbers(fields, "split_feature", n_nodes, np.intp, 0, n_features - 1)
    threshold = _numbers(fields, "threshold", n_nodes, np.float64)
    decision_type = _numbers(fields, "decision_type", n_nodes, np.intp)
    left = _numbers(fields, "left_child", n_nodes, np.intp)
    right = _numbers(fields, "right_child", n_nodes, np.intp)
    leaf_value = _numbers(fields, "leaf_value", n_leaves, np.float64, -MAX_VALUE, MAX_VALUE)
    # LightGBM divides by counts to compute contributions. A leaf without rows, which no fit has, counts as one row.
    leaf_count = np.maximum(_numbers(fields, "leaf_count", n_leaves, np.intp, 0, MAX_COUNT), 1)
    _expect(np.isin(decision_type, DECISION_TYPES), n_nodes, "decision_type holds an unknown kind of split")
    _check_children(left, right, n_nodes)
    n_rows = np.add.reduceat(leaf_count, np.cumsum(n_leaves) - n_leaves)
    _expect(n_rows <= MAX_COUNT, np.ones_like(n_leaves), "the sum of leaf_count is out of range")
    bitsets = _bitsets(fields, feature, threshold, decision_type & CATEGORICAL > 0, n_nodes)
    for number, rest in enumerate(fields):
        if rest.pop("is_linear", "") != "0":
            raise _Damaged(f"tree {number}: expected is_linear=0")
        if not rest.keys() <= IGNORED:
            raise _Damaged(f"tree {number}: unexpected {_shown(min(rest.keys() - IGNORED))}")
    of_nodes = (np.split(each, np.cumsum(n_nodes)[:-1]) for each in (feature, threshold, decision_type, left, right))
    of_leaves = (np.split(each, np.cumsum(n_leaves)[:-1]) for each in (leaf_value, leaf_count))
    return [Tree(*arrays) for arrays in zip(*of_nodes, *of_leaves, bitsets, strict=True)]


def _bitsets(
    fields: list[dict[str, str]], feature: Ints, threshold: Floats, by_category: Bools, n_nodes: Ints
) -> list[tuple[Ints, ...]]:
    """The bitsets of each tree, one for each split on categories, in the order of its nodes."""
    n_splits = _numbers(fields, "num_cat", np.ones(len(fields)), np.intp, 0, MAX_LEAVES)
    found = np.bincount(np.repeat(np.arange(len(fields)), n_nodes)[by_category], minlength=len(fields))
    _expect(found == n_splits, np.ones_like(found), "num_cat is not the number of splits by categories")
    as_numbers = np.isin(feature, feature[by_category]) & ~by_category
    _expect(~as_numbers, n_nodes, "split_feature splits a column of categories as one of numbers")
    n_ends = np.where(n_splits > 0, n_splits + 1, 0)
    ends = _numbers(fields, "cat_boundaries", n_ends, np.intp, 0, MAX_COUNT)
    of_tree = np.split(ends, np.cumsum(n_ends)[:-1])
    n_words = np.concatenate([np.diff(each, prepend=0) for each in of_tree])
    is_first = np.concatenate([np.arange(n) == 0 for n in n_ends.tolist()])
    is_right = np.where(is_first, n_words == 0, (n_words > 0) & (n_words <= MAX_WORDS))
    _expect(is_right, n_ends, "cat_boundaries are not those of bitsets")
    places = np.concatenate([np.arange(n) for n in n_splits.tolist()])
    _expect(threshold[by_category] == places, n_splits, "threshold is not the place of a bitset")
    lengths = np.array([each[-1] if len(each) else 0 for each in of_tree])
    words = np.split(_numbers(fields, "cat_threshold", lengths, np.intp, 0, MAX_WORD), np.cumsum(lengths)[:-1])
    return [tuple(np.split(some, each[1:-1])) if len(each) else () for some, each in zip(words, of_tree, strict=True)]


def _numbers(
    fields: list[dict[str, str]], name: str, lengths: Any, dtype: type, low: float = -np.inf, high: float = np.inf
) -> Any:
    """Remove one field from each tree, and return its numbers: `lengths` of them, finite and from `low` to `high`."""
    words = [lines.pop(name, "").split() for lines in fields]
    found = np.array([len(of_tree) for of_tree in words])
    _expect(found == lengths, np.ones_like(found), f"{name} holds too many or too few numbers")
    try:
        numbers = np.array([float(word) for of_tree in words for word in of_tree])
    except ValueError as error:
        raise _Damaged(f"{name} holds something that is not a number") from error
    # This also rejects NaN: comparisons with it are false.
    _expect(np.isfinite(numbers) & (numbers >= low) & (numbers <= high), found, f"{name} holds a number out of range")
    if dtype is np.intp:
        is_whole = (numbers == np.round(numbers)) & (np.abs(numbers) <= MAX_WORD)
        _expect(is_whole, found, f"{name} holds a number that is not whole")
    return numbers.astype(dtype)


def _check_children(left: Ints, right: Ints, n_nodes: Ints) -> None:
    """Check that each node but the first has one parent, which comes before it, so that there is no cycle."""
    node = np.concatenate([np.arange(n) for n in n_nodes])
    comes_later = ((left < 0) | (left > node)) & ((right < 0) | (right > node))
    _expect(comes_later, n_nodes, _NO_TREE)
    children = np.concatenate([left, right])
    order = np.lexsort((children, np.tile(np.repeat(np.arange(len(n_nodes)), n_nodes), 2)))
    expected = [np.r_[-n - 1 : 0, 1:n] if n else np.arange(0) for n in n_nodes.tolist()]
    _expect(children[order] == np.concatenate(expected), 2 * n_nodes, _NO_TREE)


_NO_TREE = "its nodes do not form a tree"


def _expect(is_right: Bools, lengths: Any, otherwise: str) -> None:
    """Raise with the number of the first tree that has a wrong entry; tree k has `lengths[k]` entries."""
    if not is_right.all():
        number = int(np.searchsorted(np.cumsum(lengths), is_right.argmin(), side="right"))
        raise _Damaged(f"tree {number}: {otherwise}")


def _shown(text: str) -> str:
    """The start of a text, short and printable, because the text is not trusted."""
    return repr(text[:40])


def written(trees: Sequence[Tree], n_features: int) -> str:
    """The text of a model that is the sum of the given trees; without trees, its scores are zero."""
    header = [
        "tree",
        *(f"{name}={value}" for name, value in FIXED.items()),
        f"max_feature_idx={n_features - 1}",
        "feature_names=" + " ".join(f"Column_{column}" for column in range(n_features)),
        "feature_infos=" + " ".join(["none"] * n_features),
        "",
    ]
    blocks = [_tree_text(number, tree) for number, tree in enumerate(trees or [NOTHING])]
    return "\n".join([*header, *blocks, END, ""])


def _tree_text(number: int, tree: Tree) -> str:
    return f"Tree={number}\n{tree.text}"
