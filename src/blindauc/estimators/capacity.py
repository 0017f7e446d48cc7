"""The expected number of positives among the first k rows of a ranking."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from blindauc._typing import Bools, Floats
from blindauc.estimators.inputs import read_counts
from blindauc.estimators.ranking import PURanking
from blindauc.labels import read_labels


def expected_found(model: Any, X: Any, k: Any, *, y: Any = None, training: bool = False) -> Any:
    """Expected number of positives among the k unlabelled rows of X that the model ranks highest.

    The interval is a prediction interval: it combines the random variation of the count with all priors,
    contaminations and class shapes that fit the out-of-fold ranks nearly as well as the best ones. If the prior is
    neither given nor identified by the data, it is wide.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted `BlindAUCClassifier`, `PUErrorClassifier` or a tuned version of them, or a pipeline that ends in one,
        such as that of `blindauc.analysis.analyse`.
    X : array-like, sparse matrix or table
        Rows from the same population as the unlabelled rows of the fit.
    k : int or sequence of int
        The number of rows to check.
    y : array-like of shape (n,), optional
        PU labels of these rows, as in `fit`: labelled rows are left out. By default no row is labelled.
    training : bool, default=False
        Whether X holds the rows of the fit. These score lower than new rows, because the fit treated unlabelled rows as
        negatives; the estimate corrects for this. The model knows their labels, so y is only needed if some labelled
        rows had weight zero.

    Returns
    -------
    Estimate, or a list of them where k is a sequence
        With a 95 % interval of whole numbers.

    Examples
    --------
    >>> from blindauc import BlindAUCClassifier, expected_found
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=20, n_relevant=20, n_outliers=0, random_state=0)
    >>> model = BlindAUCClassifier(prior=20 / 300).fit(data.X, data.y_pu)
    >>> found = expected_found(model, data.X, 50, training=True)
    >>> ranked = (-model.decision_function(data.X[data.y_pu == 0])).argsort()
    >>> bool(found.low <= data.y_true[data.y_pu == 0][ranked[:50]].sum() <= found.high)
    True
    """
    encode, ranking = _parts(model)
    scores = ranking.decision_function(encode(X)) - ranking.intercept_
    is_labelled = _labelled(ranking, len(scores), y, training)
    return found_among(ranking, scores[~is_labelled], k, training=training)


def found_among(ranking: PURanking, scores: Floats, k: Any, *, training: bool) -> Any:
    """`expected_found` of unlabelled rows with these scores (without the intercept)."""
    wanted = read_counts("k", k, len(scores), "unlabelled rows")
    as_if_new = scores + ranking.lift_ if training else scores
    found = ranking.unlabelled_calibration_.expected_positives(as_if_new, wanted)
    return found[0] if isinstance(k, Integral) else found


def _parts(model: Any) -> tuple[Any, PURanking]:
    """The preprocessing of X and the estimator that ranks."""
    is_pipeline = isinstance(model, Pipeline)
    encode, ranking = (model[:-1].transform, model[-1]) if is_pipeline else (lambda X: X, model)
    if not isinstance(ranking, PURanking):
        raise ValueError(
            f"model must be one of blindauc's estimators that learn probabilities, such as BlindAUCClassifierCV, or a "
            f"pipeline that ends in one, not {type(ranking).__name__}."
        )
    check_is_fitted(ranking)
    if not hasattr(ranking, "unlabelled_calibration_"):
        raise ValueError("With calibrate=False no counts can be estimated: set it to True and fit again.")
    return encode, ranking


def _labelled(ranking: PURanking, n_rows: int, y: Any, training: bool) -> Bools:
    """A mask of the rows to leave out because they are labelled or were checked."""
    if y is not None:
        is_labelled = read_labels(y, ranking.classes_[1]).is_positive
        if len(is_labelled) != n_rows:
            raise ValueError(f"X and y must have as many rows as each other: X has {n_rows}, y {len(is_labelled)}.")
        return is_labelled
    is_labelled = np.zeros(n_rows, dtype=bool)
    if training:
        if len(ranking.shift_) > len(ranking.labelled_rows_):
            raise ValueError("Some labelled rows had weight zero in the fit, so the model does not know them: pass y.")
        if n_rows <= ranking.labelled_rows_.max():
            raise ValueError(
                f"With training=True X must hold the rows of the fit, and it has only {n_rows}: pass them all, or "
                "training=False."
            )
        is_labelled[ranking.labelled_rows_] = True
        is_labelled[ranking.checked_rows] = True  # their true labels are known
    return is_labelled
