"""Writes a Graph as a TFLite file, whose reference kernels compute the very integers of the evaluator."""

from collections.abc import Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import TinsmithError, UnsupportedError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators.base import Rescaling
from tinsmith_ir.operators.weighted import Weighted
from tinsmith_ir.printer import print_node
from tinsmith_ir.rounding import Rounding

from tinsmith_tflite.exported import EXPORTS, Export, NotSaidError
from tinsmith_tflite.file_writer import FileWriter
from tinsmith_tflite.importer import import_tflite

_DESCRIPTION = "written by Tinsmith"
_BIAS = 2


@checked
def export_tflite(graph: Graph) -> bytes:
    """A TFLite file that computes what the graph does: integers to the bit, if they are rounded as TFLite does.

    Names of inputs, outputs and results stay. Biases get the scales of input times weights.
    Raises UnsupportedError, naming every operator that a TFLite file cannot hold, and why.
    """
    _refuse(graph, ())
    file = FileWriter(_DESCRIPTION)
    biases = _only_biases(graph)
    numbers = {value.name: file.tensor(value.name, value.type) for value in graph.inputs}
    for constant in graph.constants:
        if constant.value.name not in biases:
            value = constant.value
            numbers[value.name] = file.tensor(value.name, value.type, constant.data)
    problems: list[tuple[Node, str]] = []
    for node in graph.nodes:
        for value in node.outputs:
            numbers[value.name] = file.tensor(value.name, value.type)
        try:
            _check_rounding(node)
            EXPORTS[type(node.operator)](Export(graph, node, file, numbers))
        except NotSaidError as error:
            problems.append((node, str(error)))
        except KeyError:
            problems.append((node, f"TFLite has no {node.operator.title}"))
    _refuse(graph, problems)
    data = file.finished(
        [numbers[value.name] for value in graph.inputs],
        [numbers[value.name] for value in graph.outputs],
    )
    _check_read(data, graph.name)
    return data


def _check_read(data: bytes, name: str) -> None:
    """Raise UnsupportedError for what TFLite's kernels do not take, as the importer knows them."""
    try:
        import_tflite(data, source=f"{name}.tflite")
    except TinsmithError as error:
        raise UnsupportedError(
            f"{error}\n(while reading what was written; TFLite would refuse it)"
        ) from error


def _only_biases(graph: Graph) -> set[str]:
    """Constants that are read as a bias of integers alone: these are written anew, with scales."""
    found: set[str] = set()
    for constant in graph.constants:
        name = constant.value.name
        readers = graph.readers(constant.value)
        is_bias = bool(readers) and not graph.is_output(constant.value)
        for node in readers:
            places = [at for at, value in enumerate(node.inputs) if value and value.name == name]
            is_layer = isinstance(node.operator, Weighted) and places == [_BIAS]
            source = node.inputs[0]
            is_bias &= is_layer and source is not None and source.type.quantization is not None
        if is_bias:
            found.add(name)
    return found


def _check_rounding(node: Node) -> None:
    operator = node.operator
    if getattr(operator, "accumulator", None) is not None:
        raise NotSaidError("its result are sums of products that are not rescaled")
    if not isinstance(operator, Rescaling):
        return
    is_rescaled = operator.rescales([value.type for value in node.outputs])
    if is_rescaled and operator.rounding is not Rounding.TFLITE:
        raise NotSaidError(
            f"it rounds by {operator.rounding.value}; set-rounding{{mode=tflite}} lets it round as TFLite does"
        )


def _refuse(graph: Graph, problems: Sequence[tuple[Node, str]]) -> None:
    """Raise UnsupportedError for states, and for operators that cannot be said."""
    if graph.states:
        names = ", ".join(visible(state.value.name) for state in graph.states)
        raise UnsupportedError(
            f"graph {graph.name!r}: expected a network without states for a TFLite file, got {names}"
        )
    if problems:
        lines = [f"{print_node(node)}\n  : {reason}" for node, reason in problems]
        raise UnsupportedError(
            f"{len(problems)} of {len(graph.nodes)} operators cannot be in a TFLite file:\n"
            + "\n".join(lines)
        )
