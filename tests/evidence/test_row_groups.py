"""Rows that belong together, and rows that come later: splits, fits, what is said of their quality, and bad input."""

import datetime

import numpy as np
import pandas as pd
import pytest
from instances import as_data
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, PUErrorClassifier
from blindauc.evidence.clusters import design_effect
from blindauc.evidence.folds import fold_splits, group_digests, splits_of
from blindauc.rows.digests import row_digests

pytestmark = pytest.mark.usefixtures("few_mixtures")

QUICK = {
    "shape": "linear",
    "l2": [0.1, 10.0],
    "scaling": "standard",
    "n_outliers": 0,
    "n_features_to_select": None,
    "n_repeats": 1,
    "cv": 3,
}


def grouped_data(seed=0, n_groups=60, time=None):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(1, 6, n_groups))
    X = np.round(rng.normal(size=(len(group), 3)), 1)
    is_positive = (rng.random(n_groups) < 0.4)[group] & (rng.random(len(group)) < 0.6)
    return as_data(X, is_positive)._replace(group=group, time=time)


def masks(splits):
    return [(split.fitted.tolist(), split.held_out.tolist()) for split in splits]


# --- folds by group ---


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_folds", [2, 5])
def test_no_group_is_fitted_to_and_held_out(seed, n_folds):
    data = grouped_data(seed)
    splits = fold_splits(data, n_folds, seed=0)
    assert len(splits) == n_folds
    assert (sum(split.held_out.astype(int) for split in splits) == 1).all()
    for split in splits:
        assert not set(data.group[split.fitted]) & set(data.group[split.held_out])
        assert (data.is_positive & split.held_out).any()
        assert (~data.is_positive & split.held_out).any()


def test_neither_the_order_of_rows_nor_the_names_of_groups_matter():
    data = grouped_data()
    order = np.random.default_rng(1).permutation(len(data.row))
    renamed = np.random.default_rng(2).permutation(data.group.max() + 1)
    shuffled = as_data(data.X[order], data.is_positive[order])._replace(group=renamed[data.group[order]])
    pairs = zip(fold_splits(data, 5, seed=0), fold_splits(shuffled, 5, seed=0), strict=True)
    for split, other in pairs:
        np.testing.assert_array_equal(other.held_out, split.held_out[order])


def test_a_row_of_weight_two_is_where_two_equal_rows_are():
    data = grouped_data()
    times = np.random.default_rng(1).integers(1, 3, len(data.row))
    again = as_data(data.X.repeat(times, axis=0), data.is_positive.repeat(times))
    again = again._replace(group=data.group.repeat(times))
    for split, other in zip(fold_splits(data, 4, seed=0), fold_splits(again, 4, seed=0), strict=True):
        np.testing.assert_array_equal(other.held_out, split.held_out.repeat(times))


def test_rows_alone_in_their_groups_have_the_folds_of_rows_without_groups():
    data = grouped_data()._replace(group=None)
    alone = data._replace(group=np.random.default_rng(0).permutation(len(data.row)))
    assert masks(fold_splits(alone, 5, seed=0)) == masks(fold_splits(data, 5, seed=0))


def test_digests_of_groups_against_a_slow_sum():
    data = grouped_data()
    digests = row_digests(data.X, 0)
    slow = {each: sum(map(int, set(digests[data.group == each]))) % 2**64 for each in set(data.group)}
    assert group_digests(digests, data.group).tolist() == [slow[each] for each in data.group]


@pytest.mark.parametrize(("of_positive", "n_splits"), [([2, 2, 2], 3), ([5, 1], 0), ([3, 3], 2)])
def test_with_few_groups_there_are_fewer_folds(of_positive, n_splits):
    """A fit must have two positives: where one group holds all but one of them, none can be held out."""
    rng = np.random.default_rng(0)
    group = np.concatenate([np.repeat(np.arange(len(of_positive)), of_positive), 10 + np.arange(40) // 2])
    is_positive = np.arange(len(group)) < sum(of_positive)
    data = as_data(rng.normal(size=(len(group), 2)), is_positive)._replace(group=group)
    assert len(fold_splits(data, 5, seed=0)) == n_splits


def test_splitters_get_the_groups():
    data = grouped_data()
    for split in splits_of(GroupKFold(4), data, len(data.row)):
        assert not set(data.group[split.fitted]) & set(data.group[split.held_out])


# --- splits in time ---


@pytest.mark.parametrize("with_groups", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 2, 5])
def test_fits_see_the_past_and_are_judged_by_what_is_later(with_groups, n_blocks):
    data = grouped_data(n_groups=200)
    time = np.random.default_rng(0).integers(0, 40, len(data.row)).astype(float)
    # Groups live for a while, not for ever.
    time += 100 * (data.group // 10)
    data = data._replace(time=time, group=data.group if with_groups else None)
    splits = fold_splits(data, n_blocks, seed=0)
    assert len(splits) == n_blocks
    for split in splits:
        assert time[split.fitted].max() < time[split.held_out].min()
        if with_groups:
            assert not set(data.group[split.fitted]) & set(data.group[split.held_out])
    held_out = np.any([split.held_out for split in splits], axis=0)
    # Half of the positives, the later ones, and every row of their time.
    assert (held_out & data.is_positive).sum() >= data.is_positive.sum() / 2
    assert time[held_out].min() > time[~held_out].max()
    assert masks(fold_splits(data, n_blocks, seed=7)) == masks(splits)


def test_rows_of_one_day_are_not_parted():
    data = grouped_data(n_groups=200)._replace(group=None)
    time = np.random.default_rng(0).integers(0, 3, len(data.row)).astype(float)
    for split in fold_splits(data._replace(time=time), 5, seed=0):
        assert not set(time[split.fitted]) & set(time[split.held_out])


def test_where_one_kind_of_rows_comes_after_the_other_nothing_can_be_judged():
    data = grouped_data()._replace(group=None)
    for time in (data.is_positive.astype(float), 1.0 - data.is_positive, np.zeros(len(data.row))):
        with pytest.raises(ValueError, match="spread alike"):
            fold_splits(data._replace(time=time), 5, seed=0)


# --- what groups are worth ---


def test_the_design_effect_is_that_of_repeated_samples():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(50), rng.integers(1, 8, 50))
    share = 0.6
    samples = np.sqrt(share) * rng.normal(size=(4000, 50))[:, group] + np.sqrt(1 - share) * rng.normal(
        size=(4000, len(group))
    )
    widened = samples.mean(axis=1).var() * len(group)
    found = np.mean([design_effect(sample, group) for sample in samples[:300]])
    assert found == pytest.approx(widened, rel=0.1)


def test_groups_that_say_nothing_widen_nothing():
    rng = np.random.default_rng(0)
    values, group = rng.normal(size=400), np.repeat(np.arange(100), 4)
    assert design_effect(values, group) < 1.3
    assert design_effect(np.ones(400), group) == 1
    assert design_effect(values, np.zeros(400, dtype=int)) == 1


def near_copies(seed, n_patients=250, n_visits=5, n_columns=40):
    """Patients whose visits are nearly the same, with a weak signal in three of forty columns."""
    rng = np.random.default_rng(seed)
    is_ill = rng.random(n_patients) < 0.4
    usual = rng.normal(size=(n_patients, n_columns))
    usual[:, :3] += 0.6 * is_ill[:, None]
    patient = np.repeat(np.arange(n_patients), n_visits)
    X = usual[patient] + 0.05 * rng.normal(size=(len(patient), n_columns))
    is_labelled = is_ill & (rng.random(n_patients) < 0.5)
    return X, is_labelled[patient], patient, is_ill[patient]


def true_auc(model, seed):
    X, _, _, is_ill = near_copies(seed + 1000, n_patients=5000, n_visits=1)
    return roc_auc_score(is_ill, model.decision_function(X))


def fits_with_and_without_groups(seed):
    X, y, patient, is_ill = near_copies(seed)
    model = BlindAUCClassifier(prior=is_ill[~y].mean(), solver="path")
    return model, model.fit(X, y).auc_, model.fit(X, y, groups=patient).auc_


@pytest.mark.parametrize("seed", range(3))
def test_copies_of_a_patient_make_the_auc_too_high_unless_they_are_held_out_together(seed):
    model, naive, grouped = fits_with_and_without_groups(seed)
    truth = true_auc(model, seed)
    assert naive.low > truth
    assert grouped.low <= truth <= grouped.high
    assert grouped < naive - 0.05


@pytest.mark.slow
def test_with_groups_the_interval_holds_the_auc():
    """As often as it does where every patient came once, about nine times in ten; without groups, never."""
    n_draws, held, held_naive = 40, 0, 0
    for seed in range(100, 100 + n_draws):
        model, naive, grouped = fits_with_and_without_groups(seed)
        truth = true_auc(model, seed)
        held += grouped.low <= truth <= grouped.high
        held_naive += naive.low <= truth <= naive.high
    assert held >= 0.85 * n_draws
    assert held_naive <= 0.05 * n_draws


# --- fit ---


def test_weights_of_a_plain_fit_do_not_depend_on_groups_or_time():
    X, y, patient, _ = near_copies(0)
    plain, grouped = BlindAUCClassifier().fit(X, y), BlindAUCClassifier().fit(X, y, groups=patient)
    later = BlindAUCClassifier().fit(X, y, time=np.random.default_rng(0).random(len(y)))
    for other in (grouped, later):
        np.testing.assert_array_equal(other.coef_, plain.coef_)
        assert repr(other.auc_) != repr(plain.auc_)


def test_a_search_judges_by_groups():
    X, y, patient, is_ill = near_copies(0)
    model = BlindAUCClassifierCV(**QUICK, prior=is_ill[~y].mean())
    naive = model.fit(X, y).auc_
    names = np.array([f"P{number}" for number in patient])
    grouped = model.fit(X, y, groups=names).auc_
    assert grouped.low <= true_auc(model, 0) <= grouped.high
    assert grouped < naive - 0.1
    # Names of any kind, and rows in any order.
    again = model.fit(X, y, groups=pd.Series(patient, dtype="Int64"))
    assert repr(again.auc_) == repr(grouped)
    order = np.random.default_rng(0).permutation(len(y))
    assert float(model.fit(X[order], y[order], groups=names[order]).auc_) == pytest.approx(float(grouped))
    # A splitter of scikit-learn gets the groups.
    split = BlindAUCClassifierCV(**QUICK | {"cv": GroupKFold(3)}, prior=is_ill[~y].mean()).fit(X, y, groups=patient)
    assert split.auc_ < naive - 0.1


def test_groups_widen_the_comparisons_of_a_search():
    """Five visits that are nearly the same say what one says: intervals are wider by the root of five."""
    X, y, patient, _ = near_copies(0)
    splits = list(GroupKFold(3).split(X, y, patient))
    model = BlindAUCClassifierCV(**QUICK | {"cv": splits})
    by_row, by_patient = (model.fit(X, y, groups=groups).baselines_ for groups in (None, patient))
    for row, grouped in zip(by_row, by_patient, strict=True):
        assert float(grouped.advantage) == pytest.approx(float(row.advantage))
        assert grouped.advantage.standard_error == pytest.approx(5**0.5 * row.advantage.standard_error, rel=0.1)


def test_a_search_in_time_ranks_the_later_rows():
    X, y, _, _ = near_copies(0)
    days = pd.date_range("2020-01-01", periods=len(y)).to_numpy()[np.random.default_rng(0).permutation(len(y))]
    model = BlindAUCClassifierCV(**QUICK).fit(X, y, time=days)
    is_known = ~np.isnan(model.held_out_rank_)
    assert days[is_known].min() > days[~is_known].max()
    assert (is_known & y).sum() == pytest.approx(y.sum() / 2, abs=1)
    # Times are told by their order alone.
    for same in (days.astype(str), days.astype("datetime64[D]").astype(datetime.date), days.astype(float)):
        assert repr(BlindAUCClassifierCV(**QUICK).fit(X, y, time=same).auc_) == repr(model.auc_)
    with_zone = pd.Series(days).dt.tz_localize("Asia/Tokyo")
    assert repr(BlindAUCClassifierCV(**QUICK).fit(X, y, time=with_zone).auc_) == repr(model.auc_)


def test_weights_of_zero_and_whole_numbers_keep_their_groups():
    X, y, patient, _ = near_copies(0, n_patients=60)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = BlindAUCClassifierCV(**QUICK).fit(X, y, sample_weight=weight, groups=patient)
    repeated = BlindAUCClassifierCV(**QUICK).fit(
        X.repeat(weight, axis=0), y.repeat(weight), groups=patient.repeat(weight)
    )
    assert float(weighted.auc_) == pytest.approx(float(repeated.auc_))


X, Y, PATIENT, _ = near_copies(0, n_patients=30)
N = len(Y)
BAD = {
    "too short": ({"groups": PATIENT[:-1]}, f"groups must have one entry for each row: X has {N} rows, groups {N - 1}"),
    "a table": ({"groups": np.zeros((N, 2))}, "1d array"),
    "missing": ({"groups": [None, *PATIENT[1:]]}, "groups is missing in 1 rows, the first of them at index 0"),
    "NaN": ({"groups": np.r_[PATIENT[1:], np.nan]}, f"the first of them at index {N - 1}"),
    "one group": ({"groups": np.zeros(N)}, "labelled positives are in one group"),
    "one group of positives": ({"groups": np.where(Y, -1, PATIENT)}, f"All {Y.sum()} labelled positives are in one"),
    "one group of the rest": ({"groups": np.where(Y, PATIENT, -1)}, "unlabelled rows are in one group"),
    "time too short": ({"time": PATIENT[:-1]}, "time must have one entry for each row"),
    "time missing": ({"time": np.r_[np.nan, PATIENT[1:]]}, "time is missing in 1 rows, the first of them at index 0"),
    "no day": ({"time": np.full(N, np.datetime64("NaT"))}, f"time is missing in {N} rows"),
    "no time": ({"time": ["soon"] * N}, "time must be finite numbers, or dates .*pandas.to_datetime"),
    "endless": ({"time": np.r_[np.inf, PATIENT[1:]]}, "time must be finite numbers"),
    "one time": ({"time": np.zeros(N)}, "spread alike"),
}


@pytest.mark.parametrize("Estimator", [BlindAUCClassifier, PUErrorClassifier, BlindAUCClassifierCV])
@pytest.mark.parametrize("case", BAD)
def test_groups_and_times_that_make_no_sense(Estimator, case):
    options, message = BAD[case]
    with pytest.raises(ValueError, match=message) as error:
        Estimator().fit(X, Y, **options)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("cv", [GroupKFold(2), StratifiedGroupKFold(2)])
def test_splitters_by_groups_need_groups(cv):
    with pytest.raises(ValueError, match=r"splits rows by groups, and there are none: pass fit\(groups=\.\.\.\)"):
        BlindAUCClassifierCV(shape="linear", cv=cv).fit(X, Y)


def test_time_and_splits_of_ones_own_contradict_each_other():
    with pytest.raises(ValueError, match="cv and time both say"):
        BlindAUCClassifierCV(cv=GroupKFold(2)).fit(X, Y, groups=PATIENT, time=np.arange(N))
