"""Sums over all pairs for analytic losses, by Chebyshev cells on the score axis.

The sums `sum_j weight_j * k(target_i - source_j)`, with k the loss or a derivative of it, take four steps:

1. *spread*: the sources' weights become moments `sum weight * t**k` of small subcells;
2. *gather*: the moments of a cell become weights on its Chebyshev nodes (the `CellSummary`);
3. *interact*: the potential, the sum at a cell's nodes, comes from a table of k at node differences for cells within
   `REACH`, and from prefix sums for cells further apart, where k is a line plus an exponential;
4. *evaluate*: the potential at a cell's nodes becomes a polynomial per subcell, evaluated at the targets.

There are two levels because steps 1 and 4 dominate the cost: a subcell of width 1/64 needs 5 coefficients per score for
the accuracy that a cell of width 2 reaches with 20, and there are few cells.

Cell c covers [2c, 2c + 2). All positions are exact: a score and the edge of its subcell are so close that their
difference has no rounding error.

Scores may be on a device: steps 1, 2 and 4 run there, since they process every score. Step 3, with its few hundred
numbers, runs on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Floats
from blindauc.losses import AnalyticLoss, Loss, Tail, get_loss, of_another_kind
from blindauc.rows.device.libraries import is_on_host, library_of

SUBCELLS = 128
DEGREE = 5
NODES = 20
"""Subcells per cell, coefficients per subcell and nodes per cell: chosen for an error near machine precision."""

REACH = 20
"""Beyond this many cells the margin exceeds 40, where the loss equals its tail to machine precision."""

MAX_CONTIGUOUS = 512
"""Scores that span at most this many cells use one table (convention); wider ranges are processed in sorted chunks."""

MAX_CELLS = 4096
"""The largest number of cells of a table if scores on a device span a wide range: 20 MB (convention)."""


def _chebyshev_points(n: int) -> Floats:
    return np.cos(np.pi * (np.arange(n) + 0.5) / n)


_NODES = _chebyshev_points(NODES)


def _subcell_polynomials() -> Floats:
    """The Lagrange polynomial of each node as a polynomial on each subcell: rows (subcell, power), columns nodes."""
    points = _chebyshev_points(DEGREE)
    left = np.arange(SUBCELLS) * (2 / SUBCELLS) - 1
    x = left[:, None] + (points + 1) / SUBCELLS
    weights = (-1.0) ** np.arange(NODES) * np.sin(np.pi * (np.arange(NODES) + 0.5) / NODES)
    quotients = weights / (x[..., None] - _NODES)
    at_points = quotients / quotients.sum(axis=-1, keepdims=True)
    to_powers = np.linalg.inv(np.vander(points, DEGREE, increasing=True))
    return np.einsum("kp,spn->skn", to_powers, at_points).reshape(SUBCELLS * DEGREE, NODES)


SUBCELL_POLYNOMIALS = _subcell_polynomials()
"""Maps moments of subcells to node weights; its transpose maps values at nodes to polynomials on subcells."""


@dataclass(frozen=True)
class _Grid:
    """The cells (ascending whole numbers) that a set of scores falls into."""

    cells: Floats

    @classmethod
    def covering(cls, scores: Any, low: float, high: float) -> _Grid:
        """The cells from the lowest to the highest score; only the occupied ones if the range is wide."""
        first, last = np.floor(low / 2), np.floor(high / 2)
        if last - first < min(MAX_CONTIGUOUS, 16 + 4 * scores.shape[0]):
            return cls(np.arange(first, last + 1))
        library = library_of(scores)
        return cls(np.unique(library.to_host(library.xp.floor(scores / 2))))

    @property
    def n_subcells(self) -> int:
        return len(self.cells) * SUBCELLS

    def locate(self, scores: Any) -> tuple[Any, Any]:
        """The subcell of each score, and its position there in [-1, 1)."""
        library = library_of(scores)
        xp = library.xp
        place = scores * (SUBCELLS / 2)
        subcell = xp.floor(place)
        place -= subcell
        place *= 2
        place -= 1
        first, last = self.cells[0], self.cells[-1]
        if last - first == len(self.cells) - 1:
            subcell -= float(first * SUBCELLS)
        else:
            cell = xp.floor(scores / 2)
            at = library.floats(xp.searchsorted(library.asarray(self.cells), cell))
            subcell += (at - cell) * SUBCELLS
        return library.whole(subcell), place


def _chunks(scores: Any) -> Iterator[tuple[Any, _Grid]]:
    """Chunks of the scores, each of which fits into one table of subcells, and their grids.

    A chunk is an array of indices into the scores, or None for all of them; chunks are in increasing order of scores.
    """
    low, high = library_of(scores).extremes(scores)
    if high / 2 - low / 2 < MAX_CONTIGUOUS - 1:
        yield None, _Grid.covering(scores, low, high)
    elif is_on_host(scores):
        yield from _chunks_of_rows(scores)
    else:
        yield from _chunks_of_cells(scores)


def _chunks_of_rows(scores: Floats) -> Iterator[tuple[Any, _Grid]]:
    order = np.argsort(scores, kind="stable")
    for block in library_of(scores).blocks(len(scores)):
        some = scores[order[block]]
        yield order[block], _Grid.covering(some, some[0], some[-1])


def _chunks_of_cells(scores: Any) -> Iterator[tuple[Any, _Grid]]:
    """Chunks by cells: on a device a few large chunks are faster than many small ones."""
    library = library_of(scores)
    xp = library.xp
    order = xp.argsort(scores, stable=True)
    values, counts = xp.unique_counts(xp.floor(xp.take(scores, order, axis=0) / 2))
    cells, ends = library.to_host(values), np.cumsum(library.to_host(counts))
    start = 0
    for first in range(0, len(cells), MAX_CELLS):
        some = cells[first : first + MAX_CELLS]
        end = int(ends[first + len(some) - 1])
        yield order[start:end], _Grid(some)
        start = end


def _spread(scores: Any, weights: Any, grid: _Grid) -> Floats:
    """Node weights of every cell of the grid, on the host (steps 1 and 2)."""
    library = library_of(scores)
    moments = [library.zeros(grid.n_subcells) for _ in range(DEGREE)]
    for block in library.blocks(scores.shape[0]):
        subcell, place = grid.locate(scores[block])
        weight = None if weights is None else weights[block]
        for moment, added in zip(
            moments, library.moments(subcell, place, weight, grid.n_subcells, DEGREE), strict=True
        ):
            moment += added
    by_cell = library.xp.reshape(library.xp.stack(moments, axis=1), (len(grid.cells), -1))
    nodes: Floats = library.to_host(by_cell @ library.asarray(SUBCELL_POLYNOMIALS))
    return nodes


def _evaluate(potential: Floats, grid: _Grid, targets: Any) -> Any:
    """The potential at the targets, given its values at the nodes of the grid's cells (step 4)."""
    library = library_of(targets)
    by_cell = (potential @ SUBCELL_POLYNOMIALS.T).reshape(-1, DEGREE)
    coefficients = [library.asarray(np.ascontiguousarray(each)) for each in by_cell.T]
    result = library.empty(targets.shape[0])
    for block in library.blocks(targets.shape[0]):
        subcell, place = grid.locate(targets[block])
        result[block] = library.polynomials(coefficients, subcell, place)
    return result


def _taken(array: Any, chunk: Any) -> Any:
    """The elements of an array at the indices of a chunk; all of them if the chunk is None."""
    return array if array is None or chunk is None else library_of(array).xp.take(array, chunk, axis=0)


@lru_cache(maxsize=64)
def _kernel_table(loss: AnalyticLoss, order: int, sign: int) -> Floats:
    """k(sign * (2 d + node - node')) for the cell distances d = -REACH ... REACH."""
    distance = 2.0 * np.arange(-REACH, REACH + 1)[:, None, None]
    return loss.derivative_of_order(order, sign * (distance + _NODES[:, None] - _NODES))


def _near(table: Floats, sources: CellSummary, cells: Floats) -> Floats:
    """The contribution of the sources within REACH cells, at the nodes of the given cells."""
    low = int(max(cells[0] - sources.cells[-1], -REACH))
    high = int(min(cells[-1] - sources.cells[0], REACH))
    potential = np.zeros((len(cells), NODES))
    if low > high:
        return potential
    distances = np.arange(low, high + 1)
    kernel = table[low + REACH : high + REACH + 1].transpose(0, 2, 1).reshape(-1, NODES)
    weights = np.vstack([sources.weights, np.zeros(NODES)])
    for start in range(0, len(cells), MAX_CONTIGUOUS):
        rows = slice(start, start + MAX_CONTIGUOUS)
        wanted = cells[rows, None] - distances
        at = np.searchsorted(sources.cells, wanted)
        at[np.take(sources.cells, at, mode="clip") != wanted] = -1  # the row of zeros
        potential[rows] = weights[at].reshape(len(at), -1) @ kernel
    return potential


def _far_below(tail: Tail, sources: CellSummary, cells: Floats) -> Floats:
    """The contribution of the sources more than REACH cells below, at the nodes of the given cells."""
    potential = np.zeros((len(cells), NODES))
    reached = np.searchsorted(sources.cells, cells - REACH)
    far = reached > 0
    if not far[-1]:
        return potential
    below = sources.prefix_sums
    last = reached[far] - 1
    gap = 2 * (cells[far] - sources.cells[last])[:, None]
    weight = below.weight[last, None]
    margin = below.distance[last, None] + weight * (gap + _NODES)
    potential[far] = tail.constant * weight + tail.slope * margin
    potential[far] += tail.decay * below.decayed[last, None] * np.exp(-gap - _NODES)
    return potential


class _PrefixSums(NamedTuple):
    """Sums over the sources up to and including each cell, with distances measured from the centre of that cell.

    All terms are positive, and distances are between cells, never from zero. So scores near 1e8 lose no precision.
    """

    weight: Floats
    distance: Floats
    decayed: Floats

    @classmethod
    def of(cls, cells: Floats, weights: Floats) -> _PrefixSums:
        weight = np.cumsum(weights.sum(axis=1))
        steps = 2 * np.diff(cells, prepend=cells[0])
        distance = np.cumsum(steps * np.append(0.0, weight[:-1]) - weights @ _NODES)
        # Cells are at least 2 apart, so that the exponential of a cell 20 places earlier is below 1e-17.
        mass = weights @ np.exp(_NODES)
        decayed = mass.copy()
        for lag in range(1, min(20, len(mass))):
            decayed[lag:] += mass[:-lag] * np.exp(2 * (cells[:-lag] - cells[lag:]))
        return cls(weight, distance, decayed)


@dataclass(frozen=True)
class CellSummary:
    """Summary of weighted scores for sums of an analytic loss over pairs; summaries of two batches can be added.

    Attributes
    ----------
    cells : (n_cells,) the occupied cells, ascending
    weights : (n_cells, 20) the scores' weight on the cells' Chebyshev nodes
    """

    cells: Floats
    weights: Floats

    @classmethod
    def of(cls, scores: Any, weights: Any = None) -> CellSummary:
        """The summary of scores on the host or on a device, with weights of the same kind."""
        if scores.shape[0] == 0:
            return cls(np.zeros(0), np.zeros((0, NODES)))
        parts = []
        for chunk, grid in _chunks(scores):
            nodes = _spread(_taken(scores, chunk), _taken(weights, chunk), grid)
            occupied = nodes.any(axis=1)
            parts.append(cls(grid.cells[occupied], nodes[occupied]))
        return cls.merged(parts)

    @classmethod
    def merged(cls, parts: list[CellSummary]) -> CellSummary:
        """The summary of all batches."""
        if len(parts) == 1:
            return parts[0]
        cells = np.unique(np.concatenate([part.cells for part in parts]))
        weights = np.zeros((len(cells), NODES))
        for part in parts:
            weights[np.searchsorted(cells, part.cells)] += part.weights
        return cls(cells, weights)

    def __add__(self, other: CellSummary) -> CellSummary:
        return self.merged([self, other]) if isinstance(other, CellSummary) else NotImplemented

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def prefix_sums(self) -> _PrefixSums:
        return _PrefixSums.of(self.cells, self.weights)

    @cached_property
    def mirrored(self) -> CellSummary:
        """The summary of the negated scores."""
        return CellSummary(-1 - self.cells[::-1], self.weights[::-1, ::-1])

    def potential(self, loss: str | Loss, order: int, sign: int, cells: Floats) -> Floats:
        """The sums at the nodes of the given cells (step 3)."""
        loss = get_loss(loss)
        if not isinstance(loss, AnalyticLoss):
            raise of_another_kind(loss)
        if len(self.cells) == 0:
            return np.zeros((len(cells), NODES))
        tails = loss.tails(order)
        # The tails for sources above, and for sources below the targets.
        above, below = tails if sign == 1 else tails[::-1]
        mirrored = _far_below(above._replace(slope=-sign * above.slope), self.mirrored, -1 - cells[::-1])
        potential = _near(_kernel_table(loss, order, sign), self, cells)
        potential += _far_below(below._replace(slope=sign * below.slope), self, cells)
        potential += mirrored[::-1, ::-1]
        return potential

    def sums(self, loss: str | Loss, order: int, sign: int, targets: Any) -> Any:
        """sum_j weight_j * k(sign * (target_i - source_j)), k the derivative of that order, on the targets' device."""
        if targets.shape[0] == 0:
            return library_of(targets).zeros(0)
        places, sums = [], []
        for chunk, grid in _chunks(targets):
            potential = self.potential(loss, order, sign, grid.cells)
            places.append(chunk)
            sums.append(_evaluate(potential, grid, _taken(targets, chunk)))
        if places[0] is None:
            return sums[0]
        library = library_of(targets)
        back = library.xp.argsort(library.joined(places))
        return library.xp.take(library.joined(sums), back, axis=0)

    def pair_sum(self, loss: str | Loss, unlabelled: CellSummary) -> float:
        """The sum of the loss over all pairs of these positives with those unlabelled scores."""
        if len(self.cells) == 0:
            return 0.0
        return float(np.sum(self.weights * unlabelled.potential(loss, 0, 1, self.cells)))
