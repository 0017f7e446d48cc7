"""The candidates of a search as a table, like scikit-learn's `cv_results_`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from blindauc._typing import Floats, Ints
from blindauc.choice.search import Search
from blindauc.scorers.spec import Spec


def cv_results(search: Search, params_of: Callable[[Spec], dict[str, Any]]) -> dict[str, Any]:
    """Every candidate of the race, as a dict of columns like scikit-learn's `cv_results_`.

    `mean_test_score` is the blind AUC over the positives of `n_splits` held-out folds; candidates that were eliminated
    early have fewer. `evidence` is the log of the factor by which the out-of-fold ranks multiply the prior probability
    of the candidate, and `weight` is its share in the average.
    """
    tried = search.tried
    score = np.array([each.blind_auc for each in tried])
    weight_of = dict(zip(search.specs, search.weights.tolist(), strict=True))
    table: dict[str, Any] = {
        "params": [params_of(each.spec) for each in tried],
        "n_splits": np.array([each.n_splits for each in tried]),
        "mean_test_score": score,
        "std_error_test_score": np.array([each.standard_error for each in tried]),
        "evidence": np.array([each.evidence for each in tried]),
        # Scores over different numbers of folds are not comparable: candidates that were eliminated later come first.
        "rank_test_score": _places([each.n_splits for each in tried], score),
        "weight": np.array([weight_of.get(each.spec, 0.0) for each in tried]),
    }
    # Not every shape has all parameters.
    for name in dict.fromkeys(name for params in table["params"] for name in params):
        # An object array, created empty and then filled: NumPy would turn tuples (counts per group) into rows.
        table[f"param_{name}"] = np.empty(len(tried), dtype=object)
        table[f"param_{name}"][:] = [params.get(name) for params in table["params"]]
    return table


def _places(n_splits: Sequence[int], score: Floats) -> Ints:
    """Ranks from 1 on, by the number of splits and then by the score; ties share a rank."""
    keys = np.unique(np.column_stack([n_splits, score]), axis=0, return_inverse=True)[1].ravel()
    return rankdata(-keys, method="min").astype(int)
