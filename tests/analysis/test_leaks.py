"""Columns that give the label away are named before the fit, honest ones are not."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from blindauc import BlindAUCClassifierCV
from blindauc.analysis import LeakError, analyse, find_leaks
from blindauc.datasets import make_patients

pytestmark = pytest.mark.usefixtures("few_candidates")

N_POS, N_UNL = 40, 200
N = N_POS + N_UNL
rng = np.random.default_rng(0)
DAYS = pd.date_range("2021-01-01", periods=N).astype(str).to_numpy()
LABELLED = np.arange(N) < N_POS


def some(n_pos, n_unl=0):
    """A mask with so many labelled and so many other rows."""
    return np.where(LABELLED, np.arange(N) < n_pos, np.arange(N) - N_POS < n_unl)


def table(**columns):
    frame = pd.DataFrame({"crp": np.round(rng.normal(20 + 10 * LABELLED, 10), 1), "ward": rng.choice(["A", "B"], N)})
    return frame.assign(**columns, infected=np.where(LABELLED, "yes", ""))


NOISE = rng.normal(size=N)
LEAKS = {
    "a date in labelled rows only": (
        np.where(LABELLED, DAYS, None),
        "is filled in for 40 of 40 labelled rows and 0 of",
    ),
    "a date in most of them": (np.where(some(25), DAYS, ""), "is filled in for 25 of 40 labelled rows and 0 of 200"),
    "and in two others": (np.where(some(40, 2), NOISE, np.nan), "is filled in for 40 of 40 labelled rows and 2 of 200"),
    "missing in labelled rows only": (np.where(some(36), np.nan, NOISE), "is missing in 36 of 40 labelled rows and 0"),
    "a word for missing": (np.where(some(36), "NA", NOISE.astype(str)), "is missing in 36 of 40"),
    "a category": (np.where(some(30), "T81.4", rng.choice(["K35", "I21"], N)), "is 'T81.4' in 30 of 40 labelled rows"),
    "yes and no": (np.where(some(38), "yes", "no"), "is 'yes' in 38 of 40 labelled rows and 0 of 200 others"),
    "a code": (np.where(some(24), 7, rng.integers(0, 5, N)), "is '7' in 24 of 40 labelled rows and 0 of 200 others"),
    "several categories": (
        np.where(some(39), np.resize(["T81.4", "T81.40", "T81.49"], N), rng.choice(["K35", "I21"], N)),
        "is one of 'T81.4",  # in the order of appearance
    ),
    "a number of days": (np.where(some(30), rng.integers(1, 60, N), 0), "is other than '0' in 30 of 40 labelled rows"),
    "a measurement": (NOISE + 8 * LABELLED, "or more in 3[67] of 40 labelled rows and 0 of 200 others"),
    "the other way": (NOISE - 8 * LABELLED, "or less in 3[67] of 40 labelled rows and 0 of 200 others"),
    "late dates": (
        pd.to_datetime(np.where(LABELLED, "2021-06-01", "2019-06-01")) + pd.to_timedelta(np.arange(N), unit="D"),
        "is 2021-06-0. or more in 3[67] of 40",
    ),
    "the label": (np.where(LABELLED, "yes", ""), "repeats the labels in every row"),
    "the label in other words": (np.where(LABELLED, 0, 1), "repeats the labels in every row"),
}

HONEST = {
    "hidden positives have it, too": np.where(some(40, 6), "T81.4", "K35"),
    "filled in for the ill": np.where(some(40, 6), NOISE, np.nan),
    "a good marker": NOISE + 3 * LABELLED,
    "a few labelled rows": np.where(some(15), "rare", rng.choice(["a", "b"], N)),
    "a measured value": np.where(some(24), 0.2, np.round(NOISE, 1)),
    "many categories": [f"Z{number % 150}" for number in range(N)],
    "measured in half of the rows": np.where(np.arange(N) % 2, NOISE, np.nan),
}


@pytest.mark.parametrize("case", LEAKS)
def test_a_column_that_gives_the_label_away_is_named_with_its_reason(case):
    values, reason = LEAKS[case]
    [leak] = find_leaks(table(suspect=values), "infected")
    assert leak.column == "suspect"
    assert re.search(reason, leak.reason)


@pytest.mark.parametrize("case", HONEST)
def test_honest_columns_are_not_named(case):
    assert find_leaks(table(suspect=HONEST[case]), "infected") == []


def test_where_positives_are_very_rare_a_telling_column_may_be_honest():
    """One in a thousand unlabelled rows has it, and so do most labelled ones, but far more rows have it than these."""
    n = 40_000
    is_labelled = np.arange(n) < 20
    merchant = np.where(is_labelled | (np.arange(n) % 1000 == 0), "casino", "shop")
    frame = pd.DataFrame({"merchant": merchant, "fraud": np.where(is_labelled, "yes", "")})
    assert find_leaks(frame, "fraud") == []


def test_of_few_rows_nothing_is_said():
    frame = pd.DataFrame({"day": [*DAYS[:8], *[None] * 40], "y": ["yes"] * 9 + [""] * 39})
    assert find_leaks(frame, "y") == []
    frame = pd.DataFrame({"day": [*DAYS[:20], *[None] * 20], "y": ["yes"] * 21 + [""] * 19})
    assert find_leaks(frame, "y") == []


@pytest.mark.parametrize("loader", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_no_column_of_the_sets_of_scikit_learn_is_named(loader, share):
    bunch = loader(as_frame=True)
    for target in np.unique(bunch.target):
        is_labelled = (bunch.target == target) & (np.random.default_rng(target).random(len(bunch.target)) < share)
        assert find_leaks(bunch.data.assign(y=np.where(is_labelled, "yes", "")), "y") == []


def test_nor_where_all_positives_are_labelled_but_for_the_petals_of_iris():
    """Which decide that label alone: nobody is left to find."""
    sets = [loader(as_frame=True) for loader in (load_iris, load_wine, load_breast_cancer, load_digits)]
    named = []
    for bunch in sets:
        for target in np.unique(bunch.target):
            frame = bunch.data.assign(y=np.where(bunch.target == target, "yes", ""))
            named += [(target, leak.column) for leak in find_leaks(frame, "y")]
    assert named == [(0, "petal length (cm)"), (0, "petal width (cm)")]
    bunch = load_diabetes(as_frame=True)
    assert find_leaks(bunch.data.assign(y=np.where(bunch.target > 200, "yes", "")), "y") == []


@pytest.mark.parametrize("seed", range(5))
def test_no_column_of_the_demo_is_named(seed):
    assert find_leaks(make_patients(random_state=seed).table, "infection") == []


# --- what follows ---


def test_a_leak_stops_the_fit(monkeypatch):
    monkeypatch.setattr(BlindAUCClassifierCV, "fit", lambda *_, **__: pytest.fail("this was fitted"))
    frame = table(treated=np.where(LABELLED, DAYS, None), status=np.where(LABELLED, "x", "y"))
    with pytest.raises(
        LeakError, match=r"'treated' is filled in .* 'status' repeats .* drop=, or .* allow_leaks=\."
    ) as error:
        analyse(frame, "infected", shape="linear")
    assert [leak.column for leak in error.value.leaks] == ["treated", "status"]
    assert str(error.value).isprintable()
    with pytest.raises(LeakError, match="'status'") as error:
        analyse(frame, "infected", allow_leaks=["treated"], shape="linear")
    assert [leak.column for leak in error.value.leaks] == ["status"]
    with pytest.raises(ValueError, match="no column 'treatd' for allow_leaks=: did you mean 'treated'"):
        analyse(frame, "infected", allow_leaks=["treatd"], shape="linear")


def test_a_leak_can_be_left_out_or_allowed():
    frame = table(treated=np.where(LABELLED, DAYS, None))
    left_out = analyse(frame, "infected", drop=["treated"], shape="linear")
    assert left_out.findings.asked.notes == []
    assert left_out.findings.auc.value < 0.95
    allowed = analyse(frame, "infected", allow_leaks=["treated", "crp"], shape="linear")
    assert allowed.findings.asked.notes == [
        "'treated' gives the label away but is used, as asked: it is filled in for 40 of 40 labelled rows and 0 of 200 "
        "others."
    ]
    assert allowed.findings.auc.value > 0.95
