"""Searches that make no sense are refused by name, and an interruption leaves no trace."""

from copy import copy

import numpy as np
import pytest
from paper_search import FEW, PAPER, tuned

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV
from blindauc.estimators import tuning as tuning_module

pytestmark = pytest.mark.usefixtures("few_mixtures")

BAD_SPACES = [
    ("l2", [0]), ("l2", [-1.0]), ("l2", ["x"]), ("l2", [1.0, "x"]), ("l2", [None]), ("l2", [1.0, None]),
    ("l2", [True]), ("l2", [np.nan]), ("l2", []),
    ("n_outliers", [-1]), ("n_outliers", [39]), ("n_outliers", [1.0]), ("n_outliers", ["x"]), ("n_outliers", [None]),
    ("n_outliers", []), ("n_outliers", [True]),
    ("scaling", ["minmax"]), ("scaling", [None]), ("scaling", []), ("scaling", [3]),
    ("loss", ["squared"]), ("loss", [None]), ("loss", []),
    ("n_features_to_select", []), ("n_features_to_select", [3, "x"]), ("n_features_to_select", [{}]),
    ("n_features_to_select", [3, {}]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values"), BAD_SPACES, ids=[f"{n}={v}"[:40] for n, v in BAD_SPACES])
def test_bad_spaces_are_refused_by_name(name, values):
    for value in [values, *values]:
        if value == 3 or (value == 1.0 and name == "l2"):
            continue  # a good one among bad ones
        with pytest.raises(ValueError, match=name):
            BlindAUCClassifierCV(**{**FEW, name: value}).fit(PAPER.X, PAPER.y_pu)


BAD_PARAMETERS = {
    "rule": "one_standard_error", "rank_by": "best", "cv": 1, "n_repeats": 0, "prior": 1.0, "threshold": "half",
    "sampling": "three", "outlier_handling": "drop", "sparsity": "l1", "tol": 0, "max_iter": 0,
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameters_are_refused_by_name(name):
    with pytest.raises(ValueError, match=name):
        tuned(**{name: BAD_PARAMETERS[name]})


def test_a_kernel_alone_has_no_support_to_rank_by():
    with pytest.raises(ValueError, match='choose rank_by="all"'):
        tuned(shape="kernel", n_features_to_select="auto", rank_by="support")


def test_shifts_are_refused_where_they_do_not_work():
    with pytest.raises(ValueError, match="outlier_handling"):
        tuned(PUErrorClassifierCV, risk="unbiased", outlier_handling="shift")
    tuned(PUErrorClassifierCV, risk="unbiased", outlier_handling="shift", n_outliers=0)


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("step", ["race", "averaged", "compare"])
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(step, refit, fits, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    model = copy(fits("default")) if refit else BlindAUCClassifierCV(**FEW)
    before = dict(vars(model))
    monkeypatch.setattr(tuning_module, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(PAPER.X[:, :5], PAPER.y_pu)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
