"""The baselines are what they say: scikit-learn's SVMs on PU labels, and a difference of means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC, OneClassSVM

from blindauc import BiasedSVM, DifferenceOfMeans, OneClassRanker
from blindauc.datasets import make_paper_data

DATA = make_paper_data(n_features=8, n_relevant=5, n_pos=30, n_negatives=50, random_state=0)
EVERY = [BiasedSVM(), OneClassRanker(), DifferenceOfMeans()]


def test_a_biased_svm_is_an_svm_whose_positives_weigh_more():
    ours = BiasedSVM(C=0.1, pos_weight=3.0).fit(DATA.X, DATA.y_pu)
    plain = SVC(C=0.1, kernel="linear", class_weight={1: 3.0, 0: 1.0}).fit(DATA.X, DATA.y_pu)
    assert_allclose(ours.decision_function(DATA.X_test), plain.decision_function(DATA.X_test))


def test_a_one_class_ranker_does_not_look_at_unlabelled_rows():
    ours = OneClassRanker(nu=0.3).fit(DATA.X, DATA.y_pu)
    alone = OneClassSVM(nu=0.3).fit(DATA.X[DATA.y_pu == 1])
    assert_allclose(ours.decision_function(DATA.X_test), alone.decision_function(DATA.X_test))


@pytest.mark.parametrize("scaling", ["none", "standard"])
def test_a_difference_of_means_is_zero_half_way_between_them(scaling):
    model = DifferenceOfMeans(scaling=scaling).fit(DATA.X, DATA.y_pu)
    means = np.array([DATA.X[DATA.y_pu == label].mean(axis=0) for label in (1, 0)])
    unit = DATA.X.var(axis=0) if scaling == "standard" else 1.0
    assert_allclose(model.coef_, (means[0] - means[1]) / unit)
    assert_allclose(model.decision_function(means.mean(axis=0)[None]), 0.0, atol=1e-12)


@pytest.mark.parametrize("model", EVERY)
def test_any_two_labels_will_do(model):
    named = np.where(DATA.y_pu == 1, "b", "a")
    scores = model.fit(DATA.X, DATA.y_pu).decision_function(DATA.X_test)
    assert_array_equal(model.fit(DATA.X, named).decision_function(DATA.X_test), scores)
    assert set(model.predict(DATA.X_test)) <= {"a", "b"}
    assert_array_equal(model.predict(DATA.X_test) == "b", scores > 0)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BiasedSVM(C=0), "C must be"),
        (BiasedSVM(pos_weight=-1.0), "pos_weight must be"),
        (OneClassRanker(nu=1.5), "nu is a share"),
        (OneClassRanker(nu=0), "nu must be"),
        (DifferenceOfMeans(scaling="robust"), "scaling"),
    ],
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(DATA.X, DATA.y_pu)


@pytest.mark.parametrize("model", EVERY)
def test_labels_without_positives_are_refused(model):
    with pytest.raises(ValueError, match="positive"):
        model.fit(DATA.X, np.full(len(DATA.y_pu), np.nan))
