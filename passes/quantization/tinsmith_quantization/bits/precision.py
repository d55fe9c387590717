"""What bits of each layer's weights do: to the outputs, to the bytes, and, where a caller measures it, to the time.

What a layer loses is measured: with its weights of so many bits and all else float, how far the outputs are from the
float network's, as a mean square on the samples. What a target takes for it only whoever has one can tell. Which bits
to have then, `choosing.py` says.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.graph import Array, Graph, Node

from tinsmith_quantization.execution import is_real_layer, operand, run_node, with_states
from tinsmith_quantization.layers import integer_layer
from tinsmith_quantization.products import product_of
from tinsmith_quantization.samples import checked_samples
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.statistics import decibels

BITS = (4, 8)
"""Those that are measured unless others are asked for."""


@dataclass(frozen=True)
class Sensitivity(Checked):
    """Of a layer with weights of `bits`, all else float. noise: mean square of the outputs' error, as a share of their
    mean square; sqnr_db: the same in decibels. cycles: that the layer takes on a target, or instructions, whatever the
    caller counts in one unit for all; None if that was not measured, as by `sensitivities`.
    """

    name: str
    bits: int
    size_bytes: int
    noise: float
    cycles: int | None = None

    @property
    def sqnr_db(self) -> float:
        """Signal to noise of the outputs."""
        return decibels(1.0, self.noise)


def _tells_nobody(name: str) -> None:
    del name


@checked
def sensitivities(
    graph: Graph,
    samples: Iterable[Mapping[str, Array]],
    scheme: Scheme,
    bits: Sequence[int] = BITS,
    on_step: Callable[[str], None] = _tells_nobody,
) -> tuple[Sensitivity, ...]:
    """Of every layer with weights, for each of `bits`, in the order of the network.

    graph, samples: see `quantize`. Costs an evaluation of what is behind a layer for each, so in all about half as many
    of the network as there are layers times bits. on_step: is told the name of each layer.
    """
    arrays = with_states(graph, checked_samples(graph, samples))
    count = len(next(iter(arrays.values())))
    values: dict[str, Array] = dict(arrays)
    for node in graph.nodes:
        values |= _results(graph, node, values, count)
    found: list[Sensitivity] = []
    for index, node in enumerate(graph.nodes):
        product = product_of(node)
        if product is None or not is_real_layer(graph, node):
            continue
        on_step(node.name)
        source = values[node.present_inputs[0].name]
        for each in bits:
            layer = integer_layer(graph, product, each, scheme, source, source)
            changed = {node.name: layer.results(source)}
            noise = _noise(graph, index, values, changed, count)
            found.append(Sensitivity(node.name, each, layer.loss.size_bytes, noise))
    return tuple(found)


def _results(graph: Graph, node: Node, values: Mapping[str, Array], count: int) -> dict[str, Array]:
    operands = [operand(graph, value, values) for value in node.inputs]
    results = run_node(graph, node, operands, count)
    return {value.name: array for value, array in zip(node.outputs, results, strict=True)}


def _noise(
    graph: Graph, index: int, values: Mapping[str, Array], changed: dict[str, Array], count: int
) -> float:
    """What another result of node `index` does to the outputs: only what depends on it is computed again."""
    for node in graph.nodes[index + 1 :]:
        if any(value.name in changed for value in node.present_inputs):
            changed |= _results(graph, node, {**values, **changed}, count)
    signal = noise = 0.0
    for value in graph.outputs:
        wanted = values[value.name].astype(np.float64)
        signal += float((wanted**2).sum())
        if value.name in changed:
            got = changed[value.name].astype(np.float64)
            noise += float(((wanted - got) ** 2).sum())
    return noise / signal if signal else noise
