"""SVDF: layers with a memory that lasts from run to run."""

from collections.abc import Mapping

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Activation, Svdf, SvdfState

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import SMALL, Rule


def svdf(context: OperatorContext) -> Conversion:
    """SVDF: the memory one step later, and what the layer gives of it."""
    source = context.ranked_value(0, 2)
    is_float = source.type.dtype is DType.FLOAT32
    state = context.kept(4)
    features = context.weights(source, 2)
    over_time = context.weights(source, 2, 2) if is_float else context.ranked_value(2, 2)
    later = context.step(SvdfState(), (state, source, features))
    context.keep(4, later)
    # TFLite's integer kernel clamps to nothing but the type: the result's zero point says what a Relu would.
    activation = context.activation() if is_float else Activation.NONE
    bias = context.value(3) if context.has(3) else None
    return Svdf(context.options.integer("Rank"), activation), (later, over_time, bias)


RULES: Mapping[str, Rule] = {
    "SVDF": Rule(4, (5, 5), "SVDFOptions", (Svdf, SvdfState), svdf, SMALL),
}
