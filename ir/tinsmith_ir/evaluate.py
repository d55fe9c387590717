"""Runs a Graph in numpy: exact for integers, in the kernels' order of accumulation for float32."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import EvaluationError, TinsmithError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.printer import print_name, print_node, print_type

Inputs = Mapping[str, Array] | Sequence[Array]


@checked
def evaluate_graph(graph: Graph, inputs: Inputs, *, keep: bool = False) -> dict[str, Array]:
    """The outputs by name, of the first run; with `keep`, every input, state and result of a node as well.

    inputs: by name, or in the graph's order, with exactly the declared shapes and dtypes.
    Raises EvaluationError if they differ.
    """
    return next(evaluate_frames(graph, [inputs], keep=keep))


@checked
def evaluate_frames(
    graph: Graph, frames: Iterable[Inputs], *, keep: bool = False
) -> Iterator[dict[str, Array]]:
    """What `evaluate_graph` gives, of one run after another: states are what the run before left.

    frames: the inputs of each run; asked for one at a time.
    """
    states = {state.value.name: state.initial for state in graph.states}
    last_use = {} if keep else last_uses(graph)
    for inputs in frames:
        given = named_inputs(graph.inputs, inputs)
        values: dict[str, Array] = dict(graph.constant_data) | states | given
        for index, node in enumerate(graph.nodes):
            results = evaluate_node(node, values)
            values |= {
                value.name: result for value, result in zip(node.outputs, results, strict=True)
            }
            for name in last_use.get(index, ()):
                del values[name]
        states = {state.value.name: values[state.next.name] for state in graph.states}
        if keep:
            yield {name: values[name] for name in values if name not in graph.constant_data}
        else:
            yield {value.name: values[value.name] for value in graph.outputs}


COMPARED_FRAMES = 3
"""Runs that show what states do: the first, one that finds what it left, and one that finds what that left."""


def compared_frames(inputs: Mapping[str, Array], *, has_states: bool) -> list[Mapping[str, Array]]:
    """The frames on which networks are compared, made of the inputs of one: without states, that one is enough."""
    return [*varied_frames(inputs, COMPARED_FRAMES)] if has_states else [inputs]


def varied_frames(inputs: Mapping[str, Array], count: int) -> Iterator[dict[str, Array]]:
    """`count` frames that differ, made of the inputs of one: their elements, moved on by one each time."""
    for number in range(count):
        yield {
            name: np.roll(array.reshape(-1), number).reshape(array.shape)
            for name, array in inputs.items()
        }


def named_inputs(declared: Sequence[Value], inputs: Inputs) -> dict[str, Array]:
    """`inputs` by name, checked against what is declared."""
    if isinstance(inputs, Mapping):
        by_name = dict(inputs)
    elif len(inputs) == len(declared):
        by_name = {value.name: array for value, array in zip(declared, inputs, strict=True)}
    else:
        raise EvaluationError(f"expected {len(declared)} inputs, got {len(inputs)}")
    unknown = by_name.keys() - {value.name for value in declared}
    if unknown:
        raise EvaluationError(f"expected inputs {_names(declared)}, got also {sorted(unknown)}")
    for value in declared:
        if value.name not in by_name:
            raise EvaluationError(
                f"expected inputs {_names(declared)}, {visible(value.name)} is missing"
            )
        _check(value, by_name[value.name])
    return by_name


def evaluate_node(node: Node, values: Mapping[str, Array]) -> tuple[Array, ...]:
    """The results of one node, whose operands are in `values`."""
    types = [value.type if value else None for value in node.inputs]
    arrays = [values[value.name] if value else None for value in node.inputs]
    outputs = [value.type for value in node.outputs]
    try:
        # Infinity and NaN are results like others, no reason for NumPy to warn.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            results = node.operator.evaluate(arrays, types, outputs)
    except TinsmithError as error:
        raise EvaluationError(f"{node.location}, in\n  {print_node(node)}\n: {error}") from error
    for value, result in zip(node.outputs, results, strict=True):
        _check(value, result)
    return results


def _check(value: Value, array: Array) -> None:
    expected = value.type
    if array.shape != expected.shape or array.dtype != expected.dtype.numpy:
        raise EvaluationError(
            f"{print_name(value.name)}: expected {print_type(expected)}, "
            f"got {array.dtype} of shape {array.shape}"
        )


def last_uses(graph: Graph) -> dict[int, list[str]]:
    """Index of a node -> values that no later one reads, but for constants and what is there at the end of a run."""
    kept = graph.kept.keys() | graph.constant_data.keys()
    last: dict[str, int] = {}
    for index, node in enumerate(graph.nodes):
        for value in (*node.present_inputs, *node.outputs):
            last[value.name] = index
    uses: dict[int, list[str]] = {}
    for name, index in last.items():
        if name not in kept:
            uses.setdefault(index, []).append(name)
    return uses


def _names(values: Sequence[Value]) -> list[str]:
    return [value.name for value in values]


def equal_arrays(first: Array, second: Array) -> bool:
    """Same shape, dtype and bytes (so that 0.0 differs from -0.0, and NaN equals itself)."""
    same = first.shape == second.shape and first.dtype == second.dtype
    return same and np.ascontiguousarray(first).tobytes() == np.ascontiguousarray(second).tobytes()
