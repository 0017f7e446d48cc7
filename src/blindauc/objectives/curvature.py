"""From a Hessian in the scores to one in the weights, and in the shifts behind them."""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.pairwise.bins import BinnedHessian, looked_up
from blindauc.risks import ScoreHessian
from blindauc.rows.contract import Grouped, Rows


def in_weights(inner: ScoreHessian | BinnedHessian, rows: Rows, shifted: Ints) -> Floats:
    """[X, marks].T @ inner @ [X, marks], with a mark for each shifted positive."""
    if isinstance(inner, BinnedHessian):
        return _of_pairs(inner, rows, shifted)
    gram = rows.gram(inner.pos, inner.unl, centred=False)
    bend = inner.pos[shifted]
    result = _bordered(gram, bend[:, None] * rows.pos_rows(shifted, centred=False), bend)
    if inner.rank_one is not None:
        by_pos, by_unl = inner.rank_one
        along = np.append(rows.adjoint(by_pos, by_unl), by_pos[shifted])
        result += inner.rank_one_factor * np.outer(along, along)
    return result


def _of_pairs(inner: BinnedHessian, rows: Rows, shifted: Ints) -> Floats:
    # Only differences of rows matter: about a point near them, no digits are lost.
    curvature, p, q = inner.curvature, inner.p, inner.q
    of_pos, of_unl = rows.sums_by_group(Grouped(inner.pos_bin, p), Grouped(inner.unl_bin, q), len(curvature))
    (of_pos, pos_mass), (of_unl, unl_mass) = ((sums[:, :-1], sums[:, -1]) for sums in (of_pos, of_unl))
    by_pos = p * looked_up(curvature @ unl_mass, inner.pos_bin)
    by_unl = q * looked_up(pos_mass @ curvature, inner.unl_bin)
    cross = of_pos.T @ curvature @ of_unl
    gram = rows.gram(by_pos, by_unl, centred=True) - cross - cross.T
    bend = by_pos[shifted]
    on_others = p[shifted, None] * (curvature[inner.pos_bin[shifted].astype(np.intp)] @ of_unl)
    return _bordered(gram, bend[:, None] * rows.pos_rows(shifted, centred=True) - on_others, bend)


def _bordered(gram: Floats, of_shifts: Floats, bend: Floats) -> Floats:
    result = np.block([[gram, of_shifts.T], [of_shifts, np.diag(bend)]])
    return (result + result.T) / 2
