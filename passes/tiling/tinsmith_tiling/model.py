"""The problem and its solution, free of any IR: layers with the ways to cut them, tensors, memories, a plan.

Time is counted in layers. Memory 0 is the near one, in which kernels compute; the others lie behind it, and one DMA
copies between them and it, a copy after the other.
"""

import enum
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import TinsmithError

LARGEST_BYTES = 1 << 40
"""Of a memory or a block, and cycles of a copy: the solver computes with 64 bits."""


class TilingError(TinsmithError):
    """A problem breaks a rule, or a plan: a defect of what made it."""


@dataclass(frozen=True)
class Memory(Checked):
    """One level. size_bytes: None for as many as are asked for, whose blocks a plan gives no offsets.

    alignment: of every block and slot, in bytes; a power of two, of which the size is a multiple.
    """

    name: str
    size_bytes: int | None
    alignment: int = 4

    def __post_init__(self) -> None:
        """Raise TilingError for a bad alignment or size."""
        super().__post_init__()
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise TilingError(
                f"memory {self.name}: expected a power of two as alignment, got {self.alignment}"
            )
        if self.size_bytes is None:
            return
        if not 0 < self.size_bytes <= LARGEST_BYTES or self.size_bytes % self.alignment:
            raise TilingError(
                f"memory {self.name}: expected 1 to {LARGEST_BYTES} bytes, a multiple of its alignment "
                f"{self.alignment}, got {self.size_bytes}"
            )

    def aligned(self, size_bytes: int) -> int:
        """The bytes rounded up to a multiple of the alignment."""
        return -(-size_bytes // self.alignment) * self.alignment


@dataclass(frozen=True)
class Tensor(Checked):
    """What layers hand on. homes: the memories, by index, in one of which it may lie between its writer and its last
    reader.

    is_output: it stays to the end, though layers read it. A tensor without a writer is an input, there from the
    first layer on; one without a reader is an output in any case.
    """

    name: str
    size_bytes: int
    homes: tuple[int, ...]
    is_output: bool = False

    def __post_init__(self) -> None:
        """Raise TilingError for no or a bad home, or no bytes."""
        super().__post_init__()
        _check_range(f"tensor {self.name}", "bytes", self.size_bytes, 1)
        if not self.homes or len(set(self.homes)) != len(self.homes) or min(self.homes) < 0:
            raise TilingError(
                f"tensor {self.name}: expected one or more memories as homes, each once, got {self.homes}"
            )


@dataclass(frozen=True)
class Staging(Checked):
    """The tiles of an operand or result in the near memory, if the tensor itself is not there.

    slot_bytes: one tile. slots: 2 if a tile is copied while another is computed, else 1.
    copy_cycles: of the DMA for all tiles; or a number for each memory from 1 on in which the tensor may lie, the last
    one holding for all further memories. core_cycles: of the core that starts the copies and waits for them, in which
    it computes nothing.
    """

    tensor: str
    slot_bytes: int
    slots: int
    copy_cycles: int | tuple[int, ...]
    core_cycles: int = 0

    def __post_init__(self) -> None:
        """Raise TilingError for numbers out of range."""
        super().__post_init__()
        where = f"staging of {self.tensor}"
        _check_range(where, "bytes in a slot", self.slot_bytes, 1)
        _check_slots(where, self.slots)
        if self.copy_cycles == ():
            raise TilingError(f"{where}: expected cycles for memory 1, got none")
        for cycles in (*self._cycles, self.core_cycles):
            _check_range(where, "cycles", cycles, 0)

    @property
    def _cycles(self) -> tuple[int, ...]:
        return (self.copy_cycles,) if isinstance(self.copy_cycles, int) else self.copy_cycles

    def cycles_from(self, memory: int) -> int:
        """DMA cycles of all copies if the tensor lies in that memory, from 1 on."""
        return self._cycles[min(memory, len(self._cycles)) - 1]


@dataclass(frozen=True)
class Way(Checked):
    """One way to compute a layer.

    compute_cycles: of all its tiles. operands, results: a tensor of the layer that has no staging must be near.
    constants_bytes: one slot of them, 0 for none. constants_slots: 2 if those of the next tile are copied while one is
    computed. constants_copy_cycles: all their copies. first_constants_cycles: of these the copies before the first
    tile, which a prefetch hides; None for all.
    needs_far, needs_near: tensors that must not lie, or must lie, in the near memory. tiles: how many.
    """

    label: str
    compute_cycles: int
    scratch_bytes: int = 0
    operands: tuple[Staging, ...] = ()
    results: tuple[Staging, ...] = ()
    constants_bytes: int = 0
    constants_slots: int = 1
    constants_copy_cycles: int = 0
    first_constants_cycles: int | None = None
    needs_far: frozenset[str] = frozenset()
    needs_near: frozenset[str] = frozenset()
    tiles: int = 1

    def __post_init__(self) -> None:
        """Raise TilingError for numbers out of range."""
        super().__post_init__()
        where = f"way {self.label}"
        _check_range(where, "cycles", self.compute_cycles, 0)
        _check_range(where, "bytes of scratch", self.scratch_bytes, 0)
        _check_range(where, "bytes of constants", self.constants_bytes, 0)
        _check_range(where, "cycles for constants", self.constants_copy_cycles, 0)
        _check_range(where, "tiles", self.tiles, 1)
        _check_slots(where, self.constants_slots)
        if not 0 <= self.first_cycles <= self.constants_copy_cycles:
            raise TilingError(
                f"{where}: expected the first constants to take 0 to {self.constants_copy_cycles} cycles, as all "
                f"do, got {self.first_cycles}"
            )
        if not self.constants_bytes and self.constants_copy_cycles:
            raise TilingError(f"{where}: cycles for constants, of which there are no bytes")

    @property
    def first_cycles(self) -> int:
        """Cycles until the constants of the first tile are there."""
        first = self.first_constants_cycles
        return self.constants_copy_cycles if first is None else first

    @property
    def stagings(self) -> tuple[Staging, ...]:
        """Those of operands, then those of results."""
        return self.operands + self.results


@dataclass(frozen=True)
class Layer(Checked):
    """A layer that is to be cut. reads, writes: names of tensors. ways: how it may be, of which a plan takes one."""

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    ways: tuple[Way, ...]

    def __post_init__(self) -> None:
        """Raise TilingError for a layer without ways, or a way that stages or needs what the layer does not have."""
        super().__post_init__()
        if not self.ways:
            raise TilingError(f"layer {self.name}: expected a way to compute it, got none")
        for way in self.ways:
            self._check(way)

    def _check(self, way: Way) -> None:
        where = f"layer {self.name}, way {way.label}"
        for kind, stagings, names in (
            ("operand", way.operands, self.reads),
            ("result", way.results, self.writes),
        ):
            staged = [staging.tensor for staging in stagings]
            if len(set(staged)) != len(staged) or not set(staged) <= set(names):
                raise TilingError(
                    f"{where}: expected the staging of each {kind} once, of {names}, got {staged}"
                )
        needed = way.needs_far | way.needs_near
        if not needed <= {*self.reads, *self.writes} or way.needs_far & way.needs_near:
            raise TilingError(
                f"{where}: expected needs of the layer's tensors, each near or far, got near "
                f"{sorted(way.needs_near)} and far {sorted(way.needs_far)}"
            )

    @property
    def tensors(self) -> tuple[str, ...]:
        """Those it reads, then those it writes, each once."""
        return tuple(dict.fromkeys(self.reads + self.writes))


@dataclass(frozen=True)
class Problem(Checked):
    """memories: the nearest first. tensors: in any order. layers: as they run."""

    memories: tuple[Memory, ...]
    tensors: tuple[Tensor, ...]
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        """Raise TilingError for names that are missing or there twice, and tensors read before they are written."""
        super().__post_init__()
        if not self.memories:
            raise TilingError("expected one or more memories, the nearest first, got none")
        _check_once("memory", [memory.name for memory in self.memories])
        _check_once("layer", [layer.name for layer in self.layers])
        parts = {name for layer in self.layers for name in _part_names(layer)}
        _check_once("block", [*parts, *(tensor.name for tensor in self.tensors)])
        for tensor in self.tensors:
            if max(tensor.homes) >= len(self.memories):
                raise TilingError(
                    f"tensor {tensor.name}: expected homes below {len(self.memories)}, got {tensor.homes}"
                )
        self._check_order()

    def _check_order(self) -> None:
        tensors = {tensor.name for tensor in self.tensors}
        used: set[str] = set()
        for layer in self.layers:
            if missing := [name for name in layer.tensors if name not in tensors]:
                raise TilingError(f"layer {layer.name}: there is no tensor {missing[0]}")
            used.update(layer.reads)
            if late := [name for name in layer.writes if name in used]:
                raise TilingError(
                    f"layer {layer.name} writes {late[0]}: expected a tensor that neither it nor a layer before it "
                    f"reads or writes"
                )
            _check_once(f"result of layer {layer.name}", list(layer.writes))
            used.update(layer.writes)
        if idle := sorted(tensors - used):
            raise TilingError(f"tensor {idle[0]}: no layer reads or writes it")


class Status(enum.Enum):
    """What is known about a plan: OPTIMAL, proven that none takes fewer cycles of the model; FEASIBLE, right alone."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"


@dataclass(frozen=True)
class Plan(Checked):
    """What is chosen for a Problem.

    ways: an index for each layer. homes: the memory of each tensor. prefetched: for each layer, how many layers
    before it the constants of its first tile are copied, beside computation: 0 if they are copied when it begins, 1, or
    2, which the cycles do not count on. offsets: in bytes, of blocks in memories of a stated
    size: tensors by name, `layer.scratch`, `layer.constants`, `layer.operand.k` and `layer.result.k` (k of Way.operands
    and Way.results); slots follow one another, each rounded up to the alignment.
    layer_cycles: what each layer takes by the model. bound: no plan takes fewer cycles.
    """

    ways: tuple[int, ...]
    homes: Mapping[str, int]
    prefetched: tuple[int, ...]
    offsets: Mapping[str, int]
    layer_cycles: tuple[int, ...]
    bound: int

    @property
    def cycles(self) -> int:
        """The sum over all layers."""
        return sum(self.layer_cycles)

    @property
    def status(self) -> Status:
        """Optimal when no plan can take fewer cycles."""
        return Status.OPTIMAL if self.cycles == self.bound else Status.FEASIBLE

    @property
    def gap(self) -> float:
        """How far the optimum may be below the cycles, as a part of them; 0.0 when proven."""
        return 1 - self.bound / self.cycles if self.cycles else 0.0


def _part_names(layer: Layer) -> Iterator[str]:
    yield from (f"{layer.name}.scratch", f"{layer.name}.constants")
    for kind, most in (
        ("operand", max(len(way.operands) for way in layer.ways)),
        ("result", max(len(way.results) for way in layer.ways)),
    ):
        yield from (f"{layer.name}.{kind}.{index}" for index in range(most))


def _check_once(kind: str, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TilingError(f"two of the name {twice[0]}: expected each {kind} to have its own")


def _check_range(where: str, what: str, value: int, least: int) -> None:
    if not least <= value <= LARGEST_BYTES:
        raise TilingError(f"{where}: expected {least} to {LARGEST_BYTES} {what}, got {value}")


def _check_slots(where: str, slots: int) -> None:
    if slots not in (1, 2):
        raise TilingError(f"{where}: expected 1 or 2 slots, got {slots}")
