"""Objectives: the risk of linear scores plus ridge penalties, as functions of coef and shift with the data bound."""

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
