"""Calibration without negatives: prior, contamination, probabilities and suspicion as functions of the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special

from blindauc._typing import Floats, Ints
from blindauc.estimate import Estimate
from blindauc.prior.expected import among_first, expected_numbers
from blindauc.prior.far import far_probability
from blindauc.prior.plausible import Plausible, limit_of
from blindauc.prior.posterior import contamination_grid, fixed, posterior, prior_grid
from blindauc.prior.result import PriorEstimate
from blindauc.prior.samples import Counts, count
from blindauc.theory import check_chance

N_BINS = 40
"""The largest number of bins of the scores (convention): a few hundred labelled scores cannot resolve more."""


@dataclass(frozen=True)
class ScoreModel:
    """Calibration model: probability and suspicion as step functions of the score, fitted by `fit_score_model`.

    Parameters
    ----------
    estimate : PriorEstimate
    edges : ndarray of shape (n_steps - 1,)
        Upper ends of all steps but the last.
    probabilities, suspicions : ndarray of shape (n_steps,)
        The value of each step, averaged over all mixtures.
    plausible : Plausible
        The mixtures that fit the scores nearly as well as the best one; they determine the intervals.
    labelled_share : float, default=0.0
        The share of labelled rows in the population that the probabilities are about; 0 for unlabelled rows alone.
    """

    estimate: PriorEstimate
    edges: Floats
    probabilities: Floats
    suspicions: Floats
    plausible: Plausible
    labelled_share: float = 0.0

    def probability(self, scores: Any) -> Floats:
        """Return P(positive | score) for rows of the population, non-decreasing in the score."""
        return self.probabilities[self.steps(scores)]

    def probability_interval(self, scores: Any) -> tuple[Floats, Floats]:
        """Return the smallest and the largest P(positive | score) over all plausible mixtures.

        If the prior is not given, the interval spans the probabilities under all plausible priors.
        """
        shares, steps = self.plausible.positive_shares(self.labelled_share), self.steps(scores)
        low = np.minimum(shares.min(axis=0), self.probabilities)
        high = np.maximum(shares.max(axis=0), self.probabilities)
        return low[steps], high[steps]

    def suspicion(self, scores: Any) -> Floats:
        """Return P(mislabelled | labelled, score), non-increasing in the score."""
        return self.suspicions[self.steps(scores)]

    def far(self, scores: Any) -> Floats:
        """Return P(far below both classes | labelled, score), non-increasing in the score."""
        return self.plausible.far[self.steps(scores)]

    def expected_positives(self, scores: Any, k: Any) -> list[Estimate]:
        """Return the expected number of positives among the k highest scores, for each k."""
        counts = self.count(scores)[::-1]
        shares = self.plausible.positive_shares(self.labelled_share)[:, ::-1]
        return expected_numbers(among_first(counts, k), self.probabilities[::-1], shares, self.plausible)

    def expected_wrong(self, counts: Ints, k: Any, n_certain: int = 0) -> list[Estimate]:
        """Return the expected number of wrong labels among the k most suspicious labelled rows, for each k.

        Parameters
        ----------
        counts : ndarray of shape (n_steps,)
            The number of labelled rows in each step.
        k : sequence of int
        n_certain : int, default=0
            The number of labels that are known to be wrong, whatever their scores; they come first.
        """
        ones = np.ones((len(self.plausible.root), 1))
        return expected_numbers(
            among_first(np.append(n_certain, counts), k),
            np.append(1.0, self.suspicions),
            np.hstack([ones, self.plausible.wrong_shares()]),
            self.plausible,
        )

    def count(self, scores: Any) -> Ints:
        """Return the number of scores in each step."""
        return np.bincount(self.steps(scores), minlength=len(self.probabilities))

    def steps(self, scores: Any) -> Ints:
        """Return the index of the step of each score."""
        scores = np.asarray(scores, dtype=np.float64)
        if np.isnan(scores).any():
            raise ValueError("scores holds NaN; drop or impute those rows before scoring.")
        return np.searchsorted(self.edges, scores, side="left")


def fit_score_model(
    pos_scores: Any,
    unl_scores: Any,
    *,
    pos_weight: Any = None,
    unl_weight: Any = None,
    prior: float | None = None,
    contamination: float | None = None,
    confidence: float = 0.95,
) -> ScoreModel:
    """Fit a two-class mixture model: labelled scores `(1-eta) f1 + eta f0`, unlabelled ones `prior f1 + (1-prior) f0`.

    If the prior is given, the probabilities are calibrated. Otherwise they are only as accurate as its estimate, and
    `probability_interval` spans the probabilities under all plausible priors.

    The model averages over a library of class densities f0 and f1 with increasing f1/f0, weighted by their posterior
    (see `blindauc.prior.posterior`). Labelled scores far below both classes also count as contamination. Only ranks
    matter: an increasing transformation of all scores does not change the result.

        probability = prior f1 / (prior f1 + (1-prior) f0)      suspicion = eta f0 / ((1-eta) f1 + eta f0)

    Parameters
    ----------
    pos_scores, unl_scores : array-like of shape (n,)
        Scores of labelled and unlabelled rows, higher for positives, out of fold.
    pos_weight, unl_weight : array-like of shape (n,), optional
        A weight of 2 equals a row given twice.
    prior, contamination : float, optional
        Shares of positives among the unlabelled rows and of wrong labels among the labelled ones, if known. The
        probabilities of the unlabelled rows average to the prior, given or estimated. If the contamination is not
        given, less than half of the labels are assumed to be wrong.
    confidence : float, default=0.95
        Confidence of the intervals.

    Returns
    -------
    ScoreModel

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior import fit_score_model
    >>> rng = np.random.default_rng(0)
    >>> labelled, unlabelled = rng.normal(3, 1, 300), np.r_[rng.normal(3, 1, 300), rng.normal(0, 1, 700)]
    >>> model = fit_score_model(labelled, unlabelled)
    >>> model.estimate.prior.low < 0.3 < model.estimate.prior.high
    True
    >>> model.probability([-1.0, 4.0]).round(1).tolist()
    [0.0, 1.0]
    """
    return explain_scores(
        pos_scores,
        unl_scores,
        pos_weight=pos_weight,
        unl_weight=unl_weight,
        prior=prior,
        contamination=contamination,
        confidence=confidence,
    ).model


@dataclass(frozen=True)
class Explanation:
    """A fitted score model and the AUC that it implies.

    Parameters
    ----------
    model : ScoreModel
    auc : Estimate
        AUC of positives against negatives; at least 0.5, because the model assumes an increasing ratio f1/f0.
    """

    model: ScoreModel
    auc: Estimate


def explain_scores(
    pos_scores: Any,
    unl_scores: Any,
    *,
    pos_weight: Any = None,
    unl_weight: Any = None,
    prior: float | None = None,
    contamination: float | None = None,
    confidence: float = 0.95,
    pos_verdict: Ints | None = None,
) -> Explanation:
    """Fit the model of `fit_score_model`, and return it with the AUC that it implies.

    `pos_verdict` holds the results of checked labels, as in `blindauc.checked`.
    """
    check_chance("confidence", confidence)
    _check_share("prior", prior)
    _check_share("contamination", contamination)
    values, counts = count(pos_scores, unl_scores, pos_weight, unl_weight, pos_verdict)
    far = _far_probability_within(counts, contamination)
    merged, index = counts.without(far).merged(N_BINS)
    far_share = _far_share(counts, far, confidence)
    averages = posterior(
        merged,
        prior_grid() if prior is None else fixed(prior),
        contamination_grid() if contamination is None else fixed(_contamination_of_the_rest(contamination, far_share)),
        confidence,
    )
    wrong_share = (
        _total_contamination(far_share, averages.contamination)
        if contamination is None
        else Estimate(contamination, contamination, contamination, confidence)
    )
    estimate = PriorEstimate(averages.prior, wrong_share, "mixture")
    probability = _calibrated_to(float(estimate.prior), averages.positive_share[index], counts.unlabelled)
    suspicion = far + (1 - far) * averages.wrong_share[index]
    changes = (np.diff(index) != 0) | (np.diff(far) != 0)
    last_of_step = np.append(changes, True)
    plausible = averages.plausible.at(index[last_of_step], far[last_of_step])
    model = ScoreModel(estimate, values[:-1][changes], probability[last_of_step], suspicion[last_of_step], plausible)
    return Explanation(model, averages.auc)


def _far_probability_within(counts: Counts, contamination: float | None) -> Floats:
    """Return the probability of a far label in each bin, scaled down if its mean exceeds a given contamination."""
    far = far_probability(counts)
    share = far @ counts.labelled / counts.labelled.sum()
    return far if contamination is None or share <= contamination else far * (contamination / share)


def _far_share(counts: Counts, far: Floats, confidence: float) -> Estimate:
    """Return the share of far labels with Wilson's interval, or an exact zero if there are none."""
    n = counts.labelled.sum()
    share = float(far @ counts.labelled / n)
    if share == 0:
        return Estimate(0.0, 0.0, 0.0, confidence)
    z = limit_of(confidence)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    width = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return Estimate(share, min(share, centre - width), max(share, centre + width), confidence)


def _contamination_of_the_rest(contamination: float, far_share: float) -> float:
    """Return the contamination of the labels that are not far, from that of all labels."""
    return min(1.0, max(0.0, (contamination - far_share) / (1 - far_share))) if far_share < 1 else 0.0


def _total_contamination(far: Estimate, ordinary: Estimate) -> Estimate:
    """Return the share of wrong labels, far or from the negative class: `far + (1 - far) ordinary`."""
    return Estimate(
        far + (1 - far) * ordinary,
        far.low + (1 - far.low) * ordinary.low,
        far.high + (1 - far.high) * ordinary.high,
        ordinary.confidence,
    )


def _calibrated_to(prior: float, probability: Floats, weight: Floats) -> Floats:
    """Shift all log-odds by a constant such that the weighted mean probability equals the prior."""
    if prior in (0.0, 1.0):
        return np.full(len(probability), prior)
    log_odds = special.logit(np.clip(probability, 1e-9, 1 - 1e-9))
    shift = optimize.brentq(lambda c: weight @ special.expit(log_odds + c) / weight.sum() - prior, -60, 60, xtol=1e-13)
    return special.expit(log_odds + shift)


def _check_share(name: str, share: float | None) -> None:
    if share is not None and not 0 <= share <= 1:
        raise ValueError(f"{name} is a share and must lie in [0, 1], not {share!r}.")
