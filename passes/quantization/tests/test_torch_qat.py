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
