"""What the tuned estimators reach, tuned with PU labels only: test labels are touched once, at the end.

    python benchmarks/accuracy.py tables    # the paper's Tables 1 and 2; --first 10 for other seeds
    python benchmarks/accuracy.py clean     # does outlier handling cost anything where no label is wrong?
    python benchmarks/accuracy.py robust    # AUC, suspicion and false alarms by contamination

Two data sets run side by side; every line is a mean over seeds.
"""

import argparse
import warnings
from collections.abc import Callable
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV
from blindauc.datasets import make_correlated_data, make_paper_data


def side_by_side(function: Callable, jobs: list) -> list:
    return Parallel(n_jobs=2)(delayed(function)(*job) for job in jobs)


def auc(model, X_test, y_test) -> float:
    return 100 * roc_auc_score(y_test, model.decision_function(X_test))


# --- the paper's tables -----------------------------------------------------------------------------------------------

ROWS = [(40, 7, 87.3), (120, 7, 86.0), (200, 7, 85.5), (280, 7, 85.0), (400, 7, 83.5)]
ROWS += [(200, 1, 86.0), (200, 4, 85.7), (200, 8, 85.3)]


def paper_run(p: int, n_outliers: int, seed: int) -> tuple[float, ...]:
    data = make_paper_data(p, n_outliers, random_state=seed)
    start = perf_counter()
    model = BlindAUCClassifierCV().fit(data.X, data.y_pu)
    seconds = perf_counter() - start
    right = len(set(model.outliers_) & set(data.outliers))
    return auc(model, data.X_test, data.y_test), right, len(model.outliers_), int(model.support_.sum()), seconds


def tables(seeds: range) -> None:
    print(f"Tables 1 and 2, BAUC-OF tuned, seeds {seeds[0]} to {seeds[-1]}")
    print("    p  outliers   AUC   (sd)   bar   left out, of them wrong   columns   seconds")
    for p, n_outliers, bar in ROWS:
        runs = np.array(side_by_side(paper_run, [(p, n_outliers, seed) for seed in seeds]))
        mean, deviation = runs.mean(axis=0), runs[:, 0].std(ddof=1)
        print(
            f"{p:>5}{n_outliers:>10}{mean[0]:>7.2f}{deviation:>6.2f}{bar:>7.1f}{mean[2]:>12.1f}{mean[1]:>12.1f}"
            f"{mean[3]:>13.0f}{mean[4]:>10.1f}{'' if mean[0] >= bar else '   below'}",
            flush=True,
        )


# --- clean positives --------------------------------------------------------------------------------------------------


def real_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    iris, wine, digits, diabetes = load_iris(), load_wine(), load_digits(), load_diabetes()
    some = np.isin(digits.target, (3, 8))
    return {
        "breast cancer": (load_breast_cancer().data, 1 - load_breast_cancer().target),
        "iris: virginica": (iris.data[iris.target > 0], iris.target[iris.target > 0] == 2),
        "wine: second": (wine.data, wine.target == 1),
        "digits: 8 or 3": (digits.data[some], digits.target[some] == 8),
        "digits: even": (digits.data, digits.target % 2 == 0),
        "diabetes: high": (diabetes.data, diabetes.target > 180),
    }


def pu_split(name: str, seed: int) -> tuple[np.ndarray, ...]:
    """Half of the rows to train, and half of the positives there labelled."""
    X, y = real_sets()[name]
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    train, test = np.array_split(order, 2)
    y_pu = np.zeros(len(train), dtype=int)
    positives = np.flatnonzero(y[train])
    y_pu[rng.permutation(positives)[: len(positives) // 2]] = 1
    return X[train], y_pu, X[test], y[test]


def loss_on(name: str, seed: int) -> tuple[float, float]:
    if name == "paper, no outlier":
        data = make_paper_data(200, 0, random_state=seed)
        parts = data.X, data.y_pu, data.X_test, data.y_test
    else:
        parts = pu_split(name, seed)
    X, y_pu, X_test, y_test = parts
    with_handling, without = BlindAUCClassifierCV(), BlindAUCClassifierCV(n_outliers=0)
    return tuple(auc(model.fit(X, y_pu), X_test, y_test) for model in (with_handling, without))


def clean(seeds: range) -> None:
    print(f"Clean positives: AUC, outlier handling to choose and n_outliers=0; seeds {seeds[0]} to {seeds[-1]}")
    for name in ["paper, no outlier", *real_sets()]:
        chosen, without = np.mean(side_by_side(loss_on, [(name, seed) for seed in seeds]), axis=0)
        print(f"  {name:<20}{chosen:>8.2f}{without:>8.2f}   loss {without - chosen:+.2f}", flush=True)


# --- contamination ----------------------------------------------------------------------------------------------------

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)


def difference_of_means(data) -> float:
    direction = data.X[data.y_pu == 1].mean(axis=0) - data.X[data.y_pu == 0].mean(axis=0)
    return 100 * roc_auc_score(data.y_test, data.X_test @ direction)


def l1_logistic(data) -> float:
    model = make_pipeline(
        StandardScaler(),
        LogisticRegressionCV(
            Cs=10, l1_ratios=(1.0,), solver="liblinear", scoring="roc_auc", cv=5, use_legacy_attributes=False
        ),
    )
    return auc(model.fit(data.X, data.y_pu), data.X_test, data.y_test)


def nnpu(data) -> float:
    model = PUErrorClassifierCV(
        risk="nonnegative", loss="sigmoid", prior=0.2, n_outliers=0, n_features_to_select=None, scaling="standard"
    )
    return auc(model.fit(data.X, data.y_pu), data.X_test, data.y_test)


def robust_run(kind: str, share: float, seed: int) -> list[float]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = make_correlated_data(share, outliers=kind, random_state=seed)
    ours = BlindAUCClassifierCV().fit(data.X, data.y_pu)
    plain = BlindAUCClassifierCV(n_outliers=0).fit(data.X, data.y_pu)
    aucs = [auc(model, data.X_test, data.y_test) for model in (ours, plain)]
    aucs += [l1_logistic(data), nnpu(data), difference_of_means(data)]
    flagged = ours.doubtful_labels(max_fdr=0.2)
    right = len(set(flagged) & set(data.outliers))
    false_share = (len(flagged) - right) / max(len(flagged), 1)
    recall = right / max(len(data.outliers), 1)
    covered = ours.auc_.low <= aucs[0] / 100 <= ours.auc_.high
    return [*aucs, len(flagged) / 3, 100 * false_share, 100 * recall, 100 * covered]


def robust(seeds: range) -> None:
    names = ["BAUC-OF", "no outlier handling", "l1 logistic CV", "nnPU", "difference of means"]
    names += ["flagged, % of labels", "false alarms, %", "recall, %", "auc_ interval covers, %"]
    for kind in ("ordinary", "far"):
        columns = [
            np.mean(side_by_side(robust_run, [(kind, share, seed) for seed in seeds]), axis=0) for share in SHARES
        ]
        print(f"\n{kind} negatives among the positives, AUC by their share, seeds {seeds[0]} to {seeds[-1]}")
        print(" " * 26 + "".join(f"{share:>8.0%}" for share in SHARES))
        for k, name in enumerate(names):
            print(f"{name:<26}" + "".join(f"{column[k]:>8.1f}" for column in columns), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("tables", "clean", "robust"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    arguments = parser.parse_args()
    {"tables": tables, "clean": clean, "robust": robust}[arguments.what](
        range(arguments.first, arguments.first + arguments.seeds)
    )
