"""All losses, sets and risks that the contract tests run on: a new one is tested by being listed here."""

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from blindauc.data import Data
from blindauc.estimators.blind_auc import blind_auc_risk
from blindauc.estimators.inputs import read_sparsity
from blindauc.estimators.pu_error import pu_error_risk
from blindauc.losses import LOSSES as NAMED_LOSSES
from blindauc.losses import AnalyticLoss, BarrierHinge, Hinge, PiecewiseLoss
from blindauc.objectives import BlindAUCObjective, Objective, PUErrorObjective
from blindauc.risks import PU_ERROR_RISKS, BlindAUCRisk, NonnegativePURisk, PUErrorRisk
from blindauc.rows.memory import MemoryRows
from blindauc.scorers import LinearScorer
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0

LOSSES = {
    **NAMED_LOSSES,
    "rounded_hinge": Hinge().smoothed(0.5),
    "rounded_barrier_hinge": BarrierHinge(slope=3.0, radius=2.0).smoothed(0.25),
}
ANALYTIC = {name: loss for name, loss in LOSSES.items() if isinstance(loss, AnalyticLoss)}
PIECEWISE = {name: loss for name, loss in LOSSES.items() if isinstance(loss, PiecewiseLoss)}
SMOOTH = {name: loss for name, loss in LOSSES.items() if np.isfinite(loss.max_curvature)}


def knots(loss):
    """The points at which the loss or one of its derivatives jumps."""
    return [power.knot for power in loss.powers()] if isinstance(loss, PiecewiseLoss) else []


GROUPS = np.array([0, 1, 0, 2, 1, 3, 0])


@dataclass
class SetCase:
    """A sparsity set, its units of columns, and the test of whether it contains a mask of nonzeros."""

    set: object
    units: list
    allows: object

    @property
    def n_columns(self):
        return sum(map(len, self.units))

    def masks(self):
        """Every allowed set of nonzero columns, as a mask."""
        every = (np.array(mask) for mask in product([False, True], repeat=self.n_columns))
        return [mask for mask in every if self.allows(mask)]


def at_most(n):
    return lambda mask: mask.sum() <= n


def at_most_groups(groups, n):
    return lambda mask: len(np.unique(groups[mask])) <= n


def at_most_per_group(groups, n):
    return lambda mask: np.all(np.bincount(groups[mask], minlength=groups.max() + 1) <= n)


def _columns(n):
    return [np.array([column]) for column in range(n)]


def _members(groups):
    return [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]


SETS = {
    "all": SetCase(AllFeatures(6), _columns(6), at_most(6)),
    "none": SetCase(L0(6, 0), _columns(6), at_most(0)),
    "l0": SetCase(L0(7, 3), _columns(7), at_most(3)),
    "l0_roomy": SetCase(L0(5, 9), _columns(5), at_most(9)),
    "group_l0": SetCase(GroupL0(GROUPS, 2), _members(GROUPS), at_most_groups(GROUPS, 2)),
    "exclusive_l0": SetCase(ExclusiveL0(GROUPS, 1), _columns(7), at_most_per_group(GROUPS, 1)),
    "exclusive_l0_each": SetCase(
        ExclusiveL0(GROUPS, [2, 0, 1, 5]), _columns(7), at_most_per_group(GROUPS, [2, 0, 1, 5])
    ),
}


@dataclass
class RiskCase:
    """A risk, and its formula written out as a reference."""

    risk: object
    plain: object


def _blind_auc(loss):
    return lambda a, b, p, q: (p[:, None] * q * loss.value(a[:, None] - b)).sum()


def _paper(loss, prior):
    def plain(a, b, p, q):
        positives = prior * loss.value(a) + (1 - prior) * loss.value(-a)
        return (p * positives).sum() + (q * loss.value(-b)).sum()

    return plain


def _unbiased(loss, prior):
    def plain(a, b, p, q):
        return prior * (p * (loss.value(a) - loss.value(-a))).sum() + (q * loss.value(-b)).sum()

    return plain


def _nonnegative(loss, prior, width):
    def plain(a, b, p, q):
        negatives = (q * loss.value(-b)).sum() - prior * (p * loss.value(-a)).sum()
        clipped = (negatives + np.sqrt(negatives**2 + width**2)) / 2
        return prior * (p * loss.value(a)).sum() + clipped

    return plain


PRIOR = 0.3
PU_LOSSES = ("logistic", "sigmoid", "squared_hinge")
RISKS = {f"auc_{name}": RiskCase(BlindAUCRisk(loss), _blind_auc(loss)) for name, loss in LOSSES.items()}
for _name in PU_LOSSES:
    _loss = LOSSES[_name]
    RISKS |= {
        f"paper_{_name}": RiskCase(PUErrorRisk.paper(_loss, PRIOR), _paper(_loss, PRIOR)),
        f"unbiased_{_name}": RiskCase(PUErrorRisk.unbiased(_loss, PRIOR), _unbiased(_loss, PRIOR)),
        f"nonnegative_{_name}": RiskCase(
            NonnegativePURisk.of(_loss, PRIOR).smoothed(0.1), _nonnegative(_loss, PRIOR, 0.1)
        ),
    }
SMOOTH_RISKS = {name: case for name, case in RISKS.items() if case.risk.is_smooth}


def make_objective(name, X, is_positive, sample_weight=None, **options):
    """The objective of the risk of that name."""
    return Objective(RISKS[name].risk, MemoryRows.of(X, is_positive, sample_weight), **options)


NAMED_OBJECTIVES = {
    "auc_logistic": lambda *data, **options: BlindAUCObjective(*data, **options),
    "auc_hinge": lambda *data, **options: BlindAUCObjective(*data, loss="hinge", **options),
    "paper_logistic": lambda *data, **options: PUErrorObjective(*data, prior=PRIOR, **options),
    "unbiased_sigmoid": lambda *data, **options: PUErrorObjective(
        *data, prior=PRIOR, risk="unbiased", loss="sigmoid", **options
    ),
}


def as_matrix(hessian):
    """The Hessian that a ScoreHessian stands for."""
    result = np.diag(np.append(hessian.pos, hessian.unl))
    n_pos = len(hessian.pos)
    if hessian.cross is not None:
        result[:n_pos, n_pos:] -= hessian.cross
        result[n_pos:, :n_pos] -= hessian.cross.T
    if hessian.rank_one is not None:
        along = np.concatenate(hessian.rank_one)
        result += hessian.rank_one_factor * np.outer(along, along)
    return result


def central_difference(function, x, step=1e-3):
    """function'(x) for elementwise functions or single numbers, to the fourth order of the step."""
    near = function(x + step) - function(x - step)
    far = function(x + 2 * step) - function(x - 2 * step)
    return (8 * near - far) / (12 * step)


def numerical_jacobian(function, x, step=1e-3):
    """One row per entry of x: the derivative of the function by it."""
    return np.array([central_difference(lambda t, e=e: function(x + t * e), 0.0, step) for e in np.eye(len(x))])


def as_data(X, is_positive, weight=None):
    """Rows in the form that estimators pass on."""
    n = len(is_positive)
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    return Data(X, is_positive, weight, np.arange(n), np.flatnonzero(is_positive))


THREES = np.arange(9) // 3
"""Nine columns in groups of three."""

RISKS_OF_LOSS = {
    "blind AUC": blind_auc_risk,
    **{name: partial(pu_error_risk, name=name, prior=PRIOR) for name in PU_ERROR_RISKS},
}
"""The risks that a family of linear scores may minimise."""

COUNTS = {
    "l0": (None, [9, 4, 2]),
    "group_l0": (THREES, [3, 2, 1]),
    "exclusive_l0": (THREES, [(3, 3, 3), (2, 1, 1), (1, 1, 2), (1, 1, 1)]),
}
"""Groups and numbers of columns for each set, for nine columns."""


def linear_scorer(risk="blind AUC", sparsity="l0", n_features=9, *, trim=True, shift_l2=1e-3):
    """The family of linear scores that minimise a risk under a set."""
    features = partial(
        read_sparsity,
        kind=sparsity,
        groups=COUNTS[sparsity][0],
        n_features=n_features,
        feature_names=None,
        has_intercept=risk != "blind AUC",
    )
    return LinearScorer(RISKS_OF_LOSS[risk], features, shift_l2, trim)
