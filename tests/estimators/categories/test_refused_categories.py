"""What takes no categories, and new rows that are not those of the fit, get one line."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from wards import NEW, TABLE, Y, as_polars

from blindauc import BiasedSVM, BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier
from blindauc.estimators import categories as reading
from blindauc.rows.categories import Categories

pytestmark = pytest.mark.usefixtures("few_mixtures")


@pytest.mark.parametrize(
    ("estimator", "line"),
    [
        (BlindAUCClassifier(), "The column 'ward' of X holds categories, which shape=\"linear\" cannot take"),
        (PUErrorClassifier(shape="kernel", prior=0.2), 'which shape="kernel" cannot take'),
        (BlindAUCClassifierCV(shape=["trees", "curves"]), 'which shape="curves" cannot take'),
        (BiasedSVM(), "which BiasedSVM cannot take"),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("table", [TABLE, as_polars(TABLE)], ids=["pandas", "polars"])
def test_what_takes_no_categories_says_so_in_one_line(estimator, line, table):
    with pytest.raises(ValueError, match="make_preprocessor") as caught:
        clone(estimator).fit(table, Y)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_lightgbm_a_search_says_what_to_install(monkeypatch):
    monkeypatch.setattr(reading, "is_installed", lambda: False)
    with pytest.raises(ValueError, match=r"'ward' .* trees alone can take: .*pip install 'blindauc\[trees\]'"):
        BlindAUCClassifierCV().fit(TABLE, Y)


@pytest.mark.parametrize(
    ("params", "line"),
    [({"n_features_to_select": 2}, "selects no columns"), ({"groups": [0, 0, 1], "sparsity": "group_l0"}, "groups")],
)
def test_a_search_that_trees_cannot_make_is_refused(params, line):
    with pytest.raises(ValueError, match=line):
        BlindAUCClassifierCV(**params).fit(TABLE, Y)


def test_text_stays_refused():
    table = TABLE.assign(name="x")
    with pytest.raises(ValueError, match="1 column that is not numeric, 'name'"):
        BlindAUCClassifier(shape="trees").fit(table, Y)


@pytest.mark.parametrize(
    ("new", "line"),
    [
        (NEW.assign(ward=NEW["ward"].astype(str)), r"'ward' of X held categories in the fit .* X\.astype\(\{'ward'"),
        (NEW.assign(ward=1.0), "'ward' of X held categories in the fit"),
        (NEW.assign(age=pd.Categorical(["a"] * len(NEW))), "'age' of X holds categories, and held numbers in the fit"),
        (Categories.of(NEW).encoded(NEW).to_numpy(), "fitted to a table in which the column 'ward' holds categories"),
        (NEW[["age", "ward", "sex"]], "same order"),
        (NEW[["age", "sex"]], "ward"),
        (NEW.assign(age=np.inf), "infinity"),
    ],
    ids=["text", "numbers", "category", "array", "order", "fewer", "infinity"],
)
@pytest.mark.parametrize("ask", ["decision_function", "reasons", "transform"])
def test_new_rows_that_are_not_those_of_the_fit_get_one_line(model, new, line, ask):
    with pytest.raises(ValueError, match=line):
        getattr(model, ask)(new)


def test_categories_where_a_model_has_none():
    numbers = BlindAUCClassifier(shape="trees", n_rounds=5, calibrate=False).fit(TABLE[["age"]], Y)
    with pytest.raises(ValueError, match="'age' of X holds categories, and held numbers in the fit"):
        numbers.decision_function(pd.DataFrame({"age": pd.Categorical([1, 2])}))


def test_rows_that_are_not_in_memory_are_refused(model):
    frame = pytest.importorskip("dask.dataframe").from_pandas(NEW, npartitions=2)
    with pytest.raises(ValueError, match="worked out in memory"):
        model.decision_function(frame)


def test_a_fit_that_fails_leaves_the_categories_as_they_were():
    fitted = BlindAUCClassifier(shape="trees", n_rounds=2, calibrate=False).fit(TABLE, Y)
    with pytest.raises(ValueError, match="y"):
        fitted.fit(NEW[["sex"]])
    assert fitted.categories_.columns == (0, 2)
    assert not hasattr(fitted.fit(TABLE[["age"]], Y), "categories_")
