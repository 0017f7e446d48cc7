"""Choosing from PU labels alone: weights, the race, what is tried, the average, growth and baselines."""

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from instances import COUNTS, as_data, linear_scorer
from joblib import parallel_config
from referee import evidence_of
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifierCV, Estimate
from blindauc.choice.average import averaged, median_probability
from blindauc.choice.baselines import BASELINES, Comparison, compare, difference_of_means, l1_logistic
from blindauc.choice.belief import likeliest_ridge, log_belief_in_shape
from blindauc.choice.growth import SETTLED, grown
from blindauc.choice.likelihood import log_likelihood
from blindauc.choice.results import cv_results
from blindauc.choice.search import ELIMINATION_ODDS, RULES, Search, race, without_search
from blindauc.choice.space import COLUMN_RATIO, FEW_COLUMNS, Choices, column_counts, distinct_scalings, space_of
from blindauc.choice.weights import POWER, evidence_for, gibbs_weights
from blindauc.datasets import make_paper_data
from blindauc.estimators.reading import screened
from blindauc.estimators.space import read_choices
from blindauc.evidence.folds import Split, fold_splits
from blindauc.metrics import positive_ranks
from blindauc.scorers import Spec
from blindauc.scorers.projection import Projection

PAPER = make_paper_data(n_features=9, n_outliers=4, n_relevant=6, n_pos=40, n_negatives=80, random_state=0)
DATA = as_data(PAPER.X, PAPER.y_pu == 1)


def specs_of(*triples):
    return [Spec("none", "logistic", *triple) for triple in triples]


# --- weights ---

RANKS = np.random.default_rng(0).beta(3, 1, size=(6, 30))
BELIEF = np.random.default_rng(1).normal(size=6)
WEIGHT = np.random.default_rng(2).uniform(0.5, 2, 30)


def slow_weights(belief, ranks, weight):
    """Belief times evidence, by loops."""
    unnormalised = [np.exp(b + evidence_of(r, weight)) for b, r in zip(belief, ranks, strict=True)]
    return np.array(unnormalised) / sum(unnormalised)


@pytest.mark.parametrize("weight", [np.ones(30), WEIGHT, 3 * np.ones(30)])
@pytest.mark.parametrize("n_unknown", [0, 7])
def test_weights_against_a_slow_loop(weight, n_unknown):
    ranks = np.where(np.arange(30) < n_unknown, np.nan, RANKS)
    expected = slow_weights(BELIEF, ranks, weight)
    np.testing.assert_allclose(gibbs_weights(BELIEF, ranks, weight), expected)
    np.testing.assert_allclose(evidence_for(ranks, weight), [evidence_of(r, weight) for r in ranks])


def test_some_positives_stand_for_all():
    kept = np.arange(30) % 3 == 0
    found = gibbs_weights(BELIEF, RANKS, WEIGHT, kept)
    factor = WEIGHT.sum() / WEIGHT[kept].sum()
    np.testing.assert_allclose(found, slow_weights(BELIEF, RANKS[:, kept], factor * WEIGHT[kept]))
    np.testing.assert_allclose(
        gibbs_weights(BELIEF, RANKS, WEIGHT, np.ones(30, bool)), gibbs_weights(BELIEF, RANKS, WEIGHT)
    )
    # Where none is kept, the belief alone decides.
    nobody = gibbs_weights(BELIEF, RANKS, WEIGHT, np.zeros(30, bool))
    np.testing.assert_allclose(nobody, np.exp(BELIEF) / np.exp(BELIEF).sum())


SHARES = st.floats(0, 1)
MANY = settings(max_examples=50, deadline=None)


@MANY
@given(arrays(float, (4, 8), elements=SHARES), arrays(float, 8, elements=st.floats(0.1, 9)))
def test_more_evidence_and_equal_belief_never_weighs_less(ranks, weight):
    weights, evidence = gibbs_weights(np.zeros(4), ranks, weight), [evidence_of(r, weight) for r in ranks]
    # Sums that are equal but for the order of their terms are equal but for rounding.
    assert (np.diff(weights[np.argsort(evidence)]) >= -1e-12).all()


@MANY
@given(arrays(float, (4, 8), elements=SHARES), st.permutations(range(8)), st.permutations(range(4)))
def test_the_order_of_positives_and_of_candidates_does_not_matter(ranks, positives, candidates):
    belief, weight = np.arange(4.0), np.arange(1.0, 9.0)
    weights = gibbs_weights(belief, ranks, weight)
    np.testing.assert_allclose(gibbs_weights(belief, ranks[:, positives], weight[positives]), weights)
    np.testing.assert_allclose(gibbs_weights(belief[candidates], ranks[candidates], weight), weights[candidates])


def test_the_likelihood_of_ranks_against_a_slow_loop():
    for ranks, weight in ((np.array([0.999, 0.7, 0.02]), np.array([1.0, 2.5, 1.0])), (np.array([1.0]), np.ones(1))):
        assert POWER * log_likelihood(ranks[None], weight)[0] == pytest.approx(evidence_of(ranks, weight), rel=1e-6)


def test_wrong_labels_ranked_low_are_worth_more_than_all_ranked_alike():
    apart, together = np.repeat([0.95, 0.05], [35, 15]), np.full(50, 0.68)
    np.testing.assert_allclose(apart.mean(), together.mean())
    weights = gibbs_weights(np.zeros(2), np.array([apart, together]), np.ones(50))
    assert weights[0] > 0.99


def test_shapes_weigh_by_the_likelihood_of_their_averaged_ranks():
    shapes = ["linear", "curves", "linear", "kernel", "curves", "linear"]
    places = {shape: [k for k, each in enumerate(shapes) if each == shape] for shape in shapes}
    logs, expected = [], np.zeros(6)
    for shape, at in places.items():
        evidence = [evidence_of(RANKS[k], WEIGHT) for k in at]
        inside = np.exp(BELIEF[at] + evidence - np.max(BELIEF[at] + evidence))
        expected[at] = inside / inside.sum()
        averaged = expected[at] @ RANKS[at]
        logs.append(log_belief_in_shape(shape) + POWER * log_likelihood(averaged[None], WEIGHT)[0])
    for at, log in zip(places.values(), logs, strict=True):
        expected[at] *= np.exp(log) / np.exp(logs).sum()
    np.testing.assert_allclose(gibbs_weights(BELIEF, RANKS, WEIGHT, shapes=shapes), expected)


def test_the_ranks_by_a_screening_fit_are_evidence_too():
    screening = np.random.default_rng(5).random(RANKS.shape)
    screening[0] = np.nan  # a candidate without a screening fit
    evidence = [evidence_of(r, WEIGHT) + evidence_of(s, WEIGHT) for r, s in zip(RANKS[1:], screening[1:], strict=True)]
    evidence = np.append(evidence_of(RANKS[0], WEIGHT), evidence)
    expected = np.exp(BELIEF + evidence - np.max(BELIEF + evidence))
    found = gibbs_weights(BELIEF, RANKS, WEIGHT, screening=screening)
    np.testing.assert_allclose(found, expected / expected.sum())
    # The same for all candidates of a shape changes nothing.
    same = np.tile(screening[1], (len(RANKS), 1))
    np.testing.assert_allclose(
        gibbs_weights(BELIEF, RANKS, WEIGHT, screening=same), gibbs_weights(BELIEF, RANKS, WEIGHT)
    )


# --- the race ---


@dataclass(frozen=True)
class FakeModels:
    """Candidates whose rankings mix a good column and a useless one, as their ridges say."""

    mix: tuple
    n_pos: int
    screening: "FakeModels | None" = None

    def __len__(self):
        return len(self.mix)

    def scores(self, X):
        mix = np.array(self.mix)
        return X[:, [0]] * mix + X[:, [1]] * (1 - mix)

    @property
    def columns(self):
        return np.array([[m > 0, m < 1] for m in self.mix])

    @property
    def outliers(self):
        return np.zeros((len(self.mix), self.n_pos), dtype=bool)

    def subset(self, index):
        screening = None if self.screening is None else self.screening.subset(index)
        return FakeModels(tuple(self.mix[k] for k in index), self.n_pos, screening)

    def joined(self, others):
        return FakeModels(sum((each.mix for each in others), self.mix), self.n_pos)


class FakeScorer:
    """Gives `FakeModels`, and remembers which specs were fitted to which rows."""

    def __init__(self):
        self.calls = []

    def path(self, data, specs):
        self.calls.append((frozenset(data.row), list(specs)))
        return FakeModels(tuple(spec.l2 for spec in specs), int(data.is_positive.sum()))

    def fitted_to(self, rows):
        return [spec for of, specs in self.calls if of == frozenset(rows) for spec in specs]


RACE = np.random.default_rng(0).normal(size=(200, 2))
RACE[:60, 0] += 4.0
RACERS = as_data(RACE, np.arange(200) < 60)
MIXES = specs_of(*product([1.0, 0.9, 0.7, 0.5, 0.3, 0.0], [0.0, 0.1], [2]))
RACE_BELIEF = np.random.default_rng(3).normal(size=len(MIXES))
RACE_SPLITS = fold_splits(RACERS, 4, seed=0) + fold_splits(RACERS, 4, seed=1)


def raced(
    scorer=None,
    data=RACERS,
    specs=MIXES,
    belief=RACE_BELIEF,
    splits=RACE_SPLITS,
    rule="average",
    n_jobs=None,
    **options,
):
    scorer = scorer or FakeScorer()
    report = options.get("report", lambda *_: None)
    return race(scorer, data, specs, belief, splits, rule=rule, n_jobs=n_jobs, report=report)


def slow_race(data, specs, belief, splits):
    """Who is left before each split and at the end, with the ranks and numbers of splits of each, by loops."""
    left, seen = [set(specs)], {spec: {} for spec in specs}
    for split in splits:
        held_out = np.flatnonzero(split.held_out)
        for spec in left[-1]:
            scores = data.X[held_out] @ [spec.l2, 1 - spec.l2]
            ranks = positive_ranks(data.is_positive[held_out], scores)
            for row, rank in zip(held_out[data.is_positive[held_out]], ranks, strict=True):
                seen[spec].setdefault(row, []).append(rank)
        means = {spec: [np.mean(ranks) for ranks in seen[spec].values()] for spec in left[-1]}
        logs = {spec: belief[specs.index(spec)] + evidence_of(r, np.ones(len(r))) for spec, r in means.items()}
        best = max(logs.values())
        left.append({spec for spec in left[-1] if logs[spec] >= best - np.log(ELIMINATION_ODDS)})
    return left, seen


def test_the_race_against_a_slow_one():
    scorer = FakeScorer()
    search = raced(scorer)
    left, seen = slow_race(RACERS, MIXES, RACE_BELIEF, RACE_SPLITS)
    # Not everyone gets to the end, and not only one.
    assert 1 < len(left[-1]) < len(MIXES) == len(left[0])
    for split, runners in zip(RACE_SPLITS, left[:-1], strict=True):
        fitted = scorer.fitted_to(np.flatnonzero(split.fitted))
        assert len(fitted) == len(runners)
        assert set(fitted) == runners
    assert set(search.specs) == left[-1]
    assert [each.spec for each in search.tried] == MIXES
    for each in search.tried:
        means = np.array([np.mean(ranks) for ranks in seen[each.spec].values()])
        assert each.blind_auc == pytest.approx(means.mean())
        assert each.standard_error == pytest.approx(means.std() / np.sqrt(len(means)))
        assert each.n_splits == sum(each.spec in runners for runners in left[:-1])
    for spec, ranks in zip(search.specs, search.ranks, strict=True):
        np.testing.assert_allclose(ranks, [np.mean(seen[spec][row]) for row in range(60)])
    np.testing.assert_allclose(search.log_belief, [RACE_BELIEF[MIXES.index(spec)] for spec in search.specs])


class ScreenedScorer(FakeScorer):
    """Decides on outliers by the useless column, unless none are left out."""

    def path(self, data, specs):
        models = super().path(data, specs)
        mix = tuple(float(spec.n_outliers == 0) for spec in specs)
        return replace(models, screening=replace(models, mix=mix))


def test_ranks_by_screening_fits_are_out_of_fold_and_decide_between_equals():
    specs = specs_of((0.5, 0.0, 2), (0.5, 0.1, 2))
    search = raced(ScreenedScorer(), specs=specs, belief=np.zeros(2))
    _, seen = slow_race(RACERS, [replace(specs[0], l2=1.0)], [0.0], RACE_SPLITS)
    by_row = next(iter(seen.values()))
    assert search.specs == specs[:1]
    np.testing.assert_allclose(search.screening_ranks[0], [np.mean(by_row[row]) for row in range(60)])
    assert search.tried[0].n_splits == 8 > search.tried[1].n_splits


def test_every_split_has_the_models_of_those_that_are_left():
    search = raced()
    assert len(search.models) == len(search.splits) == len(RACE_SPLITS)
    for models in search.models:
        assert models.mix == tuple(spec.l2 for spec in search.specs)


def test_hopeless_candidates_are_judged_once_and_equals_of_the_leader_to_the_end():
    specs = specs_of((1.0, 0.0, 2), (1.0, 0.1, 2), (0.0, 0.0, 2))
    belief = np.array([0.0, 0.0, -1e3])
    search = raced(specs=specs, belief=belief)
    assert [each.n_splits for each in search.tried] == [8, 8, 1]
    assert search.specs == specs[:2]
    np.testing.assert_allclose(search.weights, [0.5, 0.5])
    # Less than hopeless is not given up.
    near = raced(specs=specs_of((1.0, 0.0, 2), (1.0, 0.1, 2)), belief=np.array([0.0, -0.99 * np.log(ELIMINATION_ODDS)]))
    assert [each.n_splits for each in near.tried] == [8, 8]


def by_spec(search):
    return {
        spec: (weight, *ranks) for spec, weight, ranks in zip(search.specs, search.weights, search.ranks, strict=True)
    }


def test_neither_jobs_nor_the_order_of_specs_matter():
    one = raced()
    with parallel_config("threading"):
        side_by_side = raced(n_jobs=2)
    assert side_by_side.specs == one.specs
    assert by_spec(side_by_side) == by_spec(one)
    assert side_by_side.tried == one.tried
    order = np.random.default_rng(0).permutation(len(MIXES))
    other = raced(specs=[MIXES[k] for k in order], belief=RACE_BELIEF[order])
    assert set(other.specs) == set(one.specs)
    for spec, numbers in by_spec(other).items():
        np.testing.assert_allclose(numbers, by_spec(one)[spec], rtol=1e-12)
    assert {repr(each) for each in other.tried} == {repr(each) for each in one.tried}
    assert other.leader == one.leader


def test_what_is_tried_is_reported():
    reports = []
    raced(report=lambda *report: reports.append(report))
    assert {stage for stage, *_ in reports} == {f"fold {k + 1} of 8" for k in range(8)}
    for k in range(8):
        of_fold = [report[1:] for report in reports if report[0] == f"fold {k + 1} of 8"]
        assert of_fold[-1][0] == of_fold[-1][1]
        assert [done for done, _ in of_fold] == sorted(done for done, _ in of_fold)


def test_positives_that_are_never_held_out_do_not_count():
    some = [Split(split.fitted, split.held_out & (np.arange(200) % 60 < 40)) for split in RACE_SPLITS]
    search = raced(splits=some)
    np.testing.assert_array_equal(np.isnan(search.ranks), np.tile(np.arange(60) >= 40, (len(search.specs), 1)))
    left, _ = slow_race(RACERS, MIXES, RACE_BELIEF, some)
    assert set(search.specs) == left[-1]
    assert np.isfinite([each.blind_auc for each in search.tried]).all()


@pytest.mark.parametrize("rule", RULES)
def test_weights_without_what_a_split_holds_out_do_not_depend_on_it(rule):
    search = raced(rule=rule)
    rng = np.random.default_rng(0)
    for split in search.splits:
        held_out = split.held_out[RACERS.is_positive]
        found = search.weights_without(split.held_out)
        assert found.sum() == pytest.approx(1)
        for other in (
            np.zeros_like(search.ranks),
            rng.uniform(size=search.ranks.shape),
            np.full_like(search.ranks, 1e6),
        ):
            changed = replace(search, ranks=np.where(held_out, other, search.ranks))
            np.testing.assert_array_equal(changed.weights_without(split.held_out), found)
        kept = ~held_out
        expected = slow_weights(search.log_belief, search.ranks[:, kept], np.full(kept.sum(), 60 / kept.sum()))
        np.testing.assert_allclose(found, expected if rule == "average" else np.eye(len(expected))[expected.argmax()])


def test_later_positives_do_not_vote_for_what_ranks_earlier_rows():
    time = np.random.default_rng(0).permutation(200).astype(float)
    search = raced(data=RACERS._replace(time=time))
    middle = (time >= 80) & (time < 120)
    is_later, is_earlier = (time >= 80)[RACERS.is_positive], (time < 80)[RACERS.is_positive]
    found = search.weights_without(middle)
    changed = replace(search, ranks=np.where(is_later, 0.0, search.ranks))
    np.testing.assert_array_equal(changed.weights_without(middle), found)
    changed = replace(
        search, ranks=np.where(is_earlier & (np.arange(len(search.specs)) == 0)[:, None], 1.0, search.ranks)
    )
    assert changed.weights_without(middle)[0] > found[0]


def test_the_best_is_the_one_with_the_largest_weight():
    average, best = raced(), raced(rule="best")
    assert best.weights.tolist() == [float(spec == average.leader) for spec in average.specs]
    assert best.leader == average.leader == average.specs[average.weights.argmax()]


@pytest.mark.parametrize("factor", [0.5, 0.1])
def test_only_proportions_count_of_weights_that_are_no_counts(factor):
    """Of labelled rows; ranks are shares anyway."""
    plain, scaled = raced(), raced(data=as_data(RACE, RACERS.is_positive, np.full(200, factor)))
    assert scaled.specs == plain.specs
    np.testing.assert_allclose(scaled.weights, plain.weights)
    counted = raced(data=as_data(RACE, RACERS.is_positive, np.full(200, 3.0)))
    np.testing.assert_allclose(counted.weights, slow_weights(counted.log_belief, counted.ranks, np.full(60, 3.0)))


def test_without_a_search_the_one_candidate_is_all():
    search = without_search(DATA, MIXES[3])
    assert search.weights.tolist() == [1.0]
    assert search.leader == MIXES[3]
    assert search.averages() == []


def test_results_are_a_whole_table():
    search = raced()
    table = cv_results(search, lambda spec: spec.params)
    assert {len(column) for column in table.values()} == {len(MIXES)}
    assert table["params"] == [spec.params for spec in MIXES]
    for name in MIXES[0].params:
        assert list(table[f"param_{name}"]) == [spec.params[name] for spec in MIXES]
    np.testing.assert_array_equal(table["mean_test_score"], [each.blind_auc for each in search.tried])
    np.testing.assert_array_equal(table["n_splits"], [each.n_splits for each in search.tried])
    # Those that stayed longer come first.
    known = list(zip(table["n_splits"], table["mean_test_score"], strict=True))
    assert table["rank_test_score"].tolist() == [1 + sum(other > mine for other in known) for mine in known]
    weight = dict(zip(search.specs, search.weights, strict=True))
    np.testing.assert_array_equal(table["weight"], [weight.get(spec, 0.0) for spec in MIXES])
    # Counts per group are tuples, and stay so.
    one = raced(specs=specs_of((1.0, 0.0, (1, 2)), (1.0, 0.0, (2, 2))), belief=np.zeros(2))
    assert list(cv_results(one, lambda spec: spec.params)["param_n_features_to_select"]) == [(1, 2), (2, 2)]


# --- what is tried ---


def linear_space(data, **choices):
    return space_of(linear_scorer(), data, Choices(shapes=["linear"], **choices))


@pytest.mark.parametrize("ridges", [None, [100.0, 1.0]])
def test_a_space_is_every_combination(ridges):
    parts = {"scalings": ["standard", "none"], "losses": ["logistic", "hinge"], "outlier_shares": [0.0, 0.1]}
    uneven = as_data(PAPER.X * 10.0 ** np.arange(9), DATA.is_positive)
    space = linear_space(uneven, **parts, ridges=ridges, column_counts=[9, 3])
    assert len(space.specs) == len(set(space.specs)) == len(space.log_belief)
    assert np.isfinite(space.log_belief).all()
    kinds = {spec.kind for spec in space.specs}
    assert kinds == {("linear", *kind, None) for kind in product(parts["scalings"], parts["losses"])}
    for kind in kinds:
        of_kind = [spec for spec in space.specs if spec.kind == kind]
        found = {spec.l2 for spec in of_kind}
        assert found == set(ridges) if ridges else len(found) > 3
        expected = set(product(found, parts["outlier_shares"], [9, 3]))
        assert {(spec.l2, spec.n_outliers, spec.n_features_to_select) for spec in of_kind} == expected
        if ridges is None:
            unit = linear_scorer().ridge_unit(uneven, of_kind[0])
            assert min(found) < unit < max(found)


def test_belief_is_highest_at_the_likeliest_ridge_and_falls_from_it():
    plain = Spec("standard", "logistic", 1.0, 0.0, 9)
    likeliest = likeliest_ridge(linear_scorer().ridge_unit(DATA, plain))
    ridges = [likeliest * 10.0**k for k in range(6, -11, -1)]
    choices = {"scalings": ["standard"], "losses": ["logistic"], "outlier_shares": [0.0, 0.2], "column_counts": [9, 2]}
    space = linear_space(DATA, ridges=ridges, **choices)
    assert np.isfinite(space.log_belief).all()
    of_ridge = {
        l2: {b for spec, b in zip(space.specs, space.log_belief, strict=True) if spec.l2 == l2} for l2 in ridges
    }
    first = [max(of_ridge[l2]) for l2 in ridges]
    assert np.argmax(first) == ridges.index(likeliest)
    assert (np.diff(first[: 6 + 1]) > 0).all()
    assert (np.diff(first[6:]) < 0).all()
    # The plainest is taken where nothing can be compared.
    assert space.likeliest == replace(plain, l2=likeliest)


def test_belief_does_not_depend_on_units():
    parts = {"losses": ["logistic"], "outlier_shares": [0.0], "column_counts": [9, 3], "ridges": None}
    for scaling, factor in (("standard", 1.0), ("none", 1e6)):
        one, other = (
            linear_space(as_data(X, DATA.is_positive), scalings=[scaling], **parts) for X in (DATA.X, 1e3 * DATA.X)
        )
        np.testing.assert_allclose(one.log_belief, other.log_belief, rtol=1e-6)
        np.testing.assert_allclose([b.l2 / a.l2 for a, b in zip(one.specs, other.specs, strict=True)], factor)


def test_scalings_that_make_the_same_ridge_are_tried_once():
    standardised = as_data((DATA.X - DATA.X.mean(0)) / DATA.X.std(0) * 7.0, DATA.is_positive)
    assert distinct_scalings(standardised, ["none", "standard"]) == ["none"]
    assert distinct_scalings(standardised, ["standard", "none"]) == ["standard"]
    uneven = as_data(standardised.X * 10.0 ** np.arange(9), DATA.is_positive)
    assert distinct_scalings(uneven, ["none", "standard", "none"]) == ["none", "standard"]
    gross = uneven.X.copy()
    gross[::20, ::2] *= 100
    assert distinct_scalings(as_data(gross, DATA.is_positive), ["none", "standard", "robust"]) == [
        "none",
        "standard",
        "robust",
    ]


@pytest.mark.parametrize("n_units", [1, 2, 7, 50, 1000])
def test_column_counts_fall_from_all_to_one(n_units):
    counts = column_counts(n_units)
    assert counts[0] == n_units
    assert counts[-1] == 1
    assert (np.diff(counts) < 0).all()
    # None is less than a fixed share of the one before, but for rounding.
    assert all(fewer >= more / COLUMN_RATIO or fewer == more - 1 for more, fewer in pairwise(counts))
    assert set(range(1, min(FEW_COLUMNS, n_units) + 1)) <= set(counts)


def space(data=DATA, **params):
    cv = BlindAUCClassifierCV(**{"shape": "linear", **params})
    choices = read_choices(cv, screened(data, False))
    return space_of(cv._scorer(data, choices.shapes, choices.gammas), data, choices).specs


SPACES = {
    "one ridge": ({"l2": 3.0}, "l2", [3.0]),
    "ridges in any order": ({"l2": (1.0, 100, 10.0)}, "l2", [100, 10.0, 1.0]),
    "an array of ridges": ({"l2": np.array([0.1, 1.0])}, "l2", [1.0, 0.1]),
    "all features": ({"n_features_to_select": None}, "n_features_to_select", [9]),
    "one count": ({"n_features_to_select": 4}, "n_features_to_select", [4]),
    "counts and shares": ({"n_features_to_select": [2, 1.0, 0.5, None]}, "n_features_to_select", [9, 4, 2]),
    "the same twice": ({"n_features_to_select": [1 / 9, 1, 3, 1 / 3]}, "n_features_to_select", [3, 1]),
    "a tiny share": ({"n_features_to_select": 1e-6}, "n_features_to_select", [1]),
    "a range": ({"n_features_to_select": range(1, 4)}, "n_features_to_select", [3, 2, 1]),
    "automatic counts": ({}, "n_features_to_select", column_counts(9)),
    "outliers as a number": ({"n_outliers": 4}, "n_outliers", [0.1]),
    "outliers as shares": ({"n_outliers": [0.1, 0]}, "n_outliers", [0.0, 0.1]),
    "outliers twice": ({"n_outliers": [4, 0.1, 0, 0.0]}, "n_outliers", [0.0, 0.1]),
    "one scaling": ({"scaling": "robust"}, "scaling", ["robust"]),
    "scalings": ({"scaling": ["none", "none"]}, "scaling", ["none"]),
    "losses": ({"loss": ["hinge", "logistic"]}, "loss", ["hinge", "logistic"]),
    "a loss": ({}, "loss", ["logistic"]),
}


@pytest.mark.parametrize("case", SPACES)
def test_spaces_are_read(case):
    params, name, expected = SPACES[case]
    assert list(dict.fromkeys(getattr(spec, name) for spec in space(**params))) == expected


def test_automatic_scalings():
    uneven = PAPER.X * 10.0 ** np.arange(9)
    found = {spec.scaling for spec in space(as_data(uneven, DATA.is_positive))}
    assert {"none", "standard"} <= found <= {"none", "standard", "robust"}
    # Quartiles of sparse columns are mostly zero.
    assert {spec.scaling for spec in space(as_data(sp.csr_array(uneven), DATA.is_positive))} == {"none", "standard"}


def test_few_positives_leave_few_shares_of_outliers():
    for n_pos in (2, 3, 5):
        few = as_data(DATA.X[40 - n_pos :], DATA.is_positive[40 - n_pos :])
        assert few.is_positive.sum() == n_pos
        assert all(n_pos - round(spec.n_outliers * n_pos) >= 2 for spec in space(few))


def test_groups_are_counted_as_units():
    groups = COUNTS["group_l0"][0]
    found = space(sparsity="group_l0", groups=groups, l2=1.0, scaling="none", n_outliers=0)
    assert [spec.n_features_to_select for spec in found] == column_counts(3)
    found = space(sparsity="exclusive_l0", groups=groups, l2=1.0, scaling="none", n_outliers=0)
    counts = [spec.n_features_to_select for spec in found]
    assert counts[0] == (3, 3, 3)
    assert all(sum(a) > sum(b) for a, b in pairwise(counts))
    each = space(sparsity="exclusive_l0", groups=groups, n_features_to_select=[[1, 2, 1], [2, 1, 1], 3])
    assert {spec.n_features_to_select for spec in each} == {(3, 3, 3), (2, 1, 1), (1, 2, 1)}


# --- the average ---

NINE = specs_of(*product([300.0, 30.0], [0.0, 0.1], [9, 4, 2]))


@pytest.fixture(scope="module")
def search():
    """Candidates judged by five of six splits, so that a sixth of the rows of one repeat was never held out."""
    splits = fold_splits(DATA, 3, seed=0) + fold_splits(DATA, 3, seed=1)[:2]
    found = raced(linear_scorer(), DATA, NINE, np.zeros(len(NINE)), splits)
    assert len(found.specs) > 3
    return found


def slow_out_of_fold(search, by_support):
    """Mean ranks of rows by splits that hold them out, by each split's own weights and support."""
    total, times = np.zeros(len(DATA.row)), np.zeros(len(DATA.row))
    for split, models in zip(search.splits, search.models, strict=True):
        weights = search.weights_without(split.held_out)
        coef = weights @ models.coef.toarray()
        if by_support:
            inclusion = weights @ (models.coef.toarray() != 0)
            support = inclusion >= min(0.5, inclusion.max())
            coef = Projection(DATA.subset(split.fitted))(coef, support)
            assert not coef[~support].any()
        scores = DATA.X @ coef
        unl = scores[split.held_out & ~DATA.is_positive]
        for row in np.flatnonzero(split.held_out):
            total[row] += np.mean((scores[row] > unl) + 0.5 * (scores[row] == unl))
            times[row] += 1
    return total / times


def ranked_once_more(mean):
    unl = mean[~DATA.is_positive]
    return np.array([np.mean((each > unl) + 0.5 * (each == unl)) for each in mean])


@pytest.mark.parametrize("by_support", [False, True])
def test_an_average_against_a_slow_loop(search, by_support):
    average = averaged(linear_scorer(), search, by_support)
    models = linear_scorer().path(DATA, search.specs)
    # Over the fits to all rows and those of the splits, each by the positives that it has seen.
    n_seen = [DATA.is_positive.sum(), *((split.fitted & DATA.is_positive).sum() for split in search.splits)]
    fits = [each.coef.toarray() for each in (models, *search.models)]
    coef = np.average([search.weights @ each for each in fits], axis=0, weights=n_seen)
    inclusion = np.average([search.weights @ (each != 0) for each in fits], axis=0, weights=n_seen)
    np.testing.assert_allclose(average.inclusion, inclusion)
    np.testing.assert_array_equal(average.support, inclusion >= 0.5)
    assert 0 < average.support.sum() < 9
    left_out = sum(weight * row for weight, row in zip(search.weights, models.outliers, strict=True))
    np.testing.assert_array_equal(average.left_out, left_out >= 0.5)
    expected = Projection(DATA)(coef, average.support) if by_support else coef
    np.testing.assert_allclose(average.model.coef, expected, rtol=1e-9)
    assert by_support == (not average.model.coef[~average.support].any())
    by_all, by_few = (slow_out_of_fold(search, each) for each in (False, True))
    expected = by_few if by_support else by_all
    np.testing.assert_allclose(average.ranks.mean_rank, expected, atol=1e-9)
    np.testing.assert_allclose(average.ranks.rank, ranked_once_more(expected), atol=1e-9)
    assert average.support_cost == pytest.approx((by_all - by_few)[DATA.is_positive].mean(), abs=1e-9)


def test_the_ranks_of_an_average_are_those_of_models_that_have_not_seen_the_rows(search):
    """Held-out ranks of a split's positives do not move the weights by which they are ranked."""
    shuffled = replace(search, ranks=np.random.default_rng(0).uniform(size=search.ranks.shape))
    split = search.splits[0]
    mixed = replace(search, ranks=np.where(split.held_out[DATA.is_positive], shuffled.ranks, search.ranks))
    one, other = (each.averages()[0].coef for each in (search, mixed))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(search.averages()[0].coef, shuffled.averages()[0].coef)


@pytest.mark.parametrize(
    ("inclusion", "expected"),
    [
        ([0.9, 0.5, 0.2], [1, 1, 0]),
        ([0.1, 0.3], [0, 1]),
        ([0.3, 0.3], [1, 1]),
        ([1.0], [1]),
        ([0.0, 0.0], [0, 0]),
        ([0.1 + 0.2 + 0.2, 0.4], [1, 0]),
    ],
)
def test_the_median_probability_model(inclusion, expected):
    assert median_probability(np.array(inclusion)).tolist() == [bool(each) for each in expected]


@dataclass(frozen=True)
class Blended:
    weight: np.ndarray

    def blended(self, others, share):
        assert len(others) == 0
        return self

    def scores(self, X):
        return np.zeros(len(X))


class Given:
    """Three models of three columns, fitted to three positives, as they are given."""

    columns = np.array([[True, False, False], [True, True, False], [False, True, True]])
    outliers = np.array([[True, False, False], [False, True, False], [False, True, True]])

    def path(self, data, specs):
        return self

    def inclusion(self, weight):
        return weight @ self.columns

    def average(self, weight):
        return Blended(weight)


def test_columns_and_positives_go_with_half_of_the_weight():
    data = as_data(np.zeros((20, 3)), np.arange(20) < 3)
    unknown = np.full((3, 3), np.nan)
    search = Search(data, NINE[:3], np.log([0.55, 0.25, 0.2]), unknown, [], [], [])
    average = averaged(Given(), search, by_support=False)
    np.testing.assert_allclose(average.model.weight, [0.55, 0.25, 0.2])
    np.testing.assert_allclose(average.inclusion, [0.8, 0.45, 0.2])
    assert average.support.tolist() == [True, False, False]
    assert average.left_out.tolist() == [True, False, False]


def support_cost(is_sparse, seed):
    """Of an average in which one column has most of the weight, where it alone says something or all nine do."""
    rng = np.random.default_rng(seed)
    effect = np.where(np.arange(9) == 0, 1.0, 0.0 if is_sparse else 1.0)
    is_positive = np.arange(150) < 50
    data = as_data(rng.normal(size=(150, 9)) + np.outer(is_positive, effect), is_positive)
    splits, specs = fold_splits(data, 3, seed=0), specs_of((0.01, 0.0, 9), (0.01, 0.0, 1))
    models = [linear_scorer().path(data.subset(split.fitted), specs) for split in splits]
    alike = np.full((2, 50), 0.5)
    search = Search(data, specs, np.log([0.4, 0.6]), alike, splits, models, [])
    return averaged(linear_scorer(), search, by_support=False).support_cost


def test_the_support_costs_nothing_where_few_columns_matter_and_something_where_all_do():
    sparse, dense = ([support_cost(is_sparse, seed) for seed in range(5)] for is_sparse in (True, False))
    assert np.mean(sparse) < 0
    assert all(each.low > 0 for each in dense)


def test_an_average_without_a_search_is_the_plain_fit():
    average = averaged(linear_scorer(), without_search(DATA, NINE[1]), by_support=False)
    (plain,) = linear_scorer().path(DATA, [NINE[1]]).coef.toarray()
    np.testing.assert_array_equal(average.model.coef, plain)
    np.testing.assert_array_equal(average.support, plain != 0)
    assert average.ranks.is_known
    few = DATA.subset(np.isin(np.arange(len(DATA.row)), [0, 1, 2, *range(40, 80)]))
    unknown = averaged(linear_scorer(), without_search(few, NINE[1]), by_support=False)
    assert not unknown.ranks.is_known
    assert (unknown.support_cost.low, unknown.support_cost.high) == (-1, 1)


# --- growing the unlabelled sample ---


@pytest.mark.parametrize("distance", [0.3, 5.0])
def test_growth_doubles_until_settled_and_keeps_all_positives(distance):
    generator = np.random.default_rng(0)
    X, is_positive = generator.normal(size=(1330, 3)), np.arange(1330) < 30
    X[is_positive] += distance
    sample, path = grown(linear_scorer(n_features=3), as_data(X, is_positive), Spec("none", "logistic", 0.1, 0.0, 3))
    sizes = [step.n_unlabelled for step in path]
    assert sizes == [min(30 * 2**k, 1300) for k in range(len(path))]
    assert sample.is_positive.sum() == 30
    assert (~sample.is_positive).sum() == sizes[-1]
    np.testing.assert_array_equal(X[sample.row], sample.X)
    values = [float(step.blind_auc) for step in path]
    moves = np.abs(np.diff(values))
    assert (moves[:-1] > SETTLED).all()
    assert moves[-1] <= SETTLED or sizes[-1] == 1300
    assert all(step.blind_auc.low <= step.blind_auc <= step.blind_auc.high for step in path)
    if distance == 5.0:
        assert len(path) == 2


def test_growth_ends_where_the_rows_do():
    X, is_positive = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) < 30
    sample, path = grown(linear_scorer(n_features=2), as_data(X, is_positive), Spec("none", "logistic", 0.1, 0.0, 2))
    assert [step.n_unlabelled for step in path] == [20]
    assert len(sample.row) == 50


# --- baselines ---


def test_the_difference_of_means_is_just_that():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(DATA.row))
    for X in (DATA.X, sp.csr_matrix(DATA.X), DATA.X.astype(np.float32)):
        plain, scaled = difference_of_means(as_data(X, DATA.is_positive, weight))
        pos, unl = (np.average(DATA.X[k], axis=0, weights=weight[k]) for k in (DATA.is_positive, ~DATA.is_positive))
        variance = np.cov(DATA.X, rowvar=False, aweights=weight, ddof=0).diagonal()
        np.testing.assert_allclose(plain, pos - unl, rtol=1e-4)
        np.testing.assert_allclose(scaled, (pos - unl) / variance, rtol=1e-4)


def test_logistic_regressions_rank_and_select():
    clean = make_paper_data(n_features=9, n_outliers=0, n_relevant=9, n_pos=200, n_negatives=500, random_state=0)
    weights = l1_logistic(as_data(clean.X, clean.y_pu == 1))
    n_selected = [np.count_nonzero(coef) for coef in weights]
    assert n_selected == sorted(n_selected)
    # The best score there is has the AUC of normal scores 2 * sqrt(9) / 7 standard deviations apart.
    assert roc_auc_score(clean.y_test, clean.X_test @ weights[-1]) > norm.cdf(2 * 3 / 7 / np.sqrt(2)) - 0.05
    weights = l1_logistic(DATA)
    # The units of the columns are of no concern.
    rescaled = l1_logistic(as_data(DATA.X * 10.0 ** np.arange(9), DATA.is_positive))
    np.testing.assert_allclose(rescaled[-1] * 10.0 ** np.arange(9), weights[-1], rtol=1e-2, atol=1e-4)


def test_comparisons_against_a_slow_loop():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(DATA.row))
    data, chosen = as_data(DATA.X, DATA.is_positive, weight), np.linspace(0.3, 0.9, 40)
    splits = fold_splits(data, 3, seed=0)[:2]  # a third of the positives is never held out
    known = (splits[0].held_out | splits[1].held_out)[:40]
    for comparison in compare(data, splits, np.where(known, chosen, np.nan)):
        baseline = BASELINES[comparison.name]
        ranks = np.full((len(baseline(data)), 40), np.nan)
        for split in splits:
            judged, unlabelled = split.held_out & data.is_positive, split.held_out & ~data.is_positive
            for k, coef in enumerate(baseline(data.subset(split.fitted))):
                unl = data.X[unlabelled] @ coef
                ranks[k, split.held_out[:40]] = [
                    np.average((score > unl) + 0.5 * (score == unl), weights=weight[unlabelled])
                    for score in data.X[judged] @ coef
                ]
        scores = [np.average(row[known], weights=weight[:40][known]) for row in ranks]
        assert comparison.score == pytest.approx(max(scores))
        assert comparison.advantage == pytest.approx(
            np.average(chosen[known], weights=weight[:40][known]) - max(scores)
        )


def test_a_baseline_is_as_good_unless_the_choice_is_surely_better():
    assert Comparison("x", 0.8, Estimate(0.01, -0.01, 0.03)).is_as_good
    assert Comparison("x", 0.8, Estimate(-0.05, -0.07, -0.03)).is_as_good
    assert not Comparison("x", 0.8, Estimate(0.05, 0.03, 0.07)).is_as_good


def test_weights_of_a_fold_are_as_sharp_as_those_of_all_positives_that_were_held_out():
    """Where splits hold out only some positives, the others have no rank and must not count."""
    ranks = np.array([[0.9, 0.9, np.nan, np.nan], [0.7, 0.7, np.nan, np.nan]])
    everyone = gibbs_weights(np.zeros(2), ranks, np.ones(4))
    one_of_two = gibbs_weights(np.zeros(2), ranks, np.ones(4), kept=np.array([True, False, True, True]))
    np.testing.assert_allclose(one_of_two, everyone)
    nobody = gibbs_weights(np.log([0.3, 0.7]), ranks, np.ones(4), kept=np.array([False, False, True, True]))
    np.testing.assert_allclose(nobody, [0.3, 0.7])
