"""Runs CORE-V instructions on random operands, and compares what they do with the numpy model."""

import random
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from corev_model import Words, model, signed, unsigned
from corev_table import LOOP_ROWS, ROWS, LoopRow, Row, extension_of
from support import link, program

_REGISTERS = ("a0", "a1", "a2")
_PC = 0x10000
_BASE, _MEMORY_BYTES = 0x1000, 256
VARIANTS = 10
_ROWS_AT_A_TIME = 20  # bounds the memory needed
_MEMORY = np.arange(_MEMORY_BYTES, dtype=np.int64) * 167 + 13 & 255
_WEIGHTS = 2654435761 * np.arange(1, _MEMORY_BYTES + 7, dtype=np.int64) & 0xFFFFFFFF
_LOOP_WEIGHTS = _WEIGHTS[_MEMORY_BYTES:]
_LOOPS = np.array([0x20000, 0x20100, 0] * 2, np.int64)  # start, end and count of both
_UNTOUCHED = int((np.concatenate([_MEMORY, _LOOPS]) * _WEIGHTS).sum()) & 0xFFFFFFFF
_SPECIAL = (
    0,
    1,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    0x80008000,
    0x7FFF7FFF,
    0x80808080,
    0x7F7F7F7F,
)


@dataclass(frozen=True)
class Variant:
    """An instruction with its operands chosen: which register each is, and its numbers."""

    row: Row
    registers: dict[str, int]  # of d, s, t: index into _REGISTERS
    numbers: tuple[int, ...]

    @property
    def text(self) -> str:
        numbers = iter(self.numbers)
        words = [
            _REGISTERS[self.registers[kind]]
            if kind in self.registers
            else (f". + {next(numbers)}" if kind == "target" else str(next(numbers)))
            for kind in self.row.operands
        ]
        form = self.row.form or ", ".join(f"{{{i}}}" for i in range(len(words)))
        return f"{self.row.name} {form.format(*words)}"


def _number(kind: str, source: random.Random) -> int:
    if kind == "target":
        return 2 * source.choice([-2048, -5, 1, 3, 2047])
    _, low, high = kind.split(":")
    return source.randint(int(low), int(high))


def _variants(row: Row, source: random.Random) -> list[Variant]:
    """Some with registers in common, most without."""
    variants: list[Variant] = []
    for i in range(VARIANTS):
        registers = {kind: source.randrange(3) if i % 3 == 0 else j for j, kind in enumerate("dst")}
        is_memory = "(" in row.form
        if is_memory and registers["s"] in (registers["d"], registers["t"]) and "t" in row.operands:
            registers["s"] = 1
            registers["d"], registers["t"] = 0, 2  # an index that is the base leaves the memory
        if is_memory and registers["d"] == registers["t"]:
            registers["d"], registers["t"] = (registers["s"] + 1) % 3, (registers["s"] + 2) % 3
        numbers = tuple(_number(k, source) for k in row.operands if k not in registers)
        variants.append(Variant(row, registers, numbers))
    return variants


def _operands(number: int, generator: np.random.Generator) -> Words:
    """(number, 3) register values, a third of them special."""
    values = generator.integers(0, 1 << 32, (number, 3), dtype=np.int64)
    special = generator.choice(np.array(_SPECIAL, np.int64), (number, 3))
    return np.where(generator.random((number, 3)) < 0.3, special, values)


def _encode(variants: list[Variant], folder: Path) -> list[int]:
    lines = [".globl _start", "_start:", ".option norvc", *(variant.text for variant in variants)]
    data = link("\n".join(lines) + "\n", folder, symbols={}).read_bytes()
    headers, number = struct.unpack_from("<I", data, 28)[0], struct.unpack_from("<H", data, 44)[0]
    for i in range(number):
        kind, offset, _, _, size = struct.unpack_from("<5I", data, headers + 32 * i)
        if kind == 1 and size == 4 * len(variants):
            return list(struct.unpack_from(f"<{len(variants)}I", data, offset))
    raise AssertionError("no segment holds the instructions")


def _execute(requests: list[tuple[int, Words]]) -> list[Words]:
    """The registers, next PC and sum of the memory after each case, per request."""
    data = b"".join(
        struct.pack("<II", word, len(cases)) + cases.astype("<u4").tobytes()
        for word, cases in requests
    )
    result = subprocess.run(
        [program("instruction_cases")], input=data, capture_output=True, check=False
    )
    assert result.returncode == 0, result.stderr.decode()
    rows = np.frombuffer(result.stdout, "<u4").astype(np.int64).reshape(-1, 5)
    bounds = np.cumsum([len(cases) for _, cases in requests])[:-1]
    return list(np.split(rows, bounds))


def _expected(variant: Variant, cases: Words) -> Words:
    """The rows that `_execute` should return."""
    registers = cases.copy()
    next_pc = np.full(len(cases), _PC + 4, np.int64)
    memory = np.full(len(cases), _UNTOUCHED, np.int64)
    d, s, t = (variant.registers[kind] for kind in "dst")
    old, a, b = registers[:, d].copy(), registers[:, s].copy(), registers[:, t].copy()
    row = variant.row
    if row.operands[-1] == "target":
        equal = signed(a) == variant.numbers[0]
        taken = equal if row.name == "cv.beqimm" else ~equal
        next_pc = np.where(taken, _PC + variant.numbers[1], next_pc)
    elif "(" in row.form:
        memory = memory + _access(variant, registers, (a, b, old))
    else:
        registers[:, d] = unsigned(model(row, variant.numbers)(a, b, old))
    return np.column_stack([registers, next_pc, unsigned(memory)])


def _access(variant: Variant, registers: Words, operands: tuple[Words, Words, Words]) -> Words:
    """Loads and stores: changes `registers`, returns what is added to the memory's sum."""
    a, b, old = operands
    row = variant.row
    is_store = row.name.startswith("cv.s")
    offset = np.full_like(a, variant.numbers[0]) if variant.numbers else (old if is_store else b)
    indexed = "(" not in row.form.split(", ", 1)[1][:1]
    address = unsigned(a + offset) if indexed else a
    size = {"b": 1, "h": 2, "w": 4}[row.name[4]]
    places = (address - _BASE)[:, None] + np.arange(size)
    before = _MEMORY[places]
    change = np.zeros(len(a), np.int64)
    if is_store:
        after = (b[:, None] >> (8 * np.arange(size))) & 255
        change = ((after - before) * _WEIGHTS[places]).sum(axis=1)
    if not indexed:
        registers[:, variant.registers["s"]] = unsigned(a + offset)
    if not is_store:
        value = (before << (8 * np.arange(size))).sum(axis=1)
        extended = value if row.name.endswith("u") else signed(value, 8 * size)
        registers[:, variant.registers["d"]] = unsigned(extended)
    return change


def _place_addresses(variant: Variant, cases: Words, generator: np.random.Generator) -> None:
    """Puts the address that a load or store forms inside the memory."""
    address = _BASE + generator.integers(0, _MEMORY_BYTES - 4, len(cases))
    base = variant.registers["s"]
    indexed = "(" not in variant.row.form.split(", ", 1)[1][:1]
    offset = variant.registers["d" if variant.row.name.startswith("cv.s") else "t"]
    cases[:, base] = unsigned(address - cases[:, offset]) if indexed else address


@dataclass(frozen=True)
class Comparison:
    """Of one instruction with its kinds of operands. example: the first difference in words, or empty."""

    instruction: str
    extension: str
    count: int
    differences: int
    example: str


# cv.elw waits for events: tested with the event unit.
COMPARED = tuple(row for row in ROWS if row.name != "cv.elw")


def name_of(row: Row) -> str:
    """The mnemonic; with the operands, where several instructions share it: `cv.lw d, (s), t`."""
    if "(" not in row.form:
        return row.name
    letters = ["number" if ":" in kind else kind for kind in row.operands]
    return f"{row.name} {row.form.format(*letters)}"


def compare(each: int, source: random.Random, folder: Path) -> Iterator[Comparison]:
    """Every instruction of COMPARED and of LOOP_ROWS on `each` (a multiple of VARIANTS) random operands."""
    generator = np.random.default_rng(source.randrange(1 << 32))
    for start in range(0, len(COMPARED), _ROWS_AT_A_TIME):
        rows = COMPARED[start : start + _ROWS_AT_A_TIME]
        yield from _compare_rows(rows, each // VARIANTS, source, generator, folder)
    for row in LOOP_ROWS:
        yield _compare_loop(row, each // VARIANTS, source, generator)


def _compare_rows(
    rows: tuple[Row, ...],
    each: int,
    source: random.Random,
    generator: np.random.Generator,
    folder: Path,
) -> Iterator[Comparison]:
    variants = [variant for row in rows for variant in _variants(row, source)]
    cases = [_operands(each, generator) for _ in variants]
    for variant, values in zip(variants, cases, strict=True):
        if "(" in variant.row.form:
            _place_addresses(variant, values, generator)
    found = _execute(list(zip(_encode(variants, folder), cases, strict=True)))
    for i, row in enumerate(rows):
        of_row = slice(i * VARIANTS, (i + 1) * VARIANTS)
        differences, example = 0, ""
        for variant, values, results in zip(
            variants[of_row], cases[of_row], found[of_row], strict=True
        ):
            wrong, text = _differences(variant.text, values, results, _expected(variant, values))
            differences += wrong
            example = example or text
        yield Comparison(name_of(row), extension_of(row), each * VARIANTS, differences, example)


def _differences(text: str, values: Words, results: Words, wanted: Words) -> tuple[int, str]:
    wrong = np.flatnonzero((results != wanted).any(axis=1))
    if not wrong.size:
        return 0, ""
    given, got, model_says = (
        [hex(number) for number in table[wrong[0]]] for table in (values, results, wanted)
    )
    example = f"{text} with a0, a1, a2 = {given} gives {got}, expected {model_says}"
    return int(wrong.size), example


def _compare_loop(
    row: LoopRow, each: int, source: random.Random, generator: np.random.Generator
) -> Comparison:
    """LLVM has no hardware loops: these are encoded by their table. A body must hold three instructions."""
    differences, example = 0, ""
    for variant in range(VARIANTS):
        loop, register = variant % 2, source.randrange(3)
        upper = source.randint(4 if row.name == "cv.setup" else 0, 4095)
        lower = source.randint(4, 31)
        word = row.encode(loop, 10 + register, upper, lower)
        cases = _operands(each, generator)
        (results,) = _execute([(word, cases)])
        wanted = _loop_expected(row, loop, cases, register, upper, lower)
        wrong, text = _differences(f"{row.name}, {word:#x}", cases, results, wanted)
        differences += wrong
        example = example or text
    return Comparison(row.name, extension_of(row), each * VARIANTS, differences, example)


def _loop_expected(
    row: LoopRow, loop: int, cases: Words, register: int, upper: int, lower: int
) -> Words:
    state = np.tile(_LOOPS, (len(cases), 1))
    start, end, count = (state[:, 3 * loop + i] for i in range(3))
    by_register = cases[:, register]
    match row.name.removeprefix("cv."):
        case "starti" | "endi" as name:
            (start if name == "starti" else end)[:] = _PC + 4 * upper
        case "start" | "end" as name:
            (start if name == "start" else end)[:] = by_register & ~3
        case "counti":
            count[:] = upper
        case "count":
            count[:] = by_register
        case "setupi":
            start[:], end[:], count[:] = _PC + 4, _PC + 4 * lower, upper
        case _:
            start[:], end[:], count[:] = _PC + 4, _PC + 4 * upper, by_register
    unchanged = int((_MEMORY * _WEIGHTS[:_MEMORY_BYTES]).sum())
    # Products of words: their sum may pass 63 bits.
    products = [unsigned(state[:, i] * (_LOOP_WEIGHTS[i] & 0xFFFF)) for i in range(6)]
    products += [unsigned(unsigned(state[:, i] * (_LOOP_WEIGHTS[i] >> 16)) << 16) for i in range(6)]
    total = unsigned(np.sum(products, axis=0) + unchanged)
    next_pc = np.full(len(cases), _PC + 4, np.int64)
    return np.column_stack([cases, next_pc, total])
