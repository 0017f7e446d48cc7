r"""Rows that were checked, and rows to check next.

Which check would improve the ranking most? One that finds a row to be other than the fit takes it for, where the fit
pulls at it hard. Let r be the out-of-fold rank of a row among the unlabelled ones. A positive is pulled up by the
unlabelled rows above it, a share 1 - r of all: that is what it adds to the gradient of the blind AUC, in units of one
positive. Labels that are wrong all pull the same way, by K in all, a bias of the weights whose square is lost in the
objective; to take back one pull d lowers K^2 by about 2 K d. A positive more has no such company: it only makes the
sample of positives larger by one. So a check of a row promises about

    2 K suspicion (1 - r)           of a labelled row that the fit uses, K = sum of suspicion (1 - r) over all these
    2 L (1 - suspicion) (1 - r)     of one that it leaves out, L = sum of (1 - suspicion) (1 - r) over all these
    probability (1 - r)^2           of an unlabelled row

and unlabelled rows come to the fore when hardly any wrong label is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.estimators.explained import is_calibrated
from blindauc.estimators.inputs import check_choice, check_whole
from blindauc.metrics import pu_auc_score
from blindauc.prior import ScoreModel

MIN_CHECKED = 10
"""Known negatives, and positives, that it takes to tell an AUC by them (convention)."""

MOST_KEPT = 1000
"""Rows to check next that a model remembers: more than anyone checks before a new fit."""


@dataclass(frozen=True)
class LabelChecks:
    """Which labels were checked, and which of these are right."""

    is_unchecked: Bools
    is_wrong: Bools

    @classmethod
    def of(cls, data: Data, labelled: Bools, first: Ints) -> LabelChecks:
        """Of the labelled rows of data, in the order `first`."""
        confirmed, wrong = (mask[labelled][first] for mask in (data.is_confirmed, data.is_known_negative))
        return cls(~confirmed & ~wrong, wrong)

    def settled(self, suspicion: Floats) -> Floats:
        """The suspicion of each label: 0 or 1 where it was checked."""
        return np.where(self.is_unchecked, suspicion, self.is_wrong)

    def contamination(self, of_ranks: ScoreModel, by_step: Ints) -> Estimate:
        """The share of wrong labels among those that nobody has checked, of which there are so many in each step."""
        if self.is_unchecked.all():
            return of_ranks.estimate.contamination
        n_unchecked = int(by_step.sum())
        if n_unchecked == 0:
            return Estimate(0.0, 0.0, 0.0, of_ranks.estimate.contamination.confidence)
        (wrong,) = of_ranks.expected_wrong(by_step, [n_unchecked])
        value, low, high = (number / n_unchecked for number in (float(wrong), wrong.low, wrong.high))
        return Estimate(value, low, high, wrong.confidence)


def auc_checked(data: Data, rank: Floats, of_ranks: ScoreModel) -> Estimate | None:
    """The AUC of positives against known negatives by out-of-fold ranks; None where either are too few.

    Labels that nobody has checked count as far as they are not doubted.
    """
    is_known = ~np.isnan(rank)
    pos, negative = is_known & data.is_positive, is_known & data.is_known_negative
    if min(pos.sum(), negative.sum()) < MIN_CHECKED:
        return None
    taken = pos | negative
    doubt = np.where(data.is_confirmed | negative, 0.0, of_ranks.suspicion(np.where(is_known, rank, 0.0)))
    weight = data.counts * np.maximum(1 - doubt, 1e-9)
    # With a prior of zero the unlabelled side holds negatives alone.
    return pu_auc_score(pos[taken], rank[taken], sample_weight=weight[taken], prior=0.0)


def gains(data: Data, rank: Floats, of_ranks: ScoreModel, outliers: Ints) -> Floats:
    """How much a check of each row promises; nothing of rows that were checked or have no rank."""
    at = np.where(np.isnan(rank), 1.0, rank)
    suspicion, pull = of_ranks.suspicion(at), 1 - at
    left_out = np.isin(data.row, outliers)
    misled = np.where(left_out, 1 - suspicion, suspicion) * pull
    gain = np.where(data.is_unlabelled, of_ranks.probability(at) * pull**2, 0.0)
    unchecked = data.is_positive & ~data.is_confirmed
    for some in (unchecked & left_out, unchecked & ~left_out):
        gain[some] = 2 * misled[some].sum() * misled[some]
    return gain


def most_promising(data: Data, gain: Floats) -> Ints:
    """The rows whose check promises most, the first first."""
    rows, first = np.unique(data.row, return_index=True)
    order = np.argsort(-gain[first], kind="stable")[:MOST_KEPT]
    return rows[order[gain[first][order] > 0]]


class CheckingNext:
    """What can be asked about checks of labels."""

    labelled_rows_: Ints
    leverage_: Ints
    suspicion_: Floats
    confirmed_rows_: Ints
    known_negative_rows_: Ints
    check_for_ranking_: Ints

    @property
    def checked_rows(self) -> Ints:
        """Row numbers, in the training X, of all rows that were checked."""
        if not hasattr(self, "confirmed_rows_"):
            return np.zeros(0, dtype=np.intp)
        return np.union1d(self.confirmed_rows_, self.known_negative_rows_)

    def _is_unchecked(self) -> Bools:
        """Which of `labelled_rows_` nobody has checked."""
        return ~np.isin(self.labelled_rows_, self.checked_rows)

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def next_to_check(self, k: int, for_: str = "labels") -> Ints:
        """Row numbers, in the training X, of the rows to check next, the first first.

        Pass what was found as `fit(X, y, checked=...)`.

        Parameters
        ----------
        k : int
            As many as you can check.
        for_ : {"labels", "ranking"}, default="labels"
            "labels" are the labelled rows by suspicion, to find wrong labels. "ranking" are labelled and unlabelled
            rows by how much the ranking is expected to gain: the chance that the fit takes a row for what it is not,
            times how hard it pulls at the row (`blindauc.estimators.checking` has the formula). Labels that may be
            wrong come first while there are several, then unlabelled rows.

        Returns
        -------
        ndarray
            Counted from 0, as many as are left, at most k; rows that were checked are left out.

        Examples
        --------
        >>> import numpy as np
        >>> from blindauc import BlindAUCClassifier
        >>> from blindauc.datasets import make_paper_data
        >>> data = make_paper_data(n_features=20, n_relevant=15, n_outliers=7, random_state=0)
        >>> model = BlindAUCClassifier(n_outliers=0.1).fit(data.X, data.y_pu)
        >>> rows = model.next_to_check(10)
        >>> checked = np.full(len(data.y_pu), np.nan)
        >>> checked[rows] = data.y_true[rows]
        >>> model = model.fit(data.X, data.y_pu, checked=checked)
        >>> len(model.known_negative_rows_), bool(np.isin(rows, model.next_to_check(10)).any())
        (7, False)
        """
        check_is_fitted(self)
        check_choice("for_", for_, ("labels", "ranking"))
        check_whole("k", k, at_least=1)
        return (self._by_suspicion() if for_ == "labels" else self.check_for_ranking_)[:k]

    def _by_suspicion(self) -> Ints:
        """The labelled rows that nobody has checked, the most doubtful first."""
        unchecked = self._is_unchecked()
        order = np.lexsort((-self.leverage_[unchecked], -self.suspicion_[unchecked]))
        return self.labelled_rows_[unchecked][order]
