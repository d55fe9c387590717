"""Writes LSTM layers, whose memory is two variable tensors; other states TFLite has no place for."""

from typing import cast

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Lstm
from tinsmith_ir.types import Quantization

from tinsmith_tflite.export.context import NodeContext, Rules
from tinsmith_tflite.export.records import Options, OptionValue
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.schema import activation_code

_GATES = 4
_PROJECTION = 18
_NORMALIZATIONS = 4
_NOTHING = -1
_PLACES = (*range(3, 11), 15, 16, 17, *range(11, 15), 18, 19)
"""Our operands in TFLite's order: weights, recurrent weights, peepholes, biases, projection."""


def kept_states(graph: Graph) -> set[str]:
    """The names of states that variable tensors of LSTMs keep."""
    return {
        value.name
        for node in graph.nodes
        if isinstance(node.operator, Lstm)
        for position in (1, 2)
        if (value := node.inputs[position]) is not None and _is_kept(graph, node, position)
    }


def _is_kept(graph: Graph, node: Node, position: int) -> bool:
    """Whether an operand is a state that begins as zero and that this node alone reads and changes."""
    value, later = node.inputs[position], node.outputs[position]
    for state in graph.states:
        if value is None or state.value.name != value.name:
            continue
        quantization = value.type.quantization
        zero = 0 if quantization is None else quantization.zero_point
        nexts = [other for other in graph.states if other.next.name == later.name]
        return (
            bool((state.initial == zero).all())
            and state.next.name == later.name
            and nexts == [state]
            and graph.readers(value) == (node,)
            and not graph.readers(later)
            and value not in graph.outputs
            and later not in graph.outputs
        )
    return False


def lstm(context: NodeContext) -> None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM."""
    operator, graph = cast("Lstm", context.node.operator), context.writer.graph
    if operator.backwards:
        raise RefusalError(
            "TFLite runs a layer of one way forwards alone; reverse its input and its result by a slice"
        )
    if not all(_is_kept(graph, context.node, position) for position in (1, 2)):
        raise RefusalError(
            "TFLite's layers keep both states by themselves, from zero on; let operands 1 and 2 be states that "
            "begin as zero, whose next are results 1 and 2, and which nothing else reads"
        )
    operands = [context.operand(0), *(context.operand(place) for place in _PLACES)]
    states = [context.writer.variable(context.value(position)) for position in (1, 2)]
    fields: dict[str, OptionValue] = {
        "FusedActivationFunction": activation_code("TANH"),
        "TimeMajor": operator.time_major,
        "CellClip": operator.cell_clip,
        "ProjClip": operator.projection_clip,
    }
    # TFLite Micro, which has int16 alone, counts the operands of layer normalization even where there is none.
    is_micro = context.dtype is DType.INT16
    nothing = [_NOTHING] * _NORMALIZATIONS if is_micro else []
    context.writer.operator(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        1,
        (*operands, *states, *nothing),
        (context.writer.tensor(context.result),),
        Options("UnidirectionalSequenceLSTMOptions", fields),
        _inside(context, operator),
    )


def _inside(context: NodeContext, operator: Lstm) -> tuple[int, ...]:
    """The tensors that tell scales inside a layer of int8: of four gates, which int8 does not read, and of what
    leaves the cells.
    """
    if context.dtype is not DType.INT8:
        return ()
    name = context.node.name
    gates = [context.writer.inside(f"{name}_gate", DType.FLOAT32, None) for _ in range(_GATES)]
    # See the importer: in front of a projection TFLite subtracts it.
    is_projected = context.operand(_PROJECTION) != _NOTHING
    zero_point = operator.hidden_zero_point * (-1 if is_projected else 1)
    if zero_point > DType.INT8.integer_range[1]:
        raise RefusalError(
            "TFLite has no hidden_zero_point of -128 in front of a projection; quantize what leaves the cells again"
        )
    hidden = Quantization.per_tensor(operator.hidden_scale, zero_point)
    return (*gates, context.writer.inside(f"{name}_hidden", DType.INT8, hidden))


def unkept(graph: Graph) -> list[Value]:
    """The states that no LSTM keeps."""
    kept = kept_states(graph)
    return [state.value for state in graph.states if state.value.name not in kept]


RULES: Rules = {Lstm: lstm}
