"""The settings of one candidate."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Spec:
    """The settings of one fit. The names are those of the estimators' parameters.

    Parameters
    ----------
    scaling : {"none", "standard", "robust", "variance"}
    loss : str or Loss
    l2 : float, the ridge on the scaled columns
    n_outliers : float, the share of the labelled positives that the fit leaves out
    n_features_to_select : int, or a tuple with one int for each group; None for all
    shape : {"linear", "curves", "kernel", "trees"}
    gamma : float, the kernel coefficient; None for other shapes
    n_leaves, n_rounds : int, the leaves of each tree and the number of trees; None for other shapes
    known_negative_share : float, the share of known negatives in the total weight of the rows that are not positive;
        None to keep the given weights

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
    shape: str = "linear"
    gamma: float | None = None
    n_leaves: int | None = None
    n_rounds: int | None = None
    known_negative_share: float | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The settings as parameters of an estimator, without those that do not apply to its shape or data."""
        optional = {"gamma", "n_leaves", "n_rounds", "known_negative_share"}
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if name not in optional or value is not None}

    @property
    def family(self) -> str:
        """The shape and, for a kernel, its gamma. Fits of one family share derived columns."""
        return family_of(self.shape, self.gamma)

    @property
    def kind(self) -> tuple[Any, ...]:
        """The family, scaling, loss and leaves per tree; fits of one kind can be neighbours on a path."""
        return self.family, self.scaling, self.loss, self.n_leaves


def family_of(shape: str, gamma: float | None = None) -> str:
    """The name of a family of fits.

    Examples
    --------
    >>> from blindauc.scorers.spec import family_of
    >>> family_of("curves"), family_of("kernel", 0.3)
    ('curves', 'kernel 0.3')
    """
    return shape if gamma is None else f"{shape} {gamma!r}"
