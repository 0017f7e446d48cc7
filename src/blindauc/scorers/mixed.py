"""Models of several families, each fitted by its own scorer, combined in one average."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.scorers.contract import Model, Models, Probe, Scorer
from blindauc.scorers.spec import Spec

SELECTING = ("linear", "curves")
"""Families that select columns. A kernel uses all columns, and trees may split on any column without a selection."""


@dataclass(frozen=True)
class MixedModel:
    """The sum of the scores of models of different families."""

    parts: dict[str, Any]

    def scores(self, X: Any) -> Floats:
        return sum(part.scores(X) for part in self.parts.values())

    @property
    def columns(self) -> Bools:
        return np.any([part.columns for part in self.parts.values()], axis=0)

    def blended(self, others: Sequence[MixedModel], share: Floats) -> MixedModel:
        every = [self, *others]
        return MixedModel({family: _blend(family, every, share) for family in _families(every)})

    def restricted(self, columns: Bools, data: Data) -> MixedModel:
        return MixedModel({family: part.restricted(columns, data) for family, part in self.parts.items()})

    def probe(self, X: Floats) -> MixedProbe:
        return MixedProbe([part.probe(X) for part in self.parts.values()])

    def contributions(self, X: Any) -> Floats:
        return sum(part.contributions(X) for part in self.parts.values())

    @property
    def base(self) -> float:
        return float(sum(part.base for part in self.parts.values()))


def _families(models: Iterable[MixedModel]) -> list[str]:
    return list(dict.fromkeys(family for model in models for family in model.parts))


def _blend(family: str, models: Sequence[MixedModel], share: Floats) -> Model:
    having = [k for k, model in enumerate(models) if family in model.parts]
    first, *others = [models[k].parts[family] for k in having]
    return first.blended(others, share[having])


class MixedProbe:
    """The sum of the probes of all families."""

    def __init__(self, parts: Sequence[Probe]) -> None:
        self._parts = parts
        self.scores: Floats = np.sum([part.scores for part in parts], axis=0)

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        return np.sum([part.replaced(columns, values) for part in self._parts], axis=0)

    def interaction(self, j: int, k: int, values: Floats) -> Floats:
        return np.sum([part.interaction(j, k, values) for part in self._parts], axis=0)


@dataclass(frozen=True)
class MixedModels:
    """Models of different families.

    Parameters
    ----------
    family : the family of each model
    parts : the models of each family, in their order
    """

    family: tuple[str, ...]
    parts: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.family)

    def _of(self, family: str) -> Ints:
        """The indices of the models of a family."""
        return np.flatnonzero(np.array(self.family) == family)

    def _gathered(self, by_family: Mapping[str, Any]) -> Any:
        """The arrays of all families as one array, whose rows are in the order of the models."""
        first = next(iter(by_family.values()))
        rows = np.empty((len(self), *first.shape[1:]), dtype=first.dtype)
        for family, some in by_family.items():
            rows[self._of(family)] = some
        return rows

    def scores(self, X: Any) -> Floats:
        return self._gathered({family: part.scores(X).T for family, part in self.parts.items()}).T

    @property
    def columns(self) -> Bools:
        return self._gathered({family: part.columns for family, part in self.parts.items()})

    @property
    def outliers(self) -> Bools:
        return self._gathered({family: part.outliers for family, part in self.parts.items()})

    @property
    def screening(self) -> MixedModels | None:
        """The screening fit of each model; None if any family chooses its outliers itself."""
        parts = {family: part.screening for family, part in self.parts.items()}
        return None if None in parts.values() else MixedModels(self.family, parts)

    def inclusion(self, weight: Floats) -> Floats:
        """The share of the weight that uses each column, among the models that select columns if these have weight."""
        selecting = np.where(np.isin(self.family, SELECTING), weight, 0.0)
        weight = selecting if selecting.any() else weight
        families = [family for family in self.parts if weight[self._of(family)].any()]
        return sum(self.parts[name].inclusion(weight[self._of(name)]) for name in families) / weight.sum()

    def subset(self, index: Ints) -> MixedModels:
        place = np.empty(len(self), dtype=np.intp)
        for family in self.parts:
            place[self._of(family)] = np.arange(len(self.parts[family]))
        chosen = np.array(self.family)[index]
        parts = {name: self.parts[name].subset(place[index][chosen == name]) for name in dict.fromkeys(chosen.tolist())}
        return MixedModels(tuple(chosen.tolist()), parts)

    def joined(self, others: Sequence[MixedModels]) -> MixedModels:
        every = [self, *others]
        parts = {}
        for family in dict.fromkeys(name for each in every for name in each.parts):
            first, *rest = [each.parts[family] for each in every if family in each.parts]
            parts[family] = first.joined(rest)
        return MixedModels(tuple(name for each in every for name in each.family), parts)

    def average(self, weight: Floats) -> Any:
        """The averaged model; a model of one family if that family has all the weight."""
        shares = {family: weight[self._of(family)] for family in self.parts}
        parts = {family: self.parts[family].average(share) for family, share in shares.items() if share.any()}
        return next(iter(parts.values())) if len(parts) == 1 else MixedModel(parts)


@dataclass(frozen=True)
class MixedScorer:
    """A scorer for each family."""

    of_family: Mapping[str, Scorer]

    def ridge_unit(self, data: Data, spec: Spec) -> float:
        return self.of_family[spec.family].ridge_unit(data, spec)

    def n_coefficients(self, data: Data, spec: Spec) -> int:
        return self.of_family[spec.family].n_coefficients(data, spec)

    def path(self, data: Data, specs: Sequence[Spec]) -> MixedModels:
        family = tuple(spec.family for spec in specs)
        parts: dict[str, Models] = {}
        for name in dict.fromkeys(family):
            parts[name] = self.of_family[name].path(data, [spec for spec in specs if spec.family == name])
        return MixedModels(family, parts)
