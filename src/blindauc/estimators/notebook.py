"""The table of results that notebooks show for a fitted estimator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blindauc.estimate import TOO_FEW
from blindauc.estimators.summary import MOST_NAMED, prior_of, strongest_of, wrong_of
from blindauc.report.bending import bending_sentence
from blindauc.report.comparing import SIMPLER_TELLS_NO_WRONG_LABELS, verdict
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.words import count, name, number, number_range, percent, percent_range, plain
from blindauc.trust.ranks import has_evidence

# Colours are inherited, for light and dark notebooks, with a grey that is visible on both. Left-aligned, as notebooks
# centre tables by default.
BOX = "margin: 0 0 0.75em; border-collapse: collapse; border: 0; color: inherit; background: none; font-size: 0.9em"
LEFT = "padding: 0.25em 0.75em; border: 0; border-bottom: 1px solid rgb(128 128 128 / 35%); text-align: left"
TITLE = "padding: 0 0.75em 0.25em; color: inherit; font-weight: 600; text-align: left; caption-side: top"


def found(model: Any) -> Markup:
    """The results of a fitted model as an HTML table.

    Parameters
    ----------
    model : fitted BlindAUCClassifier, PUErrorClassifier, or a tuned version of them

    Examples
    --------
    >>> from blindauc import BlindAUCClassifier
    >>> from blindauc.estimators.notebook import found
    >>> model = BlindAUCClassifier(1).fit([[0, 2], [1, 2], [2, 1], [3, 2]], [0, 0, 1, 1])
    >>> "1 of 2: <bdi" in found(model)
    True
    """
    rows = [
        tag("tr", tag("th", what, scope="row", style=LEFT), tag("td", text, style=LEFT)) for what, text in _rows(model)
    ]
    return tag("table", tag("caption", "What was found", style=TITLE), tag("tbody", rows), style=BOX)


def _rows(model: Any) -> Iterator[tuple[str, Child]]:
    labelled = count(model.n_labelled_, "labelled positive", "labelled positives")
    yield "Rows", f"{labelled}, {model.n_unlabelled_:,} unlabelled"
    is_known = hasattr(model, "auc_") and has_evidence(model.calibration_)
    if hasattr(model, "auc_"):
        yield "AUC", f"{number(model.auc_, 2)} (95 % interval {number_range(model.auc_)})" if is_known else TOO_FEW
    yield "Columns", _columns(model)
    if hasattr(model, "auc_"):
        yield "Positives among unlabelled", prior_of(model)
    if is_known:
        yield "Labels to check", wrong_of(model)
        yield "Wrong labels", f"{percent(model.contamination_)} (95 % interval {percent_range(model.contamination_)})"
    if hasattr(model, "best_params_"):
        yield "Chosen", _chosen(model)
        if sentence := bending_sentence(model.shapes_, model.bending_):
            yield "Shapes", sentence
    if baselines := getattr(model, "baselines_", []):
        yield "Simpler methods", f"{'; '.join(map(verdict, baselines))}. {SIMPLER_TELLS_NO_WRONG_LABELS}"


def _chosen(model: Any) -> str:
    """The parameters of the single candidate, or of the one with the largest weight in the average."""
    n_averaged = int((model.cv_results_["weight"] > 0).sum()) if model.cv_results_ else 1
    params = plain(model.best_params_)
    if n_averaged == 1:
        return params
    return f"an average of {n_averaged:,} candidates; the one with the largest weight has {params}"


def _columns(model: Any) -> Child:
    """The number of selected columns, and the strongest of them with the sign of their effects."""
    n_selected, strongest = int(model.support_.sum()), strongest_of(model, MOST_NAMED)
    named = [(", " if place else None, name(column), f" {mark}") for place, (column, mark) in enumerate(strongest)]
    return [
        f"{n_selected:,} of {len(model.support_):,}",
        ": " if named else None,
        named,
        ", \u2026" if n_selected > MOST_NAMED and named else None,
    ]
