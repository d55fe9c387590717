"""Lstm by hand, and the 16-bit functions of its integers."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import GraphError, parse_graph
from tinsmith_ir.fixed_point_16 import logistic_s16, tanh_s16

Run = Callable[..., list[object]]

# One cell, whose gates are half open but for what is said of them.
FLOAT = """
  input %x: f32[1,2,1]
  const %h: f32[1,1] = [0.0]
  const %c: f32[1,1] = [8.0]
  const %zero: f32[1,1] = [0.0]
  const %b: f32[1] = [0.0]
  const %open: f32[1] = [100.0]
  const %w: f32[1,1] = [100.0]
  {results} = lstm(%x, %h, %c, {weights}, {recurrent}, {bias}) {{{attributes}}}
  output {output}"""


def layer(
    output: str,
    *,
    weights: str = "%zero, %zero, %w, %zero",
    recurrent: str = "%zero, %zero, %zero, %zero",
    bias: str = "%b, %b, %b, %open",
    attributes: str = "",
) -> str:
    return FLOAT.format(
        results="%y: f32[1,2,1], %last: f32[1,1], %cells: f32[1,1]",
        weights=weights,
        recurrent=recurrent,
        bias=bias,
        attributes=attributes,
        output=output,
    )


def test_a_cell_keeps_half_and_takes_half(run: Run) -> None:
    # 8 / 2 + 1 / 2, then 4.5 / 2 - 1 / 2
    assert run(layer("%cells"), [1, -1]) == [1.75]
    found = run(layer("%y"), [1, -1])
    assert found == pytest.approx([math.tanh(4.5), math.tanh(1.75)], rel=1e-6)
    assert run(layer("%last"), [1, -1]) == found[1:]


def test_backwards_begins_at_the_end(run: Run) -> None:
    text = layer("%y", attributes="backwards=true")
    found = run(text, [-1, 1])
    assert found[::-1] == run(layer("%y"), [1, -1])


def test_without_an_input_gate_what_is_not_forgotten_is_taken(run: Run) -> None:
    text = layer(
        "%cells",
        weights="none, %zero, %w, %zero",
        recurrent="none, %zero, %zero, %zero",
        bias="none, %open, %b, %b",
    )
    assert run(text, [1, -1]) == [8]


def test_cells_stay_within_their_bound(run: Run) -> None:
    assert run(layer("%cells", attributes="cell_clip=0.25"), [1, -1]) == [-0.25]


INTEGERS = """
  input %x: i8[1,1,1]<0.5, 3>
  const %h: i8[1,1]<0.0078125, 0> = [0]
  const %c: i16[1,1]<0.00048828125, 0> = [4096]
  const %w: i8[1,1]<1.0, 0> = [0]
  const %v: i8[1,1]<1.0, 0> = [127]
  const %b: i32[1] = [0]
  const %open: i32[1] = [1000]
  const %peep: i16[1]<0.001, 0> = [1]
  %y: i8[1,1,1]<0.0078125, 0>, %last: i8[1,1]<0.0078125, 0>, %cells: i16[1,1]<0.00048828125, 0> =
    lstm(%x, %h, %c, %w, %w, %v, %w, %w, %w, %w, %w, %b, %b, %b, %open) {hidden_scale=0.0078125}
  output %{output}"""


def test_integers_are_about_the_numbers_they_stand_for(run: Run) -> None:
    # 2 / 2 + 1 / 2 in units of 2**-11, and tanh(1.5) of 2**-7
    assert run(INTEGERS.replace("{output}", "cells"), [127]) == [3072]
    assert run(INTEGERS.replace("{output}", "y"), [127]) == [round(math.tanh(1.5) * 128)]


@pytest.mark.parametrize("integer_bits", range(7))
def test_tanh_of_16_bits(integer_bits: int) -> None:
    values = np.arange(-(1 << 15), 1 << 15).astype(np.int16)
    real = np.tanh(values.astype(np.float64) * 2.0 ** (integer_bits - 15))
    np.testing.assert_allclose(tanh_s16(values, integer_bits) / 2.0**15, real, atol=6e-4)


def test_logistic_function_of_16_bits() -> None:
    values = np.arange(-(1 << 15), 1 << 15).astype(np.int16)
    real = 1 / (1 + np.exp(-values.astype(np.float64) / 2**12))
    np.testing.assert_allclose(logistic_s16(values) / 2.0**15, real, atol=3e-4)
    assert logistic_s16(np.array([0], np.int16)).tolist() == [1 << 14]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": "none, %zero, %w, %zero"}, "an input gate with weights"),
        ({"weights": "%zero, %zero, %w, %b"}, r"output_weights of shape \(1, 1\), got \(1,\)"),
        ({"bias": "%b, %b, %b, %b, %b"}, "peephole weights of the input gate"),
        ({"bias": "%b, %b, %b, %b, none, none, none, none, %b"}, "a projection, or as many"),
        ({"attributes": "cell_clip=-1.0"}, "finite clips of at least 0, got -1.0"),
    ],
)
def test_layers_that_do_not_fit(change: dict[str, str], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {layer("%y", **change)} }}')


PROJECTED = INTEGERS.replace("%open) {", "%open, none, none, none, %p, %d) {").replace(
    "  %y:", "  const %p: i8[1,1]<0.015625, 0> = [64]\n  const %d: i32[1] = [256]\n  %y:"
)


def test_cells_of_int8_are_projected(run: Run) -> None:
    # tanh(1.5) is 116 of 2**-7; 116 * 64 + 256 in steps of 2**-13, as steps of 2**-7.
    assert run(PROJECTED.replace("{output}", "y"), [127]) == [120]
    clipped = PROJECTED.replace("{hidden_scale", "{projection_clip=0.5, hidden_scale")
    assert run(clipped.replace("{output}", "y"), [127]) == [64]


WIDE = """
  input %x: i16[1,1,1]<0.001953125, 0>
  const %h: i16[1,1]<0.000030517578125, 0> = [0]
  const %c: i16[1,1]<0.00048828125, 0> = [4096]
  const %w: i8[1,1]<1.0, 0> = [0]
  const %v: i8[1,1]<1.0, 0> = [1]
  const %b: i64[1] = [0]
  const %open: i64[1] = [4096]
  const %peep: i16[1]<0.001, 0> = [1]
  %y: i16[1,1,1]<0.000030517578125, 0>, %last: i16[1,1]<0.000030517578125, 0>, %cells: i16[1,1]<0.00048828125, 0> =
    lstm(%x, %h, %c, %w, %w, %v, %w, %w, %w, %w, %w, %b, %b, %b, %open)
  output %{output}"""


def test_int16_is_about_the_numbers_it_stands_for(run: Run) -> None:
    # x is 32, of which tanh is 1: 2 / 2 + 1 / 2 in units of 2**-11; tanh(1.5) of 2**-15, where the gate is open.
    assert run(WIDE.replace("{output}", "cells"), [16384]) == [3072]
    (found,) = run(WIDE.replace("{output}", "y"), [16384])
    assert found == pytest.approx(math.tanh(1.5) * 2**15, abs=20)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "%b, %open)",
            "%b, %open, %peep, %peep, %peep)",
            "an LSTM of i16 without peephole weights",
        ),
        ("%b, %open)", "%b, %open, none, none, none, %w)", "an LSTM of i16 without a projection"),
        (
            "%c, %w, %w, %v, %w, %w, %w, %w, %w, %b",
            "%c, none, %w, %v, %w, none, %w, %w, %w, none",
            "with an input gate",
        ),
        ("const %v: i8[1,1]<1.0", "const %v: i8[1,1]<100.0", r"an i16 LSTM below 2\*\*-5"),
    ],
)
def test_int16_that_does_not_fit(old: str, new: str, message: str) -> None:
    text = WIDE.replace("{output}", "y").replace(old, new)
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} }}')


def test_int8_has_peepholes_or_a_projection() -> None:
    text = PROJECTED.replace("{output}", "y").replace(
        "none, none, none, %p", "%peep, %peep, %peep, %p"
    )
    with pytest.raises(GraphError, match="peephole weights or a projection, got both"):
        parse_graph(f'graph 2 "g" {{ {text} }}')


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("i16[1,1]<0.00048828125", "i16[1,1]<0.0005", "a scale of a power of two from"),
        ("hidden_scale=0.0078125", "hidden_scale=0.0", "a hidden_scale above 0, got 0.0"),
        ("%v: i8[1,1]<1.0, 0>", "%v: i8[1,1]<1.0, 1>", "cell_weights with zero point 0"),
    ],
)
def test_integers_that_do_not_fit(old: str, new: str, message: str) -> None:
    text = INTEGERS.replace("{output}", "y").replace(old, new)
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} }}')
