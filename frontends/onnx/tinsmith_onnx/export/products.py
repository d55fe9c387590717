"""Products of matrices, and the operands of all layers with weights."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import BatchMatmul, FullyConnected, Operator

from tinsmith_onnx.export.forms import Form, natural
from tinsmith_onnx.export.site import Rule, Site
from tinsmith_onnx.export.values import quantization_of


def layer_operands(site: Site, form: Form, weights_form: Form) -> list[str]:
    """Input, weights and bias, if there is one, as real numbers."""
    return [site.real(0, form), site.real(1, weights_form), *bias(site)]


def bias(site: Site) -> list[str]:
    """The real numbers of operand 2, if it is there. Integers have the scale of input * weights, whatever their type says."""
    if not site.has(2):
        return []
    value = site.operand(2)
    if value.type.dtype is DType.FLOAT32:
        return [site.real(2, natural(1))]
    input_, weights = (quantization_of(site.operand(index)) for index in range(2))
    # As float32, of which a file's scales are; the graph has their product in double precision.
    scales = np.array(weights.scales, np.float32) * np.float32(input_.scale)
    hint = f"{value.name}_scale"
    is_one = weights.axis is None
    scale = site.known(scales.reshape(()) if is_one else scales, hint)
    inputs = [site.stored(2, natural(1)), scale]
    return [site.emit("DequantizeLinear", inputs, **({} if is_one else {"axis": 0}))]


def _fully_connected(site: Site) -> None:
    """Gemm of rows; of more axes that are kept a product of matrices, and a sum."""
    operator = site.of(FullyConnected)
    if operator.accumulator is not None:
        raise UnsupportedError(
            "expected a layer that ends, got the sums of a part of one; export the network before its layers are cut "
            "into sums"
        )
    depth, rank = site.shape(1)[1], len(site.output.type.shape)
    form = natural(rank)
    if rank == 2:
        rows = site.flattened(0, (site.output.type.shape[0], depth))
        operands = [rows, site.real(1, natural(2)), *bias(site)]
        site.finish(site.emit("Gemm", operands, transB=1), form)
        return
    product = site.emit("MatMul", [site.real(0, form), site.real(1, (1, 0))])
    added = [site.emit("Add", [product, each]) for each in bias(site)]
    site.finish(added[0] if added else product, form)


def _matmul(site: Site) -> None:
    operator = site.of(BatchMatmul)
    names: list[str] = []
    for index, is_turned in enumerate((operator.transpose_lhs, operator.transpose_rhs)):
        form = natural(len(site.shape(index)))
        names.append(site.real(index, (*form[:-2], form[-1], form[-2]) if is_turned else form))
    site.finish(site.emit("MatMul", names), natural(len(site.output.type.shape)))


RULES: dict[type[Operator], Rule] = {BatchMatmul: _matmul, FullyConnected: _fully_connected}
