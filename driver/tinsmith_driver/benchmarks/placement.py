"""What placing layers on engines by a model is worth on the simulator: the chosen placement beside each that differs
from it in one layer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from tinsmith_lowering import PlacementPlan

from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.engines import PLACING
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.table import table, thousands

_MOST_SECONDS = 5.0


class Meter(Protocol):
    """Compiles a network with further choices of passes; runs what was compiled and gives its cycles."""

    def compiled(self, more: tuple[PassChoice, ...]) -> Compilation:
        """The network."""
        ...

    def cycles(self, compilation: Compilation) -> int:
        """Raises BenchmarkError for bytes that are not the evaluator's."""
        ...


@dataclass(frozen=True)
class PlacementRow:
    """layers: those that several engines can compute. cycles: of an inference as it was placed; others: changes of one
    layer that were measured; changed, nearest: the fastest of these and its cycles. seconds: in which all layers were
    placed, on this machine.
    """

    network: str
    layers: int
    cycles: int
    others: int
    changed: str
    nearest: int
    seconds: float


def placement_row(network: str, meter: Meter) -> PlacementRow:
    """Of a network."""
    chosen = meter.compiled(())
    plan = chosen.facts(PlacementPlan)
    if plan is None:
        raise BenchmarkError(f"{network}: no layer can run on several engines")
    engines = {layer.name: layer.engine for layer in plan.layers}
    found = {
        f"{layer.name} on {engine}": meter.cycles(
            meter.compiled((_as_said(engines | {layer.name: engine}),))
        )
        for layer in plan.layers
        for engine in layer.cycles
        if engine != layer.engine
    }
    nearest = min(found, key=lambda change: found[change])
    seconds = sum(record.seconds for record in chosen.records if record.name == PLACING)
    return PlacementRow(
        network,
        len(plan.layers),
        meter.cycles(chosen),
        len(found),
        nearest,
        found[nearest],
        round(seconds, 2),
    )


def _as_said(engines: Mapping[str, str]) -> PassChoice:
    return PassChoice(PLACING, {"on": "+".join(f"{name}:{on}" for name, on in engines.items())})


def placement_misses(rows: Iterable[PlacementRow]) -> Iterator[str]:
    """Placements with a better neighbour, and such as took too long."""
    for row in rows:
        if row.nearest < row.cycles:
            yield f"{row.network}: {row.changed} takes {row.nearest:,} cycles, the chosen placement {row.cycles:,}"
        if row.seconds > _MOST_SECONDS:
            yield f"{row.network}: placed in {row.seconds:.1f} s, must be {_MOST_SECONDS:g} at most"


def placement_text(rows: list[PlacementRow]) -> str:
    """A table for people."""
    if not rows:
        return ""
    header = ["placed", "layers", "cycles", "changes of one", "the fastest of them", "seconds"]
    lines = [
        [
            row.network,
            str(row.layers),
            thousands(row.cycles),
            str(row.others),
            f"{thousands(row.nearest)}, {row.changed}",
            f"{row.seconds:.2f}",
        ]
        for row in rows
    ]
    return table(header, lines)
