"""RAM and flash in the report, and their table."""

from tinsmith_driver.buffers import Occupied
from tinsmith_driver.build import Build
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import Flash, MemoryRow, Ram
from tinsmith_driver.running import Measurement
from tinsmith_driver.table import fitted_table, thousands


def memory_table(compilation: Compilation, build: Build, measurement: Measurement | None) -> str:
    """RAM and flash by what they hold."""
    ram = ram_facts(compilation, build, measurement)
    flash = flash_facts(compilation, build)
    rows = [
        ["RAM", thousands(ram["total"])],
        ["  arena", thousands(ram["arena"])],
        ["  data + bss", thousands(ram["data_bss"])],
        ["  stack", thousands(ram["stack"])],
        ["flash", thousands(flash["total"])],
        ["  weights", thousands(flash["weights"])],
        ["  code", thousands(flash["code"])],
        ["  other constants", thousands(flash["rodata"])],
    ]
    return fitted_table(["memory", "bytes"], rows)


def ram_facts(
    compilation: Compilation, build: Build | None, measurement: Measurement | None
) -> Ram:
    """Bytes of RAM, by what holds them and where."""
    arena = compilation.arena_bytes
    data_bss = build.data_bss if build else None
    stack = measurement.stack_bytes if measurement else None
    return {
        "arena": arena,
        "arena_without_scratch": compilation.arena_without_scratch,
        "arena_lower_bound": compilation.arena_lower_bound,
        "arena_status": compilation.arena_status,
        "memories": [_memory(compilation, name) for name in compilation.plans],
        "moved": compilation.bytes_moved if compilation.options.memories else None,
        "data_bss": data_bss,
        "stack": stack,
        "total": None if data_bss is None or stack is None else arena + data_bss + stack,
        "available": _available_ram(compilation),
    }


def _memory(compilation: Compilation, name: str) -> MemoryRow:
    plan, board = compilation.plans[name], compilation.target.board
    step, most = Occupied(plan).peak
    return {
        "name": name,
        "bytes": plan.arena_bytes,
        "lower_bound": plan.lower_bound,
        "status": plan.status.value,
        "gap": round(plan.gap, 6),
        "available": board.home(name).size_bytes if board.memories else None,
        "peak": most,
        "peak_step": step,
    }


def _available_ram(compilation: Compilation) -> int | None:
    """Of the memories of data, of the arena, and of what else a plan puts something in."""
    board = compilation.target.board
    if not board.memories:
        return None
    homes = {board.memory(board.data_memory), *map(board.home, compilation.plans)}
    return sum(memory.size_bytes for memory in homes)


def flash_facts(compilation: Compilation, build: Build | None) -> Flash:
    """Bytes of flash, by what they hold."""
    weights, code, rodata = (
        (None, None, None) if build is None else (build.weights, build.code, build.rodata)
    )
    return {
        "weights": weights,
        "code": code,
        "rodata": rodata,
        "total": None if build is None else build.weights + build.code + build.rodata,
        "available": _available_flash(compilation),
    }


def _available_flash(compilation: Compilation) -> int | None:
    """Of the memories of code, of weights, and of others that constants name."""
    board = compilation.target.board
    if not board.memories:
        return None
    named = {constant.memory for constant in compilation.program.constants}
    used = {board.code_memory, board.weight_memory, *named}
    return sum(memory.size_bytes for memory in board.memories if memory.name in used)
