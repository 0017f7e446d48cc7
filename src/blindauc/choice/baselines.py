"""Simple baselines, evaluated on the folds of the search, to check whether the chosen model is better than they are."""

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
from blindauc.rows.storage import in_units
from blindauc.scorers.linear import LinearModels
from blindauc.threads import blas_threads_for

L1_PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3)
"""Values of C, the inverse regularisation strength of the l1 penalty on standardised columns (convention). Weaker
penalties take longer to fit and rank no better."""


@dataclass(frozen=True)
class Comparison:
    """A baseline compared with the chosen model.

    Attributes
    ----------
    name : str
    score : float, the out-of-fold blind AUC of the baseline
    advantage : Estimate, by how much the out-of-fold blind AUC of the chosen model is higher. The interval accounts for
        the sampling of positives, or of their groups; the unlabelled rows are taken as fixed.
    """

    name: str
    score: float
    advantage: Estimate

    @property
    def is_as_good(self) -> bool:
        """Whether the chosen model is not significantly better than the baseline."""
        return self.advantage.low <= 0


def difference_of_means(data: Data) -> list[Floats]:
    """Mean of the positives minus mean of the unlabelled rows: unscaled, and divided by the columns' variances."""
    rows = data.rows
    difference = rows.adjoint(rows.pos_weight / rows.pos_weight.sum(), -rows.unl_share)
    return [difference, difference / data.scales("standard") ** 2]


def l1_logistic(data: Data) -> list[Floats]:
    """Logistic regressions of labelled against unlabelled rows, one for each strength of the l1 penalty."""
    scale = data.scales("standard")
    # liblinear penalises its intercept, so dense columns are centred. Centring would make sparse columns dense.
    X = in_units(data.X, scale, about=lambda X: X.mean(axis=0))
    weights = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an unconverged fit is still a fair baseline
        for C in L1_PENALTIES:
            model = LogisticRegression(C=C, l1_ratio=1.0, solver="liblinear", tol=1e-3, random_state=0)
            model.fit(X, data.is_positive, sample_weight=data.weight)
            weights.append(model.coef_[0] / scale)
    return weights


Baseline = Callable[[Data], list[Floats]]

BASELINES: dict[str, Baseline] = {"difference of means": difference_of_means, "l1 logistic regression": l1_logistic}
"""Each returns the coefficients of its variants. The best variant is reported: a user who tunes would choose it."""


def compare(data: Data, splits: Sequence[Split], chosen_rank: Floats, n_jobs: int | None = None) -> list[Comparison]:
    """Compare each baseline with the chosen model, whose out-of-fold ranks on the same splits are `chosen_rank`."""
    tasks = list(product(BASELINES, splits))
    run = Parallel(n_jobs=n_jobs)
    parts = iter(run(delayed(_fold_ranks)(BASELINES[name], data, split) for name, split in tasks))
    return [_comparison(name, data, splits, chosen_rank, list(islice(parts, len(splits)))) for name in BASELINES]


def _fold_ranks(baseline: Baseline, data: Data, split: Split) -> Floats:
    """The ranks of the held-out positives by each variant of a baseline, of shape (n_variants, n_held_out)."""
    fitted = data.subset(split.fitted)
    with blas_threads_for(fitted.rows):
        coef = sp.csr_array(np.array(baseline(fitted)))
    models = LinearModels(coef, np.zeros((coef.shape[0], 0), dtype=bool))
    return held_out_ranks(models, data.subset(split.held_out))


def _comparison(
    name: str, data: Data, splits: Sequence[Split], chosen_rank: Floats, parts: Sequence[Floats]
) -> Comparison:
    """The best variant of a baseline compared with the chosen model."""
    total, n_held_out = np.zeros((len(parts[0]), len(chosen_rank))), np.zeros(len(chosen_rank))
    for split, part in zip(splits, parts, strict=True):
        held_out = split.held_out[data.is_positive]
        total[:, held_out] += part
        n_held_out += held_out
    ranked = n_held_out > 0
    ranks, weight = total[:, ranked] / n_held_out[ranked], data.weight[data.is_positive][ranked]
    scores = ranks @ weight / weight.sum()
    best = int(scores.argmax())
    group = None if data.group is None else data.group[data.is_positive][ranked]
    return Comparison(name, float(scores[best]), mean_estimate(chosen_rank[ranked] - ranks[best], weight, group))
