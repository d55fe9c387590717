"""What the declarations of several subjects share."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tinsmith_c import FieldValue, call, float_literal, initializer
from tinsmith_ir.arithmetic import activation_range_f32
from tinsmith_ir.dtypes import DType
from tinsmith_ir.few_bits import packed
from tinsmith_ir.operators import Activation
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.parameters import MeanParameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Loads,
    Prepared,
    Rule,
    Scope,
    Signature,
    Walk,
    constant_operands,
    loads_by_pixels,
    loads_once,
    no_scratch,
    no_walk,
    rounding_of,
    weights_offset,
)

INT8, INT16, INT32, INT64 = DType.INT8, DType.INT16, DType.INT32, DType.INT64
UINT8, FLOAT32, BOOL = DType.UINT8, DType.FLOAT32, DType.BOOL
MOVED = (INT8, UINT8, INT16, INT32, INT64, FLOAT32, BOOL)
"""The element types of what only moves."""
MAX_RANK = 6
"""TINSMITH_MAX_RANK of tinsmith/types.h."""

SUFFIX = {
    DType.INT2: "s2",
    DType.INT4: "s4",
    INT8: "s8",
    UINT8: "u8",
    INT16: "s16",
    INT32: "s32",
    INT64: "s64",
    FLOAT32: "f32",
}
"""How kernel names end."""
_IN_EACH_BYTE = {DType.INT4: "two", DType.INT2: "four"}


class Stage(Protocol):
    """The part of a record of parameters that tinsmith_output_stage holds."""

    @property
    def multipliers(self) -> NDArray[np.int32]:
        """Of each channel."""
        ...

    @property
    def shifts(self) -> NDArray[np.int32]:
        """Of each channel."""
        ...

    @property
    def input_offset(self) -> int:
        """Added to every input element."""
        ...

    @property
    def output_offset(self) -> int:
        """Added to every result."""
        ...

    @property
    def clamp_min(self) -> int:
        """Smallest result."""
        ...

    @property
    def clamp_max(self) -> int:
        """Largest result."""
        ...


def kernel(
    name: str,
    operator: type[Operator],
    signature: Signature,
    emit: Callable[[Layer, Scope], Emission],
    rules: tuple[Rule, ...] = (),
    prepare: Callable[[Layer], tuple[Prepared | AsGiven, ...]] = constant_operands,
    roundings: tuple[Rounding, ...] = (Rounding.TFLITE,),
    walk: Callable[[Layer], Walk | None] = no_walk,
    *,
    asymmetric_weights: bool = False,
    then: tuple[type[Operator], ...] = (),
    scratch_bytes: Callable[[Layer], int] = no_scratch,
    loads: Callable[[Layer], Loads] = loads_once,
) -> Kernel:
    """A kernel of this backend."""
    return Kernel(
        name=name,
        backend="reference",
        operator=operator,
        signature=signature,
        headers=("tinsmith/reference.h",),
        emit=emit,
        rules=rules,
        prepare=prepare,
        roundings=roundings,
        asymmetric_weights=asymmetric_weights,
        checks=("TINSMITH_REFERENCE_API_VERSION == 1",),
        walk=walk,
        then=then,
        scratch_bytes=scratch_bytes,
        loads=loads,
    )


def mean_parameters(p: MeanParameters) -> str:
    """Definition of `kParameters`."""
    fields = {
        "input_zero_point": p.input_zero_point,
        "output_offset": p.output_offset,
        "scale": scale(p.multiplier, p.shift),
        "clamp_min": p.clamp_min,
        "clamp_max": p.clamp_max,
    }
    return initializer("tinsmith_mean_parameters", "kParameters", fields)


def rescaling_kernels(
    name: str,
    operator: type[Operator],
    signature: Signature,
    emit: Callable[[Layer, Scope], Emission],
    rules: tuple[Rule, ...] = (),
    prepare: Callable[[Layer], tuple[Prepared | AsGiven, ...]] = constant_operands,
    walk: Callable[[Layer], Walk | None] = no_walk,
    *,
    asymmetric_weights: bool = False,
    loads: Callable[[Layer], Loads] = loads_once,
) -> Iterator[Kernel]:
    """A kernel for each mode of rounding, named as `rounded` names it."""
    for rounding in Rounding:
        full_name = rounded(name, rounding)
        yield kernel(
            full_name,
            operator,
            signature,
            emit,
            rules,
            prepare,
            (rounding,),
            walk,
            asymmetric_weights=asymmetric_weights,
            loads=loads,
        )


def weighted_kernels(
    operator: type[Operator],
    dtype: DType,
    emit: Callable[[Layer, Scope], Emission],
    prepare: Callable[[Layer], tuple[Prepared | AsGiven, ...]],
    walk: Callable[[Layer], Walk | None],
) -> Iterator[Kernel]:
    """The kernels of an operator with weights; of int8 those, too, whose weights have a zero point, or few bits."""
    for weights, asymmetric_weights in _weights_beside(dtype):
        yield from rescaling_kernels(
            _weighted_name(f"tinsmith_{operator.mnemonic}", dtype, weights, asymmetric_weights),
            operator,
            Signature((dtype, weights, INT32), dtype),
            emit,
            prepare=prepare,
            walk=walk,
            asymmetric_weights=asymmetric_weights,
            loads=loads_by_pixels(1),
        )


def call_weighted(layer: Layer, scope: Scope) -> str:
    """The call of one of them, after the definitions of `kShape` and `kStage`."""
    name = _weighted_name(
        f"tinsmith_{layer.operator.mnemonic}",
        layer.output.dtype,
        layer.input(1).dtype,
        weights_offset(layer) != 0,
    )
    operands = [scope.input(0), packed_weights(layer, scope), scope.input(2), scope.output]
    return call(
        rounded(name, rounding_of(layer)), ["&kShape", "&kStage", *_offset(layer), *operands]
    )


def _weights_beside(dtype: DType) -> tuple[tuple[DType, bool], ...]:
    """Element types of weights, and whether they have a zero point."""
    if dtype is not INT8:
        return ((INT8, False),)
    return ((INT8, False), (INT8, True), (DType.INT4, False), (DType.INT2, False))


def packed_weights(layer: Layer, scope: Scope) -> str:
    """The operand of weights, as `weighted_constants` arranges it."""
    dtype = layer.input(1).dtype
    if not dtype.is_packed:
        return scope.input(1)
    return scope.arranged(1, "weights", f"{_IN_EACH_BYTE[dtype]} in each byte")


def _offset(layer: Layer) -> list[str]:
    offset = weights_offset(layer)
    return [str(offset)] if offset else []


def _weighted_name(name: str, dtype: DType, weights: DType, is_asymmetric: bool) -> str:
    """Kernels for weights of few bits are named by these, as CMSIS-NN names them."""
    full_name = f"{name}_{SUFFIX[weights if weights.is_packed else dtype]}"
    return f"{full_name}_asymmetric" if is_asymmetric else full_name


def rounded(name: str, rounding: Rounding) -> str:
    """The C function that does what `name` does, but rounds otherwise (tinsmith/rounding.h)."""
    return name if rounding is Rounding.TFLITE else f"{name}_{rounding.value}"


def is_uniform(parameters: Stage) -> bool:
    """True if all channels are rescaled alike."""
    return len(np.unique(parameters.multipliers)) == len(np.unique(parameters.shifts)) == 1


def weighted_constants(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Constant operands as they are, but for weights of few bits, of which several share a byte."""
    return tuple(
        Prepared("weights", packed(data, layer.input(1).dtype))
        if index == 1 and layer.input(1).dtype.is_packed
        else AsGiven(index)
        for index, data in enumerate(layer.constants)
        if data is not None
    )


def stage_constants(layer: Layer, parameters: Stage) -> tuple[Prepared | AsGiven, ...]:
    """What a kernel with an output stage reads; multipliers that are all the same are stored once."""
    kept = slice(0, 1) if is_uniform(parameters) else slice(None)
    return (
        *weighted_constants(layer),
        Prepared("multipliers", parameters.multipliers[kept]),
        Prepared("shifts", parameters.shifts[kept]),
    )


def output_stage(scope: Scope, parameters: Stage) -> str:
    """Definition of `kStage`."""
    return initializer(
        "tinsmith_output_stage",
        "kStage",
        {
            "multipliers": scope.prepared("multipliers"),
            "shifts": scope.prepared("shifts"),
            "channel_step": 0 if is_uniform(parameters) else 1,
            "input_offset": parameters.input_offset,
            "output_offset": parameters.output_offset,
            "clamp_min": parameters.clamp_min,
            "clamp_max": parameters.clamp_max,
        },
        is_static=not scope.reads_copies,
    )


def clamp_f32(activation: Activation) -> str:
    """Definition of `kClamp` for a float kernel."""
    low, high = activation_range_f32(activation)
    fields = {"min": float_literal(float(low)), "max": float_literal(float(high))}
    return initializer("tinsmith_clamp_f32", "kClamp", fields)


def sums_kernels(
    operator: type[Operator],
    source: DType,
    result: DType,
    emit: Callable[[Layer, Scope], Emission],
    walk: Callable[[Layer], Walk | None],
) -> Iterator[Kernel]:
    """Kernels that give the sums of products as they are; of int8 also with asymmetric weights, or of few bits."""
    for weights, asymmetric_weights in _weights_beside(source):
        yield kernel(
            _sums_name(operator, source, weights, result, asymmetric_weights),
            operator,
            Signature((source, weights, INT32), result),
            emit,
            prepare=weighted_constants,
            walk=walk,
            asymmetric_weights=asymmetric_weights,
        )


def _sums_name(
    operator: type[Operator], source: DType, weights: DType, result: DType, is_asymmetric: bool
) -> str:
    named = SUFFIX[weights if weights.is_packed else source]
    name = f"tinsmith_{operator.mnemonic}_{named}_{SUFFIX[result]}"
    return f"{name}_asymmetric" if is_asymmetric else name


def call_sums(layer: Layer, scope: Scope) -> str:
    """The call of that function, after the definition of `kShape`."""
    quantization = layer.input(0).quantization
    if quantization is None:
        raise ValueError(f"layer {layer.name}: the input has no quantization")
    name = _sums_name(
        type(layer.operator),
        layer.input(0).dtype,
        layer.input(1).dtype,
        layer.output.dtype,
        weights_offset(layer) != 0,
    )
    operands = [scope.input(0), packed_weights(layer, scope), scope.input(2), scope.output]
    return call(name, ["&kShape", str(-quantization.zero_point), *_offset(layer), *operands])


def emit_with_scratch(
    function: str, fields: Mapping[str, FieldValue], layer: Layer, scope: Scope
) -> Emission:
    """One call with a record of parameters, all operands, scratch, and all results.

    function: its record is the name without the ending for the element type, with `_parameters`.
    """
    assert scope.scratch is not None
    operands = [scope.input(index) for index in range(len(layer.inputs))]
    results = [result.expression for result in scope.outputs]
    arguments = ["&kParameters", *operands, scope.scratch.expression, *results]
    record = f"{function.rpartition('_')[0]}_parameters"
    return Emission((initializer(record, "kParameters", fields), call(function, arguments)))


def scale(multiplier: int, shift: int) -> str:
    """A tinsmith_scale inside of another initialiser."""
    return f"{{{multiplier}, {shift}}}"
