"""Theorems 1 and 2 of the paper as functions, and conversions between the two meanings of "the prior".

Everywhere in blindauc `prior` is the share of positives *among the unlabelled rows*. How it relates to the share
among all rows depends on how the data were collected:

- **Two samples** (case-control): the unlabelled rows are a sample of the population and the labelled positives
  were collected separately. The prior among the unlabelled rows is the overall prior, and needs no conversion.
- **One sample**: one sample was drawn and some of its positives were labelled. The unlabelled rows are the rest, so
  that they hold a smaller share of positives than the population. Convert with `prior_among_unlabelled`, or
  `prior_among_unlabelled_from_counts` when you know how many rows are labelled.
"""

from blindauc.theory.blind_auc import auc_from_blind_auc, blind_auc_from_auc, blind_auc_slope
from blindauc.theory.checks import check_chance
from blindauc.theory.complexity import (
    auc_error_shape,
    enough_unlabelled,
    phi_exclusive_l0,
    phi_group_l0,
    phi_l0,
)
from blindauc.theory.priors import (
    overall_prior,
    overall_prior_from_counts,
    prior_among_unlabelled,
    prior_among_unlabelled_from_counts,
)

__all__ = [
    "auc_error_shape",
    "auc_from_blind_auc",
    "blind_auc_from_auc",
    "blind_auc_slope",
    "check_chance",
    "enough_unlabelled",
    "overall_prior",
    "overall_prior_from_counts",
    "phi_exclusive_l0",
    "phi_group_l0",
    "phi_l0",
    "prior_among_unlabelled",
    "prior_among_unlabelled_from_counts",
]
