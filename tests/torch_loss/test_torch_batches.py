"""What the loss for torch takes: types, labels, graphs and devices, and one line for whatever is wrong."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make test-torch")

from numpy.testing import assert_allclose  # noqa: E402
from torch_samples import drawn, value_and_gradient  # noqa: E402

from blindauc.losses import Loss  # noqa: E402
from blindauc.torch import BlindAUCLoss, PairSummary  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_other_types_are_summed_in_double_precision(dtype):
    sample = drawn()
    scores = sample.scores.detach().to(dtype).requires_grad_()
    value = BlindAUCLoss()(scores, sample.labels)
    value.backward()
    expected, gradient = value_and_gradient(scores.detach().double().numpy(), sample.is_positive)
    assert value.dtype == torch.float32
    assert scores.grad.dtype == dtype
    assert_allclose(value.item(), expected, rtol=1e-7)
    assert_allclose(scores.grad.double(), gradient, rtol=2 * torch.finfo(dtype).eps, atol=1e-7)


@pytest.mark.parametrize("unlabelled", [False, 0, -1, 0.0, torch.nan])
def test_labels_may_be_written_in_many_ways(unlabelled):
    sample = drawn()
    labels = torch.where(sample.labels == 1, torch.tensor(type(unlabelled)(1)), torch.tensor(unlabelled))
    found = BlindAUCLoss()(sample.scores, labels)
    assert found.item() == BlindAUCLoss()(*sample.arguments).item()


def test_the_output_of_a_linear_layer_will_do():
    sample = drawn()
    column = sample.scores.detach()[:, None].requires_grad_()
    value = BlindAUCLoss()(column, sample.labels[:, None].float())
    value.backward()
    sample.scores.grad = column.grad[:, 0]
    sample.assert_found(value.detach(), "logistic")


def test_without_gradients_there_is_only_the_value():
    sample = drawn()
    with torch.no_grad():
        value = BlindAUCLoss()(*sample.arguments)
    assert not value.requires_grad
    assert not BlindAUCLoss()(sample.scores.detach(), sample.labels).requires_grad
    assert_allclose(value.item(), sample.expected("logistic")[0], rtol=1e-10)


def test_a_second_derivative_is_refused():
    sample = drawn()
    value = BlindAUCLoss()(*sample.arguments)
    with pytest.raises(NotImplementedError, match="once: call backward or grad without create_graph=True"):
        torch.autograd.grad(value, sample.scores, create_graph=True)


def test_the_graph_goes_on_before_and_behind():
    """Scores of a net, and a value that is one term of several."""
    sample = drawn()
    slope = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    scores = sample.scores.detach()
    (5 * BlindAUCLoss()(slope * scores, sample.labels) + slope**2).backward()
    _, gradient = value_and_gradient(2 * sample.values, sample.is_positive)
    assert_allclose(slope.grad.item(), 5 * gradient @ sample.values + 4, rtol=1e-10)


def test_a_module_is_a_module():
    module = copy.deepcopy(BlindAUCLoss("squared_hinge", n_outliers=0.1))
    assert repr(module) == "BlindAUCLoss(loss=SquaredHinge(), n_outliers=0.1)"
    assert list(module.parameters()) == []


ONE_OF_EACH = torch.tensor([1, 0])
TWO = torch.tensor([0.5, 1.0])
BAD_BATCHES = {
    "a list": (([0.5, 1.0], ONE_OF_EACH), TypeError, "scores must be a torch tensor, not list: .*as_tensor"),
    "labels as an array": ((TWO, np.ones(2)), TypeError, "labels must be a torch tensor, not ndarray"),
    "whole numbers": ((ONE_OF_EACH, ONE_OF_EACH), ValueError, "scores must be floating-point numbers, not torch.int64"),
    "a matrix": ((torch.zeros(2, 2), ONE_OF_EACH), ValueError, r"scores must hold one number.*got \(2, 2\)"),
    "no rows": ((torch.zeros(0), torch.zeros(0)), ValueError, r"scores must hold one number.*got \(0,\)"),
    "other length": (
        (TWO, torch.ones(3)),
        ValueError,
        "labels must hold one number for each score: 2 scores, 3 labels",
    ),
    "another device": ((TWO, ONE_OF_EACH.to("meta")), ValueError, r"labels is on meta and scores on cpu.*\.to\(scores"),
    "NaN": ((torch.tensor([0.5, torch.nan]), ONE_OF_EACH), ValueError, "scores must be finite.*nan.*learning rate"),
    "infinity": ((torch.tensor([0.5, torch.inf]), ONE_OF_EACH), ValueError, "scores must be finite.*inf"),
    "too large": ((torch.tensor([0.5, -1e16]), ONE_OF_EACH), ValueError, "at most 1e[+]15.*rescale"),
    "strange labels": ((TWO, torch.tensor([1, 2])), ValueError, "labels must be 1 or True.*1 of 2 are neither"),
    "soft labels": ((TWO, torch.tensor([1, 0.5])), ValueError, "labels must be 1 or True.*1 of 2 are neither"),
    "no positive": ((TWO, torch.zeros(2)), ValueError, "no labelled positive.*so there are no pairs: draw batches"),
    "no unlabelled": ((TWO, torch.ones(2)), ValueError, "no unlabelled row.*so there are no pairs: draw batches"),
    "weightless": ((TWO, ONE_OF_EACH, torch.tensor([0.0, 1.0])), ValueError, "no labelled positive with positive wei"),
    "negative weight": ((TWO, ONE_OF_EACH, torch.tensor([1.0, -1.0])), ValueError, "weight must be non-neg.*from -1"),
    "NaN weight": ((TWO, ONE_OF_EACH, torch.tensor([1.0, torch.nan])), ValueError, "weight must be non-negative"),
    "few weights": ((TWO, ONE_OF_EACH, torch.ones(1)), ValueError, "weight must hold one number for each score: 2"),
}


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_BATCHES.values(), ids=BAD_BATCHES.keys())
def test_bad_batches_are_told_in_one_line(arguments, error, message):
    with pytest.raises(error, match=message) as told:
        BlindAUCLoss()(*arguments)
    assert "\n" not in str(told.value)


class Foreign(Loss):
    """A loss that says nothing of how to be summed."""

    convex = True

    def value(self, m):
        return m

    derivative = curvature = value


BAD_OPTIONS = {
    "unknown loss": (("ramp",), {}, ValueError, "Unknown loss 'ramp': choose one of 'logistic'"),
    "foreign loss": ((Foreign(),), {}, TypeError, "AnalyticLoss or a PiecewiseLoss"),
    "negative": ((), {"n_outliers": -1}, ValueError, "n_outliers must be a whole number, or a share.*not -1"),
    "all of them": ((), {"n_outliers": 1.0}, ValueError, "share of the positives from 0 up to 1, not 1.0"),
    "a truth value": ((), {"n_outliers": True}, ValueError, "n_outliers must be a whole number.*not True"),
    "text": ((), {"n_outliers": "1"}, ValueError, "n_outliers must be a whole number.*not '1'"),
    "rising loss": (("barrier_hinge",), {"n_outliers": 1}, ValueError, "BarrierHinge.*rises for large margins: set"),
}


@pytest.mark.parametrize(("positional", "named", "error", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS.keys())
def test_bad_options_are_told_in_one_line(positional, named, error, message):
    with pytest.raises(error, match=message):
        BlindAUCLoss(*positional, **named)


def test_too_many_outliers_for_a_batch_are_told():
    with pytest.raises(
        ValueError, match="n_outliers=2 must leave at least one of the 2 labelled positives: choose few"
    ):
        BlindAUCLoss(n_outliers=2)(torch.arange(3.0), torch.tensor([1, 1, 0]))


def test_summaries_of_different_losses_do_not_mix():
    sample = drawn()
    modules = BlindAUCLoss(), BlindAUCLoss("hinge"), BlindAUCLoss(n_outliers=3)
    logistic, hinge, trimmed = (module.summarize(*sample.arguments) for module in modules)
    assert isinstance(logistic, PairSummary)
    for other in (hinge, trimmed):
        with pytest.raises(ValueError, match="different losses: make them with one and the same BlindAUCLoss"):
            logistic + other
    with pytest.raises(TypeError, match="unsupported operand"):
        logistic + 1
    with pytest.raises(TypeError, match="whole must be the sum of what `summarize` returned, not float"):
        BlindAUCLoss().share(*sample.arguments[:2], 0.5)


def test_a_whole_without_positives_is_told():
    module = BlindAUCLoss()
    summary = module.summarize(TWO, torch.zeros(2))
    with pytest.raises(ValueError, match="no labelled positive"):
        _ = summary.value
