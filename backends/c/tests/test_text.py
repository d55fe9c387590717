import numpy as np
import pytest
from tinsmith_c.text import (
    COLUMNS,
    array_definition,
    assignment,
    comment_lines,
    declaration,
    float_literal,
    initializer,
    integer_literal,
    wrapped_call,
)
from tinsmith_ir.errors import UnsupportedError


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.0f"), (0.1, "0.1f"), (-3e-9, "-3e-09f"), (16777216.0, "1.6777216e+07f")],
)
def test_float_literal_is_the_shortest_that_reads_back(value: float, text: str) -> None:
    assert float_literal(value) == text
    assert np.float32(text.removesuffix("f")) == np.float32(value)


def test_float_literal_reads_back_for_random_bits() -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, 2000, np.uint32)
    for value in bits.view(np.float32):
        if np.isfinite(value):
            assert np.float32(float_literal(float(value)).removesuffix("f")) == value


def test_infinities_are_quotients_that_compilers_fold() -> None:
    assert float_literal(float("inf")) == "(1.0f / 0.0f)"
    assert float_literal(-float("inf")) == "(-1.0f / 0.0f)"


def test_float_literal_refuses_what_c_cannot_write() -> None:
    with pytest.raises(UnsupportedError, match="is nan; expected a number"):
        float_literal(float("nan"))


def test_smallest_int32_and_int64_have_no_literal_of_their_own() -> None:
    assert integer_literal(-(2**31)) == "(-2147483647 - 1)"
    assert integer_literal(-(2**31) + 1) == "-2147483647"
    assert integer_literal(-(2**63)) == "(-9223372036854775807 - 1)"


def test_array_has_twenty_bytes_a_line() -> None:
    text = array_definition("a", np.arange(-10, 13, dtype=np.int8), "numbers")
    lines = text.split("\n")
    assert lines[0] == "// numbers"
    assert lines[1] == "static const int8_t a[23] TINSMITH_ALIGNED = {"
    assert lines[2].count(",") == 20
    assert lines[3] == "    10, 11, 12,"


def test_call_that_fits_stays_on_one_line() -> None:
    assert wrapped_call("  f(", ["a", "b"], ");") == "  f(a, b);"


def test_long_call_is_filled_behind_the_parenthesis() -> None:
    lines = wrapped_call("  function(", [f"argument_{i}" for i in range(30)], ");").split("\n")
    assert max(len(line) for line in lines) <= COLUMNS
    assert all(line.startswith(" " * len("  function(") + "a") for line in lines[1:])


@pytest.mark.parametrize(
    ("length", "lines"),
    [
        (40, ["  refused |= run({a}, {a});"]),
        (52, ["  refused |=", "      run({a}, {a});"]),
        (60, ["  refused |= run({a},", "                 {a});"]),
    ],
)
def test_what_a_call_returns_is_given_as_clang_format_breaks_it(
    length: int, lines: list[str]
) -> None:
    argument = "a" * length
    expected = "\n".join(lines).replace("{a}", argument)
    assert assignment("  ", "refused |=", "run", [argument, argument]) == expected


def test_initializer_writes_one_field_a_line() -> None:
    text = initializer("t", "kName", {"a": 1, "b": (2, -3), "c": "x"})
    assert (
        text
        == "  static const t kName = {\n      .a = 1,\n      .b = {2, -3},\n      .c = x,\n  };"
    )


def test_comment_is_broken_at_spaces() -> None:
    lines = comment_lines("word " * 60)
    assert len(lines) > 1
    assert all(line.startswith("// word") and len(line) <= COLUMNS for line in lines)


def test_lines_of_a_large_array_are_as_long_as_those_of_a_small_one() -> None:
    numbers = np.arange(50_003, dtype=np.int32)
    lines = array_definition("a", numbers, "numbers").splitlines()[2:-1]
    assert {line.count(",") for line in lines[:-1]} == {10}
    read = [int(number) for line in lines for number in line.strip(" ,").split(", ")]
    assert read == numbers.tolist()


def test_a_long_sum_is_broken_behind_a_plus_outside_of_parentheses() -> None:
    short = declaration("  ", "const int *const from", "a + b")
    assert short == "  const int *const from = a + b;"
    place = f"{'b' * 80}[c + d]"
    long = declaration("  ", "const int *const from", f"a + {place} + 16 * (e + 1)")
    assert long == f"  const int *const from = a + {place} +\n{' ' * 26}16 * (e + 1);"
    assert len(declaration("", "x", f"a + {'b' * 110}")) == 119
    assert "\n" not in declaration("", "x", f"a + {'b' * 111}")
    assert "\n" in declaration("", "x", f"a + {'b' * 112}")
