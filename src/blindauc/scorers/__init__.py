"""Families of scores, fitted to many settings at once: a search knows them by their contract alone."""

from blindauc.scorers.contract import Model, Models, Scorer
from blindauc.scorers.linear import LinearModel, LinearModels, LinearScorer
from blindauc.scorers.spec import Spec

__all__ = ["LinearModel", "LinearModels", "LinearScorer", "Model", "Models", "Scorer", "Spec"]
