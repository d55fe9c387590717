"""What layers cost on a target's emulator with weights of different bits, by the layers' names in the float network."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir import DoesNotFitError
from tinsmith_quantization import Sensitivity

from tinsmith_driver.bit_budget import CYCLES
from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import Measurement, run_samples

_TIMEOUT_SECONDS = 300
_EIGHT = 8


@dataclass(frozen=True)
class LayerCosts:
    """Instructions or cycles, of one run. whole: by bits that all layers have, 8 among them; layers: by name and bits,
    of those that were found in all of these networks. What is no such layer costs the same whatever the bits are.
    """

    whole: Mapping[int, int]
    layers: Mapping[tuple[str, int], int]

    @property
    def eight_bits(self) -> int:
        """Of a run with 8 bits in all layers."""
        return self.whole[_EIGHT]

    @property
    def other(self) -> int:
        """What of that is not the layers', less what it takes to report them."""
        eight = sum(cost for (_, bits), cost in self.layers.items() if bits == _EIGHT)
        return self.eight_bits - eight

    def put_to(self, found: Iterable[Sensitivity]) -> tuple[Sensitivity, ...]:
        """What layers do to the outputs, with what they cost; 0 for those that were not found."""
        return tuple(
            replace(choice, cycles=self.layers.get((choice.name, choice.bits), 0))
            for choice in found
        )


def with_eight(bits: Iterable[int]) -> tuple[int, ...]:
    """The bits of whose networks `layer_costs` wants to know."""
    return tuple(sorted({*bits, _EIGHT}))


@dataclass(frozen=True, eq=False)
class Runnable:
    """A network of integers, and samples of its inputs, of which the first is run."""

    model: Model
    samples: Samples


@dataclass(frozen=True)
class Meter:
    """A target, and what its emulator counts: INSTRUCTIONS or CYCLES."""

    target: str
    counted: str

    def whole(self, network: Runnable) -> int:
        """Of a run. Raises DoesNotFitError where the target's board has no room."""
        return self._count(self._measured(self._compiled(network), network))

    def by_call(self, network: Runnable) -> tuple[int, list[str], Sequence[int]]:
        """Of a run, and of each call in it by name; the latter with what it takes to report them. Raises as `whole`."""
        compilation = self._compiled(network)
        measurement = self._measured(compilation, network)
        measurement = with_layers(compilation, measurement, _TIMEOUT_SECONDS, compare=False)
        is_cycles = self.counted == CYCLES
        costs = measurement.layer_cycles if is_cycles else measurement.layer_instructions
        return self._count(measurement), [call.name for call in compilation.program.calls], costs

    def _compiled(self, network: Runnable) -> Compilation:
        options = CompileOptions(self.target, ram_bytes=board_ram_bytes(self.target))
        return compile_model(network.model, options)

    def _measured(self, compilation: Compilation, network: Runnable) -> Measurement:
        with built(compilation) as build:
            first = network.samples.first(1)
            return run_samples(build, compilation.graph, [first], _TIMEOUT_SECONDS)

    def _count(self, measurement: Measurement) -> int:
        found = measurement.cycles if self.counted == CYCLES else measurement.instructions
        assert found is not None  # the target is one that counts them
        return found


def layer_costs(
    networks: Iterable[tuple[int, Runnable]], names: Sequence[str], meter: Meter
) -> LayerCosts:
    """networks: by the bits of all their layers, those of `with_eight`. names: of the layers in the float network,
    which those of integers keep, but for their tiles. Raises DoesNotFitError where the target's board has no room.
    """
    whole: dict[int, int] = {}
    by_bits: dict[int, dict[str, int]] = {}
    for bits, network in networks:
        try:
            whole[bits], calls, costs = meter.by_call(network)
        except DoesNotFitError as error:
            raise DoesNotFitError(
                f"cannot measure layers that all have {bits} bits on {meter.target}: {error}"
            ) from error
        by_bits[bits] = _by_layer(names, calls, costs)
    found = [name for name in names if all(name in costs for costs in by_bits.values())]
    layers = {(name, bits): costs[name] for bits, costs in by_bits.items() for name in found}
    return LayerCosts(whole, layers)


def _by_layer(names: Iterable[str], calls: Sequence[str], costs: Sequence[int]) -> dict[str, int]:
    """Name of a layer -> what its calls cost: that of its name, or those of its tiles, `name.0`, `name.1`, ..."""
    known = frozenset(names)
    found: dict[str, int] = {}
    for call, cost in zip(calls, costs, strict=True):
        name = _layer_of(call, known)
        if name is not None:
            found[name] = found.get(name, 0) + cost
    return found


def _layer_of(call: str, known: frozenset[str]) -> str | None:
    name = call
    while name not in known:
        name, dot, number = name.rpartition(".")
        if not (dot and number.isdecimal()):
            return None
    return name
