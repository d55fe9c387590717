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
    least = alone_bytes(worst.layer, worst.least, near)
    where = f"layer {visible(worst.layer.name)} does not fit into the {near.size_bytes} B of {near.name}"
    return DoesNotFitError(f"{where}: {_needs(worst, near)}; all layers would fit into {least} B")


def too_large(stuck: Sequence[Stuck], near: Memory, target: Target) -> dict[str, str]:
    """Of layers for which the board's whole near memory is too small, by name, what a user should know."""
    cluster = target.board.cluster
    if cluster is None:
        return {}
    most = target.board.memory(cluster.memory).size_bytes - cluster.reserved_bytes
    return {
        one.layer.name: f"{visible(one.layer.name)}: computed where its tensors lie, slower than from {near.name}, of "
        f"which {target.board.name} leaves a network {most} B: {_needs(one, near)}"
        for one in stuck
        if alone_bytes(one.layer, one.least, near) > most
    }


def _needs(stuck: Stuck, near: Memory) -> str:
    """`cut into 4 x 1 tiles, it takes 900 B (scratch 300 B, x 600 B)`: what the layer takes at least."""
    layer, way, least = stuck.layer, stuck.least, alone_bytes(stuck.layer, stuck.least, near)
    stagings = (("operand", way.operands), ("result", way.results))
    names = {
        f"{layer.name}.{kind}.{index}": visible(stuck.names[staging.tensor])
        for kind, found in stagings
        for index, staging in enumerate(found)
    }
    names |= {f"{layer.name}.scratch": "scratch", f"{layer.name}.constants": "constants"}
    taken = sorted(alone_parts(layer, way, near), key=lambda part: -part[1])
    listed = ", ".join(f"{names[name]} {bytes_} B" for name, bytes_ in taken)
    return f"cut into {way.label}, it takes {least} B ({listed})"
