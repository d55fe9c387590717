"""What the `tinsmith` command is told."""

import struct

from tinsmith_ir import DType
from tinsmith_plugins import BackendEntry, Converter, PassEntry, Plugin
from tinsmith_tflite import Conversion, OperatorContext, Rule

from .backend import FILES, NAME, ThresholdsBackend
from .operator import ThresholdedRelu
from .passes import PoolBeforeThresholds


def _convert(context: OperatorContext) -> Conversion:
    """The custom options are theta, a float of four bytes."""
    options = context.custom_options
    if len(options) != 4:
        raise context.error(f"expected 4 bytes of custom options, got {len(options)}")
    return ThresholdedRelu(struct.unpack("<f", options)[0]), [context.value(0)]


PLUGIN = Plugin(
    "thresholds",
    operators=(ThresholdedRelu,),
    converters=(
        Converter(
            "tflite",
            "ThresholdedRelu",
            Rule(
                versions=1,
                inputs=(1, 1),
                options="",
                makes=(ThresholdedRelu,),
                convert=_convert,
                dtypes=(DType.INT8,),
            ),
        ),
    ),
    passes=(PassEntry(PoolBeforeThresholds, after="fuse-activations"),),
    backends=(BackendEntry(NAME, lambda _: ThresholdsBackend(), FILES, serves_all=True),),
)
