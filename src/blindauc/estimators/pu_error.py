"""ERR, ERR-O and ERR-OF: a PU classification error minimised, with outliers and features found in the same fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc.data import Data
from blindauc.estimators.base import PULinearClassifier, as_ranked
from blindauc.estimators.problem import BlindProblem
from blindauc.losses import get_loss
from blindauc.objectives import Objective, PUErrorObjective
from blindauc.trust.judgement import judge_ranks
from blindauc.tuning.evaluation import judged_by_folds
from blindauc.tuning.grid import Candidate

LEAST_PRIOR = 0.01
"""With a prior of nothing, or of everything, the risk would have nothing to tell apart."""


class PUErrorClassifier(PULinearClassifier):
    r"""Linear classification from labelled positives and unlabelled rows that minimises a PU error.

    With :math:`a_i = w^\top x_i + b + \varepsilon_i` for labelled positives, :math:`g_j = w^\top u_j + b` for
    unlabelled rows, the prior :math:`\pi` and a loss :math:`\ell` of the margin, minimises a risk plus the ridges
    of `BlindAUCClassifier`:

    .. math::

        \text{paper:} \quad & \tfrac{1}{n_+} \textstyle\sum_i [\pi \ell(a_i) + (1 - \pi) \ell(-a_i)]
        + \tfrac{1}{n} \sum_j \ell(-g_j) \\
        \text{unbiased:} \quad & \tfrac{\pi}{n_+} \textstyle\sum_i [\ell(a_i) - \ell(-a_i)]
        + \tfrac{1}{n} \sum_j \ell(-g_j) \\
        \text{nonnegative:} \quad & \tfrac{\pi}{n_+} \textstyle\sum_i \ell(a_i) + \max(0,
        \tfrac{1}{n} \sum_j \ell(-g_j) - \tfrac{\pi}{n_+} \sum_i \ell(-a_i))

    "paper" is the error of Ren et al. with its signs repaired, "unbiased" that of du Plessis, Niu and Sugiyama
    (ICML 2015), "nonnegative" that of Kiryo et al. (NeurIPS 2017).

    A shift has no effect where a positive's cost is a line, as it is in the unbiased risk with the logistic loss:
    the weights are the same whatever the shift. So outliers of the "unbiased" and the "nonnegative" risk must be
    trimmed, and asking for shifts there is an error.

    Parameters
    ----------
    n_features_to_select, n_outliers, l2, shift_l2, scaling, sparsity, groups, outlier_handling, leverage_screen
        As in `BlindAUCClassifier`.
    risk : {"paper", "unbiased", "nonnegative"}, default="paper"
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*. The risk needs it: when it is not given, it is estimated by
        the ranks of a fit of the blind AUC, which does not.
    loss : {"logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"} or Loss, default="logistic"
        A piecewise linear loss gives up the side that is cheaper to give up: with a prior far from one half its best
        weights may all be zero.
    calibrate, sampling, threshold, pos_label, solver, max_iter, tol, max_swaps, random_state, verbose, callback
        As in `BlindAUCClassifier`.

    Attributes
    ----------
    coef_, intercept_, support_, shift_, outliers_, prior_, contamination_, auc_, suspicion_, labelled_rows_,
    calibration_, objective_, n_iter_, spread_, n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_
        As in `BlindAUCClassifier`; `intercept_` is minus the threshold of `predict`, not the :math:`b` of the risk.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from blindauc import PUErrorClassifier
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=60, n_outliers=7, random_state=0)
    >>> model = PUErrorClassifier(n_outliers=7, l2=1000, prior=20 / 300).fit(data.X, data.y_pu)
    >>> len(set(model.outliers_) & set(data.outliers))
    7
    >>> bool(roc_auc_score(data.y_test, model.decision_function(data.X_test)) > 0.8)
    True
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        n_outliers: int | float = 0,
        *,
        risk: str = "paper",
        prior: float | None = None,
        l2: float = 1e-3,
        shift_l2: float = 1e-3,
        scaling: str = "none",
        loss: Any = "logistic",
        sparsity: str = "l0",
        groups: Any = None,
        outlier_handling: str = "shift",
        leverage_screen: bool = True,
        calibrate: bool = True,
        sampling: str = "one_sample",
        threshold: str = "probability",
        pos_label: Any = None,
        solver: str = "exchange",
        max_iter: int = 500,
        tol: float = 1e-6,
        max_swaps: int = 50,
        random_state: Any = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            n_outliers,
            l2=l2,
            shift_l2=shift_l2,
            scaling=scaling,
            loss=loss,
            sparsity=sparsity,
            groups=groups,
            outlier_handling=outlier_handling,
            leverage_screen=leverage_screen,
            prior=prior,
            calibrate=calibrate,
            sampling=sampling,
            threshold=threshold,
            pos_label=pos_label,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            max_swaps=max_swaps,
            random_state=random_state,
            verbose=verbose,
            callback=callback,
        )
        self.risk = risk

    has_intercept = True

    def _training_prior(self, data: Data, n_outliers: int) -> float:
        """The prior as given or, by a fit of the blind AUC with a ridge as strong as the data, estimated."""
        if self.prior is not None:
            return self.prior
        problem = BlindProblem(self, data)
        l2 = problem.objective(data, "standard", "logistic").ridge_unit
        share = n_outliers / int(data.is_positive.sum())
        known = judged_by_folds(problem, Candidate("standard", "logistic", l2, share, None))
        ranked = as_ranked(data, known.rank, np.full(len(data.row), 0.5))
        return float(np.clip(judge_ranks(ranked).estimate.prior, LEAST_PRIOR, 1 - LEAST_PRIOR))

    def _objective(self, data: Data, prior: float) -> Objective:
        return PUErrorObjective(
            data.X,
            data.is_positive,
            prior=prior,
            risk=self.risk,
            loss=get_loss(self.loss),
            **self._ridges(data),
        )
