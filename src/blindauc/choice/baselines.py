"""What anyone would try first, judged by the same folds: does the search bring anything?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from blindauc._typing import Floats
from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.evidence.folds import Split
from blindauc.evidence.out_of_fold import held_out_ranks, mean_estimate
from blindauc.rows.matrix import Matrix
from blindauc.rows.scaling import column_scales
from blindauc.rows.storage import in_units
from blindauc.scorers.linear import LinearModels
from blindauc.threads import blas_threads_for

L1_PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3)
"""Inverse strengths C of the l1 penalty on standardised columns: weaker ones are slow and no better."""


@dataclass(frozen=True)
class Comparison:
    """A baseline against what was chosen.

    Attributes
    ----------
    name : str
    score : float, the blind AUC of the baseline, out of fold
    advantage : Estimate, by how much that of the choice is higher; its interval is that over positives, or over their
        groups, for the unlabelled rows as they are
    """

    name: str
    score: float
    advantage: Estimate

    @property
    def is_as_good(self) -> bool:
        """Whether the choice is not surely better than the baseline."""
        return self.advantage.low <= 0


def difference_of_means(data: Data) -> list[Floats]:
    """The mean of the positives minus that of the unlabelled rows, in units of the columns' variances."""
    pos = np.where(data.is_positive, data.weight, 0.0)
    unl = data.weight - pos
    difference = Matrix(data.X).adjoint(pos / pos.sum() - unl / unl.sum())
    return [difference, difference / column_scales(data.X, data.weight, "standard") ** 2]


def l1_logistic(data: Data) -> list[Floats]:
    """Logistic regressions of labelled against unlabelled rows, one for each strength of the l1 penalty."""
    scale = column_scales(data.X, data.weight, "standard")
    # liblinear penalises its intercept, so that columns have to be centred; sparse ones must do without.
    X = in_units(data.X, scale, about=lambda X: X.mean(axis=0))
    weights = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what it has reached is a baseline, too
        for C in L1_PENALTIES:
            model = LogisticRegression(C=C, l1_ratio=1.0, solver="liblinear", tol=1e-3, random_state=0)
            model.fit(X, data.is_positive, sample_weight=data.weight)
            weights.append(model.coef_[0] / scale)
    return weights


Baseline = Callable[[Data], list[Floats]]

BASELINES: dict[str, Baseline] = {"difference of means": difference_of_means, "l1 logistic regression": l1_logistic}
"""Each gives the weights of its variants; the best of them is taken, as it would be by a user who tunes."""


def compare(data: Data, splits: Sequence[Split], chosen_rank: Floats, n_jobs: int | None = None) -> list[Comparison]:
    """Judge each baseline by the splits that gave the chosen ranking its out-of-fold ranks."""
    tasks = list(product(BASELINES, splits))
    run = Parallel(n_jobs=n_jobs)
    parts = iter(run(delayed(_judged)(BASELINES[name], data, split) for name, split in tasks))
    return [_comparison(name, data, splits, chosen_rank, list(islice(parts, len(splits)))) for name in BASELINES]


def _judged(baseline: Baseline, data: Data, split: Split) -> Floats:
    """The ranks of the held-out positives by each variant of a baseline."""
    fitted = data.subset(split.fitted)
    with blas_threads_for(fitted.rows):
        coef = sp.csr_array(np.array(baseline(fitted)))
    models = LinearModels(coef, np.zeros((coef.shape[0], 0), dtype=bool))
    return held_out_ranks(models, data.subset(split.held_out))


def _comparison(
    name: str, data: Data, splits: Sequence[Split], chosen_rank: Floats, parts: Sequence[Floats]
) -> Comparison:
    """The best variant of a baseline against what was chosen."""
    total, times = np.zeros((len(parts[0]), len(chosen_rank))), np.zeros(len(chosen_rank))
    for split, part in zip(splits, parts, strict=True):
        held_out = split.held_out[data.is_positive]
        total[:, held_out] += part
        times += held_out
    known = times > 0
    ranks, weight = total[:, known] / times[known], data.weight[data.is_positive][known]
    scores = ranks @ weight / weight.sum()
    best = int(scores.argmax())
    group = None if data.group is None else data.group[data.is_positive][known]
    return Comparison(name, float(scores[best]), mean_estimate(chosen_rank[known] - ranks[best], weight, group))
