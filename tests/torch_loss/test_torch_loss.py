"""The loss for torch equals `pairwise_loss`: every loss, at any scale, tied, weighted, trimmed, whole or in batches."""

import copy
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make test-torch")

from instances import ANALYTIC, LOSSES  # noqa: E402
from numpy.testing import assert_allclose  # noqa: E402

from blindauc import pairwise_loss  # noqa: E402
from blindauc.losses import Loss, PiecewiseLoss  # noqa: E402
from blindauc.pairwise import LARGEST_SCORE, cells  # noqa: E402
from blindauc.rows.device import torch as device_torch  # noqa: E402
from blindauc.torch import BlindAUCLoss, PairSummary  # noqa: E402

no_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
every_device = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=no_gpu)])
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
TRIMMABLE = {name: loss for name, loss in LOSSES.items() if "barrier" not in name}
every_trimmable = pytest.mark.parametrize("loss", TRIMMABLE.values(), ids=TRIMMABLE.keys())


def value_and_gradient(values, is_positive, weight=None, loss="logistic", kept=1.0):
    """What `pairwise_loss` says, in the order of the rows."""
    weight = np.ones(len(values)) if weight is None else weight
    found = pairwise_loss(
        values[is_positive],
        values[~is_positive],
        loss=loss,
        pos_weight=weight[is_positive] * kept,
        unl_weight=weight[~is_positive],
    )
    gradient = np.empty(len(values))
    gradient[is_positive], gradient[~is_positive] = found.pos_gradient, found.unl_gradient
    return found.value, gradient


class Sample:
    """Rows in a random order, with the samples that `pairwise_loss` takes of them."""

    def __init__(self, scores, is_positive, weight=None, device="cpu"):
        order = np.random.default_rng(0).permutation(len(scores))
        self.is_positive, self.weight = is_positive[order], None if weight is None else weight[order]
        self.values = scores[order]
        self.scores = torch.tensor(self.values, device=device, requires_grad=True)
        self.labels = torch.tensor(self.is_positive.astype(int), device=device)
        self.weights = None if weight is None else torch.tensor(self.weight, device=device)

    @property
    def arguments(self):
        return self.scores, self.labels, self.weights

    def batches(self, sizes):
        """The rows in parts of these sizes, as arguments."""
        split = [[None] * len(sizes) if x is None else x.split(sizes) for x in self.arguments]
        return list(zip(*split, strict=True))

    def expected(self, loss, kept=1.0):
        """Value and gradient, with the positives' weights times `kept`."""
        return value_and_gradient(self.values, self.is_positive, self.weight, loss, kept)

    def assert_found(self, value, loss, kept=1.0):
        """The value, and the gradient that was left in the scores."""
        expected, gradient = self.expected(loss, kept)
        assert_allclose(float(value), expected, rtol=1e-10, atol=self.rounding(loss, 0))
        atol = 1e-10 * np.abs(gradient).max() + self.rounding(loss, 1)
        assert_allclose(self.scores.grad.cpu(), gradient, rtol=1e-10, atol=atol)

    def rounding(self, loss, order):
        """What the order of additions makes of powers that cancel, as the two squares of a rounded hinge do.

        The mean size of the terms times the rounding of a number. At scores of 1e9 `pairwise_loss` itself is off by as
        much, in double precision: 1e-8 of the mean of a rounded hinge.
        """
        if not isinstance(loss, PiecewiseLoss):
            return 0.0
        margins = np.abs(self.values[self.is_positive][:, None] - self.values[~self.is_positive])
        powers = loss.powers_of_order(order)
        return np.finfo(float).eps * sum(abs(power.coef) * np.mean(margins**power.degree) for power in powers)


def drawn(n_pos=60, n_unl=170, *, span=3.0, offset=0.0, decimals=None, weighted=False, device="cpu"):
    rng = np.random.default_rng(1)
    scores = offset + span * rng.normal(size=n_pos + n_unl)
    weight = np.where(rng.random(n_pos + n_unl) < 0.2, 0.0, rng.uniform(0.1, 3, n_pos + n_unl)) if weighted else None
    return Sample(
        scores if decimals is None else np.round(scores, decimals), np.arange(len(scores)) < n_pos, weight, device
    )


SAMPLES = {
    "ordinary": {},
    "one pair": {"n_pos": 1, "n_unl": 1},
    "one positive": {"n_pos": 1},
    "tied": {"decimals": 0},
    "all equal": {"span": 0.0},
    "narrow": {"span": 1e-6},
    "far from zero": {"offset": -1e8},
    "wide": {"span": 300.0},
    "wider": {"span": 2e4, "decimals": 0},
    "huge": {"span": 1e9},
    "weighted": {"weighted": True},
    "weighted and wide": {"weighted": True, "span": 5e3, "decimals": -3},
}
every_sample = pytest.mark.parametrize("options", SAMPLES.values(), ids=SAMPLES.keys())


@every_device
@every_sample
@every_loss
def test_value_and_gradient_are_those_of_pairwise_loss(loss, options, device):
    sample = drawn(**options, device=device)
    value = BlindAUCLoss(loss)(*sample.arguments)
    value.backward()
    assert value.dtype == torch.float64
    sample.assert_found(value.detach(), loss)


@every_device
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_many_rows_in_blocks_are_those_of_pairwise_loss(loss, device):
    """More rows than a block holds."""
    sample = drawn(100_000, 200_000, device=device)
    assert len(sample.values) > device_torch.CPU_BLOCK
    value = BlindAUCLoss(loss)(*sample.arguments)
    value.backward()
    sample.assert_found(value.detach(), loss)


@pytest.mark.parametrize("options", [{"weighted": True}, {"span": 1e5}, {"span": 1e5, "weighted": True}])
def test_tables_and_blocks_may_be_small(options, monkeypatch):
    monkeypatch.setattr(device_torch, "CPU_BLOCK", 7)
    monkeypatch.setattr(cells, "MAX_CELLS", 5)
    sample = drawn(**options)
    value = BlindAUCLoss()(*sample.arguments)
    value.backward()
    sample.assert_found(value.detach(), "logistic")


@pytest.mark.parametrize("loss", ANALYTIC.values(), ids=ANALYTIC.keys())
def test_the_largest_scores_are_summed_as_well(loss):
    scores = np.array([-LARGEST_SCORE, -3.7, 0.0, 1e6, LARGEST_SCORE, LARGEST_SCORE - 2.125, 12.25, 1e6 + 1.1])
    sample = Sample(scores, np.arange(8) < 5)
    value = BlindAUCLoss(loss)(*sample.arguments)
    value.backward()
    sample.assert_found(value.detach(), loss)


@pytest.mark.parametrize("options", [{}, {"decimals": 0}, {"weighted": True}, {"span": 1e5, "weighted": True}])
def test_what_gpus_do_is_right_on_a_cpu(options, monkeypatch):
    monkeypatch.setattr(device_torch.TorchArrays, "has_many_threads", True)
    monkeypatch.setattr(device_torch, "by_index", None)
    sample = drawn(**options)
    value = BlindAUCLoss()(*sample.arguments)
    value.backward()
    sample.assert_found(value.detach(), "logistic")


@pytest.mark.parametrize("n_places", [50, 2**15 - 1, 2**15, 10**5])
def test_adding_by_sorting_equals_adding_by_index(n_places):
    """What GPUs do, here on the CPU; first and last place in use, some in between empty."""
    rng = np.random.default_rng(0)
    index = torch.tensor(np.r_[0, n_places - 1, rng.integers(0, n_places, 500)])
    values = torch.tensor(rng.normal(size=502))
    order, add = device_torch.by_sorting(index, n_places)
    assert_allclose(add(values[order]), device_torch.by_index(index, n_places)(values), rtol=1e-13, atol=1e-15)


def kept_weights(sample, n_outliers):
    """Of each positive: 0 for the lowest of positive weight, a share for those that tie at the limit."""
    pos = sample.is_positive
    weight = np.ones(len(sample.values)) if sample.weight is None else sample.weight
    scores, counted = sample.values[pos], weight[pos] > 0
    cut = np.sort(scores[counted])[n_outliers - 1]
    n_tied, n_below = (scores[counted] == cut).sum(), (scores[counted] < cut).sum()
    return np.where(scores == cut, 1 - (n_outliers - n_below) / n_tied, scores > cut)


@every_device
@every_trimmable
@pytest.mark.parametrize("options", [{}, {"decimals": 0}, {"weighted": True}, {"span": 1e4}])
@pytest.mark.parametrize("n_outliers", [1, 9, 0.2])
def test_outliers_are_left_out(loss, options, n_outliers, device):
    sample = drawn(n_pos=50, **options, device=device)
    value = BlindAUCLoss(loss, n_outliers=n_outliers)(*sample.arguments)
    value.backward()
    weight = np.ones(len(sample.values)) if sample.weight is None else sample.weight
    n_pos = np.count_nonzero(weight[sample.is_positive])
    count = n_outliers if isinstance(n_outliers, int) else round(0.2 * n_pos)
    sample.assert_found(value.detach(), loss, kept_weights(sample, count))


@every_trimmable
def test_outliers_have_the_largest_losses(loss):
    sample = drawn(30, 50)
    BlindAUCLoss(loss, n_outliers=5)(*sample.arguments).backward()
    pos = sample.is_positive
    losses = loss.value(sample.values[pos][:, None] - sample.values[~pos]).mean(axis=1)
    left_out = np.argsort(losses)[-5:]
    assert (sample.scores.grad.numpy()[pos][left_out] == 0).all()


def test_a_share_that_rounds_to_none_leaves_out_none():
    sample = drawn(4)
    value = BlindAUCLoss(n_outliers=0.1)(*sample.arguments)
    assert_allclose(value.item(), sample.expected("logistic")[0], rtol=1e-12)


@every_device
@every_loss
@pytest.mark.parametrize("options", [{}, {"decimals": 0}, {"span": 1e4, "weighted": True}])
@pytest.mark.parametrize("n_outliers", [0, 7])
def test_batches_add_up_to_the_whole(loss, options, n_outliers, device):
    """Also where a batch has rows of one kind only, and whatever the order of the batches."""
    if n_outliers and loss not in TRIMMABLE.values():
        pytest.skip("takes no outliers")
    sample = drawn(n_pos=40, n_unl=60, **options, device=device)
    module = BlindAUCLoss(loss, n_outliers=n_outliers)
    batches = sample.batches([40, 35, *[1] * 25])
    with torch.no_grad():
        first, *others = [module.summarize(*batch) for batch in batches[::-1]]
    whole = sum(others, start=first)
    shares = [module.share(*batch[:2], whole, *batch[2:]) for batch in batches]
    sum(shares).backward()
    kept = kept_weights(sample, n_outliers) if n_outliers else 1.0
    sample.assert_found(sum(shares).detach(), loss, kept)
    assert_allclose(whole.value, sample.expected(loss, kept)[0], rtol=1e-10)


def test_a_summary_is_small_and_can_be_sent():
    sample = drawn(5_000, 20_000)
    module = BlindAUCLoss()
    summary = module.summarize(*sample.arguments)
    sent = pickle.dumps(summary)
    assert len(sent) < 10_000
    assert pickle.loads(sent).value == summary.value
    assert repr(summary) == "PairSummary(Logistic(), weight of positives 5000, of unlabelled 20000)"
    with_outliers = BlindAUCLoss(n_outliers=0.1).summarize(*sample.arguments)
    assert pickle.loads(pickle.dumps(with_outliers)).value == with_outliers.value


@every_loss
def test_gradients_are_derivatives(loss):
    """By finite differences of torch's own, away from kinks."""
    scores = torch.tensor([0.31, -1.27, 2.9, 0.05, 1.42, -0.66, 0.0], dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([True, True, False, False, True, False, False])
    weight = torch.tensor([1.0, 2.0, 0.5, 1.0, 0.0, 3.0, 1.0])
    assert torch.autograd.gradcheck(lambda s: 3 * BlindAUCLoss(loss)(s, labels, weight), scores)


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
    "a matrix": ((torch.zeros(2, 2), ONE_OF_EACH), ValueError, r"scores must hold one number.*\(2, 2\) came"),
    "no rows": ((torch.zeros(0), torch.zeros(0)), ValueError, r"scores must hold one number.*\(0,\) came"),
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
