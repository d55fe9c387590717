# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Training with the numbers of integers, and the integers that come of it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tinsmith_ir import DType, Graph, Pipeline, UnsupportedError, UsageError, evaluate_graph
from tinsmith_layout.plugin import PLUGIN as LAYOUT
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Scheme, integer_ends, scheme
from tinsmith_quantization.torch_qat import draw_to_integers, prepare_qat
from tinsmith_quantization.torch_ranges import LearnedRange
from tinsmith_quantization.torch_rounding import RoundedLayer, RoundedTensor
from tinsmith_quantization.weights import scales_of
from tinsmith_simplify.plugin import PLUGIN as SIMPLIFY
from tinsmith_torch import import_torch
from torch import Tensor, nn


class Residual(nn.Module):
    """A convolution with its norm, added to what it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(6, 6, 3, padding=1, groups=6, bias=False)
        self.norm = nn.BatchNorm2d(6)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.norm(self.convolution(x)))


def network(curve: nn.Module | None = None) -> nn.Module:
    torch.manual_seed(1)
    net = nn.Sequential(
        *(nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU6(), Residual()),
        *(nn.MaxPool2d(2), nn.Conv2d(6, 8, 1), curve or nn.Hardswish(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(8, 5), nn.Softmax(dim=-1)),
    )
    for _ in range(3):
        net(images(16))  # norms see something
    return net


def images(count: int, seed: int = 2) -> Tensor:
    return torch.randn(count, 2, 6, 6, generator=torch.Generator().manual_seed(seed))


def trained(net: nn.Module) -> nn.Module:
    labels = torch.arange(32) % 5
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for step in range(25):
        optimizer.zero_grad()
        scores = net(images(32, step))
        nn.functional.nll_loss(torch.log(scores + 1e-3), labels).backward()
        optimizer.step()
    return net.eval()


def integers(net: nn.Module) -> Graph:
    passes = [entry.kind() for entry in (*SIMPLIFY.passes, *LAYOUT.passes) if entry.runs]
    graph = import_torch(net, (images(1),), name="g")
    return integer_ends(Pipeline([FoldQuantization(), *passes, *passes]).run(graph).graph)


def results(graph: Graph, x: Tensor) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    quantization = graph.inputs[0].type.quantization
    assert quantization is not None
    low, high = graph.inputs[0].type.dtype.integer_range
    found: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    for image in x.permute(0, 2, 3, 1).numpy()[:, None]:
        steps = np.rint(image / np.float32(quantization.scale)) + quantization.zero_point
        given = np.clip(steps, low, high).astype(graph.inputs[0].type.dtype.numpy)
        (result,) = evaluate_graph(graph, [given]).values()
        found.append(result.astype(np.int64).reshape(-1))
    return np.stack(found)


@pytest.mark.parametrize("name", ["int8", "int4", "ternary", "power-of-two", "int16x8"])
@pytest.mark.parametrize("per_channel", [True, False])
def test_integers_are_what_was_trained(name: str, per_channel: bool) -> None:
    # There is no Hardswish of int16.
    given = network(nn.ReLU() if name == "int16x8" else None)
    net = trained(prepare_qat(given, replace(scheme(name), per_channel=per_channel)))
    graph = integers(net)
    assert not remaining(graph)
    wanted = net(images(50, 99)).detach().numpy()
    output = graph.outputs[0].type.quantization
    assert output is not None
    steps = np.rint(wanted / output.scale) + output.zero_point
    # Operators of int16 look functions up with lines between: a few steps of 1/32768.
    most = 40 if name == "int16x8" else 1
    assert np.abs(results(graph, images(50, 99)) - steps).max() <= most
    assert len(np.unique(steps)) > 5


@pytest.mark.parametrize("name", ["int8", "int4", "power-of-two", "int16x8"])
def test_integers_are_what_was_trained_with_learned_ranges(name: str) -> None:
    given = network(nn.ReLU() if name == "int16x8" else None)
    prepared = prepare_qat(given, replace(scheme(name), method="learned"))
    ranges = [each for each in prepared.modules() if isinstance(each, LearnedRange)]
    for step in range(4):
        prepared(images(32, step))
    begun = [each.quantization() for each in ranges]
    net = trained(prepared)
    assert len(ranges) > 5
    assert name == "power-of-two" or all(
        each.quantization().scale != before.scale
        for each, before in zip(ranges, begun, strict=True)
    )
    graph = integers(net)
    assert not remaining(graph)
    quantization = graph.outputs[0].type.quantization
    assert quantization is not None
    wanted = net(images(50, 99)).detach().numpy()
    steps = np.rint(wanted / quantization.scale) + quantization.zero_point
    most = 40 if name == "int16x8" else 1  # as above
    assert np.abs(results(graph, images(50, 99)) - steps).max() <= most
    assert len(np.unique(steps)) > 5


def test_weights_have_the_bits_of_the_scheme_and_the_ends_have_theirs() -> None:
    graph = integers(trained(prepare_qat(network(), scheme("int4"))))
    weights = [
        node.present_inputs[1].type.dtype
        for node in graph.nodes
        if node.operator.mnemonic in ("conv2d", "depthwise_conv2d", "fully_connected")
    ]
    assert weights == [DType.INT8, DType.INT4, DType.INT4, DType.INT8]


def test_scales_of_weights_are_those_of_quantize() -> None:
    net = trained(prepare_qat(network(), scheme("ternary")))
    layers = [each for each in net.modules() if isinstance(each, RoundedLayer)]
    assert len(layers) == 4
    layer = layers[2]
    weight = next(layer.parameters()).detach().numpy().astype(np.float64)
    wanted = scales_of(weight.reshape(1, len(weight), -1), 2)
    assert np.array_equal(layer.scales.numpy(), wanted.reshape(-1).astype(np.float32))
    assert set(np.unique(layer.integers.numpy())) == {-1, 0, 1}


def test_scales_are_powers_of_two_with_zero_in_the_middle_where_the_scheme_says_so() -> None:
    graph = integers(trained(prepare_qat(network(), scheme("power-of-two"))))
    found = [
        value.type.quantization
        for value in graph.values.values()
        if value.type.quantization is not None and value.type.dtype is DType.INT8
    ]
    scales = np.concatenate([each.scales for each in found])
    assert np.array_equal(np.log2(scales), np.rint(np.log2(scales)))


def test_ranges_are_averages_of_batches_and_gradients_stop_where_they_end() -> None:
    rounded = RoundedTensor(Scheme(), None).train()
    rounded(torch.tensor([-1.0, 1.0]))
    rounded(torch.tensor([-1.0, 11.0]))
    assert (float(rounded.low), float(rounded.high)) == (-1.0, pytest.approx(2.0))
    x = torch.tensor([0.5, 50.0], requires_grad=True)
    result = rounded(x)
    assert isinstance(result, Tensor)
    result.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 0.0]
    assert abs(float(result[0]) - 0.5) <= rounded.quantization().scale / 2


_LEARNED = Scheme(method="learned")


def begun(given: Scheme, *ends: float) -> RoundedTensor:
    """Of batches that end there."""
    rounded = RoundedTensor(given, None).train()
    for _ in range(4):
        rounded(torch.tensor(ends))
    return rounded


def gradients(rounded: RoundedTensor, x: Tensor) -> dict[str, float]:
    result = rounded(x)
    assert isinstance(result, Tensor)
    result.sum().backward()
    return {
        name.removeprefix("_learned."): 0.0 if each.grad is None else float(each.grad)
        for name, each in rounded.named_parameters()
    }


def test_learned_ranges_begin_as_averages_of_the_first_batches() -> None:
    averaged, learned = RoundedTensor(Scheme(), None), RoundedTensor(_LEARNED, None)
    for high in (1.0, 11.0, 3.0, 5.0):
        for each in (averaged, learned):
            each(torch.tensor([-1.0, high]))
    wanted, found = averaged.quantization(), learned.quantization()
    assert found.scale == pytest.approx(wanted.scale, rel=1e-6)
    assert found.zero_point == wanted.zero_point
    learned(torch.tensor([-100.0, 100.0]))  # a batch tells no more
    assert learned.quantization() == found


def test_gradients_of_learned_ranges_are_those_of_rounding_inside_and_of_ends_outside() -> None:
    scale = 4.0 / 255
    # Inside: 10.25 steps become 10; the zero point is -64, so integers reach from -64 to 191 steps.
    inside = gradients(begun(_LEARNED, -1.0, 3.0), torch.tensor([10.25 * scale]))
    assert inside["log_scale"] == pytest.approx(scale * (10 - 10.25) / 255**0.5, rel=1e-3)
    assert inside["offset"] == pytest.approx(0.0, abs=1e-9)
    x = torch.tensor([10.0 * scale, 5.0], requires_grad=True)
    clipped = gradients(begun(_LEARNED, -1.0, 3.0), x)
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 0.0]
    assert clipped["log_scale"] == pytest.approx(scale * 191 / (2 * 255) ** 0.5, rel=1e-3)
    assert clipped["offset"] == pytest.approx(-scale * 255 / (2 * 255) ** 0.5, rel=1e-3)


def test_learned_ranges_grow_to_hold_what_clipping_costs() -> None:
    rounded = begun(_LEARNED, -1.0, 1.0)
    optimizer = torch.optim.Adam(rounded.parameters(), lr=0.02)
    x = torch.linspace(-0.5, 3.0, 200)

    def loss() -> Tensor:
        result = rounded(x)
        assert isinstance(result, Tensor)
        return (result - x).square().mean()

    before = float(loss().detach())
    for _ in range(150):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    assert float(loss().detach()) < before / 1000
    found = rounded.quantization()
    assert found.scale * (127 - found.zero_point) > 2.8


def test_learned_ranges_keep_what_the_scheme_says_and_what_integers_can_be() -> None:
    symmetric = begun(replace(scheme("power-of-two"), method="learned"), -1.0, 3.0)
    names = [name for name, _ in symmetric.named_parameters()]
    assert names == ["_learned.log_scale"]
    with torch.no_grad():
        next(symmetric.parameters()).add_(1.2)  # 1.7 exponents
    found = symmetric.quantization()
    assert (found.scale, found.zero_point) == (2.0**-3, 0)
    far = begun(_LEARNED, -1.0, 3.0)
    with torch.no_grad():
        for each in far.parameters():
            each.sub_(100.0)
    assert (far.quantization().scale, far.quantization().zero_point) == (2.0**-28, -128)
    fixed = RoundedTensor(_LEARNED, found)
    assert not list(fixed.parameters())


def test_weights_of_few_bits_are_drawn_to_their_integers() -> None:
    prepared = prepare_qat(network(), scheme("ternary"))
    layers = [each for each in prepared.modules() if isinstance(each, RoundedLayer)]
    before = [next(layer.parameters()).detach().clone() for layer in layers]
    draw_to_integers(prepared, 0.5)
    halfway = [next(layer.parameters()).detach().clone() for layer in layers]
    draw_to_integers(prepared, 1.0)
    after = [next(layer.parameters()).detach() for layer in layers]
    for at, layer in enumerate(layers):
        if at in (0, 3):  # of 8 bits
            assert torch.equal(before[at], after[at])
            continue
        steps = after[at] / layer.scales.reshape(-1, *[1] * (after[at].dim() - 1))
        assert set(torch.unique(steps).tolist()) == {-1.0, 0.0, 1.0}
        assert torch.allclose(halfway[at], (before[at] + after[at]) / 2)


def test_the_network_that_is_given_stays_what_it_is() -> None:
    net, x = network().eval(), images(4)
    before = net(x)
    trained(prepare_qat(net, scheme("ternary")))
    assert torch.equal(net(x), before)
    assert not net.training


def test_eight_bits_lose_little_at_once() -> None:
    net, x = network().eval(), images(64)
    prepared = prepare_qat(net, scheme("int8"))
    prepared(x)
    assert float((prepared.eval()(x) - net(x)).detach().abs().max()) < 0.02


class Choosing(nn.Module):
    """What it computes depends on its input."""

    def forward(self, x: Tensor) -> Tensor:
        return x if float(x.sum()) > 0 else -x


def test_what_cannot_be_prepared_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"expected a module that torch\.fx can trace"):
        prepare_qat(Choosing(), scheme("int8"))
    with pytest.raises(UsageError, match="expected a module with Conv2d or Linear, got none"):
        prepare_qat(nn.ReLU(), scheme("int8"))
    with pytest.raises(UsageError, match="expected a scheme of signed ends"):
        prepare_qat(nn.Linear(2, 2), scheme("uint8"))
    reflecting = nn.Sequential(nn.Conv2d(1, 1, 3, padding=1, padding_mode="reflect"))
    with pytest.raises(UnsupportedError, match="padded with zeros, got 'reflect'"):
        prepare_qat(reflecting, scheme("int8"))
    unseen = prepare_qat(nn.Sequential(nn.Linear(2, 2, bias=False)), scheme("int8")).eval()
    with pytest.raises(UsageError, match="expected a batch in training before evaluation"):
        unseen(torch.ones(1, 2))
