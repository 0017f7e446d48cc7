"""The Hessian with respect to coefficients and shifts, computed from the Hessian with respect to the scores."""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.pairwise.bins import BinnedHessian, looked_up
from blindauc.risks import ScoreHessian
from blindauc.rows.contract import Grouped, Rows


def coef_hessian(inner: ScoreHessian | BinnedHessian, rows: Rows, shifted: Ints) -> Floats:
    """[X, marks].T @ inner @ [X, marks], where `marks` has one indicator column for each shifted positive."""
    if isinstance(inner, BinnedHessian):
        return _of_pairs(inner, rows, shifted)
    gram = rows.gram(inner.pos, inner.unl, centred=False)
    diagonal = inner.pos[shifted]
    result = _bordered(gram, diagonal[:, None] * rows.pos_rows(shifted, centred=False), diagonal)
    if inner.rank_one is not None:
        by_pos, by_unl = inner.rank_one
        along = np.append(rows.adjoint(by_pos, by_unl), by_pos[shifted])
        result += inner.rank_one_factor * np.outer(along, along)
    return result


def _of_pairs(inner: BinnedHessian, rows: Rows, shifted: Ints) -> Floats:
    """The same for a binned Hessian of pairs, diag(row sums) - cross terms, without forming pairs of rows."""
    # sum_ij c_ij p_i q_j (x_i - u_j)(x_i - u_j)^T is a weighted Gram matrix of all rows minus cross terms. The cross
    # terms are products of sums by bin, because the curvature c is constant for each pair of bins.
    # Only differences of rows matter. Rows are centred, so that columns with values far from zero lose no digits.
    curvature, p, q = inner.curvature, inner.p, inner.q
    of_pos, of_unl = rows.sums_by_group(Grouped(inner.pos_bin, p), Grouped(inner.unl_bin, q), len(curvature))
    (of_pos, pos_mass), (of_unl, unl_mass) = ((sums[:, :-1], sums[:, -1]) for sums in (of_pos, of_unl))
    by_pos = p * looked_up(curvature @ unl_mass, inner.pos_bin)
    by_unl = q * looked_up(pos_mass @ curvature, inner.unl_bin)
    cross = of_pos.T @ curvature @ of_unl
    gram = rows.gram(by_pos, by_unl, centred=True) - cross - cross.T
    diagonal = by_pos[shifted]
    on_others = p[shifted, None] * (curvature[inner.pos_bin[shifted].astype(np.intp)] @ of_unl)
    return _bordered(gram, diagonal[:, None] * rows.pos_rows(shifted, centred=True) - on_others, diagonal)


def _bordered(gram: Floats, of_shifts: Floats, diagonal: Floats) -> Floats:
    """The Hessian of coefficients and shifts from its blocks, made exactly symmetric."""
    result = np.block([[gram, of_shifts.T], [of_shifts, np.diag(diagonal)]])
    return (result + result.T) / 2
