"""Models of every kind, and what is said of their files."""

from functools import cache

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import (
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    DifferenceOfMeans,
    Estimate,
    OneClassRanker,
    PUErrorClassifier,
    PUErrorClassifierCV,
    make_preprocessor,
)
from blindauc.datasets import make_paper_data
from blindauc.losses import SquaredHinge
from blindauc.model_files import ModelFileError, load

pd = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")

DATA = make_paper_data(n_features=8, n_relevant=5, n_pos=30, n_negatives=60, n_outliers=3, random_state=0)
X, Y = DATA.X, DATA.y_pu
PLAIN = {"n_features_to_select": 5, "n_outliers": 2, "l2": 1.0}
QUICK = {"shape": "linear", "cv": 3, "n_repeats": 1, "scaling": ["none"], "l2": [1.0, 10.0], "n_outliers": [0, 0.1]}
TUNED = QUICK | {"n_features_to_select": [5, 3]}
NAMES = [f"variable {i}" for i in range(8)]
MIXED = pd.DataFrame(
    {
        "age": np.where(X[:, 0] > 1, np.nan, X[:, 0]),
        "race": np.where(X[:, 1] > 1, None, np.where(X[:, 2] > 0, "A", "B")),
        "smokes": np.where(X[:, 3] > 0, "yes", "no"),
        "admitted": pd.date_range("2020-01-01", periods=len(X)).strftime("%d.%m.%Y"),
    }
)

MODELS = {
    "blind AUC": lambda: BlindAUCClassifier(**PLAIN).fit(X, Y),
    "blind AUC, uncalibrated": lambda: BlindAUCClassifier(**PLAIN, calibrate=False).fit(X, Y),
    "PU error": lambda: PUErrorClassifier(**PLAIN, prior=0.2).fit(X, Y),
    "blind AUC, tuned": lambda: BlindAUCClassifierCV(**TUNED).fit(X, Y),
    "PU error, tuned": lambda: PUErrorClassifierCV(**TUNED, prior=0.2).fit(X, Y),
    "tuned, too few positives": lambda: BlindAUCClassifierCV(shape="linear").fit(X[20:], Y[20:]),
    "columns with names": lambda: BlindAUCClassifier(**PLAIN).fit(pd.DataFrame(X, columns=NAMES), Y),
    "a row with leverage": lambda: BlindAUCClassifierCV(**TUNED).fit(np.r_[X, 1e3 * np.ones((1, 8))], np.r_[Y, 1]),
    "named classes": lambda: BlindAUCClassifier(pos_label="case").fit(X, np.where(Y == 1, "case", "unknown")),
    "tuned, with every option": lambda: BlindAUCClassifierCV(
        **QUICK | {"cv": list(GroupKFold(3).split(X, Y, np.arange(len(Y)) // 2))},
        loss=[SquaredHinge(), "logistic"],
        sparsity="exclusive_l0",
        groups=[[0, 1, 2], [3, 4], [5, 6, 7]],
        n_features_to_select=[[2, 1, 2], [1, 1, 1]],
        grow_unlabelled=True,
    ).fit(X, Y),
    "odd parameters": lambda: BlindAUCClassifier(
        prior=Estimate(0.2, 0.1, 0.3), random_state=np.random.RandomState(0), l2=np.float64(2)
    ).fit(X, Y),
    "biased SVM": lambda: BiasedSVM(C=1e-3).fit(X, Y),
    "biased SVM, weighted": lambda: BiasedSVM(C=1e-3, pos_weight=3.0).fit(X, Y),
    "one class": lambda: OneClassRanker().fit(X, Y),
    "difference of means": lambda: DifferenceOfMeans().fit(X, Y),
    "scaled": lambda: make_pipeline(StandardScaler(), BlindAUCClassifier(**PLAIN)).fit(X, Y),
    "mixed columns": lambda: make_pipeline(
        make_preprocessor(MIXED), BlindAUCClassifierCV(**TUNED | {"n_features_to_select": [4, 2]})
    ).fit(MIXED, Y),
    "not fitted": lambda: BlindAUCClassifierCV(cv=GroupKFold(3)),
}


@cache
def made(name):
    return MODELS[name]()


def refusal(path):
    with pytest.raises(ModelFileError) as refused:
        load(path)
    line = str(refused.value)
    assert line.startswith(str(path))
    assert line.isprintable()  # so it is one line
    return line
