"""The race against a slow one: who is judged, by which splits, and what is reported."""

from dataclasses import replace

import numpy as np
import pytest
from candidates import DATA, MIXES, RACE, RACE_BELIEF, RACE_SPLITS, RACERS, FakeScorer, raced, slow_weights, specs_of
from instances import as_data
from joblib import parallel_config
from referee import evidence_of

from blindauc.choice.belief import Belief
from blindauc.choice.results import cv_results
from blindauc.choice.search import ELIMINATION_ODDS, RULES, without_search
from blindauc.evidence.folds import Split
from blindauc.metrics import positive_ranks


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
    np.testing.assert_allclose(search.belief.log_within, [RACE_BELIEF[MIXES.index(spec)] for spec in search.specs])


class ScreenedScorer(FakeScorer):
    """Decides on outliers by the useless column, unless none are left out."""

    def path(self, data, specs):
        models = super().path(data, specs)
        mix = tuple(float(spec.n_outliers == 0) for spec in specs)
        return replace(models, screening=replace(models, mix=mix))


def test_ranks_by_screening_fits_are_out_of_fold_and_decide_between_equals():
    specs = specs_of((0.5, 0.0, 2), (0.5, 0.1, 2))
    search = raced(ScreenedScorer(), specs=specs, log_belief=np.zeros(2))
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
    search = raced(specs=specs, log_belief=belief)
    assert [each.n_splits for each in search.tried] == [8, 8, 1]
    assert search.specs == specs[:2]
    np.testing.assert_allclose(search.weights, [0.5, 0.5])
    # Less than hopeless is not given up.
    near = raced(
        specs=specs_of((1.0, 0.0, 2), (1.0, 0.1, 2)), log_belief=np.array([0.0, -0.99 * np.log(ELIMINATION_ODDS)])
    )
    assert [each.n_splits for each in near.tried] == [8, 8]


def test_the_leader_of_each_branch_stays_and_others_only_where_the_branch_can_win():
    specs = specs_of((1.0, 0.0, 9), (1.0, 0.1, 9), (0.9, 0.0, 2), (0.9, 0.1, 2))
    for gap, remaining in ((0.0, [0, 1, 2, 3]), (1.1, [0, 1, 3])):
        # Between the branches; the last candidate leads its branch.
        belief = Belief(
            np.array([0.0, 0.0, 0.0, 0.1]), np.array([0, 0, 1, 1]), np.array([gap * 2 * 6.9, 0.0]), np.ones(2)
        )
        search = raced(specs=specs, belief=belief)
        assert search.specs == [specs[k] for k in remaining]
        np.testing.assert_array_equal(search.belief.branch, belief.branch[remaining])


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
    other = raced(specs=[MIXES[k] for k in order], log_belief=RACE_BELIEF[order])
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
        expected = slow_weights(search.belief.log_within, search.ranks[:, kept], np.full(kept.sum(), 60 / kept.sum()))
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
    np.testing.assert_allclose(
        counted.weights, slow_weights(counted.belief.log_within, counted.ranks, np.full(60, 3.0))
    )


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
    one = raced(specs=specs_of((1.0, 0.0, (1, 2)), (1.0, 0.0, (2, 2))), log_belief=np.zeros(2))
    assert list(cv_results(one, lambda spec: spec.params)["param_n_features_to_select"]) == [(1, 2), (2, 2)]
