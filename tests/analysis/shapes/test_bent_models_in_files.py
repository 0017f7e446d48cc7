"""Models of every shape come back from files, and texts that were tampered with are refused."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from bent_table import ALL, BENT, TABLE, analysed, encoded
from command_line import run, told
from forging import forged, members_of
from same_models import assert_same

from blindauc import BlindAUCClassifier, load, save
from blindauc.analysis import score_table, scored_parts
from blindauc.analysis import scoring as scoring_module
from blindauc.model_files import ModelFileError
from blindauc.scorers import LinearModel
from blindauc.scorers.curves import curves_of
from blindauc.scorers.forest import TreeModel

pytest.importorskip("lightgbm")
pytest.importorskip("skops.io")


@pytest.mark.parametrize("shapes", [*((shape,) for shape in BENT), ALL], ids="+".join)
def test_a_model_of_any_shape_comes_back_as_it_was(shapes, tmp_path):
    model = analysed(*shapes).model
    save(model, tmp_path / "model.skops")
    loaded = load(tmp_path / "model.skops")
    assert_same(vars(loaded[-1]), vars(model[-1]))
    pd.testing.assert_frame_equal(score_table(loaded, TABLE), score_table(model, TABLE))
    X, _ = encoded(analysed(*shapes))
    np.testing.assert_array_equal(loaded[-1].reasons(X), model[-1].reasons(X))
    assert loaded[-1].interactions() == model[-1].interactions()


@pytest.mark.parametrize("shape", ["kernel", "trees"])
def test_scoring_in_parts_is_scoring_at_once(shape, tmp_path, monkeypatch):
    model = analysed(shape).model
    TABLE.to_csv(tmp_path / "patients.csv", index=False)
    monkeypatch.setattr(scoring_module, "ROWS_OF_A_PART", 23)
    parts = list(scored_parts(model, tmp_path / "patients.csv"))
    assert [len(part) for part in parts] == [23] * 6 + [22]
    whole = pd.concat(parts, ignore_index=True)
    # Scores have 40 binary digits.
    assert whole["score"].to_numpy() == pytest.approx(score_table(model, TABLE)["score"].to_numpy(), abs=1e-11)
    assert whole["rank"].tolist() == analysed(shape).ranking.sort_values("row")["rank"].tolist()


@pytest.mark.parametrize("shape", ["linear", "curves"])
def test_files_of_many_columns_have_few_members(shape, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 60)), np.arange(80) < 30
    model = BlindAUCClassifier(shape=shape, solver="path", n_features_to_select=5).fit(X, y)
    save(model, tmp_path / "model.skops")
    assert len(members_of((tmp_path / "model.skops").read_bytes())) < 60
    assert_same(load(tmp_path / "model.skops").effects_, model.effects_)


def test_curves_are_the_same_after_packing():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50), np.ones(50), rng.integers(0, 2, 50), rng.integers(0, 4, 50)])
    curves = curves_of(X, np.ones(50))
    again = pickle.loads(pickle.dumps(curves))
    assert_same(again.of_column, curves.of_column)
    np.testing.assert_array_equal(again(X), curves(X))


def tampered_text(text, how):
    nodes = next(line for line in text.split("\n") if line.startswith("left_child="))
    feature = next(line for line in text.split("\n") if line.startswith("split_feature="))
    value = next(line for line in text.split("\n") if line.startswith("leaf_value="))
    return {
        "a node that is its own child": text.replace(nodes, nodes.replace(nodes.split("=")[1].split(" ")[0], "0", 1)),
        "a column that is not there": text.replace(feature, "split_feature=" + " ".join(["999999"] * 3)),
        "a value that is no number": text.replace(value, value.replace("=", "=nan ", 1)),
        "cut short": text[: len(text) // 2],
        "nothing": "",
        "columns without end": text.replace("max_feature_idx=5", "max_feature_idx=999999999"),
    }[how]


HOWS = [
    "a node that is its own child",
    "a column that is not there",
    "a value that is no number",
    "cut short",
    "nothing",
    "columns without end",
]


@pytest.mark.parametrize("how", HOWS)
def test_a_tampered_text_is_refused_in_one_line(how, tmp_path):
    model = pickle.loads(pickle.dumps(analysed("trees").model))
    trees = model[-1].model_
    assert isinstance(trees, TreeModel)
    text = tampered_text(trees.text, how)
    assert text != trees.text
    path = tmp_path / "model.skops"
    save(model, path)
    members = members_of(path.read_bytes())
    schema = members["schema.json"].decode()
    as_stored = json.dumps(json.dumps(trees.text))[1:-1]
    assert schema.count(as_stored) == 1
    schema = schema.replace(as_stored, json.dumps(json.dumps(text))[1:-1])
    if how == "columns without end":
        schema = schema.replace('"content": "6"', '"content": "1000000000"')
    path.write_bytes(forged(members | {"schema.json": schema.encode()}))
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))} ") as refusal:
        load(path)
    assert str(refusal.value).isprintable()
    told(run("score", path, tmp_path / "patients.csv"), str(path))


def test_a_tampered_text_deep_inside_is_found_as_well(tmp_path):
    model = analysed(*ALL).model
    parts = {"linear": LinearModel(np.ones(6)), "trees": analysed("trees").model[-1].model_}
    changed = pickle.loads(pickle.dumps(model))
    changed[-1].model_ = type(changed[-1].model_)(parts) if hasattr(changed[-1].model_, "parts") else parts["trees"]
    save(changed, tmp_path / "model.skops")
    members = members_of((tmp_path / "model.skops").read_bytes())
    schema = members["schema.json"].replace(b"end of trees", b"End of trees")
    (tmp_path / "model.skops").write_bytes(forged(members | {"schema.json": schema}))
    with pytest.raises(ModelFileError, match="The LightGBM text in the model is damaged or was edited"):
        load(tmp_path / "model.skops")
