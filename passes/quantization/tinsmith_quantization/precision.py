"""Bits of each layer's weights: as few bytes as a loss allows, or as little loss as bytes allow.

What a layer costs is measured: with its weights of so many bits and all else float, how far the outputs are from the
float network's, as a mean square on the samples. Such errors of different layers are nearly independent, so they add
up; the choice that minds only their sum is exact, by CP-SAT. What the whole network then loses, `quantize` tells.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph, Node

from tinsmith_quantization.execution import is_real_layer, operand, run_node, with_states
from tinsmith_quantization.layers import integer_layer
from tinsmith_quantization.products import product_of
from tinsmith_quantization.samples import checked_samples
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.statistics import decibels

BITS = (4, 8)
_UNITS = 1 << 40
"""Steps that the largest mean square is counted in, since CP-SAT takes integers."""


@dataclass(frozen=True)
class Sensitivity(Checked):
    """Of a layer with weights of `bits`, all else float. noise: mean square of the outputs' error, as a share of their
    mean square; sqnr_db: the same in decibels.
    """

    name: str
    bits: int
    size_bytes: int
    noise: float

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


@checked
def bits_within(found: Sequence[Sensitivity], size_bytes: int) -> dict[str, int]:
    """The bits of each layer with the least noise whose weights take at most `size_bytes` in all.

    Raises DoesNotFitError where the fewest bits take more.
    """
    least = sum(min(choice.size_bytes for choice in layer) for layer in _layers(found).values())
    if least > size_bytes:
        raise DoesNotFitError(
            f"weights of the fewest bits take {least:,} bytes, available {size_bytes:,} bytes"
        )
    return _chosen(found, lambda choice: choice.noise, lambda choice: choice.size_bytes, size_bytes)


@checked
def bits_above(found: Sequence[Sensitivity], sqnr_db: float) -> dict[str, int]:
    """The bits of each layer that take the fewest bytes while the noise of all keeps outputs above `sqnr_db`.

    Raises UsageError where the most bits lose more.
    """
    least = sum(min(choice.noise for choice in layer) for layer in _layers(found).values())
    most = 10 ** (-sqnr_db / 10)
    if least > most:
        raise UsageError(
            f"expected a signal to noise that weights can keep, at most {decibels(1.0, least):.1f} dB, got {sqnr_db:g}"
        )
    return _chosen(found, lambda choice: choice.size_bytes, lambda choice: choice.noise, most)


def _layers(found: Sequence[Sensitivity]) -> dict[str, list[Sensitivity]]:
    layers: dict[str, list[Sensitivity]] = {}
    for choice in found:
        layers.setdefault(choice.name, []).append(choice)
    return layers


def _chosen(
    found: Sequence[Sensitivity],
    cost: Callable[[Sensitivity], float],
    use: Callable[[Sensitivity], float],
    most: float,
) -> dict[str, int]:
    """One choice for each layer, of least cost in all, that together use at most `most`."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise UsageError(
            "choosing bits of layers needs OR-tools: pip install tinsmith-quantization[mixed]"
        ) from error
    model = cp_model.CpModel()
    layers = _layers(found)
    taken = {
        (name, choice.bits): model.new_bool_var(f"{visible(name)}_{choice.bits}")
        for name, choices in layers.items()
        for choice in choices
    }
    for name, choices in layers.items():
        model.add_exactly_one(taken[name, choice.bits] for choice in choices)
    terms = [(taken[choice.name, choice.bits], choice) for choice in found]
    cost_scale, use_scale = (_scale([each(choice) for choice in found]) for each in (cost, use))
    # Rounded up, so that what is chosen keeps the bound.
    model.add(
        sum(math.ceil(use(choice) * use_scale) * variable for variable, choice in terms)
        <= math.floor(most * use_scale)
    )
    model.minimize(sum(round(cost(choice) * cost_scale) * variable for variable, choice in terms))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same choice in each run
    solver.parameters.catch_sigint_signal = False
    status = solver.solve(model)
    # The callers have seen that there is one.
    assert status == cp_model.OPTIMAL, solver.status_name(status)
    return {
        name: next(choice.bits for choice in choices if solver.value(taken[name, choice.bits]))
        for name, choices in layers.items()
    }


def _scale(numbers: Sequence[float]) -> float:
    """Of numbers that are no integers, such that the largest is _UNITS."""
    if all(float(number).is_integer() for number in numbers):
        return 1.0
    return _UNITS / max(max(numbers), 1e-300)
