"""Float networks as a command asks for integers of them: prepared, calibrated, quantized, folded."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, Graph, TensorType, UsageError
from tinsmith_ir.passes import AnyPass
from tinsmith_ir.pipeline import Pipeline
from tinsmith_plugins import Setting, Stage
from tinsmith_quantization import (
    AddedChannels,
    ChannelSplitting,
    Losses,
    Scheme,
    Sensitivity,
    keep,
    quantize,
    scheme,
    sensitivities,
    with_caches,
)

from tinsmith_driver.bit_budget import BitBudget
from tinsmith_driver.bit_choice import BitsOnTarget, chosen_on_target, chosen_within
from tinsmith_driver.calibration import calibration_samples
from tinsmith_driver.decisions import PassLog
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.inputs import Samples, integers_of
from tinsmith_driver.layer_costs import Meter, Runnable, layer_costs, with_eight
from tinsmith_driver.models import Model
from tinsmith_driver.passes import PassChoice, chosen_passes, pass_entries, with_options
from tinsmith_driver.pipelines import graph_passes
from tinsmith_driver.plugins import registry
from tinsmith_driver.quantization_log import log_quantization

_ROUNDING = "set-rounding"


@dataclass(frozen=True)
class QuantizeChoice:
    """How a float network becomes integers. text: the scheme as it was written; most: samples at most, None for all.
    bits: of weights of layers by name, where they differ from the scheme's. budget: where bits of all other layers are
    to be chosen for it. islands: what may stay float32. same: outputs that have the quantization of an input each, by
    name; kept: the same of those that become states.
    """

    scheme: Scheme
    text: str
    calibration: Path
    most: int | None = None
    bits: Mapping[str, int] = field(default_factory=dict[str, int])
    budget: BitBudget | None = None
    islands: FloatIslands = field(default_factory=FloatIslands)
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    kept: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def parse(
        text: str,
        calibration: Path | None,
        most: int | None,
        islands: FloatIslands,
        option: str = "--quantize",
    ) -> "QuantizeChoice":
        """Of `SCHEME` or `SCHEME{option=value,...}`. Raises UsageError for another text, and without data.

        option: of the command that takes it.
        """
        choice = PassChoice.parse(text, option)
        if calibration is None:
            raise UsageError(
                "--quantize: expected --calibration beside it, an .npz file or a folder of real inputs"
            )
        return QuantizeChoice(named_scheme(choice), str(choice), calibration, most, islands=islands)


def named_scheme(choice: PassChoice) -> Scheme:
    """A scheme of that name with these options. Raises UsageError for what is not there."""
    return with_options(scheme(choice.name), f"scheme {choice.name!r}", choice.options)


@dataclass(frozen=True, eq=False)
class QuantizedModel:
    """model: of integers. real: the float network that it stands for, with the same names. samples: of calibration,
    without what is kept. sensitivities: of layers, where bits were chosen by them; on_target: and by what they cost.
    splitting: what splitting channels brought, of schemes that split.
    """

    model: Model
    real: Graph
    losses: Losses
    samples: Sequence[dict[str, Array]]
    sensitivities: Sequence[Sensitivity] = ()
    splitting: ChannelSplitting | None = None
    on_target: BitsOnTarget | None = None

    @property
    def calibration(self) -> Samples:
        """The samples that ranges came from."""
        arrays = [
            [sample[value.name].reshape(value.type.shape) for sample in self.samples]
            for value in self.real.inputs
        ]
        return Samples.of("calibration", arrays)

    @property
    def added(self) -> Sequence[AddedChannels]:
        """Channels that layers have more than those of the float network."""
        return self.splitting.added if self.splitting and self.splitting.is_adopted else ()


def quantized(
    model: Model, choice: QuantizeChoice, on_step: Callable[[str], None] = lambda _: None
) -> QuantizedModel:
    """A model of integers of one of float32.

    on_step: is told what is computed. Raises UsageError for a plan and for calibration data that are not fit,
    UnsupportedError for a network that cannot be quantized, or of which what the choice does not allow stays float32;
    DoesNotFitError where no bits keep a budget.
    """
    if model.program is not None or not isinstance(model.graph, Graph):
        raise UsageError(f"{model.path}: expected a float network to quantize, got a plan")
    whole = prepared(model.graph)
    real = keep(whole, choice.kept)
    samples = calibration_samples(choice.calibration, real, choice.most, model.file_shapes)
    runs = list(with_caches(whole, samples, choice.kept))
    quantizer = _Quantizer(model, choice, whole, real, samples, runs, on_step)
    return (
        quantizer.integers(choice.bits)
        if choice.budget is None
        else quantizer.within(choice.budget)
    )


def step_count(model: Model, choice: QuantizeChoice, others: Sequence[QuantizeChoice] = ()) -> int:
    """How often `quantized` calls `on_step`, about: passes leave fewer values, which only a bar that ends early shows;
    networks that a budget wants again are not foreseen. others: choices that the model is quantized by, too.
    """
    if not isinstance(model.graph, Graph):
        return 0
    choices = (choice, *others)
    trained = sum(_training_steps(one.scheme) for one in choices)
    budget = choice.budget
    alike = 0 if budget is None or budget.target is None else len(with_eight(budget.choices))
    made = sum(2 if one.scheme.split else 1 for one in choices) + alike
    return trained + made * (2 * len(model.graph.values) + 2)


def _training_steps(scheme: Scheme) -> int:
    """Of the network, and of that with channels split."""
    return scheme.training_steps * (2 if scheme.split else 1)


@dataclass(frozen=True, eq=False)
class _Quantizer:
    """Makes networks of integers of different bits. whole: the float network with inputs in place of what is kept;
    runs: its samples.
    """

    model: Model
    choice: QuantizeChoice
    whole: Graph
    real: Graph
    samples: Sequence[dict[str, Array]]
    runs: Sequence[dict[str, Array]]
    on_step: Callable[[str], None]

    def integers(self, bits: Mapping[str, int], scheme: Scheme | None = None) -> QuantizedModel:
        """bits: of layers, where they differ from the scheme's, which is the choice's if None."""
        choice, model = self.choice, self.model
        chosen = scheme or choice.scheme
        same = {**choice.same, **choice.kept}
        made = quantize(self.whole, self.runs, chosen, self.on_step, bits, same)
        log_quantization(choice.text, len(self.runs), made)
        log = PassLog(made.graph)
        result = Pipeline(_integer_passes(chosen)).run(made.graph, on_made=log.tell)
        warnings = tuple(warning for record in result.records for warning in record.warnings)
        choice.islands.check(result.graph, warnings)
        integers = replace(
            model,
            graph=keep(result.graph, choice.kept),
            warnings=(*model.warnings, *dict.fromkeys(warnings)),
            real=self.real,
            choices=(*model.choices, f"quantize={choice.text}"),
            samples=[_as_taken(result.graph, run) for run in self.runs],
        )
        return QuantizedModel(
            integers, self.real, made.losses, self.samples, splitting=made.splitting
        )

    def within(self, budget: BitBudget) -> QuantizedModel:
        """With the bits that keep a budget, those of the choice among them; as firmware where that is measured."""
        given, scheme = self.choice.bits, self.choice.scheme
        if scheme.split and budget.bounds_costs:
            raise UsageError(
                f"{budget.option}: expected a scheme that adds no channels, whose costs are not counted, "
                f"got split={scheme.split:g}; leave split out"
            )
        tried = budget.choices_with(given)
        found = sensitivities(self.whole, self.runs, scheme, tried, self.on_step)
        if budget.target is None:
            allowed = budget.allowed(found, given)
            bits = chosen_within(allowed, budget, budget.of_layers())
            return replace(self.integers({**given, **bits}), sensitivities=allowed)
        names = list(dict.fromkeys(choice.name for choice in found))
        meter = Meter(budget.target, budget.counted)
        costs = layer_costs(self._alike(names, tried), names, meter)
        allowed = budget.allowed(costs.put_to(found), given)

        def run(bits: Mapping[str, int]) -> tuple[QuantizedModel, int]:
            made = self.integers({**given, **bits})
            self.on_step(meter.target)
            return made, meter.whole(_runnable(made))

        made, on_target = chosen_on_target(allowed, budget, costs, run)
        return replace(made, sensitivities=allowed, on_target=on_target)

    def _alike(self, names: Sequence[str], tried: Sequence[int]) -> Iterator[tuple[int, Runnable]]:
        """Networks with the same bits in all layers. What training would change of numbers, costs do not show."""
        scheme = self.choice.scheme
        if scheme.method == "learned":
            scheme = replace(scheme, method="mse")
        if scheme.weights == "distilled":
            scheme = replace(scheme, weights="learned")
        for bits in with_eight(tried):
            made = self.integers({**self.choice.bits, **dict.fromkeys(names, bits)}, scheme)
            self.on_step(f"{bits} bits")
            yield bits, _runnable(made)


def _as_taken(graph: Graph, run: Mapping[str, Array]) -> dict[str, Array]:
    """A run of the float network as the inputs of the one of integers."""
    return {
        value.name: integers_of(np.reshape(run[value.name], value.type.shape), value.type)
        for value in graph.inputs
    }


def _runnable(made: QuantizedModel) -> Runnable:
    assert isinstance(made.model.graph, Graph)
    types = [value.type for value in made.model.graph.inputs]
    return Runnable(made.model, as_integers(made.calibration, types))


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
