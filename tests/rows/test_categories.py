"""Categories of pandas and polars tables as numbers: levels by their texts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from wards import TABLE, WARDS, as_polars

from blindauc import BlindAUCClassifier
from blindauc.rows.categories import Categories

pytestmark = pytest.mark.usefixtures("few_mixtures")


def test_levels_are_numbered_by_their_texts_and_those_that_no_row_has_are_left_out():
    table = pd.DataFrame({"a": pd.Categorical(["y", "x", None, ""], categories=["z", "y", "x", ""])})
    categories = Categories.of(table)
    assert categories.columns == (0,)
    assert categories.levels[0].tolist() == ["x", "y"]
    np.testing.assert_array_equal(categories.encoded(table)["a"], [1, 0, np.nan, np.nan])
    assert table["a"].dtype == "category"


@pytest.mark.parametrize(
    ("cells", "others"),
    [
        ([7, 8, 7], [7.0, 8.0, 7.0]),
        ([True, False, True], ["True", "False", "True"]),
        (["b", "a", "b"], [" b", "a", "b "]),
    ],
)
def test_a_level_is_what_it_says_however_it_is_stored(cells, others):
    first, second = (pd.DataFrame({"a": pd.Categorical(each)}) for each in (cells, others))
    categories = Categories.of(first)
    np.testing.assert_array_equal(categories.encoded(first), categories.encoded(second))


def test_intervals_and_names_that_come_twice():
    table = pd.concat([pd.DataFrame({"a": pd.cut([1.0, 5.0, 9.0], 3)}), pd.DataFrame({"a": [1.5, 2.5, 3.5]})], axis=1)
    np.testing.assert_array_equal(Categories.of(table).encoded(table), [[0, 1.5], [1, 2.5], [2, 3.5]])


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["m", "f", *WARDS[::-1]])])
def test_pandas_and_polars_have_the_same_numbers(dtype):
    polars = as_polars(TABLE, dtype)
    categories = Categories.of(TABLE)
    again = Categories.of(polars)
    assert categories.columns == again.columns
    np.testing.assert_array_equal(again.encoded(polars).to_numpy(), categories.encoded(TABLE).to_numpy())


def test_too_many_levels_are_refused():
    table = pd.DataFrame({"code": pd.Categorical(np.arange(1001)), "age": 1.0})
    with pytest.raises(ValueError, match=r"'code' with 1,001: group them first, or leave") as caught:
        BlindAUCClassifier(shape="trees").fit(table, np.arange(1001) < 50)
    assert "\n" not in str(caught.value)
