"""Outputs that a later run is given as inputs, such as caches of keys and values: their samples, one quantization for
both, and states in their place.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Array, Graph, State, Value
from tinsmith_ir.printer import print_type
from tinsmith_ir.verify import verify_graph

from tinsmith_quantization.execution import in_turn


def checked_pairs(graph: Graph, pairs: Mapping[str, str]) -> list[tuple[Value, Value]]:
    """The outputs and inputs of `pairs`, output -> input, by name.

    Raises UsageError for names that are no output and no input, or are named twice, and for shapes or element types
    that differ.
    """
    outputs = {value.name: value for value in graph.outputs}
    inputs = {value.name: value for value in graph.inputs}
    found: list[tuple[Value, Value]] = []
    for output, given in pairs.items():
        for name, known, what in ((output, outputs, "an output"), (given, inputs, "an input")):
            if name not in known:
                names = ", ".join(map(visible, known)) or "none"
                raise UsageError(
                    f"pair {visible(output)}={visible(given)}: expected {what} of {names}, got {visible(name)!r}"
                )
        later, now = outputs[output], inputs[given]
        if (later.type.shape, later.type.dtype) != (now.type.shape, now.type.dtype):
            raise UsageError(
                f"pair {visible(output)}={visible(given)}: expected an input of {print_type(later.type)}, "
                f"got {print_type(now.type)}"
            )
        found.append((later, now))
    if len({now.name for _, now in found}) < len(found):
        raise UsageError(
            f"pairs: expected each input once, got {', '.join(visible(now.name) for _, now in found)}"
        )
    return found


@checked
def keep(graph: Graph, pairs: Mapping[str, str]) -> Graph:
    """The network with inputs as states, each of which is in the next run what an output is at the end of this one.

    pairs: output -> input, by name; neither is one any more. States begin as the real number 0. For networks that
    `quantize` made with the same pairs as `same`, folded or not, and for others whose pairs have one type.
    Raises UsageError for pairs that are none (`checked_pairs`), or have two quantizations.
    """
    states: list[State] = []
    for later, now in checked_pairs(graph, pairs):
        if later.type != now.type:
            raise UsageError(
                f"pair {visible(later.name)}={visible(now.name)}: expected one quantization, got "
                f"{print_type(later.type)} and {print_type(now.type)}; quantize with same={{output: input}}"
            )
        states.append(State(now, _zeros(now), later))
    kept = set(pairs.values())
    inputs = tuple(value for value in graph.inputs if value.name not in kept)
    outputs = tuple(value for value in graph.outputs if value.name not in pairs)
    found = Graph(
        graph.name, inputs, outputs, graph.nodes, graph.constants, (*graph.states, *states)
    )
    verify_graph(found)
    return found


def _zeros(value: Value) -> Array:
    quantization = value.type.quantization
    zero = 0 if quantization is None else quantization.zero_point
    return np.full(value.type.shape, zero, value.type.dtype.numpy)


def with_caches(
    graph: Graph, samples: Iterable[Mapping[str, Array]], pairs: Mapping[str, str]
) -> Iterator[dict[str, Array]]:
    """Samples with what the inputs of `pairs` are in each run, of samples that lack these: runs one after another, the
    first with zeros. pairs: output -> input, by name. Raises UsageError as `checked_pairs`.
    """
    found = checked_pairs(graph, pairs)

    def left(run: Mapping[str, Array]) -> dict[str, Array]:
        arrays = {
            value.name: np.asarray(run[value.name]).reshape(value.type.shape)
            for value in graph.inputs
        }
        results = evaluate_graph(graph, arrays) if found else {}
        return {now.name: results[later.name] for later, now in found}

    return in_turn(samples, {now.name: _zeros(now) for _, now in found}, left)


def real_pairs(graph: Graph, pairs: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names of the pairs of float32, which are to have one quantization; see `checked_pairs`."""
    found = checked_pairs(graph, pairs)
    return [(later.name, now.name) for later, now in found if now.type.dtype is DType.FLOAT32]
