"""Labels, weights, sizes and columns of Dask collections, and one line for whatever is wrong with them."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import dask.array as da
import dask.dataframe as dd
import pandas as pd
from partitions import ARRAY, N, P, X, Y, frame

from blindauc import BlindAUCClassifier
from blindauc.labels import read_labels
from blindauc.rows.dask import DaskRows

pytestmark = pytest.mark.usefixtures("few_candidates")

LABELS = {
    "whole numbers": Y,
    "small whole numbers": Y.astype(np.int8),
    "minus one": 2 * Y - 1,
    "truth": Y == 1,
    "missing in whole partitions": np.where(Y == 1, 1.0, np.nan),
    "text": np.where(Y == 1, "yes", "no"),
    "text that is missing": np.where(Y == 1, "yes", None),
    "objects": Y.astype(object),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_labels_are_decided_over_all_partitions(client, y):
    expected = read_labels(y)
    with DaskRows.of(da.from_array(X, chunks=(64, P)), y) as rows:
        assert (rows.positives == np.flatnonzero(expected.is_positive)).all()
        assert rows.classes.tolist() == expected.classes.tolist()
        assert rows.classes.dtype == expected.classes.dtype


def test_pos_label_names_the_smaller_one(client):
    with DaskRows.of(da.from_array(X, chunks=(64, P)), Y, pos_label=0) as rows:
        assert (rows.positives == np.flatnonzero(Y == 0)).all()


def test_sizes_that_nobody_knows_are_found_out(client):
    everything = da.from_array(np.column_stack([X, Y]), chunks=(100, P + 1))
    some = everything[everything[:, 0] > -0.5]
    known = X[:, 0] > -0.5
    for y in (some[:, -1], Y[known], da.from_array(Y[known], chunks=50)):
        with DaskRows.of(some[:, :P], y) as rows:
            assert (rows.positives == np.flatnonzero(Y[known])).all()
            np.testing.assert_array_equal(rows.take(np.array([0, 150]))[0].X, X[known][[0, 150]])


def spoilt(row, column, value, dtype=float):
    bad = X.astype(dtype)
    bad[row, column] = value
    return da.from_array(bad, chunks=(100, P))


BAD = {
    "nan": (spoilt(250, 1, np.nan), Y, "Input X contains NaN: fit blindauc.make_preprocessor .* partition 2, counted"),
    "infinity": (spoilt(0, 1, np.inf), Y, "Input X contains infinity .* partition 0"),
    "too large": (spoilt(399 - 20, 1, 1e120), Y, r"X has values up to 1.0e\+120, too large .* partition 3"),
    "float16": (ARRAY.astype(np.float16), Y, "X is float16"),
    "text": (frame(f="a"), frame(ill=Y)["ill"], "1 column that is not numeric, 'f'"),
    "short y": (ARRAY, Y[:-1], "X and y must have as many rows as each other: X has 384, y 383"),
    "table as y": (ARRAY, np.column_stack([Y, Y]), "y should be a 1d array"),
    "no positive": (ARRAY, 0 * Y, "y has no positive class: every label is 0 or missing"),
    "no label": (ARRAY, np.full(N, np.nan), "NaN in every row, so there is no positive class"),
    "three labels": (ARRAY, np.arange(N) // 200 + Y, "Only binary classification is supported"),
    "text and numbers": (ARRAY, np.where(np.arange(N) < 150, "yes", Y.astype(object)), "y mixes text with other"),
    "blocks of columns": (ARRAY.rechunk((100, 2)), Y, r"3 blocks of columns, .*: use X.rechunk\(\{1: -1\}\)"),
    "one dimension": (ARRAY[:, 0], Y, "X must have two dimensions"),
    "no rows": (ARRAY[:0], Y[:0], "X has no rows"),
    "partitions of another number": (frame(), Y, r'y has 1 partitions and X has 5: .*fit\(frame, "label"\)'),
    "partitions of other sizes": (
        frame(),
        frame(ill=Y)["ill"].repartition(npartitions=2).repartition(npartitions=5),
        r'X and y must have as many rows .*as in fit\(frame, "ill"\)\. Found in partition 0',
    ),
}


@pytest.mark.parametrize(("X", "y", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_told_in_one_line(client, X, y, message):
    with pytest.raises(ValueError, match=message) as told:
        DaskRows.of(X, y)
    assert "\n" not in str(told.value)


def test_bad_weights_and_columns_are_told(client):
    with pytest.raises(ValueError, match=r"Negative values in data passed to `sample_weight`.* partition 1"):
        DaskRows.of(ARRAY, Y, np.where(np.arange(N) == 120, -1.0, 1.0))
    with pytest.raises(ValueError, match="The frame has no column 'ill': its columns are"):
        DaskRows.of_frame(frame(), "ill")
    with pytest.raises(TypeError, match="X must be a Dask array or a Dask data frame, not ndarray"):
        DaskRows.of(X, Y)
    with pytest.raises(TypeError, match="frame must be a Dask data frame, not Array"):
        DaskRows.of_frame(ARRAY, "ill")


def test_a_partition_with_other_columns_is_told(client):
    def narrower(block, block_info):
        return block[:, : P - (block_info[0]["chunk-location"][0] == 2)]

    with pytest.raises(ValueError, match="the columns of the first, 5, but partition 2, counted from 0, has 4"):
        DaskRows.of(ARRAY.map_blocks(narrower, meta=ARRAY._meta), Y)


def test_names_that_are_not_text_are_no_names(client):
    table = pd.DataFrame(X)
    model = BlindAUCClassifier(calibrate=False).fit(
        dd.from_pandas(table, npartitions=2), dd.from_pandas(pd.Series(Y), 2)
    )
    assert not hasattr(model, "feature_names_in_")
    model.predict(dd.from_pandas(table, npartitions=2))


def test_forgotten_labels_are_told(client):
    with pytest.raises(ValueError, match=r'y is missing: pass the name of their column, as in fit\(frame, "label"\)'):
        BlindAUCClassifier().fit(frame())
    with pytest.raises(ValueError, match="y is missing: pass them as y"):
        BlindAUCClassifier().fit(ARRAY)
