"""A search as one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from blindauc.tuning.search import Stage


def cv_results(stages: Sequence[Stage]) -> dict[str, Any]:
    """Every candidate that was judged, as columns, in scikit-learn's manner.

    `mean_test_score` is the trimmed blind AUC of the held-out positives, `mean_test_blind_auc` the untrimmed one; a
    greedy walk has only `train_blind_auc`. `drawn` says whether a candidate is an average over draws. Ranks are within
    a stage: stages are judged by different splits.
    """
    if not stages:
        return {}
    columns: dict[str, list[Any]] = {
        name: [] for name in ("stage", "n_splits", "params", "drawn", "mean_test_score", "std_error_test_score")
    } | {"mean_test_blind_auc": [], "rank_test_score": [], "train_blind_auc": []}
    for stage in stages:
        held_out = stage.held_out
        # Without splits there is nothing held out.
        scores, blind_auc = held_out.scores(), held_out.blind_auc()
        test, train = (1.0, np.nan) if stage.n_splits else (np.nan, 1.0)
        columns["stage"] += [stage.name] * len(stage.candidates)
        columns["n_splits"] += [stage.n_splits] * len(stage.candidates)
        columns["params"] += [candidate.params for candidate in stage.candidates]
        columns["drawn"] += [candidate.drawn for candidate in stage.candidates]
        columns["mean_test_score"] += (test * scores).tolist()
        columns["std_error_test_score"] += (test * held_out.standard_errors()).tolist()
        columns["mean_test_blind_auc"] += (test * blind_auc).tolist()
        columns["train_blind_auc"] += (train * blind_auc).tolist()
        columns["rank_test_score"] += rankdata(-scores, method="min").astype(int).tolist()
    params: list[dict[str, Any]] = columns.pop("params")
    table: dict[str, Any] = {name: np.array(values) for name, values in columns.items()}
    for name in params[0]:
        # An object array, filled one by one: counts per group are lists.
        table[f"param_{name}"] = np.empty(len(params), dtype=object)
        table[f"param_{name}"][:] = [each[name] for each in params]
    return table | {"params": params}
