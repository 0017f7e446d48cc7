"""Families of scores side by side: each is fitted as it is alone, and averages add up."""

import numpy as np
import pytest
from bent_data import DATA, FAMILIES, N_POS, NEW, N, X, bent_scorer, spec_of
from instances import COUNTS, SETS, THREES, as_data

from blindauc.scorers import derived
from blindauc.scorers.curves import curves_of
from blindauc.scorers.mixed import MixedModel

UNLABELLED = ~DATA.is_positive


# --- several families side by side ---

SPECS = [
    spec_of(family, l2, share, count)
    for l2, share in ((10.0, 0.0), (0.1, 0.1))
    for count in (9, 2)
    for family in FAMILIES
    if count == 9 or family in ("linear", "curves")
]


@pytest.fixture(scope="module")
def models():
    return bent_scorer().path(DATA, SPECS)


def test_every_family_is_fitted_as_it_is_alone(models):
    scorer, scores = bent_scorer(), models.scores(NEW)
    assert len(models) == len(SPECS)
    assert scores.shape == (N, len(SPECS))
    for family in FAMILIES:
        places = [k for k, spec in enumerate(SPECS) if spec.family == family]
        alone = scorer.of_family[family].path(DATA, [SPECS[k] for k in places])
        np.testing.assert_array_equal(scores[:, places], alone.scores(NEW))
        np.testing.assert_array_equal(models.columns[places], alone.columns)
        np.testing.assert_array_equal(models.outliers[places], alone.outliers)


def test_every_fit_has_the_columns_the_outliers_and_the_spread_it_should_have(models):
    share = DATA.weight[UNLABELLED] / DATA.weight[UNLABELLED].sum()
    for spec, columns, outliers, scores in zip(
        SPECS, models.columns, models.outliers, models.scores(X)[UNLABELLED].T, strict=True
    ):
        most = round(spec.n_outliers * N_POS)
        assert outliers.sum() == most or (spec.shape in ("curves", "kernel") and outliers.sum() < most)
        assert share @ (scores - share @ scores) ** 2 == pytest.approx(1)
        if spec.n_features_to_select == 2:
            assert columns.sum() == 2
        if spec.shape == "kernel":
            assert columns.all()


def test_an_average_has_the_weighted_sum_of_the_scores(models):
    weight = np.random.default_rng(0).dirichlet(np.ones(len(models)))
    average = models.average(weight)
    assert isinstance(average, MixedModel)
    np.testing.assert_allclose(average.scores(NEW), models.scores(NEW) @ weight, rtol=1e-6, atol=1e-8)
    for k, family in enumerate(FAMILIES):
        alone = models.average((np.arange(len(weight)) == k) * 1.0)
        assert not isinstance(alone, MixedModel), family
        np.testing.assert_allclose(alone.scores(NEW), models.scores(NEW)[:, k], rtol=1e-6, atol=1e-8)


def test_blended_averages_have_the_weighted_sum_of_their_scores(models):
    """Also where one of them has no model of some family."""
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(len(models)), 3)
    weights[1, [spec.shape == "curves" for spec in SPECS]] = 0.0
    averages, share = [models.average(weight) for weight in weights], np.array([0.2, 0.3, 0.5])
    blended = averages[0].blended(averages[1:], share)
    expected = share @ [average.scores(NEW) for average in averages]
    np.testing.assert_allclose(blended.scores(NEW), expected, rtol=1e-6, atol=1e-8)


def test_some_models_and_others_joined_to_them(models):
    scores = models.scores(NEW)
    for index in (np.array([4, 1, 0, len(models) - 1]), np.array([2]), np.arange(len(models))[::-1]):
        some = models.subset(index)
        np.testing.assert_array_equal(some.scores(NEW), scores[:, index])
        np.testing.assert_array_equal(some.columns, models.columns[index])
        np.testing.assert_array_equal(some.outliers, models.outliers[index])
    parts = [models.subset(part) for part in np.split(np.arange(len(models)), [1, 4, 5])]
    for whole in (parts[0].joined(parts[1:]), models.joined([])):
        np.testing.assert_array_equal(whole.scores(NEW), scores)
        np.testing.assert_array_equal(whole.columns, models.columns)
        np.testing.assert_array_equal(whole.outliers, models.outliers)


def test_inclusion_is_by_the_models_that_select_columns(models):
    weight = np.random.default_rng(0).dirichlet(np.ones(len(models)))
    selecting = [k for k, spec in enumerate(SPECS) if spec.shape in ("linear", "curves")]
    expected = weight[selecting] @ models.columns[selecting] / weight[selecting].sum()
    np.testing.assert_allclose(models.inclusion(weight), expected)
    # Where none of them does, by all.
    others = np.setdiff1d(np.arange(len(models)), selecting)
    expected = weight[others] @ models.columns[others] / weight[others].sum()
    np.testing.assert_allclose(models.subset(others).inclusion(weight[others]), expected)


@pytest.mark.parametrize("family", ["curves", "kernel 0.3"])
@pytest.mark.parametrize("risk", ["blind AUC", "paper"])
def test_derived_columns_that_are_not_kept_are_made_again(family, risk, monkeypatch):
    scorer, specs = bent_scorer(risk=risk), [spec_of(family, l2, 0.1, 3) for l2 in (10.0, 1.0)]
    kept, unit = scorer.path(DATA, specs), scorer.ridge_unit(DATA, specs[0])
    monkeypatch.setattr(derived, "MAX_DERIVED", 0)
    again = scorer.path(DATA, specs)
    np.testing.assert_allclose(again.scores(NEW), kept.scores(NEW), rtol=1e-4, atol=1e-4)
    assert scorer.ridge_unit(DATA, specs[0]) == pytest.approx(unit, rel=1e-6)


@pytest.mark.parametrize("family", ["curves", "kernel 0.3"])
@pytest.mark.parametrize("risk", ["blind AUC", "paper", "unbiased", "nonnegative"])
def test_fits_by_weight_are_those_of_repeated_rows(family, risk):
    weight = np.random.default_rng(0).integers(1, 4, N)
    weighted, repeated = (
        as_data(X, DATA.is_positive, weight),
        as_data(X.repeat(weight, axis=0), DATA.is_positive.repeat(weight)),
    )
    one, other = (bent_scorer(data, risk).path(data, [spec_of(family)]).scores(NEW) for data in (weighted, repeated))
    np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


# --- columns that go in and out together ---


@pytest.mark.parametrize("name", SETS)
def test_sets_over_derived_columns_by_brute_force(name):
    case, rng = SETS[name], np.random.default_rng(0)
    for _ in range(20):
        extra = rng.integers(0, case.n_columns, 5)
        source = np.sort(np.append(np.arange(case.n_columns), extra))
        over, vector = case.set.over(source), rng.normal(size=len(source))
        allowed = [mask[source] for mask in case.masks()]
        projected = over.project(vector)
        assert any(not projected[~mask].any() for mask in allowed)
        best = max(np.sum(vector[mask] ** 2) for mask in allowed)
        assert np.sum(projected**2) == pytest.approx(best)
        kept = projected != 0
        np.testing.assert_array_equal(projected[kept], vector[kept])
        assert over.n_units == case.set.n_units
        assert over.is_everything == case.set.is_everything


@pytest.mark.parametrize("risk", ["blind AUC", "paper"])
@pytest.mark.parametrize("sparsity", COUNTS)
def test_the_columns_of_a_group_bend_and_go_in_and_out_together(risk, sparsity):
    curves = curves_of(DATA.X, DATA.weight)
    n_derived = np.bincount(curves.source)
    for count in COUNTS[sparsity][1]:
        scorer = bent_scorer(risk=risk, sparsity=sparsity).of_family["curves"]
        models = scorer.path(DATA, [spec_of("curves", 0.1, 0.1, count)])
        coef, (columns,) = models.linear.coef.toarray()[0], models.columns
        per_group = np.bincount(THREES, columns)
        if sparsity == "l0":
            assert columns.sum() <= count
        elif sparsity == "group_l0":
            assert (per_group > 0).sum() <= count
        else:
            assert (per_group <= count).all()
        # All derived columns of a column that is in have a weight, but for that of the constant column.
        used = np.bincount(curves.source, coef != 0, 9)
        np.testing.assert_array_equal(used[columns], n_derived[columns])
        assert used[:2].sum() > 2 or not columns[:2].any()


def test_curves_of_a_bent_truth_are_found_by_columns():
    """Where only the size of a column matters, straight lines see nothing of it."""
    rng = np.random.default_rng(0)
    rows, is_positive = rng.normal(size=(600, 9)), np.arange(600) < 200
    rows[is_positive, 5] = rng.choice([-2, 2], 200) + 0.5 * rng.normal(size=200)
    data = as_data(rows, is_positive)
    models = bent_scorer(data).path(data, [spec_of("curves", 0.01, 0.0, 1)])
    np.testing.assert_array_equal(models.columns[0], np.arange(9) == 5)
    low, middle, high = models.scores(np.eye(9)[[5, 5, 5]] * [[-2.0], [0.0], [2.0]])[:, 0]
    assert middle < min(low, high) - 1
