"""What to say where no plan fits: the layer, the memory, and the least near memory that would do."""

from collections.abc import Iterable
from dataclasses import replace

from tinsmith_ir.errors import DoesNotFitError

from tinsmith_tiling.facts import Facts, Placed
from tinsmith_tiling.model import Problem
from tinsmith_tiling.start import Stuck, start_of


def shortage(facts: Facts, stuck: Stuck) -> DoesNotFitError:
    """The error for a problem of which the greedy planner finds no plan."""
    problem = facts.problem
    memory, layer = problem.memories[stuck.memory], problem.layers[stuck.layer]
    live = sorted(
        (problem.tensors[at] for at in facts.live[stuck.layer]), key=lambda t: -t.size_bytes
    )
    largest = ", ".join(f"{tensor.name} {tensor.size_bytes} B" for tensor in live[:3])
    where = f"layer {layer.name} does not fit into the {memory.size_bytes} B of {memory.name}"
    about = f"the largest tensors live there: {largest}"
    if stuck.memory:
        return DoesNotFitError(
            f"{where}, where tensors lie that layers cannot keep nearer; {about}"
        )
    least = least_near_bytes(problem)
    if least is None:
        return DoesNotFitError(
            f"{where}, nor into more: its ways and those of other layers need tensors in different memories; {about}"
        )
    return DoesNotFitError(f"{where}: all layers would fit into {least} B; {about}")


def least_near_bytes(problem: Problem) -> int | None:
    """The least near memory with which the greedy planner finds a plan, in bytes; None if no size lets it."""
    unlimited = Facts(_with_near(problem, None))
    unit = problem.memories[0].alignment
    low = max((_least_units(unlimited, layer) for layer in unlimited.layers), default=1)
    if _starts(problem, low * unit):
        return low * unit
    high = low
    while not _starts(problem, (high := 2 * high) * unit):
        if high > 2 * _all_units(unlimited):
            return None
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _starts(problem, middle * unit) else (middle, high)
    return high * unit


def _with_near(problem: Problem, size_bytes: int | None) -> Problem:
    near = replace(problem.memories[0], size_bytes=size_bytes)
    return replace(problem, memories=(near, *problem.memories[1:]))


def _starts(problem: Problem, near_bytes: int) -> bool:
    return isinstance(start_of(Facts(_with_near(problem, near_bytes))), Placed)


def _least_units(facts: Facts, layer: int) -> int:
    """What the layer and its own near tensors take in the near memory at least; 1 if no homes suit it."""
    tensors = facts.tensors_of[layer]
    vectors, _ = facts.columns[layer].vectors([facts.usable[at] for at in tensors], None)
    needs: Iterable[int] = (
        column.units
        + sum(facts.units(at, 0) for at, home in zip(tensors, vector, strict=True) if home == 0)
        for vector in vectors
        for column in facts.columns[layer].of(vector)
        if not column.is_prefetched
    )
    return max(1, min(needs, default=1))


def _all_units(facts: Facts) -> int:
    """More than any plan needs: all tensors, and of each layer the largest column of each choice of homes."""
    total = sum(facts.units(tensor, 0) for tensor in range(len(facts.problem.tensors)))
    for layer in facts.layers:
        homes = [facts.usable[at] for at in facts.tensors_of[layer]]
        vectors, _ = facts.columns[layer].vectors(homes, None)
        total += max(
            (column.units for vector in vectors for column in facts.columns[layer].of(vector)),
            default=0,
        )
    return total
