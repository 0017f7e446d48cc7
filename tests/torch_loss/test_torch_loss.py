"""The loss for torch equals `pairwise_loss`: every loss, at any scale, tied, weighted, trimmed, whole or in batches."""

import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: make test-torch")

from instances import ANALYTIC, LOSSES  # noqa: E402
from numpy.testing import assert_allclose  # noqa: E402
from torch_samples import Sample, drawn  # noqa: E402

from blindauc.pairwise import LARGEST_SCORE, cells  # noqa: E402
from blindauc.rows.device import torch as device_torch  # noqa: E402
from blindauc.torch import BlindAUCLoss  # noqa: E402

no_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
every_device = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=no_gpu)])
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
TRIMMABLE = {name: loss for name, loss in LOSSES.items() if "barrier" not in name}
every_trimmable = pytest.mark.parametrize("loss", TRIMMABLE.values(), ids=TRIMMABLE.keys())

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
