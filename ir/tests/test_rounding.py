"""The modes of rounding against plain rational arithmetic, and where an operator may have one."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import GraphError, evaluate_graph, parse_graph, print_graph, verify_graph
from tinsmith_ir.arithmetic import (
    INT32_MAX,
    INT32_MIN,
    quantize_multiplier,
    quantize_scale,
    rescale,
    rescale_64,
)
from tinsmith_ir.rounding import Rounding

NEAREST, FLOOR, TFLITE = Rounding.NEAREST, Rounding.FLOOR, Rounding.TFLITE
EDGES = [INT32_MIN, INT32_MIN + 1, -(1 << 30), -3, -2, -1, 0, 1, 2, 3, (1 << 30) - 1, INT32_MAX]


def exactly(acc: int, multiplier: int, shift: int) -> Fraction:
    return Fraction(acc * multiplier) * Fraction(2) ** (shift - 31)


def integer_of(real: Fraction, rounding: Rounding) -> int:
    return math.floor(real + Fraction(1, 2)) if rounding is NEAREST else math.floor(real)


@pytest.mark.parametrize("rounding", [NEAREST, FLOOR])
@pytest.mark.parametrize("multiplier", [1, 3, 1 << 30, INT32_MAX])
def test_one_rounding_is_exact_for_all_accumulators_and_shifts(
    rounding: Rounding, multiplier: int
) -> None:
    for shift in range(-31, 32):
        got = rescale(np.array(EDGES, np.int64), multiplier, shift, rounding)
        wanted = [integer_of(exactly(acc, multiplier, shift), rounding) for acc in EDGES]
        assert got.tolist() == wanted, shift


@pytest.mark.parametrize("rounding", [NEAREST, FLOOR])
def test_64_bit_accumulators_are_rounded_once(rounding: Rounding) -> None:
    accs = [-(1 << 47) + 1, -(1 << 40) - 1, -1, 0, 1, (1 << 47) - 1]
    for shift, multiplier in [(-31, (1 << 15) - 1), (16, 1), (31, (1 << 15) - 1)]:
        got = rescale_64(np.array(accs, np.int64), multiplier, shift, rounding)
        assert got.tolist() == [
            integer_of(exactly(acc, multiplier, shift), rounding) for acc in accs
        ]


def test_halves_go_up_on_both_sides_of_zero() -> None:
    halves = np.array([-5, -3, -1, 1, 3, 5], np.int64)
    half = quantize_scale(0.5, NEAREST, 31)
    assert rescale(halves, *half, NEAREST).tolist() == [-2, -1, 0, 1, 2, 3]
    assert rescale(halves, *half, FLOOR).tolist() == [-3, -2, -1, 0, 1, 2]
    assert rescale(halves, *half, TFLITE).tolist() == [-2, -1, 0, 1, 2, 3]
    quarter = quantize_scale(0.25, NEAREST, 31)
    assert rescale(2 * halves, *quarter, TFLITE).tolist() == [-3, -2, -1, 1, 2, 3]
    assert rescale(2 * halves, *quarter, NEAREST).tolist() == [-2, -1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("real", "bits", "expected"),
    [
        (0.0, 8, (0, 0)),
        (1.0, 31, (1 << 30, 1)),
        (1.0, 1, (1, 31)),
        (0.75, 1, (1, 31)),  # halfway between two powers of two: up
        (0.7, 1, (1, 30)),
        (0.3, 8, (154, 22)),
        (255.0, 8, (255, 31)),
        (1.0 - 2.0**-40, 31, (1 << 30, 1)),  # rounds up to the next power of two
        (2.0**-62, 31, (1, -31)),  # no shift is longer
        (2.0**-70, 31, (0, 0)),
    ],
)
def test_scales_become_the_widest_multipliers(
    real: float, bits: int, expected: tuple[int, int]
) -> None:
    assert quantize_scale(real, NEAREST, bits) == expected


def test_multipliers_of_full_width_are_tflites() -> None:
    for real in np.exp(np.random.default_rng(0).uniform(-20, 20, 500)):
        wanted = quantize_multiplier(float(real))
        assert quantize_scale(float(real), NEAREST, 31) == wanted
        assert quantize_scale(float(real), TFLITE, 31) == wanted


@pytest.mark.parametrize("real", [-0.5, math.inf, math.nan, 256.0, 255.9])
def test_scales_beyond_the_width_are_refused(real: float) -> None:
    with pytest.raises(GraphError, match="expected a"):
        quantize_scale(real, FLOOR, 8)


def errors(
    accs: NDArray[np.int64], real: float, rounding: Rounding
) -> tuple[list[Fraction], list[Fraction]]:
    """Of each result, how far it is from acc * real, and from acc times the multiplier."""
    multiplier, shift = quantize_scale(real, rounding, 31)
    results = rescale(accs, multiplier, shift, rounding).tolist()
    pairs = list(zip(accs.tolist(), results, strict=True))
    return (
        [abs(acc * Fraction(real) - result) for acc, result in pairs],
        [abs(exactly(acc, multiplier, shift) - result) for acc, result in pairs],
    )


def test_nearest_is_nearer_to_the_real_number_than_tflite() -> None:
    random = np.random.default_rng(3)
    total = {NEAREST: Fraction(0), TFLITE: Fraction(0)}
    strictly = 0
    for real in np.exp2(random.uniform(-20, -1, 200)):
        # Results within about int8, and those where two roundings matter: near a half.
        near = np.rint((random.integers(-120, 120, 40) + 0.5) / real)
        accs = np.concatenate([near, random.uniform(-120, 120, 40) / real]).astype(np.int64)
        (real_nearest, nearest), (real_tflite, tflite) = (
            errors(accs, float(real), rounding) for rounding in (NEAREST, TFLITE)
        )
        assert all(a <= b and a <= Fraction(1, 2) for a, b in zip(nearest, tflite, strict=True))
        strictly += sum(a < b for a, b in zip(nearest, tflite, strict=True))
        total[NEAREST] += sum(real_nearest)
        total[TFLITE] += sum(real_tflite)
    assert strictly > 100
    assert total[NEAREST] < total[TFLITE]


_TEXT = """graph 2 "g" {{
  input %x: i8[4]<0.5, 1>
  input %y: i8[4]<0.25, -2>
  %z: i8[4]<0.75, 3> = {operator}
  output %z
}}"""


@pytest.mark.parametrize("rounding", [NEAREST, FLOOR])
@pytest.mark.parametrize("kind", ["add", "sub", "mul"])
def test_sums_and_products_are_rounded_once(rounding: Rounding, kind: str) -> None:
    text = _TEXT.format(operator=f"{kind}(%x, %y) {{rounding={rounding.value}}}")
    x, y = np.array([-128, 127, 3, 1], np.int8), np.array([127, 126, -2, -3], np.int8)
    got = evaluate_graph(parse_graph(text), {"x": x, "y": y})["z"]
    pairs = [(Fraction(a - 1, 2), Fraction(b + 2, 4)) for a, b in zip(x.tolist(), y.tolist())]  # noqa: B905
    combine = {"add": Fraction.__add__, "sub": Fraction.__sub__, "mul": Fraction.__mul__}[kind]
    reals = [combine(a, b) / Fraction(3, 4) for a, b in pairs]
    # A quotient by 3 is never a tie, but may be an integer that the multiplier just misses.
    slack = Fraction(1, 1 << 20) if rounding is FLOOR else 0
    wanted = [integer_of(real + slack, rounding) + 3 for real in reals]
    low = [integer_of(real - slack, rounding) + 3 for real in reals]
    for value, a, b in zip(got.tolist(), low, wanted, strict=True):
        assert min(max(a, -128), 127) <= value <= min(max(b, -128), 127)


def test_only_what_is_not_the_default_is_printed_and_all_is_read() -> None:
    text = _TEXT.format(operator="mul(%x, %y) {rounding=floor, multiplier_bits=8}")
    assert print_graph(parse_graph(text)) == text + "\n"
    plain = _TEXT.format(operator="mul(%x, %y)")
    assert print_graph(parse_graph(plain)) == plain + "\n"


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        ("{multiplier_bits=8}", "expected multiplier_bits of 31 for tflite, got 8"),
        ("{rounding=floor, multiplier_bits=0}", "expected multiplier_bits from 1 to 31, got 0"),
        ("{rounding=floor, multiplier_bits=32}", "expected multiplier_bits from 1 to 31, got 32"),
    ],
)
def test_widths_that_a_mode_does_not_have_are_refused(operator: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        verify_graph(parse_graph(_TEXT.format(operator=f"mul(%x, %y) {operator}")))


@pytest.mark.parametrize(
    "text",
    [
        "input %x: f32[4]\n %y: f32[4] = relu(%x) {rounding=nearest}",
        "input %x: i32[4]\n %y: i32[4] = add(%x, %x) {rounding=nearest}",
        "input %x: i8[1,2]<0.5, 0>\n const %w: i8[1,2]<0.5, 0> = [1, 2]\n"
        " %y: i32[1,1]<0.25, 0> = fully_connected(%x, %w) {rounding=nearest, accumulator=i32}",
    ],
)
def test_what_is_not_rescaled_is_not_rounded(text: str) -> None:
    with pytest.raises(GraphError, match="expected nearest only where integers are rescaled"):
        verify_graph(parse_graph(f'graph 2 "g" {{\n {text}\n output %y\n}}'))
