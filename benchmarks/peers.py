"""Methods that users would run instead of blindauc, with their defaults unless they say otherwise, one thread, seed 0.

    from peers import PEERS
    scores = PEERS["forest"](draw)(draw.X_test)

Every peer takes a `Draw` of families.py and returns a function from rows to scores. All but "lightgbm-true" learn from
the PU labels alone; "nnpu" also gets the true class prior of the unlabelled rows, which users would have to guess.
LightGBM needs the extra `[trees]`, "bagged" and "elkan-noto" the extra `[peers]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any

import numpy as np
from families import Draw
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

Scores = Callable[[np.ndarray], np.ndarray]

N_BAGS = 100  # Mordelet and Vert (2014) find no gain with more; pulearn's default is 10


def logistic(draw: Draw) -> Scores:
    """An l2 logistic regression on standardised columns, labelled against unlabelled, with the C of the highest AUC."""
    best_of_ten = LogisticRegressionCV(
        l1_ratios=(0.0,), scoring="roc_auc", cv=5, max_iter=1000, use_legacy_attributes=False
    )
    return positive_probability(make_pipeline(StandardScaler(), best_of_ten).fit(draw.X, draw.y_pu))


def lightgbm(draw: Draw) -> Scores:
    """LightGBM with its defaults, labelled against unlabelled."""
    return positive_probability(boosted_trees().fit(draw.X, draw.y_pu))


def lightgbm_true(draw: Draw) -> Scores:
    """LightGBM with its defaults and the true labels of all training rows, which no PU method has."""
    return positive_probability(boosted_trees().fit(draw.X, draw.y_true))


def forest(draw: Draw) -> Scores:
    """scikit-learn's random forest with its defaults, labelled against unlabelled."""
    return positive_probability(RandomForestClassifier(random_state=0).fit(draw.X, draw.y_pu))


def bagged(draw: Draw) -> Scores:
    """PU bagging (Mordelet and Vert, 2014): 100 trees, all labelled rows against as many random unlabelled ones."""
    from pulearn import BaggingPuClassifier

    n_labelled = int(draw.y_pu.sum())
    peer = BaggingPuClassifier(
        DecisionTreeClassifier(), n_estimators=N_BAGS, max_samples=n_labelled, oob_score=False, random_state=0
    )
    return positive_probability(peer.fit(draw.X, draw.y_pu))


def elkan_noto(draw: Draw) -> Scores:
    """Elkan and Noto (2008) around LightGBM, by pulearn with its default hold-out of 10 %."""
    from pulearn import ElkanotoPuClassifier

    for seed in count():
        try:
            peer = ElkanotoPuClassifier(boosted_trees(), random_state=seed).fit(draw.X, draw.y_pu)
        except ValueError as error:  # with few positives, the hold-out may have none: pulearn needs another draw
            if "hold-out" not in str(error):
                raise
        else:
            return positive_probability(peer)
    raise AssertionError("count() has no end")


def nnpu(draw: Draw) -> Scores:
    """Nonnegative PU risk (Kiryo et al., 2017), sigmoid loss, two hidden layers of 100, given the true prior."""
    scaler = StandardScaler().fit(draw.X)
    X, is_labelled = scaler.transform(draw.X), draw.y_pu == 1
    net = Net(X.shape[1], np.random.default_rng(0))
    fit_nonnegative(net, X[is_labelled], X[~is_labelled], prior=float(draw.y_true[~is_labelled].mean()))
    return lambda rows: net.scores(scaler.transform(rows))


PEERS: dict[str, Callable[[Draw], Scores]] = {
    "logistic": logistic,
    "lightgbm": lightgbm,
    "forest": forest,
    "bagged": bagged,
    "elkan-noto": elkan_noto,
    "nnpu": nnpu,
    "lightgbm-true": lightgbm_true,
}


def boosted_trees() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)


def positive_probability(model: Any) -> Scores:
    return lambda rows: model.predict_proba(rows)[:, 1]


# --- nnPU -------------------------------------------------------------------------------------------------------------

WIDTH = 100
N_EPOCHS, N_BATCHES = 100, 10  # epochs of the authors' experiments; their batches hold a tenth of CIFAR-10
LEARNING_RATE, DECAY = 1e-3, 0.005  # Adam's default, and the authors' weight decay
# Of seven settings tried on seed 100 of the ten keel sets (0 and 0.0005 as decay, 1e-4, 300 epochs), the best.
ADAM_MEANS, ADAM_OFFSET = (0.9, 0.999), 1e-8


class Net:
    """A multilayer perceptron with two hidden layers of rectified units and one output."""

    def __init__(self, n_columns: int, rng: np.random.Generator) -> None:
        sizes = (n_columns, WIDTH, WIDTH, 1)
        # He et al. (2015): variance 2 / n_inputs keeps the spread of rectified units from layer to layer.
        self.weights = [rng.normal(0.0, np.sqrt(2.0 / m), (m, n)) for m, n in pairwise(sizes)]
        self.offsets = [np.zeros(n) for n in sizes[1:]]

    def layers(self, X: np.ndarray) -> list[np.ndarray]:
        """The input, the hidden layers and the output."""
        values = [X]
        for weights, offsets in zip(self.weights[:-1], self.offsets[:-1], strict=True):
            values.append(np.maximum(values[-1] @ weights + offsets, 0.0))
        return [*values, values[-1] @ self.weights[-1] + self.offsets[-1]]

    def scores(self, X: np.ndarray) -> np.ndarray:
        return self.layers(X)[-1][:, 0]

    def gradient(self, layers: list[np.ndarray], slope: np.ndarray) -> list[np.ndarray]:
        """The gradient of the risk with respect to `parameters`, from its derivative with respect to each score."""
        weights, offsets, slopes = [], [], slope[:, None]
        for k in reversed(range(len(self.weights))):
            weights.append(layers[k].T @ slopes)
            offsets.append(slopes.sum(axis=0))
            slopes = (slopes @ self.weights[k].T) * (layers[k] > 0)
        return weights[::-1] + offsets[::-1]

    @property
    def parameters(self) -> list[np.ndarray]:
        return self.weights + self.offsets


def fit_nonnegative(net: Net, labelled: np.ndarray, unlabelled: np.ndarray, prior: float) -> None:
    """Algorithm 1 of Kiryo et al. (2017) with Adam, beta = 0 and gamma = 1."""
    steps = Adam(net.parameters)
    for positives, others in batches(labelled, unlabelled, np.random.default_rng(0)):
        layers = net.layers(np.vstack([positives, others]))
        slope = nonnegative_slope(layers[-1][:, 0], len(positives), prior)
        gradient = net.gradient(layers, slope)
        decay = [DECAY * each for each in net.weights] + [0.0] * len(net.offsets)
        steps.take([g + d for g, d in zip(gradient, decay, strict=True)])


def batches(
    labelled: np.ndarray, unlabelled: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for _ in range(N_EPOCHS):
        parts = [np.array_split(rng.permutation(rows), N_BATCHES) for rows in (labelled, unlabelled)]
        yield from (pair for pair in zip(*parts, strict=True) if len(pair[0]))


def nonnegative_slope(scores: np.ndarray, n_pos: int, prior: float) -> np.ndarray:
    """Derivative with respect to each score of the function that a step decreases; the first `n_pos` rows are labelled.

    With loss(m) = expit(-m), the risk is prior * mean_pos loss(s) + max(0, negative), where
    negative = mean_unl loss(-s) - prior * mean_pos loss(-s). If it is below zero, the step increases `negative` alone.
    """
    loss_of_negative = expit(scores)
    slope = loss_of_negative * (1.0 - loss_of_negative)
    weight = np.full(len(scores), 1.0 / (len(scores) - n_pos))
    weight[:n_pos] = -prior / n_pos
    if weight @ loss_of_negative < 0.0:
        return -weight * slope
    weight[:n_pos] *= 2.0  # loss(s) = 1 - loss(-s), so both terms of the labelled rows have the same slope
    return weight * slope


class Adam:
    """Kingma and Ba (2015), in place."""

    def __init__(self, parameters: list[np.ndarray]) -> None:
        self.parameters, self.n_taken = parameters, 0
        self.means = [np.zeros_like(each) for each in parameters]
        self.squares = [np.zeros_like(each) for each in parameters]

    def take(self, gradient: list[np.ndarray]) -> None:
        self.n_taken += 1
        rates = [1.0 - share**self.n_taken for share in ADAM_MEANS]
        for value, mean, square, slope in zip(self.parameters, self.means, self.squares, gradient, strict=True):
            mean += (1.0 - ADAM_MEANS[0]) * (slope - mean)
            square += (1.0 - ADAM_MEANS[1]) * (slope**2 - square)
            value -= LEARNING_RATE * (mean / rates[0]) / (np.sqrt(square / rates[1]) + ADAM_OFFSET)
