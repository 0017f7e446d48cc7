"""What holds for every estimator, with a search or without: parameters and scores."""

from dataclasses import fields
from inspect import Parameter, signature

import numpy as np
import pytest
from quick_estimators import DATA, QUICK, every
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

pytestmark = pytest.mark.usefixtures("few_mixtures")


@every
def test_every_field_is_a_parameter_and_every_parameter_a_field(Estimator):
    names = {each.name for each in fields(Estimator)}
    assert set(Estimator().get_params()) == set(signature(Estimator).parameters) == names
    assert all(p.default is not Parameter.empty for p in signature(Estimator).parameters.values())


@every
def test_parameters_are_set_untouched_and_stay_so_in_a_fit(Estimator):
    marks = {name: object() for name in Estimator().get_params()}
    made = Estimator(**marks)
    assert all(getattr(made, name) is mark for name, mark in marks.items())
    assert made.get_params() == marks
    assert clone(Estimator().set_params(**QUICK[Estimator])).get_params() == Estimator(**QUICK[Estimator]).get_params()
    model = Estimator(**QUICK[Estimator])
    before = {name: (value, repr(value)) for name, value in model.get_params().items()}
    model.fit(DATA.X, DATA.y_pu)
    assert all(getattr(model, name) is value and repr(value) == text for name, (value, text) in before.items())


def slow_blind_auc(is_positive, scores, weight):
    """The double loop."""
    total = above = 0.0
    for i in np.flatnonzero(is_positive):
        for j in np.flatnonzero(~is_positive):
            above += weight[i] * weight[j] * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
            total += weight[i] * weight[j]
    return above / total


@every
def test_score_is_the_blind_auc_however_labels_are_written(Estimator):
    rng = np.random.default_rng(0)
    new, is_positive, weight = rng.normal(0, 7, size=(80, 30)), rng.random(80) < 0.4, rng.uniform(0.5, 2, 80)
    new[:10] = new[10:20]  # ties
    model = Estimator(**QUICK[Estimator]).fit(DATA.X, DATA.y_pu)
    scores = model.decision_function(new)
    assert model.score(new, is_positive) == pytest.approx(slow_blind_auc(is_positive, scores, np.ones(80)))
    assert model.score(new, is_positive, weight) == pytest.approx(slow_blind_auc(is_positive, scores, weight))
    # The smaller string is the positive one, and unlabelled rows may be missing.
    named = np.where(DATA.y_pu == 1, "case", "other")
    by_name = Estimator(**QUICK[Estimator], pos_label="case").fit(DATA.X, named)
    expected = slow_blind_auc(is_positive, by_name.decision_function(new), np.ones(80))
    assert by_name.score(new, np.where(is_positive, "case", "other")) == pytest.approx(expected)
    assert by_name.score(new, np.where(is_positive, "case", None)) == pytest.approx(expected)


@every
@pytest.mark.parametrize("method", ["score", "predict", "decision_function", "predict_proba", "doubtful_labels"])
def test_before_a_fit_there_is_nothing_to_ask(Estimator, method):
    arguments = {"score": (DATA.X, DATA.y_pu), "doubtful_labels": ()}.get(method, (DATA.X,))
    with pytest.raises(NotFittedError):
        getattr(Estimator(), method)(*arguments)
