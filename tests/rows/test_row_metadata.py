"""Whom rows belong to, when they were and what was found of them: the same for rows in parts as in memory."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, ParquetRows, PUErrorClassifier
from blindauc.checked import read_checked
from blindauc.data import Data
from blindauc.estimators.parted import sample_of
from blindauc.rows.parts import BlockParts, RowMetadata
from blindauc.rows.view import PartedView
from blindauc.scorers.linear import LinearScorer, outlier_set
from blindauc.sparsity import AllFeatures

pytestmark = pytest.mark.usefixtures("few_mixtures")

N, P, N_POS = 600, 4, 60


def table():
    """A hundred patients with six visits each; labels of some rows were checked, and some rows without a label."""
    rng = np.random.default_rng(0)
    is_positive = np.isin(np.arange(N), rng.choice(N, N_POS, replace=False))
    frame = pd.DataFrame(rng.normal(size=(N, P)), columns=list("abcd")).astype(np.float32)
    frame.loc[is_positive, ["a", "b"]] += 1
    frame["y"] = is_positive.astype(int)
    frame["patient"] = [f"P{k}" for k in rng.permutation(N) // 6]
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, N), unit="D")
    frame["found"] = ""
    frame.loc[np.flatnonzero(is_positive)[:12], "found"] = ["right"] * 8 + ["wrong"] * 4
    frame.loc[np.flatnonzero(~is_positive)[:16], "found"] = ["negative"] * 14 + ["positive"] * 2
    return frame


TABLE = table()
X, Y = TABLE[list("abcd")].to_numpy(), TABLE["y"].to_numpy()
VERDICT = read_checked(TABLE["found"].to_numpy(), N)

COLUMNS = {"groups": "patient", "time": "day", "checked": "found"}
ASKED = {"groups": ["groups"], "time": ["time"], "both": ["groups", "time"], "all": ["groups", "time", "checked"]}


def in_memory(model, asked):
    return model.fit(X, Y, **{name: TABLE[COLUMNS[name]].to_numpy() for name in asked})


def in_files(folder, ending, asked):
    path = folder / f"rows.{ending}"
    TABLE.to_csv(path, index=False) if ending == "csv" else TABLE.to_parquet(path)
    unused = [column for name, column in COLUMNS.items() if name not in asked]
    return ParquetRows(path, "y", drop=unused, **{name: COLUMNS[name] for name in asked})


def assert_same(found, expected):
    assert_allclose(found.coef_, expected.coef_, rtol=0, atol=1e-7 * np.abs(expected.coef_).max())
    for name in ("outliers_", "labelled_rows_", "confirmed_rows_", "known_negative_rows_"):
        assert_array_equal(getattr(found, name, []), getattr(expected, name, []))
    for name in ("n_labelled_", "n_unlabelled_"):
        assert getattr(found, name) == getattr(expected, name)
    assert_allclose(found.suspicion_, expected.suspicion_, atol=1e-5)
    for name in ("auc_", "prior_", "contamination_"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert_allclose([ours, ours.low, ours.high], [theirs, theirs.low, theirs.high], atol=1e-5)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("asked", ASKED)
def test_a_fit_to_files_is_that_to_rows_in_memory(tmp_path, asked, ending):
    expected = in_memory(BlindAUCClassifier(n_outliers=6), ASKED[asked])
    found = BlindAUCClassifier(n_outliers=6).fit(in_files(tmp_path, ending, ASKED[asked]))
    assert_same(found, expected)
    plain = BlindAUCClassifier(n_outliers=6).fit(X, Y)
    assert (found.auc_.low, found.auc_.high) != (plain.auc_.low, plain.auc_.high)


@pytest.mark.parametrize("asked", ["groups", "all"])
def test_a_search_too(tmp_path, asked):
    settings = {
        "shape": "linear",
        "cv": 2,
        "n_repeats": 1,
        "n_outliers": [0.0, 0.1],
        "l2": [0.1, 1.0],
        "loss": "logistic",
    }
    expected = in_memory(BlindAUCClassifierCV(**settings), ASKED[asked])
    found = BlindAUCClassifierCV(**settings).fit(in_files(tmp_path, "parquet", ASKED[asked]))
    assert found.best_params_ == pytest.approx(expected.best_params_)
    # Of all candidates; to all rows in parts only the heaviest of them are fitted.
    for column in ("mean_test_score", "weight"):
        assert_allclose(found.cv_results_[column], expected.cv_results_[column], atol=1e-9)
    assert_allclose(found.best_estimator_.coef_, expected.best_estimator_.coef_, rtol=1e-6)


def test_other_engines_take_groups_and_times_as_arrays():
    expected = in_memory(BlindAUCClassifier(), ["groups", "time"])
    rows = BlockParts.of(X, Y == 1, block_rows=100)
    assert_same(BlindAUCClassifier().fit(rows, groups=TABLE["patient"], time=TABLE["day"]), expected)
    for wrong, words in (
        ({"groups": TABLE["patient"][:9]}, "one entry for each row"),
        ({"groups": np.zeros(N)}, "are in one group"),
        ({"checked": TABLE["found"]}, "checked= takes rows in memory: of rows in files"),
    ):
        with pytest.raises(ValueError, match=words):
            BlindAUCClassifier().fit(rows, **wrong)


def test_a_column_that_is_named_is_not_passed_as_well(tmp_path):
    rows = in_files(tmp_path, "parquet", ["groups"])
    with pytest.raises(ValueError, match="names a column of groups already"):
        BlindAUCClassifier().fit(rows, groups=TABLE["patient"])


WRONG = {
    "no group": ("groups", "patient", 7, None, "the group of each row, but is blank in data row 8 of"),
    "no time": ("time", "day", 7, None, "the time of each row, but data row 8 of"),
    "what was found": ("checked", "found", 7, "perhaps", "but data row 8 of .* holds 'perhaps'"),
    "all found wrong": ("checked", "found", Y == 1, "wrong", "0 of 60 labelled positives are left"),
    "all checked": ("checked", "found", Y == 0, "negative", "All unlabelled rows were checked"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_these_columns_is_told_with_its_row(tmp_path, case):
    name, column, rows, value, words = WRONG[case]
    frame = TABLE.copy()
    frame.loc[rows, column] = value
    if case == "all found wrong":
        frame.loc[Y == 0, column] = ""
    frame.to_parquet(tmp_path / "rows.parquet")
    unused = [other for other in COLUMNS.values() if other != column]
    with pytest.raises(ValueError, match=words) as error:
        BlindAUCClassifier().fit(ParquetRows(tmp_path, "y", drop=unused, **{name: column}))
    assert str(error.value).isprintable()


# --- known negatives weigh what they are said to ---


def rows_in_parts(weight=None):
    is_positive = ((Y == 1) | (VERDICT == 1)) & (VERDICT != -1)
    rows = BlockParts.of(X, is_positive, weight, block_rows=100)
    checked = (np.flatnonzero(which == VERDICT) for which in (1, -1))
    rows.metadata = RowMetadata(None, None, np.flatnonzero(Y == 1), *checked)
    return rows, Data(
        X, is_positive, np.ones(N) if weight is None else weight, np.arange(N), np.flatnonzero(Y), verdict=VERDICT
    )


@pytest.mark.parametrize("scaling", ["standard", "robust"])
@pytest.mark.parametrize("share", [None, 0.2, 0.9])
def test_labels_found_wrong_have_no_part_in_the_scales(share, scaling):
    rows, data = rows_in_parts(np.random.default_rng(1).integers(1, 4, N).astype(float))
    scorer = LinearScorer(BlindAUCClassifier()._risk(data), AllFeatures, 1e-3, True)
    others = data.subset(~(data.is_known_negative & data.is_labelled))
    expected = others.rows.scales(scaling) ** 2
    assert np.abs(expected / data.rows.scales(scaling) ** 2 - 1).max() > 1e-4
    for each in (PartedView.of(rows), data):
        assert_allclose(scorer.objective(each, scaling, "logistic", share).ridge, expected, rtol=1e-10)


@pytest.mark.parametrize("share", [None, 0.2, 0.9])
@pytest.mark.parametrize("risk", [BlindAUCClassifier(), PUErrorClassifier(prior=0.1)], ids=["pairs", "PU error"])
def test_the_objective_is_that_of_rows_in_memory(share, risk):
    rows, data = rows_in_parts(np.random.default_rng(1).integers(1, 4, N).astype(float))
    scorer = LinearScorer(risk._risk(data), AllFeatures, 1e-3, True)
    view = PartedView.of(rows)
    found, expected = (scorer.objective(each, "standard", "logistic", share) for each in (view, data))
    coef, shift = np.linspace(-1, 1, found.n_columns), np.zeros(found.n_positives)
    for ours, theirs in zip(found.gradient(coef, shift), expected.gradient(coef, shift), strict=True):
        assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)
    assert_allclose(found.gradient_at_zero, expected.gradient_at_zero, rtol=1e-10, atol=1e-14)
    assert_allclose(found.column_spread, expected.column_spread, rtol=1e-10)
    assert_allclose(found.robust_directions, expected.robust_directions, rtol=1e-8)
    assert_allclose(found.rows.unl_spread(coef), expected.rows.unl_spread(coef), rtol=1e-10)
    assert_array_equal(outlier_set(view, 0.1).n_units, outlier_set(data, 0.1).n_units)
    assert view.known_negative_share == pytest.approx(data.known_negative_share)


def test_a_sample_holds_all_that_was_checked():
    rows, data = rows_in_parts()
    sample = sample_of(PartedView.of(rows), 50)
    assert sample.is_unlabelled.sum() == 50
    assert_array_equal(sample.row[sample.is_known_negative], np.flatnonzero(VERDICT == -1))
    assert_array_equal(sample.row[sample.is_confirmed], np.flatnonzero(VERDICT == 1))
    assert_array_equal(sample.X, X[sample.row])
    # Among fewer unlabelled rows they would weigh more.
    assert sample.known_negative_share == pytest.approx(data.known_negative_share)
