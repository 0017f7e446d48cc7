"""Scorers for `cross_val_score`, `GridSearchCV` and the like.

scikit-learn's scorers take the larger label as positive. These take the last of the estimator's `classes_`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, Self

from sklearn.utils.metadata_routing import MetadataRequest

from blindauc.metrics.labelled import lee_liu_score
from blindauc.metrics.ranks import blind_auc_score, trimmed_blind_auc_score


class PUScorer:
    """A metric of this package as `scorer(estimator, X, y_pu)`; see `make_pu_scorer`."""

    def __init__(self, metric: Callable[..., float], options: dict[str, Any]) -> None:
        self._metric, self._options = metric, options
        self._wants_labels = "y_pred" in signature(metric).parameters
        self._request = MetadataRequest(owner=repr(self))
        # Neither requested nor refused: scikit-learn raises UnsetMetadataPassedError if weights are passed.
        self._request.score.add_request(param="sample_weight", alias=None)

    def __call__(self, estimator: Any, X: Any, y_pu: Any, sample_weight: Any = None) -> float:
        """The metric of a fitted estimator on these rows."""
        answer = estimator.predict(X) if self._wants_labels else scores_of(estimator, X)
        return self._metric(y_pu, answer, sample_weight=sample_weight, pos_label=estimator.classes_[1], **self._options)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Request sample weights (True), or refuse them (False), if scikit-learn's metadata routing is enabled."""
        self._request.score.add_request(param="sample_weight", alias=sample_weight)
        return self

    def get_metadata_routing(self) -> Any:
        """The metadata that the scorer requests of scikit-learn's routing."""
        return self._request

    # GridSearchCV calls this before it passes weights on.
    def _accept_sample_weight(self) -> bool:
        return True

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"make_pu_scorer({self._metric.__name__}{options})"


def make_pu_scorer(metric: Callable[..., float], **options: Any) -> PUScorer:
    """Make a scorer from one of the metrics of this package.

    The positive class is the last of the estimator's `classes_`. Metrics of scores get `decision_function`, or the
    second column of `predict_proba` where there is none; metrics of labels get `predict`.

    Parameters
    ----------
    metric : callable
        `metric(y_pu, y_score, *, sample_weight, pos_label, ...)`, or with `y_pred` in place of `y_score`.
    **options
        Passed on to the metric: `prior`, `contamination`, `trim`, ...

    Returns
    -------
    PUScorer
        `scorer(estimator, X, y_pu, sample_weight=None)`, for the parameter `scoring` of scikit-learn.

    Raises
    ------
    ValueError
        If an option that the metric needs is missing, such as the `prior` of `pu_auc_score`.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from blindauc import BlindAUCClassifier
    >>> from blindauc.datasets import make_paper_data
    >>> from blindauc.metrics import make_pu_scorer, pu_auc_score
    >>> data = make_paper_data(n_features=40, n_outliers=0, random_state=0)
    >>> scorer = make_pu_scorer(pu_auc_score, prior=20 / 300)
    >>> scorer
    make_pu_scorer(pu_auc_score, prior=0.06666666666666667)
    >>> scores = cross_val_score(BlindAUCClassifier(l2=1000), data.X, data.y_pu, scoring=scorer)
    >>> bool(abs(scores.mean() - 0.88) < 0.03)
    True
    """
    needed = [each.name for each in signature(metric).parameters.values() if _is_needed(each)]
    if missing := [name for name in needed if name not in options]:
        name = metric.__name__
        raise ValueError(f"{name} needs {missing[0]}: pass make_pu_scorer({name}, {missing[0]}=...).")
    return PUScorer(metric, options)


def _is_needed(parameter: Parameter) -> bool:
    is_ours = parameter.name in ("sample_weight", "pos_label")  # the scorer passes them
    return parameter.kind is Parameter.KEYWORD_ONLY and parameter.default is Parameter.empty and not is_ours


def scores_of(estimator: Any, X: Any) -> Any:
    """One score per row, high for the last of the estimator's classes."""
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    return estimator.predict_proba(X)[:, 1]


blind_auc_scorer = make_pu_scorer(blind_auc_score)
trimmed_blind_auc_scorer = make_pu_scorer(trimmed_blind_auc_score)
lee_liu_scorer = make_pu_scorer(lee_liu_score)
