"""Families of scores: what a path of fits gives to a search, over every risk, scaling and set."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from instances import COUNTS, PRIOR, RISKS_OF_LOSS, THREES, as_data, linear_scorer
from scipy.optimize import minimize

from blindauc import BlindAUCClassifier, PUErrorClassifier
from blindauc.datasets import make_paper_data
from blindauc.losses import BarrierHinge
from blindauc.rows.scaling import SCALINGS
from blindauc.scorers import LinearModel, Spec
from blindauc.scorers.projection import Projection

pytestmark = pytest.mark.usefixtures("few_mixtures")

PAPER = [
    make_paper_data(n_features=9, n_outliers=4, n_relevant=6, n_pos=40, n_negatives=80, random_state=seed)
    for seed in range(3)
]
DATA = as_data(PAPER[0].X, PAPER[0].y_pu == 1, np.random.default_rng(0).uniform(0.5, 2, len(PAPER[0].X)))
UNLABELLED = ~DATA.is_positive

every_risk = pytest.mark.parametrize("risk", RISKS_OF_LOSS)
every_set = pytest.mark.parametrize("sparsity", COUNTS)
every_scaling = pytest.mark.parametrize("scaling", SCALINGS)


def specs_of(scorer, data, sparsity="l0", scaling="standard", loss="logistic", shares=(0.0, 0.1)):
    """All combinations of ridges about the data's curvature, shares of outliers and numbers of columns."""
    unit = scorer.ridge_unit(data, Spec(scaling, loss, 1.0, 0.0, None))
    every = product([10.0 * unit, 0.3 * unit], shares, COUNTS[sparsity][1])
    return [Spec(scaling, loss, *rest) for rest in every]


# --- specs ---


def test_a_spec_is_its_parameters():
    loss = BarrierHinge(slope=3.0)
    spec = Spec("none", loss, 0.1, 0.2, (1, 2))
    assert spec.params == {
        "scaling": "none", "loss": loss, "l2": 0.1, "n_outliers": 0.2, "n_features_to_select": (1, 2), "shape": "linear"
    }  # fmt: skip
    assert spec.params["loss"] is loss
    assert spec.kind == ("linear", "none", loss, None)
    assert spec == Spec(**spec.params)
    assert len({spec, Spec(**spec.params)}) == 1


# --- a path of fits ---


def is_as_asked(columns, sparsity, count):
    if sparsity == "l0":
        return columns.sum() == count
    per_group = np.bincount(THREES, columns)
    return sorted(per_group) == [0] * (3 - count) + [3] * count if sparsity == "group_l0" else tuple(per_group) == count


@every_risk
@every_scaling
@every_set
def test_every_fit_has_the_columns_the_outliers_and_the_spread_it_should_have(risk, scaling, sparsity):
    scorer = linear_scorer(risk, sparsity)
    specs = specs_of(scorer, DATA, sparsity, scaling)
    models = scorer.path(DATA, specs)
    assert models.columns.shape == (len(specs), 9)
    assert models.outliers.shape == (len(specs), 40)
    scores = models.scores(DATA.X)
    assert scores.shape == (len(DATA.row), len(specs))
    share = DATA.weight[UNLABELLED] / DATA.weight[UNLABELLED].sum()
    for k, spec in enumerate(specs):
        assert is_as_asked(models.columns[k], sparsity, spec.n_features_to_select)
        assert models.outliers[k].sum() == round(spec.n_outliers * 40)
        of_unlabelled = scores[UNLABELLED, k]
        assert share @ (of_unlabelled - share @ of_unlabelled) ** 2 == pytest.approx(1)


def lowest(objective, X, coef, outliers):
    """The objective of scores at their best length (and with their best intercept); a slow referee."""
    shift, spread = np.where(outliers, np.inf, 0.0), (X @ coef).std() or 1.0
    n_free = 1 + objective.n_columns - len(coef)
    corners = np.vstack([np.zeros(n_free), np.eye(n_free)])

    def value(z):
        return objective.value(np.append(z[0] * coef / spread, z[1:]), shift)

    options = {"xatol": 1e-3, "fatol": 1e-6, "initial_simplex": corners}
    return minimize(value, corners[0], method="Nelder-Mead", options=options).fun


def exact(risk, sparsity, spec, X, y):
    Estimator, own = (BlindAUCClassifier, {}) if risk == "blind AUC" else (PUErrorClassifier, {"risk": risk})
    params = {
        "solver": "path",
        "calibrate": False,
        "leverage_screen": False,
        "prior": PRIOR,
        "groups": COUNTS[sparsity][0],
    }
    return Estimator(**params, **own, sparsity=sparsity, **spec.params).fit(X, y)


@every_risk
@every_set
def test_a_fit_is_near_the_exact_one_whichever_others_are_in_the_path(risk, sparsity):
    """By what it brings of the objective.

    A gradient of a hundredth of that at zero is, where the objective is convex and as well conditioned as with a ridge
    near the data's curvature, within a hundredth of the gain. Where columns and outliers are chosen, rough fits may
    choose others, that bring about as much.
    """
    scorer, ratios = linear_scorer(risk, sparsity), []
    for seed, paper in enumerate(PAPER):
        data = as_data(paper.X, paper.y_pu == 1)
        specs = specs_of(scorer, data, sparsity)
        objective, together = scorer.objective(data, "standard", "logistic"), scorer.path(data, specs)
        for k in range(seed, len(specs), 3):  # every spec, on one of the data sets each
            spec = specs[k]
            at, found = objective.with_ridge(spec.l2), exact(risk, sparsity, spec, paper.X, paper.y_pu)
            alone = scorer.path(data, [spec])
            parts = [(found.coef_, np.isinf(found.shift_))]
            parts += [(m.coef[[i]].toarray()[0], m.outliers[i]) for m, i in ((together, k), (alone, 0))]
            nothing = lowest(at, paper.X, np.zeros(9), np.zeros(40, dtype=bool))
            best, *rough = (nothing - lowest(at, paper.X, *part) for part in parts)
            ratios.append(np.divide(rough, best))
            if spec.n_outliers == 0 and together.columns[k].all():
                assert (ratios[-1] > 0.99).all()
    assert np.min(ratios) > 0.75
    assert np.mean(ratios) > 0.97


@every_risk
def test_the_order_of_specs_does_not_matter(risk):
    scorer = linear_scorer(risk)
    specs = [*specs_of(scorer, DATA), *specs_of(scorer, DATA, scaling="none", shares=(0.0,))]
    order = np.random.default_rng(0).permutation(len(specs))
    one, other = scorer.path(DATA, specs), scorer.path(DATA, [specs[k] for k in order])
    np.testing.assert_array_equal(other.coef.toarray(), one.coef.toarray()[order])
    np.testing.assert_array_equal(other.outliers, one.outliers[order])


@every_risk
@every_scaling
@pytest.mark.parametrize("store", [sp.csr_array, sp.csc_matrix, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_every_container_gives_the_same_fits(risk, scaling, store):
    # Without outliers: robust directions of sparse columns start from means, those of dense ones from medians.
    X = DATA.X.astype(np.float32).astype(np.float64)
    data, stored = as_data(X, DATA.is_positive, DATA.weight), as_data(store(X), DATA.is_positive, DATA.weight)
    scorer = linear_scorer(risk)
    specs = specs_of(scorer, data, scaling=scaling, shares=(0.0,))
    one, other = scorer.path(data, specs), scorer.path(stored, specs)
    np.testing.assert_allclose(other.coef.toarray(), one.coef.toarray(), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(other.scores(stored.X), one.scores(X), rtol=1e-4, atol=1e-4)


@every_risk
def test_fits_by_weight_are_those_of_repeated_rows(risk):
    weight = np.random.default_rng(0).integers(1, 4, len(DATA.row))
    weighted = as_data(DATA.X, DATA.is_positive, weight)
    repeated = as_data(DATA.X.repeat(weight, axis=0), DATA.is_positive.repeat(weight))
    scorer = linear_scorer(risk)
    specs = specs_of(scorer, weighted, shares=(0.0,))
    one, other = (scorer.path(data, specs).coef.toarray() for data in (weighted, repeated))
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "sigmoid", BarrierHinge(slope=3.0)])
def test_every_kind_of_loss_has_a_path(loss):
    scorer = linear_scorer()
    specs = specs_of(scorer, DATA, loss=loss)
    models = scorer.path(DATA, specs)
    assert [columns.sum() for columns in models.columns] == [spec.n_features_to_select for spec in specs]


@pytest.mark.parametrize("risk", ["blind AUC", "paper"])
def test_outliers_can_be_shifted_instead_of_taken_out(risk):
    # Where shifts are dear, outliers are hardly shifted, and the fit is that without any.
    fits = {}
    for name, options in {"dear": {"trim": False, "shift_l2": 1e6}, "taken out": {}}.items():
        scorer = linear_scorer(risk, **options)
        models = scorer.path(DATA, specs_of(scorer, DATA, shares=(0.1,)))
        assert (models.outliers.sum(axis=1) == 4).all()
        fits[name] = models.scores(DATA.X)[:, 0]  # all columns
    plain = linear_scorer(risk).path(DATA, specs_of(linear_scorer(risk), DATA, shares=(0.0,))).scores(DATA.X)[:, 0]
    assert np.corrcoef(fits["dear"], plain)[0, 1] > 0.999
    assert np.corrcoef(fits["taken out"], plain)[0, 1] < 0.99


def test_weak_ridges_are_approached_by_and_by():
    """From far off, a rough fit ends where one ends that comes down decade by decade."""
    rng = np.random.default_rng(0)
    X, new, is_positive = rng.normal(size=(60, 60)), rng.normal(size=(1000, 60)), np.arange(60) < 30
    data = as_data(X + 0.4 * np.outer(is_positive, np.arange(60) < 30), is_positive)
    scorer = linear_scorer(n_features=60)
    unit = scorer.ridge_unit(data, Spec("none", "logistic", 1.0, 0.0, None))
    ridges = [unit * 10.0**-k for k in range(7)]
    from_afar, stepwise = (
        scorer.path(data, [Spec("none", "logistic", l2, 0.0, 60) for l2 in some]).scores(new)[:, -1]
        for some in (ridges[-1:], ridges)
    )
    assert np.corrcoef(from_afar, stepwise)[0, 1] > 0.99


def test_ridges_that_are_not_weak_are_fitted_at_once_and_as_closely():
    """Nearly collinear columns, whose differences the data hardly show, are where a fit could stop too early."""
    rng = np.random.default_rng(0)
    base, is_positive = rng.normal(size=(400, 20)), np.arange(400) < 100
    X = np.hstack([base + 0.5 * np.outer(is_positive, np.arange(20) < 10), base + 0.05 * rng.normal(size=(400, 20))])
    data, scorer = as_data(X, is_positive), linear_scorer(n_features=40)
    unit = scorer.ridge_unit(data, Spec("none", "logistic", 1.0, 0.0, None))
    l2 = 0.004 * unit
    at_once = scorer.path(data, [Spec("none", "logistic", l2, 0.0, 40)]).scores(X)[:, 0]
    model = BlindAUCClassifier(l2=l2, scaling="none", tol=1e-8, calibrate=False, leverage_screen=False)
    exact = X @ model.fit(X, is_positive.astype(int)).coef_
    assert np.corrcoef(at_once, exact)[0, 1] > 0.999


def test_rows_that_say_nothing_have_scores_that_say_nothing():
    data = as_data(np.ones((60, 9)), np.arange(60) < 20)
    models = linear_scorer().path(data, [Spec("standard", "logistic", 1.0, 0.0, n) for n in (9, 2)])
    scores = models.scores(data.X)
    assert np.isfinite(scores).all()
    assert (scores == scores[0]).all()


# --- models ---


@pytest.fixture(scope="module")
def models():
    scorer = linear_scorer()
    return scorer.path(DATA, specs_of(scorer, DATA))


def test_an_average_has_the_weighted_sum_of_the_scores(models):
    weight = np.random.default_rng(0).dirichlet(np.ones(len(models.columns)))
    average = models.average(weight)
    np.testing.assert_allclose(average.scores(DATA.X), models.scores(DATA.X) @ weight, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(average.columns, models.columns.any(axis=0))
    for k, columns in enumerate(models.columns):
        alone = models.average((np.arange(len(weight)) == k).astype(float))
        np.testing.assert_allclose(alone.scores(DATA.X), models.scores(DATA.X)[:, k], rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(alone.columns, columns)


def test_some_models_and_others_joined_to_them(models):
    scores, index = models.scores(DATA.X), np.array([4, 1, 7])
    some = models.subset(index)
    np.testing.assert_array_equal(some.scores(DATA.X), scores[:, index])
    np.testing.assert_array_equal(some.columns, models.columns[index])
    np.testing.assert_array_equal(some.outliers, models.outliers[index])
    parts = [models.subset(part) for part in np.split(np.arange(len(models.columns)), [3, 4])]
    for whole in (parts[0].joined(parts[1:]), models.joined([])):
        np.testing.assert_array_equal(whole.scores(DATA.X), scores)
        np.testing.assert_array_equal(whole.columns, models.columns)
        np.testing.assert_array_equal(whole.outliers, models.outliers)


def test_a_restricted_model_uses_only_those_columns(models):
    average = models.average(np.full(len(models.columns), 1 / len(models.columns)))
    assert average.columns.all()
    for n_columns in (1, 4):
        columns = np.arange(9) < n_columns
        restricted = average.restricted(columns, DATA)
        np.testing.assert_array_equal(restricted.columns, columns)
        np.testing.assert_array_equal(restricted.coef, Projection(DATA)(average.coef, columns))
    # Nothing is lost, so nothing has to be carried over.
    assert average.restricted(np.ones(9, dtype=bool), DATA) is average
    alone = LinearModel(np.where(np.arange(9) < 2, 1.0, 0.0))
    assert alone.restricted(np.arange(9) < 4, DATA) is alone
