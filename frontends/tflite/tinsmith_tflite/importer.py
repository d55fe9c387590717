"""From a TFLite file to a Graph: the tensors in use become values, the operators become nodes."""

import os
import pathlib
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError, ModelError, UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.files import read_file
from tinsmith_ir.graph import Constant, Graph, Node, State, Value
from tinsmith_ir.names import identifier
from tinsmith_ir.operators import Cast, Trait
from tinsmith_ir.operators.checks import CONVERTED_DTYPES
from tinsmith_ir.problems import Problems
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph

from tinsmith_tflite.context import OperatorContext
from tinsmith_tflite.folding import Foldable, fold
from tinsmith_tflite.model_file import FileOperator, ModelFile
from tinsmith_tflite.operators import supported, unknown, with_custom
from tinsmith_tflite.rules import Rule, check_rule
from tinsmith_tflite.tensors import check_input_signature
from tinsmith_tflite.unrolling import Unrolling
from tinsmith_tflite.unsigned import CONVERSIONS, UNSIGNED
from tinsmith_tflite.values import Values
from tinsmith_tflite.variables import KINDS, Variables

LARGEST_FILE_BYTES = 2**31 - 1
"""What the offsets of a flatbuffer reach."""
_MOST_PARTS = 1 << 14
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


@checked
def import_tflite(
    path_or_bytes: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    source: str | None = None,
    on_warning: Callable[[str], None] = lambda _: None,
    custom: Mapping[str, Rule] | None = None,
    widen_weights: bool = False,
) -> Graph:
    """The network in a .tflite file, as a verified Graph.

    path_or_bytes: the file, or its content. name: of the graph; the file's by default. source: what
    messages and locations call the file; its name by default. on_warning: is told what a user should
    know of a model that was imported. custom: how custom operators are imported, by their name in the file.
    widen_weights: whether int8 weights beside float32 activations become float32, which is more exact and four times as
    large; else the activations become integers in each run, as in TFLite.
    Values are named after the tensors, nodes carry the file and operator they came from. SAME
    padding is made explicit. Tensors that no operator needs are left out.

    Raises ModelError for a file that is damaged or contradicts itself, UnsupportedError for a sound
    one that uses what Tinsmith does not have, UsageError if there is no such file.
    """
    rules = with_custom(custom or {})
    if isinstance(path_or_bytes, bytes):
        return _imported(
            path_or_bytes,
            source or "model.tflite",
            name or "model",
            on_warning,
            rules,
            widen_weights,
        )
    path = pathlib.Path(path_or_bytes)
    data = read_file(path, "a TFLite model", LARGEST_FILE_BYTES)
    found = name or identifier(path.stem)
    return _imported(data, source or path.name, found, on_warning, rules, widen_weights)


def _imported(
    data: bytes,
    source: str,
    name: str,
    on_warning: Callable[[str], None],
    rules: Mapping[str, Rule],
    widen_weights: bool,
) -> Graph:
    """The one place where what a damaged file can still upset becomes a ModelError.

    Reading is checked (flatbuffer.py), and so are the numbers that are read; this is the net below.
    """
    try:
        values = Values(ModelFile(data, source), widens_weights=widen_weights)
        return _graph(values, name, on_warning, rules)
    except GraphError as error:
        raise ModelError(f"{source}: the model breaks a rule of the graph: {error}") from error
    except _DAMAGE as error:
        raise ModelError(
            f"{source}: expected a sound file, got one whose contents do not fit together "
            f"({type(error).__name__}: {error})"
        ) from error


def _graph(
    values: Values, name: str, on_warning: Callable[[str], None], rules: Mapping[str, Rule]
) -> Graph:
    """The graph, or one error with all problems. What depends on a part that was refused is left out."""
    file = values.file
    _check_size(file)
    problems = Problems(file.name)
    foldable = Foldable(values)
    refused: set[int] = set()
    inputs: list[Value] = []
    nodes: list[Node] = []
    outputs: list[Value] = []
    for index in file.inputs:
        with problems.gathered():
            inputs.append(_input(values, index))
            continue
        refused.add(index)
    variables = Variables(values)
    unrolling = Unrolling(values, problems, refused)
    for operator in unrolling.operators():
        if operator.kind in KINDS:
            if refused.isdisjoint(operator.inputs):
                with problems.gathered():
                    variables.add(operator)
                    continue
            refused.update(operator.outputs)
            continue
        if foldable.takes(operator):
            if refused.isdisjoint(operator.inputs):
                with problems.gathered():
                    fold(values, operator)
                    continue
            refused.update(operator.outputs)
            continue
        if _widens_constant(values, operator):
            with problems.gathered():
                _define_widened(values, operator)
                continue
            refused.update(operator.outputs)
            continue
        rule = rules.get(operator.kind)
        if rule is None:
            refusal = unknown(operator, file.name, _result_name(file, operator))
            problems.add(refusal, supported(rules))
        elif refused.isdisjoint(operator.inputs):
            with problems.gathered():
                nodes += _nodes(values, operator, rule)
                continue
        _go_on_without(values, operator, problems, refused, is_known=rule is not None)
    _check_subgraphs(file, unrolling, problems)
    for index in unrolling.outputs():
        if index not in refused:
            with problems.gathered():
                outputs.append(_output(values, index, nodes))
    states: tuple[State, ...] = ()
    with problems.gathered():
        states = (*variables.states(), *values.kept_tensors.states())
    problems.raise_found()
    graph = Graph(
        name, tuple(inputs), tuple(outputs), tuple(nodes), tuple(values.constants), states
    )
    verify_graph(graph)
    if values.widened:
        on_warning(_about_widened(values.widened, is_asked=values.widens_weights))
    return graph


def _go_on_without(
    values: Values,
    operator: FileOperator,
    problems: Problems,
    refused: set[int],
    *,
    is_known: bool,
) -> None:
    """Take what an operator without a node would give as the file describes it, where that makes sense.

    Of what an unknown operator gives, nothing is said: its tensors may be of a kind of their own.
    """
    for index in operator.outputs:
        if values.known(index) is not None or index in refused:
            continue
        try:
            values.define(index, values.new(index, str(operator)))
        except UnsupportedError as error:
            refused.add(index)
            if is_known:
                problems.add(error)
        except ModelError:
            refused.add(index)


def _widens_constant(values: Values, operator: FileOperator) -> bool:
    """Whether it only makes float32 of float16 weights, which are float32 here from the beginning."""
    is_alone = operator.kind == "DEQUANTIZE" and len(operator.inputs) == len(operator.outputs) == 1
    return is_alone and values.is_half(operator.inputs[0])


def _define_widened(values: Values, operator: FileOperator) -> None:
    """The result of such an operator is the constant itself."""
    constant = values.value(operator.inputs[0])
    result = values.new(operator.outputs[0], str(operator))
    if result.type != constant.type:
        raise ModelError(
            f"{values.file.name}: {operator}: expected a result {_text(constant.type)}, the file says "
            f"{_text(result.type)}"
        )
    values.define(operator.outputs[0], constant)


def _check_size(file: ModelFile) -> None:
    """Each of these costs a few kilobytes from here on, and may cost the file few bytes."""
    counts = {
        "inputs": len(file.inputs),
        "operators": file.operator_count,
        "outputs": len(file.outputs),
    }
    for what, count in counts.items():
        if count > _MOST_PARTS:
            raise UnsupportedError(
                f"{file.name}: expected a network for a microcontroller of at most {_MOST_PARTS:,} {what}, "
                f"got {count:,}"
            )


def _result_name(file: ModelFile, operator: FileOperator) -> str:
    return file.tensor(operator.outputs[0]).name if operator.outputs else ""


def _check_subgraphs(file: ModelFile, unrolling: Unrolling, problems: Problems) -> None:
    """Several subgraphs that no operator calls are networks of their own."""
    if file.subgraph_count > 1 and not unrolling.has_callers:
        reason = (
            f"expected one subgraph, got {file.subgraph_count}, and no operator of the first calls the "
            "others; convert each network (signature) into a file of its own"
        )
        problems.add(UnsupportedError(f"{file.name}: {reason}"))


def _about_widened(constants: Sequence[Constant], *, is_asked: bool) -> str:
    """Of weights that "dynamic range" models store as int8 and Tinsmith as float32. is_asked: whoever reads the file
    wants real numbers, to quantize them, and needs no advice to do that.
    """
    size_bytes = sum(constant.value.type.size_bytes for constant in constants)
    said = (
        f"{len(constants)} weight tensor(s) of int8 beside float32 activations become float32: "
        f"{size_bytes // 4:,} bytes in the file, {size_bytes:,} here. Results differ a little from "
        "TFLite's, which quantizes such activations in every run"
    )
    advice = ". Convert the model with full integer quantization to keep its size"
    return said if is_asked else said + advice


def _input(values: Values, index: int) -> Value:
    value = values.new(index, "graph input", as_stored=True)
    check_input_signature(values.file.tensor(index), values.file.name)
    values.define(index, value)
    return value


def _output(values: Values, index: int, nodes: list[Node]) -> Value:
    """A result as the file has it: int8 that is uint8 there is made so by one more node."""
    value = values.known(index)
    if value is not None:
        stored, ends = values.as_stored(index, value)
        nodes += ends
        return stored
    if not values.is_constant(index):
        raise ModelError(
            f"{values.file.name}: expected each graph output to be computed, got tensor {index}, "
            "which no operator writes"
        )
    return values.constant_as_stored(index)


def _nodes(values: Values, operator: FileOperator, rule: Rule) -> list[Node]:
    """What an operator becomes: of each of its results, a node, and what stands in front of it."""
    check_rule(rule, operator, values.file.name)
    _check_unsigned(values, operator)
    nodes: list[Node] = []
    given: set[int] = set()
    for number, index in enumerate(operator.outputs):
        if index in given:
            continue
        # The integers of a cast are those of the file, whoever reads them.
        is_kept = operator.kind == "CAST" or index in values.file.outputs
        is_end = operator.kind in CONVERSIONS and is_kept
        output = values.new(index, str(operator), as_stored=is_end)
        _check_dtype(rule, output, f"{values.file.name}: {operator}")
        context = OperatorContext(operator, output, rule.options, values, number)
        converted, operands = rule.convert(context)
        results = (output, *context.beside)
        node = _checked(Node(converted, tuple(operands), results, context.location), context)
        values.define(index, node.outputs[0])
        nodes += [*context.before, node]
        given |= context.given
    return nodes


def _check_unsigned(values: Values, operator: FileOperator) -> None:
    """TFLite's kernels of uint8 and int8 do not all compute the same."""
    if operator.kind in UNSIGNED:
        return
    for index in (*operator.inputs, *operator.outputs):
        tensor = None if index == -1 else values.file.tensor(index)
        if tensor is not None and tensor.type_name == "UINT8":
            raise UnsupportedError(
                f"{values.file.name}: {operator}: expected no UINT8 beside this operator, got {tensor}; "
                "convert the model with int8 quantization, which replaced uint8"
            )


def _check_dtype(rule: Rule, output: Value, where: str) -> None:
    dtypes = [dtype.value for dtype in rule.dtypes]
    if output.type.dtype not in (*rule.dtypes, DType.UINT8):  # of which `_check_unsigned` knows
        raise UnsupportedError(
            f"{where} -> {print_name(output.name)}: expected {' or '.join(dtypes)}, got "
            f"{output.type.dtype.value}; keep this operator out of the model or quantize to int8"
        )


def _checked(node: Node, context: OperatorContext) -> Node:
    """The node, whose operator accepts its operands, with the result that it makes of them.

    The file must say the same of the result but for dimensions that were unknown when it was written,
    which are -1 in the signature and mere placeholders in the shape.
    """
    types = [None if value is None else value.type for value in node.inputs]
    context.values.file.spend(_COST_OF_A_SCALE * sum(_scales(type_) for type_ in types))
    output = node.outputs[0].type
    _check_scaled(node, context)
    try:
        inferred, *others = node.operator.infer(types)
        if context.may_have(inferred.shape, context.tensor):
            output = output.with_shape(inferred.shape)
        # First, since rules look at each channel of a result, of which a damaged file may claim any number.
        if (inferred.shape, inferred.dtype) != (output.shape, output.dtype):
            raise context.error(
                f"expected a result {_text(inferred)} of these operands, the file says {_text(output)}"
            )
        node.operator.verify(types, [output, *others])
    except GraphError as error:
        raise context.error(str(error)) from error
    return replace(node, outputs=(Value(node.name, output), *node.outputs[1:]))


def _check_scaled(node: Node, context: OperatorContext) -> None:
    """Integers without scales can be moved; what else TFLite makes of them differs by kernel."""
    if Trait.MOVES in node.operator.traits or isinstance(node.operator, Cast):
        return
    for value in (*node.present_inputs, *node.outputs):
        if value.type.dtype in CONVERTED_DTYPES and value.type.quantization is None:
            raise context.unsupported(
                f"expected a scale for %{value.name}, got {value.type.dtype.value} without one; "
                "quantize the whole model"
            )


def _scales(type_: TensorType | None) -> int:
    return 0 if type_ is None or type_.quantization is None else len(type_.quantization.scales)


def _text(type_: TensorType) -> str:
    return f"{type_.dtype.value}{list(type_.shape)}"
