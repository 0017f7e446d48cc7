"""What a model learnt, found by changing columns of rows and looking at the scores: any shape of score will do."""

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
