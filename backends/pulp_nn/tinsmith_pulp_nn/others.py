"""Sums, pools, softmax."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from tinsmith_ir.arithmetic import (
    INT32_MAX,
    INT32_MIN,
    MULTIPLIER_BITS,
    activation_range,
    multiply_by_quantized_multiplier,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.fixed_point import exp_of_negative
from tinsmith_ir.operators import Add, AveragePool2D, MaxPool2D, Pool, Softmax, Sub
from tinsmith_ir.operators.elementwise import Arithmetic
from tinsmith_ir.parameters import (
    SOFTMAX_INTEGER_BITS,
    elementwise_add_parameters,
    pool_parameters,
    softmax_parameters,
    weighted_sum_parameters,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import AsGiven, Cost, Emission, Kernel, Layer, Prepared, Scope, Signature
from tinsmith_target import Target

from tinsmith_pulp_nn import cost, geometry
from tinsmith_pulp_nn.common import (
    BACKEND,
    HEADERS,
    LAYOUT,
    chosen_cores,
    core_options,
    elements_are_counted,
    fork,
    fork_batches,
    nhwc,
    sizes_fit,
)
from tinsmith_pulp_nn.scaled import ROUNDINGS
from tinsmith_pulp_nn.sum_tables import SumTables, sum_tables

_LONGEST_ROW = 511
_LARGEST_SHIFT = 31


def shapes_are_equal(layer: Layer) -> str | None:
    """Both operands have the shape of the result."""
    lhs, rhs, result = layer.input(0).shape, layer.input(1).shape, layer.output.shape
    return None if lhs == rhs == result else f"shapes are {lhs}, {rhs} and {result}"


def shifts_are_right(layer: Layer) -> str | None:
    """Operands and the sum are shifted to the right, by 31 at most."""
    p = elementwise_add_parameters(layer.operator_as(Arithmetic), layer.inputs, layer.output)
    shifts = [p.input1_shift, p.input2_shift, p.output_shift]
    return None if all(-31 <= shift <= 0 for shift in shifts) else f"shifts are {shifts}"


def emit_add(layer: Layer, scope: Scope) -> Emission:
    """A sum as TFLite computes it, in its own arithmetic."""
    p = elementwise_add_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    fields = {
        "kind": "TINSMITH_PULP_ADD_TFLITE",
        "lhs": scope.input(0),
        "rhs": scope.input(1),
        "output": scope.output,
        "count": layer.output.elements,
        "lhs_zero_point": -p.input1_offset,
        "lhs_multiplier": p.input1_multiplier,
        "lhs_shift": -p.input1_shift,
        "rhs_zero_point": -p.input2_offset,
        "rhs_multiplier": p.input2_multiplier,
        "rhs_shift": -p.input2_shift,
        "output_zero_point": p.output_offset,
        "output_multiplier": p.output_multiplier,
        "output_shift": -p.output_shift,
        "min": p.clamp_min,
        "max": p.clamp_max,
    }
    return fork(layer, scope, "add", "tinsmith_pulp_add_t", fields)


def tables_exist(layer: Layer) -> str | None:
    """A value for each byte of both operands gives the result of all 65,536 pairs by an addition and a shift."""
    return None if tables_of(layer) is not None else "no such values were found"


def tables_of(layer: Layer) -> SumTables | None:
    """Of a sum; None where there are none."""
    types = [replace(type_, shape=()) for type_ in (layer.input(0), layer.input(1), layer.output)]
    return sum_tables(layer.operator_as(Arithmetic), (types[0], types[1]), types[2])


def prepare_tables(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Both tables of a sum."""
    found = tables_of(layer)
    assert found is not None  # a rule
    return (Prepared(LAYOUT, np.concatenate([found.lhs, found.rhs])),)


def emit_add_by_tables(layer: Layer, scope: Scope) -> Emission:
    """A sum or difference as TFLite computes it, by tables."""
    found = tables_of(layer)
    assert found is not None  # a rule
    low, high = activation_range(layer.operator_as(Arithmetic).activation, layer.output)
    tables = scope.prepared(LAYOUT, f"{scope.layer}: what each byte of both operands adds")
    fields = {
        "kind": "TINSMITH_PULP_ADD_TFLITE",
        "lhs": scope.input(0),
        "rhs": scope.input(1),
        "output": scope.output,
        "count": layer.output.elements,
        "min": low,
        "max": high,
        "lhs_table": tables,
        "rhs_table": f"{tables} + {len(found.lhs)}",
        "table_shift": found.shift,
    }
    return fork(layer, scope, "add_tflite_s8", "tinsmith_pulp_add_t", fields)


def weighted_words_fit(layer: Layer) -> str | None:
    """Both operands times their multipliers, with half and zero point added before the shift, stay within 32 bits."""
    found = weighted_sum(layer)
    if found.shift > _LARGEST_SHIFT:
        return f"the shift is {found.shift}"
    is_word = found.low >= INT32_MIN and found.high <= INT32_MAX
    return None if is_word else f"they reach from {found.low:,} to {found.high:,}"


def bounds_are_not_zeros(layer: Layer) -> str | None:
    """A result may be other than 0."""
    p = weighted_sum_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    return "it is 0 whatever the operands" if p.clamp_min == p.clamp_max == 0 else None


@dataclass(frozen=True)
class WeightedSum:
    """(lhs * lhs_multiplier + rhs * rhs_multiplier + addend) >> shift, of int8; low, high: before the shift."""

    lhs_multiplier: int
    rhs_multiplier: int
    addend: int
    shift: int
    low: int
    high: int


def weighted_sum(layer: Layer) -> WeightedSum:
    """Of a sum that rounds once: zero points and half of 2**shift are the addend's."""
    p = weighted_sum_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    shift = MULTIPLIER_BITS - p.shift
    half = (1 << shift) >> 1 if p.rounding is Rounding.NEAREST else 0
    addend = p.input1_offset * p.multiplier1 + p.input2_offset * p.multiplier2
    addend += half + (p.output_offset << shift)
    weights = p.multiplier1 + p.multiplier2
    low, high = addend - 128 * weights, addend + 127 * weights
    return WeightedSum(p.multiplier1, p.multiplier2, addend, shift, low, high)


def emit_add_weighted(layer: Layer, scope: Scope) -> Emission:
    """A sum that rounds once."""
    found = weighted_sum(layer)
    p = weighted_sum_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    is_bounded = (p.clamp_min, p.clamp_max) != DType.INT8.integer_range
    fields = {
        "kind": "TINSMITH_PULP_ADD_WEIGHTED",
        "lhs": scope.input(0),
        "rhs": scope.input(1),
        "output": scope.output,
        "count": layer.output.elements,
        "lhs_is_signed": True,
        "rhs_is_signed": True,
        "output_is_signed": True,
        "lhs_multiplier": found.lhs_multiplier,
        "rhs_multiplier": found.rhs_multiplier,
        # The sum fits, and wraps to it whatever its parts do.
        "output_addend": wrapped(found.addend),
        "output_shift": found.shift,
        "min": p.clamp_min if is_bounded else 0,
        "max": p.clamp_max if is_bounded else 0,
    }
    return fork(layer, scope, "add_weighted_s8", "tinsmith_pulp_add_t", fields)


def wrapped(value: int) -> int:
    """The int32 of the same low 32 bits, as C takes a literal."""
    return (value - INT32_MIN) % (1 << 32) + INT32_MIN


def rounds_halves_away(layer: Layer) -> str | None:
    """Halves are rounded away from zero."""
    pool = layer.operator_as(AveragePool2D)
    if pool.halves_to_even:
        return "they are rounded to even"
    return "they are rounded up" if pool.halves_up else None


def windows_reach_inside(layer: Layer) -> str | None:
    """Every window reaches into the input."""
    pool = layer.operator_as(Pool)
    top, bottom, left, right = pool.padding
    height, width = pool.window
    reach = max(top, bottom) < height and max(left, right) < width
    return None if reach else f"padding {pool.padding} of windows {height}x{width}"


def emit_pool(layer: Layer, scope: Scope) -> Emission:
    """A pool as TFLite computes it."""
    pool = layer.operator_as(Pool)
    p = pool_parameters(pool, layer.inputs, layer.output)
    _, height, width, channels = nhwc(layer.input(0))
    _, output_height, output_width, _ = nhwc(layer.output)
    is_max = isinstance(pool, MaxPool2D)
    fields = {
        "kind": "TINSMITH_PULP_POOL_MAX" if is_max else "TINSMITH_PULP_POOL_AVERAGE_TFLITE",
        "input": scope.input(0),
        "output": scope.output,
        "input_height": height,
        "input_width": width,
        "channels": channels,
        "output_height": output_height,
        "output_width": output_width,
        "kernel_height": pool.window[0],
        "kernel_width": pool.window[1],
        "pad_top": pool.padding[0],
        "pad_left": pool.padding[2],
        "stride_height": pool.stride[0],
        "stride_width": pool.stride[1],
        "input_is_signed": True,
        "output_is_signed": True,
        "min": p.clamp_min,
        "max": p.clamp_max,
    }
    kernel = "max_pool_s8" if is_max else "average_pool_tflite_s8"
    return fork_batches(layer, scope, kernel, "tinsmith_pulp_pool_t", fields)


def row_fits(layer: Layer) -> str | None:
    """A row of a softmax has at most 511 elements."""
    depth = layer.output.shape[-1]
    return None if depth <= _LONGEST_ROW else f"a row has {depth}"


def prepare_exponentials(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """What an element adds to its row's sum, by how far it is below the largest."""
    p = softmax_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    difference = -np.arange(256, dtype=np.int32)
    counted = difference >= p.diff_min
    scaled = multiply_by_quantized_multiplier(
        np.where(counted, difference, np.int32(0)), p.input_multiplier, p.input_left_shift
    )
    exponentials = exp_of_negative(scaled, SOFTMAX_INTEGER_BITS)
    return (Prepared(LAYOUT, np.where(counted, exponentials, 0).astype(np.int32)),)


def emit_softmax(layer: Layer, scope: Scope) -> Emission:
    """Softmax of rows as TFLite computes it."""
    depth = layer.output.shape[-1]
    fields = {
        "input": scope.input(0),
        "output": scope.output,
        "rows": layer.output.elements // depth,
        "columns": depth,
        "exponentials": scope.prepared(LAYOUT, f"{scope.layer}: exponentials"),
    }
    return fork(layer, scope, "softmax_by_table", "tinsmith_pulp_softmax_t", fields)


def add_cost(layer: Layer) -> Cost:
    """Cycles of a sum, all in first-level memory."""
    return Cost(
        cost.add_cycles(geometry.Elements(layer.output.elements), chosen_cores(layer)),
        cost.cold_cycles("add"),
    )


def add_weighted_cost(layer: Layer) -> Cost:
    """Cycles of a sum that rounds once: an element is seven instructions, as long as a lookup takes."""
    return Cost(
        cost.lookup_cycles(geometry.Elements(layer.output.elements), chosen_cores(layer)),
        cost.cold_cycles("add"),
    )


def pool_cost(layer: Layer) -> Cost:
    """Cycles of a pool."""
    pool = layer.operator_as(Pool)
    _, height, width, channels = nhwc(layer.input(0))
    _, output_height, output_width, _ = nhwc(layer.output)
    image = geometry.Image(
        height,
        width,
        channels,
        output_height,
        output_width,
        channels,
        *pool.window,
        *pool.stride,
        pool.padding[0],
        pool.padding[2],
    )
    is_max = isinstance(pool, MaxPool2D)
    cycles = (cost.max_pool_cycles if is_max else cost.average_pool_cycles)(
        image, chosen_cores(layer)
    )
    return Cost(
        layer.output.shape[0] * cycles, cost.cold_cycles("max_pool" if is_max else "average_pool")
    )


def softmax_cost(layer: Layer) -> Cost:
    """Cycles of a softmax."""
    depth = layer.output.shape[-1]
    rows = layer.output.elements // depth
    return Cost(
        cost.softmax_cycles(geometry.Softmax(rows, depth), chosen_cores(layer)),
        cost.cold_cycles("softmax"),
    )


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Those without weights."""
    del target
    kernel = partial(
        Kernel, backend=BACKEND, headers=HEADERS, engine="cluster", options=core_options
    )
    one, two = Signature((DType.INT8,), DType.INT8), Signature((DType.INT8, DType.INT8), DType.INT8)
    return (
        *(
            kernel(
                name=f"tinsmith_pulp_{operator.mnemonic}_by_tables",
                operator=operator,
                signature=two,
                emit=emit_add_by_tables,
                rules=(shapes_are_equal, elements_are_counted, shifts_are_right, tables_exist),
                prepare=prepare_tables,
                cost=add_cost,
            )
            for operator in (Add, Sub)
        ),
        kernel(
            name="tinsmith_pulp_add",
            operator=Add,
            signature=two,
            emit=emit_add,
            rules=(shapes_are_equal, elements_are_counted, shifts_are_right),
            cost=add_cost,
        ),
        kernel(
            name="tinsmith_pulp_add_weighted",
            operator=Add,
            signature=two,
            emit=emit_add_weighted,
            rules=(
                shapes_are_equal,
                elements_are_counted,
                weighted_words_fit,
                bounds_are_not_zeros,
            ),
            roundings=ROUNDINGS,
            cost=add_weighted_cost,
        ),
        kernel(
            name="tinsmith_pulp_pool",
            operator=AveragePool2D,
            signature=one,
            emit=emit_pool,
            rules=(sizes_fit, windows_reach_inside, rounds_halves_away),
            cost=pool_cost,
        ),
        kernel(
            name="tinsmith_pulp_pool",
            operator=MaxPool2D,
            signature=one,
            emit=emit_pool,
            rules=(sizes_fit, windows_reach_inside),
            cost=pool_cost,
        ),
        kernel(
            name="tinsmith_pulp_softmax",
            operator=Softmax,
            signature=one,
            emit=emit_softmax,
            rules=(row_fits,),
            prepare=prepare_exponentials,
            cost=softmax_cost,
        ),
    )
