"""Rules of a tensor's type by itself, and of an operator on given types; for both levels of IR."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators.base import Operator, Rescaling
from tinsmith_ir.operators.chain import Chain
from tinsmith_ir.operators.weighted import Weighted
from tinsmith_ir.printer import print_type
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

MAX_TENSOR_BYTES = (1 << 31) - 1


@dataclass(frozen=True)
class TypeRule:
    """What must hold of a tensor's type, and what to say when it does not."""

    what: str
    holds: Callable[[TensorType], bool]
    found: Callable[[TensorType], object]


TYPE_RULES: tuple[TypeRule, ...] = (
    TypeRule(
        "a tensor is smaller than 2 GiB",
        lambda t: t.size_bytes <= MAX_TENSOR_BYTES,
        lambda t: f"shape {t.shape}",
    ),
    TypeRule(
        "only integers are quantized",
        lambda t: t.quantization is None or t.dtype.is_integer,
        lambda t: t.dtype.value,
    ),
    TypeRule(
        "a quantization has one scale, or one for each index of its axis",
        lambda t: t.quantization is None or len(t.quantization.scales) == _slices(t),
        lambda t: t.quantization and f"{len(t.quantization.scales)} scales for shape {t.shape}",
    ),
    TypeRule(
        "zero points lie within the dtype",
        lambda t: t.quantization is None or _zero_points_fit(t),
        lambda t: t.quantization and t.quantization.zero_points,
    ),
)


def _slices(type_: TensorType) -> int:
    """How many scales the quantization must have; -1 for an axis that is not there."""
    axis = type_.quantization.axis if type_.quantization else None
    if axis is None:
        return 1
    return type_.shape[axis] if 0 <= axis < len(type_.shape) else -1


def _zero_points_fit(type_: TensorType) -> bool:
    low, high = type_.dtype.integer_range
    quantization = type_.quantization
    return quantization is None or all(low <= zero <= high for zero in quantization.zero_points)


def verify_type(type_: TensorType) -> None:
    """Raise GraphError for the first rule of TYPE_RULES that `type_` breaks."""
    for rule in TYPE_RULES:
        if not rule.holds(type_):
            raise GraphError(f"{rule.what}: got {rule.found(type_)}")


def operand_findings(operator: Operator, given: Sequence[bool]) -> Iterator[str]:
    """What is wrong with operands of which `given` says whether each is there."""
    if isinstance(operator, Chain):
        yield from _chain_operand_findings(operator, given)
        return
    operands = operator.operands
    variadic = bool(operands) and operands[-1].variadic
    if len(given) > len(operands) and not variadic:
        yield f"expected {len(operands)} operands, got {len(given)}"
    for index, operand in enumerate(operands):
        if not operand.optional and (index >= len(given) or not given[index]):
            yield f"expected operand '{operand.name}', got none"
    if variadic and not all(given):
        yield f"expected no gap in '{operands[-1].name}'"


def _chain_operand_findings(chain: Chain, given: Sequence[bool]) -> Iterator[str]:
    try:
        taken = chain.shared(given, [True] * len(chain.links))
    except GraphError as error:
        yield str(error)
        return
    for operator, operands in zip(chain.operators, taken, strict=True):
        for finding in operand_findings(operator, operands):
            yield f"{operator.title} of {chain.title}: {finding}"


def operator_findings(
    operator: Operator, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> Iterator[str]:
    """What is wrong with an operator on these types: its own rules, and results that differ from
    what it infers.
    """
    try:
        inferred = operator.infer(inputs)
        if len(inferred) != len(outputs):
            yield f"expected {len(inferred)} results, got {len(outputs)}"
            return
        for expected, got in zip(inferred, outputs, strict=True):
            if (expected.shape, expected.dtype) != (got.shape, got.dtype):
                yield f"expected a result {print_type(expected)}, got {print_type(got)}"
        yield from _chain_findings(operator, inputs, outputs)
        yield from _rounding_findings(operator, outputs)
        yield from _few_bits_findings(operator, inputs, outputs)
        operator.verify(inputs, outputs)
    except GraphError as error:
        yield str(error)


def _chain_findings(
    operator: Operator, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> Iterator[str]:
    """What is wrong with what lies between the operators of a chain, and with how they round."""
    if not isinstance(operator, Chain):
        return
    for link in operator.links:
        verify_type(link.taken)
    for step in operator.steps(inputs, outputs):
        yield from _rounding_findings(step.operator, step.outputs)


def _few_bits_findings(
    operator: Operator, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> Iterator[str]:
    """What is wrong with where i4 or i2 is: operators may take their weights so, and none makes any."""
    if isinstance(operator, Chain):
        for step in operator.steps(inputs, outputs):
            yield from _few_bits_findings(step.operator, step.inputs, step.outputs)
        return
    others = [*inputs[:1], *inputs[2:]] if isinstance(operator, Weighted) else inputs
    for type_ in (*others, *outputs):
        if type_ is not None and type_.dtype.is_packed:
            yield f"expected {type_.dtype.value} only of weights, got {print_type(type_)}"


def _rounding_findings(operator: Operator, outputs: Sequence[TensorType]) -> Iterator[str]:
    """What is wrong with how an operator rounds."""
    if not isinstance(operator, Rescaling):
        return
    bits, rounding = operator.multiplier_bits, operator.rounding
    if not 1 <= bits <= MULTIPLIER_BITS:
        yield f"expected multiplier_bits from 1 to {MULTIPLIER_BITS}, got {bits}"
    if rounding is Rounding.TFLITE:
        if bits != MULTIPLIER_BITS:
            yield f"expected multiplier_bits of {MULTIPLIER_BITS} for tflite, got {bits}"
    elif not operator.rescales(outputs):
        yield f"expected {rounding.value} only where integers are rescaled, got {print_type(outputs[0])}"
