"""How a network is quantized, as data: element types, how ranges are found, how weights are rounded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from tinsmith_ir.checked import Checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UsageError

METHODS = ("minmax", "moving-average", "percentile", "entropy", "mse", "learned")
WEIGHTS = ("nearest", "learned", "refined", "distilled")
GATES = ("int8", "sums", "products")
ROUNDINGS = ("tflite", "nearest", "narrow")
_WEIGHT_BITS = (2, 3, 4, 8)
_ACTIVATIONS = (DType.INT8, DType.INT16)


@dataclass(frozen=True)
class Scheme(Checked):
    """What integers a network is made of.

    activations: of tensors between operators; int16 is always symmetric.
    weight_bits: of most layers; 2 are the ternary -1, 0, 1.
    end_bits: of the first and the last layer with weights, if more.
    per_channel: a scale for each output channel of the weights, else one for a layer.
    block: of fewer than 8 bits so many weights of an output channel have a scale of their own, in products with a
        matrix that have more of them; 0: all share one.
    symmetric: activations with zero point 0.
    power_of_two: all scales are.
    free_few_bits: layers of fewer than 8 bits have a scale for each channel, of any size, whatever the others have: for
        hardware that scales the sums of these by themselves.
    alike_sums: sums of two computed tensors have the quantization of both, for hardware that adds without multiplying.
    unsigned_ends: inputs and outputs of the network are uint8.
    method: how the range of a tensor is found, one of METHODS; `learned` ones begin as those of `mse` and are trained
        in so many `range_steps`, with the weights if those are trained.
    weights: how they are rounded, one of WEIGHTS; `learned` looks at what a layer is to compute, `refined` goes on from
        there with those of fewer than 8 bits, `distilled` trains these layers all together in so many `steps`, and
        learns the others.
    equalize: whether channels between two layers are scaled first, so that weights of a layer are alike; it helps some
        networks that have one scale for a layer.
    split: the share of a tensor's channels that may be added where channels stand out, each of which is then computed
        twice, see `split_outliers`; without blocks.
    tables: whether functions of one number, also of several operators, may become tables, which TFLite has not.
    rounding: how operators of integers are to round, one of ROUNDINGS: `tflite` as TFLite does, `nearest` once, as ONNX
        Runtime's real numbers are, `narrow` once, with multipliers such that products fit into 32 bits. Who makes
        operators of integers sees to it (`set-rounding`).
    integer_lstms: whether LSTMs are TFLite's of int8, or TFLite Micro's of int16, with cells of int16; else they stay
        float32, as ONNX has them alone.
    gates: what of a GRU, and other sums that gates weigh, is int16 among int8, one of GATES: nothing, the `sums` that
        lead from products with weights to the state, or the `products`, too.
    """

    activations: DType = DType.INT8
    weight_bits: int = 8
    end_bits: int = 8
    per_channel: bool = True
    block: int = 0
    symmetric: bool = False
    power_of_two: bool = False
    free_few_bits: bool = False
    alike_sums: bool = False
    unsigned_ends: bool = False
    method: str = "mse"
    weights: str = "learned"
    steps: int = 8000
    range_steps: int = 200
    equalize: bool = False
    split: float = 0.0
    tables: bool = True
    rounding: str = "narrow"
    integer_lstms: bool = True
    gates: str = "sums"

    def __post_init__(self) -> None:
        """Raise UsageError for what is not there."""
        super().__post_init__()
        _one_of("activations", self.activations, _ACTIVATIONS)
        _one_of("weight_bits", self.weight_bits, _WEIGHT_BITS)
        _one_of("end_bits", self.end_bits, _WEIGHT_BITS)
        _one_of("method", self.method, METHODS)
        _one_of("weights", self.weights, WEIGHTS)
        _one_of("gates", self.gates, GATES)
        _one_of("rounding", self.rounding, ROUNDINGS)
        for name, steps in (("steps", self.steps), ("range_steps", self.range_steps)):
            if steps < 1:
                raise UsageError(f"quantization scheme: expected {name} of 1 or more, got {steps}")
        if not 0.0 <= self.split <= 1.0:
            raise UsageError(f"quantization scheme: expected split of 0 to 1, got {self.split:g}")
        if self.block < 0:
            raise UsageError(
                f"quantization scheme: expected a block of 0 or more, got {self.block}"
            )
        if self.block and not self._may_have_blocks:
            raise UsageError(
                "quantization scheme: expected blocks beside int8 activations, scales per channel and weights "
                "`learned` or `nearest`; leave out `block`, or what is not such"
            )
        if self.block and self.split:
            raise UsageError(
                "quantization scheme: expected block or split, got both: blocks have channels that stand out by "
                "themselves already, and channels that are added move all others to other blocks"
            )
        if self.unsigned_ends and self.activations is not DType.INT8:
            raise UsageError(
                "quantization scheme: expected unsigned ends of int8 activations alone"
            )

    @property
    def _may_have_blocks(self) -> bool:
        is_int8 = self.activations is DType.INT8
        return is_int8 and self.per_channel and self.weights in ("nearest", "learned")

    def of_layer(self, bits: int) -> "Scheme":
        """What weights of so many bits follow."""
        if not self.free_few_bits or bits == 8:
            return self
        return replace(self, per_channel=True, power_of_two=False)

    @property
    def is_trained(self) -> bool:
        """Whether layers are trained, which takes `steps`."""
        return self.weights == "distilled" and min(self.weight_bits, self.end_bits) < 8

    @property
    def training_steps(self) -> int:
        """How many steps weights and ranges are trained in."""
        if self.is_trained:
            return self.steps
        return self.range_steps if self.method == "learned" else 0


def _one_of(what: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        names = ", ".join(str(getattr(choice, "value", choice)) for choice in choices)
        raise UsageError(f"quantization scheme: expected {what} of {names}, got {value!r}")


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "int8": Scheme(),
        "int16x8": Scheme(activations=DType.INT16, rounding="tflite"),
        "int4": Scheme(weight_bits=4),
        "int4-block32": Scheme(weight_bits=4, block=32),
        "ternary": Scheme(weight_bits=2, weights="distilled"),
        "power-of-two": Scheme(power_of_two=True, symmetric=True),
        "uint8": Scheme(unsigned_ends=True),
    }
)
"""Those that have a name."""


def scheme(name: str) -> Scheme:
    """The scheme of that name. Raises UsageError if there is none."""
    found = SCHEMES.get(name)
    if found is None:
        raise UsageError(f"unknown scheme {name!r}: expected one of {', '.join(SCHEMES)}")
    return found
