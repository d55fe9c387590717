"""Writes a graph as a file: its nodes one after the other, and all that cannot be said in one error."""

from collections import ChainMap

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators.base import Rescaling
from tinsmith_ir.printer import print_node, print_typed
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.verify import verify_graph

from tinsmith_tflite.export import arithmetic, functions, moves, recurrent, reductions, windows
from tinsmith_tflite.export.context import NodeContext, Rules
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.schema import model_bytes
from tinsmith_tflite.export.writer import Writer

_SUBJECTS = (arithmetic, functions, moves, recurrent, reductions, windows)
RULES: Rules = dict(ChainMap(*(dict(subject.RULES) for subject in _SUBJECTS)))


def export_tflite(graph: Graph) -> bytes:
    """The bytes of a .tflite file that computes what `graph` says, the same for the same graph.

    TFLite 2.14's reference kernels give the integers that `evaluate_graph` gives, bit by bit; `import_tflite` reads
    the file as a graph that evaluates to the same bits. Values keep their names.

    Raises UnsupportedError with all nodes that TFLite cannot say, what it would do and what can be done; GraphError
    for a graph that is not verified.
    """
    verify_graph(graph)
    writer = Writer(graph)
    problems: list[str] = []
    for node in graph.nodes:
        try:
            _write(node, writer)
        except RefusalError as error:
            problems.append(f"{print_node(node)}: {error}")
    problems += [
        f"state {print_typed(value)}: TFLite has no place for it; only an lstm keeps its states"
        for value in recurrent.unkept(graph)
    ]
    if problems:
        _refuse(graph, problems)
    return model_bytes(writer.finish())


def _refuse(graph: Graph, problems: list[str]) -> None:
    named = [f"{graph.name}: {problem}" for problem in problems]
    if len(named) == 1:
        raise UnsupportedError(named[0])
    lines = [f"{graph.name}: a TFLite file cannot say {len(problems)} parts of it:"]
    lines += [f"  {problem}" for problem in problems]
    raise UnsupportedError("\n".join(lines), problems=named)


def _write(node: Node, writer: Writer) -> None:
    context = NodeContext(node, writer)
    write = RULES.get(type(node.operator))
    if write is None:
        raise RefusalError(
            f"TFLite has no operator for {node.operator.mnemonic}; leave out the pass that made it, or keep this part "
            "out of the file"
        )
    _check_rounding(node)
    write(context)


def _check_rounding(node: Node) -> None:
    """Raise RefusalError for integers that are rescaled in another way than TFLite's."""
    operator = node.operator
    if not isinstance(operator, Rescaling) or operator.rounding is Rounding.TFLITE:
        return
    types = [value.type for value in (*node.present_inputs, *node.outputs)]
    if all(type_.quantization is None or type_.dtype is DType.FLOAT32 for type_ in types):
        return
    raise RefusalError(
        f"TFLite rounds as rounding=tflite says, got rounding={operator.rounding.value}; run "
        "set-rounding{mode=tflite}"
    )
