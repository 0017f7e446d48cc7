"""What may be chosen: one candidate, frozen and printable."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Spec:
    """The settings of one fit, by the names of the estimators' parameters.

    Parameters
    ----------
    scaling : {"none", "standard", "robust"}
    loss : str or Loss
    l2 : float, the ridge on the scaled columns
    n_outliers : float, the share of the labelled positives that the fit leaves out
    n_features_to_select : int, or a tuple with one int for each group

    Examples
    --------
    >>> from blindauc.scorers.spec import Spec
    >>> Spec("standard", "logistic", l2=0.1, n_outliers=0.1, n_features_to_select=10).params["l2"]
    0.1
    """

    scaling: str
    loss: Any
    l2: float
    n_outliers: float
    n_features_to_select: Any

    @property
    def params(self) -> dict[str, Any]:
        """The settings as parameters of an estimator."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def kind(self) -> tuple[str, Any]:
        """Scaling and loss: fits of one kind share an objective but for its ridge."""
        return self.scaling, self.loss
