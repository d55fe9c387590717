"""Floats and doubles on every board, in hardware or in software: bit by bit what this computer's FPU
gives, which is IEEE-754 with subnormal numbers, rounded to nearest.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_emulators import run
from tinsmith_target import target, targets
from tinsmith_toolchains import CompilerName, Firmware

BuildProgram = Callable[..., Firmware]
Bits = NDArray[np.uint64]

_BOARDS = [item.name for item in targets() if item.name != "host"]
_PAIRS_PER_RUN = 32
_RUNS = 40
_ARITHMETIC = ("add", "sub", "mul", "div", "compare")
_INTEGERS = ("int32", "uint32", "int64", "uint64")
# The order of floats.c.
_OPERATIONS = (
    *(f"{operation} {width}" for width in ("f32", "f64") for operation in _ARITHMETIC),
    *(f"{integer} to {width}" for width in ("f32", "f64") for integer in _INTEGERS),
    *(f"{width} to {integer}" for width in ("f32", "f64") for integer in _INTEGERS),
    "f32 to f64",
    "f64 to f32",
)
# zero, the subnormals' ends, the smallest normal, one and its neighbours, the largest, infinity, NaN;
# powers of two where integers end.
_F32_EDGES = (
    *(0, 1, 2, 3, 0x400000, 0x7FFFFF, 0x800000, 0x800001, 0x1000000, 0x3F000000, 0x3F7FFFFF),
    *(0x3F800000, 0x3F800001, 0x40000000, 0x40400000, 0x4B000001, 0x4B7FFFFF, 0x4B800000),
    *(0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x5EFFFFFF, 0x5F7FFFFF, 0x7EFFFFFF, 0x7F000000),
    *(0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001),
)
# The same of doubles, and the ends of floats, where narrowing rounds.
_F64_EDGES = (
    *(
        0.0,
        5e-324,
        1e-323,
        2.0**-1023,
        2.2250738585072009e-308,
        2.2250738585072014e-308,
        2.0**-1021,
    ),
    *(0.5, 1.0, 1.0 + 2.0**-52, 1.0 - 2.0**-53, 2.0, 3.0, 1.0 + 2.0**-24, 1.0 + 3 * 2.0**-24),
    *(2.0**-149, 2.0**-150, 1.5 * 2.0**-150, 2.0**-126, 2.0**-126 - 2.0**-150, 2.0**128 - 2.0**103),
    *(2.0**31 - 0.5, 2.0**32 - 0.5, 2.0**53 - 1, 2.0**53 + 2, 2.0**63 - 1024, 2.0**64 - 2048),
    *(2.0**127, 2.0**1023, 1.7976931348623157e308, np.inf, np.nan),
)


@pytest.mark.parametrize("name", _BOARDS)
def test_operations_are_those_of_ieee_754(name: str, build_program: BuildProgram) -> None:
    pairs = operands(_RUNS * _PAIRS_PER_RUN, seed=1)

    assert differences(name, pairs, build_program) == []


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m3"])
def test_operations_of_gcc_are_those_of_ieee_754(name: str, build_program: BuildProgram) -> None:
    pairs = operands(_RUNS * _PAIRS_PER_RUN, seed=2)

    assert differences(name, pairs, build_program, compiler="gcc") == []


def operands(count: int, seed: int) -> Bits:
    """`count` pairs of 64-bit patterns, whose halves are floats: edges, patterns of any kind, and
    pairs whose products or quotients lie around the smallest number.
    """
    generator = np.random.default_rng(seed)
    f32 = _patterns(generator, count, 23, 127, np.array(_F32_EDGES, np.uint64))
    f64 = _patterns(generator, count, 52, 1023, _as_doubles(_F64_EDGES))
    chosen = generator.random((count, 1)) < 0.5
    high = generator.integers(0, 1 << 32, (count, 2), dtype=np.uint64) << np.uint64(32)
    return np.where(chosen, f64, high | f32)


def differences(
    name: str, pairs: Bits, build_program: BuildProgram, compiler: CompilerName = "zig"
) -> list[str]:
    """The first pair of each operation whose result is not this computer's."""
    firmware = build_program(name, "floats.c", "floats_harness_model.c", compiler=compiler)
    runs = pairs.reshape(-1, _PAIRS_PER_RUN, 2)
    result = run(firmware, target(name), [chunk.tobytes() for chunk in runs], timeout_seconds=300)
    got = np.frombuffer(b"".join(result.outputs), np.uint64).reshape(-1, len(_OPERATIONS))
    wrong = got != expected(pairs)
    return [
        f"{operation} of {pairs[row, 0]:#x}, {pairs[row, 1]:#x}: {got[row, column]:#x}"
        for column, operation in enumerate(_OPERATIONS)
        for row in np.flatnonzero(wrong[:, column])[:1]
    ]


def expected(pairs: Bits) -> Bits:
    """What floats.c should answer, a row for each pair; there is one NaN, as processors differ."""
    low = pairs.astype(np.uint32)
    f32, f64 = low.view(np.float32), pairs.view(np.float64)
    integers = (low[:, 0].view(np.int32), low[:, 0], pairs[:, 0].view(np.int64), pairs[:, 0])
    with np.errstate(all="ignore"):
        columns = [
            *_arithmetic(f32[:, 0], f32[:, 1]),
            *_arithmetic(f64[:, 0], f64[:, 1]),
            *(_bits(values.astype(np.float32)) for values in integers),
            *(_bits(values.astype(np.float64)) for values in integers),
            *_to_integers(f32[:, 0]),
            *_to_integers(f64[:, 0]),
            _bits(f32[:, 0].astype(np.float64)),
            _bits(f64[:, 0].astype(np.float32)),
        ]
    return np.stack(columns, axis=1)


def _arithmetic(lhs: NDArray[np.floating], rhs: NDArray[np.floating]) -> list[Bits]:
    truths = (
        *(lhs == rhs, lhs != rhs, lhs < rhs, lhs <= rhs, lhs > rhs, lhs >= rhs),
        np.isnan(lhs) | np.isnan(rhs),
    )
    compared = sum(truth.astype(np.uint64) << np.uint64(i) for i, truth in enumerate(truths))
    return [*(_bits(v) for v in (lhs + rhs, lhs - rhs, lhs * rhs, lhs / rhs)), np.asarray(compared)]


def _to_integers(values: NDArray[np.floating]) -> list[Bits]:
    """Truncated, as the bits of the integer; 0 where C leaves the result open."""
    columns: list[Bits] = []
    for integer, low, high in (
        (np.int32, -(2.0**31), 2.0**31),
        (np.uint32, -1.0, 2.0**32),
        (np.int64, -(2.0**63), 2.0**63),
        (np.uint64, -1.0, 2.0**64),
    ):
        defined = np.where((values > low) & (values < high), values, values.dtype.type(0))
        bits = np.dtype(f"u{np.dtype(integer).itemsize}")
        columns.append(defined.astype(integer).view(bits).astype(np.uint64))
    return columns


def _bits(values: NDArray[np.floating]) -> Bits:
    one_nan = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return one_nan.view(np.dtype(f"u{values.itemsize}")).astype(np.uint64)


def _patterns(
    generator: np.random.Generator, count: int, fraction_bits: int, bias: int, edges: Bits
) -> Bits:
    """A quarter edges; the others of any exponent, or with a quotient or a product around the
    smallest number, or close to each other. Fractions of few bits make ties of the rounding.
    """
    largest = 2 * bias + 1
    exponents = generator.integers(0, largest, (count, 2), endpoint=True)
    lhs, rhs = exponents.T
    tiny = generator.integers(-fraction_bits - 4, 4, count)
    close = generator.integers(-fraction_bits - 4, fraction_bits + 4, count)
    kinds = [rhs, lhs + bias - tiny, tiny + bias - lhs, lhs + close]
    exponents[:, 1] = np.choose(generator.integers(0, 4, count), kinds).clip(0, largest)
    dropped = generator.integers(0, fraction_bits, (count, 2), dtype=np.uint64)
    fractions = generator.integers(0, 1 << fraction_bits, (count, 2), dtype=np.uint64)
    fractions = fractions >> dropped << dropped
    signs = generator.integers(0, 2, (count, 2), dtype=np.uint64)
    width = np.uint64(fraction_bits)
    numbers = exponents.astype(np.uint64) << width | fractions
    is_edge = generator.random((count, 2)) < 0.25
    numbers = np.where(is_edge, generator.choice(edges, (count, 2)), numbers)
    return numbers | signs * np.uint64(largest + 1) << width


def _as_doubles(values: Sequence[float]) -> Bits:
    return np.array(values, np.float64).view(np.uint64)
