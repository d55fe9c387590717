"""What each core of a cluster did in the first run, or in each layer of it: read from the counters that the simulator
writes by region and by stage.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_emulators.errors import OutputError

COUNTERS_FILE = "counters.json"
_SCHEMA = "tinsmith.soc/1"
# As harness.c numbers them.
_EMPTY_RUN, _FIRST_RUN = 1, 2
_FIRST_LAYER = 1

_Object = Mapping[str, object]


@dataclass(frozen=True)
class CoreCounts:
    """Of one core in one run: cycles, instructions, those by class, and cycles without one by cause. The cycles are the
    sum of instructions and stalls. Names of classes and causes are the simulator's.
    """

    name: str
    cycles: int
    instructions: int
    classes: Mapping[str, int]
    stalls: Mapping[str, int]

    @staticmethod
    def total(parts: Sequence["CoreCounts"]) -> "CoreCounts":
        """What the core of the first part did in all of them."""
        classes, stalls = Counter[str](), Counter[str]()
        for part in parts:
            classes.update(part.classes)
            stalls.update(part.stalls)
        instructions = sum(classes.values())
        cycles = instructions + sum(stalls.values())
        return CoreCounts(parts[0].name, cycles, instructions, dict(classes), dict(stalls))


def read_counters(data: bytes) -> tuple[CoreCounts, ...]:
    """The cores that ran the program, of a file of schema `tinsmith.soc/1`. What an empty run costs is subtracted.

    Raises OutputError for another file.
    """
    found = (_core(core) for core in _cores(data))
    return tuple(core for core in found if core is not None)


def read_layers(data: bytes, layers: int) -> tuple[tuple[CoreCounts, ...], ...]:
    """Of each of so many layers, the cores that ran the program; of those in loops, all runs. The call of what marks
    its end is a part of a layer. Raises OutputError for another file.
    """
    ran = [core for core in _cores(data) if _core(core) is not None]
    return tuple(
        tuple(_of_stage(core, number + _FIRST_LAYER) for core in ran) for number in range(layers)
    )


def _of_stage(core: _Object, number: int) -> CoreCounts:
    for stage in map(_object, _list(core.get("stages"))):
        if stage.get("stage") == number:
            return _counts(core, _known(stage.get("classes")), _known(stage.get("stalls")))
    return _counts(core, {}, {})  # it never ran


def _known(counts: object) -> dict[str, int]:
    return {name: _count(count) for name, count in _object(counts).items()}


def _cores(data: bytes) -> list[_Object]:
    """Those of the file. Raises OutputError for another file."""
    try:
        content = _object(json.loads(data))
    except ValueError as error:
        raise OutputError(f"{COUNTERS_FILE} is no JSON: {error}") from None
    if content.get("schema") != _SCHEMA:
        raise OutputError(
            f"{COUNTERS_FILE}: expected schema {_SCHEMA}, got {content.get('schema')!r}"
        )
    return [_object(core) for core in _list(content.get("cores"))]


def _core(core: _Object) -> CoreCounts | None:
    """None for one that never came to the first run."""
    regions = {region.get("region"): region for region in map(_object, _list(core.get("regions")))}
    if _FIRST_RUN not in regions or _EMPTY_RUN not in regions:
        return None
    run, empty = regions[_FIRST_RUN], regions[_EMPTY_RUN]
    classes = _less(_object(run.get("classes")), _object(empty.get("classes")))
    stalls = _less(_object(run.get("stalls")), _object(empty.get("stalls")))
    return _counts(core, classes, stalls)


def _counts(core: _Object, classes: Mapping[str, int], stalls: Mapping[str, int]) -> CoreCounts:
    instructions = sum(classes.values())
    return CoreCounts(
        name=str(core.get("name")),
        cycles=instructions + sum(stalls.values()),
        instructions=instructions,
        classes=classes,
        stalls=stalls,
    )


def _less(run: _Object, empty: _Object) -> dict[str, int]:
    """A run may wait less for one thing than an empty one does: nothing is below 0."""
    counts = {name: max(_count(n) - _count(empty.get(name, 0)), 0) for name, n in run.items()}
    return {name: count for name, count in counts.items() if count}


def _object(value: object) -> _Object:
    if not isinstance(value, dict):
        raise OutputError(f"{COUNTERS_FILE}: expected an object, got {value!r}")
    return {str(key): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise OutputError(f"{COUNTERS_FILE}: expected a list, got {value!r}")
    return [*value]  # pyright: ignore[reportUnknownVariableType]


def _count(value: object) -> int:
    if not isinstance(value, int):
        raise OutputError(f"{COUNTERS_FILE}: expected a number, got {value!r}")
    return value
