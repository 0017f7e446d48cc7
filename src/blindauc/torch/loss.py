"""The mean pairwise loss of labelled positives against unlabelled rows, as a PyTorch module."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from blindauc.losses import AnalyticLoss, Loss, PiecewiseLoss, get_loss
from blindauc.torch.rows import Rows, read_rows
from blindauc.torch.summary import PairSummary

LARGE_MARGIN = 1e6
"""A margin well inside the increasing branch of a loss, such as a barrier (convention)."""


class BlindAUCLoss(nn.Module):  # type: ignore[misc]
    r"""Mean loss over all pairs of a labelled positive and an unlabelled row, in about linear time.

    .. math:: \frac{\sum_{i \in P, \, j \in U} p_i q_j \, \ell(f_i - f_j)}{\sum_{i \in P, \, j \in U} p_i q_j}

    for scores :math:`f`, weights :math:`p, q`, the unlabelled rows :math:`U` and the labelled positives :math:`P`
    except the `n_outliers` with the largest losses. Value and gradient are those of `blindauc.pairwise_loss`: exact
    over all pairs, which are never formed. The computation runs on the device of the scores, in float64.

    A call with the scores of a batch uses the pairs within the batch. For the loss over the whole data set, add up the
    `summarize` of all batches, then call `share` with each batch: the gradients add up to that of the whole.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"} or Loss, default="logistic"
    n_outliers : int or float, default=0
        The number of labelled positives, or a share below 1, to leave out as outliers. They are those with the lowest
        scores. Ties at the limit are left out in part, each by the same share. "barrier_hinge" also penalises scores
        that are too high, and does not support outliers.

    See Also
    --------
    blindauc.judge : AUC, class prior, wrong labels and calibration from the out-of-fold scores of any model.

    Examples
    --------
    >>> import torch
    >>> from blindauc.torch import BlindAUCLoss
    >>> scores = torch.tensor([2.0, 0.5, -3.0, 0.0, 1.0, -1.0], requires_grad=True)
    >>> labels = torch.tensor([1, 1, 1, 0, 0, 0])
    >>> loss = BlindAUCLoss(n_outliers=1)
    >>> value = loss(scores, labels)
    >>> value.backward()
    >>> print(f"{value:.4f}", [f"{slope:.3f}" for slope in scores.grad[:2]], scores.grad[2] == 0)
    0.3564 ['-0.073', '-0.197'] tensor(True)

    The whole set in two batches:

    >>> batches = [(scores[:2], labels[:2]), (scores[2:], labels[2:])]
    >>> whole = loss.summarize(*batches[0]) + loss.summarize(*batches[1])
    >>> shares = [loss.share(*batch, whole) for batch in batches]
    >>> bool(torch.isclose(sum(shares), value))
    True
    """

    def __init__(self, loss: str | Loss = "logistic", *, n_outliers: float = 0) -> None:
        super().__init__()
        self.loss = get_loss(loss)
        if not isinstance(self.loss, AnalyticLoss | PiecewiseLoss):
            raise TypeError(f"{loss!r} must be an AnalyticLoss or a PiecewiseLoss to be summed over pairs.")
        self.n_outliers = _read_outliers(n_outliers)
        if self.n_outliers and self.loss.derivative(np.array([LARGE_MARGIN])).item() > 0:
            raise ValueError(
                f"The lowest scores do not have the largest losses with {self.loss!r}, which rises for large margins: "
                "set n_outliers=0, or choose another loss."
            )

    def forward(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
        """The mean loss over all pairs of a batch.

        Parameters
        ----------
        scores : Tensor of shape (n,) or (n, 1)
            Higher is more likely positive.
        labels : Tensor of shape (n,) or (n, 1)
            1 or True for labelled positives; 0, -1, False or NaN for unlabelled rows.
        weight : Tensor of shape (n,) or (n, 1), optional
            Non-negative; the weight of a pair is the product of its two weights.

        Returns
        -------
        Tensor of shape ()
            It can be differentiated once.
        """
        rows = read_rows(scores, labels, weight)
        whole = PairSummary.of(rows, self.loss, self.n_outliers)
        return _attached(scores, rows, whole, whole.value)

    def summarize(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> PairSummary:
        """Summarise a batch for the loss over the whole data set; needs no gradient.

        Parameters
        ----------
        scores, labels, weight : as in `forward`
            A batch may hold rows of one kind only.

        Returns
        -------
        PairSummary
            The summary of several batches is their sum; `value` of the sum is the loss over the whole set.
        """
        return PairSummary.of(read_rows(scores, labels, weight), self.loss, self.n_outliers)

    def share(self, scores: Tensor, labels: Tensor, whole: PairSummary, weight: Tensor | None = None) -> Tensor:
        """The contribution of a batch to the loss over the whole data set, with its gradient.

        Values and gradients of all batches add up to those of the whole set, if the scores are the same as those that
        were summarized: no step of the optimizer in between, no dropout, batch normalisation in `eval` mode.

        Parameters
        ----------
        scores, labels, weight : as in `forward`
        whole : PairSummary
            The sum of the summaries of all batches.

        Returns
        -------
        Tensor of shape ()
            The contribution of the pairs of the batch's positives with all unlabelled rows. Its gradient is that of the
            whole loss with respect to the scores of the batch.
        """
        if not isinstance(whole, PairSummary):
            raise TypeError(f"whole must be the sum of what `summarize` returned, not {type(whole).__name__}.")
        rows = read_rows(scores, labels, weight)
        return _attached(scores, rows, whole, whole.value_of(rows))

    def extra_repr(self) -> str:
        """The parameters in `repr`."""
        return f"loss={self.loss!r}, n_outliers={self.n_outliers!r}"


def _attached(scores: Tensor, rows: Rows, whole: PairSummary, value: float) -> Tensor:
    """The value as a node of the autograd graph of the scores."""
    # The gradient of a mean over many rows underflows in half precision.
    dtype = torch.promote_types(scores.dtype, torch.float32)
    result = torch.tensor(value, dtype=dtype, device=scores.device)
    if not (torch.is_grad_enabled() and scores.requires_grad):
        return result
    return _WithGradient.apply(scores, result, whole.gradient(rows).to(dtype).view(scores.shape))


class _WithGradient(torch.autograd.Function):  # type: ignore[misc]
    """A value with a precomputed gradient with respect to the scores."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, value: Tensor, gradient: Tensor) -> Tensor:
        ctx.save_for_backward(gradient)
        return value.clone()

    @staticmethod
    def backward(ctx: Any, by_value: Tensor) -> tuple[Tensor, None, None]:
        if torch.is_grad_enabled():
            raise NotImplementedError(
                "BlindAUCLoss can be differentiated once: call backward or grad without create_graph=True."
            )
        (gradient,) = ctx.saved_tensors
        return gradient * by_value, None, None


def _read_outliers(n_outliers: Any) -> int | float:
    if isinstance(n_outliers, Integral) and not isinstance(n_outliers, bool) and int(n_outliers) >= 0:
        return int(n_outliers)
    if isinstance(n_outliers, Real) and not isinstance(n_outliers, Integral) and 0 <= float(n_outliers) < 1:
        return float(n_outliers)
    raise ValueError(
        f"n_outliers must be a whole number, or a share of the positives from 0 up to 1, not {n_outliers!r}."
    )
