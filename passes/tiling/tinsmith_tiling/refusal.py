"""What to say of a network with a layer that no way lets into the near memory.

A layer takes least with all its tensors afar, one tile at a time and nothing fetched ahead, and what lives near beside
it only adds to that. So a network has a plan if and only if each of its layers has such a way that fits, and the most
that a layer takes so is the least memory that does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible
from tinsmith_target import Target

from tinsmith_tiling.columns import parts
from tinsmith_tiling.model import Layer, Memory, Way


def alone_parts(layer: Layer, way: Way, near: Memory) -> list[tuple[str, int]]:
    """Names and bytes of what a layer takes with no tensor near, those of operands and results by their place."""
    return list(parts(layer, way, dict.fromkeys(layer.tensors, 1), near))


def alone_bytes(layer: Layer, way: Way, near: Memory) -> int:
    """What a layer takes with no tensor near."""
    return sum(bytes_ for _, bytes_ in alone_parts(layer, way, near))


@dataclass(frozen=True, eq=False)
class Stuck:
    """A layer none of whose ways fits. least: the one that takes fewest bytes. names: of its tensors, to a reader."""

    layer: Layer
    least: Way
    names: Mapping[str, str]


def refusal(stuck: Sequence[Stuck], near: Memory, target: Target) -> DoesNotFitError:
    """The error for a network in which these layers do not fit; it names the one that takes most."""
    worst = max(stuck, key=lambda one: alone_bytes(one.layer, one.least, near))
    layer, way = worst.layer, worst.least
    least = alone_bytes(layer, way, near)
    stagings = (("operand", way.operands), ("result", way.results))
    names = {
        f"{layer.name}.{kind}.{index}": visible(worst.names[staging.tensor])
        for kind, found in stagings
        for index, staging in enumerate(found)
    }
    names |= {f"{layer.name}.scratch": "scratch", f"{layer.name}.constants": "constants"}
    taken = sorted(alone_parts(layer, way, near), key=lambda part: -part[1])
    listed = ", ".join(f"{names[name]} {bytes_} B" for name, bytes_ in taken)
    where = f"layer {visible(layer.name)} does not fit into the {near.size_bytes} B of {near.name}"
    return DoesNotFitError(
        f"{where}: cut into {way.label}, it takes {least} B ({listed}); "
        f"all layers would fit into {least} B{_beyond(least, near, target)}"
    )


def _beyond(least: int, near: Memory, target: Target) -> str:
    """A remark where the board has no such memory."""
    cluster = target.board.cluster
    if cluster is None:
        return ""
    most = target.board.memory(cluster.memory).size_bytes - cluster.reserved_bytes
    if least <= most:
        return ""
    return f", and {target.board.name} leaves a network at most {most} B of its {near.name}"
