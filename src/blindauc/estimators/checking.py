r"""Checked rows, and the choice of the rows to check next.

A check improves the ranking if it finds that the fit uses a row with the wrong label, and the more so the larger the
influence of the row. Let r be the out-of-fold rank of a row among the unlabelled rows. The contribution of a positive
to the gradient of the blind AUC is proportional to the share 1 - r of the unlabelled rows above it. Wrong labels bias
the weights in a common direction. Their contributions add up to K, and the loss in the objective is proportional to
K^2; correcting one contribution d reduces it by about 2 K d. A newly found positive among the unlabelled rows has no
such joint effect: it only enlarges the sample of positives by one. The expected gains of checks are thus about

    2 K suspicion (1 - r)           of a labelled row that the fit uses, K = sum of suspicion (1 - r) over all these
    2 L (1 - suspicion) (1 - r)     of one that it leaves out, L = sum of (1 - suspicion) (1 - r) over all these
    probability (1 - r)^2           of an unlabelled row

so that unlabelled rows come first once hardly any wrong label is left.
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
"""The fewest known negatives, and positives, for which their AUC is reported (convention)."""

MOST_KEPT = 1000
"""The most rows to check next that a model stores (convention): more than anyone checks before the next fit."""


@dataclass(frozen=True)
class LabelChecks:
    """Which labels have not been checked, and which were found wrong."""

    is_unchecked: Bools
    is_wrong: Bools

    @classmethod
    def of(cls, data: Data, labelled: Bools, first: Ints) -> LabelChecks:
        """The checks of the labelled rows of data, in the order `first`."""
        confirmed, wrong = (mask[labelled][first] for mask in (data.is_confirmed, data.is_known_negative))
        return cls(~confirmed & ~wrong, wrong)

    def settled(self, suspicion: Floats) -> Floats:
        """The suspicion of each label, set to 0 or 1 if it was checked."""
        return np.where(self.is_unchecked, suspicion, self.is_wrong)

    def contamination(self, of_ranks: ScoreModel, by_step: Ints) -> Estimate:
        """The share of wrong labels among the unchecked ones, whose number in each step is `by_step`."""
        if self.is_unchecked.all():
            return of_ranks.estimate.contamination
        n_unchecked = int(by_step.sum())
        if n_unchecked == 0:
            return Estimate(0.0, 0.0, 0.0, of_ranks.estimate.contamination.confidence)
        (wrong,) = of_ranks.expected_wrong(by_step, [n_unchecked])
        value, low, high = (number / n_unchecked for number in (float(wrong), wrong.low, wrong.high))
        return Estimate(value, low, high, wrong.confidence)


def auc_checked(data: Data, rank: Floats, of_ranks: ScoreModel) -> Estimate | None:
    """The out-of-fold AUC of positives against known negatives; None if either are too few.

    Unchecked labels have the weight `1 - suspicion`.
    """
    is_known = ~np.isnan(rank)
    pos, negative = is_known & data.is_positive, is_known & data.is_known_negative
    if min(pos.sum(), negative.sum()) < MIN_CHECKED:
        return None
    taken = pos | negative
    doubt = np.where(data.is_confirmed | negative, 0.0, of_ranks.suspicion(np.where(is_known, rank, 0.0)))
    weight = data.counts * np.maximum(1 - doubt, 1e-9)
    # A prior of zero, since known negatives take the place of the unlabelled rows.
    return pu_auc_score(pos[taken], rank[taken], sample_weight=weight[taken], prior=0.0)


def gains(data: Data, rank: Floats, of_ranks: ScoreModel, outliers: Ints) -> Floats:
    """The expected gain of checking each row; zero for rows that were checked or have no rank."""
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
    """The rows with the largest expected gain, in decreasing order."""
    rows, first = np.unique(data.row, return_index=True)
    order = np.argsort(-gain[first], kind="stable")[:MOST_KEPT]
    return rows[order[gain[first][order] > 0]]


class CheckingNext:
    """Mix-in with the methods about checks of labels."""

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
        """A mask of the `labelled_rows_` that were not checked."""
        return ~np.isin(self.labelled_rows_, self.checked_rows)

    def _what_can_be_checked(self) -> str:
        """The labels that are left to check, in words."""
        return "labelled positives" + ("" if self._is_unchecked().all() else " that were not checked yet")

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def next_to_check(self, k: int, for_: str = "labels") -> Ints:
        """Row numbers, in the training X, of the rows to check next, in order.

        Pass the results of the checks as `fit(X, y, checked=...)`.

        Parameters
        ----------
        k : int
            The number of rows you can check.
        for_ : {"labels", "ranking"}, default="labels"
            "labels" returns labelled rows by suspicion, to find wrong labels. "ranking" returns labelled and unlabelled
            rows by the expected gain of the ranking: the probability that the fit uses the row with the wrong label,
            times the influence of the row (the module `blindauc.estimators.checking` has the formula). Suspicious
            labels come first while there are several, then unlabelled rows.

        Returns
        -------
        ndarray
            At most k row numbers, from 0; rows that were checked are left out.

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
        """The unchecked labelled rows, the most suspicious first."""
        unchecked = self._is_unchecked()
        order = np.lexsort((-self.leverage_[unchecked], -self.suspicion_[unchecked]))
        return self.labelled_rows_[unchecked][order]
