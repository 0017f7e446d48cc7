"""Objectives: a risk of linear scores, with ridges, over data that is bound once."""

from blindauc.objectives.objective import BlindAUCObjective, Gradient, Objective, Outlyingness, PUErrorObjective
from blindauc.objectives.restricted import RestrictedObjective

__all__ = [
    "BlindAUCObjective",
    "Gradient",
    "Objective",
    "Outlyingness",
    "PUErrorObjective",
    "RestrictedObjective",
]
