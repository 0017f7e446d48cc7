"""The parameters that classifiers and their tuned versions share.

The estimators are dataclasses: a field is a parameter, and a subclass adds its own. scikit-learn reads the parameters
from the constructor that `dataclass` generates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from sklearn.utils import check_random_state

from blindauc.data import Data
from blindauc.estimators.inputs import check_choice, check_number, check_prior, read_sparsity
from blindauc.estimators.ranking import PURanking
from blindauc.estimators.reading import all_or_nothing
from blindauc.estimators.shapes import scorer_of
from blindauc.risks import Risk
from blindauc.scorers import LinearScorer
from blindauc.scorers.mixed import MixedScorer
from blindauc.sparsity import SparsitySet

parameters = partial(dataclass, kw_only=True, eq=False, repr=False)
"""The decorator of an estimator whose fields are its parameters."""


@parameters()
class PUParameters(PURanking):
    """Base class with the shared parameters."""

    shift_l2: float = 1e-3
    sparsity: str = "l0"
    groups: Any = None
    outlier_handling: str = "trim"
    leverage_screen: bool = True
    prior: float | None = None
    sampling: str = "one_sample"
    threshold: str = "probability"
    pos_label: Any = None
    max_iter: int = 500
    tol: float = 1e-4
    random_state: Any = None
    verbose: int = 0

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        time: Any = None,
        checked: Any = None,
    ) -> Self:
        """Fit to labelled positives and unlabelled rows.

        Estimators whose name ends in CV first choose their settings by cross-validation on these labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or rows that are not in memory
        y : array-like of shape (n,)
            1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row. Of any
            other two values, the larger is the positive one; a warning says so if they are words such as "fraud" and
            "normal".
        sample_weight : array-like of shape (n,), optional
            The weight of a pair is the product of its two weights. Cross-validation and calibration take whole numbers
            as counts of rows, and other weights as proportions.
        groups : array-like of shape (n,), optional
            The group of each row, such as a patient. Cross-validation and calibration hold rows of one group out
            together; the coefficients of a single fit do not depend on groups.
        time : array-like of shape (n,), optional
            The time of each row, as numbers or dates. Cross-validation and calibration evaluate rows by fits to earlier
            ones; the coefficients of a single fit do not depend on time.
        checked : array-like of shape (n,), optional
            The results of manual checks of labelled or unlabelled rows: 1, "right" or "positive" for a positive, 0,
            "wrong" or "negative" for a negative, missing or "" if a row was not checked. They override y: a confirmed
            positive is never left out of the fit, and a negative is used as such (`known_negative_share`).

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_params()
            self._fit_to(X, y, sample_weight, groups=groups, time=time, checked=checked)
        return self

    def _fit_to(self, X: Any, y: Any, sample_weight: Any, **known: Any) -> None:
        """Read the rows and fit to them; `known` holds their groups, time and checks."""
        raise NotImplementedError

    def _check_params(self) -> None:
        """Raise an error for invalid parameters."""
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1)
        check_prior(self.prior)
        check_choice("outlier_handling", self.outlier_handling, ("shift", "trim"))
        check_choice("sampling", self.sampling, ("one_sample", "two_sample"))
        check_choice("threshold", self.threshold, ("probability", "share"))
        if self.outlier_handling == "shift":
            hint = "" if self.shift_l2 else ' (shift_l2=0 would be trimming: choose outlier_handling="trim")'
            check_number("shift_l2" + hint, self.shift_l2, above=0)

    def _risk(self, data: Data) -> Callable[[Any], Risk]:
        """The function from a loss to the risk that is minimised, for these rows."""
        raise NotImplementedError

    def _features(self, data: Data) -> Callable[[Any], SparsitySet]:
        """The function from `n_features_to_select` to the sparsity set."""
        features = partial(
            read_sparsity,
            kind=self.sparsity,
            groups=self.groups,
            n_features=data.n_features,
            feature_names=getattr(self, "feature_names_in_", None),
            has_intercept=self.has_intercept,
        )
        features(None)  # raises an error for invalid sparsity or groups
        return features

    def _scorer(self, data: Data, shapes: Sequence[str], gammas: Sequence[float]) -> MixedScorer:
        """The scorer of these shapes that the parameters describe."""
        features = self._features(data)
        linear = LinearScorer(self._risk(data), features, self.shift_l2, self.outlier_handling == "trim")
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31))
        return scorer_of(linear, data, shapes, gammas, has_intercept=self.has_intercept, seed=seed)
