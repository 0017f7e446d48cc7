"""Which features keep being chosen, and how many of them are expected to be false."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifier
from blindauc.datasets import make_paper_data
from blindauc.trust import StabilitySelection, stability_selection
from blindauc.trust.stability import _complementary_halves

# --- stability selection ---

DATA = make_paper_data(n_features=12, n_outliers=2, n_relevant=5, n_pos=41, n_negatives=90, random_state=0)
MODEL = BlindAUCClassifier(n_features_to_select=4, l2=100.0, solver="path", calibrate=False)


def test_halves_are_complementary_and_of_either_kind():
    is_positive = np.random.default_rng(0).permutation(DATA.y_pu == 1)
    halves = list(_complementary_halves(is_positive, 4, np.random.RandomState(0)))
    assert len(halves) == 8
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        np.testing.assert_array_equal(np.sort(np.append(first, second)), np.arange(len(is_positive)))
        for kind in (is_positive, ~is_positive):
            assert abs(int(kind[first].sum()) - int(kind[second].sum())) <= 1
    assert len({half.tobytes() for half in halves}) == 8


@pytest.mark.parametrize(("n_resamples", "n_done"), [(2, 2), (5, 6), (6, 6)])
def test_frequencies_against_a_slow_loop(n_resamples, n_done):
    found = stability_selection(MODEL, DATA.X, DATA.y_pu, n_resamples=n_resamples, random_state=3)
    counts, n_fits = np.zeros(12), 0
    for rows in _complementary_halves(DATA.y_pu == 1, n_done // 2, np.random.RandomState(3)):
        counts += clone(MODEL).fit(DATA.X[rows], DATA.y_pu[rows]).coef_ != 0
        n_fits += 1
    assert found.n_resamples == n_fits == n_done
    np.testing.assert_allclose(found.frequency, counts / n_fits)
    assert found.frequency.sum() == pytest.approx(4)
    assert found.group_frequency is None
    np.testing.assert_array_equal(found.selected(0.7), counts / n_fits >= 0.7)


def test_groups_are_counted_where_any_of_their_columns_is_chosen():
    ids = np.arange(12) // 3
    found = stability_selection(MODEL, DATA.X, DATA.y_pu, n_resamples=4, groups=ids)
    counts = np.zeros(4)
    for rows in _complementary_halves(DATA.y_pu == 1, 2, np.random.RandomState(0)):
        counts += clone(MODEL).fit(DATA.X[rows], DATA.y_pu[rows]).support_.reshape(4, 3).any(axis=1)
    np.testing.assert_allclose(found.group_frequency, counts / 4)
    grouped = clone(MODEL).set_params(sparsity="group_l0", groups=ids, n_features_to_select=2)
    own = stability_selection(grouped, DATA.X, DATA.y_pu, n_resamples=4)
    assert own.group_frequency.sum() == pytest.approx(2)
    np.testing.assert_allclose(own.frequency, own.group_frequency.repeat(3))


def test_data_frames_and_other_labels_give_the_same():
    names = [f"c{k}" for k in range(12)]
    plain = stability_selection(MODEL, DATA.X, DATA.y_pu, n_resamples=4, groups=np.arange(12) // 6)
    with parallel_config("threading"):  # processes would take seconds to start
        frame = stability_selection(
            clone(MODEL).set_params(pos_label="case"),
            pd.DataFrame(DATA.X, columns=names, index=np.arange(len(DATA.X)) + 1000),
            pd.Series(np.where(DATA.y_pu == 1, "case", "other"), index=np.arange(len(DATA.X)) + 1000),
            n_resamples=4,
            groups=[names[:6], names[6:]],
            n_jobs=2,
        )
    np.testing.assert_array_equal(frame.frequency, plain.frequency)
    np.testing.assert_array_equal(frame.group_frequency, plain.group_frequency)


def test_seeds_repeat_and_the_estimator_is_not_touched():
    model = clone(MODEL)
    one, same, other = (
        stability_selection(model, DATA.X, DATA.y_pu, n_resamples=4, random_state=seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.frequency, same.frequency)
    assert not np.array_equal(one.frequency, other.frequency)
    assert not hasattr(model, "coef_")


BAD = {
    "one resample": ({"n_resamples": 1}, "n_resamples must be at least 2"),
    "negative resamples": ({"n_resamples": -4}, "n_resamples must be at least 2"),
    "unknown group": ({"n_resamples": 2, "groups": [["z"], list(range(12))]}, "groups name the column 'z'"),
    "short groups": ({"n_resamples": 2, "groups": [0, 1]}, "one id per column"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    params, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        stability_selection(MODEL, DATA.X, DATA.y_pu, **params)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (make_pipeline(StandardScaler(), MODEL), "needs an estimator with get_support, but Pipeline has none"),
        (BlindAUCClassifier(), r"BlindAUCClassifier\(n_features_to_select=None\) selects all columns"),
        (BlindAUCClassifier(shape="kernel"), r"BlindAUCClassifier\(shape='kernel'\) selects no columns"),
    ],
)
def test_an_estimator_that_selects_no_columns_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        stability_selection(model, DATA.X, DATA.y_pu)


def test_halves_with_too_few_positives_say_so():
    few = np.r_[0:3, 41:100]
    with pytest.raises(ValueError, match="label more rows"):
        stability_selection(MODEL, DATA.X[few], DATA.y_pu[few], n_resamples=2)


# --- the bound on false selections ---


def counted(n_units, n_selected, n_resamples=50):
    return StabilitySelection(np.full(n_units, n_selected / n_units), None, n_resamples)


@pytest.mark.parametrize("n_resamples", [10, 50, 100])
@pytest.mark.parametrize(("p", "q"), [(100, 5), (100, 20), (1000, 30)])
@pytest.mark.parametrize("share", [0.7, 0.8, 0.9, 1.0])
def test_expected_false_against_the_formulas(share, p, q, n_resamples):
    found = counted(p, q, n_resamples)
    assert found.n_selected == pytest.approx(q)
    assert found.expected_false(share, "meinshausen_buhlmann") == pytest.approx(q * q / ((2 * share - 1) * p))
    pairs = n_resamples / 2
    low, high = 0.5 / (2 * share - 1 - 0.5 / pairs), 4 * (1 - share + 0.5 / pairs) / (1 + 1 / pairs)
    assert found.expected_false(share) == pytest.approx((low if share <= 0.75 else high) * q / p * q)


@pytest.mark.parametrize("n_resamples", [2, 4, 10, 50, 200])
@pytest.mark.parametrize("q", [1, 10, 30, 57, 58, 90, 100])
def test_the_bounds_fall_with_the_share_and_shah_samworth_is_never_above(q, n_resamples):
    shares = np.linspace(0.501, 1.0, 300)
    found = counted(100, q, n_resamples)
    tight, wide = (
        np.array([found.expected_false(share, bound) for share in shares])
        for bound in ("shah_samworth", "meinshausen_buhlmann")
    )
    assert (tight > 0).all()
    assert (tight <= wide * (1 + 1e-12)).all()
    assert (np.diff(tight) <= 1e-9).all()
    assert (np.diff(wide) <= 1e-9).all()
    assert (q < 58) == (tight < 0.9 * wide).any() or n_resamples <= 4  # it asks for q / p of at most 1 / sqrt(3)


def test_more_selected_or_fewer_columns_raise_the_bound():
    assert counted(100, 5).expected_false() < counted(100, 10).expected_false() < counted(50, 10).expected_false()
    assert counted(100, 0).expected_false() == 0


def test_a_share_between_two_counts_is_bounded_as_the_next_count():
    found = counted(100, 10, n_resamples=10)
    assert found.expected_false(0.61) == found.expected_false(0.7) < found.expected_false(0.6)


def test_groups_have_a_bound_of_their_own():
    found = StabilitySelection(np.full(12, 0.25), np.array([0.1, 0.5, 0.9, 0.5]), 50)
    groups = StabilitySelection(found.group_frequency, None, 50)
    assert found.expected_false(0.8, units="groups") == groups.expected_false(0.8)
    assert found.expected_false(0.8, units="groups") != found.expected_false(0.8)


class FarthestMeans(BaseEstimator):
    """Selects the columns in which labelled and unlabelled rows differ most."""

    def __init__(self, n_features_to_select=8):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        self.difference_ = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
        return self

    def get_support(self):
        return self.difference_ >= np.sort(self.difference_)[-self.n_features_to_select]


@pytest.mark.parametrize("bound", ["shah_samworth", "meinshausen_buhlmann"])
def test_pure_noise_is_selected_less_often_than_the_bound_says(bound):
    """Observed over 400 data sets at 0.6, 0.8: 1.46, 0.35 columns; bounds 4.44, 1.35 and 8, 2.67."""
    found = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(150, 40)), np.arange(150) < 50
        found.append(stability_selection(FarthestMeans(), X, y.astype(int), random_state=seed))
    for share in (0.6, 0.7, 0.8, 0.9):
        bounds = [one.expected_false(share, bound) for one in found]
        np.testing.assert_allclose(bounds, bounds[0])  # always 8 of 40
        assert np.mean([one.selected(share).sum() for one in found]) < bounds[0]


BAD_BOUNDS = {
    "half": ({"at_least": 0.5}, "at_least must be above 0.5 and at most 1 for a bound to hold, not 0.5"),
    "less than half": ({"at_least": 0.3}, "at_least must be above 0.5"),
    "more than all": ({"at_least": 1.01}, "at_least must be above 0.5"),
    "not a number": ({"at_least": np.nan}, "at_least must be above 0.5"),
    "unknown bound": ({"bound": "mb"}, "bound must be one of 'shah_samworth', 'meinshausen_buhlmann', not 'mb'"),
    "unknown units": ({"units": "rows"}, "units must be 'columns' or 'groups', not 'rows'"),
    "no groups": ({"units": "groups"}, "pass groups to stability_selection"),
}


@pytest.mark.parametrize("case", BAD_BOUNDS)
def test_bad_bounds(case):
    params, message = BAD_BOUNDS[case]
    with pytest.raises(ValueError, match=message):
        counted(100, 10).expected_false(**params)
