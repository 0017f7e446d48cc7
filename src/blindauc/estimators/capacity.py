"""How many positives those find who can check so many rows."""

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
    """How many positives to expect among the first k unlabelled rows of X, those that the model ranks highest.

    The interval holds what every prior, contamination and shape of the classes gives that explains the held-out ranks
    nearly as well as the best ones do, and the chance of a number of this size. Where the prior is neither given nor
    told by the data, it is wide.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted `BlindAUCClassifier`, `PUErrorClassifier` or one of them tuned; or a pipeline that ends in one, as
        `blindauc.analysis.analyse` gives it.
    X : array-like, sparse matrix or table
        Rows drawn like the unlabelled rows of the fit.
    k : int or sequence of int
        How many rows are checked.
    y : array-like of shape (n,), optional
        PU labels of these rows, as in `fit`: labelled rows are left out. By default no row is labelled.
    training : bool, default=False
        Whether X holds the very rows that the model was fitted to. They score lower than new rows would, for the fit
        took them for negatives, and this is made up for. Their labels are known, and y is not needed unless some
        labelled rows had no weight.

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
    """`expected_found` of unlabelled rows with these scores, which are without the intercept."""
    wanted = read_counts("k", k, len(scores), "unlabelled rows")
    as_if_new = scores + ranking.lift_ if training else scores
    found = ranking.unlabelled_calibration_.expected_positives(as_if_new, wanted)
    return found[0] if isinstance(k, Integral) else found


def _parts(model: Any) -> tuple[Any, PURanking]:
    """What turns X into numbers, and what ranks them."""
    is_pipeline = isinstance(model, Pipeline)
    encode, ranking = (model[:-1].transform, model[-1]) if is_pipeline else (lambda X: X, model)
    if not isinstance(ranking, PURanking):
        raise ValueError(
            f"model must be one of blindauc's estimators that learn probabilities, such as BlindAUCClassifierCV, or a "
            f"pipeline that ends in one, not {type(ranking).__name__}."
        )
    check_is_fitted(ranking)
    if not hasattr(ranking, "unlabelled_calibration_"):
        raise ValueError("With calibrate=False nothing is learnt about numbers: set it to True and fit again.")
    return encode, ranking


def _labelled(ranking: PURanking, n_rows: int, y: Any, training: bool) -> Bools:
    """Which rows are left out since they are labelled."""
    if y is not None:
        is_labelled = read_labels(y, ranking.classes_[1]).is_positive
        if len(is_labelled) != n_rows:
            raise ValueError(f"X and y must have as many rows as each other: X has {n_rows}, y {len(is_labelled)}.")
        return is_labelled
    is_labelled = np.zeros(n_rows, dtype=bool)
    if training:
        if len(ranking.shift_) > len(ranking.labelled_rows_):
            raise ValueError("Some labelled rows had no weight in the fit, which does not know them: pass y as well.")
        if n_rows <= ranking.labelled_rows_.max():
            raise ValueError(
                f"With training=True X must hold the rows of the fit, and it has only {n_rows}: pass them all, or "
                "training=False."
            )
        is_labelled[ranking.labelled_rows_] = True
        is_labelled[ranking.checked_rows] = True  # of which there is nothing to expect any more
    return is_labelled
