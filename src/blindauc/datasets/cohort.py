"""A simulated surgical cohort with infections, in place of the paper's, which is private."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter
from sklearn.utils import check_random_state

from blindauc._typing import Bools, Floats, Ints
from blindauc.datasets.decimals import six_decimals

DAY_TO_DAY = 0.6
"""Correlation of a variable's fluctuation on one day with that on the next (chosen by us: the paper gives none)."""


@dataclass(frozen=True)
class Cohort:
    """Subjects after surgery, followed day by day.

    Attributes
    ----------
    X : ndarray of shape (n_subjects, n_variables * n_days), the days of the first variable, then of the second, ...
    y_true : ndarray of shape (n_subjects,), 1 for an infected subject, 0 for another
    y_recorded : ndarray of shape (n_subjects,), what the records say; the mislabelled have y_recorded 1 and y_true 0
    columns : the names of the columns
    groups : ndarray with the variable number of each column
    relevant : mask of shape (n_variables,), the variables that an infection moves
    """

    X: Floats
    y_true: Ints
    y_recorded: Ints
    columns: tuple[str, ...]
    groups: Ints
    relevant: Bools


def make_cohort(
    n_subjects: int = 464,
    n_variables: int = 37,
    n_days: int = 9,
    n_relevant: int = 6,
    *,
    share_infected: float = 0.25,
    n_mislabelled: int = 0,
    drift: float = 1.1,
    random_state: int | np.random.RandomState | None = None,
) -> Cohort:
    """Draw a cohort of the size and structure of the paper's.

    Every subject has its own level of every variable, with autocorrelated fluctuations from day to day. An infection
    starts at a random time in the first three quarters of the days. From then on it moves the relevant variables
    towards a new level, each up or down. The earlier it starts, the easier it is to detect.

    Parameters
    ----------
    n_subjects, n_variables, n_days : int
        The size of the cohort.
    n_relevant : int
        The number of variables that an infection moves, chosen at random.
    share_infected : float
        The share of infected subjects.
    n_mislabelled : int
        Subjects without an infection whose record says infected.
    drift : float
        The final shift of a relevant variable by an infection, in standard deviations of that variable.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    Cohort

    Examples
    --------
    >>> from blindauc.datasets import make_cohort
    >>> cohort = make_cohort(random_state=0)
    >>> cohort.X.shape, int(cohort.y_true.sum()), int(cohort.relevant.sum()), cohort.columns[9]
    ((464, 333), 116, 6, 'variable 2 day 1')
    """
    if not 1 <= n_relevant <= n_variables:
        raise ValueError(f"n_relevant must be from 1 to n_variables = {n_variables}, not {n_relevant}.")
    if not 0 <= share_infected <= 1:
        raise ValueError(f"share_infected is a share and must lie in [0, 1], not {share_infected!r}.")
    n_infected = round(share_infected * n_subjects)
    if not 0 <= n_mislabelled <= n_subjects - n_infected:
        raise ValueError(
            f"n_mislabelled must be from 0 to {n_subjects - n_infected}, the subjects without an infection, "
            f"not {n_mislabelled}."
        )
    rng = check_random_state(random_state)
    order = rng.permutation(n_subjects)
    y_true, y_recorded = np.zeros((2, n_subjects), dtype=np.intp)
    y_true[order[:n_infected]] = 1
    y_recorded[order[: n_infected + n_mislabelled]] = 1
    relevant = np.isin(np.arange(n_variables), rng.permutation(n_variables)[:n_relevant])
    direction = np.where(relevant, rng.choice([-1.0, 1.0], n_variables), 0.0)

    level = rng.standard_normal((n_subjects, n_variables, 1)) * np.sqrt(0.5)
    wander = _wandering(rng, (n_subjects, n_variables, n_days)) * np.sqrt(0.5)
    onset = rng.uniform(0, 0.75 * n_days, n_subjects)
    sick_for = np.maximum(np.arange(1, n_days + 1) - onset[:, None], 0.0) * y_true[:, None]
    illness = drift * (1 - np.exp(-sick_for / 2))
    X = level + wander + direction[:, None] * illness[:, None, :]
    return Cohort(
        X=six_decimals(X.reshape(n_subjects, -1)),
        y_true=y_true,
        y_recorded=y_recorded,
        columns=tuple(f"variable {v} day {d}" for v in range(1, n_variables + 1) for d in range(1, n_days + 1)),
        groups=np.repeat(np.arange(n_variables), n_days),
        relevant=relevant,
    )


def _wandering(rng: np.random.RandomState, shape: tuple[int, ...]) -> Floats:
    """Stationary AR(1) series of unit variance along the last axis."""
    steps = rng.standard_normal(shape) * np.sqrt(1 - DAY_TO_DAY**2)
    steps[..., 0] /= np.sqrt(1 - DAY_TO_DAY**2)
    return lfilter([1.0], [1.0, -DAY_TO_DAY], steps)
