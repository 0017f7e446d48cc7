"""Assessment of any model by its out-of-fold scores, without negatives."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.estimate import MIN_POSITIVES, TOO_FEW, Estimate
from blindauc.labels import is_missing, read_labels
from blindauc.prior import ScoreModel, flag, is_identified
from blindauc.ranks import Ranked, share_below
from blindauc.trust.ranks import CHANCE, assess_ranks, has_evidence, on_scores, without_evidence


@dataclass(frozen=True, repr=False, eq=False)
class ScoreJudgement:
    """Result of `judge`: assessment of a model and its labels by out-of-fold scores.

    Attributes
    ----------
    auc : Estimate
        The AUC of the ranking on true labels.
    prior : Estimate
        The class prior: the share of positives among the unlabelled rows.
    contamination : Estimate
        The share of the labelled positives that are not positive.
    labelled_rows : ndarray of shape (n_pos,)
        The row numbers of the labelled positives, from 0.
    suspicion : ndarray of shape (n_pos,)
        The probability that each of these labels is wrong.
    rank : ndarray of shape (n,)
        The share of the unlabelled rows that score below each row. If `folds` were given, only rows of the same fold
        count.
    rank_model : ScoreModel
        The probability that an unlabelled row is positive and the suspicion of a label, as functions of the rank.
    """

    auc: Estimate
    prior: Estimate
    contamination: Estimate
    labelled_rows: Ints
    suspicion: Floats
    rank: Floats
    rank_model: ScoreModel
    _unlabelled: tuple[Floats, Floats] | None

    def doubtful_labels(self, max_fdr: float = 0.2) -> Ints:
        """Row numbers of the labels to re-check, the most suspicious first.

        Parameters
        ----------
        max_fdr : float, default=0.2
            The largest expected false discovery rate: the share of the returned labels that are correct after all.

        Returns
        -------
        ndarray
            Row numbers, from 0.
        """
        order = np.lexsort((self.rank[self.labelled_rows], -self.suspicion))
        return self.labelled_rows[order[flag(self.suspicion, max_fdr)[order]]]

    def calibration(self, unl_scores: Any = None) -> ScoreModel:
        """The probability that an unlabelled row is positive, as a function of the score.

        Parameters
        ----------
        unl_scores : array-like of shape (n_unl,), optional
            Scores of unlabelled rows from the model that you will use, such as one fitted to all labelled rows. That
            model should not have been fitted to these rows. By default, the scores that were passed to `judge`.

        Returns
        -------
        ScoreModel
            With `probability(scores)` and `probability_interval(scores)`. The probabilities are calibrated if the prior
            was given or is identified by the data (`blindauc.prior.is_identified`); use the interval otherwise.
        """
        if unl_scores is not None:
            scores = _read_vector("unl_scores", unl_scores)
            return on_scores(self.rank_model, scores, np.ones(len(scores)))
        if self._unlabelled is None:
            raise ValueError(
                "The models of different folds may score on different scales: pass unl_scores, scores of unlabelled "
                "rows from the model that you will use."
            )
        return on_scores(self.rank_model, *self._unlabelled)

    def __repr__(self) -> str:
        n_pos = len(self.labelled_rows)
        header = f"ScoreJudgement of {n_pos} labelled and {len(self.rank) - n_pos} unlabelled rows"
        if not has_evidence(self.rank_model):
            return f"{header}\n  AUC              {TOO_FEW}"
        prior = (
            str(self.prior) if is_identified(self.prior) else f"between {self.prior.low:.3f} and {self.prior.high:.3f}"
        )
        return "\n".join(
            [
                header,
                f"  AUC              {self.auc}",
                f"  prior            {prior}",
                f"  contamination    {self.contamination}",
                f"  doubtful labels  {len(self.doubtful_labels())}",
            ]
        )


def judge(
    y_pu: Any,
    out_of_fold_scores: Any,
    *,
    prior: float | None = None,
    sample_weight: Any = None,
    folds: Any = None,
    pos_label: Any = None,
) -> ScoreJudgement:
    r"""Estimate AUC, class prior, wrong labels and calibration of any model from its out-of-fold scores.

    No negative labels are needed. Each score is replaced by its rank among the unlabelled rows U,

    .. math:: r_i = \frac{1}{|U|} \sum_{j \in U} \left( 1[f_j < f_i] + \tfrac12 1[f_j = f_i] \right)

    and the ranks are modelled as mixtures of a positive and a negative class (`blindauc.prior.fit_score_model`):

    .. math:: \text{labelled} = (1 - \eta) f_1 + \eta f_0, \qquad \text{unlabelled} = \pi f_1 + (1 - \pi) f_0

    with the class prior :math:`\pi` and the contamination :math:`\eta`. Only the order of the scores matters: logits,
    probabilities and distances all work.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    out_of_fold_scores : array-like of shape (n,)
        One score per row, higher for positives, from a model that was not fitted to the row. For example, use
        `sklearn.model_selection.cross_val_predict` with shuffled folds. In-sample scores give an AUC that is too high,
        and hide wrong labels. If labelled positives score lower than unlabelled rows, there is a warning.
    prior : float, optional
        The share of positives among the unlabelled rows, if known.
    sample_weight : array-like of shape (n,), optional
        A weight of 2 equals a row given twice. If weights are not whole numbers, only their proportions count.
    folds : array-like of shape (n,), optional
        The fold in which each row was held out. Rows are then ranked among the unlabelled rows of their own fold, so
        that the models of different folds may have different scales.
    pos_label : object, default=None
        The label of positives; by default, the larger of the two labels.

    Returns
    -------
    ScoreJudgement
        With `auc`, `prior`, `contamination`, `suspicion`, `doubtful_labels(max_fdr)` and `calibration()`. With fewer
        than 15 labelled positives all intervals are 0 to 1, except that of a given prior.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import StratifiedKFold, cross_val_predict
    >>> from blindauc import judge
    >>> from blindauc.datasets import make_correlated_data
    >>> data = make_correlated_data(0.1, outliers="far", n_features=20, n_pos=200, n_unlabelled=800, random_state=0)
    >>> folds = StratifiedKFold(shuffle=True, random_state=0)
    >>> scores = cross_val_predict(LogisticRegression(), data.X, data.y_pu, cv=folds, method="decision_function")
    >>> judgement = judge(data.y_pu, scores)
    >>> judgement  # doctest: +ELLIPSIS
    ScoreJudgement of 200 labelled and 800 unlabelled rows
      AUC              0.8... (95 % interval ...)
      prior            between 0.0... and 0...
      contamination    0.1... (95 % interval ...)
      doubtful labels  ...
    >>> bool(np.isin(judgement.doubtful_labels()[:10], data.outliers).all())
    True
    >>> low, high = judgement.calibration().probability_interval(scores)
    """
    is_positive = read_labels(y_pu, pos_label).is_positive
    scores = _read_vector("out_of_fold_scores", out_of_fold_scores, len(is_positive))
    weight = _read_weight(sample_weight, is_positive)
    if prior is not None and not (isinstance(prior, Real) and 0 <= float(prior) <= 1):
        raise ValueError(f"prior must be a share in [0, 1], or None if it is not known, not {prior!r}.")
    fold = np.zeros(len(scores), dtype=np.intp) if folds is None else _read_folds(folds, len(scores))
    rank = _ranks_by_fold(scores, fold, ~is_positive, weight)
    labelled = np.flatnonzero(is_positive)
    ranked = _ranked(rank, is_positive, weight)
    _warn_if_reversed(ranked)
    found = assess_ranks(ranked, prior)
    if np.count_nonzero(weight[labelled]) < MIN_POSITIVES:
        found = without_evidence(found, prior)
    counted = ~is_positive & (weight > 0)
    return ScoreJudgement(
        found.auc,
        found.estimate.prior,
        found.estimate.contamination,
        labelled,
        found.score_model.suspicion(rank[labelled]),
        rank,
        found.score_model,
        (scores[counted], weight[counted]) if folds is None else None,
    )


def _ranked(rank: Floats, is_positive: Bools, weight: Floats) -> Ranked:
    kept = np.flatnonzero(weight)
    counts = Data(None, is_positive[kept], weight[kept], kept, np.flatnonzero(is_positive)).counts
    pos, kept_rank = is_positive[kept], rank[kept]
    return Ranked(kept_rank[pos], kept_rank[~pos], counts[pos], counts[~pos])


def _warn_if_reversed(ranked: Ranked) -> None:
    """Warn if the blind AUC is significantly below one half, by a two-sided Mann-Whitney test at a level of 1 %."""
    blind_auc = float(np.average(ranked.pos, weights=ranked.pos_weight))
    half_width = NormalDist().inv_cdf(0.995) * np.sqrt((1 / ranked.pos_weight.sum() + 1 / ranked.unl_weight.sum()) / 12)
    if blind_auc + half_width < CHANCE:
        warnings.warn(
            f"Labelled positives score lower than unlabelled rows (the blind AUC is {blind_auc:.3f}; 0.5 is chance). "
            "The sign of the scores may be reversed: if low scores mean positive, pass -out_of_fold_scores; from the "
            "output of predict_proba, pass the column of the positive class.",
            UserWarning,
            stacklevel=3,
        )


def _ranks_by_fold(scores: Floats, fold: Ints, is_unlabelled: Bools, weight: Floats) -> Floats:
    rank = np.empty(len(scores))
    for number in range(fold.max() + 1):
        rows = fold == number
        among = rows & is_unlabelled & (weight > 0)
        if not among.any():
            raise ValueError(
                f"The fold of row {np.flatnonzero(rows)[0]} has no unlabelled row of positive weight to rank its rows "
                "among: give every fold unlabelled rows, for example with StratifiedKFold."
            )
        rank[rows] = share_below(scores[rows], scores[among], weight[among])
    return rank


def _read_vector(name: str, values: Any, n_rows: int | None = None) -> Floats:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers, one for each row: {str(error).splitlines()[0]}") from error
    if vector.ndim != 1:
        raise ValueError(
            f"{name} must hold one number for each row, but its shape is {vector.shape}: from the output of "
            "predict_proba, pass the column of the positive class, `[:, 1]`."
        )
    if n_rows is not None and len(vector) != n_rows:
        raise ValueError(f"y_pu and {name} must have the same length, but they have {n_rows} and {len(vector)} rows.")
    if len(vector) == 0 or not np.isfinite(vector).all():
        raise ValueError(f"{name} must hold finite numbers, and at least one: leave out rows with NaN or infinity.")
    return vector


def _read_weight(sample_weight: Any, is_positive: Bools) -> Floats:
    n_rows = len(is_positive)
    weight = np.ones(n_rows) if sample_weight is None else _read_vector("sample_weight", sample_weight, n_rows)
    if weight.min() < 0:
        raise ValueError(f"sample_weight must not be negative, but {weight.min():g} is among the weights.")
    for rows, kind, remedy in (
        (is_positive, "labelled positive", "label some rows"),
        (~is_positive, "unlabelled row", "add rows with label 0, -1, False or missing"),
    ):
        if not weight[rows].any():
            raise ValueError(f"There is no {kind} with positive weight among {n_rows} rows: {remedy}.")
    return weight


def _read_folds(folds: Any, n_rows: int) -> Ints:
    values = column_or_1d(folds)
    if len(values) != n_rows:
        raise ValueError(f"y_pu and folds must have the same length, but they have {n_rows} and {len(values)} rows.")
    if is_missing(values).any():
        raise ValueError("folds must name the fold of every row, but some are missing: drop the rows without a fold.")
    return np.unique(values, return_inverse=True)[1].ravel()
