"""Model-agnostic explanations: effect curves, interactions and permutation importance, for scores of any shape."""

from blindauc.explain.effects import Effect, effects_of
from blindauc.explain.importance import importances_of
from blindauc.explain.interactions import Interaction, interactions_of
from blindauc.explain.words import bends, shape_in_words

__all__ = [
    "Effect",
    "Interaction",
    "bends",
    "effects_of",
    "importances_of",
    "interactions_of",
    "shape_in_words",
]
