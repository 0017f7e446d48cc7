"""ERR, ERR-O and ERR-OF of the paper: PU error minimisation with outlier detection and feature selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from blindauc.choice.belief import likeliest_ridge
from blindauc.data import Data
from blindauc.estimators.base import PUClassifier
from blindauc.estimators.blind_auc import blind_auc_risk
from blindauc.estimators.inputs import check_choice
from blindauc.estimators.meaning import as_ranked
from blindauc.estimators.parameters import PUParameters, parameters
from blindauc.evidence.out_of_fold import out_of_fold_of
from blindauc.losses import get_loss
from blindauc.risks import PU_ERROR_RISKS, Risk
from blindauc.scorers import LinearScorer
from blindauc.scorers.spec import Spec
from blindauc.sparsity import AllFeatures
from blindauc.trust.ranks import assess_ranks

LEAST_PRIOR = 0.01
"""Estimated priors are clipped to [0.01, 0.99] (convention): at 0 and 1 the risk does not separate the classes."""


def pu_error_risk(loss: Any, *, name: str, prior: float) -> Risk:
    """The PU error of this name, for a loss and a prior."""
    return PU_ERROR_RISKS[name](get_loss(loss), prior)


@parameters()
class PUErrorProblem(PUParameters):
    """Mix-in of the estimators that minimise a PU error."""

    risk: str = "paper"

    has_intercept: ClassVar[bool] = True

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("risk", self.risk, tuple(PU_ERROR_RISKS))

    def _risk(self, data: Data) -> Callable[[Any], Risk]:
        prior = self.prior if self.prior is not None else estimated_prior(data)
        return partial(pu_error_risk, name=self.risk, prior=prior)


def estimated_prior(data: Data) -> float:
    """The class prior, estimated from the out-of-fold ranks of a blind AUC fit, which needs no prior."""
    data = data.as_numbers()
    n_columns = data.n_features
    scorer = LinearScorer(blind_auc_risk, lambda n: AllFeatures(n_columns), shift_l2=0.0, trim=True)
    first = Spec("standard", "logistic", 1.0, 0.0, n_columns)
    ranks, _ = out_of_fold_of(scorer, data, replace(first, l2=likeliest_ridge(scorer, data, first)))
    # If no rows could be held out, the ranks are uninformative.
    rank = ranks.rank if ranks.is_known else np.full(len(data.row), 0.5)
    return float(np.clip(assess_ranks(as_ranked(data, rank)).estimate.prior, LEAST_PRIOR, 1 - LEAST_PRIOR))


@parameters()
class PUErrorClassifier(PUErrorProblem, PUClassifier):
    r"""Classification from labelled positives and unlabelled rows that minimises a PU error.

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

    A shift has no effect if the loss of a positive is linear, as in the unbiased risk with the logistic loss: the
    weights do not depend on it. So the "unbiased" and the "nonnegative" risk require `outlier_handling="trim"`, and
    "shift" raises an error.

    Parameters
    ----------
    shape, gamma, n_leaves, n_rounds, n_features_to_select, n_outliers, l2, shift_l2, scaling, sparsity, groups
    outlier_handling, leverage_screen, known_negative_share
        As in `BlindAUCClassifier`. With known negatives of weight g the prior in the risk is (1 - g) `prior`.
    risk : {"paper", "unbiased", "nonnegative"}, default="paper"
    prior : float or None, default=None
        The share of positives *among the unlabelled rows*, which the risk needs. If it is not given, it is estimated
        from the out-of-fold ranks of a blind AUC fit, which does not need it.
    loss : {"logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"} or Loss, default="logistic"
        With a piecewise linear loss and a prior far from one half, the optimal weights may all be zero.
    calibrate, sampling, threshold, pos_label, solver, max_iter, tol, max_swaps, random_state, verbose, callback
        As in `BlindAUCClassifier`.

    Attributes
    ----------
    model_, coef_, effects_, importance_, intercept_, support_, shift_, outliers_, leverage_, l2_, prior_,
    contamination_, auc_, suspicion_, labelled_rows_, calibration_, objective_, n_iter_, spread_,
    n_labelled_, n_unlabelled_, classes_, n_features_in_, feature_names_in_, categories_
        As in `BlindAUCClassifier`; `intercept_` is minus the threshold of `predict`, not the :math:`b` of the risk.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from blindauc import PUErrorClassifier
    >>> from blindauc.datasets import make_paper_data
    >>> data = make_paper_data(n_features=60, n_outliers=7, random_state=0)
    >>> model = PUErrorClassifier(n_outliers=7, scaling="none", prior=20 / 300).fit(data.X, data.y_pu)
    >>> len(set(model.outliers_) & set(data.outliers))
    7
    >>> bool(roc_auc_score(data.y_test, model.decision_function(data.X_test)) > 0.8)
    True
    """
