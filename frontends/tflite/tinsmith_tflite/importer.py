"""From a TFLite file to a Graph: the tensors in use become values, the operators become nodes."""

import os
import pathlib
import struct

from tinsmith_ir.errors import GraphError, ModelError, UnsupportedError
from tinsmith_ir.files import read_file
from tinsmith_ir.graph import Graph, Location, Node, Value
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph

from tinsmith_tflite.context import OperatorContext
from tinsmith_tflite.flatbuffer import Source
from tinsmith_tflite.model_file import FileOperator, ModelFile
from tinsmith_tflite.names import identifier
from tinsmith_tflite.operators import Rule, check_kinds, rule_for
from tinsmith_tflite.scales import check_scales
from tinsmith_tflite.tensors import check_input_signature
from tinsmith_tflite.values import Values

LARGEST_FILE_BYTES = 2**31 - 1
"""What the offsets of a flatbuffer reach."""
_COST_OF_A_SCALE = 32  # in bytes read; many operators may share weights of many channels
_DAMAGE = (
    struct.error,
    IndexError,
    KeyError,
    OverflowError,
    TypeError,
    ValueError,
    ArithmeticError,
)


def import_tflite(
    path_or_bytes: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    source: str | None = None,
) -> Graph:
    """The network in a .tflite file, as a verified Graph.

    path_or_bytes: the file, or its content. name: of the graph; the file's by default. source: what
    messages and locations call the file; its name by default.
    Values are named after the tensors, nodes carry the file and operator they came from. SAME
    padding is made explicit. Tensors that no operator needs are left out.

    Raises ModelError for a file that is damaged or contradicts itself, UnsupportedError for a sound
    one that uses what Tinsmith does not have, UsageError if there is no such file.
    """
    if isinstance(path_or_bytes, bytes):
        return _imported(path_or_bytes, source or "model.tflite", name or "model")
    path = pathlib.Path(path_or_bytes)
    data = read_file(path, "a TFLite model", LARGEST_FILE_BYTES)
    return _imported(data, source or path.name, name or identifier(path.stem))


def _imported(data: bytes, source: str, name: str) -> Graph:
    """The one place where what a damaged file can still upset becomes a ModelError.

    Reading is checked (flatbuffer.py), and so are the numbers that are read; this is the net below.
    """
    try:
        return _graph(ModelFile(data, source), name)
    except GraphError as error:
        raise ModelError(f"{source}: the model breaks a rule of the graph: {error}") from error
    except _DAMAGE as error:
        raise ModelError(
            f"{source}: expected a sound file, got one whose contents do not fit together "
            f"({type(error).__name__}: {error})"
        ) from error


def _graph(file: ModelFile, name: str) -> Graph:
    check_kinds(file.operators(), file.name)
    values = Values(file)
    inputs = tuple(_input(values, index) for index in file.inputs)
    nodes = tuple(_node(values, operator) for operator in file.operators())
    outputs = tuple(_output(values, index) for index in file.outputs)
    graph = Graph(name, inputs, outputs, nodes, tuple(values.constants))
    verify_graph(graph)
    return graph


def _input(values: Values, index: int) -> Value:
    value = values.new(index, "graph input")
    check_input_signature(values.file.tensor(index), values.file.name)
    values.define(index, value)
    return value


def _output(values: Values, index: int) -> Value:
    value = values.known(index)
    if value is None:
        raise ModelError(
            f"{values.file.name}: expected each graph output to be computed, got tensor {index}, "
            "which no operator writes"
        )
    return value


def _node(values: Values, operator: FileOperator) -> Node:
    rule = rule_for(operator, values.file.name)
    index = operator.outputs[0]
    output = values.new(index, str(operator))
    _check_dtype(rule, output, f"{values.file.name}: {operator}")
    options = operator.options or Source(b"", values.file.name).empty_table(str(operator))
    context = OperatorContext(operator, output, options, values)
    converted, operands = rule.convert(context)
    location = Location(values.file.name, f"{operator} '{values.file.tensor(index).name}'")
    node = Node(converted, tuple(operands), (output,), location)
    _check(node, context)
    values.define(index, output)
    return node


def _check_dtype(rule: Rule, output: Value, where: str) -> None:
    dtypes = [dtype.value for dtype in rule.dtypes]
    if output.type.dtype not in rule.dtypes:
        raise UnsupportedError(
            f"{where} -> %{output.name}: expected {' or '.join(dtypes)}, got "
            f"{output.type.dtype.value}; keep this operator out of the model or quantize to int8"
        )


def _check(node: Node, context: OperatorContext) -> None:
    """The operator accepts its operands, and the result is stored as what it makes of them."""
    types = [None if value is None else value.type for value in node.inputs]
    context.values.file.spend(_COST_OF_A_SCALE * sum(_scales(type_) for type_ in types))
    output = node.outputs[0].type
    try:
        inferred = node.operator.infer(types)[0]
        node.operator.verify(types, [output])
    except GraphError as error:
        raise context.error(str(error)) from error
    if (inferred.shape, inferred.dtype) != (output.shape, output.dtype):
        raise context.error(
            f"expected a result {_text(inferred)} of these operands, the file says {_text(output)}"
        )
    try:
        check_scales(node.operator, types, output)
    except GraphError as error:
        raise context.error(str(error)) from error


def _scales(type_: TensorType | None) -> int:
    return 0 if type_ is None or type_.quantization is None else len(type_.quantization.scales)


def _text(type_: TensorType) -> str:
    return f"{type_.dtype.value}{list(type_.shape)}"
