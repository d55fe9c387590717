"""Additions of nothing and multiplications by one, decided by what is computed, not by names."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, GraphView, Node
from tinsmith_ir.operators import Activation, Add, Mul, Sub, Trait
from tinsmith_ir.rewrite import Rewrite
from tinsmith_ir.types import TensorType


def combines_with_nothing(graph: GraphView, node: Node) -> Rewrite | None:
    """The operand of an elementwise operator whose other operand is a constant that changes nothing."""
    if Trait.ELEMENTWISE not in node.operator.traits or len(node.present_inputs) != 2:
        return None
    lhs, rhs = node.present_inputs
    for kept, constant, constant_is_lhs in ((lhs, rhs, False), (rhs, lhs, True)):
        data = graph.constant(constant)
        if data is None or kept.type != node.outputs[0].type:
            continue
        if _is_neutral(node, data, constant.type, constant_is_lhs):
            return Rewrite((kept,))
    return None


def _is_neutral(node: Node, data: Array, type_: TensorType, is_lhs: bool) -> bool:
    match node.outputs[0].type.dtype:
        case DType.FLOAT32:
            return _is_neutral_f32(node, data, is_lhs)
        case DType.INT8:
            return _is_neutral_int8(node, data, type_, is_lhs)
        case DType.UINT8 | DType.INT16 | DType.INT32 | DType.INT64 | DType.BOOL:
            return False
        case DType.INT4 | DType.INT2:
            return False


def _is_neutral_f32(node: Node, data: Array, is_lhs: bool) -> bool:
    """x + -0.0, x - 0.0 and x * 1.0 give x for all x. x + 0.0 does not: -0.0 becomes 0.0."""
    match node.operator:
        case Add(activation=Activation.NONE):
            neutral = np.float32(-0.0)
        case Sub(activation=Activation.NONE) if not is_lhs:
            neutral = np.float32(0.0)
        case Mul(activation=Activation.NONE):
            neutral = np.float32(1.0)
        case _:
            return False
    return bool((data.view(np.uint32) == neutral.view(np.uint32)).all())


def _is_neutral_int8(node: Node, data: Array, type_: TensorType, is_lhs: bool) -> bool:
    """Compute the operator on all integers and all that the constant holds."""
    result = node.outputs[0].type
    values = np.arange(-128, 128).astype(np.int8).reshape(1, 256)
    constants = np.unique(data).reshape(-1, 1)
    arrays: list[Array] = [constants, values] if is_lhs else [values, constants]
    types = [type_, result] if is_lhs else [result, type_]
    shaped = [t.with_shape(array.shape) for t, array in zip(types, arrays, strict=True)]
    shape = (len(constants), 256)
    computed = node.operator.evaluate(arrays, shaped, [result.with_shape(shape)])[0]
    return bool((computed == values).all())
