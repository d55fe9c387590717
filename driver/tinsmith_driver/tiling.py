"""What was decided of tiles, and what a run showed of it, for reports."""

from collections.abc import Sequence

from tinsmith_emulators import CoreCounts
from tinsmith_ir.program import Copy, Program, instances
from tinsmith_lowering import TiledLayer, TilePlan

from tinsmith_driver.cluster import cluster_share, waits_text
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.kernel_sources import fetches
from tinsmith_driver.report_types import TiledLayerRow, TilingFacts
from tinsmith_driver.running import Measurement
from tinsmith_driver.table import fitted_table, listed, thousands

_SHOWN_WAITS = 3


def tile_plan(compilation: Compilation) -> TilePlan | None:
    """What the pass that cuts calls has decided; None where it had nothing to decide."""
    return compilation.facts(TilePlan)


def tiling_facts(compilation: Compilation, measurement: Measurement | None) -> TilingFacts | None:
    """For the report; None where nothing was tiled. What was not simulated layer by layer is None."""
    plan, cluster = tile_plan(compilation), compilation.target.board.cluster
    if plan is None or cluster is None:
        return None
    numbers = {call.name: number for number, call in enumerate(compilation.program.calls)}
    beside = {call.name for call in compilation.program.calls if call.engine is not None}
    rows = [
        _row(
            layer,
            [numbers[name] for name in layer.calls],
            measurement,
            is_beside=not beside.isdisjoint(layer.calls),
        )
        for layer in plan.layers
    ]
    simulated = [row["cycles"] for row in rows if row["cycles"] is not None]
    cycles = sum(simulated) if len(simulated) == len(rows) else None
    near = compilation.plans[cluster.memory]
    bytes_in, bytes_out = copied_bytes(compilation.program, cluster.memory)
    return {
        "status": plan.status,
        "modelled": plan.cycles,
        "bound": plan.bound,
        "gap": round(plan.gap, 6),
        "cycles": cycles,
        "difference": _difference(plan.cycles, cycles),
        "memory": cluster.memory,
        "memory_bytes": cluster.network_bytes,
        "used": near.live_bytes(near.peak_step),
        "bytes_in": bytes_in,
        "bytes_out": bytes_out,
        "layers": rows,
    }


def _row(
    layer: TiledLayer,
    numbers: Sequence[int],
    measurement: Measurement | None,
    *,
    is_beside: bool = False,
) -> TiledLayerRow:
    """numbers: of the layer's calls among those written. is_beside: an engine computes it: what was simulated is how
    long the core waited for it, which the model does not say.
    """
    counted = measurement.layer_cores if measurement is not None else ()
    cores = _summed([counted[number] for number in numbers]) if counted else ()
    cycles = cores[0].cycles if cores else None
    return {
        "name": layer.name,
        "calls": [*layer.calls],
        "way": layer.way,
        "tiles": layer.tiles,
        "near": [*layer.near],
        "prefetched": layer.is_prefetched,
        "modelled": layer.cycles,
        "cycles": cycles,
        "difference": None if is_beside else _difference(layer.cycles, cycles),
        "cluster": cluster_share(cores),
    }


def _summed(calls: Sequence[Sequence[CoreCounts]]) -> tuple[CoreCounts, ...]:
    """What each core did in all these calls."""
    return tuple(CoreCounts.total(core) for core in zip(*calls, strict=True))


def _difference(modelled: int, cycles: int | None) -> float | None:
    return round(modelled / cycles - 1, 4) if cycles else None


def copied_bytes(program: Program, near: str) -> tuple[int, int]:
    """How many bytes engines copy into that memory in a run, and how many out of it; not those that are fetched from a
    remote memory.
    """
    far = {id(copy) for copy in fetches(program)}
    found = [0, 0]
    for step, _ in instances(program.steps):
        if isinstance(step, Copy) and step.engine is not None and id(step) not in far:
            is_out = program.buffer_of(step.destination).memory != near
            found[is_out] += program.type_of(step.destination).size_bytes
    return found[0], found[1]


def tiling_text(tiling: TilingFacts) -> str:
    """Two lines for people."""
    proof = tiling["status"]
    if tiling["gap"]:
        proof += f", the best plan takes at most {tiling['gap']:.1%} less"
    cycles = f"{thousands(tiling['modelled'])} cycles by the model"
    if tiling["cycles"] is not None:
        cycles += f", {thousands(tiling['cycles'])} simulated ({percent(tiling['difference'])})"
    return (
        f"tiles: {proof}; {cycles}\n"
        f"{tiling['memory']}: at most {thousands(tiling['used'])} of {thousands(tiling['memory_bytes'])} bytes used; "
        f"copied {thousands(tiling['bytes_in'])} bytes in, {thousands(tiling['bytes_out'])} out"
    )


def tiling_table(tiling: TilingFacts) -> str:
    """One line a layer."""
    is_counted = tiling["cycles"] is not None
    header = ["tiled layer", "way", "prefetched", "modelled"]
    header += ["simulated", "difference", "utilisation"] if is_counted else []
    header += [f"stays in {tiling['memory']}"] + (["waits"] if is_counted else [])
    return fitted_table(header, [_cells(row, is_counted=is_counted) for row in tiling["layers"]])


def _cells(row: TiledLayerRow, *, is_counted: bool) -> list[str]:
    cells = [
        row["name"],
        row["way"],
        "yes" if row["prefetched"] else "no",
        thousands(row["modelled"]),
    ]
    near, cores = listed(row["near"]) or "-", row["cluster"]
    if not is_counted or cores is None:
        return [*cells, near]
    shares = (thousands(row["cycles"]), percent(row["difference"]), f"{cores['utilisation']:.1%}")
    return [*cells, *shares, near, waits_text(cores["waits"], _SHOWN_WAITS)]


def percent(difference: float | None) -> str:
    """With its sign."""
    return "-" if difference is None else f"{difference:+.1%}"
