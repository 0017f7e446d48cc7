"""Models of categories come back from files; levels that were forged are refused."""

import io
import json

import numpy as np
import pytest
from forging import forged, members_of
from sklearn.base import clone
from wards import NEW, TABLE, WARDS, Y, as_polars

from blindauc.model_files import ModelFileError, load, save

pytestmark = pytest.mark.usefixtures("few_mixtures")


def test_models_come_back_from_files(model, tmp_path):
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(as_polars(NEW)), model.decision_function(NEW))
    assert again.effects_[0].levels == tuple(WARDS)
    np.testing.assert_array_equal(again.reasons(NEW), model.reasons(NEW))


def levels_replaced(content, old, new):
    """A model file in which the levels of a column are others."""
    members, found = members_of(content), 0
    arrays = {name: np.load(io.BytesIO(members[name]), allow_pickle=False) for name in members if name.endswith(".npy")}
    for name in [name for name, array in arrays.items() if array.tolist() == list(old)]:
        stream = io.BytesIO()
        np.save(stream, new, allow_pickle=False)
        members[name], found = stream.getvalue(), found + 1
    assert found
    return forged(members)


@pytest.mark.parametrize(
    "levels",
    [WARDS[:3], np.zeros(0, dtype="<U1"), np.arange(12.0), np.full(12, "w00")],
    ids=["few", "none", "numbers", "one"],
)
def test_levels_that_do_not_go_with_the_trees_are_refused(model, tmp_path, levels):
    path = tmp_path / "model.skops"
    save(clone(model).set_params(calibrate=False).fit(TABLE, Y), path)
    path.write_bytes(levels_replaced(path.read_bytes(), WARDS, levels))
    with pytest.raises(ModelFileError, match=r"cannot be used\. The trees .* do not match its categories") as caught:
        load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"), [("decision_type=9", "decision_type=1"), ("cat_boundaries=0 1", "cat_boundaries=0 9")]
)
def test_forged_texts_are_refused_or_do_no_harm(model, tmp_path, old, new):
    path = tmp_path / "model.skops"
    save(clone(model).set_params(calibrate=False).fit(TABLE, Y), path)
    members = members_of(path.read_bytes())
    schema = members["schema.json"].decode()
    assert old in schema
    path.write_bytes(forged(members | {"schema.json": schema.replace(old, new, 1).encode()}))
    if "boundaries" in new:
        with pytest.raises(ModelFileError, match="cat_") as caught:
            load(path)
        assert "\n" not in str(caught.value)
    else:
        assert np.isfinite(load(path).decision_function(NEW)).all()


def test_categories_that_are_no_categories_are_refused(model, tmp_path):
    path = tmp_path / "model.skops"
    save(clone(model).set_params(calibrate=False).fit(TABLE, Y), path)
    members = members_of(path.read_bytes())
    schema = json.loads(members["schema.json"])
    schema["content"]["content"]["categories_"] = schema["content"]["content"]["n_features_in_"]
    path.write_bytes(forged(members | {"schema.json": json.dumps(schema).encode()}))
    with pytest.raises(ModelFileError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
