"""The judgement of any model's out-of-fold scores; and what is said where torch is missing."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from blindauc import judge
from blindauc.datasets import make_correlated_data
from blindauc.ranks import Ranked, share_below
from blindauc.trust import assess_ranks

DATA = make_correlated_data(
    0.1, outliers="far", n_features=20, n_relevant=5, n_pos=200, n_unlabelled=800, random_state=0
)


def fold_numbers():
    folds = np.empty(len(DATA.y_pu), dtype=int)
    for number, (_, rows) in enumerate(StratifiedKFold(shuffle=True, random_state=0).split(DATA.X, DATA.y_pu)):
        folds[rows] = number
    return folds


@pytest.fixture(scope="module")
def scores():
    folds = StratifiedKFold(shuffle=True, random_state=0)
    return cross_val_predict(LogisticRegression(), DATA.X, DATA.y_pu, cv=folds, method="decision_function")


def test_it_says_what_the_ranks_say(scores):
    found = judge(DATA.y_pu, scores)
    pos = DATA.y_pu == 1
    rank = share_below(scores, scores[~pos], np.ones(800))
    expected = assess_ranks(Ranked(rank[pos], rank[~pos], np.ones(200), np.ones(800)))
    assert found.auc == expected.auc
    assert found.prior == expected.estimate.prior
    assert found.contamination == expected.estimate.contamination
    np.testing.assert_array_equal(found.suspicion, expected.suspicion)
    np.testing.assert_array_equal(found.labelled_rows, np.flatnonzero(pos))
    np.testing.assert_array_equal(found.rank, rank)


def test_the_truth_is_inside_and_wrong_labels_are_found(scores):
    """One draw with 20 far wrong labels, a prior of 0.2 and an AUC of 0.88 among the unlabelled rows."""
    found = judge(DATA.y_pu, scores)
    assert found.prior.low <= 0.2 <= found.prior.high
    assert found.contamination.low <= 0.1 <= found.contamination.high
    assert found.auc.low <= 0.88 <= found.auc.high
    doubted = found.doubtful_labels()
    assert np.isin(doubted, DATA.outliers).mean() >= 0.8
    assert len(doubted) >= 10
    suspicion = dict(zip(found.labelled_rows.tolist(), found.suspicion.tolist(), strict=True))
    assert sorted(doubted, key=lambda row: (-suspicion[row], found.rank[row])) == doubted.tolist()
    assert len(found.doubtful_labels(max_fdr=0.0)) <= len(doubted)


def test_only_the_order_matters(scores):
    plain, bent = judge(DATA.y_pu, scores), judge(DATA.y_pu, np.exp(scores))
    assert plain.auc == bent.auc
    np.testing.assert_array_equal(plain.suspicion, bent.suspicion)


def test_folds_may_have_a_scale_each(scores):
    folds = fold_numbers()
    one_scale = judge(DATA.y_pu, scores, folds=folds)
    own_scales = judge(DATA.y_pu, scores * (1 + folds) + 100.0 * folds, folds=folds.astype(str))
    assert one_scale.auc == own_scales.auc
    np.testing.assert_array_equal(one_scale.rank, own_scales.rank)
    first = (folds == 0) & (DATA.y_pu == 0)
    np.testing.assert_array_equal(
        one_scale.rank[folds == 0], share_below(scores[folds == 0], scores[first], np.ones(first.sum()))
    )


def test_a_prior_that_is_given_is_kept(scores):
    found = judge(DATA.y_pu, scores, prior=0.2)
    assert found.prior.low == found.prior == found.prior.high == 0.2
    probability = found.calibration().probability(scores[DATA.y_pu == 0])
    assert probability.mean() == pytest.approx(0.2, abs=1e-3)


def test_weights_are_counts(scores):
    weight = 1.0 + np.arange(1000) % 3
    repeated = np.repeat(np.arange(1000), weight.astype(int))
    by_weight, by_rows = judge(DATA.y_pu, scores, sample_weight=weight), judge(DATA.y_pu[repeated], scores[repeated])
    assert by_weight.auc == pytest.approx(by_rows.auc, abs=1e-9)
    np.testing.assert_allclose(by_weight.suspicion.repeat(weight[:200].astype(int)), by_rows.suspicion, atol=1e-9)


def test_rows_without_weight_are_only_ranked(scores):
    """Two labelled and two unlabelled rows that would change everything."""
    y, more = np.r_[DATA.y_pu, 1, 1, 0, 0], np.r_[scores, -1e6, 1e6, -1e6, 1e6]
    found = judge(y, more, sample_weight=np.r_[np.ones(1000), np.zeros(4)])
    plain = judge(DATA.y_pu, scores)
    assert found.auc == plain.auc
    np.testing.assert_array_equal(found.suspicion[:200], plain.suspicion)
    assert found.suspicion[200] >= found.suspicion[:200].max()


def test_calibration_is_on_the_scale_of_the_model_that_is_used(scores):
    found, unlabelled = judge(DATA.y_pu, scores, prior=0.2), scores[DATA.y_pu == 0]
    own, other = found.calibration(), found.calibration(10 * unlabelled + 3)
    np.testing.assert_array_equal(own.probability(unlabelled), other.probability(10 * unlabelled + 3))
    low, high = own.probability_interval(unlabelled)
    assert (low <= own.probability(unlabelled)).all()
    assert (own.probability(unlabelled) <= high).all()
    np.testing.assert_array_equal(own.probability(unlabelled), found.rank_model.probability(found.rank[200:]))


def test_folds_have_no_calibration_of_their_own(scores):
    found = judge(DATA.y_pu, scores, folds=fold_numbers())
    with pytest.raises(ValueError, match="may score on different scales: pass unl_scores"):
        found.calibration()
    assert found.calibration(scores[200:]).probability([1e9])[0] > 0.5


def test_it_reads_well(scores):
    told = repr(judge(DATA.y_pu, scores, prior=0.2)).splitlines()
    assert told[0] == "ScoreJudgement of 200 labelled and 800 unlabelled rows"
    assert [line.split()[0] for line in told[1:]] == ["AUC", "prior", "contamination", "doubtful"]
    assert told[2].endswith("prior            0.200")
    unsure = repr(judge(DATA.y_pu, scores)).splitlines()
    assert unsure[2].startswith("  prior            between 0.")


def test_reversed_scores_are_warned_of(scores):
    with pytest.warns(UserWarning, match=r"sign of the scores may be reversed.* pass -out_of_fold_scores"):
        judge(DATA.y_pu, -scores)


def test_it_is_frozen(scores):
    with pytest.raises(AttributeError, match="cannot assign"):
        judge(DATA.y_pu, scores).auc = 1.0


def test_pandas_and_words_will_do(scores):
    found = judge(pd.Series(DATA.y_pu).map({1: "sick", 0: None}), pd.Series(scores), folds=pd.Series(fold_numbers()))
    assert found.auc == judge(DATA.y_pu, scores, folds=fold_numbers()).auc
    assert judge(1 - DATA.y_pu, scores, pos_label=0).auc == judge(DATA.y_pu, scores).auc


THREE = [0.3, 0.2, 0.1]
BAD_INPUT = {
    "other length": (([1, 0], THREE), {}, "y_pu and out_of_fold_scores must have the same length.* 2 and 3 rows"),
    "NaN": (([1, 0, 0], [0.3, np.nan, 0.1]), {}, "out_of_fold_scores must hold finite.*leave out rows"),
    "infinity": (([1, 0, 0], [0.3, np.inf, 0.1]), {}, "out_of_fold_scores must hold finite"),
    "text": (([1, 0, 0], ["a", "b", "c"]), {}, "out_of_fold_scores must hold numbers, one for each row: could not"),
    "two columns": (([1, 0], [[0.1, 0.9], [0.2, 0.8]]), {}, r"shape is \(2, 2\).*predict_proba"),
    "no positives": (([0, 0, 0], THREE), {}, "no positive class.*Mark the labelled positives with 1"),
    "no unlabelled": (([1, 1, 1], THREE), {}, "no unlabelled row.*add rows with label 0"),
    "several classes": (([0, 1, 2], THREE), {}, "Only binary.*recode"),
    "soft labels": (([0.5, 0.2, 0.9], THREE), {}, "Unknown label type: continuous"),
    "no such label": (([1, 0, 0], THREE), {"pos_label": 7}, "pos_label=7 is not among the classes"),
    "prior": (([1, 0, 0], THREE), {"prior": 1.5}, r"prior must be a share in \[0, 1\].*not 1.5"),
    "prior as text": (([1, 0, 0], THREE), {"prior": "half"}, "prior must be a share.*not 'half'"),
    "few weights": (
        ([1, 0, 0], THREE),
        {"sample_weight": [1, 1]},
        "y_pu and sample_weight must have the same length.*3 ",
    ),
    "negative weight": (([1, 0, 0], THREE), {"sample_weight": [1, 1, -2]}, "must not be negative, but -2 is among"),
    "weightless": (([1, 0, 0], THREE), {"sample_weight": [0, 1, 1]}, "no labelled positive with positive weight"),
    "few folds": (
        ([1, 0, 0], THREE),
        {"folds": [0, 1]},
        "y_pu and folds must have the same length.* 3 and 2 rows",
    ),
    "no fold": (([1, 0, 0], THREE), {"folds": [0, np.nan, 0]}, "folds must name the fold of every row"),
    "a lonely fold": (([1, 0, 0], THREE), {"folds": [1, 0, 0]}, "fold of row 0 has no unlabelled row.*StratifiedKFold"),
}


@pytest.mark.parametrize(("positional", "named", "message"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_is_told_in_one_line(positional, named, message):
    with pytest.raises(ValueError, match=message) as told:
        judge(*positional, **named)
    assert "\n" not in str(told.value)


def test_of_fewer_than_fifteen_positives_nothing_is_told():
    rng = np.random.default_rng(0)
    y_pu, scores = np.repeat([1, 0], [14, 100]), np.append(rng.normal(3, 1, 14), rng.normal(0, 1, 100))
    found = judge(y_pu, scores, prior=0.1)
    assert (found.auc, found.auc.low, found.auc.high) == (0.5, 0.0, 1.0)
    assert (found.prior.low, found.prior.high) == (0.1, 0.1)
    assert (found.contamination.low, found.contamination.high) == (0.0, 1.0)
    low, high = found.calibration().probability_interval(scores)
    assert (low.max(), high.min()) == (0.0, 1.0)
    assert repr(found).endswith(
        "cannot be estimated: at least 15 different rows have to be labelled to evaluate the ranking"
    )
    assert "0.1" in repr(judge(np.append(y_pu, 1), np.append(scores, 2.0), prior=0.1))


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_a_missing_torch_is_told_with_the_extra():
    with pytest.raises(ModuleNotFoundError, match=r"blindauc.torch needs torch: pip install 'blindauc\[torch\]'"):
        import blindauc.torch  # noqa: F401
