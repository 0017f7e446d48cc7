"""Labelled rows with leverage: the most doubtful ones, and the rest is as it was."""

import re

import numpy as np
import pandas as pd
import pytest
from patients import WRONG

from blindauc import load, save
from blindauc.analysis import analyse, audit
from blindauc.analysis.pipeline import steps_of
from blindauc.analysis.reasons import NO_REASON, distances, reasons
from blindauc.preprocessing import feature_groups
from blindauc.report.findings import Findings

pytestmark = pytest.mark.usefixtures("few_candidates")

MISREAD = 3
"""Among the labelled rows: one whose label is right."""


@pytest.fixture(scope="module")
def misread(table):
    """The table with one labelled row whose measurements are in another unit, and its place."""
    place = np.flatnonzero(table["infected"].notna())[MISREAD]
    changed = table.copy()
    changed.loc[place, ["crp day 1", "crp day 2"]] = 90_000.0
    return changed, place


@pytest.fixture(scope="module")
def found_apart(misread):
    return analyse(misread[0], "infected", id="patient", drop=["remark"], groups="(.*) day", shape="linear")


def test_a_row_with_leverage_is_the_most_doubtful_and_says_why(misread, found_apart):
    ranking, first = found_apart.model[-1], found_apart.doubtful.iloc[0]
    assert np.flatnonzero(ranking.leverage_).tolist() == [MISREAD]
    assert (first["row"], first["suspicion"], first["false_alarms"]) == (misread[1] + 1, 1.0, 0.0)
    n_columns = ranking.leverage_[MISREAD]
    words = r"crp day \d 90000 \(labelled rows: typically [\d.]+\); crp day \d 90000 \(typically [\d.]+\)"
    assert re.fullmatch(f"unlike all other rows, unusual in {n_columns} columns: {words}", first["reason"])
    assert not found_apart.doubtful["reason"][1:].str.contains("unlike").any()
    assert misread[1] == ranking.doubtful_labels()[0]
    assert found_apart.findings.doubts[0].reason == first["reason"]


def test_a_row_with_leverage_is_audited_as_it_was_fitted(misread, found_apart, tmp_path):
    save(found_apart.model, tmp_path / "model.skops")
    again = audit(load(tmp_path / "model.skops"), misread[0], "infected", id="patient", training=True)
    pd.testing.assert_frame_equal(again, found_apart.doubtful)


def test_a_row_with_leverage_leaves_the_rest_as_it_was(misread, found, found_apart):
    ranking, findings = found_apart.model[-1], found_apart.findings
    assert np.flatnonzero(np.isnan(ranking.held_out_rank_)).tolist() == [misread[1]]
    assert Findings.from_json(findings.to_json()) == findings
    # The curve weighs labels by their suspicion, the AUC averages over all mixtures that explain the ranks.
    assert findings.auc.low <= np.trapezoid(findings.roc.y, findings.roc.x) <= findings.auc.high
    assert sum(findings.ranks.labelled) == pytest.approx(1)
    assert set(found_apart.doubtful["id"][1:5]) == WRONG
    # In units of the other rows' spread: its own values would make these weights a thousand times as large.
    strongest = found.features.set_index("column")["weight"].iloc[:2]
    weights = found_apart.features.set_index("column")["weight"][strongest.index]
    assert (weights / weights.iloc[0]).to_numpy() == pytest.approx(strongest / strongest.iloc[0], rel=0.3)


def test_the_columns_of_a_row_with_leverage_are_those_in_which_it_is_furthest_out(misread, found_apart):
    steps = steps_of(found_apart.model)
    labelled = misread[0][misread[0]["infected"].notna()]
    X = steps.preprocessor.transform(labelled)
    source = feature_groups(steps.preprocessor)
    deviation = np.abs(X - np.median(X, axis=0)) / steps.ranking.spread_
    slow = [[max(row[source == s]) for s in range(source.max() + 1)] for row in deviation]
    assert distances(steps, X) == pytest.approx(np.array(slow))
    alone = reasons(steps, labelled, X, np.where(np.arange(len(X)) == MISREAD, 1, 0))
    assert alone[MISREAD].startswith("unlike all other rows, unusual in 1 column: crp day")
    assert NO_REASON in alone
