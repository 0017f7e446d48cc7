"""Tables with categories: fitted, explained and searched as all others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from wards import EFFECT, NEW, NEW_TRUTH, TABLE, WARDS, Y, as_polars

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier, PUErrorClassifierCV
from blindauc.estimators import categories as reading
from blindauc.explain import bends, shape_in_words
from blindauc.explain.effects import packed, unpacked

pytestmark = pytest.mark.usefixtures("few_mixtures")

FEW = {"n_leaves": 4, "n_rounds": 20, "l2": 10.0, "n_outliers": 0.0, "cv": 3, "n_repeats": 1}


@pytest.fixture(scope="module")
def searched():
    return BlindAUCClassifierCV(**FEW).fit(TABLE, Y)


# --- fits ---


def auc_of(estimator, table, new):
    return roc_auc_score(NEW_TRUTH, clone(estimator).fit(table, Y).decision_function(new))


def test_a_category_that_matters_is_found_better_than_by_its_numbers(model):
    def as_numbers(table):
        return table.assign(ward=table["ward"].cat.codes.astype(float), sex=table["sex"].cat.codes.astype(float))

    numbers = auc_of(BlindAUCClassifier(shape="trees", n_rounds=20), as_numbers(TABLE), as_numbers(NEW))
    assert roc_auc_score(NEW_TRUTH, model.decision_function(NEW)) > numbers + 0.02
    assert model.importance_.argmax() == 0


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_levels_does_not_matter(model, seed):
    order = np.random.default_rng(seed).permutation([*WARDS, "w99"])
    permuted = TABLE.assign(ward=TABLE["ward"].cat.set_categories(order))
    again = BlindAUCClassifier(shape="trees", n_rounds=20).fit(permuted, Y)
    np.testing.assert_array_equal(again.decision_function(NEW), model.decision_function(NEW))
    np.testing.assert_array_equal(model.decision_function(NEW.assign(ward=NEW["ward"].cat.set_categories(order))),
                                  model.decision_function(NEW))  # fmt: skip


def test_polars_tables_are_fitted_and_scored_alike(model):
    again = BlindAUCClassifier(shape="trees", n_rounds=20).fit(as_polars(TABLE), Y)
    np.testing.assert_array_equal(again.decision_function(as_polars(NEW)), model.decision_function(NEW))
    np.testing.assert_array_equal(model.decision_function(as_polars(NEW)), model.decision_function(NEW))


def test_a_category_that_was_not_there_counts_as_missing(model):
    unseen = NEW.assign(ward=pd.Categorical(["w99"] * len(NEW)))
    missing = NEW.assign(ward=pd.Categorical([None] * len(NEW), categories=["w01"]))
    np.testing.assert_array_equal(model.decision_function(unseen), model.decision_function(missing))
    assert len(set(model.decision_function(unseen))) > 1


@pytest.mark.parametrize(
    "table",
    [TABLE[["ward"]], TABLE[["ward", "sex"]], TABLE.assign(age=np.where(TABLE["age"] > 1, np.nan, TABLE["age"]))],
    ids=["one category", "categories alone", "missing numbers"],
)
def test_tables_of_categories_and_of_missing_numbers(table):
    fitted = BlindAUCClassifier(shape="trees", n_rounds=5).fit(table, Y)
    scores = fitted.decision_function(table)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(fitted.reasons(table).sum(axis=1), scores, atol=1e-9)


@pytest.mark.parametrize("cells", [["a"] * 600, [None] * 600], ids=["one level", "none"])
def test_a_category_that_says_nothing_gives_a_score_of_nothing(cells):
    table = pd.DataFrame({"a": pd.Categorical(cells)})
    fitted = BlindAUCClassifier(shape="trees", n_rounds=5).fit(table, Y)
    assert len(set(fitted.decision_function(table))) == 1


def test_numbers_that_are_float32_stay_so():
    table = TABLE.assign(age=TABLE["age"].astype(np.float32))
    assert reading.learnt_categories(BlindAUCClassifier(shape="trees"), table).to_numpy().dtype == np.float32


# --- what can be asked of a fit ---


def test_effects_are_by_the_names_of_levels(model):
    ward, age, sex = model.effects_
    assert ward.levels == tuple(WARDS)
    assert sex.levels == ("f", "m")
    assert age.levels == ()
    assert np.corrcoef(ward.contribution, EFFECT)[0, 1] > 0.8
    assert abs(ward.share @ ward.contribution) < 1e-12
    assert ward.share.sum() == pytest.approx(1.0)
    assert ward.size == ward.weight > 5 * sex.size
    assert ((ward.low < ward.contribution) & (ward.contribution < ward.high)).all()
    np.testing.assert_array_equal(ward.at(["w03", "w99"]), [ward.contribution[3], np.nan])
    assert bends(ward) == 1.0
    highest, lowest = WARDS[ward.contribution.argmax()], WARDS[ward.contribution.argmin()]
    words = f"The score is highest where ward is {highest} and lowest where it is {lowest}."
    assert shape_in_words(ward, "ward") == words


def test_the_effect_of_a_level_is_the_mean_over_rows_moved_to_it(model):
    """By partial dependence over the reference rows, here all unlabelled ones."""
    ward, unlabelled = model.effects_[0], TABLE[~Y]
    means = np.array([model.decision_function(unlabelled.assign(ward=pd.Categorical([name] * len(unlabelled)))).mean()
                      for name in WARDS])  # fmt: skip
    # The reference rows are 300 of these.
    assert np.corrcoef(means, ward.contribution)[0, 1] > 0.999


def test_effects_are_packed_with_their_levels(model):
    for effect, again in zip(model.effects_, unpacked(packed(model.effects_)), strict=True):
        assert again.levels == effect.levels
        np.testing.assert_array_equal(again.contribution, effect.contribution)
    assert "levels" not in packed(model.effects_[1:2])


def test_reasons_add_up_and_interactions_are_found(model):
    reasons = model.reasons(NEW)
    np.testing.assert_allclose(reasons.sum(axis=1), model.decision_function(NEW), atol=1e-9)
    assert np.abs(reasons[:, :-1]).mean(axis=0).argmax() == 0
    assert {0} < {column for pair in model.interactions() for column in pair.columns}


def test_a_search_over_a_table_with_categories_tries_trees_alone(searched):
    assert searched.shapes_ == {"trees": 1.0}
    assert len(searched.baselines_) == 2
    assert roc_auc_score(NEW_TRUTH, searched.decision_function(NEW)) > 0.8
    # Simpler methods see the wards as columns of 0 and 1, and are no worse than chance.
    assert all(baseline.score > 0.6 for baseline in searched.baselines_)
    np.testing.assert_allclose(searched.reasons(NEW).sum(axis=1), searched.decision_function(NEW), atol=1e-9)
    assert searched.best_estimator_.decision_function(NEW).shape == (len(NEW),)
    assert "ward" in searched._repr_html_()
    assert "trees" in searched.summary().lower()


def test_columns_are_named_and_selected_as_everywhere(model):
    assert model.get_feature_names_out().tolist() == TABLE.columns[model.support_].tolist()
    kept = clone(model).set_output(transform="pandas").fit(TABLE, Y).transform(NEW)
    assert kept["ward"].dtype == "category"
    assert np.isnan(model.spread_).tolist() == [True, False, True]


def test_rows_with_leverage_are_found_among_the_numbers():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(600, 6)), columns=list("abcdef")).assign(ward=TABLE["ward"])
    far = np.flatnonzero(Y)[:2]
    table.iloc[far, :6] = 50.0
    fitted = BlindAUCClassifier(shape="trees", n_rounds=5, calibrate=False).fit(table, Y)
    assert set(far) <= set(fitted.outliers_)
    assert fitted.leverage_.max() == 6


@pytest.mark.parametrize("Estimator", [PUErrorClassifier, PUErrorClassifierCV])
def test_the_pu_error_takes_categories(Estimator):
    params = {"n_rounds": 20} if Estimator is PUErrorClassifier else FEW
    fitted = Estimator(shape="trees", **params).fit(TABLE, Y)
    assert roc_auc_score(NEW_TRUTH, fitted.decision_function(NEW)) > 0.75
