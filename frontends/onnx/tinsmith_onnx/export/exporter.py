"""From a Graph to the bytes of an ONNX file."""

from collections.abc import Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.printer import print_node

from tinsmith_onnx.export.forms import natural
from tinsmith_onnx.export.model import DEFAULT_NAME, Model
from tinsmith_onnx.export.operators import REFUSED, RULES
from tinsmith_onnx.export.site import Site
from tinsmith_onnx.export.values import Values

_UNKNOWN = "it has no rule of ONNX; express it by operators that have one"


@checked
def export_onnx(graph: Graph) -> bytes:
    """An ONNX file (operator set 21 of ai.onnx) that computes what the graph says; the same bytes for the same graph.

    Floats stay floats. Operators of integers are written as real numbers between DequantizeLinear and QuantizeLinear,
    whose results are within a step of the graph's; integers that are only moved or compared stay as they are.
    Inputs and outputs keep their names, types and order of axes; inside, images are channels first.
    A state is an input, and what it will be in the next run an output; metadata `tinsmith.state.NAME` has that output's
    name. What a state is at first is the input's default, unless it is zeros.

    Raises UnsupportedError that tells all nodes, or names of values, which ONNX cannot say, with what to do.
    """
    names = [graph.name or DEFAULT_NAME, *graph.values]
    _raise_found(graph, [_of_name(name) for name in names if not _is_sound(name)])
    model = Model(graph.values)
    values = Values(graph, model)
    _raise_found(
        graph, [problem for node in graph.nodes if (problem := _write(node, model, values))]
    )
    remarks = _keep_states(graph, model, values)
    outputs = [*graph.outputs, *(kept for kept in remarks.values())]
    for value in dict.fromkeys(graph.outputs):
        _give(value, value.name, model, values)
    return model.content(
        graph.name,
        [*graph.inputs, *(state.value for state in graph.states)],
        outputs,
        {f"tinsmith.state.{name}": kept.name for name, kept in remarks.items()},
    )


def _raise_found(graph: Graph, problems: Sequence[str]) -> None:
    """One error with all of them, if there are any."""
    if not problems:
        return
    where = f"graph {graph.name!r}"
    lines = [f"{where}: {len(problems)} of its parts cannot be written as ONNX:", *problems]
    raise UnsupportedError("\n  ".join(lines), problems=[f"{where}: {each}" for each in problems])


def _is_sound(name: str) -> bool:
    """Whether a file can have the name: ONNX has no empty ones, and nothing but UTF-8."""
    return bool(name) and name == name.encode("utf-8", "replace").decode("utf-8")


def _of_name(name: str) -> str:
    return f"{print_name(name)}: expected a name of characters that UTF-8 has; rename it"


def _write(node: Node, model: Model, values: Values) -> str:
    """Write one node; what is wrong with it, "" if nothing is."""
    rule = RULES.get(type(node.operator))
    try:
        if rule is None:
            raise UnsupportedError(REFUSED.get(type(node.operator), _UNKNOWN))
        rule(Site(node, model, values))
    except UnsupportedError as error:
        for value in node.outputs:  # that nodes behind it are looked at, too
            values.put(value, natural(len(value.type.shape)), value.name)
        return f"{print_node(node)}: {error}"
    return ""


def _keep_states(graph: Graph, model: Model, values: Values) -> dict[str, Value]:
    """Of each state, by its name, the output of the file that it is in the next run."""
    kept: dict[str, Value] = {}
    for state in graph.states:
        name = model.fresh(f"{state.value.name}_next")
        kept[state.value.name] = Value(name, state.next.type)
        _give(state.next, name, model, values)
        if state.initial.any():
            model.store(state.value.name, state.initial, state.value.type.dtype)
    return kept


def _give(value: Value, name: str, model: Model, values: Values) -> None:
    """Let a tensor of that name be `value`, as the graph has it."""
    found = values.stored(value, natural(len(value.type.shape)))
    if found != name:
        model.node("Identity", [found], [name], {})
