"""Sums of integers that no layer has ended yet, and what ends them: of networks that are cut into parts."""

from onnx import TensorProto
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import (
    AverageOfSums,
    ChannelSums,
    MeanOfSums,
    Operator,
)

from tinsmith_onnx.export.forms import Form, natural
from tinsmith_onnx.export.site import Rule, Site
from tinsmith_onnx.export.values import SUMS_OF_64_BITS, quantization_of


def check_accumulator(accumulator: DType | None) -> None:
    """Raise UnsupportedError for sums of 64 bits, which float32 does not hold."""
    if accumulator is DType.INT64:
        raise UnsupportedError(SUMS_OF_64_BITS)


def centred(site: Site, index: int, form: Form) -> str:
    """An operand's integers less their zero point, as float32."""
    value = site.operand(index)
    real = site.emit("Cast", [site.stored(index, form)], to=TensorProto.FLOAT)
    zero_point = quantization_of(value).zero_points[0]
    return site.emit("Sub", [real, site.number(zero_point, "zero_point")]) if zero_point else real


def finish_sum(site: Site, real: str, form: Form) -> None:
    """The result are these sums of products, and the bias: exact as long as each is below 2**24."""
    total = site.emit("Cast", [site.emit("Round", [real])], to=TensorProto.INT32)
    if site.has(2):
        total = site.emit("Add", [total, _along_channels(site, form)])
    site.finish_stored(total, form)


def _along_channels(site: Site, form: Form) -> str:
    """The bias, whose channels are the last axis of the graph's result."""
    bias, rank = site.stored(2, natural(1)), len(form)
    if form.index(rank - 1) == rank - 1:
        return bias
    shape = [site.shape(2)[0] if axis == rank - 1 else 1 for axis in form]
    return site.reshape(bias, shape)


def _channel_sums(site: Site) -> None:
    form = site.form_of(0)
    wide = site.emit("Cast", [site.stored(0, form)], to=TensorProto.INT32)
    axes = site.axes(sorted(form.index(axis) for axis in (1, 2)))
    total = site.emit("ReduceSum", [wide, axes], keepdims=1)
    added = site.emit("Add", [total, site.stored(1, form)]) if site.has(1) else total
    site.finish_stored(added, form)


def _mean(site: Site, form: Form, count: int, scale: float, zero_point: int) -> str:
    """Of so many integers of that quantization, given their sum."""
    total = site.emit("Cast", [site.stored(0, form)], to=TensorProto.FLOAT)
    steps = site.emit("Div", [total, site.number(count, "count")])
    if zero_point:
        steps = site.emit("Sub", [steps, site.number(zero_point, "zero_point")])
    return site.emit("Mul", [steps, site.number(scale, "scale")])


def _average_of_sums(site: Site) -> None:
    form, quantization = site.form(), quantization_of(site.output)
    count = site.of(AverageOfSums).count
    site.finish(_mean(site, form, count, quantization.scale, quantization.zero_point), form)


def _mean_of_sums(site: Site) -> None:
    operator, form = site.of(MeanOfSums), site.form_of(0)
    mean = _mean(site, form, operator.count, operator.scale, operator.zero_point)
    if operator.keep_dims:
        site.finish(mean, form)
    else:
        site.finish(site.reshape(mean, site.output.type.shape), natural(2))


RULES: dict[type[Operator], Rule] = {
    AverageOfSums: _average_of_sums,
    ChannelSums: _channel_sums,
    MeanOfSums: _mean_of_sums,
}
