"""Random networks with ternary weights: valid behind the pass, within its contract, and the same bytes in C."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from analog_graphs import mapped
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_diana.analog import AnalogConv2D, AnalogReferenceBackend, MapAnalog
from tinsmith_ir import Graph
from tinsmith_ir.operators import Activation, Conv2D, FullyConnected, MaxPool2D
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel
from tinsmith_reference import backend as reference
from tinsmith_target import Target

_SEEDS = range(12)
_ACTIVATIONS = (Activation.NONE, Activation.RELU, Activation.RELU6)


class Layers:
    """Layers of int8 with random ternary weights, whose results have the range that random inputs give them."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng([seed, 0x3E7])
        self._builder = GraphBuilder(f"ternary{seed}")
        shape = (1, self._size(4, 9), self._size(4, 9), self._size(3, 20))
        point = Quantization.per_tensor(0.05, int(self._random.choice([0, -128, 11])))
        self.value = self._builder.input("x", TensorType(shape, DType.INT8, point))

    def graph(self) -> Graph:
        return self._builder.build(self.value)

    def conv(self) -> None:
        side = int(self._random.choice([1, 3, 3, 5]))
        pad = side // 2
        stride = int(self._random.choice([1, 1, 2]))
        operator = Conv2D(
            stride=(stride, stride), padding=(pad, pad, pad, pad), activation=self._activation()
        )
        self._weighted(
            operator, (self._size(4, 24), side, side, self.value.type.shape[3]), side * side
        )

    def pool(self) -> None:
        quantization = self.value.type.quantization
        operator = MaxPool2D(window=(2, 2), padding=(0, 1, 0, 1))
        self.value = self._builder.add(operator, [self.value], "pool", quantization)

    def row(self) -> None:
        elements = self.value.type.elements
        self._weighted(FullyConnected(activation=self._activation()), (10, elements), 1)

    def _weighted(
        self, operator: Conv2D | FullyConnected, shape: tuple[int, ...], taps: int
    ) -> None:
        weights = self._random.integers(-1, 2, shape).astype(np.int8)
        scales = tuple(float(np.float32(self._random.uniform(0.05, 0.08))) for _ in range(shape[0]))
        source = self.value.type.quantization
        assert source is not None
        bias = self._random.integers(-200, 200, shape[0]).astype(np.int32)
        w = self._builder.constant(
            "w", weights, Quantization(scales, (0,) * shape[0], 0), DType.INT2
        )
        operands = [self.value, w, self._builder.constant("b", bias)]
        # Inputs are about as large as 70 of their steps.
        spread = 70 * source.scale * 0.065 * np.sqrt(2 / 3 * taps * shape[-1])
        point = -128 if operator.activation is not Activation.NONE else self._size(-20, 20)
        scale = float(np.float32(4 * spread / 255))
        self.value = self._builder.add(
            operator, operands, "y", Quantization.per_tensor(scale, point)
        )

    def _activation(self) -> Activation:
        return _ACTIVATIONS[int(self._random.integers(len(_ACTIVATIONS)))]

    def _size(self, low: int, high: int) -> int:
        return int(self._random.integers(low, high))


def ternary_network(seed: int) -> Graph:
    """Two convolutions or three, a pool between some, and a row."""
    layers = Layers(seed)
    layers.conv()
    layers.conv()
    if seed % 2:
        layers.pool()
    if seed % 3:
        layers.conv()
    layers.row()
    return layers.graph()


@pytest.mark.parametrize("seed", _SEEDS)
def test_networks_stay_within_the_contract(seed: int) -> None:
    """Each of the samples that losses are measured on; `Pipeline` raises if the graph is not valid."""
    graph = ternary_network(seed)
    samples = [random_inputs(graph, number) for number in range(2)]
    for sample in samples:
        result = Pipeline([MapAnalog(samples=samples)]).run(graph, verify_inputs=sample)
        assert result.records[0].verified


def test_many_layers_become_analog_and_some_read_seven_bits() -> None:
    """What the tests around stand for."""
    found = [mapped(ternary_network(seed))[1] for seed in _SEEDS]
    layers = [layer for mapping in found for layer in mapping.layers]
    count = len(layers) + sum(len(mapping.left) for mapping in found)
    assert len(layers) > 0.7 * count
    bits = Counter(layer.bits for layer in layers)
    assert min(bits[7], bits[8]) > 5
    assert any(mapping.left for mapping in found)


@pytest.fixture(scope="module")
def objects(kernels_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    """The C of the reference kernels and of analog layers."""
    folder = tmp_path_factory.mktemp("analog_networks")
    return KernelObjects.of_repository(kernels_folder, ["reference", "analog"], folder)


@pytest.mark.parametrize("seed", _SEEDS[:6])
def test_c_gives_the_bytes_of_the_evaluator(
    seed: int, host: Target, objects: KernelObjects, tmp_path: Path
) -> None:
    kernels: tuple[Kernel, ...] = (
        *AnalogReferenceBackend().kernels(host),
        *reference().kernels(host),
    )
    graph, _ = mapped(ternary_network(seed))
    assert any(isinstance(node.operator, AnalogConv2D) for node in graph.nodes)
    model = HostModel.of_graph(graph, host, kernels, objects, tmp_path)
    for number in range(3):
        assert model.wrong_results(random_inputs(graph, number), graph) == []
