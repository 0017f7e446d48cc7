"""Scores of a Dask collection are a collection; names of its columns are checked."""

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask and distributed: pip install 'blindauc[dask]'")

import dask.array as da
import pandas as pd
from partitions import ARRAY, WEIGHT, P, X, Y, frame

from blindauc import BlindAUCClassifier
from blindauc.rows.dask import DaskRows, scores_of

pytestmark = pytest.mark.usefixtures("few_candidates")


class Linear:
    """A model that can be sent."""

    def decision_function(self, X):
        return X @ np.arange(1.0, P + 1)

    def predict_proba(self, X):
        half = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - half, half])

    def predict(self, X):
        return np.where(self.decision_function(X) > 0, "yes", "no ")


@pytest.mark.parametrize("method", ["decision_function", "predict_proba", "predict"])
@pytest.mark.parametrize("table", [da.from_array(X, chunks=((100, 0, 284), P)), frame()], ids=["array", "frame"])
def test_scores_of_a_collection_are_a_collection(client, table, method):
    function = getattr(Linear(), method)
    lazy = scores_of(function, table)
    assert isinstance(lazy, da.Array)
    expected = function(X)
    assert (lazy.dtype, lazy.ndim) == (expected.dtype, expected.ndim)
    computed = lazy.compute()
    assert computed.shape == expected.shape
    if method == "predict":
        assert (computed == expected).all()
    else:
        np.testing.assert_allclose(computed, expected, rtol=1e-12)


def test_names_of_frames_are_checked_as_those_of_pandas(client):
    whole = frame(ill=Y, w=WEIGHT)
    model = BlindAUCClassifier(calibrate=False).fit(whole, "ill", "w")
    table = pd.DataFrame(X, columns=list("abcde"))
    expected = model.decision_function(table)
    for same in (whole, frame(), whole.drop(columns="w"), ARRAY):
        if same is ARRAY:
            with pytest.warns(UserWarning, match="X does not have valid feature names"):
                scores = model.decision_function(same)
        else:
            scores = model.decision_function(same)
        # Scores are rounded to 40 bits relative to the largest one of their block.
        np.testing.assert_allclose(scores.compute(), expected, rtol=0, atol=np.abs(expected).max() * 2**-40)
    for other in (list("cabde"), list("abcd"), ["a", "b", "c", "d", "z"]):
        with pytest.raises(ValueError, match="eature names") as theirs:
            model.decision_function(table.rename(columns={"e": "z"} if "z" in other else {})[other])
        for method in (model.decision_function, model.predict):
            with pytest.raises(ValueError, match="eature names") as ours:
                method(frame().rename(columns={"e": "z"} if "z" in other else {})[other])
            assert str(ours.value) == str(theirs.value)
    with pytest.warns(UserWarning, match="valid feature names"), pytest.raises(ValueError, match="X has 4 features"):
        model.predict(ARRAY[:, :4])
    with (
        DaskRows.of_frame(frame(ill=Y)[[*"cabde", "ill"]], "ill") as rows,
        pytest.raises(ValueError, match="in the same order"),
    ):
        model.decision_function(rows)


def test_partitions_whose_columns_are_not_those_of_the_frame_are_not_scored(client):
    turned = frame().map_partitions(lambda part: part[list("edcba")], meta=frame()._meta, enforce_metadata=False)
    with pytest.raises(ValueError, match=r"columns of the frame, \['a', .* but one has \['e'"):
        scores_of(Linear().decision_function, turned).compute()
