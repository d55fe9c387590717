"""What the solver has chosen, as a Plan."""

from collections.abc import Iterator

from tinsmith_tiling.columns import parts
from tinsmith_tiling.early import REACH, hastened
from tinsmith_tiling.facts import Facts, Placed
from tinsmith_tiling.model import Plan


def plan_of(facts: Facts, placed: Placed, bound: int) -> Plan:
    """The plan with names and bytes, copies started early where that helps. bound: no plan takes fewer cycles."""
    placed = hastened(facts, placed)
    choice, tensors = placed.choice, facts.problem.tensors
    return Plan(
        ways=tuple(column.way for column in choice.columns),
        homes={tensor.name: home for tensor, home in zip(tensors, choice.homes, strict=True)},
        prefetched=tuple(_layers_ahead(placed, layer) for layer in facts.layers),
        offsets=dict(_offsets(facts, placed)),
        layer_cycles=tuple(map(choice.layer_cycles, facts.layers)),
        bound=bound,
    )


def _layers_ahead(placed: Placed, layer: int) -> int:
    if not placed.choice.columns[layer].is_prefetched:
        return 0
    return REACH if layer in placed.early else 1


def least_cycles(facts: Facts) -> int:
    """The sum of what each layer takes at least, whatever the others do."""
    return sum(columns.least_cycles() for columns in facts.columns)


def _offsets(facts: Facts, placed: Placed) -> Iterator[tuple[str, int]]:
    problem, offsets = facts.problem, placed.offsets
    for index, tensor in enumerate(problem.tensors):
        home = placed.choice.homes[index]
        if facts.rooms[home] is not None:
            yield tensor.name, offsets["tensor", index] * problem.memories[home].alignment
    if facts.rooms[0] is None:
        return
    near = problem.memories[0]
    homes = {
        tensor.name: home for tensor, home in zip(problem.tensors, placed.choice.homes, strict=True)
    }
    for index, (layer, column) in enumerate(
        zip(problem.layers, placed.choice.columns, strict=True)
    ):
        at = offsets.get(("own", index), 0) * near.alignment
        for name, bytes_ in parts(layer, layer.ways[column.way], homes, near):
            if column.is_prefetched and name == f"{layer.name}.constants":
                at = offsets["ahead", index] * near.alignment
            yield name, at
            at += bytes_
