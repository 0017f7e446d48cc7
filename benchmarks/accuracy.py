"""Accuracy of tuned linear scores. Tuning uses PU labels only; test labels are used once, at the end.

    python benchmarks/accuracy.py tables    # the paper's Tables 1 and 2; --first 10 for other seeds
    python benchmarks/accuracy.py sparse    # 10 of 200 correlated columns matter, against l1 logistic regressions
    python benchmarks/accuracy.py keel      # ten public sets with 15 % wrong labels
    python benchmarks/accuracy.py leverage  # wrong labels that lie far out in every column
    python benchmarks/accuracy.py clean     # the loss by outlier handling if no label is wrong
    python benchmarks/accuracy.py robust    # AUC, suspicion and false alarms by contamination

Two data sets run in parallel; every line is a mean over seeds. Nonlinear scores are in `benchmarks/shapes.py`.
"""

import argparse
import warnings
from collections.abc import Callable
from time import perf_counter

import numpy as np
from families import FAMILIES, SKLEARN
from joblib import Parallel, delayed
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

ROWS = [(p, 7) for p in range(40, 401, 40)] + [(200, n_outliers) for n_outliers in range(1, 9)]


def f1(support, truth) -> float:
    return 2 * (support & truth).sum() / (support.sum() + truth.sum())


def paper_run(p: int, n_outliers: int, seed: int) -> tuple[float, ...]:
    data = make_paper_data(p, n_outliers, random_state=seed)
    start = perf_counter()
    model = BlindAUCClassifierCV(shape="linear").fit(data.X, data.y_pu)
    seconds = perf_counter() - start
    columns = f1(model.support_, data.support), int(model.support_.sum())
    oracle = BlindAUCClassifierCV(shape="linear", n_outliers=0, n_features_to_select=40)
    clean = np.setdiff1d(np.arange(len(data.X)), data.outliers)
    best_known = f1(oracle.fit(data.X[clean], data.y_pu[clean]).support_, data.support)
    flagged = model.doubtful_labels()
    right = len(set(flagged) & set(data.outliers))
    return auc(model, data.X_test, data.y_test), *columns, best_known, len(flagged), right, seconds


def tables(seeds: range) -> None:
    print(
        f"Tables 1 and 2, BAUC-OF tuned, seeds {seeds[0]} to {seeds[-1]}; F1 of support_, and of an oracle's that knows"
    )
    print("the number of columns and the wrong labels")
    print("    p  outliers   AUC   (sd)     F1   columns   oracle's F1   flagged, of them wrong   seconds")
    means = []
    for p, n_outliers in ROWS:
        runs = np.array(side_by_side(paper_run, [(p, n_outliers, seed) for seed in seeds]))
        mean, deviation = runs.mean(axis=0), runs[:, 0].std(ddof=1)
        means.append(mean[0])
        print(
            f"{p:>5}{n_outliers:>10}{mean[0]:>7.2f}{deviation:>6.2f}{mean[1]:>8.2f}{mean[2]:>10.0f}{mean[3]:>12.2f}"
            f"{mean[4]:>14.1f}{mean[5]:>12.1f}{mean[6]:>13.1f}",
            flush=True,
        )
    print(f"mean over rows {np.mean(means):.2f}")


# --- sparse truth -----------------------------------------------------------------------------------------------------


def l1_of(X, y, data) -> float:
    model = make_pipeline(
        StandardScaler(),
        LogisticRegressionCV(
            Cs=10, l1_ratios=(1.0,), solver="liblinear", scoring="roc_auc", cv=5, use_legacy_attributes=False
        ),
    )
    return auc(model.fit(X, y), data.X_test, data.y_test)


def sparse_run(kind: str, seed: int) -> tuple[float, ...]:
    data = FAMILIES[f"sparse/wide/{kind}"].draw(seed)
    model = BlindAUCClassifierCV(shape="linear").fit(data.X, data.y_pu)
    ours = auc(model, data.X_test, data.y_test)
    return ours, l1_of(data.X, data.y_true, data), l1_of(data.X, data.y_pu, data), f1(model.support_, data.support)


def sparse(seeds: range) -> None:
    print(f"10 of 200 AR(1) columns matter, 500 + 4,500 rows, seeds {seeds[0]} to {seeds[-1]}: AUC, and F1 of support_")
    print(f"{'labels':<12}{'BAUC-OF':>9}{'l1, true labels':>17}{'l1, PU labels':>15}{'F1':>7}")
    for kind in ("clean", "far", "ordinary"):
        mean = np.mean(side_by_side(sparse_run, [(kind, seed) for seed in seeds]), axis=0)
        print(f"{kind:<12}{mean[0]:>9.2f}{mean[1]:>17.2f}{mean[2]:>15.2f}{mean[3]:>7.2f}", flush=True)


# --- public sets ------------------------------------------------------------------------------------------------------


def family_run(name: str, seed: int) -> float:
    data = FAMILIES[name].draw(seed)
    return auc(BlindAUCClassifierCV(shape="linear").fit(data.X, data.y_pu), data.X_test, data.y_test)


def keel(seeds: range) -> None:
    print(
        f"Public sets, 20 % of the positives labelled, 15 % of the labels wrong, seeds {seeds[0]} to {seeds[-1]}: AUC"
    )
    means = []
    for name in (name for name in FAMILIES if name.startswith("keel/")):
        means.append(np.mean(side_by_side(family_run, [(name, seed) for seed in seeds])))
        print(f"  {name:<22}{means[-1]:>7.2f}", flush=True)
    print(f"  {'mean':<22}{np.mean(means):>7.2f}")


# --- leverage ---------------------------------------------------------------------------------------------------------


def leverage_run(seed: int) -> tuple[float, int, int]:
    data = make_paper_data(200, 7, outlier_features="all", random_state=seed)
    model = BlindAUCClassifierCV(shape="linear").fit(data.X, data.y_pu)
    flagged = set(model.doubtful_labels())
    return auc(model, data.X_test, data.y_test), len(flagged & set(data.outliers)), len(flagged)


def leverage(seeds: range) -> None:
    runs = np.mean(side_by_side(leverage_run, [(seed,) for seed in seeds]), axis=0)
    print(f"Outliers in all 200 columns, seeds {seeds[0]} to {seeds[-1]}: AUC {runs[0]:.2f}, ", end="")
    print(f"{runs[1]:.1f} of 7 among {runs[2]:.1f} doubtful labels")


# --- clean positives --------------------------------------------------------------------------------------------------


def loss_on(name: str, seed: int) -> tuple[float, float, float]:
    data = FAMILIES[name].draw(seed)
    with_handling, without = BlindAUCClassifierCV(shape="linear"), BlindAUCClassifierCV(shape="linear", n_outliers=0)
    models = [model.fit(data.X, data.y_pu) for model in (with_handling, without)]
    flagged = 100 * len(with_handling.doubtful_labels()) / data.y_pu.sum()
    return *(auc(model, data.X_test, data.y_test) for model in models), flagged


def clean(seeds: range) -> None:
    print(f"Clean positives: AUC, outlier handling to choose and n_outliers=0; seeds {seeds[0]} to {seeds[-1]}")
    for name in ["paper/p=200 t=0 relevant", *(f"sklearn/{name}/clean" for name in SKLEARN)]:
        chosen, without, flagged = np.mean(side_by_side(loss_on, [(name, seed) for seed in seeds]), axis=0)
        told = f"loss {without - chosen:+.2f}   flagged {flagged:.1f} %"
        print(f"  {name:<30}{chosen:>8.2f}{without:>8.2f}   {told}", flush=True)


# --- contamination ----------------------------------------------------------------------------------------------------

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)


def difference_of_means(data) -> float:
    direction = data.X[data.y_pu == 1].mean(axis=0) - data.X[data.y_pu == 0].mean(axis=0)
    return 100 * roc_auc_score(data.y_test, data.X_test @ direction)


def nnpu(data) -> float:
    model = PUErrorClassifierCV(
        risk="nonnegative",
        loss="sigmoid",
        shape="linear",
        prior=0.2,
        n_outliers=0,
        n_features_to_select=None,
        scaling="standard",
    )
    return auc(model.fit(data.X, data.y_pu), data.X_test, data.y_test)


def robust_run(kind: str, share: float, seed: int) -> list[float]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = make_correlated_data(share, outliers=kind, random_state=seed)
    ours = BlindAUCClassifierCV(shape="linear").fit(data.X, data.y_pu)
    plain = BlindAUCClassifierCV(shape="linear", n_outliers=0).fit(data.X, data.y_pu)
    aucs = [auc(model, data.X_test, data.y_test) for model in (ours, plain)]
    aucs += [l1_of(data.X, data.y_pu, data), nnpu(data), difference_of_means(data)]
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


COMMANDS = {each.__name__: each for each in (tables, sparse, keel, leverage, clean, robust)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(COMMANDS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    arguments = parser.parse_args()
    COMMANDS[arguments.what](range(arguments.first, arguments.first + arguments.seeds))
