"""BatchMatmul of int8 and int16, by the public API.

The library multiplies rows by rows: the left operand's, and those of the right operand transposed. An operand that
lies otherwise is transposed before: a constant at compile time, any other into scratch, by arm_transpose_s8.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
from tinsmith_c import call, expression, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.matmul_parameters import MatmulParameters, matmul_parameters
from tinsmith_ir.operators import BatchMatmul
from tinsmith_lowering import AsGiven, Emission, Kernel, Layer, Prepared, Scope, Signature
from tinsmith_target import Target

from tinsmith_cmsis_nn.broadcast import Shape, merged_shapes
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PUBLIC_HEADER,
    SUFFIX,
    activation,
    dims,
    engine,
    implementation,
)
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.int16 import zero_points_are_zero
from tinsmith_cmsis_nn.nearest import full_width_scale, is_nearest, rounded, sister

_OPERANDS = ("lhs", "rhs")
_MOST_BATCH_DIMENSIONS = 2
_LARGEST_PRODUCT = 255 * 255
_DEEPEST_S16 = 1 << 17
_SHALLOWEST = 8
_SHALLOWEST_OF_COPIES = 16
_LEAST_READS = 2


def _parameters_of(layer: Layer) -> MatmulParameters:
    """As the kernels take them: rounded once, with a multiplier of full width."""
    found = matmul_parameters(layer.operator_as(BatchMatmul), layer.inputs, layer.output)
    if not is_nearest(layer):
        return found
    multiplier, shift = full_width_scale(found.multiplier, found.shift)
    return replace(found, multiplier=multiplier, shift=shift)


def batches_fit(layer: Layer) -> str | None:
    """After merging, the batches have at most 2 dimensions."""
    rank = len(_batches(layer)[2])
    return None if rank <= _MOST_BATCH_DIMENSIONS else f"they have {rank}"


def sums_fit(layer: Layer) -> str | None:
    """Sums of int8, shifted left by what the scale says, fit 32 bits; of int16 there are fewer than 131072 products."""
    depth = _depth(layer)
    if layer.output.dtype is DType.INT16:
        return None if depth < _DEEPEST_S16 else f"there are {depth}"
    shift = max(_parameters_of(layer).shift, 0)
    fits = (depth * _LARGEST_PRODUCT) << shift < 1 << 31
    return None if fits else f"{depth} products are summed, the shift is {shift}"


def sums_fit_once(layer: Layer) -> str | None:
    """Rounded once, sums that are shifted to the left stay within 30 bits."""
    depth, shift = _depth(layer), _parameters_of(layer).shift
    fits = shift < 0 or (depth * _LARGEST_PRODUCT) << (shift + 1) < 1 << 30
    return None if fits else f"{depth} products are summed, the shift is {shift}"


def sums_are_long(layer: Layer) -> str | None:
    """Each sum has at least 8 products: the reference kernel takes fewer instructions for less."""
    depth = _depth(layer)
    return None if depth >= _SHALLOWEST else f"it has {depth}"


def copies_pay(layer: Layer) -> str | None:
    """An operand that is transposed in a run meets at least 2 rows of the other, in sums of at least 16 products."""
    depth = _depth(layer)
    for operand in _copies(layer):
        reads = layer.output.elements * depth // layer.input(operand).elements
        if reads < _LEAST_READS or depth < _SHALLOWEST_OF_COPIES:
            return f"{_OPERANDS[operand]} meets {reads}, in sums of {depth}"
    return None


def _depth(layer: Layer) -> int:
    return layer.operator_as(BatchMatmul).matrix(layer.input(0).shape, 0)[1]


def _batches(layer: Layer) -> tuple[Shape, Shape, Shape]:
    lhs, rhs, result = (
        shape[:-2] for shape in (layer.input(0).shape, layer.input(1).shape, layer.output.shape)
    )
    return merged_shapes(lhs, rhs, result)


def is_turned(layer: Layer, operand: int) -> bool:
    """Whether the library wants a computed or constant operand transposed."""
    operator = layer.operator_as(BatchMatmul)
    is_other = operator.transpose_lhs if operand == 0 else not operator.transpose_rhs
    return is_other and min(layer.input(operand).shape[-2:]) > 1


def _copies(layer: Layer) -> tuple[int, ...]:
    """Operands that a call transposes into scratch."""
    return tuple(
        operand
        for operand in (0, 1)
        if is_turned(layer, operand) and layer.constant(operand) is None
    )


def _sums_bytes(layer: Layer) -> int:
    """arm_fully_connected_s8_get_buffer_size() of either library: with MVE a sum for each column."""
    is_summed = layer.output.dtype is DType.INT8 and implementation(layer.target) == "mve"
    return 4 * layer.output.shape[-1] if is_summed else 0


def _places(layer: Layer) -> tuple[int, ...]:
    """Bytes in scratch in front of each copy, and all of scratch; sums lie first."""
    copied = (layer.input(operand).size_bytes for operand in _copies(layer))
    return tuple(accumulate(copied, initial=_sums_bytes(layer)))


def scratch_bytes(layer: Layer) -> int:
    """Sums, and operands that are transposed."""
    return _places(layer)[-1]


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Constant operands as rows of products."""
    found: list[Prepared | AsGiven] = []
    for operand, data in enumerate(layer.constants):
        if data is None:
            continue
        if is_turned(layer, operand):
            turned = np.ascontiguousarray(np.swapaxes(data, -1, -2))
            found.append(Prepared(_OPERANDS[operand], turned))
        else:
            found.append(AsGiven(operand))
    return tuple(found)


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_batch_matmul_s8 or _s16, behind those that transpose."""
    p = _parameters_of(layer)
    low, high = layer.output.dtype.integer_range
    fields = {
        "input_offset": p.lhs_offset,
        "filter_offset": p.rhs_offset,
        "output_offset": p.output_offset,
        "activation": activation(low, high),
    }
    inner = ", ".join(f".{name} = {value}" for name, value in fields.items())
    statements = [
        initializer("cmsis_nn_bmm_params", "kParameters", {"fc_params": f"{{{inner}}}"}),
        initializer(
            "cmsis_nn_per_tensor_quant_params",
            "kScales",
            {"multiplier": p.multiplier, "shift": p.shift},
        ),
        _context(layer, scope),
    ]
    operands: list[str] = []
    for operand in (0, 1):
        turning, pointer = _operand(layer, scope, operand)
        statements += turning
        operands += [_matrix_dims(layer, scope, operand), pointer]
    called = [
        "&context",
        "&kParameters",
        "&kScales",
        *operands,
        _dims(scope, _batches(layer)[2], layer.output.shape[-2:]),
        scope.output,
    ]
    name = rounded(f"arm_batch_matmul_{SUFFIX[layer.output.dtype]}", layer)
    return Emission(tuple(statements), expression(name, called))


def _context(layer: Layer, scope: Scope) -> str:
    size = _sums_bytes(layer)
    buffer = "scratch" if size else "NULL"
    assert not size or scope.scratch is not None
    return f"  const cmsis_nn_context context = {{{buffer}, {size}}};"


def _matrix_dims(layer: Layer, scope: Scope, operand: int) -> str:
    rows = layer.output.shape[-2 + operand]
    return _dims(scope, _batches(layer)[operand], (rows, _depth(layer)))


def _dims(scope: Scope, batches: Sequence[int], matrix: Sequence[int]) -> str:
    missing = (1,) * (_MOST_BATCH_DIMENSIONS - len(batches))
    return dims(scope, (*missing, *batches, *matrix))


def _operand(layer: Layer, scope: Scope, operand: int) -> tuple[list[str], str]:
    """What stands in front of the call, and the expression of an operand as rows of products."""
    if not is_turned(layer, operand):
        return [], scope.input(operand)
    name = _OPERANDS[operand]
    if layer.constant(operand) is not None:
        return [], scope.arranged(operand, name, "transposed")
    c_type = "int8_t" if layer.output.dtype is DType.INT8 else "int16_t"
    place = _places(layer)[_copies(layer).index(operand)]
    pointer = f"{name}_rows"
    statements = [
        f"  {c_type} *{pointer} = ({c_type} *)(scratch + {place});",
        *_turn(layer, scope, operand, pointer),
    ]
    return statements, pointer


def _turn(layer: Layer, scope: Scope, operand: int, pointer: str) -> list[str]:
    """A call of arm_transpose_s8 of all matrices. Elements of int16 are two bytes that stay together."""
    *outer, rows, columns = layer.input(operand).shape
    size = layer.output.dtype.size_bytes
    name = _OPERANDS[operand]
    source = scope.input(operand)
    cast, const = ("", "") if size == 1 else ("(int8_t *)", "(const int8_t *)")
    count = math.prod(outer)
    arguments = [
        f"{const}{source}",
        f"{cast}{pointer}",
        dims(scope, (count, rows, columns, size)),
        dims(scope, (count, columns, rows, size)),
        f"&{name}_order",
    ]
    status = f"{name}_status"
    return [
        f"  static const uint32_t {name}_axes[] = {{0, 2, 1, 3}};",
        f"  static const cmsis_nn_transpose_params {name}_order = {{4, {name}_axes}};",
        call(f"const arm_cmsis_nn_status {status} = arm_transpose_s8", arguments),
        f"  if ({status} != ARM_CMSIS_NN_SUCCESS) {{\n    return {status};\n  }}",
    ]


def nearest_kernels(target: Target) -> tuple[Kernel, ...]:
    """Products of int8 that are rounded once."""
    found = kernels(target)[0]
    rules = tuple(sums_fit_once if rule is sums_fit else rule for rule in found.rules)
    return (replace(sister(found), rules=rules, checks=PACKED_CHECKS),)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Products of int8 and of int16. MVE gains enough to transpose whatever comes."""
    copying = () if implementation(target) == "mve" else (copies_pay,)
    return tuple(
        Kernel(
            name=f"arm_batch_matmul_{SUFFIX[dtype]}",
            backend=BACKEND,
            operator=BatchMatmul,
            signature=Signature((dtype, dtype), dtype),
            headers=(PUBLIC_HEADER,),
            emit=emit,
            rules=(batches_fit, *extra, sums_fit, sums_are_long, *copying),
            scratch_bytes=scratch_bytes,
            prepare=prepare,
            engine=engine(target),
            guards=guards(target),
        )
        for dtype, extra in ((DType.INT8, ()), (DType.INT16, (zero_points_are_zero,)))
    )
