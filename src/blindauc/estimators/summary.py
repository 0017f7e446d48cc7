"""The text of `summary()`."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc.explain import Effect, bends
from blindauc.prior import is_identified
from blindauc.report.bending import bending_sentence, does_select, selection_sentence
from blindauc.report.comparing import SIMPLER_TELLS_NO_WRONG_LABELS, verdict
from blindauc.report.counting import LABELS_FIRST
from blindauc.report.findings import Expected
from blindauc.report.stating import stated, stated_prior, stated_wrong
from blindauc.report.words import TURNS, sign
from blindauc.trust.ranks import has_evidence

MOST_NAMED = 5
"""The most columns that are named (convention)."""

BOTH_WAYS = "\u00b1"
"""The sign of a column whose effect rises and falls."""

REMEDY = "prior="
"""The remedy, in Python, if the prior is not identified."""


def summary_of(model: Any) -> str:
    """The text of `summary()` of a tuned estimator."""
    chosen, is_known = model.best_params_, has_evidence(model.calibration_)
    n_averaged = int((model.cv_results_["weight"] > 0).sum()) if model.cv_results_ else 1
    settings = f"shape {chosen['shape']}, l2 {chosen['l2']:.3g}, scaling {chosen['scaling']}"
    what = "supported" if does_select(model.shapes_) else "used"
    lines = [
        f"{int(model.support_.sum())} of {model.n_features_in_} columns {what}, {len(model.outliers_)} of "
        f"{len(model.labelled_rows_)} labelled positives left out",
        f"strongest columns: {', '.join(f'{name} {mark}' for name, mark in strongest_of(model, MOST_NAMED))}",
        f"average of {n_averaged} candidates, led by {settings}" if n_averaged > 1 else f"one candidate: {settings}",
        *filter(None, [bending_sentence(model.shapes_, model.bending_), selection_sentence(model.shapes_)]),
        f"AUC {stated(model.auc_, is_known=is_known)}",
        f"positives among the unlabelled rows {prior_of(model)}",
        f"wrong labels among the positives {stated(model.contamination_, is_known=is_known)}",
    ]
    if is_known:
        lines.append(f"labels to check, in the order of doubtful_labels: {wrong_of(model)}")
    lines += map(verdict, model.baselines_)
    too_few = "too few positives to choose anything: this is a plain fit"
    lines.append(SIMPLER_TELLS_NO_WRONG_LABELS if model.baselines_ else too_few)
    return "\n".join(lines)


def strongest_of(model: Any, n: int) -> list[tuple[str, str]]:
    """The names of the strongest selected columns, with the signs of their effects.

    Empty without calibration, because effects are not computed.
    """
    if not hasattr(model, "effects_"):
        return []
    names, selected = model.get_feature_names_out(), np.flatnonzero(model.support_)
    effects = [model.effects_[column] for column in selected]
    strongest = np.argsort([-effect.size for effect in effects], kind="stable")[:n]
    return [(str(names[place]), _direction(effects[place])) for place in strongest.tolist()]


def _direction(effect: Effect) -> str:
    return BOTH_WAYS if bends(effect) > TURNS else sign(effect.weight)


def prior_of(model: Any) -> str:
    """The prior of a fitted model as text."""
    is_known, prior = has_evidence(model.calibration_), model.prior_
    return stated_prior(prior, is_auc_known=is_known, is_prior_known=is_identified(prior), remedy=REMEDY)


def wrong_of(model: Any) -> str:
    """The expected number of wrong labels among the most suspicious ones, as text."""
    k = min(LABELS_FIRST, len(model.labelled_rows_))
    wrong = model.expected_wrong(k)
    return stated_wrong(Expected(k, float(wrong), wrong.low, wrong.high))
