"""Simulated data with known true labels: the paper's generator, and one with correlated features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_random_state

from blindauc._typing import Bools, Floats, Ints
from blindauc.datasets.decimals import six_decimals


@dataclass(frozen=True)
class Dataset:
    """Positive and unlabelled data with the true labels.

    Attributes
    ----------
    X : ndarray of shape (n, p), the training rows
    y_pu : ndarray of shape (n,), 1 for a labelled positive, 0 for an unlabelled row
    y_true : ndarray of shape (n,), the true labels, 1 or 0; a mislabelled positive has y_pu 1 and y_true 0
    support : mask of shape (p,), the relevant columns
    outliers : row numbers of the mislabelled positives
    X_test, y_test : test rows with their true labels
    """

    X: Floats
    y_pu: Ints
    y_true: Ints
    support: Bools
    outliers: Ints
    X_test: Floats
    y_test: Ints


def make_paper_data(
    n_features: int = 200,
    n_outliers: int = 7,
    *,
    n_relevant: int = 40,
    outlier_features: str = "relevant",
    n_pos: int = 100,
    n_hidden_pos: int = 20,
    n_negatives: int = 280,
    n_test_pos: int = 1200,
    n_test_negatives: int = 2800,
    random_state: int | np.random.RandomState | None = None,
) -> Dataset:
    """Draw a data set as in Tables 1 and 2 of the paper.

    Relevant features are N(1, 7^2) for positives and N(-1, 7^2) for negatives, the others N(0, 5^2). Of the labelled
    positives, `n_outliers` are mislabelled; their features are N(-10, 1).

    Parameters
    ----------
    n_features, n_outliers : int
        The numbers of columns and of mislabelled positives.
    n_relevant : int
        The number of relevant columns; these come first.
    outlier_features : {"relevant", "all"}
        Which features of the outliers are N(-10, 1); the paper does not say. "relevant" reproduces its results. With
        "all" the outliers have leverage.
    n_pos : int
        Labelled positives, including the outliers.
    n_hidden_pos, n_negatives : int
        Positives and negatives among the unlabelled rows.
    n_test_pos, n_test_negatives : int
        Positives and negatives among the test rows.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=50, n_outliers=3, random_state=0)
    >>> data.X.shape, int(data.y_pu.sum()), data.outliers.tolist()
    ((400, 50), 100, [97, 98, 99])
    """
    if outlier_features not in ("relevant", "all"):
        raise ValueError(f'outlier_features must be "relevant" or "all", not {outlier_features!r}.')
    if not 0 <= n_outliers <= n_pos:
        raise ValueError(f"n_outliers must be from 0 to n_pos = {n_pos}, not {n_outliers}.")
    if not 1 <= n_relevant <= n_features:
        raise ValueError(f"n_relevant must be from 1 to n_features = {n_features}, not {n_relevant}.")
    rng = check_random_state(random_state)
    support = np.arange(n_features) < n_relevant

    def draw(labels: Ints) -> Floats:
        centre = np.where(support, 2.0 * labels[:, None] - 1.0, 0.0)
        return centre + rng.standard_normal(centre.shape) * np.where(support, 7.0, 5.0)

    y_pu = np.repeat([1, 0], [n_pos, n_hidden_pos + n_negatives])
    y_true = np.repeat([1, 0, 1, 0], [n_pos - n_outliers, n_outliers, n_hidden_pos, n_negatives])
    outliers = np.arange(n_pos - n_outliers, n_pos)
    X = draw(y_true)
    columns = np.flatnonzero(support) if outlier_features == "relevant" else np.arange(n_features)
    X[np.ix_(outliers, columns)] = rng.normal(-10.0, 1.0, (n_outliers, len(columns)))
    y_test = np.repeat([1, 0], [n_test_pos, n_test_negatives])
    return Dataset(X, y_pu, y_true, support, outliers, draw(y_test), y_test)


def make_correlated_data(
    contamination: float = 0.1,
    *,
    outliers: str = "ordinary",
    n_features: int = 50,
    n_relevant: int = 10,
    n_pos: int = 300,
    n_unlabelled: int = 3000,
    prior: float = 0.2,
    auc: float = 0.92,
    n_test: int = 6000,
    random_state: int | np.random.RandomState | None = None,
) -> Dataset:
    """Draw correlated normal features, with a share of negatives among the labelled positives.

    Features i and j have correlation 0.5^|i - j|. The relevant features are chosen at random. Their class means are
    opposite, with random signs, and scaled such that the best linear score has the given AUC.

    Parameters
    ----------
    contamination : float
        The share of the labelled positives that are negatives.
    outliers : {"ordinary", "far"}
        "ordinary" outliers are drawn like all negatives; "far" ones have five times the mean of the negatives.
    n_features, n_relevant, n_pos, n_unlabelled : int
        The numbers of columns, of relevant ones, of labelled positives and of unlabelled rows.
    prior : float
        The share of positives among the unlabelled rows.
    auc : float
        The AUC of the best linear score.
    n_test : int
        The number of test rows, half of them positive.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from blindauc.datasets import make_correlated_data
    >>> data = make_correlated_data(0.1, outliers="far", random_state=0)
    >>> data.X.shape, len(data.outliers), int(data.y_true[data.y_pu == 0].sum())
    ((3300, 50), 30, 600)
    """
    if outliers not in ("ordinary", "far"):
        raise ValueError(f'outliers must be "ordinary" or "far", not {outliers!r}.')
    for name, share in (("contamination", contamination), ("prior", prior)):
        if not 0 <= share < 1:
            raise ValueError(f"{name} is a share and must lie in [0, 1), not {share!r}.")
    rng = check_random_state(random_state)
    places = np.arange(n_features)
    correlation = 0.5 ** np.abs(places[:, None] - places)
    support = np.isin(places, rng.permutation(n_features)[:n_relevant])
    centre = np.where(support, rng.choice([-1.0, 1.0], n_features), 0.0)
    # The best linear score separates the means +-centre by twice this (Mahalanobis) distance.
    distance = np.sqrt(centre @ np.linalg.solve(correlation, centre))
    centre *= ndtri(auc) / np.sqrt(2) / distance
    factor = np.linalg.cholesky(correlation)

    def draw(labels: Ints) -> Floats:
        noise = rng.standard_normal((len(labels), n_features)) @ factor.T
        return six_decimals(np.outer(2.0 * labels - 1.0, centre) + noise)

    n_wrong, n_hidden = round(contamination * n_pos), round(prior * n_unlabelled)
    y_pu = np.repeat([1, 0], [n_pos, n_unlabelled])
    y_true = np.repeat([1, 0, 1, 0], [n_pos - n_wrong, n_wrong, n_hidden, n_unlabelled - n_hidden])
    wrong = np.arange(n_pos - n_wrong, n_pos)
    X = draw(y_true)
    if outliers == "far":
        X[wrong] = six_decimals(X[wrong] - 4.0 * centre)
    y_test = np.repeat([1, 0], [n_test // 2, n_test - n_test // 2])
    return Dataset(X, y_pu, y_true, support, wrong, draw(y_test), y_test)
