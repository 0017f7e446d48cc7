"""Scores that bend: derived columns, probes, contributions, and families of scores side by side."""

from functools import partial

import numpy as np
import pytest
from instances import COUNTS, SETS, THREES, as_data, linear_scorer
from scipy.interpolate import CubicSpline

from blindauc.estimators.shapes import scorer_of
from blindauc.scorers import Spec, derived, kernel
from blindauc.scorers.boosting import is_installed
from blindauc.scorers.curves import N_KNOTS, curves_of
from blindauc.scorers.kernel import Landmarks
from blindauc.scorers.mixed import MixedModel
from blindauc.scorers.splines import Pieces, natural

N, N_POS = 120, 40
RNG = np.random.default_rng(0)
X = np.column_stack(
    [
        RNG.normal(size=(N, 3)),
        RNG.exponential(size=N),
        RNG.integers(0, 2, N),
        RNG.integers(0, 4, N),
        np.where(RNG.random(N) < 0.9, 0.0, RNG.exponential(size=N)),
        np.full(N, 7.0),
        1e6 + RNG.normal(size=N),
    ]
)
X[:N_POS, 0] = np.abs(X[:N_POS, 0]) + 1
X[:N_POS, 1] = RNG.choice([-1, 1], N_POS) * (1 + np.abs(X[:N_POS, 1]))
"""Nine columns of all kinds, of which positives differ in the first two."""

NEW = X[RNG.permutation(N)] + RNG.normal(size=X.shape)
DATA = as_data(X, np.arange(N) < N_POS, RNG.uniform(0.5, 2, N))
UNLABELLED = ~DATA.is_positive

FAMILIES = ["linear", "curves", "kernel 0.3", "kernel 1.0", *(["trees"] if is_installed() else [])]


def bent_scorer(data=DATA, risk="blind AUC", sparsity="l0"):
    """All shapes, with kernels of two widths."""
    shapes = list(dict.fromkeys(family.split()[0] for family in FAMILIES))
    linear = linear_scorer(risk, sparsity)
    return scorer_of(linear, data, shapes, [0.3, 1.0], has_intercept=risk != "blind AUC", seed=0)


def spec_of(family, l2=1.0, n_outliers=0.0, count=None):
    shape, *gamma = family.split()
    of_shape = {"gamma": float(gamma[0])} if gamma else {}
    if shape == "trees":
        of_shape, count = {"n_leaves": 3, "n_rounds": 12}, None
    if shape == "kernel":
        count = None
    return Spec("standard", "logistic", l2, n_outliers, count, shape, **of_shape)


# --- curves ---

ONE_COLUMN = {
    "normal": RNG.normal(size=200),
    "skewed": RNG.lognormal(size=200),
    "uneven weights": RNG.normal(size=200),
    "six values": RNG.integers(0, 6, 200).astype(float),
    "three values": RNG.integers(0, 3, 200).astype(float),
    "mostly zero": np.where(RNG.random(200) < 0.97, 0.0, RNG.exponential(size=200)),
    "one that differs, and another": np.r_[np.zeros(198), 1.0, 2.0],
    "far from zero": 1e9 + RNG.normal(size=200),
    "large": 1e12 * RNG.normal(size=200),
    "small": 1e-12 * RNG.normal(size=200),
    "two values": RNG.integers(0, 2, 200).astype(float),
    "two values, one of them once": np.r_[np.zeros(199), 5.0],
}
WEIGHTS = {"uneven weights": RNG.exponential(size=200)}
every_column = pytest.mark.parametrize("case", ONE_COLUMN)


def curve_of_case(case):
    values, weight = ONE_COLUMN[case], WEIGHTS.get(case, np.ones(200))
    (curve,) = curves_of(values[:, None], weight).of_column
    return curve, values, weight / weight.sum()


@every_column
def test_the_derived_columns_of_a_column_are_uncorrelated_with_a_variance_of_one(case):
    curve, values, share = curve_of_case(case)
    made = curve(values)
    np.testing.assert_allclose(share @ made, 0, atol=1e-6)
    np.testing.assert_allclose(made.T @ (share[:, None] * made), np.eye(made.shape[1]), atol=1e-6)


@every_column
def test_the_first_derived_column_is_the_column_itself_in_units_of_its_deviation(case):
    curve, values, share = curve_of_case(case)
    centred = values - np.average(values, weights=share)
    np.testing.assert_allclose(curve(values)[:, 0], centred / np.sqrt(share @ centred**2), rtol=1e-5, atol=1e-6)


@every_column
def test_curves_are_all_natural_cubic_splines_with_these_knots(case):
    """Any natural spline through the knots is a combination of the derived columns and a constant."""
    curve, values, _ = curve_of_case(case)
    distinct = np.unique(values)
    assert len(curve.knots) <= min(N_KNOTS, len(distinct))
    if len(distinct) == 2:
        assert len(curve.knots) == 0
        assert curve(values).shape[1] == 1
        return
    assert np.isin(curve.knots, distinct).all()
    assert curve(values).shape[1] == len(curve.knots) - 1
    unit = (curve.knots - curve.knots[0]) / np.ptp(curve.knots)
    inside = np.linspace(0, 1, 300)
    spline = CubicSpline(unit, np.random.default_rng(0).normal(size=len(unit)), bc_type="natural")(inside)
    made = np.column_stack([np.ones(300), curve(curve.knots[0] + np.ptp(curve.knots) * inside)])
    fitted = made @ np.linalg.lstsq(made, spline)[0]
    np.testing.assert_allclose(fitted, spline, atol=1e-5)


@every_column
def test_beyond_the_outermost_knots_curves_are_straight(case):
    curve, values, _ = curve_of_case(case)
    knots = curve.knots if len(curve.knots) else np.unique(values)
    steps = np.ptp(knots) * np.linspace(0, 10, 21)
    for outside in (knots[-1] + steps, knots[0] - steps):
        made = curve(outside)
        assert np.abs(np.diff(made, 2, axis=0)).max() <= 1e-6 * np.abs(made).max()
    # Between them, all but the column itself bend.
    inside = curve(np.linspace(knots[0], knots[-1], 50))
    assert (np.abs(np.diff(inside, 2, axis=0)).max(axis=0)[1:] > 1e-3).all()


def textbook_splines(x, knots):
    """The column and its natural cubic splines, by equations 5.4 and 5.5 of Hastie, Tibshirani and Friedman."""
    unit = knots[-1] - knots[0]
    z, t = (x - knots[0]) / unit, (knots - knots[0]) / unit
    d = [(np.maximum(z - a, 0) ** 3 - np.maximum(z - 1, 0) ** 3) / (1 - a) for a in t[:-1]]
    return np.column_stack([z, *(each - d[-1] for each in d[:-1])])


@pytest.mark.parametrize("n_knots", [3, 4, 6])
def test_splines_are_those_of_the_textbook(n_knots):
    knots = np.sort(RNG.normal(size=n_knots)) + 5
    x = np.r_[RNG.normal(5, 3, 50), knots, knots[-1] + 30]
    found = Pieces.of([knots], [0.0])(x[:, None]) @ natural(knots)
    np.testing.assert_allclose(found, textbook_splines(x, knots), rtol=1e-9, atol=1e-12)


def test_far_beyond_the_knots_splines_keep_their_digits():
    knots = np.array([0.0, 0.25, 0.5, 1.0])
    pieces = Pieces.of([knots], [0.0])
    values = pieces(np.array([[2.0], [2.0**40], [2.0**41 - 2.0]])) @ natural(knots)
    np.testing.assert_allclose(values[2] - values[1], values[1] - values[0], rtol=1e-12)


@pytest.mark.parametrize("basis", [curves_of(X, DATA.weight), Landmarks(DATA).kernel(0.3)], ids=["curves", "kernel"])
def test_products_with_derived_columns_that_are_not_kept(basis, monkeypatch):
    monkeypatch.setattr(derived, "BLOCK_ENTRIES", 37 * basis.mix.shape[0])
    made, kept = basis(NEW), np.arange(basis.n_derived) % 3 > 0
    rng = np.random.default_rng(1)
    coef, residual = rng.normal(size=kept.sum()), rng.normal(size=N)
    lazy = derived.LazyColumns(basis, NEW)[:, np.flatnonzero(kept)]
    np.testing.assert_allclose(lazy @ coef, made[:, kept] @ coef, rtol=0, atol=1e-9)
    np.testing.assert_allclose(lazy.T @ residual, made[:, kept].T @ residual, rtol=0, atol=1e-8)
    np.testing.assert_allclose(lazy.min(axis=0), made[:, kept].min(axis=0), rtol=0, atol=1e-9)
    np.testing.assert_allclose(lazy.max(axis=0), made[:, kept].max(axis=0), rtol=0, atol=1e-9)
    models = rng.normal(size=(basis.n_derived, 2))
    np.testing.assert_allclose(derived._scores(basis, NEW, models), made @ models, rtol=0, atol=1e-8)


def test_the_units_of_a_column_do_not_matter():
    x = ONE_COLUMN["normal"][:, None]
    made = curves_of(x, np.ones(200))(x)
    for change, tolerance in ((lambda x: 1e9 * x, 1e-8), (lambda x: 1e-9 * x, 1e-8), (lambda x: x + 1e6, 1e-6)):
        np.testing.assert_allclose(curves_of(change(x), np.ones(200))(change(x)), made, atol=tolerance)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e9 / 3])
def test_a_column_that_says_nothing_becomes_one_that_says_nothing(value):
    """Not even where new rows hold other values, or where its mean is rounded."""
    curves = curves_of(np.full((77, 1), value), np.ones(77))
    assert curves.source.tolist() == [0]
    assert not curves(np.array([[value], [value + 1.0], [-1e3]])).any()


def test_curves_by_weight_are_those_of_repeated_rows():
    weight = np.random.default_rng(0).integers(1, 4, N)
    one, other = curves_of(X, weight.astype(float)), curves_of(X.repeat(weight, axis=0), np.ones(weight.sum()))
    np.testing.assert_allclose(one(NEW), other(NEW), rtol=1e-6, atol=1e-6)


def test_curves_do_not_depend_on_the_order_of_rows():
    order = np.random.default_rng(0).permutation(N)
    one, other = curves_of(X, DATA.weight), curves_of(X[order], DATA.weight[order])
    np.testing.assert_allclose(one(NEW), other(NEW), rtol=1e-6, atol=1e-6)


def test_derived_columns_know_where_they_come_from():
    curves = curves_of(X, DATA.weight)
    for column in range(X.shape[1]):
        moved = NEW.copy()
        moved[:, column] += 0.5
        changed = (curves(moved) != curves(NEW)).any(axis=0)
        expected = (curves.source == column) & (column != 7)  # the constant one
        np.testing.assert_array_equal(changed, expected)


def test_the_columns_of_curves_are_those_with_any_weight():
    curves = curves_of(X, DATA.weight)
    coef = np.random.default_rng(0).integers(0, 2, (20, len(curves.source))) * 1.0
    expected = [[row[curves.source == column].any() for column in range(9)] for row in coef]
    np.testing.assert_array_equal(curves.columns(coef), expected)


# --- kernels ---


def slow_similarity(rows, others, gamma):
    return np.array([[np.exp(-gamma * np.mean((row - other) ** 2)) for other in others] for row in rows])


@pytest.fixture(scope="module", params=[0.3, 3.0])
def some_kernel(request):
    return Landmarks(DATA).kernel(request.param)


def test_the_similarities_of_a_kernel(some_kernel):
    share = DATA.weight / DATA.weight.sum()
    mean = share @ X
    spread = np.sqrt(share @ (X - mean) ** 2)
    spread[7] = 1.0
    Z = (NEW - mean) / spread
    np.testing.assert_allclose(some_kernel.standardised(NEW), Z, rtol=1e-6, atol=1e-6)
    expected = slow_similarity(Z, some_kernel.landmarks, some_kernel.gamma)
    np.testing.assert_allclose(some_kernel.similarity(Z), expected, rtol=1e-6, atol=1e-9)


def test_inner_products_of_derived_columns_are_the_kernel_among_landmarks(some_kernel):
    made = some_kernel.similarity(some_kernel.landmarks) @ some_kernel.whiten
    expected = slow_similarity(some_kernel.landmarks, some_kernel.landmarks, some_kernel.gamma)
    np.testing.assert_allclose(made @ made.T, expected, atol=1e-8)


def test_the_scores_of_a_kernel_are_weighted_similarities(some_kernel):
    coef = np.random.default_rng(0).normal(size=some_kernel.whiten.shape[1])
    alpha = some_kernel.whiten @ coef
    similarity = slow_similarity(some_kernel.standardised(NEW), some_kernel.landmarks, some_kernel.gamma)
    scores = derived.DerivedModel(some_kernel, coef).scores(NEW)
    np.testing.assert_allclose(scores, similarity @ alpha, rtol=1e-6, atol=1e-6)


def test_kernels_depend_neither_on_the_order_of_rows_nor_on_copies(monkeypatch):
    monkeypatch.setattr(kernel, "N_LANDMARKS", 30)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(N), 2))
    one = Landmarks(as_data(X, DATA.is_positive)).kernel(1.0)
    other = Landmarks(as_data(X[order], DATA.is_positive[order])).kernel(1.0)
    assert len(one.landmarks) == len(other.landmarks) == len(np.unique(other.landmarks, axis=0)) == 30
    np.testing.assert_allclose(one(NEW) @ one(NEW).T, other(NEW) @ other(NEW).T, atol=1e-6)


def test_landmarks_are_rows_drawn_with_a_seed(monkeypatch):
    monkeypatch.setattr(kernel, "N_LANDMARKS", 30)
    drawn = [Landmarks(DATA, seed).kernel(1.0) for seed in (0, 0, 1)]
    rows = {tuple(row) for row in drawn[0].standardised(X).round(6).tolist()}
    assert all({tuple(row) for row in each.landmarks.round(6).tolist()} <= rows for each in drawn)
    np.testing.assert_array_equal(drawn[0].landmarks, drawn[1].landmarks)
    assert not np.isin(drawn[0].landmarks[:, 0], drawn[2].landmarks[:, 0]).all()


def riemann(model, rows, n_steps=1000):
    """Integrated gradients from the mean row, by a sum of many small steps and numerical slopes."""
    kernel, step = model.basis, 1e-4
    Z = kernel.standardised(rows)
    way = np.array([t * Z for t in (np.arange(n_steps) + 0.5) / n_steps])

    def scores(Z):
        similarity = kernel.similarity(Z.reshape(-1, Z.shape[-1]))
        return (similarity @ (kernel.whiten @ model.coef)).reshape(Z.shape[:-1])

    changes = step * np.eye(Z.shape[1])
    slopes = [(scores(way + change) - scores(way - change)).mean(axis=0) / (2 * step) for change in changes]
    return np.array(slopes).T * Z


@pytest.mark.parametrize("n_columns", [1, 4])
@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_contributions_of_a_kernel_are_integrated_gradients(n_columns, gamma):
    rng = np.random.default_rng(0)
    basis = Landmarks(as_data(rng.normal(size=(25, n_columns)), np.arange(25) < 5)).kernel(gamma)
    model = derived.DerivedModel(basis, rng.normal(size=25))
    rows = 1.5 * rng.normal(size=(8, n_columns))
    np.testing.assert_allclose(model.contributions(rows), riemann(model, rows), atol=1e-4)


@pytest.mark.parametrize("far", [0.0, 1.0, 30.0, 1e4, 1e8])
def test_contributions_of_far_rows_add_up_and_are_those_of_the_columns_that_differ(some_kernel, far):
    model = derived.DerivedModel(some_kernel, np.random.default_rng(0).normal(size=some_kernel.whiten.shape[1]))
    direction = np.where(np.arange(9) < 3, far, 0.0)
    parts = model.contributions(some_kernel.mean + direction[None] * some_kernel.spread)
    assert (parts[0, :3] != 0).all() == (far > 0)
    np.testing.assert_allclose(parts[0, 3:], 0, atol=1e-6)
    score = model.scores(some_kernel.mean + direction[None] * some_kernel.spread)
    np.testing.assert_allclose(parts.sum(axis=1) + model.base, score, atol=1e-8)


def test_a_restricted_kernel_takes_other_columns_to_be_at_their_means(some_kernel):
    model = derived.DerivedModel(some_kernel, np.random.default_rng(0).normal(size=some_kernel.whiten.shape[1]))
    kept = np.arange(9) < 4
    restricted = model.restricted(kept, DATA)
    np.testing.assert_array_equal(restricted.columns, kept)
    at_means = np.where(kept, NEW, some_kernel.mean)
    np.testing.assert_allclose(restricted.scores(NEW), model.scores(at_means), atol=1e-8)
    assert model.restricted(np.ones(9, dtype=bool), DATA) is model


# --- one score of each kind ---


def fitted(family, risk="blind AUC"):
    return bent_scorer(risk=risk).path(DATA, [spec_of(family)]).average(np.ones(1))


def mixed_model():
    models = bent_scorer().path(DATA, [spec_of(family) for family in FAMILIES])
    return models.average(np.linspace(0.1, 0.4, len(models)))


MODELS = {family: partial(fitted, family) for family in FAMILIES} | {
    "curves, few columns": lambda: fitted("curves").restricted(np.arange(9) < 3, DATA),
    "kernel, few columns": lambda: fitted("kernel 0.3").restricted(np.arange(9) < 3, DATA),
    "curves of a PU error": lambda: fitted("curves", "paper"),
    "kernel of a PU error": lambda: fitted("kernel 0.3", "paper"),
    "mixed": mixed_model,
    "mixed, few columns": lambda: mixed_model().restricted(np.arange(9) < 3, DATA),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


@pytest.mark.parametrize("columns", [[0], [7], [4, 1], list(range(9))])
def test_a_probe_says_what_other_values_would_do(model, columns):
    probe = model.probe(NEW)
    np.testing.assert_allclose(probe.scores, model.scores(NEW), rtol=1e-6, atol=1e-8)
    for values in (X[:, columns], np.zeros((N, len(columns))), NEW[:, columns]):
        by_hand = NEW.copy()
        by_hand[:, columns] = values
        np.testing.assert_allclose(probe.replaced(columns, values), model.scores(by_hand), rtol=1e-6, atol=1e-7)


def test_contributions_and_the_base_add_up_to_the_score(model):
    parts = model.contributions(NEW)
    assert parts.shape == NEW.shape
    np.testing.assert_allclose(parts.sum(axis=1) + model.base, model.scores(NEW), rtol=1e-6, atol=1e-7)


def test_columns_that_are_not_used_do_not_matter(model):
    np.testing.assert_array_equal(model.columns, model.columns.astype(bool))
    other = np.where(model.columns, NEW, X)
    np.testing.assert_allclose(model.scores(other), model.scores(NEW), rtol=1e-9, atol=1e-9)
    assert np.abs(model.contributions(NEW)[:, ~model.columns]).max(initial=0.0) < 1e-9


def test_equal_rows_have_equal_scores_wherever_they_stand(model, monkeypatch):
    monkeypatch.setattr(derived, "BLOCK_ROWS", 7)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(N), 2))
    scores = model.scores(NEW[order])
    for row in range(N):
        assert len(set(scores[order == row])) == 1


def test_rows_in_single_precision_have_about_the_same_scores(model):
    rows = NEW.copy()
    rows[:, 8] = 1e6  # of which the digits behind the point would be lost
    np.testing.assert_allclose(model.scores(rows.astype(np.float32)), model.scores(rows), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("family", ["linear", "curves"])
def test_in_a_sum_over_columns_a_column_adds_what_its_own_value_says(family):
    model = fitted(family)
    parts = model.contributions(NEW)
    for column in range(9):
        alone = np.where(np.arange(9) == column, NEW, X)
        np.testing.assert_allclose(model.contributions(alone)[:, column], parts[:, column])


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
        assert outliers.sum() == round(spec.n_outliers * N_POS)
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
