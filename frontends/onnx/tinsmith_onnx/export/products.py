"""Products of matrices, and the operands of all layers with weights."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BatchMatmul, FullyConnected, Operator

from tinsmith_onnx.export.constants import dequantized, integer_bias, is_quantized
from tinsmith_onnx.export.forms import Form, natural
from tinsmith_onnx.export.model import Attribute
from tinsmith_onnx.export.site import Rule, Site
from tinsmith_onnx.export.sums import centred, check_accumulator, finish_sum
from tinsmith_onnx.export.values import quantization_of


def layer_operands(site: Site, form: Form, weights_form: Form) -> list[str]:
    """Input, weights and bias, if there is one, as real numbers."""
    return [site.real(0, form), site.real(1, weights_form), *bias(site)]


def bias(site: Site) -> list[str]:
    """The real numbers of operand 2, if it is there. Integers have the scale of input * weights, whatever their type
    says; so has a constant of floats in a quantized layer.
    """
    if not site.has(2):
        return []
    value = site.operand(2)
    if value.type.dtype is DType.FLOAT32:
        return [_integer_bias(site) or site.real(2, natural(1))]
    source, weights = (quantization_of(site.operand(index)) for index in range(2))
    # As float32, of which a file's scales are; the graph has their product in double precision.
    steps = np.array(weights.scales, np.float32) * np.float32(source.scale)
    return [_in_steps(site, site.stored(2, natural(1)), steps, is_one=weights.axis is None)]


def _integer_bias(site: Site) -> str | None:
    """A constant of floats as int32, where input, weights and result are quantized; else None."""
    graph, array = site.values.graph, site.array(2)
    source = dequantized(graph, site.operand(0))
    weights = site.values.integers(site.operand(1))
    if array is None or source is None or weights is None or not is_quantized(graph, site.output):
        return None
    found = integer_bias(array, source, quantization_of(weights))
    if found is None:
        return None
    integers, steps = found
    name = site.known(integers, f"{site.operand(2).name}_quantized")
    return _in_steps(site, name, steps, is_one=quantization_of(weights).axis is None)


def _in_steps(site: Site, integers: str, steps: NDArray[np.float32], *, is_one: bool) -> str:
    hint = f"{site.operand(2).name}_scale"
    scale = site.known(steps.reshape(()) if is_one else steps, hint)
    axis: dict[str, Attribute] = {} if is_one else {"axis": 0}
    return site.emit("DequantizeLinear", [integers, scale], **axis)


def _fully_connected(site: Site) -> None:
    """Gemm of rows; of more axes that are kept a product of matrices, and a sum."""
    operator = site.of(FullyConnected)
    rank = len(site.output.type.shape)
    if operator.accumulator is not None:
        check_accumulator(operator.accumulator)
        _sums(site)
    elif rank == 2:
        operands = [_rows(site), _weights(site), *bias(site)]
        site.finish(site.emit("Gemm", operands, transB=1), natural(2))
    else:
        product = site.emit("MatMul", [site.real(0, natural(rank)), site.real(1, (1, 0))])
        added = [site.emit("Add", [product, each]) for each in bias(site)]
        site.finish(added[0] if added else product, natural(rank))


def _rows(site: Site) -> str:
    """The input, of as many columns as the weights have."""
    return site.flattened(0, (site.output.type.shape[0], site.shape(1)[1]))


def _weights(site: Site) -> str:
    """Their columns are turned if the rows are."""
    shape = site.values.image_shape(site.output)
    if shape is None:
        return site.real(1, natural(2))
    return site.values.columns_first(site.operand(1), shape)


def _sums(site: Site) -> None:
    shape = site.output.type.shape
    rows = (*shape[:-1], site.shape(1)[1])
    given = centred(site, 0, natural(len(site.shape(0))))
    flat = given if site.shape(0) == rows else site.reshape(given, rows)
    product = site.emit("MatMul", [flat, centred(site, 1, (1, 0))])
    finish_sum(site, product, natural(len(shape)))


def _matmul(site: Site) -> None:
    operator = site.of(BatchMatmul)
    names: list[str] = []
    for index, is_turned in enumerate((operator.transpose_lhs, operator.transpose_rhs)):
        form = natural(len(site.shape(index)))
        names.append(site.real(index, (*form[:-2], form[-1], form[-2]) if is_turned else form))
    site.finish(site.emit("MatMul", names), natural(len(site.output.type.shape)))


RULES: dict[type[Operator], Rule] = {BatchMatmul: _matmul, FullyConnected: _fully_connected}
