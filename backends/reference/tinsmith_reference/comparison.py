"""Compare and Select, with broadcasting."""

from tinsmith_c import call, initializer
from tinsmith_ir.operators import Compare, Relation, Select
from tinsmith_ir.parameters import compare_parameters
from tinsmith_ir.strides import broadcast_strides, merged
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import (
    BOOL,
    FLOAT32,
    INT8,
    INT32,
    INT64,
    MAX_RANK,
    MOVED,
    SUFFIX,
    kernel,
    scale,
)
from tinsmith_reference.elementwise import broadcast, rank_fits

_RELATIONS = {
    Relation.EQUAL: "TINSMITH_EQUAL",
    Relation.NOT_EQUAL: "TINSMITH_LESS + TINSMITH_GREATER + TINSMITH_UNORDERED",
    Relation.LESS: "TINSMITH_LESS",
    Relation.LESS_EQUAL: "TINSMITH_LESS + TINSMITH_EQUAL",
}
_SUFFIX = {**SUFFIX, BOOL: "bool"}


def emit_compare(layer: Layer, scope: Scope) -> Emission:
    """Any relation."""
    dtype = layer.input(0).dtype
    relation = _RELATIONS[layer.operator_as(Compare).relation]
    definitions = [broadcast(layer)]
    arguments = ["&kBroadcast", relation, scope.input(0), scope.input(1), scope.output]
    if dtype is INT8:
        p = compare_parameters(layer.inputs)
        fields = {
            "left_shift": p.left_shift,
            "lhs_offset": p.input1_offset,
            "rhs_offset": p.input2_offset,
            "lhs": scale(p.input1_multiplier, p.input1_shift),
            "rhs": scale(p.input2_multiplier, p.input2_shift),
        }
        definitions.append(initializer("tinsmith_compare_parameters", "kParameters", fields))
        arguments.insert(1, "&kParameters")
    return Emission((*definitions, call(f"tinsmith_compare_{_SUFFIX[dtype]}", arguments)))


def _select_walk(layer: Layer) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    shape = layer.output.shape
    return merged(shape, [broadcast_strides(layer.input(at).shape, shape) for at in range(3)])


def select_rank_fits(layer: Layer) -> str | None:
    """After merging, the broadcast has at most 6 dimensions."""
    rank = len(_select_walk(layer)[0])
    return None if rank <= MAX_RANK else f"it has {rank}"


def emit_select(layer: Layer, scope: Scope) -> Emission:
    """Elements of any type."""
    shape, (condition, on_true, on_false) = _select_walk(layer)
    fields = {
        "rank": len(shape),
        "element_bytes": layer.output.dtype.size_bytes,
        "shape": shape,
        "condition_strides": condition,
        "true_strides": on_true,
        "false_strides": on_false,
    }
    operands = [scope.input(0), scope.input(1), scope.input(2), scope.output]
    return Emission(
        (
            initializer("tinsmith_select_shape", "kShape", fields),
            call("tinsmith_select", ["&kShape", *operands]),
        )
    )


KERNELS = (
    *(
        kernel(
            f"tinsmith_compare_{_SUFFIX[dtype]}",
            Compare,
            Signature((dtype, dtype), BOOL),
            emit_compare,
            (rank_fits,),
            walk=elementwise_walk,
        )
        for dtype in (INT8, INT32, INT64, FLOAT32, BOOL)
    ),
    *(
        kernel(
            "tinsmith_select",
            Select,
            Signature((BOOL, dtype, dtype), dtype),
            emit_select,
            (select_rank_fits,),
            walk=elementwise_walk,
        )
        for dtype in MOVED
    ),
)
