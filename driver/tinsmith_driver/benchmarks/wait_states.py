"""Constants that are copied to fast memory, measured: cycles of a simulated core whose loads from flash wait.

The chip is made of a simulated one, of whose two memories the nearer holds the arena and the other constants. Each load
from there waits as a row says; instructions never wait, as if a cache held them. `as it lies` reads all constants
there; then copies have the room that is free beside the arena, or what `RAM` allows. `foreseen` is what the pass
`hold-constants` promises, for loads of words; kernels of plain C load weights one by one. Outputs are compared with the
evaluator's.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from tinsmith_plugins import Plugin
from tinsmith_target import Board, ChipConstant, SocSimulator, Target, target

from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import compared, tiny
from tinsmith_driver.held import held_facts
from tinsmith_driver.options import CompileOptions, Waits, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.plugins import using
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 600
_SAMPLES = 1
_WAITS = 1, 5, 12
_CHIP = "siracusa"


def _board(waits: int) -> Board:
    """One core; each load of a constant waits so many cycles."""
    chip = target(_CHIP).board
    assert chip.cluster is not None
    near = chip.cluster.memory
    memories = (
        replace(chip.memory(chip.weight_memory), wait_states=float(waits)),
        replace(chip.memory(near), wait_states=0.0),
    )
    constants = (ChipConstant("l2_fc", 1 + waits), ChipConstant("l1_fc", 1))
    return replace(
        chip,
        name=f"flash-waits-{waits}",
        description=f"one core with fast RAM, and constants whose loads wait {waits} cycles",
        memories=memories,
        data_memory=near,
        emulator=SocSimulator(_CHIP, constants),
        dma=None,
        cluster=None,
    )


def _target(waits: int) -> Target:
    board = _board(waits)
    return Target(board.name, board.description, "riscv32", frozenset(), board, "cmsis_nn")


PLUGIN = Plugin("tinsmith_wait_states", targets=tuple(_target(waits) for waits in _WAITS))
"""The targets of this benchmark."""

_ORIGIN = f"{__name__}:PLUGIN"


@dataclass(frozen=True)
class Goal:
    """ram: bytes that the arena may take, copies included; None for what it takes without copies."""

    network: str
    ram: int | None = None


GOALS = (
    *(Goal("kws", ram) for ram in (None, 12 * 1024, 16 * 1024)),
    *(Goal("vww", ram) for ram in (None, 64 * 1024)),
    *(Goal("ic", ram) for ram in (None, 64 * 1024)),
    *(Goal("sww", ram) for ram in (None, 16 * 1024, 24 * 1024)),
)


@dataclass(frozen=True)
class Row:
    """waits: of a load from flash. held: constants that are copied, copied: their bytes. as_it_lies, cycles: of an
    inference without copies and with them. foreseen: cycles that are promised to be saved.
    """

    network: str
    waits: int
    ram: int | None
    status: str
    arena: int
    held: int
    copied: int
    as_it_lies: int
    cycles: int
    foreseen: int


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks and targets (comma-separated, None for all)."""
    names = [found.name for found in PLUGIN.targets]
    chosen_targets = selection(targets, names, "target")
    chosen = selection(models, list(dict.fromkeys(goal.network for goal in GOALS)), "network")
    waits = [count for count, name in zip(_WAITS, names, strict=True) if name in chosen_targets]
    rows: list[Row] = []
    with using([_ORIGIN]), progress("wait-states", len(waits) * len(chosen)) as bar:
        for count in waits:
            for network in chosen:
                bar.step(f"{network}, {count} wait states")
                rows += _rows(network, count)
    failures = [failure for row in rows for failure in _misses(row)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def _rows(network: str, waits: int) -> Iterator[Row]:
    as_it_lies = _measured(network, waits, CompileOptions(_target(waits).name))
    for goal in GOALS:
        if goal.network == network:
            speeds = Waits(float(waits), 0.0, may_grow=goal.ram is not None)
            options = CompileOptions(_target(waits).name, ram_bytes=goal.ram, waits=speeds)
            row = _measured(network, waits, options)
            is_right = row.status == as_it_lies.status == "ok"
            status = "ok" if is_right else "differs"
            yield replace(row, status=status, as_it_lies=as_it_lies.cycles)


def _measured(name: str, waits: int, options: CompileOptions) -> Row:
    subject = tiny(name)
    compilation = compile_model(subject.model, options)
    held = held_facts(compilation)
    samples = subject.samples(compilation.graph, _SAMPLES)
    measured, _ = compared(compilation, samples, _TIMEOUT_SECONDS)
    return Row(
        network=name,
        waits=waits,
        ram=options.ram_bytes,
        status="ok" if measured.is_right else "differs",
        arena=compilation.arena_bytes,
        held=0 if held is None else len(held["constants"]),
        copied=0 if held is None else held["bytes"],
        as_it_lies=0,
        cycles=measured.cycles or 0,
        foreseen=0 if held is None else held["saved"],
    )


def _misses(row: Row) -> Iterator[str]:
    where = f"{row.network}, {row.waits} wait states, RAM {_ram(row)}"
    if row.status != "ok":
        yield f"{where}: {row.status}"
    if row.ram is not None and row.arena > row.ram:
        yield f"{where}: {row.arena:,} bytes"
    if row.as_it_lies - row.cycles < row.foreseen:
        yield (
            f"{where}: {row.as_it_lies - row.cycles:,} cycles saved, {row.foreseen:,} are foreseen"
        )


def _ram(row: Row) -> str:
    return "as it is" if row.ram is None else thousands(row.ram)


def _table(rows: list[Row]) -> str:
    header = [
        *("network", "waits", "RAM", "status", "arena", "held", "copied"),
        *("as it lies", "cycles", "times", "saved", "foreseen"),
    ]
    return table(header, [_line(row) for row in rows])


def _line(row: Row) -> list[str]:
    numbers = (row.arena, row.held, row.copied, row.as_it_lies, row.cycles)
    return [
        row.network,
        str(row.waits),
        _ram(row),
        row.status,
        *map(thousands, numbers),
        f"{row.cycles / row.as_it_lies:.3f}" if row.as_it_lies else "-",
        thousands(row.as_it_lies - row.cycles),
        thousands(row.foreseen),
    ]
