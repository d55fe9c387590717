"""Layers and networks of int8 as text would be too long for: random weights and scales."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_ir import Array, Graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, lower
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target


def host(cores: int) -> Target:
    """This machine, as if it had so many cores that share calls; one of them does the work of all."""
    chosen, cluster = target("host"), target("pulp-open").board.cluster
    assert cluster is not None
    return replace(chosen, board=replace(chosen.board, cluster=replace(cluster, cores=cores)))


def kernels_of(chosen: Target) -> tuple[Kernel, ...]:
    return (*PulpNnBackend().kernels(chosen), *reference().kernels(chosen))


def check_layer(
    graph: Graph,
    kernel: str,
    cores: int,
    objects: KernelObjects,
    folder: Path,
    inputs: Iterable[Mapping[str, Array]],
) -> None:
    """A graph of one layer becomes one call of the kernel, whose bytes are the evaluator's."""
    chosen = host(cores)
    kernels = kernels_of(chosen)
    (call,) = lower(graph, chosen, kernels).calls
    assert call.kernel == kernel, call.reason
    model = HostModel.of_graph(graph, chosen, kernels, objects, folder)
    for given in inputs:
        assert model.wrong_results(given, graph) == []


def quantization(random: np.random.Generator) -> Quantization:
    scale = float(np.float32(random.uniform(0.02, 0.09)))
    return Quantization.per_tensor(scale, int(random.integers(-100, 100)))


def with_weights(
    operator: Operator,
    shape: Sequence[int],
    weights: Sequence[int],
    axis: int | None,
    *,
    seed: int = 0,
    scale: float = 0.005,
    dtype: DType = DType.INT8,
    lowest: int | None = None,
) -> Graph:
    """A layer with weights and bias. axis: of the weights' scales; None for one scale, near `scale`. dtype, lowest: of
    the weights, which are above the smallest integer if nothing is said.
    """
    random = np.random.default_rng(seed)
    builder = GraphBuilder("layer")
    x = builder.input("x", TensorType(tuple(shape), DType.INT8, quantization(random)))
    count = 1 if axis is None else weights[axis]
    scales = tuple(float(np.float32(s)) for s in random.uniform(0.2 * scale, scale, count))
    low, high = dtype.integer_range
    first = low + 1 if lowest is None else lowest
    data = random.integers(first, high + 1, tuple(weights)).astype(np.int8)
    w = builder.constant("w", data, Quantization(scales, (0,) * count, axis), dtype)
    outputs = weights[-1] if weights[0] == 1 and len(weights) == 4 and axis == 3 else weights[0]
    b = builder.constant("b", random.integers(-3000, 3000, outputs).astype(np.int32))
    return builder.build(builder.add(operator, [x, w, b], "y", quantization(random)))


def without_weights(
    operator: Operator,
    *shapes: Sequence[int],
    seed: int = 0,
    result: Quantization | None = None,
    same: bool = False,
) -> Graph:
    """A layer of inputs alone. same: the result has the first operand's scale."""
    random = np.random.default_rng(seed)
    builder = GraphBuilder("layer")
    inputs: list[Value] = [
        builder.input(f"x{index}", TensorType(tuple(shape), DType.INT8, quantization(random)))
        for index, shape in enumerate(shapes)
    ]
    chosen = inputs[0].type.quantization if same else result or quantization(random)
    return builder.build(builder.add(operator, inputs, "y", chosen))
