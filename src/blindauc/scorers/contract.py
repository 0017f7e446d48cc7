"""What a search asks of a family of scores. It never sees a coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.scorers.spec import Spec


class Probe(Protocol):
    """The scores of some rows, and what they would be if some columns held other values."""

    scores: Floats

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        """Scores of shape (n,) with `values`, of shape (n, n_columns), in the place of these columns."""


class Model(Protocol):
    """One score, or an average of several."""

    def scores(self, X: Any) -> Floats:
        """Scores of shape (n,)."""

    @property
    def columns(self) -> Bools:
        """The columns that it uses, of shape (p,)."""

    def blended(self, others: Sequence[Self], share: Floats) -> Self:
        """The model whose score is the weighted sum of this one's score and those of others."""

    def restricted(self, columns: Bools, data: Data) -> Self:
        """The model nearest to this one, on these rows, that uses only some of the columns."""

    def probe(self, X: Any) -> Probe:
        """What changing columns of these rows would do to their scores."""

    def contributions(self, X: Any) -> Floats:
        """What each column adds to the score of each row, of shape (n, p): with `base` they add up to the scores."""

    @property
    def base(self) -> float:
        """What the score is where no column adds to it."""


class Models(Protocol):
    """Models fitted to the same rows, one for each spec.

    Scores are in units of their standard deviation over the fitted unlabelled rows, so that they can be averaged.
    """

    def __len__(self) -> int:
        """How many there are."""

    def scores(self, X: Any) -> Floats:
        """Scores of shape (n, n_models)."""

    @property
    def columns(self) -> Bools:
        """Columns that each model uses, of shape (n_models, p)."""

    @property
    def outliers(self) -> Bools:
        """Labelled positives that each fit left out, of shape (n_models, n_pos)."""

    def inclusion(self, weight: Floats) -> Floats:
        """The weight of the models that use each column, of shape (p,)."""

    def subset(self, index: Ints) -> Self:
        """Some of the models."""

    def joined(self, others: Sequence[Self]) -> Self:
        """These and others, fitted to the same rows."""

    def average(self, weight: Floats) -> Model:
        """The model whose score is the weighted sum of the scores."""


class Scorer(Protocol):
    """A family of scores."""

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        """The ridge that weighs as much as the curvature of a spec's loss; ridges are placed in units of it."""

    def path(self, data: Data, specs: Sequence[Spec]) -> Models:
        """Fit every spec to the rows, each from its neighbour's fit."""
