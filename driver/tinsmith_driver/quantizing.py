"""Float networks as a command asks for integers of them: prepared, calibrated, quantized, folded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, Graph, TensorType, UsageError
from tinsmith_ir.passes import AnyPass
from tinsmith_ir.pipeline import Pipeline
from tinsmith_plugins import Setting, Stage
from tinsmith_quantization import (
    AddedChannels,
    Losses,
    Scheme,
    Sensitivity,
    bits_above,
    bits_within,
    keep,
    quantize,
    scheme,
    sensitivities,
    with_caches,
)

from tinsmith_driver.calibration import calibration_samples
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.inputs import Samples, integers_of
from tinsmith_driver.passes import PassChoice, chosen_passes, pass_entries, with_options
from tinsmith_driver.pipelines import Model, graph_passes
from tinsmith_driver.plugins import registry

_ROUNDING = "set-rounding"


@dataclass(frozen=True)
class QuantizeChoice:
    """How a float network becomes integers. text: the scheme as it was written; most: samples at most, None for all.
    bits: of weights of layers by name, where they differ from the scheme's. weight_bytes, least_sqnr: where bits of all
    layers are to be chosen, for the least loss in so many bytes, or for the fewest bytes with a signal to noise of so
    many decibels, as `tinsmith_quantization` estimates it. islands: what may stay float32.
    same: outputs that have the quantization of an input each, by name; kept: the same of those that become states.
    """

    scheme: Scheme
    text: str
    calibration: Path
    most: int | None = None
    bits: Mapping[str, int] = field(default_factory=dict[str, int])
    weight_bytes: int | None = None
    least_sqnr: float | None = None
    islands: FloatIslands = field(default_factory=FloatIslands)
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    kept: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def parse(
        text: str,
        calibration: Path | None,
        most: int | None,
        islands: FloatIslands,
    ) -> "QuantizeChoice":
        """Of `SCHEME` or `SCHEME{option=value,...}`. Raises UsageError for another text, and without data."""
        choice = PassChoice.parse(text, "--quantize")
        if calibration is None:
            raise UsageError(
                "--quantize: expected --calibration beside it, an .npz file or a folder of real inputs"
            )
        named = with_options(scheme(choice.name), f"scheme {choice.name!r}", choice.options)
        return QuantizeChoice(named, str(choice), calibration, most, islands=islands)


@dataclass(frozen=True, eq=False)
class QuantizedModel:
    """model: of integers. real: the float network that it stands for, with the same names. samples: of calibration,
    without what is kept.
    sensitivities: of layers, where bits were chosen by them. added: channels that layers have more, of schemes that
    split.
    """

    model: Model
    real: Graph
    losses: Losses
    samples: Sequence[dict[str, Array]]
    sensitivities: Sequence[Sensitivity] = ()
    added: Sequence[AddedChannels] = ()


def quantized(
    model: Model, choice: QuantizeChoice, on_step: Callable[[str], None] = lambda _: None
) -> QuantizedModel:
    """A model of integers of one of float32.

    on_step: is told what is computed. Raises UsageError for a plan and for calibration data that are not fit,
    UnsupportedError for a network that cannot be quantized, or of which what the choice does not allow stays float32.
    """
    if model.program is not None or not isinstance(model.graph, Graph):
        raise UsageError(f"{model.path}: expected a float network to quantize, got a plan")
    whole = prepared(model.graph)
    real = keep(whole, choice.kept)
    samples = calibration_samples(choice.calibration, real, choice.most, model.file_shapes)
    runs = list(with_caches(whole, samples, choice.kept))
    found, bits = _bits(whole, runs, choice, on_step)
    same = {**choice.same, **choice.kept}
    made = quantize(whole, runs, choice.scheme, on_step, bits, same)
    result = Pipeline(_integer_passes(choice.scheme)).run(made.graph)
    warnings = tuple(warning for record in result.records for warning in record.warnings)
    choice.islands.check(result.graph, warnings)
    integers = replace(
        model,
        graph=keep(result.graph, choice.kept),
        warnings=(*model.warnings, *dict.fromkeys(warnings)),
        real=real,
        choices=(*model.choices, f"quantize={choice.text}"),
    )
    return QuantizedModel(integers, real, made.losses, samples, found, made.added)


def _bits(
    real: Graph,
    samples: Sequence[dict[str, Array]],
    choice: QuantizeChoice,
    on_step: Callable[[str], None],
) -> tuple[Sequence[Sensitivity], Mapping[str, int]]:
    """What layers lose, and the bits that were chosen by that; those that were asked for, if no choice was."""
    if choice.weight_bytes is None and choice.least_sqnr is None:
        return (), choice.bits
    if choice.scheme.split and choice.weight_bytes is not None:
        raise UsageError(
            "--weight-bytes: expected a scheme that adds no channels, whose bytes are not counted, "
            f"got split={choice.scheme.split:g}; leave split out"
        )
    found = sensitivities(real, samples, choice.scheme, on_step=on_step)
    if choice.weight_bytes is not None:
        return found, bits_within(found, choice.weight_bytes) | dict(choice.bits)
    assert choice.least_sqnr is not None
    return found, bits_above(found, choice.least_sqnr) | dict(choice.bits)


def prepared(graph: Graph) -> Graph:
    """A float network behind all passes on Graphs but those for integers: what is left of it is rounded."""
    integers = {entry.name for entry in pass_entries() if entry.stage is Stage.INTEGERS}
    passes = [found for found in _passes() if found.name not in integers]
    return Pipeline(passes).run(graph).graph


def _passes(choices: Sequence[PassChoice] = ()) -> tuple[AnyPass, ...]:
    host = registry().target("host")
    setting = Setting(host, registry().kernels(host, None, packed=True))
    return graph_passes(chosen_passes(setting, choices))


def _integer_passes(chosen: Scheme) -> tuple[AnyPass, ...]:
    """Those that make operators of integers, which round once, as ONNX Runtime does, unless another way is chosen."""
    if chosen.rounding == "nearest":
        return _passes()
    if chosen.rounding == "tflite":
        return _passes([PassChoice(_ROUNDING, {"mode": "tflite"})])
    return _passes([PassChoice(_ROUNDING, {"mode": "nearest", "narrow": "yes"})])


def as_integers(samples: Samples, types: Sequence[TensorType]) -> Samples:
    """Samples of a float network as its integers take them; what the float network gives is expected no more."""
    arrays = (integers_of(array, type_) for array, type_ in zip(samples.inputs, types, strict=True))
    return replace(samples, inputs=tuple(arrays), expected=None)


def real_numbers(array: Array, type_: TensorType) -> Array:
    """What the integers of a type stand for; the array itself where they stand for themselves."""
    quantization = type_.quantization
    if quantization is None:
        return array
    return quantization.scale * (array.astype(np.float64) - quantization.zero_point)
