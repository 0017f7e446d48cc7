"""Predictions of a fitted score: ranking, classes, probabilities, doubtful labels, selected columns."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.estimators.checking import CheckingNext, most_promising
from blindauc.estimators.door import followed, labels_and_weights, scores
from blindauc.estimators.explained import ExplainedScore, is_calibrated
from blindauc.estimators.inputs import read_counts, read_matrix, takes_missing
from blindauc.estimators.meaning import Meaning
from blindauc.estimators.reading import ScreenedRows
from blindauc.estimators.threshold import threshold_of_half, threshold_of_share
from blindauc.metrics import blind_auc_score
from blindauc.prior import ScoreModel, flag


class PURanking(ClassifierMixin, SelectorMixin, ExplainedScore, CheckingNext):  # type: ignore[misc]
    """Base class with the predictions of a fitted score."""

    has_intercept: ClassVar[bool]
    """Whether the risk has an intercept."""

    support_: Bools
    classes_: Any
    calibration_: ScoreModel
    unlabelled_calibration_: ScoreModel
    lift_: float
    suspicion_: Floats
    labels_by_step_: Ints
    labelled_rows_: Ints
    leverage_: Ints
    prior_: Estimate

    def decision_function(self, X: Any) -> Floats:
        """The ranking: higher is more likely positive, above zero is predicted positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return scores(self, X) + self.intercept_

    def predict(self, X: Any) -> Any:
        """The class of each row: positive if the decision function is above zero. `threshold` sets the zero point.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return followed(self, X, self._classes_of)

    def _classes_of(self, scores: Floats) -> Any:
        return self.classes_[(scores + self.intercept_ > 0).astype(np.intp)]

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the negative and of the positive class, for rows of the population (`sampling`).

        They are estimated from out-of-fold ranks and do not decrease with the decision function. They are calibrated if
        the prior is given or identified by the data (`blindauc.prior.is_identified(model.prior_)`). Otherwise use
        `predict_proba_interval`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n, 2), rows summing to one
        """
        check_is_fitted(self)
        return followed(self, X, self._probabilities_of)

    def _probabilities_of(self, scores: Floats) -> Floats:
        positive = self.calibration_.probability(scores)
        return np.column_stack([1 - positive, positive])

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba_interval(self, X: Any) -> tuple[Floats, Floats]:
        """The 95 % interval of the probability of being positive, for rows of the population (`sampling`).

        It spans the probabilities under all priors, contaminations and class shapes that fit the out-of-fold ranks
        nearly as well as the best ones. If the prior is neither given nor identified by the data, it is wide.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        low, high : ndarray of shape (n,)
            The ends of the interval; the probability of `predict_proba` lies between them.

        Examples
        --------
        >>> from blindauc import BlindAUCClassifier
        >>> from blindauc.datasets import make_paper_data
        >>> data = make_paper_data(n_features=20, n_relevant=20, n_outliers=0, random_state=0)
        >>> low, high = BlindAUCClassifier().fit(data.X, data.y_pu).predict_proba_interval(data.X_test)
        >>> given = BlindAUCClassifier(prior=20 / 300).fit(data.X, data.y_pu).predict_proba_interval(data.X_test)
        >>> bool((high - low).mean() > (given[1] - given[0]).mean())
        True
        """
        check_is_fitted(self)
        return self.calibration_.probability_interval(scores(self, X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The blind AUC: the probability that a labelled positive scores above an unlabelled row.

        With the share :math:`\\pi` of positives among the unlabelled rows and correct labels, it is
        :math:`\\pi / 2 + (1 - \\pi) AUC`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or ParquetRows
        y : array-like of shape (n,)
            PU labels, as in `fit`; left out with ParquetRows, which name the columns of labels and weights.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        check_is_fitted(self)
        is_positive, weight = labels_and_weights(self, X, y, sample_weight)
        return float(blind_auc_score(is_positive, self.decision_function(X), sample_weight=weight))

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def doubtful_labels(self, max_fdr: float = 0.2, *, k: int | None = None) -> Ints:
        """Row numbers, in the training X, of the labels to re-check, the most suspicious first.

        These are as many as the false discovery rate allows, or the first `k`. `expected_wrong` estimates how many of
        the first `k` are wrong. Every labelled positive can be among them, outlier of the fit or not, unless it was
        checked.

        Parameters
        ----------
        max_fdr : float, default=0.2
            The largest expected false discovery rate: the share of the returned labels that are correct after all.
        k : int, optional
            The number of labels you can check, in place of `max_fdr`.

        Returns
        -------
        ndarray
            Row numbers, from 0; the tables of `blindauc.analysis` count rows from 1.
        """
        check_is_fitted(self)
        rows = self._by_suspicion()
        if k is None:
            return rows[: int(flag(self.suspicion_[self._is_unchecked()], max_fdr).sum())]
        (n_wanted,) = read_counts("k", k, len(rows), self._what_can_be_checked())
        return rows[:n_wanted]

    @available_if(is_calibrated)  # type: ignore[untyped-decorator]
    def expected_wrong(self, k: Any) -> Any:
        """Expected number of wrong labels among the `k` most suspicious ones, `doubtful_labels(k=k)`.

        The interval is a prediction interval: it combines the random variation of the count with all plausible
        contaminations.

        Parameters
        ----------
        k : int or sequence of int

        Returns
        -------
        Estimate, or a list of them where k is a sequence
            With a 95 % interval of whole numbers.

        Examples
        --------
        >>> from blindauc import BlindAUCClassifier
        >>> from blindauc.datasets import make_paper_data
        >>> data = make_paper_data(n_features=20, n_relevant=15, n_outliers=7, random_state=0)
        >>> wrong = BlindAUCClassifier().fit(data.X, data.y_pu).expected_wrong(20)
        >>> wrong.low <= 7 <= wrong.high
        True
        """
        check_is_fitted(self)
        wanted = read_counts("k", k, int(self._is_unchecked().sum()), self._what_can_be_checked())
        n_apart = int((self.leverage_ > 0).sum())
        found = self.calibration_.expected_wrong(self.labels_by_step_, wanted, n_apart)
        return found[0] if isinstance(k, Integral) else found

    def _store_outliers(self, rows: ScreenedRows, left_out: Bools, shift: Floats) -> None:
        """Store which labelled positives were left out, by their scores and for their leverage."""
        data = rows.data
        fitted_rows = data.row[data.is_positive]
        self.outliers_ = _union(fitted_rows[left_out], rows.leverage_rows)
        self.shift_ = np.zeros(len(data.labelled))
        # Unlabelled rows that were checked and found positive are not among the labelled ones.
        has_label = data.is_labelled[data.is_positive]
        self.shift_[np.searchsorted(data.labelled, fitted_rows[has_label])] = shift[has_label]
        for taken_out in (rows.leverage_rows, data.row[data.is_known_negative & data.is_labelled]):
            self.shift_[np.searchsorted(data.labelled, taken_out)] = np.inf
        self.labelled_rows_ = _union(data.row[data.is_labelled], rows.leverage_rows)
        if data.verdict is not None:
            self.confirmed_rows_ = np.unique(data.row[data.is_confirmed])
            self.known_negative_rows_ = np.unique(data.row[data.is_known_negative])
        self.leverage_ = np.zeros(len(self.labelled_rows_), dtype=np.intp)
        self.leverage_[np.searchsorted(self.labelled_rows_, rows.leverage_rows)] = rows.n_columns

    def _store_meaning(self, meaning: Meaning, data: Data, scores: Floats, threshold: str) -> None:
        self.calibration_, self.auc_ = meaning.calibration, meaning.auc
        self.unlabelled_calibration_, self.lift_ = meaning.unlabelled, meaning.lift
        self.labels_by_step_ = meaning.labels_by_step
        self.prior_, self.contamination_ = meaning.prior, meaning.contamination
        self.suspicion_ = meaning.suspicion
        self.check_for_ranking_ = most_promising(data, meaning.gain)
        if meaning.auc_checked is not None:
            self.auc_checked_ = meaning.auc_checked
        if meaning.wrong_expected is not None:
            self.wrong_expected_ = meaning.wrong_expected
        unlabelled = data.is_unlabelled
        if threshold == "probability":
            self.intercept_ = -threshold_of_half(self.calibration_, scores)
        else:
            self.intercept_ = -threshold_of_share(scores[unlabelled], data.weight[unlabelled], float(self.prior_))

    def transform(self, X: Any) -> Any:
        """The selected columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)

        Returns
        -------
        array of shape (n, n_selected)
        """
        check_is_fitted(self)
        # scikit-learn checks for NaN and infinity as well, but not if it returns a table.
        read_matrix(self, X, reset=False)
        return super().transform(X)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def _html_repr(self) -> str:
        """The HTML for notebooks: scikit-learn's diagram and, after the fit, a table of results."""
        diagram: str = super()._html_repr()
        if not hasattr(self, "spread_"):
            return diagram
        from blindauc.estimators.notebook import found

        return found(self) + diagram

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # `shape` may be one or several, and is not validated yet.
        tags.input_tags.sparse = not any(shape in str(self.shape) for shape in ("curves", "kernel"))
        tags.input_tags.allow_nan = takes_missing(self)
        tags.target_tags.required = True
        return tags


def _union(rows: Ints, others: Ints) -> Ints:
    """All of these row numbers, ascending, each once. `np.union1d` hashes them, and takes ten times as long."""
    every = np.sort(np.concatenate([rows, others]))
    return every[np.append(True, every[1:] != every[:-1])[: len(every)]]
