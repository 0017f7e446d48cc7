"""The paper's six systems on its synthetic data: 100 labelled positives, 7 of them wrong, 40 of 200 columns relevant.

Nothing is tuned: every system gets the true counts and one ridge. Run with `make demo`.
"""

from time import perf_counter

from sklearn.metrics import roc_auc_score

from blindauc import SYSTEMS, make_system
from blindauc.datasets import make_paper_data

PRIOR = 20 / 300  # of the 300 unlabelled rows, 20 are positives; only the ERR systems need to know


def main() -> None:
    """Fit all six and print one table."""
    data = make_paper_data(n_features=200, n_outliers=7, random_state=0)
    print(f"{int(data.y_pu.sum())} labelled positives, {len(data.outliers)} of them wrong;")
    print(
        f"{int((data.y_pu == 0).sum())} unlabelled rows; {int(data.support.sum())} of {data.X.shape[1]} columns matter"
    )
    print()
    print(f"{'system':<16}{'test AUC':>9}{'wrong labels found':>21}{'columns found':>16}{'seconds':>10}")
    for name in SYSTEMS:
        for handling in ("shift", "trim") if "-O" in name else ("shift",):
            model = make_system(
                name,
                n_features_to_select=40,
                n_outliers=7,
                l2=1000.0,
                outlier_handling=handling,
                prior=PRIOR,
            )
            start = perf_counter()
            model.fit(data.X, data.y_pu)
            seconds = perf_counter() - start
            auc = roc_auc_score(data.y_test, model.decision_function(data.X_test))
            outliers = (
                f"{len(set(model.outliers_) & set(data.outliers))} of {len(data.outliers)}" if "-O" in name else "-"
            )
            columns = f"{int((model.support_ & data.support).sum())} of 40" if name.endswith("F") else "-"
            label = f"{name}, trimmed" if handling == "trim" else name
            print(f"{label:<16}{100 * auc:>9.1f}{outliers:>21}{columns:>16}{seconds:>10.2f}")


if __name__ == "__main__":
    main()
