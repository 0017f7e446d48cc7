"""Families of models, each fitted to many settings at once. The search uses them by their contract only."""

from blindauc.scorers.contract import Model, Models, Scorer
from blindauc.scorers.linear import LinearModel, LinearModels, LinearScorer
from blindauc.scorers.spec import Spec

__all__ = ["LinearModel", "LinearModels", "LinearScorer", "Model", "Models", "Scorer", "Spec"]
