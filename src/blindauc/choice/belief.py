"""The prior over settings: how probable a candidate is before any evidence.

The code calls it belief, because "prior" means the class prior everywhere else. A few positives cannot distinguish
hundreds of candidates, and the belief decides where the evidence does not.

- Ridges: a standard Cauchy distribution over powers of ten, whose mode is proportional to the number of coefficients
  for each labelled positive. Its tails are heavy: a ridge ten decades away has a hundredth of the density. If
  ill-conditioned columns need such a ridge, the evidence of a few labelled rows is enough to select it.
- Scaling: most data sets are ranked better with columns on a common scale; sometimes the original units carry meaning,
  and the columns that vary most matter most.
- Share of wrong labels: exponential, as in `blindauc.prior`.
- Losses and numbers of selected columns: uniform. No other distribution was better in `benchmarks/choice.py`.

Candidates form branches: a shape with all columns, or with selected ones. For the ranking, both are equally probable:
if all columns were just one of a dozen numbers of columns, a few labels could rarely show that all of them help. A
column that is reported as selected should have evidence of its own. For the inclusion probabilities, all numbers of
columns are therefore equally probable, and that of all columns is just one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import as_counts
from blindauc.prior.posterior import CONTAMINATION_SCALE
from blindauc.scorers.contract import Scorer
from blindauc.scorers.spec import Spec

LIKELY_RIDGE = 1.0
"""The most probable power of ten of the ridge with one coefficient for each labelled positive, in units of the data's
own curvature.

Replayed on 74 linear searches of seed 130 (`benchmarks/choice.py`), 0.5 and 1 reach a mean test AUC of 88.96 and 88.92,
and 88.82 without the numbers of coefficients and positives. Plain fits to 154 draws of seeds 130 and 131 reach 85.48,
86.00 and 85.78 on the shaping half, and 82.79, 83.30 and 83.11 on the reporting half.
"""

IN_UNITS_ODDS = 0.1
"""Prior odds of each scaling that depends on the units of the columns, against columns on a common scale; set by the
same replays."""

NONLINEAR_ODDS = 0.2
"""Prior odds of each nonlinear shape against the linear one.

A linear score is easy to read, and substantial evidence should be needed to replace it (Jeffreys, Theory of
Probability, 1961). If the data are nonlinear, the labels give far more evidence than that. The value hardly matters:
over 24 draws of seed 110 (`benchmarks/choice.py`), odds of 0.05, 0.1, 0.2, 0.33 and 1 reach a mean test AUC of 87.89,
87.94, 87.99, 87.97 and 87.86.
"""


def log_belief_in_multiples(multiples: Floats) -> Floats:
    """Log belief in each multiple, the weight of a known negative relative to an unlabelled row, up to a constant.

    Larger multiples are less probable, because labels found wrong are not a random sample of the negatives. Checking by
    suspicion finds those that rank lowest, and upweighting them reinforces the current score. After 50 checks in
    order of suspicion (families of `benchmarks/checked.py`, plain fits, seeds 200 to 205) the AUC was lower by .0001
    (standard error .0001) with a multiple of 1 than with 0, by .0002 (.0002) with 2 and by .0004 (.0003) with 4. With
    all labels checked, the wrong ones are a random sample, and it was higher by .0000 with 1 and .0001 with 2.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief_in_multiples
    >>> np.exp(log_belief_in_multiples(np.array([0.0, 1.0, 3.0]))).round(2).tolist()
    [1.0, 0.5, 0.25]
    """
    return -np.log1p(multiples)


@dataclass(frozen=True)
class Belief:
    """The prior over candidates: over the branches, and over the candidates within each.

    Parameters
    ----------
    log_within : array of shape (n_candidates,)
        Log probability among the candidates of the same branch, up to a constant for each branch.
    branch : int array of shape (n_candidates,)
        The branch of each candidate, an index into `log_between`.
    log_between : array of shape (n_branches,)
        Log probability of each branch, up to a constant.
    n_counts : int array of shape (n_branches,)
        How many numbers of columns the candidates of each branch try.
    """

    log_within: Floats
    branch: Ints
    log_between: Floats
    n_counts: Ints

    @classmethod
    def of_one_branch(cls, log_within: Floats) -> Belief:
        """The belief in candidates that are all of the same branch."""
        return cls(log_within, np.zeros(len(log_within), dtype=np.intp), np.zeros(1), np.ones(1, dtype=np.intp))

    def only(self, index: Ints) -> Belief:
        """The belief in a subset of the candidates."""
        return replace(self, log_within=self.log_within[index], branch=self.branch[index])

    def updated(self, log_factors: Floats) -> Belief:
        """The belief multiplied by a factor for each candidate."""
        return replace(self, log_within=self.log_within + log_factors)

    def for_inclusion(self) -> Belief:
        """The belief in which all numbers of columns of a shape are equally probable."""
        return replace(self, log_between=self.log_between + np.log(self.n_counts))

    def members(self) -> dict[int, Ints]:
        """The candidates of each branch."""
        return {int(each): np.flatnonzero(self.branch == each) for each in np.unique(self.branch)}


def log_belief_in_branches(branches: Sequence[tuple[str, bool]]) -> Floats:
    """Log belief in each branch, a shape and whether it selects columns, up to a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief_in_branches
    >>> np.exp(log_belief_in_branches([("linear", False), ("linear", True), ("trees", False)])).tolist()
    [0.5, 0.5, 0.2]
    """
    shapes = [shape for shape, _ in branches]
    odds = [(1.0 if shape == "linear" else NONLINEAR_ODDS) / shapes.count(shape) for shape in shapes]
    return np.log(odds)


def decade_by_size(n_coefficients: int, n_pos: float) -> float:
    """The most probable power of ten of the ridge, in units of the data's own curvature.

    A ridge is the precision of a normal prior over each coefficient, divided by the number of positives. The strength
    of the signal does not depend on the number of columns, so that the variance of the whole score is about the same
    for any of them: the variance of a coefficient is inversely proportional to their number.

    Examples
    --------
    >>> from blindauc.choice.belief import decade_by_size
    >>> round(decade_by_size(20, n_pos=200), 3), round(decade_by_size(200, n_pos=20), 3)
    (0.0, 2.0)
    """
    return float(LIKELY_RIDGE + np.log10(n_coefficients / n_pos))


def likeliest_ridge(scorer: Scorer, data: Any, spec: Spec) -> float:
    """The most probable ridge, for fits without a search."""
    return float(scorer.ridge_unit(data, spec) * 10.0 ** likeliest_decade(scorer, data, spec))


def likeliest_decade(scorer: Scorer, data: Any, spec: Spec) -> float:
    """The most probable power of ten of the ridge of a spec, see `decade_by_size`."""
    return decade_by_size(scorer.n_coefficients(data, spec), as_counts(data.rows.pos_weight).sum())


def log_belief(decades_apart: Floats, in_units: Bools, outlier_shares: Floats) -> Floats:
    """Log belief in each candidate, among those of its branch and up to a constant.

    Parameters
    ----------
    decades_apart : array of shape (n_candidates,)
        The powers of ten between each ridge and the most probable one.
    in_units : mask of shape (n_candidates,)
        Whether the scaling depends on the units of the columns.
    outlier_shares : array of shape (n_candidates,)
        The share of the labelled positives that each candidate leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.belief import log_belief
    >>> apart, shares = np.array([0.0, 1.0, -9.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.1])
    >>> np.exp(log_belief(apart, np.arange(5) == 3, shares)).round(3).tolist()
    [1.0, 0.5, 0.012, 0.1, 0.513]
    """
    of_ridge = -np.log1p(decades_apart**2)
    return of_ridge + np.where(in_units, np.log(IN_UNITS_ODDS), 0.0) - outlier_shares / CONTAMINATION_SCALE
