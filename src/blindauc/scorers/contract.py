"""The interface between the search and a family of models. The search never uses coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.scorers.spec import Spec


class Probe(Protocol):
    """The scores of fixed rows, and their scores with other values in some columns."""

    scores: Floats

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        """Scores of shape (n,) if these columns held `values`, of shape (n, n_columns)."""

    def interaction(self, j: int, k: int, values: Floats) -> Floats:
        """The mixed difference f(x) - f(x_j) - f(x_k) + f(x_jk), with `values` of shape (n, 2) in columns j and k.

        It is zero if the score is a sum of functions of which none depends on both columns.
        """


def mixed_difference(probe: Probe, j: int, k: int, values: Floats) -> Floats:
    """The interaction of two columns, from the definition."""
    one, other = probe.replaced([j], values[:, :1]), probe.replaced([k], values[:, 1:])
    return probe.scores - one - other + probe.replaced([j, k], values)


class Model(Protocol):
    """One scoring function, or the average of several."""

    def scores(self, X: Any) -> Floats:
        """Scores of shape (n,)."""

    @property
    def columns(self) -> Bools:
        """Mask of the columns that the model uses, of shape (p,)."""

    def blended(self, others: Sequence[Self], share: Floats) -> Self:
        """The model whose score is the weighted sum of the scores of this model and the others."""

    def restricted(self, columns: Bools, data: Data) -> Self:
        """A model that uses only these columns, with scores on these rows as near as possible to this model's."""

    def probe(self, X: Any) -> Probe:
        """A probe of these rows, to compute scores with some columns replaced."""

    def contributions(self, X: Any) -> Floats:
        """The contribution of each column to each score, of shape (n, p). With `base`, they sum to the scores."""

    @property
    def base(self) -> float:
        """The score of a row to which no column contributes: the score minus the sum of all contributions."""


class Models(Protocol):
    """Models fitted to the same rows, one for each spec.

    Scores are in units of their standard deviation over the fitted unlabelled rows, so that they can be averaged.
    """

    def __len__(self) -> int:
        """The number of models."""

    def scores(self, X: Any) -> Floats:
        """Scores of shape (n, n_models)."""

    @property
    def columns(self) -> Bools:
        """Mask of the columns that each model uses, of shape (n_models, p)."""

    @property
    def outliers(self) -> Bools:
        """Mask of the labelled positives that each fit left out, of shape (n_models, n_pos)."""

    @property
    def screening(self) -> Models | None:
        """The models that decided which positives each fit left out; None if the fits decided themselves."""

    def inclusion(self, weight: Floats) -> Floats:
        """The total weight of the models that use each column, of shape (p,)."""

    def subset(self, index: Ints) -> Self:
        """The models at these indices."""

    def joined(self, others: Sequence[Self]) -> Self:
        """These models followed by others that were fitted to the same rows."""

    def average(self, weight: Floats) -> Model:
        """The model whose score is the weighted sum of the scores."""


class Scorer(Protocol):
    """A family of models."""

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        """The ridge whose curvature equals that of the spec's loss on the data. Ridges are placed in units of it."""

    def n_coefficients(self, data: Data, spec: Spec) -> int:
        """The number of coefficients that the ridge shrinks, in a fit with all columns."""

    def path(self, data: Data, specs: Sequence[Spec]) -> Models:
        """Fit every spec to the rows. Each fit may start from that of a neighbouring spec."""
